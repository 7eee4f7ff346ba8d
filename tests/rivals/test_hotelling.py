"""Hotelling's T² against its formula, with and without ridge."""

import numpy as np
import pytest
from scipy.stats import chi2, f, ttest_ind

import twosample as ts
from tests import naive
from twosample.core.labellings import observed
from twosample.rivals import hotelling_test
from twosample.rivals.hotelling import Ridged, _scores


def pooled_covariance(x, y):
    centred = np.concatenate([x - x.mean(axis=0), y - y.mean(axis=0)])
    return centred.T @ centred / (len(x) + len(y) - 2)


def t_squared(x, y, ridge=0.0):
    x, y = np.asarray(x, float), np.asarray(y, float)
    m, n = len(x), len(y)
    gap = x.mean(axis=0) - y.mean(axis=0)
    S = pooled_covariance(x, y) + ridge * np.eye(len(gap))
    return m * n / (m + n) * gap @ np.linalg.solve(S, gap)


def smallest_ridge(x, y):
    values = np.linalg.eigvalsh(pooled_covariance(x, y))
    return max(0.0, values[-1] - 2 * max(values[0], 0.0))


def samples(m, n, d, shift=0.3, seed=0):
    rng = np.random.default_rng([m, n, d, seed])
    mix = rng.normal(size=(d, d))
    return rng.normal(size=(m, d)) @ mix, rng.normal(shift, size=(n, d)) @ mix


@pytest.mark.parametrize(("m", "n", "d"), [(10, 12, 1), (20, 15, 3), (8, 30, 7), (6, 6, 10)])
def test_f_law_by_hand(m, n, d):
    x, y = samples(m, n, d)
    r = hotelling_test(x, y)
    expected = t_squared(x, y)
    assert r.null.name == "f"
    assert r.statistic == pytest.approx(expected, rel=1e-8)
    assert r.pvalue == pytest.approx(f.sf(expected * (m + n - d - 1) / (d * (m + n - 2)), d, m + n - d - 1), rel=1e-7)
    assert hotelling_test(x, y, level=0.2).threshold == pytest.approx(
        f.isf(0.2, d, m + n - d - 1) * d * (m + n - 2) / (m + n - d - 1)
    )


def test_one_column_is_the_t_test():
    x, y = samples(10, 14, 1)
    assert hotelling_test(x, y).pvalue == pytest.approx(ttest_ind(x[:, 0], y[:, 0]).pvalue)


def test_affine_maps_change_nothing():
    x, y = samples(20, 25, 4)
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(4, 4)) * [1, 1e3, 1e-3, 1], rng.normal(size=4) * 100
    for null in ("f", "permutation"):
        plain, mapped = (hotelling_test(u, v, null=null, rng=2) for u, v in ((x, y), (x @ A + b, y @ A + b)))
        assert mapped.statistic == pytest.approx(plain.statistic, rel=1e-6)
        assert mapped.pvalue == pytest.approx(plain.pvalue)


def test_all_labellings_by_hand():
    x, y = samples(4, 4, 2)
    r = hotelling_test(x, y, null="permutation")
    assert r.pvalue == pytest.approx(float(naive.permutation_pvalue(x, y, t_squared)))


@pytest.mark.parametrize(("m", "n", "d"), [(5, 4, 20), (6, 6, 11), (10, 3, 12)])
def test_ridge_of_section_8_1(m, n, d):
    x, y = samples(m, n, d)
    r = hotelling_test(x, y, rng=0)
    assert r.null.name == "permutation"
    assert r.statistic == pytest.approx(t_squared(x, y, smallest_ridge(x, y)), rel=1e-8)
    z = np.concatenate([x, y]) - np.concatenate([x, y]).mean(axis=0)
    ridge = Ridged(*_scores(z), d, m, n).ridge(observed(m, n).x)
    values = np.linalg.eigvalsh(pooled_covariance(x, y) + ridge * np.eye(d))
    assert values[-1] / values[0] == pytest.approx(2, rel=1e-8)


def test_ridge_of_a_regular_covariance_on_request():
    x, y = samples(30, 40, 5)
    r = hotelling_test(x, y, ridge=True, rng=0)
    assert r.statistic == pytest.approx(t_squared(x, y, smallest_ridge(x, y)), rel=1e-8)


def test_every_world_has_its_own_ridge():
    x, y = samples(4, 3, 9)
    r = hotelling_test(x, y)
    assert r.law.exhaustive

    def ridged(a, b):
        return t_squared(a, b, smallest_ridge(np.array(a), np.array(b)))

    assert r.pvalue == pytest.approx(float(naive.permutation_pvalue(list(x), list(y), ridged)))


