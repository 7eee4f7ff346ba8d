"""Bandwidths from binned moments: quantiles of the distances between pooled rows that nobody has seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...core.types import Floats
from ...errors import OptionError
from ...kernels import BandwidthRule, CrossMedian, Fixed, Kernel, QuantileGrid, Scaled, Sum
from .waves import Atoms


def filled(kernel: Kernel, rule: BandwidthRule, pool: Atoms, unit: float) -> Kernel:
    """The kernel with its missing bandwidths by the rule; `unit` is the width of a bin."""
    if not kernel.needs_bandwidth:
        return kernel
    if isinstance(rule, CrossMedian):
        raise OptionError(f"bandwidth={rule!r} is for rows, and sketches have none. Use bandwidth='median'.")
    if isinstance(rule, Fixed):
        widths = np.array([rule.value])
    else:
        levels = np.linspace(rule.low, rule.high, rule.count) if isinstance(rule, QuantileGrid) else np.array([0.5])
        widths = unit * distance_quantiles(pool, levels)

    def at(width: float) -> Kernel:
        return kernel.fill(lambda metric, rows=None: width)

    if len(widths) == 1:
        return at(float(widths[0]))
    return Scaled(Sum(tuple(at(float(width)) for width in widths)), 1 / len(widths))


def distance_quantiles(pool: Atoms, levels: Floats) -> Floats:
    """Quantiles of the distances between pooled rows, in bins.

    Where each bin holds one value they are those of the rows. Otherwise rows are taken to be spread within bins. A
    quantile that falls among rows of the same bin, which cannot be told from ties, is replaced by that of the rows
    in different bins, as ties are in :class:`Median`. None is below one bin.
    """
    line = _Line(pool.place, pool.mass, 1.0 if pool.variance.any() else 0.0)
    return np.array([max(line.quantile(float(level)), 1.0) for level in levels])


@dataclass(frozen=True, eq=False)
class _Line:
    """Weighted points on a line, ascending, spread over `blur` on either side."""

    place: Floats
    mass: Floats
    blur: float

    def quantile(self, level: float) -> float:
        """The distance at a level, interpolated as numpy.quantile does."""
        rows = float(self.mass.sum())
        pairs = rows * (rows - 1) / 2
        near = float(self.mass @ (self.mass - 1)) / 2  # of one bin
        if len(self.mass) == 1:
            return 1.0
        rank = level * (pairs - 1)
        if rank <= near - 1:
            rank = near + level * (pairs - near - 1)
        if self.blur:
            return self._shortest(rank + 0.5)
        below = float(np.floor(rank))
        first, second = self._shortest(below + 0.5), self._shortest(float(np.ceil(rank)) + 0.5)
        return first + (rank - below) * (second - first)

    def _shortest(self, pairs: float) -> float:
        """The length within which there are so many pairs of different rows, by bisection."""
        low, high = 0.0, float(self.place[-1] - self.place[0]) + self.blur
        middle = 0.5 * (low + high)
        while low < middle < high:
            low, high = (middle, high) if self._pairs_within(middle) < pairs else (low, middle)
            middle = 0.5 * (low + high)
        return high

    def _pairs_within(self, length: float) -> float:
        ends = self.place + length
        if self.blur:
            below = (self._heap(ends + self.blur) - self._heap(ends - self.blur)) / (2 * self.blur)
        else:
            below = self._sums[np.searchsorted(self.place, ends, side="right")]
        return float(self.mass @ (below - self._sums[1:])) + float(self.mass @ (self.mass - 1)) / 2

    @cached_property
    def _sums(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.mass)])

    @cached_property
    def _moments(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.mass * self.place)])

    def _heap(self, ends: Floats) -> Floats:
        """The integral of the number of rows below, up to each end."""
        below = np.searchsorted(self.place, ends, side="right")
        return np.asarray(ends * self._sums[below] - self._moments[below])
