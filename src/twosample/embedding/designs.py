r"""Designs: what rows are beside their values (a stratum, a weight, a group, a time), and what follows for a test.

A design says three things. Which resamples are as likely as the truth under H0: the null. What each row counts for in
its sample: masses, whose sum is the number of independent rows of weight 1 that would say as much, so that effects,
intervals and pictures of weighted points are those of the design. And how shares of rows are compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from ..core.mantel import StratifiedCount
from ..core.pvalue import Law
from ..core.shares import fisher_pvalue, least_pvalue
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls import Null
from .alternative import Effect, effect
from .judge import Judged
from .pair import Embedded

Rows = NDArray[np.bool_]

MANY = 100
"""Effective rows expected in the smaller sample, with something and without, from which on a share is normal."""

ENOUGH = 20
"""Effective rows of either sample that laws without relabelling need."""


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


def counts(holds: Floats, strata: Strata) -> tuple[StratifiedCount, int]:
    """The law of the units of x for which something holds under relabelling, and how many there are."""
    own = [
        np.bincount(strata.of_row[part], holds[part], minlength=len(strata.names)).round().astype(np.int64)
        for part in (slice(0, strata.m), slice(strata.m, None))
    ]
    rows = [part.astype(np.int64) for part in (strata.x, strata.y)]
    return StratifiedCount(own[0] + own[1], *rows), int(own[0].sum())


def by_units(z: Floats, means: Floats, masses: Floats, strata: Strata) -> list[tuple[float, float]]:
    """The p-value of each view from its difference in deviations over relabellings, and the smallest possible one.

    The normal law is right for many units alone. Of few ones the p-value is no smaller than that of the exact test of
    how many units, whatever their mass, have more than the pooled mean: which is valid, so that the larger one is.

    Parameters
    ----------
    z
        ``(V,)`` differences.
    means
        ``(U, V)`` the share of each unit for which something holds.
    masses
        ``(U,)`` what units count for.
    """
    share = (strata.x / np.maximum(strata.x + strata.y, 1.0))[strata.of_row]
    w = masses * ((share > 0) & (share < 1))
    found = []
    for deviations, unit in zip(z.tolist(), means.T, strict=True):
        pvalue, least = normal_pvalue(deviations), 0.0
        if min(_expected(w * unit, share), _expected(w * (1 - unit), share)) < MANY:
            more = unit > w @ unit / max(float(w.sum()), 1e-300) + 1e-9
            law, own = counts(more.astype(np.float64), strata)
            pvalue, least = max(pvalue, law.pvalue(own)), law.least
        found.append((pvalue, least))
    return found


def _expected(masses: Floats, share: Floats) -> float:
    """Effective units in the smaller sample, if each is in x with this chance."""
    total = max(float(masses.sum()), 1e-300)
    first = float(masses @ share) / total
    return total**2 / max(float(masses @ masses), 1e-300) * min(first, 1 - first)


def by_worth(shares: tuple[Floats, Floats], pvalues: Floats, sizes: tuple[int, int]) -> list[Shares]:
    """P-values of a law for many rows; of few, no smaller than Fisher's of as many rows as samples are worth.

    Counts are rounded towards each other (Korn and Graubard 1998 have effective counts for one share).
    """
    m, n = sizes
    found = []
    for p, q, pvalue in zip(*(part.tolist() for part in (*shares, pvalues)), strict=True):
        pool, exact, least = (p * m + q * n) / (m + n), 0.0, 0.0
        if min(pool, 1 - pool) * min(m, n) < MANY:
            larger = p > q
            a, b = (floor(s + 1e-9) if up else ceil(s - 1e-9) for s, up in ((p * m, larger), (q * n, not larger)))
            exact, least = fisher_pvalue(a, a + b, m, n), least_pvalue(a + b, m, n)
        found.append(Shares((p, q), max(pvalue, exact), least))
    return found


def normal_pvalue(z: float) -> float:
    """Of a difference in its standard deviations, on both sides."""
    from scipy.special import ndtr

    return max(2 * float(ndtr(-abs(z))), 1e-300)


TWO = 1.5
"""Effective rows from which on a sample counts as two rows, which have a spread; fewer are not tested."""


def effective(weights: Floats) -> int:
    """Kish's effective sample size, rounded down; not below two from :data:`TWO` on."""
    worth = kish(weights)
    return whole_rows(worth, 2 if worth >= TWO else 1)


def kish(weights: Floats) -> float:
    """Kish's effective sample size."""
    return float(weights.sum()) ** 2 / max(float(weights @ weights), 1e-300)


def whole_rows(rows: float, least: int) -> int:
    """A whole number of rows: points of :class:`Embedded` have those."""
    return max(int(rows + 1e-9), least)
