"""Many kernels of one distance at once, against one kernel at a time."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.core.labellings import relabellings
from twosample.core.sums import sums_of_matrix
from twosample.engines import family
from twosample.engines.family import KernelFamily, family_statistics
from twosample.statistics import Unbiased


def _naive(kernels, z, labels, m, n):
    pairs = np.triu_indices(len(z), 1)
    for kernel in kernels:
        K = kernel.block(z, z)
        yield Unbiased().form(m, n).value(sums_of_matrix(K, labels, m, n)) / K[pairs].std()


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("d", [1, 6])
def test_every_kernel_has_the_statistic_of_its_own_matrix(d, single, monkeypatch):
    if single:
        monkeypatch.setattr(family, "_SINGLE_POINTS", 10)
    monkeypatch.setattr(family, "_TILE", 32)
    rng = np.random.default_rng(0)
    m, n = 50, 40
    z = rng.normal(size=(m + n, d))
    labels = relabellings(m, n, 50, rng)
    families = [
        KernelFamily.of([kind(h) for h in np.geomspace(0.3, 5, 8)], z, rng) for kind in (ts.Gaussian, ts.Laplace)
    ]
    found, _ = family_statistics(families, z, labels, m, n)
    kernels = [kernel for one in families for kernel in one.kernels]
    expected = np.array(list(_naive(kernels, z, labels, m, n)))
    spread = expected.std(axis=1)
    assert np.abs(found - expected).max() < 0.02 * spread.min()
    assert sum(len(one.components) for one in families) < len(kernels)


def test_a_constant_pool_gives_zeros():
    z = np.ones((20, 2))
    labels = relabellings(8, 12, 9, np.random.default_rng(0))
    one = KernelFamily.of([ts.Gaussian(1.0), ts.Gaussian(2.0)], z, np.random.default_rng(0))
    assert np.abs(family_statistics([one], z, labels, 8, 12)[0]).max() == 0
