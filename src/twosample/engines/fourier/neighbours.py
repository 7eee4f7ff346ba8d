r"""Sums of waves over many relabelled points on a line: 8 to 64 neighbours count as one place.

Relabellings are bits in the order of the line (`Labellings.along`), so that a word holds neighbours, and the number of
its ones says how many of them are x. Where a word spans next to nothing, its points are put at their mean: a
fraction of the labels, and of the product of labels and waves. Where it spans more, in the tails, points stay where
they are.

The statistic of every world, the true one included, is then that of points moved by at most a thousandth of a
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

_REACH = 1e-3
"""How far the feature of a point may move, relative to its length."""

_ALONE = 0.1
"""Groups are as large as they can be with fewer points than this, of all, left alone."""

_WORLDS = 64  # that are counted at a time: their counts stay in the cache


@dataclass(frozen=True, eq=False)
class SortedPlaces:
    """Points on a line, in order, several to a place.

    Parameters
    ----------
    line
        ``(N,)`` points in increasing order.
    grid
        The waves.
    """

    line: Floats
    grid: FrequencyGrid

    def sums(self, packed: PackedBits, threads: int | None, progress: Progress | None) -> tuple[Floats, Floats]:
        """``(R, 2J)`` sums of centred features over x in every world, and ``(2J,)`` the mean that was taken off."""
        size, far = self._groups()
        words, everyone = packed.bits.view(f"u{size // 8}"), len(self.line)
        alone = (size // 8 * np.flatnonzero(far)[:, None] + np.arange(size // 8)).ravel()  # bytes
        alone = alone[8 * alone < everyone]
        points = (8 * alone[:, None] + np.arange(8)).ravel()
        starts = np.arange(0, everyone, size)
        places = np.add.reduceat(self.line, starts) / np.diff(starts, append=everyone)
        phi, own = self.grid(places[:, None]), self.grid(self.line[points.clip(max=everyone - 1), None])
        mean = (size * phi[~far].sum(axis=0) + own[points < everyone].sum(axis=0)) / everyone
        phi -= mean
        phi[far] = 0.0
        own -= mean
        together, apart, half = phi.astype(np.float32), own.astype(np.float32), size / 2
        shift = half * together.sum(axis=0, dtype=np.float64)  # small counts keep more digits

        def work(start: int, stop: Event) -> Floats:
            if stop.is_set():
                return np.empty((0, phi.shape[1]))
            part = slice(start, start + _WORLDS)
            counts = np.bitwise_count(words[part, : len(phi)]).astype(np.float32)
            counts -= half
            single = np.unpackbits(packed.bits[part].take(alone, axis=1), axis=1)
            total: Floats = shift + (counts @ together + single.astype(np.float32) @ apart)
            return total

        parts = run(range(0, len(words), _WORLDS), work, threads or available_cores(), progress)
        return np.concatenate(parts), mean

    def _groups(self) -> tuple[int, NDArray[np.bool_]]:
        """How many neighbours are a group, and which groups are too wide for one place, or not full."""
        squares = float(self.grid.weights @ (self.grid.orders[:, 0] * self.grid.spacing[0]) ** 2)
        widest = _REACH * sqrt(float(self.grid.weights.sum()) / squares)
        for size in (64, 32, 16, 8):
            full = self.line[: len(self.line) // size * size].reshape(-1, size)
            far = np.ones(-(-len(self.line) // size), dtype=bool)
            far[: len(full)] = full[:, -1] - full[:, 0] > widest
            if size * int(far.sum()) < _ALONE * len(self.line):
                break
        return size, far
