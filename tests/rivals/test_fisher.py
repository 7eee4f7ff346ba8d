"""The kernel Fisher discriminant test against its definition with explicit features."""

import numpy as np
import pytest
from scipy import stats

import twosample as ts
from tests import naive
from twosample.rivals.fisher import kernel_fisher_test


def monomials(a):
    """Features of (a'b + 1)^2 in two dimensions."""
    u, v = a[:, 0], a[:, 1]
    root = np.sqrt(2)
    return np.column_stack([u * u, v * v, root * u * v, root * u, root * v, np.ones(len(a))])


FEATURES = {"linear": (ts.Linear(), lambda a: a), "polynomial": (ts.Polynomial(2, 1.0, 1.0), monomials)}


def covariance(features):
    centred = features - features.mean(axis=0)
    return centred.T @ centred / len(features)


def by_definition(x, y, share, phi):
    """The ratio, T, d1 and d2 exactly as Harchaoui, Bach and Moulines write them."""
    a, b = phi(np.asarray(x)), phi(np.asarray(y))
    m, n = len(a), len(b)
    within = m / (m + n) * covariance(a) + n / (m + n) * covariance(b)
    gamma = share * np.trace(covariance(np.concatenate([a, b])))
    inverse = np.linalg.inv(within + gamma * np.eye(len(within)))
    delta = a.mean(axis=0) - b.mean(axis=0)
    ratio = m * n / (m + n) * delta @ inverse @ delta
    d1 = np.trace(inverse @ within)
    d2 = np.sqrt(np.trace(inverse @ within @ inverse @ within))
    return ratio, (ratio - d1) / (np.sqrt(2) * d2), gamma


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("share", [1e-4, 0.03, 2.0])
@pytest.mark.parametrize(("m", "n"), [(12, 12), (7, 25)])
def test_against_the_definition(name, share, m, n):
    kernel, phi = FEATURES[name]
    rng = np.random.default_rng(m)
    x, y = rng.normal(size=(m, 2)), rng.normal(0.5, 1.3, size=(n, 2))
    r = kernel_fisher_test(x, y, kernel=kernel, regularisation=share, rng=0)
    ratio, T, gamma = by_definition(x, y, share, phi)
    assert r.statistic == pytest.approx(T, rel=1e-7)
    assert r.notes[0] == f"Ratio {ratio:.6g} with gamma = {gamma:.6g}."


@pytest.mark.parametrize("kind", ["normal", "ties"])
def test_exact_pvalue_by_enumeration(kind):
    """One factorisation for all labellings gives what refitting the covariance of every labelling gives."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(9, 2)) if kind == "normal" else rng.integers(0, 2, size=(9, 2)).astype(float)
    z[:4] += 0.8
    kernel, phi = FEATURES["polynomial"]
    r = kernel_fisher_test(z[:4], z[4:], kernel=kernel, null=ts.Permutation(n=200))
    expected = naive.permutation_pvalue(
        list(z[:4]), list(z[4:]), lambda a, b: by_definition(np.array(a), np.array(b), 0.03, phi)[0], 1e-8
    )
    assert r.pvalue == pytest.approx(float(expected))


def test_without_regularisation_in_one_dimension_it_is_the_t_test():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=20), rng.normal(0.6, size=30)
    r = kernel_fisher_test(x, y, kernel=ts.Linear(), regularisation=1e-7, null=ts.Permutation(n=1999), rng=0)
    t = stats.ttest_ind(x, y).statistic
    ratio = t**2 * 50 / 48  # biased covariance
    assert r.statistic == pytest.approx((ratio - 1) / np.sqrt(2), rel=1e-5)
    assert r.pvalue == pytest.approx(stats.ttest_ind(x, y).pvalue, abs=0.02)


def test_much_regularisation_is_mmd():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(25, 2)), rng.normal(0.3, size=(30, 2))
    r = kernel_fisher_test(x, y, kernel=ts.Gaussian(1.0), regularisation=1e5, rng=7)
    mmd = ts.mmd_test(x, y, kernel=ts.Gaussian(1.0), statistic="biased", rng=7)
    assert r.pvalue == pytest.approx(mmd.pvalue, abs=0.002)


def test_units_of_data_and_kernel_do_not_matter():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(25, 2)), rng.normal(0.3, size=(30, 2))
    a = kernel_fisher_test(x, y, rng=0)
    for other in (
        kernel_fisher_test(1e6 * x, 1e6 * y, rng=0),
        kernel_fisher_test(x, y, kernel=100 * ts.Gaussian(a.kernel.bandwidth), rng=0),
        kernel_fisher_test(x + 1e4, y + 1e4, rng=0),
    ):
        assert other.statistic == pytest.approx(a.statistic, rel=1e-6)
        assert other.pvalue == a.pvalue


def test_a_precomputed_matrix():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(20, 2)), rng.normal(0.5, size=(25, 2))
    z = np.concatenate([x, y])
    K = ts.Gaussian(1.3).block(z, z)
    a = kernel_fisher_test(x, y, kernel=ts.Gaussian(1.3), rng=0)
    b = kernel_fisher_test(None, None, kernel=ts.Precomputed(K, m=20), rng=0)
    assert (a.statistic, a.pvalue) == (pytest.approx(b.statistic), b.pvalue)
    assert (a.columns, b.columns) == (2, 0)


@pytest.mark.parametrize("null", ["normal", "spectrum"])
def test_limit_laws(null):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(150, 2)), rng.normal(0.25, size=(150, 2))
    r = kernel_fisher_test(x, y, null=null)
    exact = kernel_fisher_test(x, y, null=ts.Permutation(n=1999), rng=0)
    assert r.statistic == pytest.approx(exact.statistic)
    assert r.pvalue == pytest.approx(exact.pvalue, abs=0.03)
    assert r.null.name == null
    assert r.pvalue == r.law.pvalue(r.statistic)
    if null == "normal":
        assert r.pvalue == pytest.approx(stats.norm.sf(r.statistic))


def test_whitening_finds_what_mmd_overlooks():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(150, 2))
    y = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=150)
    fisher, mmd = kernel_fisher_test(x, y, rng=0), ts.mmd_test(x, y, rng=0)
    assert fisher.pvalue <= 0.01
    assert mmd.pvalue > 0.05


def test_constant_pool():
    for null in ("permutation", "normal", "spectrum"):
        r = kernel_fisher_test(np.ones((9, 2)), np.ones((8, 2)), null=null, rng=0)
        assert (r.statistic, r.pvalue) == (0.0, 1.0)


@pytest.mark.parametrize("value", [0, 1e-9, -1.0, np.nan, np.inf, "0.1", None, True])
def test_bad_regularisation(value):
    with pytest.raises(ts.OptionError, match="regularisation"):
        kernel_fisher_test(np.arange(9.0), np.arange(8.0), regularisation=value)


def test_too_many_rows():
    with pytest.raises(ts.InputError, match="refused"):
        kernel_fisher_test(np.arange(5000.0), np.arange(5000.0))


@pytest.mark.parametrize("value", [None, True, "a", np.complex128(0.5), 10**400, np.nan, np.inf, [0.5], 0, -1])
def test_regularisations_that_are_none(value):
    x = np.arange(12.0)
    with pytest.raises(ts.OptionError, match="regularisation="):
        kernel_fisher_test(x, x, regularisation=value)