def test_a_repeated_column_needs_a_ridge():
    x, y = samples(12, 10, 2)
    x, y = np.column_stack([x, x[:, 0]]), np.column_stack([y, y[:, 0]])
    r = hotelling_test(x, y, rng=0)
    assert "singular" in r.notes[0]
    assert r.statistic == pytest.approx(t_squared(x, y, smallest_ridge(x, y)), rel=1e-8)


def test_no_scatter_within_the_samples():
    r = hotelling_test(np.zeros(9), np.ones(9), rng=0)
    assert np.isfinite(r.statistic)
    assert r.pvalue == pytest.approx(0.001)
    assert hotelling_test(np.ones((9, 3)), np.ones((9, 3)), rng=0).pvalue == 1


def test_genes_by_patients():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(25, 12_600)), rng.normal(0.1, size=(25, 12_600))
    r = hotelling_test(x, y, rng=0)
    assert r.rejected
    assert not hotelling_test(x[:12], x[12:], rng=0, level=0.01).rejected


def test_the_f_law_is_refused_with_a_ridge():
    x, y = samples(5, 5, 30)
    with pytest.raises(ts.OptionError, match="no F law holds"):
        hotelling_test(x, y, null="f")
    with pytest.raises(ts.OptionError, match="ridge=False"):
        hotelling_test(x, y, ridge=False)


@pytest.mark.parametrize(("m", "n", "d"), [(30, 40, 5), (12, 9, 18)])
def test_ridge_with_the_classical_law_is_the_papers(m, n, d):
    """T² with the ridge, referred to the law of T² without one; it says so, and cannot reject more than that test."""
    x, y = samples(m, n, d)
    r = hotelling_test(x, y, ridge=True, null="f")
    expected = t_squared(x, y, smallest_ridge(x, y))
    unit = d * (m + n - 2) / (m + n - d - 1)
    assert r.statistic == pytest.approx(expected, rel=1e-8)
    assert r.pvalue == pytest.approx(f.sf(expected / unit, d, m + n - d - 1), rel=1e-7)
    assert r.threshold == pytest.approx(unit * f.isf(0.05, d, m + n - d - 1))
    assert "as in the paper" in r.notes[1]
    assert r.pvalue >= hotelling_test(x, y, null="f").pvalue
    limit = hotelling_test(x, y, ridge=True, null="chi2")
    assert limit.pvalue == pytest.approx(chi2.sf(expected, d), rel=1e-7)
    assert limit.threshold == pytest.approx(chi2.isf(0.05, d))


def test_one_column_has_no_ridge():
    """One eigenvalue has the ratio 1, so the paper's test is the t-test there."""
    x, y = samples(10, 14, 1)
    assert hotelling_test(x, y, ridge=True, null="f").pvalue == pytest.approx(ttest_ind(x[:, 0], y[:, 0]).pvalue)


def test_the_classical_law_with_a_ridge_accepts_what_permutations_see():
    """As the paper's t-test on many dimensions: eigenvalues are far apart, and the ridge is about the largest."""
    rng = np.random.default_rng(5)
    scales = np.geomspace(1, 0.05, 60)
    x, y = scales * rng.normal(size=(60, 60)), scales * (rng.normal(size=(60, 60)) + 0.35)
    assert not hotelling_test(x, y, ridge=True, null="f").rejected
    assert not hotelling_test(x, y, ridge=True, null="chi2").rejected
    assert hotelling_test(x, y, ridge=True, rng=0).rejected
    assert hotelling_test(x, y, null="f").rejected


def test_more_columns_than_rows_have_no_f_law_but_a_chi_square_one():
    x, y = samples(5, 5, 30)
    with pytest.raises(ts.OptionError, match=r"more than 31 rows, and there are 10.*chi2"):
        hotelling_test(x, y, ridge=True, null="f")
    r = hotelling_test(x, y, ridge=True, null="chi2")
    assert r.pvalue == pytest.approx(chi2.sf(t_squared(x, y, smallest_ridge(x, y)), 30), rel=1e-7)


@pytest.mark.parametrize("ridge", ["no", 0, 1.5, np.array([1.0, 2.0])], ids=repr)
def test_ridges_that_are_none(ridge):
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="ridge="):
        hotelling_test(x, x, ridge=ridge)


def test_truth_of_numpy_is_truth():
    x = np.ones((6, 2))
    with pytest.raises(ts.OptionError, match="ridge=False"):
        hotelling_test(x, x, ridge=np.False_)
