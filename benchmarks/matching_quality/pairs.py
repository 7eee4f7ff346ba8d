"""Pairs of tables with the truth about their columns, in families.

Published pairs; one schema in two periods, regions or classes; random halves of one table. In "part" a third of the
columns is taken from either side, so that some have no partner. The columns of the second table are shuffled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import polars.selectors as cs

ROWS = 3000  # of each side of a drifted table, at most
ASIDE = ("wikidata", "flights", "forest", "breast", "iris", "halves 2")
"""Families that no choice of `match` looked at."""
SPLITTING = ("year", "sex", "income", "target", "origin", "carrier", "Wilderness_Area")
"""Columns that say only from which table a row is; those of quantities, such as dates, stay."""


@dataclass(frozen=True, eq=False)
class TablePair:
    """Two tables, and which columns belong together."""

    family: str
    name: str
    a: pl.DataFrame
    b: pl.DataFrame
    truth: frozenset[tuple[str, str]]

    def half_hidden(self) -> TablePair:
        """The pair with names that say nothing for half of the columns of the second table."""
        rng = np.random.default_rng(_seed(self.family, self.name, "hidden"))
        hidden = rng.choice(self.b.columns, self.b.width // 2, replace=False).tolist()
        new = {name: f"zq{rng.integers(10**6):06d}" for name in hidden}
        truth = frozenset((one, new.get(two, two)) for one, two in self.truth)
        return replace(self, b=self.b.rename(new), truth=truth)


def all_pairs(data: Path) -> Iterator[TablePair]:
    """Every pair, family by family."""
    yield from _published(data / "schema_matching")
    for family, name, a, b in _drifted(data):
        for part in (False, True):
            yield _one_schema(family, f"{name}, part" if part else name, a, b, part)


def _seed(*words: str) -> list[int]:
    return [ord(letter) for letter in " ".join(words)]


def _one_schema(family: str, name: str, a: pl.DataFrame, b: pl.DataFrame, part: bool) -> TablePair:
    """Rows and columns drawn; the names are the truth."""
    rng = np.random.default_rng(_seed(family, name))
    a, b = (side[rng.permutation(len(side))[:ROWS]] for side in (a, b))
    left, right = list(a.columns), rng.permutation(b.columns).tolist()
    if part:
        keep = [round(len(side) * 2 / 3) for side in (left, right)]
        left = [n for n in left if n in set(rng.choice(left, keep[0], replace=False))]
        right = right[: keep[1]]
    truth = frozenset((n, n) for n in left if n in right)
    return TablePair(family, name, a.select(left), b.select(right), truth)


def _published(folder: Path) -> Iterator[TablePair]:
    tables, truth = pl.read_csv(folder / "tables.csv"), pl.read_csv(folder / "ground_truth.csv")
    for dataset, scenario in tables.select("dataset", "scenario").unique(maintain_order=True).rows():
        family = dataset.removeprefix("Valentine-").lower()
        here = tables.filter(pl.col("scenario") == scenario)
        a, b = (pl.read_parquet(folder / here.filter(pl.col("side") == s)["file"][0]) for s in ("source", "target"))
        pairs = truth.filter(pl.col("scenario") == scenario).select("source_column", "target_column").rows()
        order = np.random.default_rng(_seed(family, scenario)).permutation(b.columns).tolist()
        yield TablePair(family, scenario, a, b.select(order), frozenset(pairs))


def _drifted(data: Path) -> Iterator[tuple[str, str, pl.DataFrame, pl.DataFrame]]:
    for family, table, splits in _tables(data):
        for name, (one, two) in splits.items():
            gone = [n for n in one.meta.root_names() if n in SPLITTING]
            yield family, name, table.filter(one).drop(gone), table.filter(two).drop(gone)
    halved = {
        "halves 1": ("elec2", "census", "wine", "diabetes"),
        "halves 2": ("flights", "forest", "breast", "iris"),
    }
    known = {family: table for family, table, _ in _tables(data)}
    for family, names in halved.items():
        for name in names:
            rows = known[name].with_row_index("row_").sample(fraction=1, shuffle=True, seed=3).drop("row_")
            middle = len(rows) // 2
            yield family, name, rows[:middle], rows[middle:]


Splits = dict[str, tuple[pl.Expr, pl.Expr]]


@cache
def _tables(data: Path) -> tuple[tuple[str, pl.DataFrame, Splits], ...]:
    c = pl.col
    elec2 = pl.read_parquet(data / "drift/elec2.parquet").drop("repeated_day")
    census = pl.read_parquet(data / "cnum_census_income/census_income_full.parquet").drop("split")
    census = census.with_columns((cs.categorical() | cs.enum()).cast(pl.String))
    flights = pl.read_parquet(data / "drift/nycflights13_flights.parquet")
    forest = pl.read_parquet(data / "forest_covtype/covtype.parquet")
    return (
        ("elec2", elec2, {
            "1996 and 1998": (c("timestamp").dt.year() == 1996, c("timestamp").dt.year() == 1998),
            "summer and winter": (
                c("timestamp").dt.month().is_in([12, 1, 2]), c("timestamp").dt.month().is_in([6, 7, 8]),
            ),
            "night and day": (c("period") < 0.3, c("period") > 0.4),
        }),
        ("census", census, {
            "1994 and 1995": (c("year") == 94, c("year") == 95),
            "women and men": (c("sex") == "Female", c("sex") == "Male"),
            "poor and rich": (c("income") == "-50000", c("income") != "-50000"),
            "young and old": (c("age").is_between(18, 35), c("age") > 50),
        }),
        ("wine", _learning("load_wine"), _classes("target", 0, 1, 2)),
        ("diabetes", _learning("load_diabetes"), {
            "sex": (c("sex") == 1, c("sex") == 2),
            "ill and well": (c("target") > 200, c("target") < 100),
        }),
        ("flights", flights, {
            "January and July": (c("time_hour").dt.month() == 1, c("time_hour").dt.month() == 7),
            "JFK and LGA": (c("origin") == "JFK", c("origin") == "LGA"),
            "two carriers": (c("carrier") == "UA", c("carrier") == "B6"),
        }),
        ("forest", forest, {
            "areas 1 and 2": (c("Wilderness_Area") == 1, c("Wilderness_Area") == 2),
            "areas 1 and 3": (c("Wilderness_Area") == 1, c("Wilderness_Area") == 3),
            "areas 3 and 4": (c("Wilderness_Area") == 3, c("Wilderness_Area") == 4),
        }),
        ("breast", _learning("load_breast_cancer"), _classes("target", 0, 1)),
        ("iris", _learning("load_iris"), _classes("target", 0, 1, 2)),
    )  # fmt: skip


def _classes(name: str, *values: int) -> Splits:
    return {f"{name} {p} and {q}": (pl.col(name) == p, pl.col(name) == q) for p in values for q in values if p < q}


def _learning(name: str) -> pl.DataFrame:
    """A table of scikit-learn."""
    from sklearn import datasets

    found = getattr(datasets, name)(**({"scaled": False} if name == "load_diabetes" else {}))
    return pl.DataFrame(found.data, schema=[str(n) for n in found.feature_names]).with_columns(
        pl.Series("target", np.asarray(found.target))
    )
