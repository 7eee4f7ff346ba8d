"""Continuous laws of a statistic under H0: plain distributions, and how a test reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt
from typing import Protocol

import numpy as np

from .types import Floats


class Distribution(Protocol):
    """A law on the line."""

    def sf(self, t: float) -> float:
        """P(T >= t)."""

    def isf(self, level: float) -> float:
        """The t with P(T >= t) = level."""

    def pdf(self, t: Floats) -> Floats:
        """The density, for pictures."""


@dataclass(frozen=True)
class NormalLaw(Distribution):
    """The normal law."""

    mean: float
    deviation: float

    def sf(self, t: float) -> float:
        from scipy.special import ndtr

        return float(ndtr((self.mean - t) / self.deviation))

    def isf(self, level: float) -> float:
        from scipy.special import ndtri

        return float(self.mean - self.deviation * ndtri(level))

    def pdf(self, t: Floats) -> Floats:
        u = (t - self.mean) / self.deviation
        return np.asarray(np.exp(-0.5 * u * u) / (np.sqrt(2 * np.pi) * self.deviation))


@dataclass(frozen=True)
class GammaLaw(Distribution):
    """The Gamma law with a mean and a deviation, moved by `shift`."""

    mean: float
    deviation: float
    shift: float = 0.0

    @property
    def shape(self) -> float:
        """The shape parameter."""
        return (self.mean / self.deviation) ** 2

    @property
    def unit(self) -> float:
        """The scale parameter."""
        return self.deviation**2 / self.mean

    def sf(self, t: float) -> float:
        from scipy.special import gammaincc

        return float(gammaincc(self.shape, max(0.0, (t - self.shift) / self.unit)))

    def isf(self, level: float) -> float:
        from scipy.special import gammainccinv

        return float(self.shift + self.unit * gammainccinv(self.shape, level))

    def pdf(self, t: Floats) -> Floats:
        from scipy.special import gammaln, xlogy

        u = np.maximum((t - self.shift) / self.unit, 0.0)
        log_density = xlogy(self.shape - 1, u) - u - gammaln(self.shape) - np.log(self.unit)
        return np.where(t > self.shift, np.exp(log_density), 0.0)


@dataclass(frozen=True)
class PointLaw:
    """All mass at one value: the law of a statistic that is the same in every resample."""

    at: float = 0.0

    def sf(self, t: float) -> float:
        """P(T >= t)."""
        return 1.0 if t <= self.at else 0.0

    def isf(self, level: float) -> float:
        """The value."""
        del level
        return self.at

    def pdf(self, t: Floats) -> Floats:
        """There is none; zeros."""
        return np.zeros_like(t)


@dataclass(frozen=True, eq=False)
class Limit:
    r"""The law of a degenerate quadratic statistic under H0, :math:`\mu + \sum_l w_l(\chi^2_{1l} - 1)`, as moments."""

    mean: float  # of the quadratic form under H0
    variance: float  # the same
    biased_mean: float  # of its biased relative, which has the diagonal of the Gram matrix in it
    weights: Callable[[], Floats]  # gives the w, whose squares sum to half the variance
    third_moment: Callable[[], float]  # gives the third central moment
    point: float | None = None  # where all of the law lies when nothing varies
    root: bool = False  # whether the statistic is the root of the quadratic form

    def distribution(self) -> Distribution:
        """The law of the quadratic form, by its weights."""
        from .chisquare import WeightedChiSquare

        weights = self.weights()
        return WeightedChiSquare(weights, shift=self.mean - float(weights.sum()))


@dataclass(frozen=True)
class ContinuousLaw:
    """A continuous law, of the statistic or of its square."""

    distribution: Distribution  # the law of the quadratic form
    least: float  # the smallest p-value that is reported: what the best exact test could say at these sample sizes
    root: bool = False  # whether the statistic is the square root of the quadratic form

    def pvalue(self, t: float) -> float:
        """The tail probability, never below the smallest that is honest."""
        tail = self.distribution.sf(t * t if self.root else t)
        return min(1.0, max(tail, self.least))

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        if level < self.least:
            return inf
        value = self.distribution.isf(level)
        return sqrt(max(value, 0.0)) if self.root else value
