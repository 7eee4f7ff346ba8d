"""Equal bins whose edges are exact."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, frexp, ulp

import numpy as np

from ..core.types import Floats
from ..errors import OptionError

LARGEST = 2.0**1000
"""Numbers beyond this count as beyond the bins."""

MOST_BINS = 1 << 20
"""Bins of a grid, at most."""


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
