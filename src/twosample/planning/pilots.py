"""A pilot stands for two populations: the law of a statistic at other sizes, and the threshold of a null there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..core.centred import CentredSpectrum
from ..core.laws import ContinuousLaw, Distribution, Limit
from ..core.observed import Observed, Resampler
from ..core.pvalue import Law
from ..core.types import Floats
from ..embedding.alternative import cumulants, three_moments, witness_variances
from ..nulls import Null
from ..nulls.bounds import SquaredBoundLaw, hoeffding_bound, kernel_limits, mcdiarmid_bound
from ..statistics import AverageStatistic, BlockAverage, QuadraticStatistic, Statistic, Unbiased
from .profile import Profile

_FEW_TERMS = 200  # up to so many terms of an average, the law of their standard error matters

_DRAWN = 1_000_000  # terms that are drawn for that
_MOST_VALUES = 100_000  # eigenvalues of a spectrum, which is as good as normal then


@dataclass(frozen=True, eq=False)
class Pilot(ABC):
    """A pilot and the test to plan."""

    measured: Profile
    null: Null
    level: float
    statistic: Statistic

    @property
    def squared(self) -> float:
        """MMD² of the populations that the pilot stands for; 0 when it is rounding."""
        return self.measured.squared if self.measured.squared > self.measured.rounding else 0.0

    @property
    def pvalue(self) -> float:
        """Of the pilot itself: how often MMD²_u would be as large if its labels were drawn anew, by the limit law."""
        if self.squared == 0 and float(self.measured.spreads.max()) <= self.measured.rounding:  # all rows are the same
            return 1.0
        whole = QuadraticPilot(self.measured, self.null, self.level, Unbiased())
        return float(whole.relabelled(*self.measured.sizes).sf(self.measured.squared))

    def power(self, m: int, n: int) -> float:
        """The probability of rejection at these sizes."""
        law = self.null.law(ObservedPilot(self, m, n))
        if law.least > self.level * (1 + 1e-9):
            return 0.0
        if self.squared == 0 and self.null.asks != "bound":
            return self.level
        return float(np.clip(self._tail(m, n, law.threshold(self.level)), 0.0, 1.0))

    def _tail(self, m: int, n: int, threshold: float) -> float:
        """The same, where the p-value can reach the level and there is a difference."""
        return self.law(m, n).sf(threshold)

    @abstractmethod
    def law(self, m: int, n: int) -> Distribution:
        """The law of the estimate of MMD²."""

    @abstractmethod
    def relabelled(self, m: int, n: int) -> Distribution:
        """The law of the estimate when the labels of the pool are drawn anew."""

    @abstractmethod
    def bound(self, m: int, n: int) -> Law:
        """What the bound of the null says about the estimate of MMD²."""

    def _moments(self, m: int, n: int) -> tuple[float, float]:
        """Variance and third cumulant of MMD²_u."""
        second, third = cumulants(self.measured, m, n)
        if self.squared == 0:
            return second, third
        linear = 4 * float(witness_variances(self.measured) @ np.array([1 / m, 1 / n]))
        return second + linear, third + 1.5 * linear**2 / self.squared


@dataclass(frozen=True, eq=False)
class QuadraticPilot(Pilot):
    """For the statistics that look at all pairs of rows."""

    statistic: QuadraticStatistic

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._moments(m, n))

    def relabelled(self, m: int, n: int) -> Distribution:
        return self.limit(m, n).distribution()

    def limit(self, m: int, n: int) -> PilotLimit:
        """The limit law of MMD²_u under relabelling."""
        form, pooled = Unbiased().form(m, n), pooled_spectrum(self.measured, self.squared, m, n)
        return PilotLimit(**vars(form.limit(pooled, 0.0, 0.0)))

    def bound(self, m: int, n: int) -> Law:
        limits = kernel_limits(self.measured.kernel, self.null.name)
        if not self.statistic.root:
            return hoeffding_bound(min(m, n) // 2, limits)
        bias = float(self.measured.spreads @ np.array([1 / m, 1 / n]))  # of MMD_b² as an estimate of MMD²_u
        return SquaredBoundLaw(mcdiarmid_bound(m, n, limits), bias)


@dataclass(frozen=True, eq=False)
class AveragePilot(Pilot):
    """For averages of independent terms."""

    statistic: AverageStatistic
    terms: Floats

    def _tail(self, m: int, n: int, threshold: float) -> float:
        count = self.statistic.term_count(m, n)
        variance, third = self._average(m, n)[0]
        if self.null.asks != "error" or not 2 <= count <= _FEW_TERMS or variance <= 0:
            return super()._tail(m, n, threshold)
        critical = three_moments(0.0, 1.0, 0.0).isf(self.level)
        return studentised_tail(self.squared, variance * count, third * count**2, count, critical)

    def law(self, m: int, n: int) -> Distribution:
        return three_moments(self.squared, *self._average(m, n)[0])

    def relabelled(self, m: int, n: int) -> Distribution:
        return three_moments(0.0, *self._average(m, n)[1])

    def bound(self, m: int, n: int) -> Law:
        return hoeffding_bound(self.statistic.term_count(m, n), kernel_limits(self.measured.kernel, self.null.name))

    def error(self, m: int, n: int) -> float:
        """The standard error of the average."""
        return sqrt(self._average(m, n)[0][0])

    def _average(self, m: int, n: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Variance and third cumulant of the average, as it is and when the labels within its terms are drawn anew."""
        count = max(self.statistic.term_count(m, n), 1)
        if isinstance(self.statistic, BlockAverage):
            sizes = m // count, n // count
            own = self._moments(*sizes)
            form, pooled = Unbiased().form(*sizes), pooled_spectrum(self.measured, self.squared, *sizes)
            other = form.variance(pooled), form.third_moment(pooled)
        else:
            variance = float(self.terms.var(ddof=1))
            own, other = (variance, 0.0), (variance + self.squared**2, 0.0)
        return (own[0] / count, own[1] / count**2), (other[0] / count, other[1] / count**2)


