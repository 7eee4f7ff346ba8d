"""Labellings: the truth first, every world once when there are few, and uniform otherwise."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.special import gammaincc

from twosample.core.labellings import observed, random_relabellings, random_subsets, relabellings
from twosample.core.resamples import bootstraps, pair_swaps


def chi_square_pvalue(counts, expected):
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    return float(gammaincc((len(counts) - 1) / 2, ((counts - expected) ** 2 / expected).sum() / 2))


def is_truth(column, m):
    return (column[:m] == 1).all() and (column[m:] == 0).all()


def test_the_truth_alone():
    labels = observed(3, 5)
    assert labels.x.shape == (8, 1)
    assert labels.y is None
    assert labels.count == 1
    assert not labels.exhaustive
    assert is_truth(labels.x[:, 0], 3)


@pytest.mark.parametrize(("m", "n"), [(2, 2), (2, 5), (5, 2), (4, 4), (3, 6)])
def test_every_labelling_once_when_there_are_few(m, n):
    labels = relabellings(m, n, comb(m + n, m), np.random.default_rng(0))
    assert labels.exhaustive
    assert labels.count == comb(m + n, m)
    assert is_truth(labels.x[:, 0], m)
    found = {tuple(np.flatnonzero(column)) for column in labels.x.T}
    assert found == set(combinations(range(m + n), m))


def test_one_labelling_too_many_is_sampled():
    labels = relabellings(4, 4, comb(8, 4) - 1, np.random.default_rng(0))
    assert not labels.exhaustive
    assert labels.count == comb(8, 4)  # the truth and 69 draws


@pytest.mark.parametrize(("m", "n"), [(2, 2), (50, 50), (3, 400), (400, 3), (30, 300), (2, 1000), (255, 257)])
@pytest.mark.parametrize("count", [1, 8, 99])
def test_random_relabellings_have_the_right_sizes(m, n, count):
    labels = random_relabellings(m, n, count, np.random.default_rng(1))
    assert labels.x.shape == (m + n, count + 1)
    assert is_truth(labels.x[:, 0], m)
    assert set(np.unique(labels.x)) <= {0, 1}
    np.testing.assert_array_equal(labels.x.sum(axis=0, dtype=int), m)


@pytest.mark.parametrize(("m", "n"), [(3, 3), (2, 4), (4, 2), (2, 7), (7, 2), (4, 5), (1, 9), (1, 1)])
def test_random_subsets_are_uniform(m, n):
    """Chi-square over all C(N, m) subsets, 200 expected each; seeded, so it passes always or never."""
    subsets = comb(m + n, m)
    labels = random_subsets(m, n, 200 * subsets, np.random.default_rng(m * 100 + n))
    codes = (1 << np.arange(m + n, dtype=np.int64)) @ labels.astype(np.int64)
    _, counts = np.unique(codes, return_counts=True)
    assert len(counts) == subsets
    assert chi_square_pvalue(counts, np.full(subsets, 200.0)) > 1e-3


@pytest.mark.parametrize(("m", "n"), [(20, 20), (10, 90), (90, 10), (3, 200)])
def test_large_random_subsets_take_every_point_and_every_pair_equally_often(m, n):
    total, draws = m + n, 20_000
    labels = random_subsets(m, n, draws, np.random.default_rng(2)).astype(np.float32)
    points = labels.sum(axis=1)
    share = m / total
    assert np.abs(points / draws - share).max() < 5 * np.sqrt(share * (1 - share) / draws)
    together = float(labels[0] @ labels[-1]) / draws
    expected = m * (m - 1) / (total * (total - 1))
    assert together == pytest.approx(expected, abs=5 * np.sqrt(expected / draws))


def test_columns_are_independent():
    """Neighbouring worlds share as many points of x as two uniform subsets do: the hypergeometric mean and variance."""
    m = n = 30
    labels = random_subsets(m, n, 4000, np.random.default_rng(3)).astype(int)
    shared = (labels[:, :-1] * labels[:, 1:]).sum(axis=0)
    assert shared.mean() == pytest.approx(15, abs=0.2)
    assert shared.var() == pytest.approx(60**2 / 16 / 59, rel=0.1)


def test_same_seed_same_worlds():
    for make in (lambda r: random_relabellings(9, 14, 50, r), lambda r: bootstraps(9, 14, 50, r)):
        a, b, c = (make(np.random.default_rng(seed)) for seed in (5, 5, 6))
        np.testing.assert_array_equal(a.x, b.x)
        assert (a.x != c.x).any()


# --- Pairs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [2, 3, 6])
def test_every_swap_once_when_there_are_few(m):
    labels = pair_swaps(m, 2**m, np.random.default_rng(0))
    assert labels.exhaustive
    assert labels.x.shape == (2 * m, 2**m)
    assert is_truth(labels.x[:, 0], m)
    np.testing.assert_array_equal(labels.x[:m] + labels.x[m:], 1)
    assert len({tuple(column) for column in labels.x.T}) == 2**m


@pytest.mark.parametrize("m", [8, 29, 30, 31, 40, 64, 100])
def test_random_swaps(m):
    labels = pair_swaps(m, 199, np.random.default_rng(0))
    assert not labels.exhaustive
    assert labels.x.shape == (2 * m, 200)
    assert is_truth(labels.x[:, 0], m)
    np.testing.assert_array_equal(labels.x[:m] + labels.x[m:], 1)
    assert labels.x[:m, 1:].mean() == pytest.approx(0.5, abs=0.1)


def test_random_swaps_are_fair_and_uniform():
    labels = pair_swaps(3, 4000, np.random.default_rng(1))
    assert labels.exhaustive  # 8 <= 4000, so all of them
    bits = pair_swaps(12, 4000, np.random.default_rng(1)).x[:3, 1:].astype(int)
    counts = np.bincount(np.array([1, 2, 4]) @ bits, minlength=8)
    assert chi_square_pvalue(counts, np.full(8, 500.0)) > 1e-3


# --- Bootstrap ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 11), (40, 7)])
def test_bootstrap_worlds_have_the_right_sizes(m, n):
    labels = bootstraps(m, n, 60, np.random.default_rng(0))
    assert labels.count == 61
    assert not labels.exhaustive
    np.testing.assert_array_equal(labels.x.sum(axis=0, dtype=int), m)
    np.testing.assert_array_equal(labels.y.sum(axis=0, dtype=int), n)
    assert is_truth(labels.x[:, 0], m)
    np.testing.assert_array_equal(labels.y[:, 0], 1 - labels.x[:, 0])


def test_bootstrap_draws_are_uniform_with_replacement():
    m, n, worlds = 3, 5, 6000
    labels = bootstraps(m, n, worlds, np.random.default_rng(1))
    for counts, size in ((labels.x[:, 1:], m), (labels.y[:, 1:], n)):
        assert chi_square_pvalue(counts.sum(axis=1), np.full(m + n, worlds * size / (m + n))) > 1e-3
        assert counts.max() > 1
    # x and y are drawn independently: a point's counts in both are uncorrelated
    products = (labels.x[:, 1:].astype(int) * labels.y[:, 1:]).mean(axis=1)
    np.testing.assert_allclose(products, m * n / (m + n) ** 2, atol=0.05)
