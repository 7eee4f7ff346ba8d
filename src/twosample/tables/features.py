"""A few features of every column, from the pooled rows alone: what ties between columns are measured by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..adaptive.pooled import midranks, scores_of
from ..core.signs import sign_codes
from ..core.types import Floats
from ..sources import JointColumn, Kind
from ..sources.kinds import NUMBERS
from ..structured.columns import Text

if TYPE_CHECKING:
    import polars as pl

Meaning = Literal["score", "spread", "hour", "level", "hash", "length", "letters", "missing"]

TOTAL = 240  # features of all columns together, about: with more columns each has fewer, down to one
MOST = 6  # features of one column, at most

_RARE = 0.005  # levels with a smaller share of the rows are not looked at one by one
_LABELS = 20  # different numbers up to which they may be labels
_SOME = 1000  # rows that are looked at first
_DAY = 86_400.0


@dataclass(frozen=True, eq=False)
class ColumnFeatures:
    """The features of one column."""

    name: str  # the column
    kind: Kind
    values: Floats  # (N, k) features with mean 0 and variance 1 over the pooled rows
    meanings: tuple[tuple[Meaning, str | None], ...]  # what each of them is, and the level that it stands for, if any
    levels: NDArray[np.intp] | None = None
    """``(N,)`` the number of the level, the most frequent first; of categories, and of numbers if there are few."""


def column_features(series: pl.Series, column: JointColumn, columns: int) -> ColumnFeatures | None:
    """Features of a pooled column; None if it does not vary. The more columns, the fewer for each.

    Numbers: normal scores of the ranks, and their squares; dates also the time of day, as a point on a circle.
    Categories: indicators of the largest, and random signs for the others. Texts: their length, and the principal
    components of their counts of three letters. And, for all, whether the value is missing.
    """
    most = int(np.clip(TOTAL // max(columns, 1), 1, MOST))
    missing = series.is_null().to_numpy()
    if column.kind in NUMBERS:
        found = _of_numbers(series, missing, column.kind == "datetime")
    elif column.kind == "categorical":
        found = _of_levels(series, most)
    else:
        found = _of_texts(series, missing)
    if missing.any():
        found.insert(1, (missing.astype(np.float64), ("missing", None)))
    kept = [(_standardised(values), meaning) for values, meaning in found if np.ptp(values) > 0][:most]
    if not kept:
        return None
    labels = column.kind == "categorical" or (column.kind in NUMBERS and _few(series))
    levels = _ranked(series) if labels else None
    return ColumnFeatures(
        column.name, column.kind, np.column_stack([part[0] for part in kept]), tuple(part[1] for part in kept), levels
    )


Found = list[tuple[Floats, tuple[Meaning, str | None]]]


def _standardised(values: Floats) -> Floats:
    values = values - values.mean()
    return np.asarray(values / values.std())


def _of_numbers(series: pl.Series, missing: NDArray[np.bool_], dates: bool) -> Found:
    """A missing number lies in the middle."""
    present = ~missing
    numbers = series.drop_nulls().to_numpy().astype(np.float64)
    if not len(numbers) or np.ptp(numbers) == 0:
        return []
    score = np.zeros(len(series))
    score[present] = scores_of(midranks(numbers[:, None]))[:, 0]
    square = np.where(present, score**2, 1.0)
    found: Found = [(score, ("score", None)), (square, ("spread", None))]
    if dates and len(np.unique(hours := numbers % _DAY)) > 1:
        for wave in (np.cos, np.sin):
            values = np.zeros(len(series))
            values[present] = wave(2 * np.pi * hours / _DAY)
            found.insert(1, (values, ("hour", None)))
    return found


def _of_levels(series: pl.Series, most: int) -> Found:
    """The largest levels one by one; signs that do not depend on how often a level occurs for the rest."""
    counts = series.drop_nulls().value_counts(sort=True, name="rows")
    levels, rows = counts.get_column(series.name).to_list(), counts.get_column("rows").to_numpy()
    if len(levels) == 2:  # the other one says the same
        return [((series == levels[0]).fill_null(value=False).to_numpy().astype(np.float64), ("level", levels[0]))]
    large = int((rows >= _RARE * len(series)).sum())
    single = large if large <= most and large == len(levels) else min(large, max(1, most - 2))
    found: Found = [
        ((series == level).fill_null(value=False).to_numpy().astype(np.float64), ("level", level))
        for level in levels[:single]
    ]
    if single < len(levels):
        order = sorted(levels)
        signs = sign_codes([None, *order])[:, :2].astype(np.float64)
        signs[[0, *(1 + order.index(level) for level in levels[:single])]] = 0.0
        codes = series.rank("dense").fill_null(0).to_numpy().astype(np.intp)
        found.extend((part, ("hash", None)) for part in signs[codes].T)
    return found


def _few(series: pl.Series) -> bool:
    """Whether numbers may be labels; a look at some of them mostly tells that they are not."""
    return all(part.n_unique() <= _LABELS for part in (series.head(_SOME), series))


def _ranked(series: pl.Series) -> NDArray[np.intp]:
    """``(N,)`` levels as numbers from 0, the most frequent first; missing is one of them."""
    codes = series.rank("dense").fill_null(0).to_numpy().astype(np.intp)
    order = np.argsort(-np.bincount(codes), kind="stable")
    return np.asarray(np.argsort(order)[codes])


def _of_texts(series: pl.Series, missing: NDArray[np.bool_]) -> Found:
    present = ~missing
    length = np.zeros(len(series))
    letters = series.drop_nulls().str.len_chars().to_numpy().astype(np.float64)
    if len(letters) and np.ptp(letters) > 0:
        length[present] = scores_of(midranks(letters[:, None]))[:, 0]
    counts = Text().rows(series.fill_null("").to_list(), missing)[:, :-1]
    counts -= counts.mean(axis=0)
    axes = np.linalg.eigh(counts.T @ counts)[1][:, ::-1][:, :3]
    parts: Found = [(part, ("letters", None)) for part in (counts @ axes).T]
    return [(length, ("length", None)), *parts]
