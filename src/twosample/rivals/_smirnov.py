"""The two-sample Kolmogorov-Smirnov statistic for all labellings at once, and its laws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lgamma, sqrt

import numpy as np

from ..core.laws import Distribution
from ..core.types import Counts, Floats
from ..statistics import smallest_pvalue
from ._common import columns_at_once
from ._tree import Indices


def largest_deviations(labels: Counts, order: Indices, ends: Indices, m: int, n: int) -> Floats:
    """``(R,)`` the largest distance between the empirical distribution functions of the two samples.

    `labels` are 1 where a point is in x. In `order` the points ascend; at `ends`, the last of each group of ties there,
    the functions may be compared.
    """
    values = np.empty(labels.shape[1])
    total = m + n
    width = columns_at_once(total, 250_000)
    for start in range(0, labels.shape[1], width):
        block = slice(start, start + width)
        walk = np.ascontiguousarray(labels[order, block].T).astype(np.int64)  # (R, N)
        walk *= total
        walk -= m
        np.cumsum(walk, axis=1, out=walk)  # mn (F_x - F_y) after each point
        if len(ends) < total:
            walk = walk[:, ends]
        values[block] = np.maximum(walk.max(axis=1), -walk.min(axis=1))
    return values / (m * n)


@dataclass(frozen=True)
class SmirnovLaw:
    """The exact law of D without ties: every order of the pooled values is equally likely.

    D is a multiple of 1/L with L the least common multiple of m and n.
    """

    m: int
    n: int

    @property
    def unit(self) -> int:
        """L."""
        return self.m * self.n // gcd(self.m, self.n)

    @property
    def least(self) -> float:
        """The smallest p-value there is, of two samples that do not overlap."""
        return 2 * smallest_pvalue(self.m, self.n)

    def pvalue(self, t: float) -> float:
        """P(D >= t)."""
        return float(self.tails(np.array([int(np.ceil(t * self.unit - 1e-6))]))[0])

    def threshold(self, level: float) -> float:
        """The D above which the test rejects: the largest multiple of 1/L that it does not reject."""
        return _threshold(self, level)

    def tails(self, h: Indices) -> Floats:
        """P(D >= h/L) for each of several h."""
        if self.m == self.n:
            tails = np.array([_reflections(self.n, int(one)) for one in h])
        else:
            tails = _first_exits(min(self.m, self.n), max(self.m, self.n), h)
        clipped: Floats = np.clip(tails, 1e-300, 1.0)
        return clipped


@dataclass(frozen=True)
class AsymptoticSmirnov(Distribution):
    """The law of the one-sample statistic at mn/(m+n) points: the limit law with a correction for the sample size."""

    m: int
    n: int

    @property
    def size(self) -> int:
        """The equivalent number of points of one sample."""
        return max(1, round(self.m * self.n / (self.m + self.n)))

    def sf(self, t: float) -> float:
        from scipy.stats import kstwo

        return float(kstwo.sf(t, self.size))

    def isf(self, level: float) -> float:
        from scipy.stats import kstwo

        return float(kstwo.isf(level, self.size))

    def pdf(self, t: Floats) -> Floats:
        from scipy.stats import kstwo

        return np.asarray(kstwo.pdf(t, self.size), dtype=np.float64)


@dataclass(frozen=True)
class LimitSmirnov(Distribution):
    """Smirnov's limit law: that of the largest absolute value of a Brownian bridge, over sqrt(mn/(m+n))."""

    m: int
    n: int

    @property
    def root(self) -> float:
        """sqrt(mn/(m+n))."""
        return sqrt(self.m * self.n / (self.m + self.n))

    def sf(self, t: float) -> float:
        from scipy.special import kolmogorov

        return float(kolmogorov(t * self.root))

    def isf(self, level: float) -> float:
        from scipy.special import kolmogi

        return float(kolmogi(level)) / self.root

    def pdf(self, t: Floats) -> Floats:
        from scipy.stats import kstwobign

        return np.asarray(kstwobign.pdf(t * self.root) * self.root, dtype=np.float64)


@lru_cache(maxsize=256)
def _threshold(law: SmirnovLaw, level: float) -> float:
    if law.least > level:
        return 1.0
    low, high = 0, law.unit  # the tail is above the level at low, and not above it at high
    near = AsymptoticSmirnov(law.m, law.n).isf(level) * law.unit
    tried = np.unique(np.rint(near * np.linspace(0.9, 1.1, 16)).astype(np.intp))
    while high - low > 1:
        tried = tried[(tried > low) & (tried < high)]
        if tried.size == 0:
            tried = np.unique(low + (high - low) * np.arange(1, 16) // 16)
            continue
        above = law.tails(tried) > level
        low = int(tried[above].max(initial=low))
        high = int(tried[~above].min(initial=high))
    return low / law.unit


def _reflections(n: int, h: int) -> float:
    """P(D >= h/n) for m = n by the reflection principle: 2 Σ_k (-1)^(k+1) C(2n, n-kh) / C(2n, n)."""
    if h <= 0:
        return 1.0
    k = np.arange(1, n // h + 1)
    lower = [lgamma(n - i * h + 1) + lgamma(n + i * h + 1) for i in k.tolist()]
    terms = np.exp(2 * lgamma(n + 1) - np.array(lower))
    return float(2 * (np.where(k % 2 == 1, 1.0, -1.0) * terms).sum())


def _first_exits(m: int, n: int, h: Indices) -> Floats:
    """P(D >= h/L) as the probability that a random path from (0, 0) to (m, n) leaves a band around the diagonal.

    A step to the right is the next pooled value coming from x. The mass that leaves is added up where it leaves, so
    that small probabilities keep all their digits. O((m+n) min(m, width of the widest band)) for each h.
    """
    total, common = m + n, gcd(m, n)
    right, up = n // common, m // common  # at (i, j) the difference is (i right - j up) / L
    widest = int(h.max(initial=1))
    mass = np.ones((len(h), 1))  # (h, i) from i = low on
    low = 0
    left = np.zeros(len(h))
    for k in range(1, total + 1):
        i = np.arange(low, low + mass.shape[1] + 1)
        mass = mass / (total - k + 1)
        moved = np.zeros((len(h), len(i)))
        moved[:, :-1] = mass * (n - (k - 1) + i[:-1])
        moved[:, 1:] += mass * (m - i[:-1])
        outside = np.abs(i * (right + up) - k * up) >= h[:, None]
        left += np.where(outside, moved, 0.0).sum(axis=1)
        moved[outside] = 0.0
        first = max(0, k - n, (k * up - widest) // (right + up) + 1)
        last = min(m, k, -((-k * up - widest) // (right + up)) - 1)
        mass = moved[:, max(0, first - low) : max(0, last - low + 1)]
        low = max(low, first)
        if mass.shape[1] == 0:
            break
    return left
