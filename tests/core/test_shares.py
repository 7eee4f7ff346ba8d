"""Fisher's test against scipy's, and intervals of the effect of two shares that hold."""

import time
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from twosample.core.shares import (
    beyond_pvalue,
    fisher_chance,
    fisher_pvalue,
    gap_pvalue,
    least_pvalue,
    share_effect,
    share_interval,
)


def test_fisher_is_fisher():
    rng = np.random.default_rng(0)
    for _ in range(300):
        m, n = (int(size) for size in rng.integers(2, 400, 2))
        both = int(rng.integers(0, m + n))
        k = int(rng.integers(max(0, both - n), min(both, m) + 1))
        expected = fisher_exact([[k, m - k], [both - k, n - both + k]]).pvalue
        assert fisher_pvalue(k, both, m, n) == pytest.approx(expected, rel=1e-6, abs=1e-12)
        assert least_pvalue(both, m, n) <= expected * (1 + 1e-9)


def test_very_many_rows_and_very_small_pvalues():
    assert fisher_pvalue(26_000_000, 50_000_000, 10**9, 10**9) == 1e-300
    assert fisher_pvalue(25_000_000, 50_000_000, 10**9, 10**9) == 1.0


def test_a_pvalue_that_is_too_small_to_say_costs_nothing():
    """All counts from the mean to the end were looked at before, ten million here."""
    begun = time.process_time()
    for both in range(10**7, 10**7 + 200):
        assert least_pvalue(both, 10**7, 10**7) == 1e-300
    assert time.process_time() - begun < 1.0


def test_a_shortcut_gives_the_sum_over_all_tables():
    """On both sides of 1e-300, where it begins; the sum from the definition."""
    found = []
    for m, n, both in ((2000, 2000, 1500), (300, 40_000, 900), (50_000, 700, 3000)):
        counts = np.arange(max(0, both - n), min(both, m) + 1)
        logs = hypergeom.logpmf(counts, m + n, m, both)
        for k in counts[:: max(1, len(counts) // 60)].tolist():
            mine = logs[k - counts[0]]
            expected = max(min(1.0, np.exp(logs[logs <= mine + 1e-7]).sum()), 1e-300)
            found.append(fisher_pvalue(k, both, m, n))
            assert np.log(found[-1]) == pytest.approx(np.log(expected), abs=1e-6)
    assert found.count(1e-300) > 10
    assert sum(1e-300 < pvalue < 1e-200 for pvalue in found) > 2


@pytest.mark.parametrize(
    ("p", "q", "m", "n"),
    [(0.005, 0.0, 5000, 5000), (0.022, 0.01, 3000, 3000), (0.55, 0.5, 2000, 2000), (0.0325, 0.02, 500, 5000)],
)
def test_intervals_hold(p, q, m, n):
    rng, count = np.random.default_rng(1), 20_000
    x, y = rng.binomial(m, p, count) / m, rng.binomial(n, q, count) / n
    low, high = share_interval(x, y, np.full(count, float(m)), np.full(count, float(n)), 0.05)
    true = float(share_effect(np.array([p]), np.array([q]))[0])
    assert np.mean(high < true) < 0.056
    assert np.mean(low > true) < 0.058


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 6), (7, 2)])
def test_the_law_of_the_largest_ranks_is_that_of_all_labellings(m, n):
    """Whether the k largest of m + n rows are all from one sample, in every labelling."""
    runs = []
    for chosen in combinations(range(m + n), m):
        first = np.isin(np.arange(m + n), chosen)
        runs.append(next((k for k in range(m + n) if first[k] != first[0]), m + n))
    for k in range(1, max(m, n) + 1):
        assert beyond_pvalue(k, m, n) == pytest.approx(np.mean(np.array(runs) >= k))


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 6), (7, 2)])
def test_the_law_of_gaps_is_never_below_that_of_all_labellings(m, n):
    """The longest run of x between two of y, in every labelling: close to it where runs are rare."""
    runs = []
    for chosen in combinations(range(m + n), m):
        others = np.flatnonzero(~np.isin(np.arange(m + n), chosen))
        runs.append(int(np.diff(others).max()) - 1)
    alone = np.ones(m + n, dtype=int)
    for k in range(1, m + 1):
        exact = np.mean(np.array(runs) >= k)
        assert gap_pvalue(k, m, n, alone) >= exact - 1e-12
        if 2 * k > m and gap_pvalue(k, m, n, alone) < 1:  # there is room for one only: nothing is counted twice
            assert gap_pvalue(k, m, n, alone) == pytest.approx(exact, rel=1e-9)
    assert gap_pvalue(m + 1, m, n, alone) == 1.0 == gap_pvalue(1, m, 1, alone[: m + 1])


@pytest.mark.parametrize("ties", [[2, 2, 2, 2], [3, 1, 4], [1, 3, 3, 1], [1, 2, 1, 2, 1, 1]])
@pytest.mark.parametrize("m", [3, 4])
def test_the_law_of_gaps_with_ties_is_never_below_that_of_all_labellings(ties, m):
    """The most rows of x at values between two that y has."""
    value, total, found = np.repeat(np.arange(len(ties)), ties), sum(ties), []
    for chosen in combinations(range(total), m):
        first = np.isin(np.arange(total), chosen)
        x, y = (np.bincount(value[part], minlength=len(ties)) for part in (first, ~first))
        ends = np.flatnonzero(y)
        found.append(max((int(x[i + 1 : j].sum()) for i, j in pairwise(ends)), default=0))
    for k in range(1, m + 1):
        assert gap_pvalue(k, m, total - m, np.array(ties)) >= np.mean(np.array(found) >= k) - 1e-12


@pytest.mark.parametrize(("both", "m", "n"), [(4, 10, 10), (9, 30, 12), (1, 5, 80), (20, 15, 15), (0, 4, 4)])
def test_the_chance_of_a_small_pvalue_is_that_of_all_tables(both, m, n):
    counts = range(max(0, both - n), min(both, m) + 1)
    pvalues = np.array([fisher_pvalue(k, both, m, n) for k in counts])
    likely = hypergeom.pmf(list(counts), m + n, m, both)
    for level in (0.001, 0.01, 0.05, 0.3, 1.0, *pvalues):
        expected = likely[pvalues <= level * (1 + 1e-9)].sum()
        assert fisher_chance(level, both, m, n) == pytest.approx(expected, abs=1e-9)
        assert fisher_chance(level, both, m, n) <= level * (1 + 1e-6)
