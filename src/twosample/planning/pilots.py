"""A pilot stands for two populations: the law of a statistic at other sizes, and the threshold of a null there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..core.centred import CentredSpectrum
from ..core.distributions import Distribution
from ..core.evidence import Evidence
from ..core.types import Floats
from ..nulls import Bootstrap, Gamma, Hoeffding, McDiarmid, Normal, Null, Pearson
from ..statistics import AverageStatistic, BlockAverage, QuadraticStatistic, Statistic, Unbiased
from .laws import cumulants, studentised_tail, three_moments
from .profile import Profile

_FEW_TERMS = 200
"""Up to so many terms of an average, the law of their standard error matters."""

_WITHOUT_LEAST = (Bootstrap, Hoeffding, McDiarmid)
"""Nulls whose p-values may be smaller than those of all relabellings."""


@dataclass(frozen=True, eq=False)
class Pilot(ABC):
    """A pilot and the test to plan."""

    seen: Profile
    null: Null
    level: float
    statistic: Statistic

    @property
    def squared(self) -> float:
        """MMD² of the populations that the pilot stands for; 0 when it is rounding."""
        size = float(np.abs(self.seen.kernel.diagonal(self.seen.pool.z[:100])).mean())
        return self.seen.squared if self.seen.squared > 1e-13 * size else 0.0

    def power(self, m: int, n: int) -> float:
        """The probability of rejection at these sizes."""
        labelled = not isinstance(self.null, _WITHOUT_LEAST)
        if labelled and self.statistic.least_pvalue(m, n) > self.level * (1 + 1e-9):
            return 0.0
        if self.squared == 0 and not isinstance(self.null, Hoeffding | McDiarmid):
            return self.level
        return float(np.clip(self._tail(m, n), 0.0, 1.0))

    def _tail(self, m: int, n: int) -> float:
        """The same, where the p-value can reach the level and there is a difference."""
        return self.law(m, n).sf(self.threshold(m, n))

    @abstractmethod
    def law(self, m: int, n: int) -> Distribution:
        """The law of the estimate of MMD²."""

    @abstractmethod
    def threshold(self, m: int, n: int) -> float:
        """Where the test begins to reject, as an estimate of MMD²."""

    def _moments(self, m: int, n: int) -> tuple[float, float]:
        """Variance and third cumulant of MMD²_u."""
        second, third = cumulants(self.seen, m, n)
        if self.squared == 0:
            return second, third
        linear = 4 * float(self.seen.witness_variances() @ np.array([1 / m, 1 / n]))
        return second + linear, third + 1.5 * linear**2 / self.squared

    def _threshold(self, m: int, n: int, terms: int) -> float:
        """What the null says that needs no resampling."""
        kernel, pooled = self.seen.kernel, pooled_spectrum(self.seen, self.squared, m, n)
        evidence = Evidence(
            values=np.zeros(1),
            tolerance=0.0,
            exhaustive=False,
            m=m,
            n=n,
            kernel=repr(kernel),
            bounds=kernel.bounds,
            term_count=terms,
            form=Unbiased().form(m, n),
            centred=lambda: pooled,
        )
        return self.null.law(evidence).threshold(self.level)


@dataclass(frozen=True, eq=False)
class QuadraticPilot(Pilot):
    """For the statistics that look at all pairs of rows."""

    statistic: QuadraticStatistic

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._moments(m, n))

    def threshold(self, m: int, n: int) -> float:
        if isinstance(self.null, McDiarmid):
            bias = float(self.seen.spreads @ np.array([1 / m, 1 / n]))
            return self._threshold(m, n, 0) ** 2 - bias
        if isinstance(self.null, Hoeffding | Gamma | Pearson):
            return self._threshold(m, n, min(m, n) // 2)
        form, pooled = Unbiased().form(m, n), pooled_spectrum(self.seen, self.squared, m, n)
        return three_moments(0.0, form.variance(pooled), form.third_moment(pooled)).isf(self.level)


@dataclass(frozen=True, eq=False)
class AveragePilot(Pilot):
    """For averages of independent terms."""

    statistic: AverageStatistic
    terms: Floats

    def _tail(self, m: int, n: int) -> float:
        count = self.statistic.term_count(m, n)
        variance, third = self._average(m, n)[0]
        if not isinstance(self.null, Normal) or not 2 <= count <= _FEW_TERMS or variance <= 0:
            return super()._tail(m, n)
        critical = three_moments(0.0, 1.0, 0.0).isf(self.level)
        return studentised_tail(self.squared, variance * count, third * count**2, count, critical)

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._average(m, n)[0])

    def threshold(self, m: int, n: int) -> float:
        if isinstance(self.null, Hoeffding):
            return self._threshold(m, n, self.statistic.term_count(m, n))
        own, relabelled = self._average(m, n)
        if isinstance(self.null, Normal):
            return three_moments(0.0, own[0], 0.0).isf(self.level)
        return three_moments(0.0, *relabelled).isf(self.level)

    def _average(self, m: int, n: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Variance and third cumulant of the average, as it is and when the labels within its terms are drawn anew."""
        count = max(self.statistic.term_count(m, n), 1)
        if isinstance(self.statistic, BlockAverage):
            sizes = m // count, n // count
            own = self._moments(*sizes)
            form, pooled = Unbiased().form(*sizes), pooled_spectrum(self.seen, self.squared, *sizes)
            other = form.variance(pooled), form.third_moment(pooled)
        else:
            variance = float(self.terms.var(ddof=1))
            own, other = (variance, 0.0), (variance + self.squared**2, 0.0)
        return (own[0] / count, own[1] / count**2), (other[0] / count, other[1] / count**2)


def pooled_spectrum(seen: Profile, squared: float, m: int, n: int) -> CentredSpectrum:
    r"""What the nulls see in a pool of m and n rows whose populations differ by MMD² = `squared`.

    The covariance of the pool is :math:`\pi C_p + (1-\pi) C_q + \pi(1-\pi)\,\delta\otimes\delta` with
    :math:`\pi = m/(m+n)`: the difference itself adds to the spread under relabelling.
    """
    w = np.array([m, n]) / (m + n)
    mixed = float(w[0] * w[1])
    along = float(w @ seen.witness_variances()) if squared > 0 else 0.0
    bent = along**2 / squared if squared > 0 else 0.0
    square = float(w @ seen.squares @ w) + 2 * mixed * along + (mixed * squared) ** 2
    triangle = float(np.einsum("abc,a,b,c->", seen.triangles, w, w, w)) + 3 * mixed * bent
    triangle += 3 * mixed**2 * squared * along + (mixed * squared) ** 3
    count = max(1, round(square**3 / triangle**2)) if triangle > 0 else 1
    return CentredSpectrum(
        square=square,
        spread=float(w @ seen.spreads) + mixed * squared,
        magnitude=float(np.abs(seen.kernel.diagonal(seen.pool.z[:100])).mean()),
        values=np.full(count, sqrt(square / count)),
        triangles=triangle,
        cubes=0.0,
    )
