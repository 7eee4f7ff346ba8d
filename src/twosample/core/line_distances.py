"""Distances between two rows of a line, without forming the pairs: one rule for rows, bins and counts.

A quantile of the distances is that of all pairs of different rows, interpolated as :func:`numpy.quantile` does. If it
falls among ties, it is replaced by the quantile of the distances that are not 0: a bandwidth of 0 serves nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from .roots import brent
from .types import Floats

Ranks = NDArray[np.intp]

_LEAST, _MOST = 300, 8000  # random pairs that are looked at
_WRITTEN = 4000  # pairs that are written down without ado


@dataclass(frozen=True, eq=False)
class WeightedLine:
    """Places with a number of rows each: rows that repeat, or rows in bins."""

    place: Floats  # (K,) ascending
    mass: Floats  # (K,) rows at each
    blur: float = 0.0
    """The width of bins, over which their rows are taken to be spread; 0 if every place is one value. Rows of one bin
    then cannot be told from ties."""

    def quantile(self, level: float) -> float:
        """The distance at a level; 0 if there is only one place. O(K log K) for each of some ten to sixty steps."""
        rows = float(self.mass.sum())
        pairs = rows * (rows - 1) / 2
        if len(self.mass) == 1:
            return 0.0
        rank = level * (pairs - 1)
        if rank <= self._ties - 1:
            rank = self._ties + level * (pairs - self._ties - 1)
        if self.blur:
            return self._crossing(rank + 0.5)
        below = float(np.floor(rank))
        first, second = self._ranked(below, float(np.ceil(rank)))
        return first + (rank - below) * (second - first)

    def _crossing(self, pairs: float) -> float:
        """The length within which there are so many pairs of rows that are spread over bins."""
        excess = cache(lambda length: self._pairs_within(length) - pairs)
        low, high = 0.0, float(self.place[-1] - self.place[0]) + 2 * self.blur
        if excess(low) >= 0:  # fewer than the bins can tell
            return 0.0
        quarter, last = np.searchsorted(self._sums, np.array([0.25, 0.75]) * self._sums[-1]) - 1
        guess = 0.7 * float(self.place[last] - self.place[quarter])  # of a normal law
        if low < guess / 2 and 2 * guess < high and excess(guess / 2) < 0 < excess(2 * guess):
            low, high = guess / 2, 2 * guess
        return brent(excess, low, high, xtol=1e-9 * high)

    def _ranked(self, rank: float, following: float) -> tuple[float, float]:
        """The distances with two 0-based ranks, the same or neighbours, among those of all pairs of different rows.

        A bracket around them is narrowed by looking at random pairs inside it and counting, by binary search, how many
        pairs lie below: some tenfold each time, so that few pairs are left after a few counts. Exact (to the last bit
        but one), whatever the random pairs are. O(K log K).
        """
        if rank < self._ties:  # two ranks, the first of which is that of a tie
            return 0.0, self._ranked(following, following)[0]
        z, mass, size = self._away, self.mass, len(self.mass)
        rng = np.random.default_rng(0)
        low, high = 0.0, float(z[-1] - z[0])
        low_edge, high_edge = np.arange(size), np.full(size, size - 1)  # last j with z_j - z_i <= low, and <= high
        while int((high_edge - low_edge).sum()) > max(4 * size, _WRITTEN):
            if low > 0 and high - low <= 1e-13 * high:  # all that is left are ties
                row = int(np.argmax(high_edge > low_edge))
                return (float(z[high_edge[row]] - z[row]),) * 2
            probes = [p for p in self._probes(low_edge, high_edge, rank, rng) if low < p < high]
            for middle in probes or [0.5 * (low + high)]:
                edge = np.clip(np.searchsorted(z, z + middle, side="right") - 1, low_edge, high_edge)
                pairs = self._pairs_up_to(edge)
                if pairs > following:
                    high, high_edge = middle, edge
                elif pairs <= rank:
                    low, low_edge = middle, edge
                else:  # the two ranks lie on either side
                    return self._ranked(rank, rank)[0], self._ranked(following, following)[0]
        # The pairs that are left, in order, until there are enough.
        lengths = high_edge - low_edge
        left = np.repeat(np.arange(size), lengths)
        right = low_edge[left] + 1 + np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        distances = z[right] - z[left]
        order = np.argsort(distances)
        reached = self._pairs_up_to(low_edge) + np.cumsum((mass[left] * mass[right])[order])
        at = np.minimum(np.searchsorted(reached, [rank, following], side="right"), len(order) - 1)
        first, second = distances[order[at]]
        return float(first), float(second)

    def _probes(self, low_edge: Ranks, high_edge: Ranks, rank: float, rng: np.random.Generator) -> list[float]:
        """Two distances that probably enclose the ranked one, from random pairs of the bracket; a hair wider."""
        z, sums, count = self._away, self._sums, min(max(len(self.mass), _LEAST), _MOST)
        ends = np.cumsum(self.mass * (sums[high_edge + 1] - sums[low_edge + 1]))
        drawn = ends[-1] * (np.arange(count) + rng.random(count)) / count
        left = np.minimum(np.searchsorted(ends, drawn, side="right"), len(z) - 1)
        first, last = sums[low_edge[left] + 1], sums[high_edge[left] + 1]
        right = np.searchsorted(sums, first + (last - first) * rng.random(count), side="right") - 1
        lengths = np.sort(z[np.clip(right, low_edge[left] + 1, high_edge[left])] - z[left])
        share = min(1.0, (rank - self._pairs_up_to(low_edge) + 0.5) / float(ends[-1]))
        slack = 4 * np.sqrt(share * (1 - share) * count) + 4
        places = np.clip(np.array([share * count - slack, share * count + slack]), 0, count - 1)
        below, above = lengths[places.astype(int)]
        return [float(below) * (1 - 1e-14), float(above) * (1 + 1e-14)]

    def _pairs_up_to(self, edge: Ranks) -> float:
        """Pairs of different rows of which the second is no further right than the edge of the first."""
        return _product(self.mass, self._sums[edge + 1] - self._sums[1:]) + self._ties

    def _pairs_within(self, length: float) -> float:
        """Pairs of different rows, spread over bins, that are no further apart."""
        ends = self._away + length
        below = (self._integral(ends + self.blur) - self._integral(ends - self.blur)) / (2 * self.blur)
        return _product(self.mass, below - self._sums[1:]) + self._ties

    @cached_property
    def _ties(self) -> float:
        """Pairs of different rows at one place."""
        return _product(self.mass, self.mass - 1) / 2

    @cached_property
    def _away(self) -> Floats:
        """From a place in the middle: a large offset would eat digits."""
        return np.asarray(self.place - self.place[len(self.place) // 2])

    @cached_property
    def _sums(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.mass)])

    @cached_property
    def _moments(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.mass * self._away)])

    def _integral(self, ends: Floats) -> Floats:
        """The integral of the number of rows below, up to each end."""
        below = np.searchsorted(self._away, ends, side="right")
        return np.asarray(ends * self._sums[below] - self._moments[below])


def _product(a: Floats, b: Floats) -> float:
    """The inner product; without BLAS, which would wake other threads for it and let them wait for more."""
    return float(np.einsum("i,i->", a, b))


def typical_distance(z: Floats, points: int) -> float:
    """About the median distance between two rows of a sorted line, from so many of them at even steps.

    For choosing bins and cells, which need no better. If most pairs are ties, exactly the median of the other
    distances; 0 for a constant line.
    """
    count = min(len(z), points)
    part = z if count == len(z) else z[((np.arange(count) + 0.5) / count * len(z)).astype(np.intp)]
    first, second = _pairs(count)
    gaps = part[second] - part[first]
    half = len(gaps) // 2
    value = float(np.partition(gaps, half)[half]) if len(gaps) else 0.0
    if value > 0 or z[0] == z[-1]:
        return value
    place, mass = np.unique(z, return_counts=True)
    return WeightedLine(place, mass.astype(np.float64)).quantile(0.5)


@cache
def _pairs(count: int) -> tuple[Ranks, Ranks]:
    first, second = np.triu_indices(count, 1)
    return first, second


def line_quantiles(z: Floats, levels: Floats) -> Floats:
    """Quantiles of |z_i - z_j| over pairs of a sorted line, without forming the pairs."""
    first = np.flatnonzero(np.diff(z, prepend=-np.inf))
    line = WeightedLine(z[first], np.diff(first, append=len(z)).astype(np.float64))
    return np.array([line.quantile(float(level)) for level in levels])
