"""Statistics: pure functions of block sums, or of independent terms."""

from __future__ import annotations

from collections.abc import Callable

from .averages import AverageStatistic, BlockAverage, LinearTime
from .quadratic import Biased, ObservedSums, Paired, QuadraticStatistic, Unbiased, smallest_pvalue

Statistic = QuadraticStatistic | AverageStatistic

STATISTICS: dict[str, Callable[[], Statistic]] = {
    "biased": Biased,
    "unbiased": Unbiased,
    "paired": Paired,
    "linear": LinearTime,
    "block": BlockAverage,
}
"""Aliases of the statistics."""

__all__ = [
    "STATISTICS", "AverageStatistic", "Biased", "BlockAverage", "LinearTime", "ObservedSums", "Paired",
    "QuadraticStatistic", "Statistic", "Unbiased", "smallest_pvalue",
]  # fmt: skip
