"""When the samples do differ: the distribution of MMD²_u around any true MMD², the effect size and its interval.

Three moments, and the gamma curve through them; :mod:`twosample.planning.profile` has the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Protocol

import numpy as np

from ..core.laws import Distribution, GammaLaw, NormalLaw, PointLaw
from ..core.roots import brent
from ..core.types import Floats
from .pair import Embedded

ROWS_FOR_INTERVAL = 4  # with fewer rows in a sample nothing is known of the spread

_FAR = 1e-3
_NONE_SEEN = 3.0  # of n rows without an event, 3/n is what its share may still be


class SecondMoments(Protocol):
    """Two samples as the laws beyond H0 see them, however that was measured; a :class:`Profile` is one."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""

    @property
    def covariances(self) -> Floats:
        """``(2, 2, 2)``: for each sample the covariance of the witness and of the part in its spread."""

    @property
    def squares(self) -> Floats:
        """``(2, 2)`` traces of C_a C_b."""

    @property
    def triangles(self) -> Floats:
        """``(2, 2, 2)`` traces of C_a C_b C_c."""


def witness_variances(measured: SecondMoments) -> Floats:
    r"""``(2,)`` variances :math:`\delta'C_a\delta` of the witness over each sample, without the noise in it."""
    noise = measured.squares @ (1 / np.array(measured.sizes))
    return np.asarray(np.maximum(measured.covariances[:, 0, 0] - noise, 0.0))


class Laws(Protocol):
    """Laws of MMD²_u around any true value of MMD², at given sample sizes."""

    @property
    def quadratic(self) -> float:
        """Variance of the degenerate part."""

    @property
    def slope(self) -> float:
        """Variance of the linear part for every unit of MMD²."""

    def at(self, theta: float) -> Distribution:
        """The law of the unbiased estimate when MMD² is `theta`."""


@dataclass(frozen=True)
class AlternativeLaws:
    r"""Laws of MMD²_u around any true value :math:`\theta` of MMD², at given sample sizes.

    The direction of the difference is held fixed while its size varies, so that :math:`\delta'C\delta` is
    proportional to :math:`\theta`; and :math:`\delta'C^2\delta \approx (\delta'C\delta)^2/\theta`, which is its least
    possible value and exact for one direction.
    """

    quadratic: float  # variance of the degenerate part, 2 tr C²
    cubic: float  # its third cumulant, 8 tr C³
    slope: float  # variance of the linear part for every unit of MMD²

    def at(self, theta: float) -> Distribution:
        """The law of the unbiased estimate when MMD² is `theta`."""
        return three_moments(theta, self._variance(theta), self.cubic + 1.5 * self.slope**2 * theta)

    def below(self, theta: float) -> Below:
        """The law of how far the estimate falls below `theta`, when that is MMD²."""
        return Below(self.at(theta), theta, three_moments(theta, self._variance(theta), 0.0))

    def _variance(self, theta: float) -> float:
        return self.quadratic + self.slope * theta


@dataclass(frozen=True)
class Below:
    """The law of `top` - T: small values of T are the evidence."""

    law: Distribution
    """The law of T. A gamma curve ends on the left, and T does not quite: beyond 1/1000 the tail of the normal law with
    the same two moments is used where it is heavier."""
    top: float  # what T is subtracted from
    normal: Distribution  # that normal law

    def sf(self, t: float) -> float:
        """P(top - T >= t)."""
        own, plain = (1.0 - law.sf(self.top - t) for law in (self.law, self.normal))
        return float(np.clip(max(own, min(plain, _FAR)), 0.0, 1.0))

    def isf(self, level: float) -> float:
        """The t with P(top - T >= t) = level."""
        laws = (self.law,) if level > _FAR else (self.law, self.normal)
        return self.top - min(law.isf(1.0 - level) for law in laws)

    def pdf(self, t: Floats) -> Floats:
        """The density."""
        return self.law.pdf(self.top - t)


def three_moments(mean: float, variance: float, third: float) -> Distribution:
    """The gamma law, moved, with this mean, variance and third central moment; normal without the third."""
    if variance <= 0:
        return PointLaw(mean)
    deviation = float(np.sqrt(variance))
    skewness = third / deviation**3
    if skewness < 1e-3:
        return NormalLaw(mean, deviation)
    own = 2 * deviation / skewness
    return GammaLaw(own, deviation, shift=mean - own)


def cumulants(measured: SecondMoments, m: int, n: int) -> tuple[float, float]:
    """Variance and third cumulant of the degenerate part of MMD²_u at sizes m and n."""
    r = 1 / np.array([m, n])
    second = 2 * float(r @ measured.squares @ r)
    third = 8 * float(np.einsum("abc,a,b,c->", measured.triangles, r, r, r))
    return second, third


def beyond(measured: SecondMoments, linear: float, squared: float, caution: float = 1.0) -> AlternativeLaws:
    r"""The laws at the sizes of the samples themselves.

    The slope is estimated by `linear`, the variance of the linear part, over `squared`, the estimate of MMD² that it
    belongs to. Where MMD² is not much larger than its own noise that ratio says little, so it is drawn towards the
    largest that can be, :math:`4\lambda_{\max}(C)`, with the weight of `caution` standard deviations of the degenerate
    part.
    """
    return alternative_laws(*cumulants(measured, *measured.sizes), linear, squared, caution)


