"""Block sums of a matrix in memory, against double loops."""

from __future__ import annotations

import numpy as np
import pytest

from twosample.core.labellings import observed, random_relabellings
from twosample.core.resamples import bootstraps
from twosample.core.sums import sums_of_matrix


def by_the_definition(K, v, w):
    total = np.zeros(3)
    for i in range(len(K)):
        for j in range(len(K)):
            total += K[i, j] * np.array([v[i] * v[j], v[i] * w[j], w[i] * w[j]])
    return *total, sum(v * np.diagonal(K)), sum(w * np.diagonal(K))


@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 4), (8, 7), (20, 33)])
@pytest.mark.parametrize("count", [1, 600])  # few, and more than are worked on together
@pytest.mark.parametrize("how", [random_relabellings, bootstraps, observed])
def test_sums_of_matrix(m, n, count, how):
    rng = np.random.default_rng(m)
    K = rng.normal(size=(m + n, m + n))
    K += K.T
    labels = how(m, n) if how is observed else how(m, n, count, rng)
    sums = sums_of_matrix(K, labels, m, n)
    for r in {0, min(1, labels.count - 1), labels.count // 2, labels.count - 1}:
        v = labels.x[:, r].astype(float)
        w = 1 - v if labels.y is None else labels.y[:, r].astype(float)
        found = sums.xx[r], sums.xy[r], sums.yy[r], sums.dx[r], sums.dy[r]
        assert found == pytest.approx(by_the_definition(K, v, w), rel=1e-11, abs=1e-10)
