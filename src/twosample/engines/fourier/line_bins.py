"""Sums of waves over many points on a line, from the moments of the points in narrow bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from threading import Event

import numpy as np

from ...core.threads import available_cores, run
from ...core.types import Counts, Floats
from .frequency_grid import FrequencyGrid, Waves

_ORDER = 3
_ROWS = 1 << 18


def bin_count(z: Floats, highest: float) -> int:
    """How many bins make the third-order expansion in each of them exact to about 1e-12 up to frequency `highest`."""
    return int(highest * float(np.ptp(z)) / (2 * 2.5e-3)) + 1


@dataclass(frozen=True, eq=False)
class BinnedLine:
    """Points on a line in equal bins.

    exp(iwx) is expanded about the bin centre c: exp(iwc) (n + iw M1 - w² M2 / 2 - iw³ M3 / 6) with the sums Mq of
    (x - c)^q. One pass over the points, then as many operations as bins for each frequency.
    """

    z: Floats  # (N,) points
    bins: int  # the number of bins
    threads: int | None = None  # as in Tiled

    def sums(self, counts: Counts, grid: FrequencyGrid) -> Waves:
        """``(J,)`` sums of the waves over points that count so often."""
        if (counts == 1).all():
            moments = self._pool
        elif counts.dtype.kind == "u" and counts.max() <= 1:
            moments = self._moments(self.z[counts > 0], None)
        else:
            moments = self._moments(self.z, counts)
        centre = (self._low + (np.arange(self.bins) + 0.5) * self._width - grid.origin[0]) * grid.spacing[0]
        first = np.exp(1j * centre)
        turn = 1j * self._width * grid.spacing[0] * grid.orders[:, 0]
        result = np.empty(len(grid.orders), dtype=np.complex128)
        wave, reached = np.ones_like(first), 0
        for j, order in enumerate(grid.orders[:, 0]):
            while reached < order:
                wave *= first
                reached += 1
            s = moments @ wave
            result[j] = s[0] + turn[j] * (s[1] + turn[j] / 2 * (s[2] + turn[j] / 3 * s[3]))
        return result

    @cached_property
    def _low(self) -> float:
        return float(self.z.min())

    @cached_property
    def _width(self) -> float:
        return float(np.ptp(self.z)) / self.bins or 1.0

    @cached_property
    def _pool(self) -> Floats:
        return self._moments(self.z, None)

    def _moments(self, z: Floats, counts: Counts | None) -> Floats:
        """``(4, bins)`` sums of powers of the offsets from the bin centres, in bin widths."""

        def work(start: int, stop: Event) -> Floats:
            del stop
            position = (z[start : start + _ROWS] - self._low) * (1 / self._width)
            place = position.astype(np.int32)
            np.minimum(place, self.bins - 1, out=place)
            position -= place
            position -= 0.5
            moments = np.empty((_ORDER + 1, self.bins))
            weight = None if counts is None else counts[start : start + _ROWS].astype(np.float64)
            for q in range(_ORDER + 1):
                moments[q] = np.bincount(place, weights=weight, minlength=self.bins)
                weight = position if weight is None else weight * position
            return moments

        parts = run(range(0, len(z), _ROWS), work, self.threads or available_cores())
        return np.asarray(np.sum(parts, axis=0))
