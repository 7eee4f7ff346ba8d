"""Columns of the pooled rows, labels unseen: coordinates for the kernel on whole rows, and a few features of each.

Ties between columns are measured by features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ..adaptive.pooled import midranks, scores_of
from ..core.signs import sign_codes
from ..core.types import Floats
from ..sources import Kind
from ..sources.kinds import NUMBERS
from ..structured.columns import Categories, Number, Text
from ..summaries import Scale

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


Found = list[tuple[Floats, tuple[Meaning, str | None]]]


@dataclass(frozen=True, eq=False)
class PooledColumn:
    """One column of the pooled rows. What coordinates and features both look at is made once."""

    name: str
    kind: Kind
    series: pl.Series  # (N,) doubles or text, missing as null

    @cached_property
    def missing(self) -> NDArray[np.bool_]:
        """``(N,)`` which rows have no value."""
        return np.asarray(self.series.is_null().to_numpy())

    @cached_property
    def codes(self) -> NDArray[np.intp]:
        """``(N,)`` the number of each value among the different ones in their order, from 1; 0 where it is missing."""
        return np.asarray(self.series.rank("dense").fill_null(0).to_numpy().astype(np.intp))

    @cached_property
    def letters(self) -> Floats:
        """``(N, 129)`` counts of three letters in a row, as the kernel of texts compares them; missing is the last."""
        return Text().rows(self.series.fill_null("").to_list(), self.missing)

    def coordinates(self, scale: Scale | None) -> Floats:
        """``(N, c)`` coordinates for the kernel on rows; numbers are measured by a scale."""
        if scale is not None:
            values = scale.inside(self.series.fill_null(scale.centre).to_numpy())
            return Number(scale.width, scale.centre).rows(values, self.missing)
        return self.letters if self.kind == "text" else Categories().rows(self.codes, self.missing)

    def features(self, columns: int) -> ColumnFeatures | None:
        """Features, of so many columns; None if it does not vary. The more columns, the fewer for each.

        Numbers: normal scores of the ranks, and their squares; dates also the time of day, as a point on a circle.
        Categories: indicators of the largest, and random signs for the others. Texts: their length, and the principal
        components of their counts of three letters. And, for all, whether the value is missing.
        """
        most, numeric = int(np.clip(TOTAL // max(columns, 1), 1, MOST)), self.kind in NUMBERS
        found = _of_numbers(self) if numeric else _of_texts(self) if self.kind == "text" else _of_levels(self, most)
        if self.missing.any():
            found.insert(1, (self.missing.astype(np.float64), ("missing", None)))
        kept = [(_standardised(values), meaning) for values, meaning in found if np.ptp(values) > 0][:most]
        if not kept:
            return None
        labels = self.kind == "categorical" or (numeric and _few(self.series))
        values, meanings = np.column_stack([part[0] for part in kept]), tuple(part[1] for part in kept)
        return ColumnFeatures(self.name, self.kind, values, meanings, _ranked(self.codes) if labels else None)


def _standardised(values: Floats) -> Floats:
    values = values - values.mean()
    return np.asarray(values / values.std())


def _of_numbers(column: PooledColumn) -> Found:
    """A missing number lies in the middle."""
    present = ~column.missing
    numbers = column.series.drop_nulls().to_numpy().astype(np.float64)
    if not len(numbers) or np.ptp(numbers) == 0:
        return []
    score = np.zeros(len(present))
    score[present] = scores_of(midranks(numbers[:, None]))[:, 0]
    square = np.where(present, score**2, 1.0)
    found: Found = [(score, ("score", None)), (square, ("spread", None))]
    if column.kind == "datetime" and len(np.unique(hours := numbers % _DAY)) > 1:
        for wave in (np.cos, np.sin):
            values = np.zeros(len(present))
            values[present] = wave(2 * np.pi * hours / _DAY)
            found.insert(1, (values, ("hour", None)))
    return found


def _of_levels(column: PooledColumn, most: int) -> Found:
    """The largest levels one by one; signs that do not depend on how often a level occurs for the rest."""
    series = column.series
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
        found.extend((part, ("hash", None)) for part in signs[column.codes].T)
    return found


def _few(series: pl.Series) -> bool:
    """Whether numbers may be labels; a look at some of them mostly tells that they are not."""
    return all(part.n_unique() <= _LABELS for part in (series.head(_SOME), series))


def _ranked(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """``(N,)`` levels as numbers from 0, the most frequent first; missing is one of them."""
    order = np.argsort(-np.bincount(codes), kind="stable")
    return np.asarray(np.argsort(order)[codes])


def _of_texts(column: PooledColumn) -> Found:
    present = ~column.missing
    length = np.zeros(len(present))
    letters = column.series.drop_nulls().str.len_chars().to_numpy().astype(np.float64)
    if len(letters) and np.ptp(letters) > 0:
        length[present] = scores_of(midranks(letters[:, None]))[:, 0]
    counts = (column.letters - column.letters.mean(axis=0))[:, :-1]
    axes = np.linalg.eigh(counts.T @ counts)[1][:, ::-1][:, :3]
    parts: Found = [(part, ("letters", None)) for part in (counts @ axes).T]
    return [(length, ("length", None)), *parts]
