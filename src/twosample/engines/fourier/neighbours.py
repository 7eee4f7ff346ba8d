r"""Sums of waves over many relabelled points on a line: 8 to 64 neighbours count as one place.

Relabellings are bits in the order of the line (`Labellings.along`), so that a word holds neighbours, and the number of
its ones says how many of them are x. Where a word spans next to nothing, its points are put at their mean: a
fraction of the labels, and of the product of labels and waves. Where it spans more, a half of it may do, or a byte; in
the tails points stay where they are.

The statistic of every labelling, the true one included, is then that of points moved by at most a thousandth of a
bandwidth. Which points move does not depend on labels, so the test is as exact as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ...core.labellings import PackedBits
from ...core.threads import Progress, available_cores, run
from ...core.types import Floats
from .frequency_grid import FrequencyGrid

_REACH = 1e-3  # how far the feature of a point may move, relative to its length

_LABELLINGS = 64  # that are counted at a time: their counts stay in the cache


@dataclass(frozen=True, eq=False)
class SortedPlaces:
    """Points on a line, in order, several to a place."""

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
