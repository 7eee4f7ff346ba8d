r"""Shares in strata: Mantel and Haenszel's comparison of two shares, exactly where that is cheap.

In stratum s something holds for :math:`k_s` of :math:`m_s + n_s` rows, :math:`a_s` of them in x. Given these sums and
under H0, :math:`a_s` is hypergeometric, independently for every stratum; the statistic is :math:`A = \sum_s a_s`. Its
distribution is the convolution of all of them; where something holds for very many rows it is normal (Cochran 1954,
Mantel and Haenszel 1959).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .types import Floats

_WIDE = 3000  # values of A up to which the distribution is computed exactly
_LEAST = 1e-300

Counted = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class StratifiedCount:
    """The number of rows of x for which something holds, given how many there are in every stratum."""

    both: Counted  # (S,) rows of both samples for which it holds
    x: Counted  # (S,) rows of either sample
    y: Counted

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest count that there can be."""
        low, high = np.maximum(0, self.both - self.y), np.minimum(self.both, self.x)
        return int(low.sum()), int(high.sum())

    @cached_property
    def moments(self) -> tuple[float, float]:
        """Mean and variance of the count under H0."""
        total = np.maximum(self.x + self.y, 1).astype(np.float64)
        mean = self.both * self.x / total
        rest = np.maximum(total - 1, 1.0)
        return float(mean.sum()), float((mean * (self.y / total) * (total - self.both) / rest).sum())

    def pvalue(self, count: int) -> float:
        """The probability of a count at most as likely as this one; that of Fisher's test in one stratum.

        Beyond 3000 possible counts by the normal law with a correction for continuity. No less than 1e-300.

        Examples
        --------
        >>> one = StratifiedCount(np.array([10]), np.array([500]), np.array([500]))
        >>> round(one.pvalue(10), 5), one.pvalue(5)
        (0.00187, 1.0)
        """
        low, high = self.ends
        if low == high:
            return 1.0
        if high - low <= _WIDE:
            mine = self._shares[count - low]
            return max(min(1.0, float(self._shares[self._shares <= mine * (1 + 1e-7)].sum())), _LEAST)
        from scipy.special import ndtr

        mean, variance = self.moments
        return max(min(1.0, 2 * float(ndtr(-max(abs(count - mean) - 0.5, 0.0) / sqrt(variance)))), _LEAST)

    @property
    def least(self) -> float:
        """The smallest p-value that there can be: looks at the pool alone."""
        return min(self.pvalue(end) for end in self.ends)

    @cached_property
    def _shares(self) -> Floats:
        """Probabilities of all counts, from the smallest on: narrow distributions are joined first."""
        sizes = np.stack([self.both, self.x, self.y], axis=1)
        parts, counts = np.unique(sizes, axis=0, return_counts=True)
        laws = [law for one, times in zip(parts, counts, strict=True) for law in [_hypergeometric(*one)] * int(times)]
        laws = [law for law in laws if len(law) > 1]
        laws.sort(key=len)
        while len(laws) > 1:
            joined = [np.convolve(a, b) for a, b in zip(laws[::2], laws[1::2], strict=False)]
            laws = joined + laws[len(laws) - len(laws) % 2 :]
            laws.sort(key=len)
        return np.asarray(laws[0] / laws[0].sum())


def _hypergeometric(both: int, x: int, y: int) -> Floats:
    """Probabilities of all counts in one stratum, from the smallest on."""
    from scipy.special import gammaln

    at = np.arange(max(0, both - y), min(both, x) + 1, dtype=np.float64)
    weights = -(gammaln(at + 1) + gammaln(x - at + 1) + gammaln(both - at + 1) + gammaln(y - both + at + 1))
    shares = np.exp(weights - weights.max())
    return np.asarray(shares / shares.sum())
