"""What is known of all pairs of columns of two tables by their values: costs C_ij, and values in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .columns import Column, TableSample
from .lines import Inner, inner_products, rounded, without_diagonal
from .points import ColumnPoints, Mask, Places, different
from .words import pieces, products, shares

SCALES = (1.0, 4.0, 1 / 32)
"""The kernel of a column of numbers is the mean of Gaussians at these multiples of its median distance: one for the
bulk, one for long tails, one for values that repeat."""

_OFTEN = 50  # pairs of columns that share a value, from which on dense matrices are faster
_CHUNK = 4096
_VALUES = 1_000_000  # of all columns together that are looked at, and at least so many of each:
_LEAST = 1000


@dataclass(frozen=True, eq=False)
class Costs:
    """What is known of all pairs; infinite where columns cannot be compared."""

    total: Floats
    """``(s, t)`` squared effect sizes with the mean of the kernels of both columns; without bias, so they may be
    negative. Categories and text: squared MMD over the sum of the squared norms."""
    mmd: Floats
    """``(s, t)`` MMD_b with one Gaussian for each column: the mean of the two, so that neither table comes first."""
    common: Floats  # (s, t) the share of different values that both columns have; 0 where they cannot be compared
    noise: Floats  # (s, t) 1/m + 1/n for the values that are there

    @classmethod
    def of(cls, left: TableSample, right: TableSample) -> Costs:
        """All pairs, by blocks of columns that can be compared."""
        m, n = (np.array([max(column.present, 1) for column in side.columns]) for side in (left, right))
        noise = 1 / m[:, None] + 1 / n
        costs = cls(np.full(noise.shape, np.inf), np.full(noise.shape, np.inf), np.zeros(noise.shape), noise)
        costs._put_numbers(left, right)
        costs._put_texts(left, right)
        costs._put_categories(left, right)
        return costs

    def part(self, rows: slice, columns: slice) -> Costs:
        """Some of the pairs."""
        return Costs(*(values[rows, columns] for values in (self.total, self.mmd, self.common, self.noise)))

    def _put_numbers(self, left: TableSample, right: TableSample) -> None:
        """Numbers with numbers, dates with dates, and so on."""
        i, j = left.measured, right.measured
        if not len(i) or not len(j):
            return
        first, second = ([side.columns[k] for k in at] for side, at in ((left, i), (right, j)))
        x, y = ([column.points for column in side] for side in (first, second))
        m, n = (np.array([one.rows for one in side]) for side in (x, y))
        ours, theirs = _at_scales(x, y), _at_scales(y, x)
        parts = [(inner.unbiased(m, n), within(inner, m, n)) for inner in ours]
        parts += [(inner.unbiased(n, m).T, within(inner, n, m).T) for inner in theirs]
        squared, inside = (np.mean([part[k] for part in parts], axis=0) for k in range(2))
        mmd = np.sqrt((ours[0].biased + theirs[0].biased.T) / 2)
        same = np.array([[one.family == two.family for two in second] for one in first])
        self._put(i, j, same, squared_effect(squared, 1 - inside), mmd, in_common(first, second, labels=False))

    def _put_categories(self, left: TableSample, right: TableSample) -> None:
        """Categories with categories, and with whole numbers of which there are few."""
        ours, theirs = left.of("category"), right.of("category")
        rows, columns = (
            np.array([k for k, one in enumerate(side.columns) if one.labels and one.family in allowed], dtype=np.intp)
            for side, allowed in ((left, _labelled(theirs)), (right, _labelled(ours)))
        )
        if not (len(ours) or len(theirs)) or not len(rows) or not len(columns):
            return
        first, second = [left.columns[k] for k in rows], [right.columns[k] for k in columns]
        table = shares([*first, *second])
        inner = products(table[: len(first)], table[len(first) :])
        one, two = np.isin(rows, ours)[:, None], np.isin(columns, theirs)[None, :]
        allowed = (one & two) | ((one | two) & (inner.cross > 0))  # numbers are categories if they are spelled alike
        m, n = (np.array([column.present for column in side]) for side in (first, second))
        self._put_words(rows, columns, allowed, inner, (m, n), in_common(first, second, labels=True))

    def _put_texts(self, left: TableSample, right: TableSample) -> None:
        """Text with text and with categories."""
        rows, columns = (side.of("category", "text") for side in (left, right))
        if not len(rows) or not len(columns) or not (len(left.of("text")) or len(right.of("text"))):
            return
        first, second = [left.columns[k] for k in rows], [right.columns[k] for k in columns]
        table, count = pieces([*first, *second])
        s = len(first)
        every = np.ones((s, len(second)), dtype=bool)
        inner = products(table[:s], table[s:])
        self._put_words(rows, columns, every, inner, (count[:s], count[s:]), in_common(first, second, labels=True))

    def _put_words(
        self, rows: Places, columns: Places, allowed: Mask, inner: Inner, sizes: tuple[Places, Places], common: Floats
    ) -> None:
        """Costs in units of the norms of both: 0 for the same, 1 for strangers."""
        m, n = sizes
        unit = np.maximum(without_diagonal(inner.own, m), 1 / m)[:, None] + np.maximum(
            without_diagonal(inner.other, n[None, :]), 1 / n
        )
        self._put(rows, columns, allowed, inner.unbiased(m, n) / unit, np.sqrt(inner.biased / unit), common)

    def _put(self, rows: Places, columns: Places, allowed: Mask, total: Floats, mmd: Floats, common: Floats) -> None:
        """Put a block of pairs in its place, those that are allowed."""
        at = np.ix_(rows, columns)
        for matrix, block in ((self.total, total), (self.mmd, mmd), (self.common, common)):
            matrix[at] = np.where(allowed, block, matrix[at])


def squared_effect(squared: Floats, spread: Floats) -> Floats:
    """r² of an MMD² at this spread, as in :func:`twosample.embedding.alternative.effect_of`, but below 0 if it is."""
    between = squared / 4
    whole = spread + np.maximum(between, 0.0)
    return np.divide(between, whole, out=np.zeros(between.shape), where=whole > 1e-12)


def within(inner: Inner, m: Places, n: Places) -> Floats:
    """``(s, t)`` the mean kernel value of two rows of one column, over both columns."""
    return (without_diagonal(inner.own, m)[:, None] + without_diagonal(inner.other, n[None, :])) / 2


def _at_scales(x: Sequence[ColumnPoints], y: Sequence[ColumnPoints]) -> list[Inner]:
    """Mean kernel values with each Gaussian of the columns of x."""
    width = rounded(np.array([one.scale for one in x]))
    every = inner_products([*x] * len(SCALES), y, np.concatenate([scale * width for scale in SCALES]))
    return [every.take(slice(k * len(x), (k + 1) * len(x))) for k in range(len(SCALES))]


def _labelled(categories: Places) -> tuple[str, ...]:
    """Families of columns that have labels to be compared with those of the categories of the other table."""
    return ("category", "number") if len(categories) else ("category",)


def in_common(sources: Sequence[Column], targets: Sequence[Column], *, labels: bool) -> Floats:
    """``(s, t)`` how many different numbers (or labels) two columns share, over how many they have; 0 for empty ones.

    O(values) space and, for each value, as much time as there are pairs of columns that share it. Of very many columns
    evenly spaced rows are looked at.
    """
    s, t, columns = len(sources), len(targets), [*sources, *targets]
    rows = max(_VALUES // max(s + t, 1), _LEAST)
    values = [_hashes(column, rows) if labels else column.numbers[column.seen(rows)] for column in columns]
    known, codes = np.unique(np.concatenate(values), return_inverse=True)
    places = different(np.repeat(np.arange(s + t) * len(known), [len(one) for one in values]) + codes)
    column, codes = np.divmod(places, max(len(known), 1))  # each value once for each column
    both, sizes = _shared(codes, column, s, t), np.bincount(column, minlength=s + t)
    union = sizes[:s, None] + sizes[None, s:] - both
    return np.asarray(np.divide(both, union, out=np.zeros(both.shape), where=union > 0))


def _hashes(column: Column, rows: int) -> NDArray[np.int64]:
    """Of the labels in so many rows: 64 bits each, in small letters, without blanks around them."""
    labels = column.labels
    return np.array([hash(labels[k].strip().casefold()) for k in column.seen(rows).tolist()], dtype=np.int64)


def _shared(codes: Places, column: Places, s: int, t: int) -> Floats:
    """``(s, t)`` how many codes two columns share."""
    from scipy.sparse import csr_array

    left = column < s
    width = int(codes.max()) + 1 if len(codes) else 1
    pairs = np.bincount(codes[left], minlength=width) * np.bincount(codes[~left], minlength=width)
    place = np.cumsum(pairs >= _OFTEN) - 1
    often = np.flatnonzero(pairs[codes] >= _OFTEN)
    both = np.zeros((s, t))
    for begin in range(0, int(place[-1]) + 1, _CHUNK):
        at = place[codes[often]] - begin
        here = (at >= 0) & (at < _CHUNK)
        dense = np.zeros((s + t, _CHUNK), dtype=np.float32)
        dense[column[often[here]], at[here]] = 1.0
        both += dense[:s] @ dense[s:].T
    rare = np.flatnonzero((pairs[codes] > 0) & (pairs[codes] < _OFTEN))
    table = csr_array((np.ones(len(rare)), (column[rare], codes[rare])), shape=(s + t, width))
    return np.asarray(both + (table[:s] @ table[s:].T).toarray())
