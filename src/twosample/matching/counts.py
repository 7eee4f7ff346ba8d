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
from typing import NamedTuple

import numpy as np

from ..core.types import Floats
from .columns import Column, TableSample
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


class JointCounts:
    """The columns of two tables, to be counted together."""

    def __init__(self, left: TableSample, right: TableSample) -> None:
        self.sides = (left, right)
        self.at = tuple(np.linspace(0, side.rows - 1, min(side.rows, _ROWS)).astype(np.intp) for side in self.sides)
        self.pairs: dict[tuple[int, int], Coded] = {}

    def known_by_level(self, pair: tuple[int, int]) -> bool:
        """Whether values of both columns repeat, as those of text need not."""
        return not any(side.columns[k].family in ("text", "none") for side, k in zip(self.sides, pair, strict=True))

    def coded(self, lefts: Sequence[int], rights: Sequence[int], numbers: int, words: int) -> Coded:
        """Some columns of either table, by one vocabulary: so many bins of numbers, or levels of words."""
        chosen = [(side.columns[k], at) for side, at, places in zip(self.sides, self.at, (lefts, rights), strict=True)
                  for k in places]  # fmt: skip
        columns, codes = [column for column, _ in chosen], [column.codes[at] for column, at in chosen]
        counts = [
            np.bincount(own[own >= 0], minlength=len(column.counts)) for column, own in zip(columns, codes, strict=True)
        ]
        if any(column.words for column in columns):
            levels, count = _frequent(columns, counts, words)
        else:
            levels, count = _bins(columns, counts, numbers)
        found = [np.append(level, count)[own] for level, own in zip(levels, codes, strict=True)]
        return Coded(np.array(found[: len(lefts)]), np.array(found[len(lefts) :]), count + 1)

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


def _bins(columns: Sequence[Column], counts: Sequence[Places], most: int) -> tuple[list[Places], int]:
    """The bin of each value, cut at quantiles of all; a value that fills more than one has its own."""
    pool = np.sort(
        np.concatenate([np.repeat(column.numbers, rows) for column, rows in zip(columns, counts, strict=True)])
    )
    if not len(pool):
        return [np.empty(0, dtype=np.intp) for _ in columns], 0
    ends = pool[np.arange(1, most) * len(pool) // most]
    again = ends[1:][ends[1:] == ends[:-1]]
    cuts = np.unique([*ends, *np.nextafter(again, np.inf)])
    return [np.searchsorted(cuts, column.numbers, "right") for column in columns], len(cuts) + 1


def _frequent(columns: Sequence[Column], counts: Sequence[Places], most: int) -> tuple[list[Places], int]:
    """The level of each value: the most frequent ones, and one for the rest."""
    spelled = [column.words or tuple(f"{value:g}" for value in column.numbers) for column in columns]
    often: Counter[str] = Counter()
    for words, rows in zip(spelled, counts, strict=True):
        for word, count in zip(words, rows.tolist(), strict=True):
            often[word] += count
    chosen = sorted(often, key=lambda word: (-often[word], word))[: most - 1]
    level = {word: k for k, word in enumerate(chosen)}
    rest = len(chosen)
    return [np.array([level.get(word, rest) for word in words], dtype=np.intp) for words in spelled], rest + 1
