"""Shares in strata against all tables that there can be, and against Fisher's test."""

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import chi2

from twosample.core.mantel import StratifiedCount
from twosample.core.shares import fisher_pvalue


def naive(count, both, x, y):
    """Enumerate the tables of all strata."""
    chances = {}
    ranges = [range(max(0, k - n), min(k, m) + 1) for k, m, n in zip(both, x, y, strict=True)]
    for cells in product(*ranges):
        p = np.prod(
            [comb(m, a) * comb(n, k - a) / comb(m + n, k) for a, k, m, n in zip(cells, both, x, y, strict=True)]
        )
        chances[sum(cells)] = chances.get(sum(cells), 0.0) + p
    return sum(p for p in chances.values() if p <= chances[count] * (1 + 1e-7))


def law(both, x, y):
    return StratifiedCount(*(np.array(part) for part in (both, x, y)))


@pytest.mark.parametrize(
    ("both", "x", "y"),
    [([3, 2], [4, 5], [6, 2]), ([1, 1, 1], [1, 1, 1], [1, 1, 1]), ([5, 0, 4], [5, 3, 2], [1, 2, 7]), ([2], [3], [0])],
)
def test_all_counts_against_enumeration(both, x, y):
    found = law(both, x, y)
    low, high = found.ends
    for count in range(low, high + 1):
        assert found.pvalue(count) == pytest.approx(naive(count, both, x, y), rel=1e-9)


def test_one_stratum_is_fisher():
    for count in (0, 3, 9):
        assert law([12], [40], [50]).pvalue(count) == pytest.approx(fisher_pvalue(count, 12, 40, 50), rel=1e-9)


def test_many_rows_are_normal_as_cochran_mantel_and_haenszel_have_it():
    both, x, y = [9000, 4000], [10_000, 8000], [12_000, 8000]
    found = law(both, x, y)
    mean = sum(k * m / (m + n) for k, m, n in zip(both, x, y, strict=True))
    variance = sum(m * n * k * (m + n - k) / ((m + n) ** 2 * (m + n - 1)) for k, m, n in zip(both, x, y, strict=True))
    count = round(mean + 130)
    expected = chi2.sf((abs(count - mean) - 0.5) ** 2 / variance, 1)
    assert found.pvalue(count) == pytest.approx(expected, rel=1e-9)


def test_the_normal_law_goes_on_where_the_exact_one_ends():
    exact, normal = law([1400, 1500], [3000] * 2, [3000] * 2), law([1550, 1500], [3000] * 2, [3000] * 2)
    for found in (exact, normal):
        mean, variance = found.moments
        count = round(mean + 2.5 * variance**0.5)
        z = (abs(count - mean) - 0.5) / variance**0.5
        assert found.pvalue(count) == pytest.approx(chi2.sf(z**2, 1), rel=0.02)


def test_nothing_to_tell():
    found = law([4, 0], [2, 5], [2, 5])
    assert found.pvalue(2) == found.least == 1.0
