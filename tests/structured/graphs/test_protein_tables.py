"""The paper's ENZYMES and PROTEINS: which table of B is which table of A, and can classes be told apart."""

import numpy as np
import pytest
from scipy.stats import binom

import twosample as ts
from tests.structured.graphs.table_matching import halves, rejections_between, rejections_within, share_matched
from twosample import graphs as tg


@pytest.fixture(scope="module")
def tables(data_directory):
    """Classes and Gram matrices, each worked out once."""
    known = {}

    def of(name, kernel):
        data = tg.read_tu(data_directory / "graphs_tu" / f"{name}.npz")
        if (name, kernel) not in known:
            known[name, kernel] = ts.Precomputed.of(kernel, data.graphs)
        return known[name, kernel], data.classes

    return of


def test_the_assignment_is_that_of_least_squared_mmd():
    rng = np.random.default_rng(0)
    classes = np.repeat([1, 2, 3], 20)
    z = rng.normal(size=(60, 1)) + 3.0 * classes[:, None]
    kernel = ts.Precomputed(ts.Gaussian(1.0).block(z, z))
    assert share_matched(kernel, classes, 10, rng) == 1
    A, B = halves(classes, 10, rng)
    assert not any(set(a) & set(b) for a, b in zip(A, B, strict=True))


@pytest.mark.parametrize(("name", "size", "least"), [("ENZYMES", 50, 0.85), ("PROTEINS", 200, 1.0)])
def test_tables_are_matched(tables, name, size, least):
    kernel, classes = tables(name, tg.WeisfeilerLehman())
    rng = np.random.default_rng(1)
    assert np.mean([share_matched(kernel, classes, size, rng) for _ in range(5)]) >= least


def test_level_within_a_class(tables):
    kernel, classes = tables("ENZYMES", tg.ShortestPath())
    rejected, count = rejections_within(kernel, classes, 50, np.random.default_rng(2), repetitions=10)
    assert rejected <= binom.ppf(0.999, count, 0.05)


KERNELS = [(tg.WeisfeilerLehman(), 0.90), (tg.ShortestPath(), 0.93), (tg.RandomWalk(), 0.99)]


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "matched"), KERNELS, ids=["WL", "SP", "RW"])
def test_enzymes(tables, kernel, matched):
    K, classes = tables("ENZYMES", kernel)
    rng = np.random.default_rng(3)
    assert np.mean([share_matched(K, classes, 50, rng) for _ in range(50)]) >= matched  # the paper: 100.0 %
    assert rejections_between(K, classes, 50, rng, repetitions=10) > 0.5
    rejected, count = rejections_within(K, classes, 50, rng, repetitions=100, resamples=199)
    assert binom.ppf(0.0005, count, 0.05) <= rejected <= binom.ppf(0.9995, count, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [kernel for kernel, _ in KERNELS], ids=["WL", "SP", "RW"])
def test_proteins(tables, kernel):
    K, classes = tables("PROTEINS", kernel)
    rng = np.random.default_rng(4)
    assert np.mean([share_matched(K, classes, 200, rng) for _ in range(50)]) == 1  # the paper: 100.0 %
    assert rejections_between(K, classes, 200, rng, repetitions=10) == 1
    rejected, count = rejections_within(K, classes, 200, rng, repetitions=100, resamples=199)
    assert binom.ppf(0.0005, count, 0.05) <= rejected <= binom.ppf(0.9995, count, 0.05)
