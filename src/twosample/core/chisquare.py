"""Weighted sums of chi-square variables.

Under H0 a degenerate statistic has the limit ``sum_l lambda_l (Z_l**2 - 1)`` (the paper's theorem on the
asymptotic distribution of MMD^2_u). How its tails are computed, and how exactly, is told in ``inversion.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .inversion import ChiSquareSum
from .types import Floats

__all__ = ["WeightedChiSquare"]


@dataclass(frozen=True, eq=False)
class WeightedChiSquare:
    """The law of ``T = shift + sum_l weights[l] * Z_l**2`` with independent standard normal ``Z_l``.

    Both tails are accurate in relative terms, whatever the unit of the weights (see ``inversion.py``). If all
    nonzero weights are equal the closed form is used; if there are none the law is the point ``shift``.

    References
    ----------
    Imhof 1961, Biometrika 48; Davies 1980, Applied Statistics 29; Rice 1980, SIAM Journal on Scientific and
    Statistical Computing 1; Lugannani and Rice 1980, Advances in Applied Probability 12; Kuonen 1999,
    Biometrika 86.

    Examples
    --------
    >>> law = WeightedChiSquare(np.array([0.5, 0.3, 0.2]), shift=-1.0)
    >>> law.sf(1.0), law.isf(0.05)
    (0.115557698852, 1.707552945487)
    """

    weights: Floats  # one-dimensional, finite, of any sign; zeros do not matter. Kept as a read-only copy
    shift: float = 0.0  # added constant; -weights.sum() gives the centred law

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.ndim != 1:
            raise ValueError(f"weights must be one-dimensional, got an array of shape {weights.shape}")
        if not (np.isfinite(weights).all() and math.isfinite(self.shift)):
            raise ValueError("weights and shift must be finite")
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "shift", float(self.shift))

    @property
    def mean(self) -> float:
        """``shift + sum(weights)``."""
        return self.shift + math.fsum(self.weights)

    @property
    def variance(self) -> float:
        """``2 * sum(weights**2)``."""
        return 2.0 * self._scale * self._scale if self._spectrum.values.size else 0.0

    def sf(self, t: float) -> float:
        """``P(T >= t)``; zero only outside the support or below the smallest double."""
        half, place = self._half(t)
        return math.exp(half.log_tail(place)) if half is self._spectrum else -math.expm1(half.log_tail(place))

    def isf(self, level: float) -> float:
        """The ``t`` with ``P(T >= t) = level``, at the cost of some ten tails.

        Levels 0 and 1 give the ends of the support.
        """
        if not 0.0 <= level <= 1.0:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        spectrum = self._spectrum
        if spectrum.values.size == 0:
            return self.shift
        log_level = math.log(level) if level > 0.0 else -math.inf
        if log_level <= spectrum.log_tail(spectrum.mean):
            return self.shift + self._scale * spectrum.quantile(log_level)
        log_rest = math.log1p(-level) if level < 1.0 else -math.inf
        return self.shift - self._scale * spectrum.mirrored.quantile(log_rest)

    def pdf(self, t: Floats) -> Floats:
        """Density at each element of ``t``, as exact and costly as a tail; zeros if the law is a point."""
        points = np.asarray(t, dtype=np.float64)
        if self._spectrum.values.size == 0:
            return np.zeros_like(points)
        halves = map(self._half, points.ravel().tolist())
        logs = np.array([half.log_density(place) for half, place in halves], dtype=np.float64)
        return np.exp(logs.reshape(points.shape)) / self._scale

    def _half(self, t: float) -> tuple[ChiSquareSum, float]:
        """The scaled law or its mirror image, and the place of ``t`` in the upper half of it."""
        if math.isnan(t):
            raise ValueError("t must be a number, got nan")
        place = (float(t) - self.shift) / self._scale
        return (self._spectrum, place) if place >= self._spectrum.mean else (self._spectrum.mirrored, -place)

    @cached_property
    def _scale(self) -> float:
        """Root of the sum of squared weights; one if they are all zero."""
        largest = float(np.abs(self.weights).max(initial=0.0))
        return largest * float(np.linalg.norm(self.weights / largest)) if largest > 0.0 else 1.0

    @cached_property
    def _spectrum(self) -> ChiSquareSum:
        scaled = self.weights / self._scale
        values, counts = np.unique(scaled[np.abs(scaled) > 1e-100], return_counts=True)
        return ChiSquareSum(values, counts.astype(np.float64))
