"""Where else a column may differ: shares of rows in the tails, at single values, of categories, of round numbers.

Every view is an indicator. Which ones there are is decided by the pooled rows alone, never by the table that a row is
from, so that Fisher's exact test of each is valid; what so few rows can never show (Tarone 1990) is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..core.shares import (
    beyond_pvalue,
    fisher_chance,
    fisher_pvalue,
    gap_pvalue,
    least_pvalue,
    share_estimate,
    share_interval,
)
from ..core.types import Floats
from ..embedding import Levels, Line
from ..summaries import SingleValues
from ..summaries.singles import multiple
from .ends import Words
from .parts import Place

WEIGHTS = {
    "bulk": 0.35, "finer": 0.1, "missing": 0.1, "odd": 0.07, "far": 0.05, "tail": 0.1, "value": 0.1, "range": 0.05,
    "round": 0.05, "seldom": 0.05, "letters": 0.05, "length": 0.05, "clock": 0.05, "calendar": 0.02,
}  # fmt: skip
"""The parts of the level of all columns that kinds of views have; each is shared among columns, then among views."""

PLAIN = "value", "clock", "calendar", "length", "far", "odd", "range", "letters", "tail", "round", "seldom"
"""Kinds of views, those first that are easiest to say."""

_STEPPED = 10  # steps of a round number over which values must reach for it to be looked at

STEPS: Mapping[float, str] = {
    **{step: f"a multiple of {step:g}" for step in (1000.0, 100.0, 10.0, 5.0)},
    1.0: "a whole number",
    **{step: f"a multiple of {step:g}" for step in (0.5, 0.1, 0.01)},
}
"""Round numbers."""

_TAILS = 0.005, 0.01, 0.05
_FAR = 2.0  # of the distance between the 5 % quantiles: what lies so far beyond them is odd
_ATOMS = 12
FEW = 30  # different values of which each is looked at

_AROUND = 5  # neighbours on either side that a value is compared with
_SHARP = 3.0  # standard deviations by which it is more frequent than these

Counts = NDArray[np.intp]
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


def values(x: Floats, y: Floats, number: Words, steps: Mapping[float, str] = STEPS) -> Iterator[View]:
    """Single values that hold a noticeable share, far ones, those beyond the other table, seldom and round ones."""
    return heap_views(Heap.of(SingleValues.of(x), SingleValues.of(y)), number, steps)


def heap_views(heap: Heap, number: Words, steps: Mapping[float, str], seldom: bool = True) -> Iterator[View]:
    """The same of values with their counts; values that occur seldom if the rows are those of the tables."""
    found, counts = heap.found, heap.counts
    chosen = noticeable(counts) if len(found) > 2 else [int(np.argmin(counts))] if len(found) == 2 else []
    for i in chosen:
        yield heap.view(
            "value", number.alone(float(found[i]), found[max(i - 1, 0) : i + 2]), partial(np.equal, float(found[i]))
        )
    yield from end_views(heap, number)
    if len(found) > 4:
        yield from _round(heap, steps, seldom)


def end_views(heap: Heap, number: Words) -> Iterator[View]:
    """Both ends: beyond pooled quantiles, far from nearly all others, and beyond the other table."""
    if len(heap.found) > FEW:
        yield from _tails(heap, number)
        yield from _far(heap, number)
        yield from _beyond(heap, number)
        yield from _gaps(heap, number)


@dataclass(frozen=True, eq=False)
class Heap:
    """Different values, or bins, ascending, with the rows of the first table and of both."""

    found: Floats
    first: Counts
    counts: Counts
    low: Floats  # the first and the last number of each bin; where values are known, they themselves
    high: Floats

    @classmethod
    def of(cls, x: SingleValues, y: SingleValues) -> Heap:
        """Of two tables, of which every value is known."""
        found, index = np.unique(np.concatenate([x.values, y.values]), return_inverse=True)
        first, counts = np.zeros((2, len(found)), dtype=np.intp)
        np.add.at(first, index[: len(x.values)], x.counts)
        np.add.at(counts, index, np.concatenate([x.counts, y.counts]))
        return cls(found, first, counts, found, found)

    @classmethod
    def of_bins(cls, line: Line) -> Heap:
        """Of bins, each as if its rows had one value."""
        low, high, x, y = line.bins
        found, x, y = (low + high) / 2, np.rint(x), np.rint(y)
        return cls(found, x.astype(np.intp), (x + y).astype(np.intp), low, high)

    def up_to(self, at: int, number: Words) -> str:
        """All up to one of them, and no other, in words."""
        return number.most(float(self.high[at]), float(self.low[at + 1]) if at + 1 < len(self.low) else inf)

    def since(self, at: int, number: Words) -> str:
        """All from one of them on, and no other, in words."""
        return number.least(float(self.low[at]), float(self.high[at - 1]) if at else -inf)

    def view(self, family: str, text: str, holds: Holds) -> View:
        """For so many rows of either table."""
        m, here = int(self.first.sum()), holds(self.found)
        a, both = int(self.first[here].sum()), int(self.counts[here].sum())
        return View(family, text, a, both - a, m, int(self.counts.sum()) - m, holds=holds)

    def quantile(self, share: float) -> float:
        """Of all rows."""
        sums = np.cumsum(self.counts)
        return float(self.found[np.searchsorted(sums, share * sums[-1])])


def _tails(heap: Heap, number: Words) -> Iterator[View]:
    """Beyond pooled quantiles on both sides."""
    size = len(heap.found)
    for low in (True, False):
        rows = np.cumsum(heap.counts if low else heap.counts[::-1])
        inner = {int(np.searchsorted(rows, share * rows[-1], side="right")) - 1 for share in _TAILS} - {-1}
        for last in sorted(inner):
            first = size - 1 - last
            if low:
                yield heap.view("tail", heap.up_to(last, number), partial(np.greater_equal, heap.high[last]))
            else:
                yield heap.view("tail", heap.since(first, number), partial(np.less_equal, heap.low[first]))


def _far(heap: Heap, number: Words) -> Iterator[View]:
    """Values far from nearly all others, on both sides."""
    low, high = heap.quantile(0.05), heap.quantile(0.95)
    with np.errstate(over="ignore"):
        far = _FAR * (high - low)
    small, large = partial(np.greater, low - far), partial(np.less, high + far)
    last, first = int(np.sum(small(heap.found))) - 1, len(heap.found) - int(np.sum(large(heap.found)))
    if last >= 0:
        yield heap.view("far", f"{heap.up_to(last, number)}, far from nearly all others,", small)
    if first < len(heap.found):
        yield heap.view("far", f"{heap.since(first, number)}, far from nearly all others,", large)


def _beyond(heap: Heap, number: Words) -> Iterator[View]:
    """Rows beyond the last one of the other table, on both sides."""
    sides = heap.first, heap.counts - heap.first
    m, n = (int(part.sum()) for part in sides)
    for words, order in ((heap.up_to, 1), (heap.since, -1)):
        x, y = (part[::order] for part in sides)
        ends = [int(np.flatnonzero(part)[0]) for part in (x, y)]
        a, b = int(x[: ends[1]].sum()), int(y[: ends[0]].sum())
        last = max(max(ends) - 1, 0)
        yield RangeView("range", words(last if order > 0 else len(x) - 1 - last, number), a, b, m, n)


def _gaps(heap: Heap, number: Words) -> Iterator[View]:
    """The longest stretch of either table that has no row of the other, between two rows of it."""
    sides = heap.first, heap.counts - heap.first
    m, n = (int(part.sum()) for part in sides)
    for own, other in (sides, sides[::-1]):
        ends = np.flatnonzero(other)
        if len(ends) < 2:
            continue
        before = np.cumsum(own)
        rows = before[ends[1:] - 1] - before[ends[:-1]]
        longest = int(np.argmax(rows))
        a, b = (int(rows[longest]), 0) if own is sides[0] else (0, int(rows[longest]))
        if a + b:
            first, last = int(ends[longest]) + 1, int(ends[longest + 1]) - 1
            text = f"{heap.since(first, number)} and {heap.up_to(last, number)}"
            if first == last and heap.low[first] == heap.high[first]:
                text = number.alone(float(heap.low[first]), heap.found[first - 1 : first + 2])
            rare = gap_pvalue(a + b, *((m, n) if a else (n, m)), heap.counts)
            yield GapView("range", text, a, b, m, n, rare=rare)


def _round(heap: Heap, steps: Mapping[float, str], seldom: bool) -> Iterator[View]:
    """Round numbers, and values that occur seldom: rounding makes fewer of them."""
    usual = _usual(heap.counts)
    often = f"a value that occurs less than {usual} times"
    reach = float(heap.found[-1] / _STEPPED - heap.found[0] / _STEPPED)  # over less, round numbers are single values
    views = [heap.view("round", text, partial(_multiples, step)) for step, text in steps.items() if step <= reach]
    if seldom:
        views.append(heap.view("seldom", "a value that occurs once", partial(_among, heap.found[heap.counts == 1])))
        views.append(heap.view("seldom", often, partial(_among, heap.found[heap.counts < usual])))
    known: set[int] = {0, int(heap.counts.sum())}
    for view in views:
        if view.a + view.b not in known:
            known.add(view.a + view.b)
            yield view


def _multiples(step: float, numbers: Floats) -> Flags:
    """Which numbers are multiples of a step."""
    return multiple(numbers, step)


def _among(known: Floats, numbers: Floats) -> Flags:
    """Which numbers are among those known, which are in ascending order."""
    if not len(known):
        return np.zeros(len(numbers), dtype=bool)
    at = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return np.asarray(known[at] == numbers)


def _usual(counts: Counts) -> int:
    """How often the value of a middle row occurs."""
    order = np.sort(counts)
    sums = np.cumsum(order)
    return int(order[np.searchsorted(sums, sums[-1] / 2)])


def levels_views(levels: Levels) -> Iterator[View]:
    """Each category on its own; of two, the rarer one."""
    m, n = round(float(levels.x.sum())), round(float(levels.y.sum()))
    each = list(zip(levels.labels, levels.x.tolist(), levels.y.tolist(), strict=True))
    for label, a, b in each if len(each) > 2 else each[1:]:
        yield View("value", f"'{label}'", round(a), round(b), m, n, label)


def noticeable(counts: Counts | Floats, most: int = _ATOMS) -> list[int]:
    """Values that are more frequent than their neighbours, and both ends; all if there are few."""
    size = len(counts)
    if size <= FEW:
        return list(range(size))
    sums = np.concatenate([[0], np.cumsum(counts)])
    at = np.arange(size)
    low, high = np.maximum(at - _AROUND, 0), np.minimum(at + _AROUND + 1, size)
    around = (sums[high] - sums[low] - counts) / (high - low - 1)
    above = (counts - around) / np.sqrt(np.maximum(around, 1.0))  # in the standard deviations of a count
    sharp = np.flatnonzero((above >= _SHARP) & (counts >= 4))
    top = sharp[np.argsort(-above[sharp], kind="stable")[:most]].tolist()
    return sorted({*top, *(end for end in (0, size - 1) if counts[end] >= 4)})


def sentence(view: View, tables: tuple[str, str] = ("A", "B")) -> str:
    """What holds, and in how many rows of either table.

    >>> sentence(View("tail", "at least 377", 0, 100, 5000, 5000)), sentence(View("value", "'x'", 5, 9, 9, 9))
    ('at least 377 in none of A and in 2.0 % of B', "'x' in 56 % of A and in all of B")
    """
    return Place.told(view.text, *view.shares, tables).text


def values_of(tables: tuple[str, str], missing: tuple[int, int], among: str = "values") -> tuple[str, str]:
    """What the values of a column are called in sentences: as its tables, if none is missing and all are looked at.

    >>> values_of(("A", "B"), (0, 0)), values_of(("A", "B"), (0, 7))
    (('A', 'B'), ('the values of A', 'those of B'))
    """
    some = any(missing) or among != "values"
    return (f"the {among} of {tables[0]}", f"those of {tables[1]}") if some else tables
