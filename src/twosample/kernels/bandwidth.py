"""Bandwidth rules: they look at the pooled sample only, follow its units, and never give 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import OptionError
from .distances import Metric

Ranks = NDArray[np.intp]

EXACT_POINTS = 2000
"""Pools up to this size are measured by all their pairs; larger ones by a random part of this size (exact in 1-D)."""


@dataclass(frozen=True)
class Median:
    """The median distance between pooled points: the paper's heuristic.

    Exact in one dimension in O(N log N), exact up to 2000 points, from a random 2000 of the pooled points beyond. If
    more than half of all distances are 0 (ties), the median of the others.

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
        if not (0 < self.low <= self.high < 1) or self.count < 1:
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
        if not (np.isfinite(self.value) and self.value > 0):
            raise OptionError(f"bandwidth={self.value!r} must be positive and finite.")

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """The value."""
        del z, metric, rng
        return np.array([float(self.value)])


BandwidthRule = Median | QuantileGrid | Fixed


def distance_quantiles(z: Floats, metric: Metric, levels: Floats, rng: np.random.Generator) -> Floats:
    """Quantiles of the pairwise distances; those that are 0 are replaced by quantiles of the nonzero distances.

    A constant pool gives ones: any bandwidth serves, because every kernel value is then the same.
    """
    centre = z[0]
    unit = float(np.abs(z - centre).max())
    if unit == 0:
        return np.ones(len(levels))
    scaled = (z - centre) / unit
    if z.shape[1] == 1:
        return unit * _line_quantiles(np.sort(scaled[:, 0]), levels)
    if len(scaled) > EXACT_POINTS:
        scaled = scaled[rng.choice(len(scaled), EXACT_POINTS, replace=False)]
    from scipy.spatial.distance import pdist

    lengths = pdist(scaled, metric)
    quantiles = np.quantile(lengths, levels)
    if (quantiles == 0).any():
        nonzero = lengths[lengths > 0]
        if nonzero.size == 0:  # a random part of the pool without two different points
            return unit * np.ones(len(levels))
        quantiles = np.where(quantiles == 0, np.quantile(nonzero, levels), quantiles)
    return np.asarray(unit * quantiles)


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
    first = _line_order_statistic(z, below)
    fraction = rank - below
    if fraction == 0:
        return first
    return first + fraction * (_line_order_statistic(z, below + 1) - first)


def _line_order_statistic(z: Floats, rank: int) -> float:
    """The distance with 0-based `rank` in increasing order: bisection on the value, counting by binary search.

    O(N log N) for each of at most about 60 counts; stops as soon as few pairs remain in the bracket and sorts those.
    """
    size = len(z)
    index = np.arange(size)
    low_edge, high_edge = index.copy(), np.full(size, size - 1)  # last j with z_j - z_i <= low / high
    low, high = -1.0, float(z[-1] - z[0])
    while (remaining := int((high_edge - low_edge).sum())) > max(4 * size, 1000):
        middle = _probe(z, low_edge, high_edge)
        if not low < middle < high:
            break
        edge = np.maximum(np.searchsorted(z, z + middle, side="right") - 1, index)
        edge = _exact_edge(z, edge, middle)
        if int((edge - index).sum()) > rank:
            high, high_edge = middle, edge
        else:
            low, low_edge = middle, edge
    del remaining
    lengths = high_edge - low_edge
    rows = np.repeat(index, lengths)
    offset = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    candidates = z[low_edge[rows] + 1 + offset] - z[rows]
    position = rank - int((low_edge - index).sum())
    return float(np.partition(candidates, position)[position])


def _probe(z: Floats, low_edge: Ranks, high_edge: Ranks) -> float:
    """A distance that splits the bracketed pairs well: the weighted median of the rows' middle candidates."""
    lengths = high_edge - low_edge
    rows = np.flatnonzero(lengths)
    middles = z[low_edge[rows] + (lengths[rows] + 1) // 2] - z[rows]
    order = np.argsort(middles)
    weight = np.cumsum(lengths[rows][order])
    return float(middles[order[np.searchsorted(weight, weight[-1] / 2)]])


def _exact_edge(z: Floats, edge: Ranks, length: float) -> Ranks:
    """Repair the rounding of z + length: the last j with z_j - z_i <= length as the difference is computed."""
    size = len(z)
    index = np.arange(size)
    for _ in range(4):
        over = z[edge] - z > length
        step = np.minimum(edge + 1, size - 1)
        under = (step > edge) & (z[step] - z <= length)
        if not (over.any() or under.any()):
            break
        edge = np.where(over & (edge > index), edge - 1, np.where(under, step, edge))
    return edge
