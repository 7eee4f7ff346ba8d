"""Bandwidth rules: they follow the units of the pooled sample, look at nothing else, and none gives 0."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..core.line_distances import line_quantiles
from ..core.types import Floats
from ..errors import OptionError, OptionsByName, positive_number, real_number, whole_number
from .base import Metric
from .radial import LONG, quick_distances

EXACT_POINTS = 2000  # pools up to this size are measured by all their pairs; larger ones by a random part of this size
EXACT_LINE = 100_000  # the same in one dimension, where all pairs cost O(N log N)
LINE_SAMPLE = 30_000  # how many random points stand for a longer line: the median is then known to about half a percent


Quantiles = Callable[[Floats], Floats]  # gives quantiles of the distances between two pooled rows at some levels


@dataclass(frozen=True)
class BandwidthRule(OptionsByName, ABC):
    """How bandwidths follow from the distances between pooled rows, known from rows or from bins."""

    @abstractmethod
    def widths(self, quantiles: Quantiles) -> Floats:
        """The bandwidths, one or several, from quantiles of the distances."""

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """The bandwidths from the pooled sample z."""
        return self.widths(lambda levels: distance_quantiles(z, metric, levels, rng))


@dataclass(frozen=True)
class Median(BandwidthRule):
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

    def widths(self, quantiles: Quantiles) -> Floats:
        return quantiles(np.array([0.5]))


@dataclass(frozen=True)
class QuantileGrid(BandwidthRule):
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

    def widths(self, quantiles: Quantiles) -> Floats:
        return quantiles(np.linspace(self.low, self.high, self.count))


@dataclass(frozen=True)
class Fixed(BandwidthRule):
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

    def widths(self, quantiles: Quantiles) -> Floats:
        del quantiles
        return np.array([float(self.value)])


def distance_quantiles(z: Floats, metric: Metric, levels: Floats, rng: np.random.Generator) -> Floats:
    """Quantiles of the pairwise distances; those that are 0 are replaced by quantiles of the nonzero distances.

    A constant pool gives ones: any bandwidth serves, because every kernel value is then the same.
    """
    centre = z[0]
    farthest = float(np.maximum(z.max(axis=0) - centre, centre - z.min(axis=0)).max())
    if farthest == 0:
        return np.ones(len(levels))
    unit = float(2.0 ** np.floor(np.log2(farthest)))  # no square will overflow or vanish, and no digit changes
    limit, count = (EXACT_LINE, LINE_SAMPLE) if z.shape[1] == 1 else (EXACT_POINTS, EXACT_POINTS)
    part = z if len(z) <= limit else z[rng.choice(len(z), count, replace=False, shuffle=False)]
    scaled = (part - centre) / unit
    if z.shape[1] == 1:
        quantiles = line_quantiles(np.sort(scaled[:, 0]), levels)
    else:
        lengths = pair_distances(scaled, metric)
        quantiles = _quantiles(lengths, levels)
        if not quantiles.all() and lengths.any():
            quantiles = np.where(quantiles == 0, _quantiles(lengths[lengths > 0], levels), quantiles)
    if not quantiles.all():  # a random part of the pool without two different points
        return np.full(len(levels), farthest)
    return np.asarray(unit * quantiles)


def _quantiles(values: Floats, levels: Floats) -> Floats:
    """:func:`numpy.quantile` of many numbers, in a third of its time: NumPy is quick to find one rank, not two."""
    found = []
    for level in levels.tolist():
        place = (len(values) - 1) * level
        rank = int(place)
        ordered = np.partition(values, rank)
        first = float(ordered[rank])
        second = float(ordered[rank + 1 :].min(initial=np.inf)) if place > rank else first
        share = place - rank
        found.append(first + (second - first) * share if share < 0.5 else second - (second - first) * (1 - share))
    return np.array(found)


def pair_distances(z: Floats, metric: Metric) -> Floats:
    """``(N (N - 1) / 2,)`` distances between the rows, in the order of :func:`scipy.spatial.distance.pdist`."""
    if z.shape[1] < LONG or metric == "cityblock":
        from scipy.spatial.distance import pdist

        return np.asarray(pdist(z, metric))
    return np.asarray(quick_distances(z, z, metric)[np.triu_indices(len(z), 1)])
