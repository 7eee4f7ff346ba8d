"""The distribution-free thresholds: the formulas of the Corollaries, their inverses, and their conservatism."""

from math import exp, log, sqrt

import numpy as np
import pytest

import twosample as ts

LEVELS = [0.01, 0.05, 0.3]


def outcome(statistic, null, m, n, kernel="gaussian", level=0.05, seed=0):
    rng = np.random.default_rng(seed)
    return ts.mmd_test(
        rng.normal(size=m), rng.normal(size=n) + 1, kernel=kernel, statistic=statistic, null=null, level=level, rng=0
    )


# --- McDiarmid ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("m", [5, 50, 1000])
def test_mcdiarmid_is_the_corollary(m, level):
    """Corollary firstTest: sqrt(2K/m) (1 + sqrt(2 log 1/alpha)), K = 1."""
    r = outcome("biased", "mcdiarmid", m, m, level=level)
    assert r.threshold == pytest.approx(sqrt(2 / m) * (1 + sqrt(2 * log(1 / level))), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("m", "n"), [(10, 40), (300, 30)])
def test_mcdiarmid_for_unequal_sizes(m, n, level):
    """sqrt(K (1/m + 1/n)) + epsilon with exp(-epsilon^2 mn / (2K(m+n))) = alpha."""
    r = outcome("biased", "mcdiarmid", m, n, level=level)
    epsilon = sqrt(2 * (m + n) / (m * n) * log(1 / level))
    assert r.threshold == pytest.approx(sqrt(1 / m + 1 / n) + epsilon, rel=1e-12)


@pytest.mark.parametrize("factor", [0.25, 4.0])
def test_mcdiarmid_knows_the_bound_of_the_kernel(factor):
    plain = outcome("biased", "mcdiarmid", 20, 30, kernel=ts.Gaussian(1.0))
    scaled = outcome("biased", "mcdiarmid", 20, 30, kernel=factor * ts.Gaussian(1.0))
    assert scaled.threshold == pytest.approx(sqrt(factor) * plain.threshold, rel=1e-12)
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-9)


@pytest.mark.parametrize("t", [0.0, 0.5, 0.9, 1.4])
def test_mcdiarmid_pvalue_is_the_bound_inverted(t):
    m, n = 25, 60
    law = outcome("biased", "mcdiarmid", m, n).law
    excess = max(0.0, t - sqrt(1 / m + 1 / n))
    assert law.pvalue(t) == pytest.approx(exp(-(excess**2) * m * n / (2 * (m + n))), rel=1e-12)


def test_both_bias_bounds_are_reported():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=20), rng.normal(size=35)
    kernel = ts.Gaussian(1.0)
    r = ts.mmd_test(x, y, kernel=kernel, statistic="biased", null="mcdiarmid")
    z = np.concatenate([x, y])[:, None]
    K = kernel.block(z, z)
    spread = 1 - (K.sum() - 55) / (55 * 54)
    inverse = 1 / 20 + 1 / 35
    (note,) = r.notes
    assert f"B2 = {sqrt(inverse):.6g}" in note
    assert f"B1 = {sqrt(spread * inverse):.6g}" in note


# --- Hoeffding ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("statistic", ["unbiased", "paired", "linear"])
@pytest.mark.parametrize("m", [6, 50, 1000])
def test_hoeffding_is_the_corollary(m, statistic, level):
    """Corollary HoeffdingThresh: (4K/sqrt(m)) sqrt(log 1/alpha) for even m."""
    r = outcome(statistic, "hoeffding", m, m, level=level)
    assert r.threshold == pytest.approx(4 / sqrt(m) * sqrt(log(1 / level)), rel=1e-12)


@pytest.mark.parametrize("statistic", ["unbiased", "linear"])
@pytest.mark.parametrize(("m", "n", "terms"), [(7, 7, 3), (20, 50, 10), (51, 20, 10), (9, 33, 4)])
def test_hoeffding_counts_whole_pairs_of_the_smaller_sample(statistic, m, n, terms):
    """exp(-t^2 floor(min(m,n)/2) / (8 K^2)) = alpha."""
    r = outcome(statistic, "hoeffding", m, n)
    assert r.threshold == pytest.approx(sqrt(8 * log(20) / terms), rel=1e-12)


