"""Wolf with equal values as stars: against the tree written down, and against the test without ties."""

from itertools import combinations, pairwise
from math import sqrt

import numpy as np
import pytest
from scipy.stats import norm

import twosample as ts
from experiments.stars import runs_pvalue


def by_hand(x, y):
    """Edges one by one, and pairs of edges that share a row."""
    z, m, n = np.concatenate([x, y]), len(x), len(y)
    N, edges, hubs = m + n, [], []
    for value in np.unique(z):
        same = np.flatnonzero(z == value)
        edges += [(same[0], other) for other in same[1:]]
        hubs.append(same[0])
    edges += list(pairwise(hubs))
    runs = 1 + sum((i < m) != (j < m) for i, j in edges)
    C = sum(bool(set(a) & set(b)) for a, b in combinations(edges, 2))
    shape = (C - N + 2) / ((N - 2) * (N - 3)) * (N * (N - 1) - 4 * m * n + 2)
    variance = 2 * m * n / (N * (N - 1)) * ((2 * m * n - N) / N + shape)
    return norm.cdf((runs - 2 * m * n / N - 1) / sqrt(variance))


@pytest.mark.parametrize("sizes", [(12, 9), (7, 20)], ids=str)
def test_the_tree_written_down(sizes):
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, size=sizes[0]), rng.integers(1, 7, size=sizes[1])
    assert runs_pvalue(x, y) == pytest.approx(by_hand(x, y))


def test_without_ties_it_is_the_runs_test():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=30), rng.normal(0.5, 1.0, size=25)
    assert runs_pvalue(x, y) == pytest.approx(ts.rivals.friedman_rafsky_runs_test(x, y, null="normal").pvalue)
