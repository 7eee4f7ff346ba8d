"""Where else a column may differ: shares of rows in the tails, at single values, of categories, of round numbers.

Every view is an indicator. Which ones there are is decided by the pooled rows alone, never by the table that a row is
from, so that Fisher's exact test of each is valid; what so few rows can never show (Tarone 1990) is not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.shares import fisher_pvalue, least_pvalue, share_estimate, share_interval
from ..core.types import Floats
from ..embedding import Levels, Line

WEIGHTS = {"bulk": 0.5, "missing": 0.1, "tail": 0.15, "value": 0.15, "round": 0.1}
"""The parts of the level of all columns that kinds of views have; each is shared among columns, then among views."""

_TAILS = 0.005, 0.01, 0.05
_STEPS = 1000.0, 100.0, 10.0, 5.0, 1.0, 0.1
_ATOMS = 12
_FEW = 30  # different values of which each is looked at
_AROUND = 5  # neighbours on either side that a value is compared with


@dataclass(frozen=True)
class View:
    """One way to look at a column: for how many rows of either table something holds.

    Parameters
    ----------
    family
        "missing", "tail", "value" or "round".
    text
        What holds, in words that go on after "is".
    a, b
        Rows for which it holds.
    m, n
        Rows with a value, or all rows for "missing".
    label
        The category; None for others.
    holds
        Of numbers: for which of them it holds.
    """

    family: str
    text: str
    a: int
    b: int
    m: int
    n: int
    label: str | None = None
    holds: Callable[[Floats], NDArray[np.bool_]] | None = field(default=None, compare=False, repr=False)

    @property
    def shares(self) -> tuple[float, float]:
        """Of either table."""
        return self.a / self.m, self.b / self.n

    @property
    def pvalue(self) -> float:
        """Fisher's, exactly."""
        return fisher_pvalue(self.a, self.a + self.b, self.m, self.n)

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


def missing_view(rows: tuple[int, int], missing: tuple[int, int]) -> View:
    """Missing or not."""
    return View("missing", "missing", *missing, *rows)


def usable(views: Sequence[View], level: float) -> list[View]:
    """Those that so many rows could show, with as much of the level as each of them has (Tarone 1990)."""
    known = sorted(((least_pvalue(v.a + v.b, v.m, v.n), i) for i, v in enumerate(views)), key=lambda pair: pair[0])
    kept = [i for count, (least, i) in enumerate(known, 1) if least * count <= level]
    return [views[i] for i in sorted(kept)]


def tails(line: Line, number: Words) -> Iterator[View]:
    """Beyond pooled quantiles on both sides."""
    edges, x, y = _bins(line)
    if len(edges) <= _FEW:
        return
    pool, m, n = x + y, round(float(x.sum())), round(float(y.sum()))
    for order, word, beyond in (
        (slice(None), "at most", np.greater_equal),
        (slice(None, None, -1), "at least", np.less_equal),
    ):
        heap = np.cumsum(pool[order])
        seen: set[int] = set()
        for share in _TAILS:
            last = int(np.searchsorted(heap, share * heap[-1], side="right")) - 1
            if last < 0 or last in seen:
                continue
            seen.add(last)
            a, b = (round(float(part[order][: last + 1].sum())) for part in (x, y))
            edge = float(edges[order][last])
            yield View("tail", f"{word} {number(edge)}", a, b, m, n, holds=partial(beyond, edge))


def values(x: Floats, y: Floats, number: Words) -> Iterator[View]:
    """Single values that hold a noticeable share, and round numbers."""
    pooled = np.concatenate([x, y])
    found, index, counts = np.unique(pooled, return_inverse=True, return_counts=True)
    first = np.bincount(index[: len(x)], minlength=len(found))
    if len(found) > 2:
        for i in _noticeable(counts):
            value = float(found[i])
            both = int(first[i]), int(counts[i] - first[i])
            yield View("value", number(value), *both, len(x), len(y), holds=partial(np.equal, value))
    if len(found) <= 4:
        return
    known: set[int] = {0, len(pooled)}
    for step in _STEPS:
        whole = _multiples(step, found)
        total = int(counts[whole].sum())
        if total in known:
            continue
        known.add(total)
        a = int(first[whole].sum())
        text = "a whole number" if step == 1 else f"a multiple of {step:g}"
        yield View("round", text, a, total - a, len(x), len(y), holds=partial(_multiples, step))


def _multiples(step: float, numbers: Floats) -> NDArray[np.bool_]:
    """Which numbers are multiples of a step."""
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = numbers / step
        return np.asarray(np.abs(scaled - np.rint(scaled)) < 1e-9 * np.maximum(1.0, np.abs(scaled)))


def levels_views(levels: Levels) -> Iterator[View]:
    """Each category on its own; of two, one."""
    m, n = round(float(levels.x.sum())), round(float(levels.y.sum()))
    if len(levels.labels) <= 2:
        return
    for label, a, b in zip(levels.labels, levels.x.tolist(), levels.y.tolist(), strict=True):
        yield View("value", f"'{label}'", round(a), round(b), m, n, label)


def _noticeable(counts: np.ndarray[tuple[int], np.dtype[np.intp]]) -> list[int]:
    """Values that are more frequent than their neighbours, and both ends; all if there are few."""
    size = len(counts)
    if size <= _FEW:
        return list(range(size))
    sums = np.concatenate([[0], np.cumsum(counts)])
    at = np.arange(size)
    low, high = np.maximum(at - _AROUND, 0), np.minimum(at + _AROUND + 1, size)
    around = (sums[high] - sums[low] - counts) / (high - low - 1)
    sharp = np.flatnonzero(counts >= np.maximum(3 * around, 4))
    top = sharp[np.argsort(-counts[sharp], kind="stable")[:_ATOMS]].tolist()
    return sorted({*top, *(end for end in (0, size - 1) if counts[end] >= 4)})


def _bins(line: Line) -> tuple[Floats, Floats, Floats]:
    """Values and rows of either sample there; rows of one bin together."""
    if not line.blur:
        return line.values, line.x, line.y
    bins = np.floor(line.place / line.blur)
    start = np.flatnonzero(np.diff(bins, prepend=-np.inf))
    return line.values[start], np.add.reduceat(line.x, start), np.add.reduceat(line.y, start)


class Words:
    """Numbers of a column as people write them.

    Parameters
    ----------
    wide
        The width of what is shown: numbers have as many digits as tell that apart.
    kind
        The kind of the column.
    """

    def __init__(self, wide: float, kind: str) -> None:
        self.wide, self.kind = wide, kind

    def __call__(self, value: float) -> str:
        from .pictures import number_text

        if self.kind == "datetime":
            return number_text(value, self.wide, True)
        return f"{value:.0f}" if value == np.floor(value) and abs(value) < 1e15 else f"{value:.6g}"


def sentence(view: View) -> str:
    """What holds, and in how many rows of either table.

    >>> sentence(View("tail", "at least 377", 0, 100, 5000, 5000)), sentence(View("value", "'x'", 5, 9, 9, 9))
    ('at least 377 in 2.0 % of B and none of A', "'x' in all of B and 56 % of A")
    """
    from .._numbers import share

    a, b = ("none" if part == 0 else "all" if part == 1 else share(part) for part in view.shares)
    return f"{view.text} in {b} of B and {a} of A"
