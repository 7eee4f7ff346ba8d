"""The types of the Pearson system, each with mean 0, variance 1 and skewness of one sign.

The type is decided by the roots of the quadratic, that is by ``1/r = (2 b2 - 3 b1 - 6) / (6 (b2 - b1 - 1))``
and by Pearson's criterion ``kappa = c1**2 / (4 c0 c2) = b1 (r - 2)**2 / (16 (r - 1))``. Up to a factor the
densities are:

- 0, ``1/r = 0`` and ``b1 = 0``, normal: ``exp(-z**2 / 2)``
- I, ``1/r < 0`` (II if ``b1 = 0``), beta: ``(z + p)**(alpha - 1) (q - z)**(beta - 1)``
- III, ``1/r = 0``, gamma: ``(z + p)**(alpha - 1) exp(-p z)``
- IV, ``0 < kappa < 1``: see ``FourShape``
- V, ``kappa = 1``, inverse gamma: ``(z + p)**(-r - 2) exp(-r p / (z + p))``
- VI, ``kappa > 1``, beta prime: ``(z + p)**(alpha - 1) (z + q)**(-alpha - r - 1)``
- VII, ``1/r > 0`` and ``b1 = 0``, Student: ``(1 + z**2 / (r - 1))**(-r/2 - 1)``

Parameters are written so that nothing cancels when they grow without bound next to a simpler type, and
densities refer to their value at the mean. The simpler type takes over when 1/r, 1 - kappa or the skewness is
below 1e-12; there the two agree to about 1e-11. Only where type III meets the normal law, at a skewness of
2e-8, does either of them err by about 2e-8. Tails are accurate to about 1e-12 in relative terms, on both
sides. Negative skewness is the mirror image.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .pearson_four import FourShape
from .types import Floats

_SAME = 1e-12  # 1/r, 1 - kappa or skewness below this: the neighbouring simpler type
_NORMAL = 2e-8  # skewness below which a gamma law is better computed as normal
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


class Shape(Protocol):
    """A curve of mean 0, variance 1 and skewness >= 0 between ``low`` and ``high``."""

    @property
    def kind(self) -> str: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    def sf(self, z: float) -> float: ...
    def cdf(self, z: float) -> float: ...
    def log_density(self, z: Floats) -> Floats: ...


def choose_shape(skewness: float, kurtosis: float) -> Shape:
    """The curve of this skewness, not negative, and kurtosis."""
    b1 = skewness**2
    inverse = (2.0 * kurtosis - 3.0 * b1 - 6.0) / (6.0 * (kurtosis - b1 - 1.0))  # 1/r
    if abs(inverse) < _SAME:
        return NormalShape() if skewness < _NORMAL else GammaShape(-2.0 / skewness, 4.0 / b1)
    if inverse < 0.0:
        return BetaShape.of(skewness if skewness >= _SAME else 0.0, -1.0 / inverse)
    r = 1.0 / inverse
    if skewness < _SAME:
        return StudentShape(r)
    kappa = b1 * (r - 2.0) ** 2 / (16.0 * (r - 1.0))
    if abs(kappa - 1.0) < _SAME:
        return InverseGammaShape(-math.sqrt(r - 1.0), r)
    return FourShape(r, math.sqrt(kappa)) if kappa < 1.0 else BetaPrimeShape.of(skewness, r, kappa)


@dataclass(frozen=True)
class NormalShape:
    """Type 0."""

    kind = "0"
    low = -math.inf
    high = math.inf

    def sf(self, z: float) -> float:
        return self.cdf(-z)

    def cdf(self, z: float) -> float:
        from scipy.special import ndtr

        return float(ndtr(z))

    def log_density(self, z: Floats) -> Floats:
        return -0.5 * z**2 - _LOG_ROOT_TWO_PI


@dataclass(frozen=True)
class GammaShape:
    """Type III: ``z + p = G / p`` with G gamma of shape ``alpha = p**2 = 4 / b1``."""

    low: float  # -p
    alpha: float
    kind = "III"
    high = math.inf

    def sf(self, z: float) -> float:
        from scipy.special import gammaincc

        return float(gammaincc(self.alpha, max((self.low - z) * self.low, 0.0)))

    def cdf(self, z: float) -> float:
        from scipy.special import gammainc

        return float(gammainc(self.alpha, max((self.low - z) * self.low, 0.0)))

    def log_density(self, z: Floats) -> Floats:
        y, inside = _relative(z, -self.low)
        rise = (self.alpha - 1.0) * np.log1p(y) - self.alpha * y
        return np.where(inside, rise - _LOG_ROOT_TWO_PI - _stirling(self.alpha), -np.inf)


@dataclass(frozen=True)
class InverseGammaShape:
    """Type V: ``z + p = r p / G`` with G gamma of shape ``r + 1`` and ``p = sqrt(r - 1)``."""

    low: float  # -p
    r: float
    kind = "V"
    high = math.inf

    def sf(self, z: float) -> float:
        from scipy.special import gammainc

        return float(gammainc(self.r + 1.0, self._gamma(z)))

    def cdf(self, z: float) -> float:
        from scipy.special import gammaincc

        return float(gammaincc(self.r + 1.0, self._gamma(z)))

    def log_density(self, z: Floats) -> Floats:
        y, inside = _relative(z, -self.low)
        rise = self.r * y / (1.0 + y) - (self.r + 2.0) * np.log1p(y)
        at_mean = 0.5 * math.log(self.r / (self.r - 1.0)) - _LOG_ROOT_TWO_PI - _stirling(self.r)
        return np.where(inside, rise + at_mean, -np.inf)

    def _gamma(self, z: float) -> float:
        return self.r * self.low / (self.low - z) if z > self.low else math.inf


@dataclass(frozen=True)
class BetaShape:
    """Types I and II: a beta variable on ``(-p, q)``, with parameters ``alpha + beta = nu = -r``.

    Here ``R = (nu + 2) skewness``, ``S**2 = R**2 + 16 (nu + 1)``, ``p = (S - R) / 4``, ``q = (S + R) / 4``.
    """

    kind: str
    low: float  # -p
    high: float  # q
    alpha: float
    beta: float

    @classmethod
    def of(cls, skewness: float, nu: float) -> BetaShape:
        drift = (nu + 2.0) * skewness
        root = math.hypot(drift, 4.0 * math.sqrt(nu + 1.0))
        p, q = 4.0 * (nu + 1.0) / (root + drift), 0.25 * (root + drift)
        return cls("I" if skewness > 0.0 else "II", -p, q, 2.0 * nu * p / root, 2.0 * nu * q / root)

    def sf(self, z: float) -> float:
        return _beta_tail(self.beta, self.alpha, self.high - z, z - self.low)

    def cdf(self, z: float) -> float:
        return _beta_tail(self.alpha, self.beta, z - self.low, self.high - z)

    def log_density(self, z: Floats) -> Floats:
        y, above = _relative(z, -self.low)
        x, below = _relative(-z, self.high)
        rise = (self.alpha - 1.0) * np.log1p(y) + (self.beta - 1.0) * np.log1p(x)
        nu = self.alpha + self.beta
        remainder = _stirling(self.alpha) + _stirling(self.beta) - _stirling(nu)
        at_mean = 0.5 * math.log(nu / (nu + 1.0)) - _LOG_ROOT_TWO_PI - remainder
        return np.where(above & below, rise + at_mean, -np.inf)


@dataclass(frozen=True)
class BetaPrimeShape:
    """Type VI: ``z + p = (q - p) B`` with B a beta prime variable of parameters ``alpha`` and ``r + 1``.

    Here ``R = (r - 2) skewness``, ``S**2 = R**2 - 16 (r - 1)``, ``p = (R - S) / 4``, ``q = (R + S) / 4``.
    """

    low: float  # -p
    gap: float  # q - p
    alpha: float
    r: float
    kind = "VI"
    high = math.inf

    @classmethod
    def of(cls, skewness: float, r: float, kappa: float) -> BetaPrimeShape:
        root = 4.0 * math.sqrt((r - 1.0) * (kappa - 1.0))
        p = 4.0 * (r - 1.0) / ((r - 2.0) * skewness + root)
        return cls(-p, 0.5 * root, 2.0 * r * p / root, r)

    def sf(self, z: float) -> float:
        return _beta_tail(self.r + 1.0, self.alpha, self.gap, z - self.low)

    def cdf(self, z: float) -> float:
        return _beta_tail(self.alpha, self.r + 1.0, z - self.low, self.gap)

    def log_density(self, z: Floats) -> Floats:
        y, inside = _relative(z, -self.low)
        total = self.alpha + self.r
        x = y * (self.alpha / total)  # (z - mean) / q
        rise = (self.alpha - 1.0) * np.log1p(y * (self.r / total) / (1.0 + x)) - (self.r + 2.0) * np.log1p(x)
        remainder = _stirling(self.alpha) + _stirling(self.r) - _stirling(total)
        at_mean = 0.5 * math.log(self.r / (self.r - 1.0)) - _LOG_ROOT_TWO_PI - remainder
        return np.where(inside, rise + at_mean, -np.inf)


@dataclass(frozen=True)
class StudentShape:
    """Type VII: Student's law with ``r + 1`` degrees of freedom, scaled to unit variance."""

    r: float
    kind = "VII"
    low = -math.inf
    high = math.inf

    def sf(self, z: float) -> float:
        return self.cdf(-z)

    def cdf(self, z: float) -> float:
        from scipy.special import stdtr

        return float(stdtr(self.r + 1.0, z * math.sqrt((self.r + 1.0) / (self.r - 1.0))))

    def log_density(self, z: Floats) -> Floats:
        half = 0.5 * (self.r + 1.0)
        # log(Gamma(half + 1/2) / Gamma(half)) - log(half) / 2
        ratio = half * math.log1p(0.5 / half) - 0.5 + _stirling(half + 0.5) - _stirling(half)
        at_mean = ratio + 0.5 * math.log((self.r + 1.0) / (self.r - 1.0)) - _LOG_ROOT_TWO_PI
        return at_mean - (half + 0.5) * np.log1p(z**2 / (self.r - 1.0))


def _beta_tail(a: float, b: float, x: float, y: float) -> float:
    """The incomplete beta ratio of ``a``, ``b`` at ``x / (x + y)``, whichever of ``x`` and ``y`` is small."""
    from scipy.special import betainc, betaincc

    if x <= 0.0 or y <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    return float(betainc(a, b, x / (x + y)) if x < y else betaincc(b, a, y / (x + y)))


def _stirling(x: float) -> float:
    """Remainder of Stirling's formula: ``log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2``."""
    if x < 16.0:
        return math.lgamma(x) - (x - 0.5) * math.log(x) + x - _LOG_ROOT_TWO_PI
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


def _relative(z: Floats, p: float) -> tuple[Floats, NDArray[np.bool_]]:
    """``z / p`` where it exceeds -1 and 0 elsewhere, and where that is."""
    y = z / p
    inside = y > -1.0
    return np.where(inside, y, 0.0), inside
