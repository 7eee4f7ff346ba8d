"""The Rademacher average against its definition, closed forms and the paper's bound."""

from itertools import product
from math import comb, sqrt

import numpy as np
import pytest

import twosample as ts

average = ts.metrics.rademacher_average


def naive(K):
    """The mean of √(σ'Kσ) / m over all signs."""
    signs = np.array(list(product([-1.0, 1.0], repeat=len(K))))
    return np.sqrt(np.maximum(np.einsum("ri,ij,rj->r", signs, K, signs), 0)).mean() / len(K)


@pytest.mark.parametrize("rows", [1, 2, 5, 9])
def test_few_rows_exactly(rows):
    x = np.random.default_rng(rows).normal(size=(rows, 2))
    K = ts.Gaussian(0.7).block(x, x)
    assert average(x, kernel=ts.Gaussian(0.7)) == pytest.approx(naive(K), rel=1e-12)


def test_points_far_apart_attain_the_bound():
    x = 100.0 * np.arange(40)
    assert average(x, kernel=ts.Gaussian(1.0), rng=0) == pytest.approx(sqrt(1 / 40), rel=1e-12)


def test_equal_points_are_a_random_walk():
    m = 11
    walk = sum(comb(m, k) * abs(m - 2 * k) for k in range(m + 1)) / 2**m  # E |σ_1 + ... + σ_m|
    assert average(np.zeros(m), kernel=ts.Gaussian(1.0), draws=2048) == pytest.approx(walk / m, rel=1e-12)
    assert average(np.zeros(400), kernel=ts.Gaussian(1.0), draws=20_000, rng=0) == pytest.approx(
        sqrt(2 / np.pi / 400), rel=0.03
    )


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", ts.Gaussian(1.0) * 3.0, "polynomial"], ids=str)
def test_between_its_bounds(kernel, monkeypatch):
    monkeypatch.setattr("twosample.metrics.rademacher._CELLS", 1000)  # strips
    x = np.random.default_rng(1).normal(size=(90, 3))
    whole = sqrt(ts.mmd_test(x, x, kernel=kernel, rng=0).kernel.diagonal(x).sum()) / 90
    assert whole / sqrt(2) * 0.99 < average(x, kernel=kernel, rng=0, draws=4000) <= whole * 1.01


def test_objects_row_numbers_and_seeds():
    words = ["abab", "abba", "bb", "cab", "c"]
    kernel = ts.strings.Spectrum(2)
    K = ts.Precomputed.of(kernel, words)
    assert average(words, kernel=kernel) == pytest.approx(naive(K.block(np.arange(5.0), np.arange(5.0))))
    assert average(np.arange(5), kernel=K) == pytest.approx(average(words, kernel=kernel))
    x = np.random.default_rng(0).normal(size=50)
    assert average(x, rng=3) == average(x, rng=3) != average(x, rng=4)


def test_bad_options():
    with pytest.raises(ts.OptionError, match="draws=0"):
        average([1.0, 2.0], draws=0)
    with pytest.raises(ts.InputError, match="x has 0"):
        average(np.empty((0, 2)))
