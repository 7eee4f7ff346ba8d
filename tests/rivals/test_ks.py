"""The Kolmogorov-Smirnov test against SciPy and against enumeration."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import twosample as ts
from tests import naive
from twosample.rivals import ks_test
from twosample.rivals._smirnov import SmirnovLaw


@pytest.mark.parametrize(("m", "n"), [(2, 3), (5, 7), (10, 10), (12, 18), (97, 100), (200, 50), (60, 60)])
def test_exact_and_asymptotic_as_scipy_has_them(m, n):
    rng = np.random.default_rng([m, n])
    for shift in (0.0, 0.5, 3.0):
        x, y = rng.normal(size=m), rng.normal(shift, size=n)
        for null, method in (("exact", "exact"), ("asymptotic", "asymp")):
            expected = ks_2samp(x, y, method=method)
            r = ks_test(x, y, null=null, level=0.4)
            assert r.statistic == pytest.approx(expected.statistic, rel=1e-14)
            floor = ts.statistics.smallest_pvalue(m, n)
            assert r.pvalue == pytest.approx(max(expected.pvalue, floor), rel=1e-9)


@pytest.mark.parametrize(("m", "n"), [(40, 60), (386, 386), (4000, 3900)])
def test_the_limit_law_is_the_series_of_the_paper(m, n):
    rng = np.random.default_rng([m, n, 1])
    x, y = rng.normal(size=m), rng.normal(0.05, size=n)
    r, j = ks_test(x, y, null="limit"), np.arange(1, 200)

    def series(t):
        return float(2 * ((-1.0) ** (j - 1) * np.exp(-2 * (j * t) ** 2 * m * n / (m + n))).sum())

    assert r.pvalue == pytest.approx(series(r.statistic), rel=1e-9)
    assert series(r.threshold) == pytest.approx(0.05, rel=1e-9)
    assert r.pvalue > ks_test(x, y, null="asymptotic").pvalue  # which corrects for the sample size


@pytest.mark.parametrize(("m", "n"), [(4, 4), (3, 5), (4, 6)])
def test_exact_law_over_all_orders(m, n):
    z = np.random.default_rng(0).normal(size=m + n)

    def d(x, y):
        return max(abs(np.mean(np.array(x) <= t) - np.mean(np.array(y) <= t)) for t in z)

    values = np.array(list(naive.permutation_values(list(z[:m]), list(z[m:]), d)))
    law = SmirnovLaw(m, n)
    for t in np.unique(values.round(12)):
        assert law.pvalue(t) == pytest.approx(np.mean(values >= t - 1e-9))


@pytest.mark.parametrize(("m", "n"), [(6, 6), (7, 9), (15, 20), (40, 41)])
@pytest.mark.parametrize("level", [0.3, 0.1, 0.05, 0.011])
def test_threshold_is_where_the_pvalue_crosses_the_level(m, n, level):
    law = SmirnovLaw(m, n)
    at = round(law.threshold(level) * law.unit)
    tails = law.tails(np.array([at, at + 1]))
    assert tails[0] > level >= tails[1]


def test_permutation_with_ties_is_the_enumeration():
    x, y = [0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 2.0]

    def d(a, b):
        return max(abs(np.mean(np.array(a) <= t) - np.mean(np.array(b) <= t)) for t in (0, 1, 2))

    r = ks_test(x, y)
    assert isinstance(r.null, ts.Permutation)
    assert r.pvalue == pytest.approx(float(naive.permutation_pvalue(x, y, d)))


def test_ties_make_the_exact_law_conservative_and_it_says_so():
    rng = np.random.default_rng(1)
    x, y = rng.poisson(0.7, 40), rng.poisson(1.6, 40)
    exact, right = ks_test(x, y, null="exact"), ks_test(x, y, null=ts.Permutation(n=9999), rng=0)
    assert exact.pvalue > right.pvalue
    assert "ties" in exact.notes[0]
    assert right.notes == ()


def test_what_auto_chooses():
    rng = np.random.default_rng(2)
    assert ks_test(rng.normal(size=30), rng.normal(size=40)).null.name == "exact"
    assert ks_test(rng.normal(size=3000), rng.normal(size=3000)).null.name == "exact"
    assert ks_test(rng.normal(size=3000), rng.normal(size=2999)).null.name == "asymptotic"
    assert ks_test(rng.poisson(3, size=30), rng.normal(size=40)).null.name == "permutation"


def test_tiny_differences_at_a_large_offset_are_seen():
    x = np.arange(10) * 1e-300
    r = ks_test(x, np.concatenate([x[:5], [1e300] * 5]))
    assert r.statistic == 0.5


def test_several_columns_are_refused():
    with pytest.raises(ts.InputError, match="x has 2 columns and ks_test is for one"):
        ks_test(np.zeros((5, 2)), np.zeros((5, 2)))
