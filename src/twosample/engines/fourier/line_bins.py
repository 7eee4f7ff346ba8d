"""Sums of waves over many points on a line: from moments in narrow bins, or with several neighbours to a place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ...core.labellings import PackedBits
from ...core.threads import Progress, available_cores, run
from ...core.types import Counts, Floats, Waves
from .frequency_grid import FrequencyGrid

_ORDER = 3
_ROWS = 1 << 18
_REACH = 1e-3  # how far the feature of a point may move, relative to its length
_LABELLINGS = 64  # that are counted at a time: their counts stay in the cache


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


@dataclass(frozen=True, eq=False)
class SortedPlaces:
    """Points on a line, in order, of which 8 to 64 neighbours count as one place, under many relabellings.

    Relabellings are bits in the order of the line (`Labellings.along`), so that a word holds neighbours, and the number
    of its ones says how many of them are x. Where a word spans next to nothing, its points are put at their mean: a
    fraction of the labels, and of the product of labels and waves. Where it spans more, a half of it may do, or a byte;
    in the tails points stay where they are.

    The statistic of every labelling, the true one included, is then that of points moved by at most a thousandth of a
    bandwidth. Which points move does not depend on labels, so the test is as exact as before.
    """

    line: Floats  # (N,) points in increasing order
    grid: FrequencyGrid  # the waves

    def sums(self, packed: PackedBits, threads: int | None, progress: Progress | None) -> tuple[Floats, Floats]:
        """``(R, 2J)`` sums of centred features over x in every labelling, and ``(2J,)`` the mean that was taken off."""
        groups, alone = self._groups()
        points = (8 * alone[:, None] + np.arange(8)).ravel()
        points = points[points < len(self.line)]  # the last byte may have room to spare
        # Places, the points of each, and the features there, less their mean over all points.
        places = [self.line[: len(self.line) // size * size].reshape(-1, size)[chosen] for size, chosen in groups]
        place = np.concatenate([*(group.mean(axis=1) for group in places), self.line[points]])
        sizes = np.concatenate([*(np.full(len(chosen), float(size)) for size, chosen in groups), np.ones(len(points))])
        phi = self.grid(place[:, None])
        mean = sizes @ phi / len(self.line)
        phi -= mean
        features, half = phi.astype(np.float32), (sizes / 2).astype(np.float32)
        shift = (sizes / 2) @ phi  # small counts keep more digits

        def work(start: int, stop: Event) -> Floats:
            if stop.is_set():
                return np.empty((0, phi.shape[1]))
            bits = packed.bits[start : start + _LABELLINGS]
            counts, at = np.empty((len(bits), len(place)), dtype=np.float32), 0
            for size, chosen in groups:
                words = bits.view(f"u{size // 8}").take(chosen, axis=1)
                counts[:, at : at + len(chosen)] = np.bitwise_count(words)
                at += len(chosen)
            counts[:, at:] = np.unpackbits(bits.take(alone, axis=1), axis=1, count=len(points))
            counts -= half
            total: Floats = shift + counts @ features
            return total

        parts = run(range(0, len(packed.bits), _LABELLINGS), work, threads or available_cores(), progress)
        return np.concatenate(parts), mean

    def _groups(self) -> tuple[list[tuple[int, NDArray[np.intp]]], NDArray[np.intp]]:
        """Sizes of groups with the numbers of those that are narrow enough for one place, and the bytes in none."""
        squares = float(self.grid.weights @ (self.grid.orders[:, 0] * self.grid.spacing[0]) ** 2)
        widest = _REACH * sqrt(float(self.grid.weights.sum()) / squares)
        free = np.ones(-(-len(self.line) // 8), dtype=bool)
        groups = []
        for size in (64, 32, 16, 8):
            full = self.line[: len(self.line) // size * size].reshape(-1, size)
            left = free[: len(full) * size // 8].reshape(-1, size // 8)  # a view; groups are free as a whole or not
            chosen = np.flatnonzero((full[:, -1] - full[:, 0] <= widest) & left[:, 0])
            left[chosen] = False
            groups.append((size, chosen))
        return groups, np.flatnonzero(free)
