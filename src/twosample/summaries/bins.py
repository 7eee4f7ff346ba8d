r"""One column of numbers in equal bins: how many rows, their sum and their sum of squares in each.

Bins are :math:`2^e` wide and start at whole multiples of that, so the bins of different summaries nest: any two can be
brought to common bins. Within a bin a row is measured by its distance u from the centre, in bin widths, and sums of u
and u² are kept as whole multiples of :math:`2^{-30}`. Whole numbers add up to the same whatever their order: merging is
exact, commutative and associative, on one machine or on many.

The characteristic function of the column follows from the three moments to about 1e-12 at every frequency below that
of a bin, and with it the MMD for every smooth kernel and its null distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .grid import MOST_BINS, BinGrid

Integers = NDArray[Any]  # int64, or Python's own integers where those would overflow
STEP_BITS = 30
"""Sums are whole multiples of 2**-30 of a bin (for u²: of a squared bin)."""

UNITS = np.array([1.0, 2.0**STEP_BITS, 2.0**STEP_BITS])
"""What counts and sums of u and u² are multiplied by to become whole numbers."""

_SAFE = 1 << 62
ONE_VALUE = 2.0**-14  # of a bin: its values are one if they spread by less, see `bin_cells`

Cells = tuple[Floats, Floats, Floats, Floats, Floats]
"""Of bins: place, rows, variance, skew (third moment over variance), kurtosis (fourth over squared variance)."""


@dataclass(frozen=True, eq=False)
class BinnedColumn:
    """The moments of one column in bins: never changed, only replaced."""

    grid: BinGrid  # the bins
    sums: Integers
    """``(3, size)`` whole numbers for each bin: rows; sums of u in units of ``2**(quantum - 30)``; sums of u² in units
    of ``2**(2 * quantum - 30)``, where u is the distance from the centre of the bin."""
    quantum: int
    """The exponent of the narrowest bins that the rows were ever in: that of the grid, or less after coarsening."""
    below: int = 0  # rows below the first and above the last bin, infinite ones included
    above: int = 0
    missing: int = 0  # rows without a number
    cut: tuple[int, int] | None = None
    """``(low, high)``: the bins, counted from the first, outside of which rows are counted as `below` and `above`;
    None: all bins take rows."""

    @classmethod
    def empty(cls, grid: BinGrid) -> BinnedColumn:
        """Bins without rows."""
        return cls(grid, np.zeros((3, grid.size), dtype=np.int64), grid.unit)

    @classmethod
    def of_floats(
        cls, grid: BinGrid, moments: Floats, below: int, above: int, missing: int = 0, quantum: int | None = None
    ) -> BinnedColumn:
        """From ``(3, size)`` counts and sums of u and u² in bin widths, rounded to whole multiples of their units."""
        finer = 0 if quantum is None else grid.unit - quantum
        sums = np.rint(moments * UNITS[:, None] * 2.0 ** (finer * np.arange(3.0))[:, None])
        whole = sums.astype(np.int64) if np.abs(sums).max() < _SAFE else _wholes(sums)
        return cls(grid, whole, grid.unit - finer, below, above, missing)

    @property
    def counts(self) -> Integers:
        """``(size,)`` rows of each bin."""
        return np.asarray(self.sums[0])

    @property
    def inside(self) -> int:
        """Rows in the bins."""
        return int(self.counts.sum())

    @property
    def rows(self) -> int:
        """Rows with a number."""
        return self.inside + self.below + self.above

    @property
    def ends(self) -> tuple[int, int]:
        """The bins that take rows, counted from the first."""
        return self.cut or (0, self.grid.size)

    @property
    def moments(self) -> Floats:
        """``(3, size)`` rows of each bin, and sums of u and of u² in bin widths, as doubles."""
        finer = self.grid.unit - self.quantum
        powers = np.array([0, -finer - STEP_BITS, -2 * finer - STEP_BITS])
        return np.asarray(np.ldexp(self.sums.astype(np.float64), powers[:, None]))

    def added(self, values: Floats, missing: int = 0) -> BinnedColumn:
        """With more rows: ``(n,)`` numbers without NaN, and rows without a number."""
        return _sum(self, bin_values(values, self.grid)._cut_to(*self.ends), missing)

    def merged(self, other: BinnedColumn, most: int = MOST_BINS) -> BinnedColumn:
        """The rows of both, in common bins of which there are no more than `most`."""
        one, two = align([self, other], most)
        return _sum(one, two)

    def blank(self) -> BinnedColumn:
        """The same bins without rows."""
        return replace(BinnedColumn.empty(self.grid), quantum=self.quantum, cut=self.cut)

    def coarsened(self, steps: int) -> BinnedColumn:
        """In bins ``2**steps`` times as wide; exact."""
        if steps == 0:
            return self
        grid = self.grid
        start, stop = grid.start >> steps, -(-grid.stop >> steps)
        places = np.arange(grid.size) + (grid.start - (start << steps))  # old bins from the first new edge
        index = places >> steps
        # from the centre of the new bin to that of the old one, in halves of an old bin
        shift = 2 * (places - (index << steps)) + 1 - (1 << steps)
        finer = grid.unit - self.quantum
        rows, first, second = np.abs(self.sums.astype(np.float64)).sum(axis=1).tolist()
        reach = 2.0 ** min(steps + finer, 99)
        most = second + first * reach + (rows + 1) * reach**2 * 2.0 ** (STEP_BITS - 2)
        kind = np.int64 if most < _SAFE / 2 else object  # nothing below is larger than that
        counts, firsts, seconds = self.sums.astype(kind)
        shifts = shift.astype(kind)
        seconds = seconds + firsts * shifts * (1 << finer) + counts * shifts * shifts * (1 << STEP_BITS - 2 + 2 * finer)
        firsts = firsts + counts * shifts * (1 << STEP_BITS - 1 + finer)
        sums = _grouped(np.stack([counts, firsts, seconds]), index, stop - start)
        low = -(-(grid.start + self.ends[0]) >> steps) - start if self.below else 0
        high = (grid.start + self.ends[1] >> steps) - start if self.above else stop - start
        wider = replace(grid, unit=grid.unit + steps, start=start, size=stop - start)
        return replace(self, grid=wider, sums=sums, cut=None)._cut_to(low, high)

    def placed(self, start: int, stop: int) -> BinnedColumn:
        """In the bins from `start` to `stop`, which must hold all that has rows."""
        first, last = max(start, self.grid.start), min(stop, self.grid.stop)
        sums = np.zeros((3, stop - start), dtype=self.sums.dtype)
        if first < last:
            sums[:, first - start : last - start] = self.sums[:, first - self.grid.start : last - self.grid.start]
        low = self.grid.start - start + self.ends[0] if self.below else 0
        high = self.grid.start - start + self.ends[1] if self.above else stop - start
        grid = replace(self.grid, start=start, size=stop - start)
        return replace(self, grid=grid, sums=sums, cut=None)._cut_to(low, high)

    def regridded(self, grid: BinGrid) -> BinnedColumn | None:
        """The same rows in other bins, exactly; None if these bins are too wide or do not reach far enough for that."""
        steps = grid.unit - self.grid.unit
        if not 0 <= steps <= 40:
            return None
        first, last = (self.grid.start + end for end in self.ends)
        if (self.below and first > grid.start << steps) or (self.above and last < grid.stop << steps):
            return None
        whole = self.coarsened(steps)
        start, stop = min(whole.grid.start, grid.start), max(whole.grid.stop, grid.stop)
        if stop - start > 1 << 24:
            return None
        column = whole.placed(start, stop)._cut_to(grid.start - start, grid.stop - start)
        return replace(column.placed(grid.start, grid.stop), cut=None)

    def points(self) -> tuple[Floats, Floats, Floats]:
        """The column as weighted points: ``(A,)`` means of the bins that have rows, rows there, deviations there.

        Rows beyond the bins are points at their ends.
        """
        counts, firsts, seconds = self.moments
        used = counts > 0
        mass, mean = counts[used], firsts[used] / counts[used]
        variance = np.maximum(seconds[used] / mass - mean**2, 0.0)
        variance[variance < 2.0**-29] = 0.0  # one value, up to the rounding of sums
        width = 2.0**self.grid.unit
        place = self.grid.centres[used] + mean * width
        ends = self.grid.edges[list(self.ends)]
        beyond = [(float(end), rows) for end, rows in zip(ends, (self.below, self.above), strict=True) if rows]
        place = np.concatenate([place, [end for end, _ in beyond]])
        mass = np.concatenate([mass, [float(rows) for _, rows in beyond]])
        deviation = np.concatenate([np.sqrt(variance) * width, np.zeros(len(beyond))])
        order = np.argsort(place, kind="stable")
        return place[order], mass[order], deviation[order]

    def _cut_to(self, low: int, high: int) -> BinnedColumn:
        """With the rows outside of some bins moved to those below and above."""
        low = min(max(low, 0), self.grid.size)
        high = max(low, min(high, self.grid.size))
        if (low, high) == (0, self.grid.size):
            return self
        below, above = int(self.counts[:low].sum()), int(self.counts[high:].sum())
        sums = np.zeros_like(self.sums)
        sums[:, low:high] = self.sums[:, low:high]
        return replace(self, sums=sums, below=self.below + below, above=self.above + above, cut=(low, high))


def bin_values(values: Floats, grid: BinGrid) -> BinnedColumn:
    """``(n,)`` numbers without NaN in bins; what lies beyond is counted as below or above."""
    from ..core.bins import add_to_bins

    sums = np.zeros((3, grid.size + 2), dtype=np.int64)  # the first takes what is below, the last what is above
    add_to_bins(values, 2.0**-grid.unit, float(grid.start - 1), sums)
    return BinnedColumn(grid, sums[:, 1:-1].copy(), grid.unit, int(sums[0, 0]), int(sums[0, -1]))


def align(columns: Sequence[BinnedColumn], most: int = MOST_BINS) -> list[BinnedColumn]:
    """The same rows in common bins, with rows beyond the range of one of them counted as beyond it in all.

    A range matters only if rows lie beyond it. The common bins are the smallest that are as wide as the widest and
    reach over all ranges, and no more than `most`; the outcome does not depend on the order of the columns or on what
    was merged before.
    """
    unit = max(column.grid.unit for column in columns)
    while True:
        start = min(column.grid.start >> unit - column.grid.unit for column in columns)
        stop = max(-(-column.grid.stop >> unit - column.grid.unit) for column in columns)
        if stop - start <= most:
            break
        unit += 1
    placed = [column.coarsened(unit - column.grid.unit).placed(start, stop) for column in columns]
    low = max((column.ends[0] for column in placed if column.below), default=0)
    high = min((column.ends[1] for column in placed if column.above), default=stop - start)
    return [column._cut_to(low, high) for column in placed]


def _sum(a: BinnedColumn, b: BinnedColumn, missing: int = 0) -> BinnedColumn:
    """The rows of two columns in the same bins."""
    quantum = min(a.quantum, b.quantum)
    sums = _plus(_at(a, quantum), _at(b, quantum))
    grid = replace(a.grid, dates=a.grid.dates or b.grid.dates)
    beyond = a.below + b.below, a.above + b.above, a.missing + b.missing + missing
    return BinnedColumn(grid, sums, quantum, *beyond, a.cut)


def _at(column: BinnedColumn, quantum: int) -> Integers:
    """The sums in units of a finer quantum."""
    steps = column.quantum - quantum
    if steps == 0:
        return column.sums
    return np.asarray(column.sums.astype(object) * np.array([[1], [1 << steps], [1 << 2 * steps]], dtype=object))


def _plus(a: Integers, b: Integers) -> Integers:
    if a.dtype == b.dtype == np.int64 and max(_largest(a), _largest(b)) < _SAFE:
        return np.asarray(a + b)
    return _narrow(a.astype(object) + b.astype(object))


def _grouped(values: Integers, index: NDArray[np.intp], size: int) -> Integers:
    """``(3, size)`` sums of whole numbers by group."""
    result = np.zeros((3, size), dtype=values.dtype)
    for row, part in zip(result, values, strict=True):
        np.add.at(row, index, part)
    return _narrow(result)


def _wholes(values: Floats) -> Integers:
    """Whole numbers that are too large for 64 bits."""
    return np.array([[int(value) for value in row] for row in values.tolist()], dtype=object)


def _narrow(values: Integers) -> Integers:
    """As int64 if they fit with room to spare."""
    return values.astype(np.int64) if _largest(values) < _SAFE else values


def _largest(values: Integers) -> int:
    return max(int(values.max()), -int(values.min()))


def bin_cells(column: BinnedColumn) -> Cells:
    """Moments of the bins that have rows, in bin widths from the start of the bins."""
    used = np.flatnonzero(column.counts)
    rows, first, second = column.moments[:, used]
    offset = np.clip(first / rows, -0.5, 0.5 - 2.0**-30)  # not into the next bin
    variance = np.clip(second / rows - offset**2, 0.0, 0.25)
    variance[variance < ONE_VALUE**2 / 2] = 0.0  # one value, up to the rounding of sums
    skew = np.clip(-1.2 * offset, -np.sqrt(0.8 * variance), np.sqrt(0.8 * variance))
    beyond = [(end, count) for end, count in zip(column.ends, (column.below, column.above), strict=True) if count]
    ends, counts = (np.array([float(pair[k]) for pair in beyond]) for k in range(2))
    zero = np.zeros(len(beyond))
    place = np.concatenate([used + 0.5 + offset, ends])
    order = np.argsort(place, kind="stable")
    parts = [np.concatenate(pair)[order] for pair in ((rows, counts), (variance, zero), (skew, zero))]
    return place[order], parts[0], parts[1], parts[2], np.full(len(place), 1.8)
