"""MMD as a mean of independent terms, an observed statistic that needs no Gram matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from ..core.observed import Resampler
from ..core.pvalue import Law, ReplicateLaw
from ..nulls.bounds import hoeffding_bound, kernel_limits
from ..statistics import AverageStatistic
from ..statistics.averages import Terms
from .observed import ObservedMMD


@dataclass(frozen=True, eq=False)
class ObservedAverage(ObservedMMD):
    """A mean of independent terms: one pass over the rows, no Gram matrix."""

    @cached_property
    def _terms(self) -> Terms:
        pool, statistic = self.request.pool, self.request.statistic
        assert isinstance(statistic, AverageStatistic)
        self._check_size(powers=self.labellings == 1)
        return statistic.terms(self.request.kernel, pool.x, pool.y, self.labellings - 1, self.rng)

    @property
    def value(self) -> float:
        return float(self._terms.values[0])

    @cached_property
    def tolerance(self) -> float:
        """Of the value."""
        first = self.request.kernel.diagonal(self.request.pool.x[:50])
        return 1e-12 * max(float(np.abs(self._terms.observed).max(initial=0.0)), float(np.abs(first).max()))

    @cached_property
    def terms(self) -> int:
        """Of the statistic."""
        return len(self._terms.observed)

    @cached_property
    def error(self) -> float | None:
        """From the spread of the terms."""
        terms = self._terms.observed
        unit = float(np.abs(terms).max(initial=0.0)) or 1.0
        return unit * float((terms / unit).std(ddof=1)) / sqrt(len(terms)) if len(terms) > 1 else None

    def resampled(self, null: Resampler) -> Law:
        return ReplicateLaw(self._terms.values, self.tolerance, False, null.floor(self))

    def bound(self, null: str) -> Law:
        return hoeffding_bound(self.terms, kernel_limits(self.request.kernel, null))
