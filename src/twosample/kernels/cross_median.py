"""The bandwidth rule that looks at the labels, for repeating published work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats
from ..errors import OptionError, positive_number, whole_number
from .bandwidth import EXACT_POINTS, BandwidthRule, Quantiles
from .base import Metric
from .radial import quick_distances


@dataclass(frozen=True)
class CrossMedian(BandwidthRule):
    """The median distance between a point of x and a point of y, times `factor`; for repeating published work.

    The code of the paper's authors of 2007 has ``factor=0.5**0.5``, that is σ² = half the median of the squares.
    Distances that are 0 do not count. Exact up to 1000 points a sample, from 1000 random ones of each beyond.

    Which distances are cross distances depends on the labels, and a wider gap between the samples gives a wider kernel.
    A test by relabelling is exact only if every relabelled sample is treated as the true one is, and would have to find
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

    def widths(self, quantiles: Quantiles) -> Floats:
        del quantiles
        raise OptionError(f"bandwidth={self!r} is for rows, and sketches have none. Use bandwidth='median'.")

    def bandwidths(self, z: Floats, metric: Metric, rng: np.random.Generator) -> Floats:
        """One bandwidth from the pooled sample z, of which the first m rows are x."""
        if self.m is None or not self.m < len(z):
            raise OptionError(f"bandwidth={self!r} has to know which rows are x: it is for mmd_test, mmd and witness.")
        unit = float(np.abs(z - z[0]).max())
        if unit == 0:
            return np.ones(1)
        half = EXACT_POINTS // 2
        x, y = (
            (part if len(part) <= half else part[rng.choice(len(part), half, replace=False)]) / unit
            for part in np.split(z - z[0], [self.m])
        )
        lengths = quick_distances(x, y, metric)
        nonzero = lengths[lengths > 0]
        return np.array([self.factor * unit * (float(np.median(nonzero)) if nonzero.size else 1.0)])
