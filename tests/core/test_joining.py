"""Several statistics as one test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import gamma

from twosample.core.joining import joined, surprises


def _statistics(rng, count=5, size=400):
    return rng.chisquare(3, size=(count, size)) * rng.uniform(0.1, 10, size=(count, 1)) - 2


def test_surprises_are_those_of_a_shifted_gamma_law():
    T = _statistics(np.random.default_rng(0), size=20_000)
    for row, g in zip(T, surprises(T, T), strict=True):
        z = (row - row.mean()) / row.std()
        shape = 4 / (z**3).mean() ** 2
        expected = -gamma.logsf(shape + z * np.sqrt(shape), shape)
        assert np.abs(g - expected).max() < 0.02 * (1 + expected.max())
        assert np.all(np.diff(g[np.argsort(row)]) >= 0)


def test_far_out_surprises_keep_growing():
    T = np.random.default_rng(1).chisquare(2, size=(1, 1000))
    g = surprises(T, np.array([[1e2, 1e4, 1e6]]))[0]
    assert g[0] < g[1] < g[2] < np.inf


def test_the_joined_statistic_is_the_weighted_mean_of_one_over_p():
    T = _statistics(np.random.default_rng(2))
    weights = [1.0, 2.0, 3.0, 4.0, 5.0]
    both = joined(T, np.zeros(5), weights)
    expected = np.log(sum(w / 15 * np.exp(g) for w, g in zip(weights, surprises(T, T), strict=True)))
    assert both.values == pytest.approx(expected, abs=1e-6)
    assert both.pvalue == np.mean(both.values >= both.values[0] - 1e-9)


def test_the_p_value_is_exact_whatever_the_statistics():
    """Each column takes its turn as the truth: no more than a share of alpha of them gets p <= alpha."""
    rng = np.random.default_rng(3)
    T = np.concatenate([_statistics(rng, 3, 200), rng.integers(3, size=(2, 200)), rng.standard_cauchy((1, 200))])
    p = [joined(np.roll(T, -i, axis=1), np.full(6, 1e-12), np.ones(6)).pvalue for i in range(200)]
    for level in (0.01, 0.05, 0.1, 0.5):
        assert np.mean(np.array(p) <= level) <= level


def test_a_tie_is_broken_by_the_others():
    T = np.array([[3.0, 3.0, 3.0, 0.0, 1.0, 2.0] * 20, np.arange(120.0)[::-1]])
    assert joined(T[:1], np.zeros(1), [1.0]).pvalue == pytest.approx(0.5)
    assert joined(T, np.zeros(2), [100.0, 1.0]).pvalue == pytest.approx(1 / 120)


def test_what_differs_by_rounding_alone_says_nothing():
    noise = 1 + 1e-15 * np.random.default_rng(4).normal(size=(1, 100))
    assert joined(noise, np.array([1e-12]), [1.0]).pvalue == 1.0


def test_adjusted_p_values_are_between_the_joined_one_and_one():
    T = _statistics(np.random.default_rng(5))
    T[2, 0] = T[2].max() * 3
    both = joined(T, np.zeros(5), np.ones(5))
    assert both.pvalue <= both.adjusted.min()
    assert both.adjusted.max() <= 1
    assert both.adjusted.argmin() == both.pvalues.argmin() == 2
