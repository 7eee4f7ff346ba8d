"""The law of MMD²_u when MMD² has a given value: three moments and the gamma curve through them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..core.distributions import Distribution, GammaLaw, NormalLaw, PointLaw
from ..core.types import Floats

_FAR = 1e-3

_DRAWN = 1_000_000


class Seen(Protocol):
    """Two samples as the laws beyond H0 see them, however that was measured; a :class:`Profile` is one."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""
        ...

    @property
    def covariances(self) -> Floats:
        """``(2, 2, 2)``: for each sample the covariance of the witness and of the part in its spread."""
        ...

    @property
    def squares(self) -> Floats:
        """``(2, 2)`` traces of C_a C_b."""
        ...

    @property
    def triangles(self) -> Floats:
        """``(2, 2, 2)`` traces of C_a C_b C_c."""
        ...

    def witness_variances(self) -> Floats:
        """``(2,)`` variances of the true witness over each sample."""
        ...


class Laws(Protocol):
    """Laws of MMD²_u around any true value of MMD², at given sample sizes."""

    @property
    def quadratic(self) -> float:
        """Variance of the degenerate part."""
        ...

    @property
    def slope(self) -> float:
        """Variance of the linear part for every unit of MMD²."""
        ...

    def at(self, theta: float) -> Distribution:
        """The law of the unbiased estimate when MMD² is `theta`."""
        ...


@dataclass(frozen=True)
class Beyond:
    r"""Laws of MMD²_u around any true value :math:`\theta` of MMD², at given sample sizes.

    The direction of the difference is held fixed while its size varies, so that :math:`\delta'C\delta` is
    proportional to :math:`\theta`; and :math:`\delta'C^2\delta \approx (\delta'C\delta)^2/\theta`, which is its least
    possible value and exact for one direction.

    Parameters
    ----------
    quadratic
        Variance of the degenerate part, 2 tr C².
    cubic
        Its third cumulant, 8 tr C³.
    slope
        Variance of the linear part for every unit of MMD².
    """

    quadratic: float
    cubic: float
    slope: float

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
    """The law of `top` - T: small values of T are the evidence.

    Parameters
    ----------
    law
        The law of T. A gamma curve ends on the left, and T does not quite: beyond 1/1000 the tail of the normal law
        with the same two moments is used where it is heavier.
    top
        What T is subtracted from.
    normal
        That normal law.
    """

    law: Distribution
    top: float
    normal: Distribution

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


def cumulants(seen: Seen, m: int, n: int) -> tuple[float, float]:
    """Variance and third cumulant of the degenerate part of MMD²_u at sizes m and n."""
    r = 1 / np.array([m, n])
    second = 2 * float(r @ seen.squares @ r)
    third = 8 * float(np.einsum("abc,a,b,c->", seen.triangles, r, r, r))
    return second, third


def beyond(seen: Seen, linear: float, squared: float, caution: float = 1.0) -> Beyond:
    r"""The laws at the sizes of the samples themselves.

    The slope is estimated by `linear` over `squared`. Where MMD² is not much larger than its own noise that ratio
    says little, so it is drawn towards the largest that can be, :math:`4\lambda_{\max}(C)`, with the weight of
    `caution` standard deviations of the degenerate part.

    Parameters
    ----------
    seen
        The samples.
    linear
        Variance of the linear part.
    squared
        The estimate of MMD² that it belongs to.
    caution
        How far to lean towards the wider law.
    """
    second, third = cumulants(seen, *seen.sizes)
    largest = 4 * (third / 8) ** (1 / 3)
    noise = caution * float(np.sqrt(second))
    weight = max(squared, 0.0) + noise
    slope = (max(linear, 0.0) + largest * noise) / weight if weight > 0 else 0.0
    return Beyond(second, third, slope)


def linear_variance(seen: Seen, per_spread: float = 0.0) -> float:
    """Variance of the linear part of MMD²_u, or of MMD²_u less `per_spread` times the mean spread.

    The second is what the ratio of the two needs (the delta method), `per_spread` being that ratio.
    """
    m, n = seen.sizes
    own = seen.witness_variances()
    mixed, spread = seen.covariances[:, 0, 1], seen.covariances[:, 1, 1]
    parts = 4 * own - 2 * per_spread * mixed + per_spread**2 / 4 * spread
    return float(max(parts[0], 0.0) / m + max(parts[1], 0.0) / n)
