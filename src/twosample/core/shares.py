r"""Two shares, of rows for which something holds: Fisher's exact p-value, and the effect size r with an interval.

For shares p and q, :math:`r = |p-q| / (2\sqrt{\bar p(1-\bar p)})` with :math:`\bar p = (p+q)/2`: the correlation of the
label and of what holds, at equal weights; the effect size of the delta kernel. From 0 to 0.5 %: 0.05.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor, lgamma, log, sqrt

import numpy as np
from numpy.typing import NDArray

from .types import Floats

_WINDOW = 12.0  # standard deviations beyond which hypergeometric probabilities are nothing
_LEAST = 1e-300
_TIED = 1e-7  # logs of likelihoods that differ by less are equal
_FINE = 2000  # rows for which something holds, from which on p-values are as good as continuous


@lru_cache(maxsize=1 << 14)
def fisher_pvalue(k: int, both: int, m: int, n: int) -> float:
    """The probability of a table at most as likely as this one: k of m rows in x, `both` - k of n rows in y.

    Exact whatever the counts, for any m and n; O(sqrt(both)). No less than 1e-300.

    Examples
    --------
    >>> round(fisher_pvalue(10, 10, 500, 500), 5), fisher_pvalue(5, 10, 500, 500)
    (0.00187, 1.0)
    """
    if _log_chance(k, both, m, n) + log(both + 1) < log(_LEAST) - 1:  # of at most so many tables, each as likely
        return _LEAST
    first, weights = _likelihoods(k, both, m, n)
    mine = weights[k - first]
    shares = np.exp(weights)
    return max(min(1.0, float(shares[weights <= mine + _TIED].sum() / shares.sum())), _LEAST)


def _log_chance(k: int, both: int, m: int, n: int) -> float:
    """The log of the probability of this table alone."""
    ways = ((m, k), (n, both - k))
    known = sum(lgamma(rows + 1) - lgamma(some + 1) - lgamma(rows - some + 1) for rows, some in ways)
    return known - (lgamma(m + n + 1) - lgamma(both + 1) - lgamma(m + n - both + 1))


def _likelihoods(k: int, both: int, m: int, n: int) -> tuple[int, Floats]:
    """The first count, and the logs of what counts from there on weigh; all that matter, and k."""
    from scipy.special import gammaln

    least, most = max(0, both - n), min(both, m)
    total = m + n
    mean = both * m / total
    deviation = sqrt(max(mean * (n / total) * (total - both) / max(total - 1, 1), 1e-300))
    far = max(_WINDOW, abs(k - mean) / deviation + 2.0) * deviation + 2.0
    at = np.arange(max(least, floor(mean - far)), min(most, floor(mean + far) + 1) + 1, dtype=np.float64)
    weights = -(gammaln(at + 1) + gammaln(m - at + 1) + gammaln(both - at + 1) + gammaln(n - both + at + 1))
    return int(at[0]), np.asarray(weights - weights.max())


def fisher_chance(level: float, both: int, m: int, n: int) -> float:
    """The chance of a p-value of at most `level`: less than that where few counts are possible.

    Examples
    --------
    >>> fisher_chance(0.05, 4, 500, 500), round(fisher_chance(0.05, 10, 500, 500), 4)
    (0.0, 0.0209)
    """
    if min(both, m + n - both) > _FINE:
        return level
    known = _fisher_law(both, m, n)
    place = int(np.searchsorted(known, level * (1 + 1e-9), side="right"))
    return float(known[place - 1]) if place else 0.0


@lru_cache(maxsize=1 << 13)
def _fisher_law(both: int, m: int, n: int) -> Floats:
    """All p-values that there can be, ascending."""
    weights = np.sort(_likelihoods(round(both * m / (m + n)), both, m, n)[1])
    shares = np.cumsum(np.exp(weights))
    last = np.searchsorted(weights, weights + _TIED, side="right") - 1
    return np.asarray(np.unique(shares[last] / shares[-1]))


def least_pvalue(both: int, m: int, n: int) -> float:
    """The smallest p-value that so many rows can have, however they are shared out: looks at the pool alone."""
    ends = {max(0, both - n), min(both, m)}
    return min(fisher_pvalue(k, both, m, n) for k in ends)


def beyond_pvalue(k: int, m: int, n: int) -> float:
    r"""The chance that the k largest of m + n rows are all from one sample: :math:`((m)_k + (n)_k) / (m+n)_k`.

    Exact for a continuous distribution; with ties, of which those at the border do not count, no smaller than it.

    Examples
    --------
    >>> beyond_pvalue(1, 5, 5), round(beyond_pvalue(10, 5000, 5000), 5)
    (1.0, 0.00195)
    """
    from scipy.special import gammaln

    total = gammaln(m + n + 1) - gammaln(m + n - k + 1)
    logs = [gammaln(size + 1) - gammaln(size - k + 1) - total for size in (m, n) if k <= size]
    return max(min(1.0, float(np.exp(logs).sum())), _LEAST)


def gap_pvalue(k: int, m: int, n: int, ties: NDArray[np.intp]) -> float:
    r"""The chance that k of m rows or more lie next to each other between two of n others, anywhere, at most.

    Each of the n - 1 places between neighbours among the others has so many with probability
    :math:`(m)_k / (m+n)_k`; the chances of all are added up. `ties` has the rows of both at each value, in order: where
    there are fewer values than places, those of all values from which on k rows or more are reached, c of them, with
    :math:`(m)_c / (m+n)_c`.

    Examples
    --------
    >>> gap_pvalue(1, 5, 5, np.ones(10, dtype=int)), round(gap_pvalue(20, 1000, 1000, np.ones(2000, dtype=int)), 6)
    (1.0, 0.000866)
    >>> f"{gap_pvalue(20, 1000, 1000, np.full(100, 20)):.1e}"  # one of a hundred days is that of one table alone
    '8.6e-05'
    """
    from scipy.special import gammaln

    if k > m or n < 2:
        return 1.0
    sums = np.cumsum(ties)
    before = sums[:-1]  # rows before each value but the first
    last = np.searchsorted(sums, before + k)
    before, last = before[last < len(sums)], last[last < len(sums)]
    reached = np.concatenate([[k], sums[last] - before]).astype(np.float64)
    reached = np.minimum(reached, m + 1)
    one = gammaln(m + 1) - gammaln(np.maximum(m - reached + 1, 0)) - gammaln(m + n + 1) + gammaln(m + n - reached + 1)
    chances = np.where(reached > m, 0.0, np.exp(one))
    return max(min(1.0, (n - 1) * float(chances[0]), float(chances[1:].sum())), _LEAST)


def share_effect(p: Floats, q: Floats) -> Floats:
    """The effect size r of two shares."""
    mean = (p + q) / 2
    spread = 2 * np.sqrt(mean * (1 - mean))
    return np.asarray(np.divide(np.abs(p - q), spread, out=np.zeros_like(spread), where=spread > 0))


def share_estimate(p: Floats, q: Floats, m: Floats, n: Floats) -> Floats:
    """The estimate of r without the part of chance, as for any kernel; 0 where shares differ by no more than that."""
    own, other = p * (1 - p) / np.maximum(m - 1, 1), q * (1 - q) / np.maximum(n - 1, 1)
    square = np.maximum((p - q) ** 2 - own - other, 0.0)
    spread = 2 * (own * m + other * n) + square
    return np.sqrt(np.divide(square, spread, out=np.zeros_like(spread), where=spread > 0))


def share_interval(p: Floats, q: Floats, m: Floats, n: Floats, tail: float) -> tuple[Floats, Floats]:
    """An interval of r that leaves out `tail` on either side, from Wilson's intervals of both (Newcombe 1998)."""
    from scipy.special import ndtri

    z = -float(ndtri(tail))
    (low_p, high_p), (low_q, high_q) = _wilson(p, m, z), _wilson(q, n, z)
    upper = np.maximum(_farthest(p, high_p, q, low_q), _farthest(q, high_q, p, low_p))
    larger = p >= q
    first = np.where(larger, p, q), np.where(larger, low_p, low_q)
    second = np.where(larger, q, p), np.where(larger, high_q, high_p)
    lower = _nearest(*first, *second)
    return lower, np.minimum(upper, 1.0)


def _wilson(p: Floats, n: Floats, z: float) -> tuple[Floats, Floats]:
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


def _farthest(p: Floats, high: Floats, q: Floats, low: Floats) -> Floats:
    """The effect size where p is as much above q as both intervals together allow; 0 if it is not above it."""
    up, down = high - p, q - low
    length = np.sqrt(up**2 + down**2)
    safe = np.where(length > 0, length, 1.0)
    one, two = np.clip(p + up**2 / safe, 0.0, 1.0), np.clip(q - down**2 / safe, 0.0, 1.0)
    return np.where(one > two, share_effect(one, two), 0.0)


def _nearest(p: Floats, low: Floats, q: Floats, high: Floats) -> Floats:
    """The effect size where the larger p is as near to q as both intervals together allow."""
    down, up = p - low, high - q
    length = np.sqrt(up**2 + down**2)
    safe = np.where(length > 0, length, 1.0)
    one, two = np.clip(p - down**2 / safe, 0.0, 1.0), np.clip(q + up**2 / safe, 0.0, 1.0)
    return np.where(one > two, share_effect(one, two), 0.0)
