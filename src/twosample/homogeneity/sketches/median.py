"""Bandwidths from binned moments: quantiles of the distances between pooled rows that nobody has seen."""

from __future__ import annotations

import numpy as np

from ...core.line_distances import WeightedLine
from ...core.types import Floats
from ...errors import OptionError
from ...kernels import BandwidthRule, CrossMedian, Fixed, Kernel, QuantileGrid, Scaled, Sum
from .waves import BinnedSample


def filled(kernel: Kernel, rule: BandwidthRule, pool: BinnedSample, unit: float) -> Kernel:
    """The kernel with its missing bandwidths by the rule; `unit` is the width of a bin."""
    if not kernel.needs_bandwidth:
        return kernel
    if isinstance(rule, CrossMedian):
        raise OptionError(f"bandwidth={rule!r} is for rows, and sketches have none. Use bandwidth='median'.")
    if isinstance(rule, Fixed):
        widths = np.array([rule.value])
    else:
        levels = np.linspace(rule.low, rule.high, rule.count) if isinstance(rule, QuantileGrid) else np.array([0.5])
        widths = unit * distance_quantiles(pool, levels)

    def at(width: float) -> Kernel:
        return kernel.fill(lambda metric, rows=None: width)

    if len(widths) == 1:
        return at(float(widths[0]))
    return Scaled(Sum(tuple(at(float(width)) for width in widths)), 1 / len(widths))


def distance_quantiles(pool: BinnedSample, levels: Floats) -> Floats:
    """Quantiles of the distances between pooled rows, in bins; none is below one bin.

    Where each bin holds one value they are those of the rows. Otherwise rows are taken to be spread within bins.
    """
    line = WeightedLine(pool.place, pool.rows, 1.0 if pool.variance.any() else 0.0)
    return np.array([max(line.quantile(float(level)), 1.0) for level in levels])
