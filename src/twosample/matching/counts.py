r"""How often values of two columns occur together, in either of two tables, and how unlike these counts are.

For a column x, another c, and rows of two tables A and B,

.. math:: G(c \mid x) = 2 \sum_{x, c} \Bigl(n^A_{xc} \log\frac{n^A_{xc}}{n^A_{x}}
          + n^B_{xc} \log\frac{n^B_{xc}}{n^B_{x}} - n_{xc} \log\frac{n_{xc}}{n_{x}}\Bigr)

is the likelihood ratio statistic of 'c given x has the same shares in both' (n without a letter counts the rows of
both). If it has, G is about its degrees of freedom: one for each level of c but one, for each level of x that both
tables have. Values are levels, the most frequent ones and the rest, or bins at quantiles of all columns that
are compared, so that what is compared is counted in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..core.types import Floats
from .columns import Column, Side
from .points import Places

NUMBERS, WORDS, OTHERS = 12, 50, 4
"""Bins of columns of numbers and levels of columns of words that are compared, and either of those beside them."""
_ROWS = 5_000  # that are looked at


class Misfit(NamedTuple):
    """How unlike two tables of counts are."""

    G: Floats
    freedom: Floats  # its degrees of freedom


def misfit(A: Floats, B: Floats) -> Misfit:
    """G of counts ``(..., x, c)`` of two tables, summed over x."""
    both = A + B
    shared = (A.sum(axis=-1) > 0) & (B.sum(axis=-1) > 0)
    freedom = (((both > 0).sum(axis=-1) - 1) * shared).sum(axis=-1)
    return Misfit(2 * (_likelihood(A) + _likelihood(B) - _likelihood(both)).sum(axis=-1), freedom.astype(np.float64))


def _likelihood(counts: Floats) -> Floats:
    return np.asarray(_xlogx(counts).sum(axis=-1) - _xlogx(counts.sum(axis=-1)))


def _xlogx(x: Floats) -> Floats:
    return np.asarray(x * np.log(np.maximum(x, 1.0)))


@dataclass(frozen=True, eq=False)
class Coded:
    """Columns of two tables as levels that mean the same in all of them."""

    left: Places  # (columns, rows) levels
    right: Places
    levels: int

    def counts(self, others: Coded, i: int, j: int) -> tuple[Floats, Floats]:
        """``(others, x, c)`` how often levels of column i, and j, occur with those of other columns."""
        return _counts(self.left[i], self.levels, others.left, others.levels), _counts(
            self.right[j], self.levels, others.right, others.levels
        )

    def together(self, i: Sequence[int], j: Sequence[int]) -> tuple[Floats, Floats]:
        """``(1, x)`` how often levels of some columns on the left, and of as many on the right, occur together."""
        radix = self.levels ** np.arange(len(i))
        width = self.levels ** len(i)
        left, right = (
            _counts(np.zeros(codes.shape[1], dtype=np.intp), 1, radix[None] @ codes[list(chosen)], width)[0]
            for codes, chosen in ((self.left, i), (self.right, j))
        )
        return left, right


def _counts(one: Places, levels: int, others: Places, width: int) -> Floats:
    many = len(others)
    at = (np.arange(many)[:, None] * levels + one) * width + others
    return np.bincount(at.ravel(), minlength=many * levels * width).reshape(many, levels, width).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _CountedColumn:
    """The different values of a column, in order, and which one each row has; -1 for none."""

    values: Floats
    words: tuple[str, ...]  # the same values as words, if they are
    codes: Places

    @classmethod
    def of(cls, column: Column, at: Places) -> _CountedColumn:
        given = column.ordered()[at]
        there = np.isfinite(given)
        codes = np.full(len(at), -1, dtype=np.intp)
        values, codes[there] = np.unique(given[there], return_inverse=True)
        known = sorted(set(column.words))
        return cls(values, tuple(known[int(value)] for value in values) if known else (), codes)

    @cached_property
    def often(self) -> Places:
        """``(values,)`` how many rows have each."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @cached_property
    def spelled(self) -> tuple[str, ...]:
        """The values as words."""
        return self.words or tuple(f"{value:g}" for value in self.values)

    def coded(self, levels: Places, missing: int) -> Places:
        """``(rows,)`` the level of each row, given that of each value."""
        return np.append(levels, missing)[self.codes]


