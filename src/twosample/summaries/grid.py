"""What a column of numbers is measured by, and the bins that follow: equal ones, whose edges are exact."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, frexp, log2, ulp

import numpy as np

from ..core.line_distances import typical_distance
from ..core.types import Floats
from ..errors import OptionError

LARGEST = 2.0**1000
"""Numbers beyond this count as beyond the bins."""

MOST_BINS = 1 << 20
"""Bins of a grid, at most."""

_FINE = 32  # bins in a bandwidth, at least
_FAR = 40.0  # bandwidths from the middle to where bins end
_HUGE = 9e299  # numbers beyond count as if they lay there: differences stay finite
_TINY = 2.0**-1000  # the smallest bandwidth: bins stay numbers
_SOME = 300  # values from which the width is taken


@dataclass(frozen=True)
class BinGrid:
    """Equal bins that are a power of two wide and start at a multiple of that, so that no rounding enters.

    Bin j covers ``[(start + j) * 2**unit, (start + j + 1) * 2**unit)`` for j = 0, ..., size - 1.
    """

    unit: int  # bins are 2**unit wide
    start: int  # the first begins at start * 2**unit
    size: int  # how many
    dates: bool = False  # whether text is known to spell dates, however few of them

    def __post_init__(self) -> None:
        if not 1 <= self.size <= MOST_BINS or not -1000 <= self.unit <= 1000:
            raise OptionError(f"{self!r}: size must be between 1 and {MOST_BINS}, unit between -1000 and 1000.")

    @classmethod
    def over(cls, low: float, high: float, bins: int) -> BinGrid:
        """The narrowest bins of which no more than `bins` cover a range; at least half as many are used."""
        low, high = max(low, -LARGEST), min(high, LARGEST)
        unit = max(frexp((high - low) / bins)[1] - 1, frexp(ulp(max(-low, high)))[1] - 1, -1000)
        while floor(high * 2.0**-unit) + 1 - floor(low * 2.0**-unit) > bins:
            unit += 1
        start = floor(low * 2.0**-unit)
        return cls(unit, start, floor(high * 2.0**-unit) + 1 - start)

    @property
    def stop(self) -> int:
        """The last bin ends at ``stop * 2**unit``."""
        return self.start + self.size

    @property
    def edges(self) -> Floats:
        """``(size + 1,)`` the ends of the bins."""
        return np.asarray((self.start + np.arange(self.size + 1.0)) * 2.0**self.unit)

    @property
    def centres(self) -> Floats:
        """``(size,)`` the middles of the bins."""
        return np.asarray((self.start + 0.5 + np.arange(self.size)) * 2.0**self.unit)


@dataclass(frozen=True)
class Scale:
    """What a column of numbers is measured by, from pooled values."""

    width: float
    """About the median distance of two values, of different ones if most are equal, of a constant its size: what bins
    are measured by."""
    centre: float  # the median
    low: float  # the range over which values are told apart
    high: float

    @classmethod
    def of(cls, values: Floats) -> Scale:
        """From pooled finite values."""
        if not len(values):
            return cls(1.0, 0.0, -1.0, 1.0)
        values = np.clip(np.sort(values), -_HUGE, _HUGE)
        first, centre, last = (float(values[int(share * (len(values) - 1))]) for share in (0.01, 0.5, 0.99))
        low, high = first - 1.25 * (last - first), last + 1.25 * (last - first)
        if first == last:
            low, high = float(values[0]), float(values[-1])
        width = max(typical_distance(values, _SOME) or float(np.abs(values).max()) or 1.0, _TINY)
        return cls(width, centre, max(low, centre - _FAR * width, -_HUGE), min(high, centre + _FAR * width, _HUGE))

    @property
    def grid(self) -> BinGrid:
        """Bins for the scan of a table: a power of two wide, at most 1/32 of the bandwidth."""
        smallest = frexp(ulp(max(abs(self.low), abs(self.high))))[1]
        unit = min(max(floor(log2(self.width / _FINE)), smallest, -1000), 1000)
        start, stop = floor(self.low * 2.0**-unit), floor(self.high * 2.0**-unit) + 1
        return BinGrid(unit, start, stop - start)

    @property
    def roomy_grid(self) -> BinGrid:
        """Bins for values of which these are the first: half as wide, over twice the range."""
        grid = self.grid
        return BinGrid(grid.unit - 1, 2 * grid.start - grid.size, 4 * grid.size) if grid.unit > -1000 else grid

    def inside(self, values: Floats) -> Floats:
        """Values with those beyond the range at its ends."""
        return np.asarray(np.clip(values, self.low, self.high))
