"""Shares of rows that a column of numbers is looked at by: single values, ends, gaps, round numbers and seldom ones.

Of rows that are at hand, or counted one by one, every value is known; of more, bins say where rows lie, and hashes
which values many rows share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..core.shares import gap_pvalue
from ..core.types import Floats
from ..embedding import Line
from ..summaries import SingleValues
from ..summaries.singles import STEPS as ROUND_NUMBERS
from ..summaries.singles import TIMES, bucket_of, multiple
from .sentences import Words
from .views import FEW, Flags, GapView, Holds, RangeView, View

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

_AROUND = 5  # neighbours on either side that a value is compared with
_SHARP = 3.0  # standard deviations by which it is more frequent than these
_SHARE = 1 / 1024  # of the rows of both tables that a single value must hold to be looked at, where hashes tell

Counts = NDArray[np.intp]


def counted_views(
    x: SingleValues, y: SingleValues, line: Line, number: Words, steps: Mapping[float, str], kept: Floats | None
) -> Iterator[View]:
    """Single values that hold a noticeable share, far ones, those beyond the other table, and round ones.

    Values were counted one by one if neither table has more than 4096 of them, and else by their hashes: of so many,
    those are looked at that hold 1/1024 of the rows of both tables, and each takes along about 1/8192 of the others.
    Rows at hand, `kept`, tell then what a value with a certain hash is. None means that all rows are, and only then
    values that occur seldom are looked at: a table that is sampled may be compared with one that holds the same rows.
    `steps` are round numbers, and what to call them.
    """
    if kept is None or (x.exact and y.exact):
        yield from heap_views(Heap.of(x, y), number, steps, seldom=kept is None)
        return
    yield from _single(x.hashed(), y.hashed(), number, kept)
    yield from end_views(Heap.of_bins(line), number)
    yield from _round_counted(x, y, steps)


def _single(x: SingleValues, y: SingleValues, number: Words, kept: Floats) -> Iterator[View]:
    """The values that most rows have, the most frequent ones, and both ends."""
    assert x.buckets is not None
    assert y.buckets is not None
    m, n, pool = x.rows, y.rows, x.buckets + y.buckets
    often = np.flatnonzero(pool >= max(_SHARE * (m + n), 4))
    top = often[np.argsort(-pool[often], kind="stable")[:_ATOMS]]
    at = bucket_of(kept)
    for bucket in np.sort(top).tolist():
        found, rows = np.unique(kept[at == bucket], return_counts=True)
        text = number(float(found[np.argmax(rows)])) if len(found) else "a value that is not among the rows at hand"
        yield View("value", text, int(x.buckets[bucket]), int(y.buckets[bucket]), m, n, holds=partial(_in, bucket))
    for last in (0, -1):
        ends = [float(part.values[last]) for part in (x, y)]
        end = min(ends) if last == 0 else max(ends)
        a, b = (int(part.counts[last]) if part.values[last] == end else 0 for part in (x, y))
        if a + b >= 4 and int(bucket_of(np.array([end]))[0]) not in top:
            yield View("value", number(end), a, b, m, n, holds=partial(np.equal, end))


def _round_counted(x: SingleValues, y: SingleValues, steps: Mapping[float, str]) -> Iterator[View]:
    """Round numbers, from how many rows are multiples of each step."""
    order = TIMES if x.dates else ROUND_NUMBERS
    if x.dates != y.dates or set(order) != set(steps):  # numbers that are said to be dates
        return
    known: set[int] = {0, x.rows + y.rows}
    for place, step in enumerate(order):
        a, b = int(x.classes[place]), int(y.classes[place])
        if a + b not in known:
            known.add(a + b)
            yield View("round", steps[step], a, b, x.rows, y.rows, holds=partial(_multiples, step))


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


def _in(bucket: int, numbers: Floats) -> Flags:
    """Which numbers have a certain hash."""
    return np.asarray(bucket_of(numbers) == bucket)
