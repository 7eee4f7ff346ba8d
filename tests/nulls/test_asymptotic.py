"""Spectrum, gamma, Pearson and normal laws against SciPy, simulation and moments."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

import twosample as ts
from twosample.core.laws import GammaLaw, NormalLaw, PointLaw
from twosample.statistics import Biased, Paired, Unbiased

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(60, 2)), RNG.normal(size=(60, 2))
KERNEL = ts.Gaussian(1.5)
Z = np.concatenate([X, Y])
CENTRED = ts.Dense().gram(KERNEL, Z).centred(np.random.default_rng(0))


def law(null, statistic="unbiased", x=X, y=Y):
    return ts.mmd_test(x, y, kernel=KERNEL, statistic=statistic, null=null, rng=0).law


# --- Laws by themselves -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (NormalLaw(0.3, 2.0), stats.norm(0.3, 2.0)),
        (GammaLaw(2.0, 0.5), stats.gamma(a=16, scale=0.125)),
        (GammaLaw(0.5, 1.0, shift=-0.25), stats.gamma(a=0.25, scale=2.0, loc=-0.25)),
        (GammaLaw(1e-5, 1e-5), stats.gamma(a=1, scale=1e-5)),
    ],
    ids=["normal", "gamma", "shifted gamma", "tiny gamma"],
)
def test_plain_laws_are_scipys(ours, theirs):
    centre, spread = theirs.mean(), theirs.std()
    for t in centre + spread * np.array([-3, -1, -0.2, 0.1, 1, 4, 10]):
        assert ours.sf(t) == pytest.approx(theirs.sf(t), rel=1e-9, abs=1e-300)
        if theirs.cdf(t) > 0:
            assert ours.pdf(np.array([t]))[0] == pytest.approx(theirs.pdf(t), rel=1e-9)
    for level in (0.999, 0.5, 0.05, 1e-6):
        assert ours.isf(level) == pytest.approx(theirs.isf(level), rel=1e-9)
        assert ours.sf(ours.isf(level)) == pytest.approx(level, rel=1e-8)


def test_a_point_law():
    assert PointLaw(1.0).sf(1.0) == 1
    assert PointLaw(1.0).sf(1.0 + 1e-9) == 0
    assert PointLaw(1.0).isf(0.05) == 1.0
    np.testing.assert_array_equal(PointLaw(1.0).pdf(np.zeros(3)), 0)


# --- Spectrum -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(60, 60), (20, 100)])
def test_spectrum_tail_is_that_of_the_limit_law(m, n):
    """sum lambda (z^2 - 2) / m with z ~ N(0, 2): for any m and n, sum c lambda (chi^2 - 1) with the exact variance."""
    found = law("spectrum", x=Z[:m], y=Z[m:])
    weights = CENTRED.eigenvalues() * np.sqrt(Unbiased().form(m, n).variance(CENTRED) / (2 * CENTRED.square))
    weights = weights[np.argsort(-np.abs(weights))][:60]
    draws = np.square(np.random.default_rng(1).normal(size=(40_000, 60))) @ weights - weights.sum()
    for quantile in (0.3, 0.5, 0.8, 0.9, 0.95, 0.99):
        t = np.quantile(draws, quantile)
        assert found.pvalue(t) == pytest.approx(1 - quantile, abs=4 * np.sqrt(quantile * (1 - quantile) / 40_000))


def test_spectrum_in_the_notation_of_the_paper():
    """m MMD_u^2 -> sum_l lambda_l (z_l^2 - 2), z_l ~ N(0, 2), for the paired statistic."""
    found = law("spectrum", "paired")
    values = CENTRED.eigenvalues()
    z = np.sqrt(2) * np.random.default_rng(2).normal(size=(20_000, len(values)))
    draws = (np.square(z) - 2) @ values / np.sqrt(60 * 59)
    for quantile in (0.5, 0.9, 0.95):
        t = np.quantile(draws, quantile)
        assert found.pvalue(t) == pytest.approx(1 - quantile, abs=4 * np.sqrt(quantile * (1 - quantile) / 20_000))


@pytest.mark.parametrize("statistic", [Unbiased(), Paired(), Biased()])
def test_spectrum_has_the_exact_mean_and_variance(statistic):
    form = statistic.form(60, 60)
    name = {Unbiased: "unbiased", Paired: "paired", Biased: "biased"}[type(statistic)]
    distribution = law("spectrum", name).distribution
    assert distribution.mean == pytest.approx(form.mean(CENTRED), abs=1e-9)
    assert distribution.variance == pytest.approx(form.variance(CENTRED), rel=1e-6)


# --- Gamma --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(60, 60), (20, 100)])
@pytest.mark.parametrize("name", ["biased", "unbiased"])
def test_gamma_is_scipys_with_two_moments(name, m, n):
    """Mean (1/m + 1/n) E[k(z,z) - k(z,z')] of MMD_b^2, variance of the form; moved to the mean of the statistic."""
    found = law("gamma", name, Z[:m], Z[m:])
    form = {"biased": Biased(), "unbiased": Unbiased()}[name].form(m, n)
    mean, variance = (1 / m + 1 / n) * CENTRED.spread, form.variance(CENTRED)
    reference = stats.gamma(a=mean**2 / variance, scale=variance / mean, loc=0 if name == "biased" else -mean)
    for level in (0.5, 0.1, 0.05, 0.001):
        t = reference.isf(level)
        assert found.pvalue(np.sqrt(t) if name == "biased" else t) == pytest.approx(level, rel=1e-6)
        assert found.threshold(level) == pytest.approx(np.sqrt(t) if name == "biased" else t, rel=1e-6)


# --- Pearson ------------------------------------------------------------------------------------------------


def moments(distribution, centre, spread):
    """Mean, variance, skewness and kurtosis by integration of the density."""
    edges = centre + spread * np.concatenate([[-30, -5], np.linspace(-4, 6, 21), [8, 12, 20, 40, 80, 160]])

    def integral(f):
        pieces = pairwise(edges)
        return sum(
            quad(lambda t: f(t) * float(distribution.pdf(np.array([t]))[0]), a, b, limit=200)[0] for a, b in pieces
        )

    total = integral(lambda t: 1.0)
    mean = integral(lambda t: t)
    variance, third, fourth = (integral(lambda t, k=k: (t - mean) ** k) for k in (2, 3, 4))
    return total, mean, variance, third / variance**1.5, fourth / variance**2


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("kurtosis", ["bound", "spectrum", "published"])
@pytest.mark.parametrize("statistic", [Unbiased(), Paired(), Biased()], ids=["unbiased", "paired", "biased"])
def test_pearson_curve_has_the_moments_of_the_appendix(statistic, kurtosis):
    form = statistic.form(60, 60)
    name = {Unbiased: "unbiased", Paired: "paired", Biased: "biased"}[type(statistic)]
    distribution = law(ts.Pearson(kurtosis=kurtosis), name).distribution
    variance = form.variance(CENTRED)
    skewness = form.third_moment(CENTRED) / variance**1.5
    if kurtosis == "bound":  # the paper's kurt = skew^2 + 1 is the excess
        fourth = skewness**2 + 4
    elif kurtosis == "published":
        fourth = 2 * skewness**2 + 2
    else:
        values = CENTRED.eigenvalues()
        fourth = 3 + 12 * (values**4).sum() / (values**2).sum() ** 2
    found = moments(distribution, form.mean(CENTRED), np.sqrt(variance))
    assert found[0] == pytest.approx(1, abs=1e-4)
    assert found[1] == pytest.approx(form.mean(CENTRED), abs=1e-3 * np.sqrt(variance))
    assert found[2] == pytest.approx(variance, rel=2e-3)
    assert found[3] == pytest.approx(skewness, rel=2e-2)
    assert found[4] == pytest.approx(fourth, rel=5e-2)


# --- Normal -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statistic", ["linear", ts.BlockAverage(5)])
def test_normal_law_studentises_the_terms(statistic):
    from tests import naive

    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(80, 2)), rng.normal(size=(80, 2)) + 0.2
    k = naive.of(KERNEL)
    if statistic == "linear":
        terms = np.array(naive.linear_terms(x, y, k))
    else:
        terms = np.array([naive.mmd2_unbiased(x[i : i + 5], y[i : i + 5], k) for i in range(0, 80, 5)])
    r = ts.mmd_test(x, y, kernel=KERNEL, statistic=statistic, null="normal")
    error = terms.std(ddof=1) / np.sqrt(len(terms))
    assert r.statistic == pytest.approx(terms.mean(), rel=1e-10)
    assert r.pvalue == pytest.approx(stats.norm.sf(terms.mean() / error), rel=1e-8)
    assert r.threshold == pytest.approx(error * stats.norm.isf(0.05), rel=1e-8)


def test_few_terms_get_a_note():
    r = ts.mmd_test(X[:20], Y[:20], statistic="linear", null="normal")
    assert any("only 10" in note and "permutation" in note for note in r.notes)
    assert not ts.mmd_test(X, Y, statistic="linear", null="normal").notes


# --- Where they agree, and where they must not break --------------------------------------------------------


def test_the_nulls_agree_on_ordinary_data():
    """On 60 + 60 points with a small shift the approximate p-values lie near the exact one."""
    rng = np.random.default_rng(4)
    for shift in (0.1, 0.25):
        x, y = rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + shift
        exact = ts.mmd_test(x, y, null=ts.Permutation(4999), rng=0).pvalue
        for null in ("spectrum", "pearson", "gamma", ts.Pearson("spectrum"), ts.Bootstrap(999)):
            assert ts.mmd_test(x, y, null=null, rng=0).pvalue == pytest.approx(exact, abs=0.05 * np.sqrt(exact) + 0.01)


@pytest.mark.parametrize("null", ["spectrum", "pearson", "gamma"])
@pytest.mark.parametrize("statistic", ["biased", "unbiased", "paired"])
def test_pvalues_are_cut_off_at_one_over_the_number_of_labellings(null, statistic):
    from math import comb

    x = np.zeros((8, 1)) + np.arange(8)[:, None] * 1e-3
    r = ts.mmd_test(x, x + 1000, statistic=statistic, null=null)
    assert r.pvalue >= (1 - 1e-9) / comb(16, 8)


DEGENERATE = {
    "constant": (np.full((10, 2), 3.0), np.full((12, 2), 3.0)),
    "constant in units of 1e-9": (np.full((10, 1), 1e-9), np.full((12, 1), 1e-9)),
    "one point differs": (np.array([[0.0]] * 9 + [[1.0]]), np.zeros((12, 1))),
    "two points": (np.array([[0.0], [1.0]] * 5), np.array([[0.0], [1.0]] * 6)),
    "near constant": (1 + 1e-15 * np.arange(10)[:, None], 1 + 1e-15 * np.arange(12)[:, None]),
    "far apart": (np.arange(10.0)[:, None] * 1e6, np.arange(12.0)[:, None] * 1e6 + 1e5),
    "separated": (np.zeros((10, 1)), np.ones((12, 1))),
}


@pytest.mark.parametrize("null", ["spectrum", "pearson", "gamma", ts.Pearson("spectrum"), "permutation", "bootstrap"])
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
@pytest.mark.parametrize("kernel", [ts.Gaussian(), ts.Gaussian(1.0), ts.Energy(), ts.Linear()], ids=repr)
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_pools(name, kernel, statistic, null):
    x, y = DEGENERATE[name]
    r = ts.mmd_test(x, y, kernel=kernel, statistic=statistic, null=null, rng=0)
    assert 0 < r.pvalue <= 1
    assert np.isfinite(r.statistic)
    assert not np.isnan(r.threshold)
    assert r.rejected == (r.statistic > r.threshold)
    if name.startswith("constant"):
        assert r.pvalue == 1
    if name in ("one point differs", "two points", "near constant"):
        assert not r.rejected
