"""Categories and different values, counted in bounded memory; merging is exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MOST_CATEGORIES = 10_000
"""Different values of a column that are counted one by one; of columns that have more none is."""

EXACT = 4096
"""Fewer different values than this are told apart; of more, the smallest hashes tell about how many there are."""

UNCOUNTED = ("float", "mixed")
"""Ways of hashing after which 4096 values and more are not counted."""

_HASHES = 1024

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Counts:
    """How often each value of a column occurs.

    Either every value is here, or none: a column with more than 10,000 different values has only its number of rows.
    So nothing depends on which values came first, and nothing is counted too low.
    """

    values: Mapping[str, int] | None = field(default_factory=dict)
    """Rows of each value; None if there are too many values."""

    def merged(self, other: Counts) -> Counts:
        """The rows of both."""
        if self.values is None or other.values is None:
            return Counts(None)
        total = dict(self.values)
        for value, rows in other.values.items():
            total[value] = total.get(value, 0) + rows
        return Counts(total if len(total) <= MOST_CATEGORIES else None)


@dataclass(frozen=True, eq=False)
class Distinct:
    """How many different values there are: exactly below 4096, by the smallest of their hashes beyond."""

    hashes: Hashes
    """``(k,)`` sorted: of every value if there are fewer than 4096, else the 1024 smallest; none of floating-point
    numbers then, which are not worth counting."""
    method: str  # how values were hashed; what was hashed in different ways cannot be merged
    exact: bool = True  # whether every value is here

    @classmethod
    def of(cls, hashes: Hashes, method: str, exact: bool = True) -> Distinct:
        """From sorted hashes, each once: of all values, or the smallest of many."""
        if exact and len(hashes) < EXACT:
            return cls(hashes, method)
        return cls(hashes[: 0 if method in UNCOUNTED else _HASHES], method, False)

    @property
    def count(self) -> int | None:
        """How many there are, or an estimate with a standard error of 3 %; None if that is not known."""
        if self.exact or not len(self.hashes):
            return len(self.hashes) if self.exact else None
        return max(EXACT, round((len(self.hashes) - 1) / (max(int(self.hashes[-1]), 1) / 2.0**64)))

    def merged(self, other: Distinct) -> Distinct:
        """The values of both."""
        if self.method != other.method:
            return Distinct(self.hashes[:0], "mixed", False)
        if self.method in UNCOUNTED and not (self.exact and other.exact):
            return Distinct(self.hashes[:0], self.method, False)
        return Distinct.of(np.union1d(self.hashes, other.hashes), self.method, self.exact and other.exact)
