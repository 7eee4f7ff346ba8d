"""Views of single values where rows are many, and most of them not at hand: from what was counted on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from ..core.types import Floats
from ..embedding import Line
from ..summaries import SingleValues
from ..summaries.singles import STEPS, TIMES, bucket_of, multiple
from .ends import Words
from .views import Flags, Heap, View, end_views, heap_views

_ATOMS = 12
_SHARE = 1 / 1024  # of the rows of both tables that a single value must hold to be looked at


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
    yield from _round(x, y, steps)


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


def _round(x: SingleValues, y: SingleValues, steps: Mapping[float, str]) -> Iterator[View]:
    order = TIMES if x.dates else STEPS
    if x.dates != y.dates or set(order) != set(steps):  # numbers that are said to be dates
        return
    known: set[int] = {0, x.rows + y.rows}
    for place, step in enumerate(order):
        a, b = int(x.classes[place]), int(y.classes[place])
        if a + b not in known:
            known.add(a + b)
            yield View("round", steps[step], a, b, x.rows, y.rows, holds=partial(_multiples, step))


def _multiples(step: float, numbers: Floats) -> Flags:
    return multiple(numbers, step)


def _in(bucket: int, numbers: Floats) -> Flags:
    return np.asarray(bucket_of(numbers) == bucket)
