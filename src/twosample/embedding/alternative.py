"""When the samples do differ: the distribution of MMD²_u around any true MMD², the effect size and its interval.

Three moments, and the gamma curve through them; :mod:`twosample.planning.profile` has the formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Protocol

import numpy as np

from ..core.laws import Distribution, GammaLaw, NormalLaw, PointLaw
from ..core.roots import brent
from ..core.types import Floats
from .pair import Embedded

ROWS_FOR_INTERVAL = 4  # with fewer rows in a sample nothing is known of the spread

_FAR = 1e-3


class SecondMoments(Protocol):
    """Two samples as the laws beyond H0 see them, however that was measured; a :class:`Profile` is one."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""

    @property
    def squared(self) -> float:
        """MMD²_u."""

    @property
    def spread(self) -> float:
        """The mean variance in feature space."""

    @property
    def covariances(self) -> Floats:
        """``(2, 2, 2)``: for each sample the covariance of the witness and of the part in its spread."""

    @property
    def squares(self) -> Floats:
        """``(2, 2)`` traces of C_a C_b."""

    @property
    def triangles(self) -> Floats:
        """``(2, 2, 2)`` traces of C_a C_b C_c."""

    @property
    def heaviest(self) -> Floats:
        """``(2,)`` what the heaviest single point has in the trace of C_a, plug-in: no more than the norm of C_a."""


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


def beyond(measured: SecondMoments, per_spread: float = 0.0) -> AlternativeLaws:
    r"""The laws of MMD²_u at the sizes of the samples themselves; `per_spread` as in :func:`linear_variance`.

    By the larger of two covariances: that of each sample, and one for both. Ten rows that are all 0 know nothing of a
    value that one row in fifty has; the larger sample beside them may.
    """
    r, share = 1 / np.array(measured.sizes), np.array(measured.sizes) / sum(measured.sizes)
    own = _seen(measured, float((r * measured.heaviest).max()))
    shared = _shared(measured, share)
    second, third = np.maximum(own, _seen(shared, float(r.sum() * (share * measured.heaviest).max()))).tolist()
    linear = max(linear_variance(one, per_spread) for one in (measured, shared))
    return alternative_laws(second, third, linear, measured.squared)


def _seen(measured: SecondMoments, norm: float) -> tuple[float, float]:
    """Cumulants of the degenerate part, for an operator whose norm is at least `norm`.

    Traces without a diagonal need two rows of a kind to see any: of one row that differs from all others they are 0. No
    trace of a square is below the norm squared, and none of a third power above that of the square to the power of 3/2.
    """
    second, third = cumulants(measured, *measured.sizes)
    second = max(second, 2 * norm**2)
    return second, min(max(third, 8 * norm**3), 8 * (second / 2) ** 1.5)


def _shared(measured: SecondMoments, share: Floats) -> EmbeddedMoments:
    """The two samples as if they had one covariance: the mean of theirs, by rows."""
    triangle = np.einsum("abc,a,b,c->", measured.triangles, share, share, share)
    return EmbeddedMoments(
        measured.sizes,
        measured.squared,
        measured.spread,
        np.stack([np.tensordot(share, measured.covariances, axes=1)] * 2),
        np.full((2, 2), share @ measured.squares @ share),
        np.full((2, 2, 2), triangle),
        measured.heaviest,
    )


def alternative_laws(second: float, third: float, linear: float, squared: float) -> AlternativeLaws:
    r"""The laws from the cumulants of the degenerate part.

    The slope is estimated by `linear`, the variance of the linear part, over `squared`, the estimate of MMD² that it
    belongs to. Where MMD² is not much larger than its own noise that ratio says little, so it is drawn towards the
    largest that can be, :math:`4\lambda_{\max}(C)`, with the weight of a standard deviation of the degenerate part.
    """
    largest = 4 * (third / 8) ** (1 / 3)
    noise = float(np.sqrt(second))
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
class EmbeddedMoments:
    """Embedded samples as the laws beyond H0 see them: what :class:`twosample.planning.profile.Profile` is for rows."""

    sizes: tuple[int, int]  # rows of both
    squared: float  # MMD²_u
    spread: float  # the mean variance in feature space
    covariances: Floats  # as there
    squares: Floats
    triangles: Floats
    heaviest: Floats

    @classmethod
    def of(cls, pair: Embedded) -> EmbeddedMoments:
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
            np.array([x.heaviest, y.heaviest]),
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
    return effect_by(EmbeddedMoments.of(pair), pair, tail)


def effect_by(measured: EmbeddedMoments, pair: Embedded, tail: float) -> Effect:
    """The same from moments that are known."""
    value, low, high = effect_interval(measured, tail, 1e-12 * pair.largest**2)
    return Effect(value, low, high, measured.squared, measured.spread)


def effect_interval(measured: SecondMoments, tail: float, rounding: float) -> tuple[float, float, float]:
    """The effect size and its interval, which leaves out `tail` on either side; up to `rounding` nothing is there."""
    squared, spread = measured.squared, measured.spread
    if spread <= rounding:  # nothing varies: what may vary was not seen
        hidden = unseen(tail, min(measured.sizes))
        return (0.0, 0.0, sqrt(hidden / (2 - hidden))) if squared <= rounding else (1.0, 1 - hidden, 1.0)
    low, high = invert(beyond(measured, max(squared, 0.0) / spread), squared, tail)
    return effect_of(squared, spread), effect_of(low, spread), effect_of(high, spread)


def unseen(tail: float, rows: int) -> float:
    """The share of other rows of which so many rows have none with probability `tail`; of two samples in sum."""
    return min(1.0, -log(tail) / rows)
