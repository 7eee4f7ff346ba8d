"""Sums that do not depend on the order of addition: of numbers and of their squares, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .bins import STEP_BITS, BinnedColumn
from .grid import BinGrid
from .points import Points

_SHIFT = 1130  # every double, its mantissa of 53 bits, and every sum of a binned column are multiples of 2**-1130


@dataclass(frozen=True)
class Totals:
    """How many finite numbers there are, their sum and their sum of squares."""

    count: int = 0  # numbers
    total: int = 0  # their sum, in units of 2**-1130
    squares: int = 0  # the sum of their squares, in units of 2**-2260

    @classmethod
    def of_counted(cls, values: Floats, counts: NDArray[np.int64]) -> Totals:
        """Of ``(n,)`` finite numbers that are there several times each: digit by digit of their counts."""
        found = cls()
        for digit in range(int(counts.max(initial=0)).bit_length()):
            part = cls.of_values(values[counts >> digit & 1 > 0])
            found += cls(part.count << digit, part.total << digit, part.squares << digit)
        return found

    @classmethod
    def of_values(cls, values: Floats) -> Totals:
        """Of ``(n,)`` finite numbers, exactly: mantissas of one exponent are added as whole numbers."""
        fractions, exponents = np.frexp(values)
        mantissas = np.ldexp(fractions, 53).astype(np.int64)
        total = squares = 0
        for exponent in np.unique(exponents).tolist():
            part = mantissas[exponents == exponent]
            high, low = part >> 27, part & (1 << 27) - 1
            scale = exponent - 53 + _SHIFT
            total += ((_total(high) << 27) + _total(low)) << scale
            pairs = (_total(high * high) << 54) + (_total(high * low) << 28) + _total(low * low)
            squares += pairs << 2 * scale
        return cls(len(values), total, squares)

    @classmethod
    def of_points(cls, points: Points, beyond: BinGrid) -> Totals:
        """Of weighted points beyond some bins, infinite ones left out."""
        low, high = beyond.start * 2.0**beyond.unit, beyond.stop * 2.0**beyond.unit
        known = np.isfinite(points.values) & ((points.middles < low) | (points.middles >= high))
        fractions, exponents = np.frexp(points.middles[known])
        mantissas = np.ldexp(fractions, 53).astype(np.int64).astype(object)
        counts = points.counts[known].astype(object)
        scales = (exponents - 53 + _SHIFT).tolist()
        firsts = zip((mantissas * counts).tolist(), scales, strict=True)
        seconds = zip((mantissas * mantissas * counts).tolist(), scales, strict=True)
        return cls(
            int(points.counts[known].sum()),
            sum(value << scale for value, scale in firsts),
            sum(value << 2 * scale for value, scale in seconds),
        )

    @classmethod
    def of_bins(cls, column: BinnedColumn) -> Totals:
        """Of the rows in the bins of a column, as they were rounded there."""
        used = np.flatnonzero(column.counts)
        counts, firsts, seconds = column.sums[:, used].astype(object)
        halves = 2 * (used.astype(object) + column.grid.start) + 1  # centres, in halves of a bin
        centre = column.grid.unit - 1 + _SHIFT
        first = column.quantum - STEP_BITS + _SHIFT
        total = (_sum(counts * halves) << centre) + (_sum(firsts) << first)
        squares = (_sum(counts * halves * halves) << 2 * centre) + (_sum(halves * firsts) << centre + first + 1)
        squares += _sum(seconds) << 2 * column.quantum - STEP_BITS + 2 * _SHIFT
        return cls(_sum(counts), total, squares)

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float | None:
        """The mean; None if there are no numbers."""
        return float(Fraction(self.total, self.count << _SHIFT)) if self.count else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None of fewer than two numbers, or if its square is too large for a double."""
        if self.count < 2:
            return None
        spread = max(self.squares * self.count - self.total * self.total, 0)
        try:
            return sqrt(Fraction(spread, (self.count * (self.count - 1)) << 2 * _SHIFT))
        except OverflowError:
            return None


def _total(values: NDArray[np.int64]) -> int:
    """The sum of whole numbers below 2**54, however many."""
    edges = np.arange(0, len(values), 256)
    return sum(np.add.reduceat(values, edges).tolist()) if len(values) else 0


def _sum(values: np.ndarray[tuple[int], np.dtype[np.object_]]) -> int:
    return int(sum(values.tolist()))