@pytest.mark.parametrize(("size", "blocks"), [(5, 8), (10, 4)])
def test_hoeffding_counts_blocks(size, blocks):
    r = outcome(ts.BlockAverage(size), "hoeffding", 40, 47)
    assert r.threshold == pytest.approx(sqrt(8 * log(20) / blocks), rel=1e-12)


def test_hoeffding_pvalue_is_the_bound_inverted():
    law = outcome("unbiased", "hoeffding", 40, 40).law
    assert law.pvalue(0.7) == pytest.approx(exp(-(0.7**2) * 20 / 8), rel=1e-12)
    assert law.pvalue(-0.3) == 1
    assert law.pvalue(0.0) == 1


def test_hoeffding_uses_the_width_of_the_range():
    """A kernel in [-1, 1] has h in [-4, 4]: twice the width, four times the exponent's constant."""

    def cosine(a, b):
        return np.cos(a - b.T)

    wide = ts.FunctionKernel(cosine, upper=1.0, lower=-1.0)
    narrow = ts.FunctionKernel(lambda a, b: (1 + cosine(a, b)) / 2, upper=1.0)
    a = outcome("unbiased", "hoeffding", 40, 40, kernel=wide)
    b = outcome("unbiased", "hoeffding", 40, 40, kernel=narrow)
    assert a.threshold == pytest.approx(2 * b.threshold, rel=1e-12)
    assert a.pvalue == pytest.approx(b.pvalue, rel=1e-9)


def test_a_kernel_of_no_width_rejects_nothing():
    """k = 1 everywhere: every statistic is 0, and the bound must not divide by the width 0."""
    constant = ts.FunctionKernel(lambda a, b: np.ones((len(a), len(b))), upper=1.0, lower=1.0)
    assert outcome("unbiased", "hoeffding", 20, 20, kernel=constant).pvalue == 1


# --- Both ---------------------------------------------------------------------------------------------------


def test_the_crossover_of_the_footnote():
    """At alpha = 0.05 the squared McDiarmid threshold lies below Hoeffding's from m = 12 on (whole pairs: even m)."""
    for m in range(4, 40):
        squared = outcome("biased", "mcdiarmid", m, m).threshold ** 2
        corollary = 4 / sqrt(m) * sqrt(log(20))
        assert (squared < corollary) == (m >= 12)
        if m % 2 == 0:
            assert outcome("unbiased", "hoeffding", m, m).threshold == pytest.approx(corollary, rel=1e-12)


@pytest.mark.parametrize(
    ("statistic", "null"), [("biased", "mcdiarmid"), ("unbiased", "hoeffding"), ("linear", "hoeffding")]
)
@pytest.mark.parametrize("kernel", ["energy", "linear", "polynomial", lambda a, b: a @ b.T])
def test_unbounded_kernels_are_refused(statistic, null, kernel):
    with pytest.raises(ts.OptionError, match=rf"null='{null}' needs a bounded kernel.*permutation"):
        outcome(statistic, null, 20, 20, kernel=kernel)


def test_precomputed_matrices_have_no_bound():
    with pytest.raises(ts.OptionError, match="bounded kernel"):
        ts.mmd_test(None, None, kernel=ts.Precomputed(np.eye(10), m=5), null="hoeffding")


@pytest.mark.parametrize(
    ("statistic", "null"), [("biased", "mcdiarmid"), ("unbiased", "hoeffding"), ("linear", "hoeffding")]
)
def test_bounds_hold_under_the_null(statistic, null):
    """They are bounds: over 200 pairs of equal laws the share of p <= 0.2 stays below 0.2, in fact far below."""
    rng = np.random.default_rng(2)
    ps = [
        ts.mmd_test(rng.normal(size=12), rng.normal(size=12), statistic=statistic, null=null, bandwidth=0.1).pvalue
        for _ in range(200)
    ]
    assert np.mean(np.array(ps) <= 0.2) < 0.2


def test_bounds_never_report_zero():
    x = np.random.default_rng(3).normal(size=4000)
    r = ts.mmd_test(x, x + 100, statistic="linear", null="hoeffding", kernel=ts.Gaussian(1.0))
    assert r.pvalue > 0
