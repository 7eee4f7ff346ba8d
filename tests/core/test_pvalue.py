"""The one p-value: ties, rounding, never 0, and a threshold that says the same."""

from math import comb, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from tests import naive
from twosample.core.pvalue import ReplicateLaw, resampling_pvalue, resampling_threshold
from twosample.statistics import smallest_pvalue


def gaussian(a, b):
    return exp(-0.5 * (a[0] - b[0]) ** 2)


LEVELS = [0.01, 0.05, 0.1, 0.25, 0.3, 0.5, 1 - 0.9, 1 - 0.95, 0.999]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5.0, 1.0, 2.0, 3.0], 1 / 4),
        ([2.0, 1.0, 2.0, 3.0], 3 / 4),
        ([0.0, 1.0, 2.0, 3.0], 1.0),
        ([1.0, 1.0, 1.0, 1.0], 1.0),
        ([3.0, 3.0, 1.0, 1.0], 2 / 4),
        ([7.0], 1.0),
    ],
)
def test_counts_the_truth_and_its_ties(values, expected):
    assert resampling_pvalue(np.array(values), 0.0) == expected


def test_differences_by_rounding_alone_are_ties():
    value = 0.1 + 0.2
    values = np.array([value, 0.3, 0.3 - 1e-16, 0.2, 0.1])
    assert resampling_pvalue(values, 1e-12) == 3 / 5
    assert resampling_pvalue(values, 0.0) == 1 / 5


@pytest.mark.parametrize("count", [1, 9, 99, 999])
def test_never_zero(count):
    values = np.concatenate([[1e9], np.zeros(count)])
    assert resampling_pvalue(values, 0.0) == 1 / (count + 1)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.sampled_from(LEVELS), st.sampled_from([0.0, 1e-9]))
def test_threshold_and_pvalue_say_the_same(values, level, tolerance):
    """Rejected exactly when the statistic exceeds the threshold, ties or not."""
    values = np.array(values, float)
    rejected = resampling_pvalue(values, tolerance) <= level
    assert rejected == (values[0] > resampling_threshold(values, tolerance, level))


@pytest.mark.parametrize("size", [20, 100, 1000])
@pytest.mark.parametrize("level", [0.05, 0.1, 1 - 0.9, 1 - 0.95, 0.3, 0.1 + 0.2])
def test_the_boundary_of_the_level(size, level):
    """At every rank the p-value and the threshold agree, also when level * R is a whole number up to rounding."""
    others = np.arange(size - 1.0)
    for statistic in np.arange(-0.5, size, max(1, size // 50)):
        values = np.concatenate([[statistic], others])
        rejected = resampling_pvalue(values, 0.0) <= level
        assert rejected == (statistic > resampling_threshold(values, 0.0, level))


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=60))
def test_threshold_is_monotone_in_the_level(values):
    thresholds = [resampling_threshold(np.array(values), 1e-12, level) for level in sorted(LEVELS)]
    assert thresholds == sorted(thresholds, reverse=True)


def test_a_level_out_of_reach_has_an_infinite_threshold():
    assert resampling_threshold(np.arange(10.0), 0.0, 0.05) == float("inf")
    assert resampling_threshold(np.array([1.0]), 0.0, 0.5) == float("inf")


def test_a_law_gives_the_pvalue_of_any_value():
    law = ReplicateLaw(np.array([2.0, 1.0, 2.0, 3.0, 4.0]), 0.0)
    assert law.pvalue(2.0) == 4 / 5
    assert law.pvalue(3.5) == 2 / 5
    assert law.pvalue(100.0) == 1 / 5
    assert law.pvalue(-1.0) == 1


@pytest.mark.parametrize(("m", "n"), [(2, 2), (3, 7), (20, 20)])
def test_the_smallest_honest_pvalue(m, n):
    assert smallest_pvalue(m, n) == pytest.approx(1 / comb(m + n, m), rel=1e-9)


def test_the_smallest_pvalue_is_positive_for_the_largest_samples():
    assert 0 < smallest_pvalue(10**7, 10**7) <= 1e-299


# --- Through the test ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(25))
def test_exact_enumeration_equals_the_loop(seed):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 6, size=2)
    draw = (
        (lambda size: rng.integers(0, 3, size=size).astype(float)) if seed % 2 else (lambda size: rng.normal(size=size))
    )
    x, y = draw((m, 1)), draw((n, 1))
    statistic, loop = [("unbiased", naive.mmd2_unbiased), ("biased", naive.mmd_biased)][seed % 3 % 2]
    tolerance = 1e-7 if statistic == "biased" else 1e-10
    expected = naive.permutation_pvalue(x, y, lambda a, b: loop(a, b, gaussian), tolerance)
    found = ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), statistic=statistic, level=0.9).pvalue
    assert found == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize(("step", "shift"), [(0.1, 0.0), (0.1, 0.1), (0.125, 1e6)])
