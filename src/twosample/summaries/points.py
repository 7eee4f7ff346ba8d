r"""The numbers of a column as weighted points that depend on the rows alone, not on how they come.

As long as a column has few different values, they are all here. Of more, each is cut towards zero to fewer binary
digits. There are two ways to do that: to b significant digits, :math:`T_b`, which keeps the middle of columns with long
tails apart, and to multiples of :math:`2^e`, :math:`L_e`, which keeps groups of values apart that lie far from zero and
from each other. The smallest e and the largest b are taken that leave no more than 65,536 different values, and of
both cuts each value gets the one that takes less of it away.

If :math:`L_e` leaves more values than that of some rows, then of all rows too, and a cut after a finer one is the
coarser cut alone. So the points of a table are those of its parts merged, bit for bit, whatever the parts and their
order; and there is nothing to plan, no bins to choose from the first rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.scatter import ascending_once, grouped
from ..core.types import Floats, Wholes
from .bins import BinnedColumn
from .grid import BinGrid

MOST = 1 << 16
"""Different values that either of the cuts may leave; fewer in tables of many columns."""

_DIGITS = 52  # of a double behind the first
_LEAST, _LARGEST = -1074, 1024  # units that change nothing, and that leave nothing
_HELD = 8  # numbers that are sorted together, for each value that may be left


@dataclass(frozen=True, eq=False)
class Points:
    """Numbers and how often they occur: never changed, only replaced."""

    values: Floats  # (n,) ascending, without NaN; infinite ones are points of their own
    counts: Wholes  # (n,) rows
    unit: int = _LEAST  # e and b: values are multiples of 2**unit, or have `bits` binary digits behind the first
    bits: int = _DIGITS
    whole: bool = True  # whether all finite numbers are whole ones
    most: int = MOST  # different values that either of the cuts may leave

    @classmethod
    def of(cls, values: Floats, counts: Wholes | None = None, most: int = MOST) -> Points:
        """``(n,)`` numbers without NaN, and how often each is there."""
        whole = bool((values[:1000] == np.floor(values[:1000])).all() and (values == np.floor(values)).all())
        return cls(*grouped(values + 0.0, counts), whole=whole, most=most)._compact()  # + 0.0: one zero only

    @classmethod
    def empty(cls, most: int = MOST) -> Points:
        """No rows."""
        return cls(np.empty(0), np.empty(0, dtype=np.int64), most=most)

    @property
    def rows(self) -> int:
        """Numbers."""
        return int(self.counts.sum())

    @property
    def exact(self) -> bool:
        """Whether no digit was cut."""
        return self.bits == _DIGITS

    def merged(self, *others: Points) -> Points:
        """The rows of all."""
        parts = [self, *others]
        unit, bits = max(part.unit for part in parts), min(part.bits for part in parts)
        values = np.concatenate([_cut(part.values, unit, bits) for part in parts])
        counts = np.concatenate([part.counts for part in parts])
        whole, most = all(part.whole for part in parts), min(part.most for part in parts)
        return Points(*grouped(values, counts), unit, bits, whole, most)._compact()

    def _compact(self) -> Points:
        """With as many digits as both cuts leave of no more than `most` values."""
        most = self.most
        if len(self.values) <= most:
            return self
        raw, places = self.values.view(np.int64), _exponents(self.values)
        spread = int(places.max()) - 16
        unit = _first((self.unit, _LARGEST), spread, lambda e: _different(_multiples(raw, places, e)) <= most)
        bits = -_first((-self.bits, 0), -16, lambda b: _different(raw & -(1 << _DIGITS + b)) <= most)
        if (unit, bits) == (self.unit, self.bits):
            return self
        return Points(*ascending_once(_cut(self.values, unit, bits), self.counts), unit, bits, self.whole, most)

    @property
    def widths(self) -> Floats:
        """``(n,)`` the digits that may have been cut from each value; the step of whole numbers is taken off."""
        if self.exact:
            return np.zeros(len(self.values))
        places = _exponents(self.values)
        kept = np.maximum(self.bits, places - self.unit)
        widths = np.where(kept < _DIGITS, np.ldexp(1.0, places - kept), 0.0)
        widths[(self.values == 0) | np.isinf(self.values)] = 0.0
        return np.maximum(widths - 1.0, 0.0) if self.whole else widths

    @property
    def middles(self) -> Floats:
        """``(n,)`` the middle of what may have been each value."""
        return np.asarray(self.values + np.copysign(self.widths / 2, self.values))

    def moments(self) -> tuple[float | None, float | None]:
        """Mean and sample standard deviation of the finite numbers; None where there are too few, or too large ones."""
        known = np.isfinite(self.values)
        counts, size = self.counts[known].astype(np.float64), int(self.counts[known].sum())
        if not size:
            return None, None
        values, widths = self.middles[known], self.widths[known]
        scale = max(float(np.abs(values).max()), 2.0**-1000)
        mean = fsum((values / scale * counts).tolist()) / size
        squares = fsum((((values / scale - mean) ** 2 + (widths / scale) ** 2 / 12) * counts).tolist())
        deviation = scale * sqrt(squares / (size - 1)) if size > 1 else None
        return scale * mean, None if deviation is None or np.isinf(deviation) else deviation

    def binned(self, grid: BinGrid, missing: int) -> BinnedColumn:
        """The rows in bins, and rows without a number."""
        size = grid.size + 2  # the first takes what is below, the last what is above
        with np.errstate(over="ignore"):
            place = np.clip(self.middles * 2.0**-grid.unit - float(grid.start - 1), 0.5, size - 0.5)
            spread = np.minimum(self.widths * 2.0**-grid.unit, 1.0) ** 2 / 12
        whole = np.floor(place)
        index, inner = whole.astype(np.intp), place - whole - 0.5
        rows = self.counts.astype(np.float64)
        sums = [rows, rows * inner, rows * (inner * inner + spread)]
        moments: Floats = np.stack([np.bincount(index, part, minlength=size) for part in sums])
        return BinnedColumn.of_floats(grid, moments[:, 1:-1], int(moments[0, 0]), int(moments[0, -1]), missing)

    def evenly(self, size: int) -> Floats:
        """``(size,)`` finite numbers, evenly from the smallest to the largest; all, if there are no more."""
        known = np.isfinite(self.values)
        ranks = np.cumsum(self.counts[known])
        total = int(ranks[-1]) if len(ranks) else 0
        wanted = (np.arange(min(size, total)) + 0.5) / max(min(size, total), 1) * total
        return np.asarray(self.middles[known][np.searchsorted(ranks, wanted, side="right")])


class PointTally:
    """Gathers :class:`Points` of numbers that come in batches.

    Parameters
    ----------
    most
        Different values that either of the cuts may leave.
    """

    def __init__(self, most: int = MOST) -> None:
        self._points = Points.empty(most)
        self._new: list[Floats] = []
        self._held = 0

    def add(self, values: Floats, counts: Wholes | None = None) -> None:
        """Take in numbers without NaN, and how often each is there."""
        if not len(values):
            return
        if counts is not None:
            self._points = self._points.merged(Points.of(values, counts, self._points.most))
            return
        self._new.append(values)
        self._held += len(values)
        if self._held >= _HELD * self._points.most:
            self._sort()

    def _sort(self) -> None:
        if self._new:
            new = np.concatenate(self._new) + 0.0
            whole = self._points.whole and bool((new[:1000] == np.floor(new[:1000])).all() and _are_whole(new))
            unit, bits, most = self._points.unit, self._points.bits, self._points.most
            part = Points(*grouped(_cut(new, unit, bits), None), unit, bits, whole, most)
            self._points = self._points.merged(part) if len(self._points.values) else part._compact()
            self._new, self._held = [], 0

    def result(self) -> Points:
        """The points of all that came."""
        self._sort()
        return self._points


def _are_whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all())


def _exponents(values: Floats) -> NDArray[np.int64]:
    """The exponent of the first digit; of numbers below 2**-1022, that of the smallest that is written in full."""
    return np.asarray(np.maximum(values.view(np.int64) >> _DIGITS & 0x7FF, 1) - 1023)


def _cut(values: Floats, unit: int, bits: int) -> Floats:
    """Numbers without the digits that both cuts take away."""
    if bits == _DIGITS or unit == _LEAST:
        return values
    raw = values.view(np.int64)
    shift = np.minimum(_DIGITS - bits, _DIGITS + unit - _exponents(values))
    np.maximum(shift, 0, out=shift)
    return np.asarray(((raw >> shift) << shift).view(np.float64))


def _multiples(raw: Wholes, places: Wholes, unit: int) -> Wholes:
    """Numbers, as they are stored and with the exponents of their first digits, cut to multiples of ``2**unit``."""
    shift = _DIGITS + unit - places
    np.maximum(shift, 0, out=shift)
    nothing = shift > _DIGITS
    shift[nothing] = 0
    found = (raw >> shift) << shift
    found[nothing] = 0
    return np.asarray(found)


def _different(values: Wholes) -> int:
    """How many different ones there are, if equal ones stand side by side."""
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _first(ends: tuple[int, int], guess: int, holds: Callable[[int], bool]) -> int:
    """The first whole number in a range for which something holds that holds for all that follow, and for the last."""
    low, high = ends
    step, tried = 1, min(max(guess, low), high)
    while low < high and not holds(tried):
        low, tried = tried + 1, min(tried + step, high)
        step *= 2
    high, step = min(tried, high), 1
    while low < high and holds(max(high - step, low)):
        high = max(high - step, low)
        step *= 2
    low = max(low, high - step + 1) if low < high else low
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
