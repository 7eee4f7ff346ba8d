"""The Pearson system of curves, fitted to four moments.

About its mean and in units of its standard deviation, a Pearson density solves

    ``f'(z) / f(z) = -(z + a) / (c0 + c1 z + c2 z**2)``,

and its moments determine the coefficients (Elderton and Johnson 1969). With ``b1`` the squared skewness,
``b2`` the kurtosis (3 for the normal law) and ``d = 10 b2 - 12 b1 - 18``:

    ``c0 = (4 b2 - 3 b1) / d``,   ``a = c1 = skewness (b2 + 3) / d``,   ``c2 = (2 b2 - 3 b1 - 6) / d``.

The types, and how each is computed, are told in ``pearson_shapes.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from .pearson_shapes import ConjugateRoots, RealRoots, choose_shape
from .roots import crossing
from .types import Floats

__all__ = ["PearsonCurve", "fit_pearson"]


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
