"""The law of a statistic under H0 as a test uses it: a p-value for a value, a threshold for a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, inf, log, sqrt
from typing import Protocol

import numpy as np

from .distributions import Distribution
from .pvalue import resampling_pvalue, resampling_threshold
from .types import Floats


class Law(Protocol):
    """What every null gives."""

    def pvalue(self, t: float) -> float:
        """Probability under H0 of a statistic of at least t (an upper bound of it, for the bounds). Never 0."""
        ...

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        ...

    @property
    def least(self) -> float:
        """The smallest p-value that can occur at all with these sample sizes."""
        ...


@dataclass(frozen=True, eq=False)
class ReplicateLaw:
    """The statistic in resampled worlds, the true one first.

    Parameters
    ----------
    values
        ``(R,)`` statistics, the observed one first.
    tolerance
        Absolute rounding error of the values.
    exhaustive
        Whether these are all labellings there are.
    floor
        The smallest p-value that all labellings together could give.
    """

    values: Floats = field(repr=False)
    tolerance: float
    exhaustive: bool = False
    floor: float = 0.0

    @property
    def least(self) -> float:
        """The smallest p-value that can occur."""
        return max(self.floor, 1 / len(self.values))

    def pvalue(self, t: float) -> float:
        """Share of worlds at or above t, one world being t itself."""
        return resampling_pvalue(np.concatenate([[t], self.values[1:]]), self.tolerance)

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return resampling_threshold(self.values, self.tolerance, level)


@dataclass(frozen=True)
class ContinuousLaw:
    """A continuous law, of the statistic or of its square.

    Parameters
    ----------
    distribution
        The law of the quadratic form.
    least
        The smallest p-value that is reported: what the best exact test could say at these sample sizes.
    root
        Whether the statistic is the square root of the quadratic form.
    """

    distribution: Distribution
    least: float
    root: bool = False

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


@dataclass(frozen=True)
class BoundLaw:
    """A large-deviation bound ``P(T > bias + e) <= exp(-rate e²)`` read both ways.

    Parameters
    ----------
    bias
        Bound on the expectation of the statistic under H0.
    rate
        The constant in the exponent.
    ceiling
        The largest value that the statistic can take.
    """

    bias: float
    rate: float
    ceiling: float = inf

    @property
    def least(self) -> float:
        """The bound at the largest value."""
        return self.pvalue(self.ceiling)

    def pvalue(self, t: float) -> float:
        """The bound at t."""
        return max(exp(-self.rate * max(t - self.bias, 0.0) ** 2), 1e-300)

    def threshold(self, level: float) -> float:
        """The statistic above which the test rejects at this level."""
        return self.bias + sqrt(log(1 / level) / self.rate)
