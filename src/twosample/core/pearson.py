"""The Pearson system of curves, fitted to four moments.

About its mean and in units of its standard deviation, a Pearson density solves

    ``f'(z) / f(z) = -(z + a) / (c0 + c1 z + c2 z**2)``,

and its moments determine the coefficients (Elderton and Johnson 1969). With ``b1`` the squared skewness,
``b2`` the kurtosis (3 for the normal law) and ``d = 10 b2 - 12 b1 - 18``:

    ``c0 = (4 b2 - 3 b1) / d``,   ``a = c1 = skewness (b2 + 3) / d``,   ``c2 = (2 b2 - 3 b1 - 6) / d``.

The type is decided by the roots of the quadratic, that is by ``1/r = (2 b2 - 3 b1 - 6) / (6 (b2 - b1 - 1))``
and by Pearson's criterion ``kappa = c1**2 / (4 c0 c2) = b1 (r - 2)**2 / (16 (r - 1))``. Up to a factor the
densities are:

- 0, ``1/r = 0`` and ``b1 = 0``, normal: ``exp(-z**2 / 2)``
- I, ``1/r < 0`` (II if ``b1 = 0``), beta: ``(z + p)**(alpha - 1) (q - z)**(beta - 1)``
- III, ``1/r = 0``, gamma: ``(z + p)**(alpha - 1) exp(-p z)``
- IV, ``0 < kappa < 1``: see ``_FourShape``
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
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .chisquare import crossing
from .types import Floats

__all__ = ["PearsonCurve", "fit_pearson"]

_SAME = 1e-12  # 1/r, 1 - kappa or skewness below this: the neighbouring simpler type
_NORMAL = 2e-8  # skewness below which a gamma law is better computed as normal
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)
_LOG_ROOT_TWO_PI = 0.5 * math.log(2.0 * math.pi)


def fit_pearson(mean: float, variance: float, skewness: float, kurtosis: float) -> PearsonCurve:
    """The curve of the Pearson system with these four moments.

    Parameters
    ----------
    mean, variance
        Any mean, a positive variance.
    skewness
        Third central moment over ``variance**1.5``, of any sign.
    kurtosis
        Fourth central moment over ``variance**2``: 3 for the normal law, not the excess. No law has
        ``kurtosis < skewness**2 + 1``, and only laws on two points have equality: both raise ValueError.

    Returns
    -------
    PearsonCurve
        Tail, its inverse, and density.

    References
    ----------
    Pearson 1895, Philosophical Transactions A 186; Elderton and Johnson 1969, Systems of Frequency Curves;
    Heinrich 2004, A Guide to the Pearson Type IV Distribution, CDF note 6820.

    Examples
    --------
    >>> curve = fit_pearson(mean=0.0, variance=1.0, skewness=1.0, kurtosis=5.0)
    >>> curve.kind, curve.isf(0.05)
    ('IV', 1.837098024417)
    """
    moments = (mean, variance, skewness, kurtosis)
    if not all(map(math.isfinite, moments)):
        raise ValueError(f"mean, variance, skewness and kurtosis must be finite, got {moments!r}")
    if variance <= 0.0:
        raise ValueError(f"variance must be positive, got {variance!r}")
    if not kurtosis > skewness**2 + 1.0:
        raise ValueError(
            f"kurtosis must exceed skewness**2 + 1 = {skewness**2 + 1.0!r} (no continuous law has less), "
            f"got kurtosis={kurtosis!r} with skewness={skewness!r}"
        )
    shape = _choose_shape(abs(skewness), kurtosis)
    return PearsonCurve(shape.kind, float(mean), float(variance), float(skewness), float(kurtosis), shape)


@dataclass(frozen=True)
class PearsonCurve:
    """A member of the Pearson system; made by :func:`fit_pearson`.

    Attributes
    ----------
    kind
        '0', 'I', 'II', 'III', 'IV', 'V', 'VI' or 'VII'.
    mean, variance, skewness, kurtosis
        The moments, the kurtosis not as the excess.
    shape
        The curve with mean 0, variance 1 and the absolute skewness.
    """

    kind: str
    mean: float
    variance: float
    skewness: float
    kurtosis: float
    shape: _Shape = field(repr=False)

    def sf(self, t: float) -> float:
        """``P(T >= t)``; zero only outside the support or below the smallest double."""
        if math.isnan(t):
            raise ValueError("t must be a number, got nan")
        return self._upper((float(t) - self.mean) / self._deviation)

    def isf(self, level: float) -> float:
        """The ``t`` with ``P(T >= t) = level``, at the cost of some ten tails.

        Levels 0 and 1 give the ends of the support.
        """
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        ends = (-self.shape.low, self.shape.high)
        low, high = ends[::-1] if self.skewness < 0.0 else ends
        if level <= self._upper(0.0):
            return self.mean + self._deviation * _quantile(self._upper, high, _log(level))
        log_rest = math.log1p(-level) if level < 1.0 else -math.inf
        return self.mean - self._deviation * _quantile(self._lower, low, log_rest)

    def pdf(self, t: Floats) -> Floats:
        """Density at each element of ``t``; zero outside the support."""
        z = np.clip((np.asarray(t, dtype=np.float64) - self.mean) / self._deviation, -1e150, 1e150)
        return np.exp(self.shape.log_density(-z if self.skewness < 0.0 else z)) / self._deviation

    @property
    def _deviation(self) -> float:
        return math.sqrt(self.variance)

    def _upper(self, z: float) -> float:
        """Probability of more than ``z`` standard deviations above the mean."""
        return self.shape.cdf(-z) if self.skewness < 0.0 else self.shape.sf(z)

    def _lower(self, z: float) -> float:
        """Probability of more than ``z`` standard deviations below the mean."""
        return self.shape.sf(z) if self.skewness < 0.0 else self.shape.cdf(-z)


class _Shape(Protocol):
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


def _choose_shape(skewness: float, kurtosis: float) -> _Shape:
    b1 = skewness**2
    inverse = (2.0 * kurtosis - 3.0 * b1 - 6.0) / (6.0 * (kurtosis - b1 - 1.0))  # 1/r
    if abs(inverse) < _SAME:
        return _NormalShape() if skewness < _NORMAL else _GammaShape(-2.0 / skewness, 4.0 / b1)
    if inverse < 0.0:
        return _BetaShape.of(skewness if skewness >= _SAME else 0.0, -1.0 / inverse)
    r = 1.0 / inverse
    if skewness < _SAME:
        return _StudentShape(r)
    kappa = b1 * (r - 2.0) ** 2 / (16.0 * (r - 1.0))
    if abs(kappa - 1.0) < _SAME:
        return _InverseGammaShape(-math.sqrt(r - 1.0), r)
    return _FourShape(r, math.sqrt(kappa)) if kappa < 1.0 else _BetaPrimeShape.of(skewness, r, kappa)


@dataclass(frozen=True)
class _NormalShape:
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
class _GammaShape:
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
class _InverseGammaShape:
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
class _BetaShape:
    """Types I and II: a beta variable on ``(-p, q)``, with parameters ``alpha + beta = nu = -r``.

    Here ``R = (nu + 2) skewness``, ``S**2 = R**2 + 16 (nu + 1)``, ``p = (S - R) / 4``, ``q = (S + R) / 4``.
    """

    kind: str
    low: float  # -p
    high: float  # q
    alpha: float
    beta: float

    @classmethod
    def of(cls, skewness: float, nu: float) -> _BetaShape:
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
class _BetaPrimeShape:
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
    def of(cls, skewness: float, r: float, kappa: float) -> _BetaPrimeShape:
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
class _StudentShape:
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


@dataclass(frozen=True)
class _FourShape:
    """Type IV, with ``u = z / sqrt(r - 1)``, ``c**2 = kappa`` and ``s**2 = 1 - kappa``.

    The log density is ``-(r/2 + 1) log(1 + 2 c u + u**2) + (r c / s) angle`` and a constant, where ``angle``
    is the argument of ``1 + c u + i s u``. This form stays accurate for s -> 0 (type V) and large r (type 0).
    In ``v = arsinh u`` the density is unimodal and falls exponentially on both sides; Gauss-Legendre panels
    integrate it from its largest value to where it is 40 nats lower.
    """

    r: float
    c: float
    kind = "IV"
    low = -math.inf
    high = math.inf

    def sf(self, z: float) -> float:
        return min(math.exp(self._log_mass(z, self.c) - self._log_total), 1.0)

    def cdf(self, z: float) -> float:
        return min(math.exp(self._log_mass(-z, -self.c) - self._log_total), 1.0)

    def log_density(self, z: Floats) -> Floats:
        unit = math.sqrt(self.r - 1.0)
        return self._log_curve(z / unit, self.c) - self._log_total - math.log(unit)

    @cached_property
    def _log_total(self) -> float:
        return self._log_mass(-math.inf, self.c)

    def _log_curve(self, u: Floats, c: float) -> Floats:
        s = math.sqrt(1.0 - c * c)
        angle = np.arctan2(s * u, 1.0 + c * u)
        return (self.r * c / s) * angle - (0.5 * self.r + 1.0) * np.log1p(u * (2.0 * c + u))

    def _log_mass(self, z: float, c: float) -> float:
        """Log of the integral from ``z`` to infinity of the curve with this ``c``."""

        def height(v: Floats) -> Floats:
            return self._log_curve(np.sinh(v), c) + np.log(np.cosh(v))

        step = 1.0 / math.sqrt(self.r)
        mode = math.asinh(-2.0 * c / (self.r + 1.0))  # to first order: good enough to start from
        begin = math.asinh(min(z, 1e100) / math.sqrt(self.r - 1.0))  # nothing is left beyond 1e100
        top = max(begin, mode)
        bottom = max(begin, _foot(height, mode, -step)) if begin < mode else top
        corners = np.concatenate([np.linspace(bottom, top, 9), np.linspace(top, _foot(height, top, step), 9)])
        halves = 0.5 * np.diff(corners)[:, None]
        nodes = corners[:-1, None] + halves * (1.0 + _NODES)  # (panels, nodes)
        peak = float(height(np.array(top)))
        return peak + math.log(float((np.exp(height(nodes) - peak) @ _NODE_WEIGHTS @ halves)[0]))


def _foot(height: Callable[[Floats], Floats], top: float, step: float) -> float:
    """Where a function has fallen by about 40 from its value at ``top``, in the direction of ``step``."""
    floor = float(height(np.array(top))) - 40.0
    while float(height(np.array(top + step))) > floor:
        step *= 1.25
    return top + step


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


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0.0 else -math.inf


def _quantile(tail: Callable[[float], float], end: float, log_level: float) -> float:
    """The ``z >= 0`` with ``log tail(z) = log_level``, for a tail that vanishes at ``end``."""
    if log_level == -math.inf:
        return end

    def place(y: float) -> float:  # scales on which the logarithm of the tail is not far from linear
        return math.expm1(y) if end == math.inf else -end * math.expm1(-y / end)

    return place(crossing(lambda y: _log(tail(place(y))), log_level))