class Tables:
    """The columns of two tables, to be counted together."""

    def __init__(self, left: Side, right: Side) -> None:
        self.sides = (left, right)
        self.at = tuple(np.linspace(0, side.rows - 1, min(side.rows, _ROWS)).astype(np.intp) for side in self.sides)
        self.known: dict[tuple[int, int], _CountedColumn] = {}
        self.pairs: dict[tuple[int, int], Coded] = {}

    def known_by_level(self, pair: tuple[int, int]) -> bool:
        """Whether values of both columns repeat, as those of text need not."""
        return not any(side.columns[k].family in ("text", "none") for side, k in zip(self.sides, pair, strict=True))

    def coded(self, lefts: Sequence[int], rights: Sequence[int], numbers: int, words: int) -> Coded:
        """Some columns of either table, by one vocabulary: so many bins of numbers, or levels of words."""
        factors = [self._factor(0, i) for i in lefts] + [self._factor(1, j) for j in rights]
        if any(factor.words for factor in factors):
            levels, count = _frequent(factors, words)
        else:
            levels, count = _bins(factors, numbers)
        codes = [factor.coded(level, count) for factor, level in zip(factors, levels, strict=True)]
        return Coded(np.array(codes[: len(lefts)]), np.array(codes[len(lefts) :]), count + 1)

    def beside(self, pairs: Sequence[tuple[int, int]]) -> Coded:
        """Pairs of columns, each by a vocabulary of its own, in few levels."""
        for i, j in pairs:
            if (i, j) not in self.pairs:
                self.pairs[i, j] = self.coded([i], [j], OTHERS, OTHERS)
        each = [self.pairs[pair] for pair in pairs]
        left, right = (
            np.concatenate([getattr(one, side) for one in each]) if each else np.empty((0, len(at)), dtype=np.intp)
            for side, at in zip(("left", "right"), self.at, strict=True)
        )
        return Coded(left, right, max((one.levels for one in each), default=1))

    def _factor(self, side: int, column: int) -> _CountedColumn:
        if (side, column) not in self.known:
            self.known[side, column] = _CountedColumn.of(self.sides[side].columns[column], self.at[side])
        return self.known[side, column]


def _bins(factors: Sequence[_CountedColumn], count: int) -> tuple[list[Places], int]:
    """The bin of each value, cut at quantiles of all; a value that fills more than one has its own."""
    pool = np.sort(np.concatenate([np.repeat(factor.values, factor.often) for factor in factors]))
    if not len(pool):
        return [np.empty(0, dtype=np.intp) for _ in factors], 0
    ends = pool[np.arange(1, count) * len(pool) // count]
    again = ends[1:][ends[1:] == ends[:-1]]
    cuts = np.unique([*ends, *np.nextafter(again, np.inf)])
    return [np.searchsorted(cuts, factor.values, "right") for factor in factors], len(cuts) + 1


def _frequent(factors: Sequence[_CountedColumn], count: int) -> tuple[list[Places], int]:
    """The level of each value: the most frequent ones, and one for the rest."""
    often: Counter[str] = Counter()
    for factor in factors:
        for word, rows in zip(factor.spelled, factor.often.tolist(), strict=True):
            often[word] += rows
    chosen = sorted(often, key=lambda word: (-often[word], word))[: count - 1]
    level = {word: k for k, word in enumerate(chosen)}
    rest = len(chosen)
    return [np.array([level.get(word, rest) for word in f.spelled], dtype=np.intp) for f in factors], rest + 1
