"""Ties: labellings that cannot be told apart have the same p-value, and how often that can be small is enumerated."""

import numpy as np
import pytest
from scipy.stats import binom, hypergeom

import twosample as ts
from twosample.adaptive import front, views
from twosample.adaptive.pooled import pooled_numbers
from twosample.core.labellings import relabellings

ROWS = 15  # of each sample


def zeros_and_ones(ones, first):
    """Samples of 15 rows with so many ones in all, and in the first."""
    x, y = np.zeros((2, ROWS))
    x[:first], y[: ones - first] = 1.0, 1.0
    return x, y


def two_sided(ones, first):
    """The chance that the ones of 30 rows are divided at least as unevenly."""
    a = np.arange(ones + 1)
    return float(hypergeom.pmf(a, 2 * ROWS, ones, ROWS)[np.abs(2 * a - ones) >= abs(2 * first - ones)].sum())


@pytest.mark.parametrize(("ones", "first"), [(4, 0), (5, 0), (6, 0), (6, 1), (6, 5), (7, 1), (8, 1)])
def test_zeros_and_ones_have_fishers_p_value(ones, first):
    """All that a labelling of zeros and ones can show is how many ones x has."""
    expected = two_sided(ones, first)
    for test in (
        ts.two_sample_test,
        lambda x, y, n, rng: ts.mmd_test(x, y, kernel="adaptive", null=ts.Permutation(n), rng=rng),
    ):
        found = test(*zeros_and_ones(ones, first), n=1999, rng=1).pvalue
        assert found == pytest.approx(expected, abs=4 * np.sqrt(expected / 2000))


def test_the_largest_rate_of_rejections_of_few_ones():
    """Bernoulli(0.05), 15 + 15: docs/adaptive.md says that a test of both sides rejects 6 of 10,000, any one 28."""
    both = most = 0.0
    for ones in range(2 * ROWS + 1):
        chances = hypergeom.pmf(np.arange(ones + 1), 2 * ROWS, ones, ROWS)
        pvalues = np.array([two_sided(ones, first) for first in range(ones + 1)])
        weight = binom.pmf(ones, 2 * ROWS, 0.05)
        both += weight * chances[pvalues <= 0.05].sum()
        sums = np.zeros(1)
        for chance in chances[(chances > 0) & (chances <= 0.05)][:12]:
            sums = np.concatenate([sums, sums + chance])
            sums = sums[sums <= 0.05]
        most += weight * sums.max()
    assert both == pytest.approx(0.00057, abs=1e-5)
    assert most == pytest.approx(0.00284, abs=1e-5)


def test_a_feature_that_is_constant_says_nothing():
    """Of 24 zeros and 6 ones the fourth cosine of the ranks is the same: what rounding leaves of it must not count."""
    z = np.concatenate(zeros_and_ones(6, 1))[:, None]
    pool = pooled_numbers(z, ("a",), ROWS)
    labels = relabellings(ROWS, ROWS, 500, np.random.default_rng(0))
    ones = labels.x.T @ z[:, 0]
    for view in front.views_of(pool, np.random.default_rng(0)):
        values, error = view.statistic(labels)
        for count in np.unique(ones):
            assert np.ptp(values[ones == count]) <= 2 * error
    even = pooled_numbers(np.repeat([[0.0], [1.0]], ROWS, axis=0), ("a",), ROWS)
    for constant in (views.Radius(even), views.Covariance(even)):  # all rows are as far from the middle
        assert not constant.statistic(labels)[0].any()
