"""Two parts of one real table, drawn at random: from the data beside the repository, where they are.

The public problems are those of the lab that proposed the design. `DEVELOPMENT` was looked at while choosing views and
weights. `HELD_OUT` was not: only its sizes were set, by the power of the peers. No pair of classes is in both. (The
problems `singh_*` and `fingers_1400` were held out until they showed that directions were shrunk too much in very many
columns.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl

from benchmarks.power.synthetic import Generator, Problem, Sample
from experiments.data import CNUM, FOREST, directory

FLIGHTS = ["sched_dep_time", "dep_delay", "arr_delay", "air_time", "distance"]
ELEC2 = ["period", "nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]
BIO = [f"f{i:02d}" for i in range(1, 75)]

Halves = Callable[[], tuple[Sample, Sample]]


@cache
def _table(name: str) -> pl.DataFrame:
    place = directory()
    assert place is not None
    return pl.read_parquet(place / name)


@cache
def _arrays(name: str) -> dict[str, np.ndarray]:
    place = directory()
    assert place is not None
    with np.load(place / name, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}


def split(table: str, columns: list[str], first: pl.Expr, second: pl.Expr) -> Halves:
    """The rows of a table that satisfy either condition."""

    def halves() -> tuple[Sample, Sample]:
        rows = _table(table).drop_nulls(columns)
        return tuple(rows.filter(part).select(columns).to_numpy().astype(float) for part in (first, second))  # type: ignore[return-value]

    return halves


def genes(study: str, first: str, second: str, columns: int | None = None) -> Halves:
    """Two classes of a microarray study; of all genes, or of every k-th so that there are about so many."""

    def halves() -> tuple[Sample, Sample]:
        stored = _arrays(f"microarray/{study}.npz")
        X = stored["X"].astype(float)
        X = X if columns is None else X[:, :: X.shape[1] // columns]
        return X[stored["y"] == first], X[stored["y"] == second]

    return halves


def digits(first: list[int], second: list[int], size: int = 28) -> Halves:
    """Images of some digits against images of others, averaged down to size x size."""

    def halves() -> tuple[Sample, Sample]:
        stored = _arrays("mnist/mnist_5k.npz")
        images = stored["X"].reshape(len(stored["X"]), size, 28 // size, size, 28 // size).mean(axis=(2, 4))
        images = images.reshape(len(images), -1)
        return images[np.isin(stored["y"], first)], images[np.isin(stored["y"], second)]

    return halves


def mixed_digits(size: int, rows: int) -> Problem:
    """Images against images into which a little of another image of the same digit was mixed, as a generator might."""

    def draw(rng: Generator) -> tuple[Sample, Sample]:
        images = np.array_split(digits(list(range(10)), [], size)()[0], 10)  # sorted by digit in the file
        which = rng.integers(10, size=(2, rows))
        x, y = (np.array([images[k][rng.integers(len(images[k]))] for k in one]) for one in which)
        other = np.array([images[k][rng.integers(len(images[k]))] for k in which[1]])
        return x, 0.85 * y + 0.15 * other

    return draw


def fingers(summary: Callable[[np.ndarray], np.ndarray]) -> Halves:
    """Left against right hand, in what the summary makes of 28 channels of 50 samples."""

    def halves() -> tuple[Sample, Sample]:
        stored = _arrays("neural/finger_movements.npz")
        X = summary(stored["X"].astype(float)).reshape(len(stored["X"]), -1)
        return X[stored["y"] == "left"], X[stored["y"] == "right"]

    return halves


def drawn(halves: Halves, m: int, n: int) -> Problem:
    """m and n rows of the two halves without replacement."""
    kept = cache(halves)

    def draw(rng: Generator) -> tuple[Sample, Sample]:
        x, y = kept()
        return x[rng.choice(len(x), m, replace=False)], y[rng.choice(len(y), n, replace=False)]

    return draw


_FOREST, _CENSUS = "forest_covtype/covtype.parquet", "cnum_census_income/census_income_full.parquet"
_FLIGHTS, _ELEC2 = "drift/nycflights13_flights.parquet", "drift/elec2.parquet"
_BIO = "bio_kddcup04/bio_train_sample.parquet"
_type, _area, _soil = pl.col("Cover_Type"), pl.col("Wilderness_Area"), pl.col("Soil_Type")
_origin, _carrier, _when = pl.col("origin").cast(str), pl.col("carrier").cast(str), pl.col("time_hour")
_sex, _race, _income = (pl.col(name).cast(str) for name in ("sex", "race", "income"))
_marriage, _school = pl.col("marital_stat").cast(str), pl.col("education").cast(str)
_census = [name for name in CNUM if name not in ("year",)]
_all = list(range(10))

PUBLIC_REAL: dict[str, Problem] = {
    "forest10d": drawn(split(_FOREST, FOREST, _type == 1, _type == 2), 30, 30),
    "forest_2v7": drawn(split(_FOREST, FOREST, _type == 2, _type == 7), 10, 20),
    "cnum_sex": drawn(split(_CENSUS, CNUM, _sex == "Male", _sex == "Female"), 60, 60),
    "digits7_mixed": mixed_digits(7, 150),
    "digits28_mixed": mixed_digits(28, 100),
    "mnist7": drawn(digits(_all, [0, 1, 2, 3, 5, 7, 9], 7), 150, 150),
    "mnist28": drawn(digits(_all, [0, 1, 2, 3, 5, 7, 9]), 100, 100),
    "flights60": drawn(split(_FLIGHTS, FLIGHTS, _origin == "EWR", _origin == "LGA"), 60, 60),
    "elec2_15": drawn(split(_ELEC2, ELEC2, pl.col("up") == 1, pl.col("up") == 0), 15, 15),
}

DEVELOPMENT: dict[str, Problem] = {
    "singh_12600": drawn(genes("singh", "Tumor", "Normal"), 8, 8),
    "singh_4200": drawn(genes("singh", "Tumor", "Normal", 4200), 6, 8),
    "singh_2100": drawn(genes("singh", "Tumor", "Normal", 2100), 7, 7),
    "fingers_1400": drawn(fingers(lambda X: X), 60, 60),
    "west_7129": drawn(genes("west", "positive", "negative"), 18, 18),
    "west_2000": drawn(genes("west", "positive", "negative", 2000), 16, 16),
    "sorlie_2v5": drawn(genes("sorlie", "2", "5"), 4, 5),
    "bio_6": drawn(split(_BIO, BIO, pl.col("target") == 1, pl.col("target") == 0), 6, 6),
    "forest_3v6_15": drawn(split(_FOREST, FOREST, _type == 3, _type == 6), 15, 15),
    "forest_5v2_12": drawn(split(_FOREST, FOREST, _type == 5, _type == 2), 12, 12),
    "cnum_income_8": drawn(split(_CENSUS, _census, _income == "-50000", _income != "-50000"), 8, 8),
    "cnum_race_80": drawn(split(_CENSUS, _census, _race == "White", _race == "Black"), 80, 80),
    "flights_summer_40": drawn(split(_FLIGHTS, FLIGHTS, _when.dt.month() == 2, _when.dt.month() == 7), 40, 40),
    "elec2_night_12": drawn(split(_ELEC2, ELEC2[1:], pl.col("period") < 0.1, pl.col("period") > 0.9), 12, 12),
    "mnist_3v5_7": drawn(digits([3], [5]), 7, 7),
    "fingers_28": drawn(fingers(lambda X: X[:, :, -10:].mean(axis=2)), 25, 25),
}

HELD_OUT: dict[str, Problem] = {
    "sorlie_3v4": drawn(genes("sorlie", "3", "4"), 4, 5),
    "sorlie_5v4": drawn(genes("sorlie", "5", "4"), 6, 6),
    "mnist_7v9_6": drawn(digits([7], [9]), 6, 7),
    "sorlie_1v4": drawn(genes("sorlie", "1", "4"), 4, 4),
    "bio_blocks_60": drawn(split(_BIO, BIO, pl.col("block_id") < 100, pl.col("block_id") > 200), 60, 60),
    "forest_4v6_12": drawn(split(_FOREST, FOREST, _type == 4, _type == 6), 12, 12),
    "forest_area_15": drawn(
        split(_FOREST, FOREST[1:], (_type == 1) & (_area == 1), (_type == 1) & (_area == 3)), 15, 15
    ),
    "forest_soil_15": drawn(split(_FOREST, FOREST, (_type == 2) & (_soil == 29), (_type == 2) & (_soil == 12)), 15, 15),
    "cnum_married_15": drawn(split(_CENSUS, _census[1:], _marriage == "Divorced", _marriage == "Widowed"), 15, 15),
    "cnum_school_60": drawn(
        split(_CENSUS, _census, _school == "High school graduate", _school == "Some college but no degree"), 60, 60
    ),
    "flights_carriers_12": drawn(split(_FLIGHTS, FLIGHTS, _carrier == "B6", _carrier == "US"), 12, 12),
    "flights_jfk_100": drawn(split(_FLIGHTS, FLIGHTS[:3], _origin == "JFK", _origin == "EWR"), 100, 100),
    "elec2_weekend_15": drawn(
        split(
            _ELEC2,
            ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"],
            pl.col("timestamp").dt.weekday() < 6,
            pl.col("timestamp").dt.weekday() >= 6,
        ),
        15,
        15,
    ),
    "mnist_4v9_8": drawn(digits([4], [9]), 8, 8),
    "mnist14_all_150": drawn(digits(_all, [0, 1, 2, 3, 4, 5, 7, 8], 14), 150, 150),
    "fingers_slopes": drawn(fingers(lambda X: X[:, :, -5:].mean(axis=2) - X[:, :, :20].mean(axis=2)), 30, 30),
}
