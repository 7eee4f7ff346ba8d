"""The ways to match that are compared; each takes two tables and gives pairs of names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment
from scipy.stats import ks_2samp

import twosample as ts
from twosample.matching.names import name_similarity

Pairs = set[tuple[str, str]]
Way = Callable[[pl.DataFrame, pl.DataFrame], Pairs]


def by_content(a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    return {(pair.source, pair.target) for pair in ts.match(a, b).pairs}


def with_names(a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    return {(pair.source, pair.target) for pair in ts.match(a, b, use_names=True).pairs}


def names_alone(a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    return _kept(a, b, name_similarity(a.columns, b.columns))


def distance(a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    """Kolmogorov and Smirnov's distance of numbers, total variation of everything else, below a half."""
    return _kept(a, b, 1 - _distances(a, b))


def distance_with_names(a: pl.DataFrame, b: pl.DataFrame) -> Pairs:
    return _kept(a, b, 1 - _distances(a, b) + name_similarity(a.columns, b.columns))


def _kept(a: pl.DataFrame, b: pl.DataFrame, gain: np.ndarray) -> Pairs:
    rows, columns = linear_sum_assignment(-gain)
    return {(a.columns[i], b.columns[j]) for i, j in zip(rows, columns, strict=True) if gain[i, j] > 0.5}


def _distances(a: pl.DataFrame, b: pl.DataFrame) -> np.ndarray:
    sides = [[_values(side[name]) for name in side.columns] for side in (a, b)]
    return np.array([[_distance(x, y) for y in sides[1]] for x in sides[0]])


def _values(column: pl.Series) -> np.ndarray | Counter[str]:
    """Numbers and dates as numbers, everything else as counts."""
    column = column.drop_nulls()
    if not (column.dtype.is_numeric() or column.dtype.is_temporal() or column.dtype == pl.Boolean):
        column = column.cast(pl.String)
        numbers = column.cast(pl.Float64, strict=False)
        if not len(column) or numbers.null_count() > 0.05 * len(column):
            return Counter(column.to_list())
        column = numbers.drop_nulls()
    return np.asarray(column.cast(pl.Int64 if column.dtype.is_temporal() else pl.Float64).to_numpy(), dtype=float)


def _distance(x: np.ndarray | Counter[str], y: np.ndarray | Counter[str]) -> float:
    if isinstance(x, Counter) and isinstance(y, Counter):
        m, n = max(x.total(), 1), max(y.total(), 1)
        return 0.5 * sum(abs(x[value] / m - y[value] / n) for value in x.keys() | y.keys())
    if isinstance(x, Counter) or isinstance(y, Counter) or not len(x) or not len(y):
        return 1.0
    return float(ks_2samp(x, y, method="asymp").statistic)


CONTENT: dict[str, Way] = {"match": by_content, "KS or total variation < .5, Hungarian": distance}
NAMES: dict[str, Way] = {
    "match": with_names,
    "KS or total variation and names, Hungarian": distance_with_names,
    "names alone": names_alone,
}