@pytest.mark.parametrize(
    "kernel",
    [ts.Linear(), ts.Energy(), ts.Energy(0.5), ts.Laplace(0.3), ts.Matern(0.7), ts.RationalQuadratic(0.5)],
    ids=repr,
)
def test_ties_are_ties_under_every_kernel(kernel, step, shift, engine):
    """Multiples of 0.1 tie exactly in mathematics and never in floating point."""
    exact = naive.of(kernel)
    table = {(a, b): exact([a * step], [b * step]) for a in range(4) for b in range(4)}
    for seed in range(6):
        units = np.random.default_rng(seed).integers(0, 4, size=(2, 4))
        expected = naive.permutation_pvalue(*units, lambda a, b: naive.mmd2_unbiased(a, b, lambda u, v: table[u, v]))
        x, y = units * step + shift
        found = ts.mmd_test(x, y, kernel=kernel, engine=engine, level=0.9).pvalue
        assert found == pytest.approx(float(expected), rel=1e-12), seed


@pytest.mark.parametrize("engine", ["dense", "tiled"])
@pytest.mark.parametrize("kernel", ["linear", "energy", "polynomial", "gaussian"])
def test_the_same_values_in_another_order_are_no_evidence_at_all(kernel, engine):
    """Equal means are the smallest statistic that the linear kernel can have: every world is at least as large."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x = rng.integers(0, 4, size=8) / 10
        r = ts.mmd_test(x, rng.permutation(x), kernel=kernel, engine=engine, rng=0)
        if kernel == "linear":
            assert r.pvalue == 1, seed
        assert r.pvalue > 0.5


@pytest.mark.parametrize("seed", range(12))
def test_exact_swaps_equal_the_loop(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 8))
    x, y = rng.integers(0, 4, size=(m, 1)).astype(float), rng.integers(0, 4, size=(m, 1)).astype(float)
    expected = naive.swap_pvalue(x, y, lambda a, b: naive.mmd2_paired(a, b, gaussian))
    found = ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), statistic="paired", level=0.9).pvalue
    assert found == pytest.approx(float(expected), rel=1e-12)


def test_equals_scipys_permutation_test():
    """With the linear kernel MMD_b is |mean difference|, whose exact permutation p-value SciPy gives."""
    from scipy.stats import permutation_test

    rng = np.random.default_rng(0)
    for x, y in (
        (rng.normal(size=5), rng.normal(size=4) + 1),
        (rng.integers(0, 3, size=5).astype(float), rng.integers(0, 3, size=5).astype(float)),
        (np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6, 0.7])),
    ):
        reference = permutation_test(
            (x, y), lambda a, b: abs(a.mean() - b.mean()), alternative="greater", n_resamples=np.inf
        )
        found = ts.mmd_test(x, y, kernel="linear", statistic="biased", level=0.9)
        assert found.pvalue == pytest.approx(reference.pvalue, rel=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_rejected_exactly_when_above_the_threshold(seed, ties):
    rng = np.random.default_rng(seed)
    m, n = rng.integers(4, 25, size=2)
    x, y = rng.normal(size=m), rng.normal(size=n) + seed / 10
    if ties:
        x, y = np.round(x), np.round(y)
    for statistic in ("unbiased", "biased", "linear"):
        for null in (ts.Permutation(99), ts.Permutation(57)) + ((ts.Bootstrap(99),) if statistic != "linear" else ()):
            for level in (0.05, 0.3, 1 - 0.9):
                r = ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), statistic=statistic, null=null, level=level, rng=seed)
                assert r.rejected == (r.statistic > r.threshold)
                assert r.rejected == (r.pvalue <= level)
                assert r.law.pvalue(r.statistic) == r.pvalue
                assert r.law.threshold(level) == r.threshold


@pytest.mark.parametrize("n", [19, 99, 199])
def test_the_pvalue_is_a_multiple_of_one_over_b_plus_one(n):
    rng = np.random.default_rng(1)
    r = ts.mmd_test(rng.normal(size=20), rng.normal(size=20), null=ts.Permutation(n), rng=0)
    assert r.pvalue * (n + 1) == pytest.approx(round(r.pvalue * (n + 1)), abs=1e-9)
    far = ts.mmd_test(rng.normal(size=20), rng.normal(size=20) + 50, null=ts.Permutation(n), rng=0)
    assert far.pvalue == 1 / (n + 1)