@dataclass(frozen=True, eq=False)
class ObservedPilot(Observed):
    """The statistic at other sizes, before there are rows: nulls ask it for the threshold that they will have."""

    pilot: Pilot
    m: int
    n: int
    value = tolerance = 0.0

    @property
    def least(self) -> float:
        """By the statistic."""
        return self.pilot.statistic.least_pvalue(self.m, self.n)

    @property
    def error(self) -> float | None:
        """Of an average."""
        return self.pilot.error(self.m, self.n) if isinstance(self.pilot, AveragePilot) else None

    def resampled(self, null: Resampler) -> Law:
        """As if there were resamples without number."""
        return ContinuousLaw(self.pilot.relabelled(self.m, self.n), null.floor(self))

    def limit(self, null: str) -> Limit:
        if not isinstance(self.pilot, QuadraticPilot):
            raise self.refused(null)
        return self.pilot.limit(self.m, self.n)

    def bound(self, null: str) -> Law:
        return self.pilot.bound(self.m, self.n)


@dataclass(frozen=True, eq=False)
class PilotLimit(Limit):
    """The limit law by its three moments: the eigenvalues at other sizes are not known."""

    def distribution(self) -> Distribution:
        return three_moments(self.mean, self.variance, self.third_moment())


def pooled_spectrum(measured: Profile, squared: float, m: int, n: int) -> CentredSpectrum:
    r"""What the nulls see in a pool of m and n rows whose populations differ by MMD² = `squared`.

    The covariance of the pool is :math:`\pi C_p + (1-\pi) C_q + \pi(1-\pi)\,\delta\otimes\delta` with
    :math:`\pi = m/(m+n)`: the difference itself adds to the spread under relabelling.
    """
    w = np.array([m, n]) / (m + n)
    mixed = float(w[0] * w[1])
    along = float(w @ witness_variances(measured)) if squared > 0 else 0.0
    bent = along**2 / squared if squared > 0 else 0.0
    square = float(w @ measured.squares @ w) + 2 * mixed * along + (mixed * squared) ** 2
    triangle = float(np.einsum("abc,a,b,c->", measured.triangles, w, w, w)) + 3 * mixed * bent
    triangle += 3 * mixed**2 * squared * along + (mixed * squared) ** 3
    count = max(1, round(min(square**3 / triangle**2, _MOST_VALUES))) if triangle > 0 else 1
    return CentredSpectrum(
        square=square,
        spread=float(w @ measured.spreads) + mixed * squared,
        magnitude=float(np.abs(measured.kernel.diagonal(measured.pool.z[:100])).mean()),
        values=np.full(count, sqrt(square / count)),
        triangles=triangle,
        cubes=0.0,
    )


def studentised_tail(mean: float, variance: float, third: float, count: int, critical: float) -> float:
    """The probability that a mean of `count` terms exceeds `critical` times its own standard error.

    That error is estimated from the same terms, and when they are few and skewed it is small where the mean is small:
    a fixed threshold would be wrong by up to 0.08. Terms of the gamma law with these three moments are drawn, always
    the same ones; the answer is good to 0.005.
    """
    rng = np.random.default_rng(0)
    skewness = third / variance**1.5
    size = (_DRAWN // count, count)
    shape = 4 / max(skewness, 0.02) ** 2
    terms = mean + np.sqrt(variance) * (rng.standard_gamma(shape, size) - shape) / np.sqrt(shape)
    return float(np.mean(terms.mean(axis=1) > critical * terms.std(axis=1, ddof=1) / np.sqrt(count)))
