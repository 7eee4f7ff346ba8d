"""Bandwidth rules: they follow the units of the pooled sample, all but one look at nothing else, and none gives 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import OptionError, positive_number, real_number, whole_number
from .distances import Metric

Ranks = NDArray[np.intp]

EXACT_POINTS = 2000
"""Pools up to this size are measured by all their pairs; larger ones by a random part of this size."""

_FEW_POINTS = 500  # below this all pairs are quicker written down than counted

EXACT_LINE = 100_000
"""The same in one dimension, where all pairs cost O(N log N)."""

LINE_SAMPLE = 30_000
"""How many random points stand for a longer line: the median is then known to about half a percent."""


@dataclass(frozen=True)
class Median:
    """The median distance between pooled points: the paper's heuristic.

    Exact up to 2000 points, in one dimension up to 100,000 (in O(N log N)); from 2000 and 30,000 random ones of the
    pooled points beyond. If more than half of all distances are 0 (ties), the median of the others.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> z = np.array([[0.0], [0.0], [0.0], [0.0], [3.0]])
    >>> ts.Median().bandwidths(z, "euclidean", np.random.default_rng(0))
    array([3.])
    """

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """One bandwidth from the pooled sample z."""
        return distance_quantiles(z, metric, np.array([0.5]), rng)


@dataclass(frozen=True)
class QuantileGrid:
    """Several bandwidths, at quantiles of the pooled distances; the kernel becomes the mean over them.

    For differences whose scale is not known. The quantiles are evenly spaced from `low` to `high`.

    Parameters
    ----------
    low, high
        The extreme quantile levels, in (0, 1).
    count
        The number of bandwidths.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.QuantileGrid(0.1, 0.9, 5)
    QuantileGrid(low=0.1, high=0.9, count=5)
    """

    low: float = 0.05
    high: float = 0.95
    count: int = 5

    def __post_init__(self) -> None:
        whole_number("count", self.count)
        if not 0 < real_number("low", self.low) <= real_number("high", self.high) < 1:
            raise OptionError(f"{self!r}: need 0 < low <= high < 1 and count >= 1.")

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """The grid from the pooled sample z."""
        return distance_quantiles(z, metric, np.linspace(self.low, self.high, self.count), rng)


@dataclass(frozen=True)
class Fixed:
    """A bandwidth that does not depend on the data.

    Parameters
    ----------
    value
        Positive, in the units of the data.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Fixed(0.5)
    Fixed(value=0.5)
    """

    value: float

    def __post_init__(self) -> None:
        positive_number("bandwidth", self.value)

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """The value."""
        del z, metric, rng
        return np.array([float(self.value)])


@dataclass(frozen=True)
class CrossMedian:
    """The median distance between a point of x and a point of y, times `factor`; for repeating published work.

    The code of the paper's authors of 2007 has ``factor=0.5**0.5``, that is σ² = half the median of the squares.
    Distances that are 0 do not count. Exact up to 1000 points a sample, from 1000 random ones of each beyond.

    Which distances are cross distances depends on the labels, and a wider gap between the samples gives a wider kernel.
    A test by relabelling is exact only if every relabelled world is treated as the true one is, and would have to find
    its own bandwidth (and Gram matrix) in each of them; with the one of the true labels in all of them its p-value is
    mostly too large, and for some samples too small. So nulls that relabel refuse this rule. Those that hold for large
    samples only ('bootstrap', 'pearson', 'spectrum', ...) take it, because under H0 the cross and the pooled median
    tend to the same number. Prefer :class:`Median`, which cannot see the labels and leaves relabelling exact.

    Parameters
    ----------
    factor
        What the median is multiplied by.
    m
        How many of the pooled rows, the first ones, are x. ``mmd_test`` and ``mmd`` fill it in.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x, y = np.random.default_rng(0).normal(size=(2, 50, 1))
    >>> r = ts.mmd_test(x, y + 1, bandwidth=ts.CrossMedian(factor=0.5**0.5), null="pearson")
    >>> r.rejected, r.notes[-1][:34]
    (True, 'The bandwidth comes from distances')
    """

    factor: float = 1.0
    m: int | None = None

    def __post_init__(self) -> None:
        positive_number("factor", self.factor)
        if self.m is not None:
            whole_number("m", self.m)

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """One bandwidth from the pooled sample z, of which the first m rows are x."""
        from scipy.spatial.distance import cdist

        if self.m is None or not self.m < len(z):
            raise OptionError(f"bandwidth={self!r} has to know which rows are x: it is for mmd_test and mmd only.")
        unit = float(np.abs(z - z[0]).max())
        if unit == 0:
            return np.ones(1)
        half = EXACT_POINTS // 2
        x, y = (
            (part if len(part) <= half else part[rng.choice(len(part), half, replace=False)]) / unit
            for part in np.split(z - z[0], [self.m])
        )
        lengths = cdist(x, y, metric)
        nonzero = lengths[lengths > 0]
        return np.array([self.factor * unit * (float(np.median(nonzero)) if nonzero.size else 1.0)])


BandwidthRule = Median | QuantileGrid | Fixed | CrossMedian


def distance_quantiles(z: Floats, metric: Metric, levels: Floats, rng: np.random.Generator) -> Floats:
    """Quantiles of the pairwise distances; those that are 0 are replaced by quantiles of the nonzero distances.

    A constant pool gives ones: any bandwidth serves, because every kernel value is then the same.
    """
    centre = z[0]
    unit = float(np.abs(z - centre).max())
    if unit == 0:
        return np.ones(len(levels))
    unit = float(2.0 ** np.floor(np.log2(unit)))  # no square will overflow or vanish, and no digit changes
    scaled = (z - centre) / unit
    limit, count = (EXACT_LINE, LINE_SAMPLE) if z.shape[1] == 1 else (EXACT_POINTS, EXACT_POINTS)
    if len(scaled) > limit:
        scaled = scaled[rng.choice(len(scaled), count, replace=False, shuffle=False)]
    if z.shape[1] == 1 and len(z) > _FEW_POINTS:
        return unit * _line_quantiles(np.sort(scaled[:, 0]), levels)
    from scipy.spatial.distance import pdist

    lengths = pdist(scaled, metric)
    quantiles = np.quantile(lengths, levels)
    if (quantiles == 0).any():
        nonzero = lengths[lengths > 0]
        if nonzero.size == 0:  # a random part of the pool without two different points
            return np.full(len(levels), float(np.abs(z - centre).max()))
        quantiles = np.where(quantiles == 0, np.quantile(nonzero, levels), quantiles)
    result: Floats = unit * quantiles
    return result


def _line_quantiles(z: Floats, levels: Floats) -> Floats:
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