def alternative_laws(
    second: float, third: float, linear: float, squared: float, caution: float = 1.0
) -> AlternativeLaws:
    """The same from the cumulants of the degenerate part."""
    largest = 4 * (third / 8) ** (1 / 3)
    noise = caution * float(np.sqrt(second))
    weight = max(squared, 0.0) + noise
    slope = (max(linear, 0.0) + largest * noise) / weight if weight > 0 else 0.0
    return AlternativeLaws(second, third, slope)


def linear_variance(measured: SecondMoments, per_spread: float = 0.0) -> float:
    """Variance of the linear part of MMD²_u, or of MMD²_u less `per_spread` times the mean spread.

    The second is what the ratio of the two needs (the delta method), `per_spread` being that ratio.
    """
    m, n = measured.sizes
    own = witness_variances(measured)
    mixed, spread = measured.covariances[:, 0, 1], measured.covariances[:, 1, 1]
    parts = 4 * own - 2 * per_spread * mixed + per_spread**2 / 4 * spread
    return float(max(parts[0], 0.0) / m + max(parts[1], 0.0) / n)


def invert(law: Laws, observed: float, tail: float) -> tuple[float, float]:
    """The values of MMD² under which the observed estimate is not in either tail; never empty, never below 0."""
    start = max(observed, 0.0)
    step = sqrt(law.quadratic + law.slope * start)
    if step <= 1e-9 * start:  # rounding alone
        return start, start
    low = start if law.at(start).sf(observed) < tail else 0.0  # so little is asked for that the estimate is enough
    if low < start and law.at(0.0).sf(observed) < tail:
        low = brent(lambda theta: law.at(theta).sf(observed) - tail, 0.0, start, xtol=1e-6 * step)
    if law.at(start).sf(start) >= 1 - tail:  # resamples that are all the same
        return low, start
    end = start + step
    while law.at(end).sf(start) < 1 - tail:
        end += 2 * (end - start)
    high = brent(lambda theta: law.at(theta).sf(start) - (1 - tail), start, end, xtol=1e-6 * step)
    return low, high


def effect_of(squared: float, spread: float) -> float:
    """The effect size r of an MMD² at this spread."""
    between = max(squared, 0.0) / 4
    return sqrt(between / (spread + between)) if between > 0 else 0.0


@dataclass(frozen=True, eq=False)
class Moments:
    """Embedded samples as the laws beyond H0 see them: what :class:`twosample.planning.profile.Profile` is for rows."""

    sizes: tuple[int, int]  # rows of both
    squared: float  # MMD²_u
    spread: float  # the mean variance in feature space
    covariances: Floats  # as there
    squares: Floats
    triangles: Floats

    @classmethod
    def of(cls, pair: Embedded) -> Moments:
        """Measure two samples; at least four rows each."""
        (x, y), m, n = pair.samples, pair.m, pair.n
        spreads = x.trace * m / (m - 1), y.trace * n / (n - 1)
        squared = float(pair.difference @ pair.difference) - spreads[0] / m - spreads[1] / n
        cross = float(np.vdot(x.covariance, y.covariance)) * m * n / ((m - 1) * (n - 1))
        triangles = np.empty((2, 2, 2))
        triangles[0, 0, 0], triangles[1, 1, 1] = x.cube, y.cube
        triangles[0, 0, 1] = triangles[0, 1, 0] = triangles[1, 0, 0] = x.mixed(y)
        triangles[0, 1, 1] = triangles[1, 0, 1] = triangles[1, 1, 0] = y.mixed(x)
        return cls(
            (m, n),
            squared,
            float(np.mean(spreads)) + pair.residual,
            np.stack([x.witness_covariance(y, pair.mean), y.witness_covariance(x, pair.mean)]),
            np.array([[x.square, cross], [cross, y.square]]),
            triangles,
        )


@dataclass(frozen=True)
class Effect:
    """An effect size r with its interval, and what it is made of."""

    value: float  # r and its interval
    low: float
    high: float
    squared: float  # MMD²_u
    spread: float  # the mean variance in feature space


def effect(pair: Embedded, tail: float) -> Effect:
    """The effect size, and the interval that leaves out `tail` on either side; from 0 to 1 with too few rows."""
    if min(pair.m, pair.n) < ROWS_FOR_INTERVAL:
        return Effect(0.0, 0.0, 1.0, 0.0, 0.0)
    return effect_by(Moments.of(pair), pair, tail)


def effect_by(measured: Moments, pair: Embedded, tail: float) -> Effect:
    """The same from moments that are known."""
    spread, squared = measured.spread, measured.squared
    if spread <= 1e-12 * pair.largest**2 and squared <= spread:
        high = sqrt(min(1.0, _NONE_SEEN / (2 * min(measured.sizes))))  # nothing varies: what may vary was not seen
        return Effect(0.0, 0.0, high, 0.0, spread)
    per_spread = max(squared, 0.0) / spread if spread > 0 else 0.0
    law = beyond(measured, linear_variance(measured, per_spread), squared)
    low, high = invert(law, squared, tail)
    return Effect(effect_of(squared, spread), effect_of(low, spread), effect_of(high, spread), squared, spread)
