"""Where else a column may differ: shares of rows for which something holds, such as a category, a tail, a single value.

Every view is an indicator. Which ones there are is decided by the pooled rows alone, never by the table that a row is
from, so that Fisher's exact test of each is valid; what so few rows can never show (Tarone 1990) is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..core.shares import (
    beyond_pvalue,
    fisher_chance,
    fisher_pvalue,
    least_pvalue,
    share_estimate,
    share_interval,
)
from ..core.types import Floats
from ..embedding import Levels
from .parts import Place
from .sentences import told

WEIGHTS = {
    "bulk": 0.35, "finer": 0.1, "missing": 0.1, "odd": 0.07, "far": 0.05, "tail": 0.1, "value": 0.1, "range": 0.05,
    "round": 0.05, "seldom": 0.05, "letters": 0.05, "length": 0.05, "clock": 0.05, "calendar": 0.02,
}  # fmt: skip
"""The parts of the level of all columns that kinds of views have; each is shared among columns, then among views."""

PLAIN = "value", "clock", "calendar", "length", "far", "odd", "range", "letters", "tail", "round", "seldom"
"""Kinds of views, those first that are easiest to say."""

FEW = 30  # different values of which each is looked at

Flags = NDArray[np.bool_]
Holds = Callable[[Floats], Flags]


@dataclass(frozen=True)
class View:
    """One way to look at a column: for how many rows of either table something holds."""

    family: str  # one of `WEIGHTS`
    text: str  # what holds, in words that go on after "is"
    a: int  # rows for which it holds, of the first table
    b: int  # and of the second
    m: int  # rows with a value, or all rows for "missing"
    n: int  # the same of the second
    label: str | None = None  # the category
    holds: Holds | None = field(default=None, compare=False, repr=False)  # of numbers: for which of them it holds
    among: str = "values"  # what the rows of m and n have: "numbers", where there are words among these

    @property
    def shares(self) -> tuple[float, float]:
        """Of either table."""
        return self.a / self.m, self.b / self.n

    def told(self, tables: tuple[str, str] = ("A", "B")) -> Place:
        """What holds, and in how many rows of either table.

        >>> View("tail", "at least 377", 0, 100, 5000, 5000).told().text, View("value", "'x'", 5, 9, 9, 9).told().text
        ('at least 377 in none of A and in 2.0 % of B', "'x' in 56 % of A and in all of B")
        """
        return told(self.text, *self.shares, tables, label=self.label)

    @property
    def pvalue(self) -> float:
        """Fisher's, exactly."""
        return fisher_pvalue(self.a, self.a + self.b, self.m, self.n)

    def chance(self, level: float) -> float:
        """Of a p-value of at most `level`, if the tables are alike."""
        return fisher_chance(level, self.a + self.b, self.m, self.n)

    @property
    def effect(self) -> float:
        """The estimate of r."""
        return float(share_estimate(*self._arrays())[0])

    def interval(self, tail: float) -> tuple[float, float]:
        """Of r, leaving out `tail` on either side."""
        low, high = share_interval(*self._arrays(), tail)
        return float(low[0]), float(high[0])

    def _arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        p, q = self.shares
        return np.array([p]), np.array([q]), np.array([float(self.m)]), np.array([float(self.n)])


@dataclass(frozen=True)
class RangeView(View):
    """Rows beyond the range of the other table: its test is the law of the largest ranks, exact without ties.

    Where the range ends is known from one table only, so that Fisher's test would not hold.
    """

    @property
    def pvalue(self) -> float:
        """The chance that so many of the largest rows are all from one table."""
        return beyond_pvalue(max(self.a, self.b), self.m, self.n)

    def chance(self, level: float) -> float:
        """No more than that."""
        return level


@dataclass(frozen=True)
class GapView(RangeView):
    """The longest stretch of one table between two rows of the other, as where days were dropped.

    Where it lies is known from the labels, so that it has an effect only where it is longer than chance.
    """

    rare: float = 1.0  # the chance that there is one so long, anywhere

    @property
    def pvalue(self) -> float:
        """That chance."""
        return self.rare


def intervals(views: Sequence[View], tail: float) -> list[tuple[float, float]]:
    """The intervals of many views, each leaving out `tail` on either side."""
    if not views:
        return []
    p, q, m, n = np.array([(*view.shares, view.m, view.n) for view in views], dtype=np.float64).T
    low, high = share_interval(p, q, m, n, tail)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def missing_view(rows: tuple[int, int], missing: tuple[int, int]) -> View:
    """Missing or not."""
    return View("missing", "missing", *missing, *rows)


def usable(views: Sequence[View], level: float) -> list[View]:
    """Those that so many rows could show, with as much of the level as each of them has (Tarone 1990)."""
    least = (0.0 if isinstance(v, RangeView) else least_pvalue(v.a + v.b, v.m, v.n) for v in views)
    known = sorted(((p, i) for i, p in enumerate(least)), key=lambda pair: pair[0])
    kept = [i for count, (least, i) in enumerate(known, 1) if least * count <= level]
    return [views[i] for i in sorted(kept)]


def levels_views(levels: Levels) -> Iterator[View]:
    """Each category on its own; of two, the rarer one."""
    m, n = round(float(levels.x.sum())), round(float(levels.y.sum()))
    each = list(zip(levels.labels, levels.x.tolist(), levels.y.tolist(), strict=True))
    for label, a, b in each if len(each) > 2 else each[1:]:
        yield View("value", f"'{label}'", round(a), round(b), m, n, label)
