"""The plain continuous laws that nulls are approximated by, each with a survival function and its inverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .types import Floats


class Distribution(Protocol):
    """A law on the line."""

    def sf(self, t: float) -> float:
        """P(T >= t)."""
        ...

    def isf(self, level: float) -> float:
        """The t with P(T >= t) = level."""
        ...

    def pdf(self, t: Floats) -> Floats:
        """The density, for pictures."""
        ...


@dataclass(frozen=True)
class NormalLaw:
    """The normal law."""

    mean: float
    deviation: float

    def sf(self, t: float) -> float:
        """P(T >= t)."""
        from scipy.special import ndtr

        return float(ndtr((self.mean - t) / self.deviation))

    def isf(self, level: float) -> float:
        """The t with P(T >= t) = level."""
        from scipy.special import ndtri

        return float(self.mean - self.deviation * ndtri(level))

    def pdf(self, t: Floats) -> Floats:
        """The density."""
        u = (t - self.mean) / self.deviation
        return np.asarray(np.exp(-0.5 * u * u) / (np.sqrt(2 * np.pi) * self.deviation))


@dataclass(frozen=True)
class GammaLaw:
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
        """P(T >= t)."""
        from scipy.special import gammaincc

        return float(gammaincc(self.shape, max(0.0, (t - self.shift) / self.unit)))

    def isf(self, level: float) -> float:
        """The t with P(T >= t) = level."""
        from scipy.special import gammainccinv

        return float(self.shift + self.unit * gammainccinv(self.shape, level))

    def pdf(self, t: Floats) -> Floats:
        """The density."""
        from scipy.special import gammaln, xlogy

        u = np.maximum((t - self.shift) / self.unit, 0.0)
        log_density = xlogy(self.shape - 1, u) - u - gammaln(self.shape) - np.log(self.unit)
        return np.where(t > self.shift, np.exp(log_density), 0.0)


@dataclass(frozen=True)
class PointLaw:
    """All mass at one value: the law of a statistic that is the same in every world."""

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
