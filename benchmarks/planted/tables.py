"""Six real tables of numbers, dates, categories and texts, some with gaps, and one that is kept aside."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl

from experiments.data import directory


def _read(name: str) -> pl.DataFrame:
    place = directory()
    assert place is not None
    return pl.read_parquet(Path(place) / name)


def _census() -> pl.DataFrame:
    names = [
        "age", "class_of_worker", "education", "wage_per_hour", "marital_stat", "major_occupation_code", "race", "sex",
        "full_or_part_time_employment_stat", "capital_gains", "dividends_from_stocks", "tax_filer_stat",
        "country_of_birth_self", "instance_weight", "num_persons_worked_for_employer", "weeks_worked_in_year", "income",
    ]  # fmt: skip
    return (
        _read("cnum_census_income/census_income_full.parquet")
        .select(names)
        .with_columns(pl.col(pl.Categorical).cast(str))
    )


def _forest() -> pl.DataFrame:
    codes = ["Wilderness_Area", "Soil_Type", "Cover_Type"]
    return _read("forest_covtype/covtype.parquet").with_columns(
        pl.format("{} {}", pl.lit(name.split("_")[0].lower()), name).alias(name) for name in codes
    )


def _electricity() -> pl.DataFrame:
    return _read("drift/elec2.parquet").drop("day_index", "repeated_day")


def _flights() -> pl.DataFrame:
    return _read("drift/nycflights13_flights.parquet").with_columns(pl.col(pl.Categorical).cast(str))


def _musicians() -> pl.DataFrame:
    table = _read("schema_matching/Valentine-Wikidata/Musicians_unionable/source/musicians_unionable_source.parquet")
    dates = (pl.col(name).str.to_datetime(strict=False, time_zone="UTC") for name in ("birthDate", "activityStart"))
    return table.drop("musician", "websiteLabel", "partner", "fatherLabel", "motherLabel").with_columns(
        pl.col("numberOfChildren").cast(pl.Float64, strict=False), *(date.dt.replace_time_zone(None) for date in dates)
    )


def _products() -> pl.DataFrame:
    table = _read("schema_matching/Valentine-Magellan/walmart_amazon/target/walmart_amazon_target.parquet")
    price = pl.col("price").str.replace_all(r"[$,]", "").cast(pl.Float64, strict=False)
    return table.drop("id").with_columns(price)


def _proteins() -> pl.DataFrame:
    table = _read("bio_kddcup04/bio_train_sample.parquet")
    return table.filter("in_random_sample").select("target", *(f"f{i:02}" for i in range(1, 41)))


TABLES: dict[str, Callable[[], pl.DataFrame]] = {
    "census": cache(_census),
    "forest": cache(_forest),
    "electricity": cache(_electricity),
    "flights": cache(_flights),
    "musicians": cache(_musicians),
    "products": cache(_products),
}
ASIDE: dict[str, Callable[[], pl.DataFrame]] = {"proteins": cache(_proteins)}
"""Tables that nothing was chosen by."""
