"""Columns of the pooled rows, labels unseen: coordinates for the kernel on whole rows, and a few features of each.

Ties between columns are measured by features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.ranks import midranks, scores_of
from ..core.signs import sign_codes
from ..core.types import Floats
from ..sources import Kind
from ..structured.columns import Categories, Text
from ..summaries import Scale

if TYPE_CHECKING:
    import polars as pl

TOTAL = 240  # features of all columns together, about: with more columns each has fewer, down to one
MOST = 6  # features of one column, at most

_RARE = 0.005  # levels with a smaller share of the rows are not looked at one by one
_LABELS = 20  # different numbers up to which they may be labels
_SOME = 1000  # rows that are looked at first
_DAY = 86_400.0


Codes = NDArray[np.intp]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PooledColumn:
    """One column of the pooled rows as a few features."""

    name: str  # the column
    kind: Kind
    values: Floats  # (N, k) features with mean 0 and variance 1 over the pooled rows
    levels: Codes | None = None
    """``(N,)`` the number of the level, the most frequent first; of categories, and of numbers if there are few."""


def pooled_column(
    name: str, series: pl.Series, kind: Kind, scale: Scale | None, columns: int
) -> tuple[Floats, PooledColumn | None]:
    """``(N, c)`` coordinates for the kernel on rows; and features, of one of so many columns. None if it is constant.

    Coordinates are those of a record (:class:`twosample.Record`): of numbers, in units of a scale, and one for what is
    missing. The more columns, the fewer features of each. Numbers: normal scores of the ranks, and their squares;
    dates also the time of day, as a point on a circle. Categories: indicators of the largest, and random signs for the
    others. Texts: their length, and the principal components of their counts of three letters. And, for all, whether
    the value is missing.
    """
    most = int(np.clip(TOTAL // max(columns, 1), 1, MOST))
    missing = np.asarray(series.is_null().to_numpy())
    levels: Codes | None = None
    if scale is not None:
        values = scale.inside(series.fill_null(scale.centre).to_numpy())
        coordinates = np.stack([(values - scale.centre) / scale.width, missing.astype(np.float64)], axis=1)
        found = _of_numbers(series, kind, missing)
        if _few(series):
            levels = _ranked(_codes(series))
    elif kind == "text":
        coordinates = Text().rows(series.fill_null("").to_list(), missing)
        found = _of_texts(series, coordinates, missing)
    else:
        codes = _codes(series)
        coordinates, found, levels = Categories().rows(codes, missing), _of_levels(series, codes, most), _ranked(codes)
    if missing.any():
        found.insert(1, missing.astype(np.float64))
    kept = [_standardised(values) for values in found if np.ptp(values) > 0][:most]
    return coordinates, PooledColumn(name, kind, np.column_stack(kept), levels) if kept else None


def _codes(series: pl.Series) -> Codes:
    """``(N,)`` the number of each value among the different ones in their order, from 1; 0 where it is missing."""
    return np.asarray(series.rank("dense").fill_null(0).to_numpy().astype(np.intp))


def _standardised(values: Floats) -> Floats:
    values = values - values.mean()
    return np.asarray(values / values.std())


def _of_numbers(series: pl.Series, kind: Kind, missing: Flags) -> list[Floats]:
    """A missing number lies in the middle."""
    present = ~missing
    numbers = series.drop_nulls().to_numpy().astype(np.float64)
    if not len(numbers) or np.ptp(numbers) == 0:
        return []
    score = np.zeros(len(present))
    score[present] = scores_of(midranks(numbers[:, None]))[:, 0]
    square = np.where(present, score**2, 1.0)
    found = [score, square]
    if kind == "datetime" and len(np.unique(hours := numbers % _DAY)) > 1:
        for wave in (np.cos, np.sin):
            values = np.zeros(len(present))
            values[present] = wave(2 * np.pi * hours / _DAY)
            found.insert(1, values)
    return found


def _of_levels(series: pl.Series, codes: Codes, most: int) -> list[Floats]:
    """The largest levels one by one; signs that do not depend on how often a level occurs for the rest."""
    counts = series.drop_nulls().value_counts(sort=True, name="rows")
    levels, rows = counts.get_column(series.name).to_list(), counts.get_column("rows").to_numpy()
    if len(levels) == 2:  # the other one says the same
        return [_indicator(series, levels[0])]
    large = int((rows >= _RARE * len(series)).sum())
    single = large if large <= most and large == len(levels) else min(large, max(1, most - 2))
    found = [_indicator(series, level) for level in levels[:single]]
    if single < len(levels):
        order = sorted(levels)
        signs = sign_codes([None, *order])[:, :2].astype(np.float64)
        signs[[0, *(1 + order.index(level) for level in levels[:single])]] = 0.0
        found.extend(signs[codes].T)
    return found


def _indicator(series: pl.Series, level: str) -> Floats:
    """``(N,)`` 1 for the rows of a level."""
    return np.asarray((series == level).fill_null(value=False).to_numpy(), dtype=np.float64)


def _few(series: pl.Series) -> bool:
    """Whether numbers may be labels; a look at some of them mostly tells that they are not."""
    return all(part.n_unique() <= _LABELS for part in (series.head(_SOME), series))


def _ranked(codes: Codes) -> Codes:
    """``(N,)`` levels as numbers from 0, the most frequent first; missing is one of them."""
    order = np.argsort(-np.bincount(codes), kind="stable")
    return np.asarray(np.argsort(order)[codes])


def _of_texts(series: pl.Series, coordinates: Floats, missing: Flags) -> list[Floats]:
    """Coordinates are counts of three letters in a row, as the kernel of texts compares them; missing is the last."""
    present = ~missing
    length = np.zeros(len(present))
    letters = series.drop_nulls().str.len_chars().to_numpy().astype(np.float64)
    if len(letters) and np.ptp(letters) > 0:
        length[present] = scores_of(midranks(letters[:, None]))[:, 0]
    counts = (coordinates - coordinates.mean(axis=0))[:, :-1]
    axes = np.linalg.eigh(counts.T @ counts)[1][:, ::-1][:, :3]
    return [length, *(counts @ axes).T]
