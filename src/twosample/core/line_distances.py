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


@dataclass(frozen=True, eq=False)
class WeightedLine:
    """Places with a number of rows each: rows that repeat, or rows in bins.

    Parameters
    ----------
    place
        ``(K,)`` ascending.
    mass
        ``(K,)`` rows at each.
    blur
        The width of bins, over which their rows are taken to be spread; 0 if every place is one value. Rows of one
        bin then cannot be told from ties.
    """

    place: Floats
    mass: Floats
    blur: float = 0.0

    def quantile(self, level: float) -> float:
        """The distance at a level; 0 if there is only one place. O(K log K) for each of some ten to sixty steps."""
        rows = float(self.mass.sum())
        pairs = rows * (rows - 1) / 2
        near = float(self.mass @ (self.mass - 1)) / 2  # at one place
        if len(self.mass) == 1:
            return 0.0
        rank = level * (pairs - 1)
        if rank <= near - 1:
            rank = near + level * (pairs - near - 1)
        if self.blur:
            return self._crossing(rank + 0.5)
        below = float(np.floor(rank))
        first, second = self._shortest(below + 0.5), self._shortest(float(np.ceil(rank)) + 0.5)
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

    def _shortest(self, pairs: float) -> float:
        """The length within which there are so many pairs of different rows, by bisection."""
        low, high = 0.0, float(self.place[-1] - self.place[0])
        middle = 0.5 * (low + high)
        while low < middle < high:
            low, high = (middle, high) if self._pairs_within(middle) < pairs else (low, middle)
            middle = 0.5 * (low + high)
        return high

    def _pairs_within(self, length: float) -> float:
        """Pairs of different rows that are no further apart."""
        ends = self._away + length
        if self.blur:
            below = (self._integral(ends + self.blur) - self._integral(ends - self.blur)) / (2 * self.blur)
        else:
            below = self._sums[np.searchsorted(self._away, ends, side="right")]
        return float(self.mass @ (below - self._sums[1:])) + float(self.mass @ (self.mass - 1)) / 2

    @cached_property
    def _away(self) -> Floats:
        """From the first place: a large offset would eat digits."""
        return np.asarray(self.place - self.place[0])

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
    size = len(z)
    pairs = size * (size - 1) // 2
    _, repeats = np.unique(z, return_counts=True)
    zeros = int((repeats.astype(np.int64) * (repeats.astype(np.int64) - 1) // 2).sum())
    result = np.empty(len(levels))
    for i, level in enumerate(levels):
        value = _line_quantile(z, level * (pairs - 1))
        result[i] = value if value > 0 else _line_quantile(z, zeros + level * (pairs - zeros - 1))
    return result


def _line_quantile(z: Floats, rank: float) -> float:
    """The distance at a fractional 0-based rank, interpolated between its neighbours as numpy.quantile does."""
    below = int(np.floor(rank))
    fraction = rank - below
    first, second = _line_order_statistics(z, below, below + (fraction > 0))
    return first + fraction * (second - first)


def _line_order_statistics(z: Floats, rank: int, next_rank: int) -> tuple[float, float]:
    """The distances with 0-based `rank` and `next_rank` (that or one more) among all pairs of the sorted line z.

    A bracket around them is narrowed by looking at random pairs inside it and counting, by binary search, how many
    pairs lie below: about a hundredfold each time, so that few pairs are left after a few counts. Exact (to the last
    bit but one), whatever the random pairs are. O(N log N).
    """
    size = len(z)
    index = np.arange(size)
    rng = np.random.default_rng(0)
    low, high = -1.0, float(z[-1] - z[0])
    low_edge, high_edge = index, np.full(size, size - 1)  # last j with z_j - z_i <= low, and <= high
    while int((high_edge - low_edge).sum()) > max(4 * size, 1000):
        if high == 0 or (low >= 0 and high - low <= 1e-13 * high):  # all that is left are ties
            row = int(np.argmax(high_edge > low_edge))
            tie = float(z[high_edge[row]] - z[row])
            return tie, tie
        below = int((low_edge - index).sum())
        probes = [p for p in _probes(z, low_edge, high_edge, rank - below, rng) if low < p < high]
        for middle in probes or [0.5 * (low + high)]:
            edge = np.clip(np.searchsorted(z, z + middle, side="right") - 1, low_edge, high_edge)
            if int((edge - index).sum()) > next_rank:
                high, high_edge = middle, edge
            elif int((edge - index).sum()) <= rank:
                low, low_edge = middle, edge
            else:  # the two ranks lie on either side
                return _line_order_statistics(z, rank, rank)[0], _line_order_statistics(z, next_rank, next_rank)[0]
    lengths = high_edge - low_edge
    rows = np.repeat(index, lengths)
    offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    candidates = z[low_edge[rows] + 1 + offset] - z[rows]
    position = rank - int((low_edge - index).sum())
    places = [position, position + next_rank - rank]
    first, second = np.partition(candidates, places)[places]
    return float(first), float(second)


def _probes(z: Floats, low_edge: Ranks, high_edge: Ranks, rank: int, rng: np.random.Generator) -> list[float]:
    """Two distances that probably enclose the wanted one, from random pairs of the bracket; a hair wider, for ties."""
    lengths = high_edge - low_edge
    ends = np.cumsum(lengths)
    chosen = rng.integers(ends[-1], size=20_000)
    rows = np.searchsorted(ends, chosen, side="right")
    columns = low_edge[rows] + 1 + (chosen - (ends[rows] - lengths[rows]))
    sample = np.sort(z[columns] - z[rows])
    share = (rank + 0.5) / float(ends[-1])
    slack = 4 * np.sqrt(share * (1 - share) * len(sample)) + 4
    places = np.clip(np.array([share * len(sample) - slack, share * len(sample) + slack]), 0, len(sample) - 1)
    first, last = sample[places.astype(int)]
    return [float(first) * (1 - 1e-14), float(last) * (1 + 1e-14)]
