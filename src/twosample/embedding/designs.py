r"""Designs: what rows are beside their values (a stratum, a weight, a group, a time), and what follows for a test.

A design says three things. Which resamples are as likely as the truth under H0: the null. What each row counts for in
its sample: masses, whose sum is the number of independent rows of weight 1 that would say as much, so that effects,
intervals and pictures of weighted points are those of the design. And how shares of rows are compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.pvalue import Law
from ..core.types import Floats
from ..nulls import Null
from .alternative import Effect, effect
from .judge import Judged
from .pair import Embedded

Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Shares:
    """Rows for which something holds, compared by a design."""

    shares: tuple[float, float]  # of either sample, as the design weighs rows
    pvalue: float  # its p-value, and the smallest that so many rows could have
    least: float = 0.0


@dataclass(frozen=True, eq=False)
class Design(ABC):
    """What m rows of x and n rows of y are beside their values."""

    m: int  # rows of either sample; those of x come first
    n: int

    @abstractmethod
    def part(self, kept: Rows) -> Design:
        """The same for some of the pooled rows."""

    @property
    def comparable(self) -> bool:
        """Whether there is enough of both samples."""
        return min(self.m, self.n) >= 2

    @abstractmethod
    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        """MMD² of ``(N, D)`` centred features, its law under H0, and the null that it comes from."""

    @abstractmethod
    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """``(N,)`` what each row counts for, up to a factor for each sample, and how many rows each is worth."""

    @abstractmethod
    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """Shares of rows for which something holds, for every column of ``(N, V)`` zeros and ones."""

    def scores(self, features: Floats) -> Floats | None:
        """``(R, F)`` differences of the means of features in their standard deviations, in the labellings of `tested`.

        None where there are none, or they are not kept.
        """
        del features
        return None

    def masses(self, features: Floats) -> tuple[Floats, Floats]:
        """``(N,)`` of x and of y: what rows count for, which is 0 for those of the other sample."""
        w, sizes = self.worth(features)
        first = np.arange(len(w)) < self.m
        x, y = (np.where(own, w, 0.0) for own in (first, ~first))
        return x * (sizes[0] / x.sum()), y * (sizes[1] / y.sum())

    def pair(self, features: Floats) -> Embedded:
        """Rows as weighted points: what effects are measured on."""
        return Embedded.of(features.copy(), *self.masses(features))

    def judged(self, features: Floats, level: float, count: int, rng: np.random.Generator) -> Judged:
        """Test, and measure the effect with an interval at level 1 - 2 `level`."""
        features = features - features.mean(axis=0)
        statistic, law, null = self.tested(features, count, rng)
        return Judged(statistic, law.pvalue(statistic), self.effect(features, level), null, law, self.m, self.n)

    def effect(self, features: Floats, level: float) -> Effect:
        """The effect size with an interval at level 1 - 2 `level`."""
        return effect(self.pair(features), level)


def by_deviations(x: Floats, y: Floats) -> list[Shares]:
    """From ``(R, V)`` shares in all labellings, the truth first: the difference in its standard deviations, normal."""
    difference = x - y
    deviation = difference.std(axis=0)
    z = np.abs(difference[0] - difference.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf)
    both = zip(x[0].tolist(), y[0].tolist(), strict=True)
    return [Shares(shares, normal_pvalue(one)) for shares, one in zip(both, z.tolist(), strict=True)]


def normal_pvalue(z: float) -> float:
    """Of a difference in its standard deviations, on both sides."""
    from scipy.special import ndtr

    return max(2 * float(ndtr(-abs(z))), 1e-300)


def effective(weights: Floats) -> int:
    """Kish's effective sample size, rounded down."""
    return whole_rows(float(weights.sum()) ** 2 / max(float(weights @ weights), 1e-300), 1)


def whole_rows(rows: float, least: int) -> int:
    """A whole number of rows: points of :class:`Embedded` have those."""
    return max(int(rows + 1e-9), least)
