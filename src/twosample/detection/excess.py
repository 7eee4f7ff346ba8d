r"""Whether there are more outliers among new rows than chance explains.

Order the n reference rows and the m new rows by how unusual they are. If they come from one distribution, every order
of the labels is equally likely, so that the number U_k of new rows ahead of the k-th reference row has a law without
parameters, the negative hypergeometric one:

.. math:: P(U_k \ge u) = P(H \ge u), \quad H \sim \mathrm{Hypergeometric}(m + n, m, u + k - 1).

Few rows that are odder than any reference row show at k = 1, many that are only a little odd show at the largest k. So
the smallest of these probabilities over k counts, and its own law is that of a path of labels that crosses a boundary:
exact, by one step for each row in the order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats

_Counts = NDArray[np.int64]
_TIE = 1 + 1e-9
_STATES = 1 << 28  # steps times places of a path; beyond, Bonferroni over the depths
_LEAST = 1e-300


def excess_pvalue(ranks: _Counts, n: int, deepest: int) -> float:
    """The p-value of "no more of the new rows are odd than chance explains", against more.

    `ranks` are, for each new row, 1 and the number of the n reference rows that are as unusual as it is; `deepest` is
    the largest rank that is called odd, and 0 gives 1.

    Examples
    --------
    >>> excess_pvalue(np.array([1]), 99, 1), round(excess_pvalue(np.array([1, 1, 50, 70]), 99, 5), 5)
    (0.01, 0.0018)
    """
    if not (ranks <= deepest).any():
        return 1.0
    depths, m = _depths(deepest), len(ranks)
    counts = np.array([np.count_nonzero(ranks <= depth) for depth in depths], dtype=np.int64)
    smallest = float(_tails(counts, depths, m, n).min())
    least = _least_counts(smallest * _TIE, depths, m, n)
    possible = least <= m
    depths, least = depths[possible], least[possible]
    if int((least + depths).max()) * int(least.max()) > _STATES:
        return min(1.0, max(smallest, _LEAST) * len(depths))
    return min(1.0, max(_crossing(depths, least, m, n), smallest, _LEAST))


def _depths(deepest: int) -> _Counts:
    """1, 2, 3, 4, 6, 8, 11, 16, ... and the deepest."""
    steps = np.rint(2 ** np.arange(0, np.log2(deepest), 0.5)).astype(np.int64)
    return np.unique(np.append(steps, deepest))


def _tails(counts: _Counts, depths: _Counts, m: int, n: int) -> Floats:
    """P(U_k ≥ u) for each depth k and count u."""
    from scipy.stats import hypergeom

    found = hypergeom.sf(counts - 1, m + n, m, np.minimum(counts + depths - 1, m + n))
    return np.where(counts <= 0, 1.0, np.where(counts > m, 0.0, found))


def _least_counts(share: float, depths: _Counts, m: int, n: int) -> _Counts:
    """The smallest count at each depth whose probability is at most a share; m + 1 if there is none."""
    low, high = np.zeros_like(depths), np.full_like(depths, m + 1)
    while (low + 1 < high).any():  # P(U ≥ low) > share ≥ P(U ≥ high)
        middle = (low + high) // 2
        small = _tails(middle, depths, m, n) <= share
        high, low = np.where(small, middle, high), np.where(small, low, middle)
    return high


def _crossing(depths: _Counts, least: _Counts, m: int, n: int) -> float:
    """The probability that U_k reaches its count at some depth: then the first u + k - 1 rows hold u new ones."""
    stops = {int(u + k - 1): int(u) for k, u in zip(depths, least, strict=True)}
    law = np.zeros(int(least.max()) + 1)
    law[0], crossed = 1.0, 0.0
    new = np.arange(len(law), dtype=np.float64)
    for step in range(max(stops)):
        ahead = law * (np.maximum(m - new, 0.0) / (m + n - step))
        law -= ahead
        law[1:] += ahead[:-1]
        if step + 1 in stops:
            crossed += float(law[stops[step + 1] :].sum())
            law[stops[step + 1] :] = 0.0
    return crossed
