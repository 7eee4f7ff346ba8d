"""The Pearson system of curves, fitted to four moments.

About its mean and in units of its standard deviation, a Pearson density solves

    ``f'(z) / f(z) = -(z + a) / (c0 + c1 z + c2 z**2)``,

and its moments determine the coefficients (Elderton and Johnson 1969). With ``b1`` the squared skewness,
``b2`` the kurtosis (3 for the normal law) and ``d = 10 b2 - 12 b1 - 18``:

    ``c0 = (4 b2 - 3 b1) / d``,   ``a = c1 = skewness (b2 + 3) / d``,   ``c2 = (2 b2 - 3 b1 - 6) / d``.

Every type is computed with mean 0, variance 1 and a skewness that is not negative. The roots of the quadratic decide
it, by ``1/r = (2 b2 - 3 b1 - 6) / (6 (b2 - b1 - 1))`` and Pearson's criterion
``kappa = c1**2 / (4 c0 c2) = b1 (r - 2)**2 / (16 (r - 1))``. They are real for I (``r < 0``; II if ``b1 = 0``), III
(``1/r = 0``), V (``kappa = 1``), VI (``kappa > 1``) and the normal law (0): ``RealRoots``. They are conjugate for IV
(``0 < kappa < 1``) and for VII, Student's law (``b1 = 0``): ``ConjugateRoots``.

The simpler type takes over when 1/r, 1 - kappa or the skewness is below 1e-12; there the two agree to about
1e-11. Only where type III meets the normal law, at a skewness of 2e-8, does either of them err by about 2e-8.
Tails are accurate to about 1e-12 in relative terms, on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .roots import crossing
from .types import Floats

__all__ = ["PearsonCurve", "fit_pearson"]
_SAME = 1e-12  # 1/r, 1 - kappa or skewness below this: the neighbouring simpler type
_NORMAL = 2e-8  # skewness below which a gamma law is better computed as normal
_LEAST = np.nextafter(-1.0, 0.0)  # for what exceeds -1 and may be rounded to it
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(16)


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
    shape = choose_shape(abs(skewness), kurtosis)
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
    shape: RealRoots | ConjugateRoots = field(repr=False)

    def sf(self, t: float) -> float:
        """``P(T >= t)``; zero only outside the support or below the smallest double."""
        if math.isnan(t):
            raise ValueError("t must be a number, got nan")
        return self.shape.tail((float(t) - self.mean) / self._deviation, self._sign)

    def isf(self, level: float) -> float:
        """The ``t`` with ``P(T >= t) = level``, at the cost of some ten tails.

        Levels 0 and 1 give the ends of the support.
        """
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        if level <= self.shape.tail(0.0, self._sign):
            return self.mean + self._deviation * self._quantile(_log(level), self._sign)
        log_rest = math.log1p(-level) if level < 1.0 else -math.inf
        return self.mean - self._deviation * self._quantile(log_rest, -self._sign)

    def pdf(self, t: Floats) -> Floats:
        """Density at each element of ``t``; zero outside the support."""
        z = np.clip((np.asarray(t, dtype=np.float64) - self.mean) / self._deviation, -1e150, 1e150)
        return np.exp(self.shape.log_density(self._sign * z)) / self._deviation

    @property
    def _deviation(self) -> float:
        return math.sqrt(self.variance)

    @property
    def _sign(self) -> int:
        """The side of the mean on which the shape lies that it has above its own: 1 or, mirrored, -1."""
        return -1 if self.skewness < 0.0 else 1

    def _quantile(self, log_level: float, sign: int) -> float:
        """The ``z >= 0`` beyond which the shape has this log probability, above (1) or below (-1) its mean."""
        end = self.shape.end(sign)
        if log_level == -math.inf:
            return end

        def place(y: float) -> float:  # scales on which the logarithm of the tail is not far from linear
            return math.expm1(y) if end == math.inf else -end * math.expm1(-y / end)

        return place(crossing(lambda y: _log(self.shape.tail(place(y), sign)), log_level))


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0.0 else -math.inf


def choose_shape(skewness: float, kurtosis: float) -> RealRoots | ConjugateRoots:
    """The curve of this skewness, not negative, and kurtosis."""
    b1 = skewness**2
    inverse = (2.0 * kurtosis - 3.0 * b1 - 6.0) / (6.0 * (kurtosis - b1 - 1.0))  # 1/r
    if abs(inverse) < _SAME:
        p = 2.0 / skewness if skewness >= _NORMAL else math.inf
        return RealRoots("III" if p < math.inf else "0", p, math.inf, p**2, math.inf)
    skewness = skewness if skewness >= _SAME else 0.0
    r = 1.0 / inverse
    kappa = (skewness * (r - 2.0)) ** 2 / (16.0 * (r - 1.0))
    if abs(kappa - 1.0) < _SAME:
        return RealRoots("V", math.sqrt(r - 1.0), math.sqrt(r - 1.0), math.inf, r)
    if r > 0.0 and kappa < 1.0:
        return ConjugateRoots("IV" if skewness else "VII", r, math.sqrt(kappa))
    root = 4.0 * math.sqrt((r - 1.0) * (kappa - 1.0))  # 2 |q - p|
    longer = 0.25 * (skewness * abs(r - 2.0) + root)
    p = abs(r - 1.0) / longer
    kind = "VI" if r > 0.0 else "I" if skewness else "II"
    return RealRoots(kind, p, math.copysign(longer, r), 2.0 * abs(r) * p / root, r)


@dataclass(frozen=True)
class RealRoots:
    """The law with density ``(1 + z/p)**(alpha - 1) (1 + z/q)**(-alpha - r - 1)`` up to a factor.

    Its support begins at ``-p``. For ``q < 0`` it ends at ``-q``, with a beta law between; for ``q > p`` it has
    no end, and ``(z + p) / (q - p)`` has the beta prime law of ``alpha`` and ``r + 1``. An infinite ``r`` (and
    ``q``) gives the gamma law, an infinite ``alpha`` (and ``q = p``) the inverse gamma law, both the normal
    law. The formulas keep their accuracy next to these limits.
    """

    kind: str
    p: float
    q: float
    alpha: float
    r: float

    def end(self, sign: int) -> float:
        """How far the support reaches above (1) or below (-1) the mean."""
        return self.p if sign < 0 else -self.q if self.q < 0.0 else math.inf

    def tail(self, z: float, sign: int) -> float:
        """``P(sign * Z >= z)``."""
        from scipy import special

        if self.p == math.inf:
            return float(special.ndtr(-z))
        below, above = self.p + sign * z, self.end(1) - sign * z  # distances to the ends
        if below <= 0.0 or above <= 0.0:
            return float((below <= 0.0) == (sign > 0))
        gamma, rest = (special.gammainc, special.gammaincc)[::-sign]  # reversed for the upper tail
        if self.r == math.inf:
            return float(gamma(self.alpha, self.p * below))
        if self.alpha == math.inf:
            return float(rest(self.r + 1.0, self.r * self.p / below))
        near = self.alpha, below
        far = (self.r + 1.0, self.r * self.p / self.alpha) if self.r > 0.0 else (-self.alpha - self.r, above)
        (a, x), (b, y) = (near, far)[::-sign]
        return float(special.betainc(a, b, x / (x + y)) if x < y else special.betaincc(b, a, y / (x + y)))

    def log_density(self, z: Floats) -> Floats:
        """Log density at each ``z``."""
        inside = (z > -self.p) & (z < self.end(1))
        z = np.where(inside, z, 0.0)
        alpha, r, x = self.alpha, self.r, z / self.q
        if self.p == math.inf:
            rise = -0.5 * z**2
        elif r == math.inf:
            rise = (alpha - 1.0) * np.log1p(z / self.p) - self.p * z
        elif alpha == math.inf:
            rise = r * x / (1.0 + x) - (r + 2.0) * np.log1p(x)
        else:
            rise = (alpha - 1.0) * np.log1p(np.maximum(r / alpha * x / (1.0 + x), _LEAST)) - (r + 2.0) * np.log1p(x)
        remainder = _stirling(alpha) + _stirling(r) - _stirling(alpha + r)
        at_mean = -0.5 * (math.log1p(-1.0 / r) + math.log(2.0 * math.pi)) - remainder
        return np.where(inside, rise + at_mean, -np.inf)


@dataclass(frozen=True)
class ConjugateRoots:
    """Types IV and VII (``c = 0``), with ``u = z / sqrt(r - 1)``, ``c**2 = kappa`` and ``s**2 = 1 - kappa``.

    The log density is ``-(r/2 + 1) log(1 + 2 c u + u**2) + (r c / s) angle`` and a constant, where ``angle``
    is the argument of ``1 + c u + i s u``. This form stays accurate for s -> 0 (type V) and large r (type 0).
    In ``v = arsinh u`` the density is unimodal and falls exponentially on both sides; Gauss-Legendre panels
    integrate it from its largest value to where it is 40 nats lower.
    """

    kind: str
    r: float
    c: float

    def end(self, sign: int) -> float:
        """The support has none, on either side."""
        return math.inf

    def tail(self, z: float, sign: int) -> float:
        """``P(sign * Z >= z)``."""
        if self.c == 0.0:
            from scipy.special import stdtr

            return float(stdtr(self.r + 1.0, -z * math.sqrt((self.r + 1.0) / (self.r - 1.0))))
        return min(math.exp(self._log_mass(z, sign * self.c) - self._log_total), 1.0)

    def log_density(self, z: Floats) -> Floats:
        """Log density at each ``z``."""
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


def _stirling(x: float) -> float:
    """Remainder of Stirling's formula, odd: ``log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2`` for x > 0."""
    if x < 0.0:
        return -_stirling(-x)
    if x < 16.0:
        return math.lgamma(x) - (x - 0.5) * math.log(x) + x - 0.5 * math.log(2.0 * math.pi)
    y = 1.0 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


def _foot(height: Callable[[Floats], Floats], top: float, step: float) -> float:
    """Where a function has fallen by about 40 from its value at ``top``, in the direction of ``step``."""
    floor = float(height(np.array(top))) - 40.0
    while float(height(np.array(top + step))) > floor:
        step *= 1.25
    return top + step
