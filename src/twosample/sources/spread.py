"""Mean and deviation of numbers that come in batches."""

from __future__ import annotations

from math import isfinite

import numpy as np

from ..core.scratch import scratch
from ..core.types import Floats, Wholes

_PART = 1 << 15  # numbers that are added up by themselves: others would round otherwise


class Moments:
    """Mean and deviation of numbers that are added up nowhere else."""

    def __init__(self) -> None:
        self.rows, self._mean, self._squares = 0, 0.0, 0.0

    def add(self, values: Floats, counts: Wholes | None) -> None:
        """Take in finite numbers, in whatever order; those beyond 1e150 may leave no mean or deviation."""
        if counts is None:
            values = np.sort(values)
        else:
            order = np.argsort(values)
            values, counts = values[order], counts[order]
        with np.errstate(over="ignore", invalid="ignore"):
            shift = float(values[len(values) // 2])
            total, squares = _centred_sums(values, shift, counts)
            size = len(values) if counts is None else int(counts.sum())
            step = shift + total / size - self._mean
            grown = self.rows + size
            self._squares += max(squares - total * total / size, 0.0) + step * step * self.rows * size / grown
            self._mean += step * size / grown
        self.rows = grown

    @property
    def mean(self) -> float | None:
        """The mean; None if it is not known."""
        return self._mean if self.rows and isfinite(self._mean) else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None if it is not known."""
        return float(np.sqrt(self._squares / (self.rows - 1))) if self.rows > 1 and isfinite(self._squares) else None


def _centred_sums(values: Floats, shift: float, counts: Wholes | None) -> tuple[float, float]:
    """The sums of c and c² for c = value - shift."""
    total = squares = 0.0
    for at in range(0, len(values), _PART):
        part = values[at : at + _PART]
        centred = np.subtract(part, shift, out=scratch()[0, : len(part)])
        weighted = centred if counts is None else centred * counts[at : at + _PART]
        total += float(weighted.sum())
        squares += float(weighted @ centred)
    return total, squares
