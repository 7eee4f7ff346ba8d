"""Eight tables that no bug of `bugs.py` was planted in: other columns, other sources, other sizes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.planted.tables import _read
from experiments.data import directory

_MATCHING = "schema_matching/Valentine-{}/{}/{}/{}_{}.parquet"


def _matching(family: str, name: str, side: str) -> pl.DataFrame:
    return _read(_MATCHING.format(family, name, side, name.lower(), side))


def _households() -> pl.DataFrame:
    names = [
        "age", "major_industry_code", "hispanic_origin", "member_of_a_labor_union", "capital_losses",
        "region_of_previous_residence", "detailed_household_and_family_stat", "detailed_household_summary_in_household",
        "migration_code_change_in_msa", "live_in_this_house_1_year_ago", "family_members_under_18",
        "country_of_birth_father", "country_of_birth_mother", "citizenship", "veterans_benefits", "wage_per_hour",
        "dividends_from_stocks", "instance_weight",
    ]  # fmt: skip
    table = _read("cnum_census_income/census_income_full.parquet").filter(pl.col("split") == "test")
    return table.select(names).with_columns(pl.col(pl.Categorical).cast(str))


def _slopes() -> pl.DataFrame:
    names = ["spruce", "pine", "ponderosa", "willow", "aspen", "fir", "krummholz"]
    table = _read("forest_covtype/covtype.parquet").drop("Soil_Type", "Elevation")
    labels = pl.col("Cover_Type").replace_strict(dict(enumerate(names, 1)), return_dtype=pl.String)
    return table.with_columns(
        labels.alias("cover"), pl.format("area {}", "Wilderness_Area").alias("area")
    ).drop("Cover_Type", "Wilderness_Area")  # fmt: skip


def _departures() -> pl.DataFrame:
    minutes = pl.col("sched_dep_time") // 100 * 60 + pl.col("sched_dep_time") % 100
    table = _read("drift/nycflights13_flights.parquet").with_columns(pl.col(pl.Categorical).cast(str))
    start = pl.col("time_hour").dt.truncate("1d") + pl.duration(minutes=minutes.cast(pl.Int64))
    speed = (pl.col("distance") / pl.col("air_time") * 60).round(1)
    ended = start + pl.duration(minutes=pl.col("air_time").cast(pl.Int64))
    found = table.with_columns(start.alias("start"), ended.alias("ended"), speed.alias("speed"))
    return found.filter(pl.col("start").dt.month() <= 6).drop("time_hour", "sched_dep_time", "origin")


def _peptides() -> pl.DataFrame:
    table = _read("bio_kddcup04/bio_train_sample.parquet")
    kept = [f"f{i}" for i in range(50, 75)]
    return table.select(pl.col("target").cast(pl.String).alias("class"), *kept)


def _beers() -> pl.DataFrame:
    both = [_matching("Magellan", "beeradvo_ratebeer", side) for side in ("source", "target")]
    table = pl.concat(both).filter(pl.col("id") != "id").drop("id")
    return table.with_columns(pl.col("ABV").str.replace(" %", "").cast(pl.Float64, strict=False))


def _papers() -> pl.DataFrame:
    both = [_matching("Magellan", "dblp_acm", side) for side in ("source", "target")]
    return pl.concat(both).filter(pl.col("id") != "id").drop("id").with_columns(pl.col("year").cast(pl.Int64))


def _artists() -> pl.DataFrame:
    table = _matching("Wikidata", "Musicians_unionable", "target")
    day = pl.col("birthDate").str.to_datetime(strict=False, time_zone="UTC").dt.replace_time_zone(None)
    kept = ["genderType", "city", "forename", "residence", "kind", "ethnicity", "religionLabel", "recordCompany"]
    return table.select(day.alias("born"), *kept, pl.col("NChildren").cast(pl.Float64, strict=False))


def _digits() -> pl.DataFrame:
    place = directory()
    assert place is not None
    data = np.load(Path(place) / "mnist/mnist_5k.npz")
    means = data["X"][:, 4:24, 4:24].reshape(-1, 5, 4, 5, 4).mean(axis=(2, 4)).round(1)
    cells = {f"cell_{i}{j}": means[:, i, j] for i in range(5) for j in range(5)}
    return pl.DataFrame({"digit": [str(label) for label in data["y"]], **cells})


OTHER: dict[str, Callable[[], pl.DataFrame]] = {
    "households": cache(_households), "slopes": cache(_slopes), "departures": cache(_departures),
    "peptides": cache(_peptides), "beers": cache(_beers), "papers": cache(_papers), "artists": cache(_artists),
    "digits": cache(_digits),
}  # fmt: skip
"""Tables by name."""

TIED: dict[str, tuple[str, ...]] = {
    "households": ("family_members_under_18", "citizenship", "country_of_birth_father", "age", "veterans_benefits"),
    "slopes": ("Hillshade_Noon", "Aspect", "area", "cover", "Horizontal_Distance_To_Hydrology"),
    "departures": ("dep_delay", "air_time", "carrier", "dest", "speed"),
    "peptides": ("class", "f53", "f58", "f63", "f66"),
    "papers": ("venue", "year"),
    "digits": ("digit", "cell_12", "cell_33", "cell_21"),
}
"""Columns whose values go with those of others: shuffling them breaks something that is there."""
