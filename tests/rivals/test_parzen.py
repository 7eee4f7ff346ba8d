"""The Parzen L2 test: the identity of Section 7.1, its bandwidth, its nulls."""

import numpy as np
import pytest

import twosample as ts
from twosample import metrics
from twosample.rivals.parzen import parzen_l2_test


@pytest.mark.parametrize("d", [1, 3])
def test_identity_with_mmd(d):
    """Section 7.1: D_2 is MMD_b with the Gaussian of bandwidth sqrt(2) h times (4 pi h²)^(-d/2)."""
    rng = np.random.default_rng(d)
    x, y, h = rng.normal(size=(30, d)), rng.normal(0.4, size=(35, d)), 0.5
    kernel = (4 * np.pi * h * h) ** (-d / 2) * ts.Gaussian(np.sqrt(2) * h)
    r = parzen_l2_test(x, y, bandwidth=h, rng=3)
    mmd = ts.mmd_test(x, y, kernel=kernel, statistic="biased", rng=3)
    assert r.statistic == pytest.approx(mmd.statistic)
    assert r.threshold == pytest.approx(mmd.threshold)
    assert r.pvalue == mmd.pvalue
    assert r.kernel == ts.Gaussian(np.sqrt(2) * h)


def test_statistic_is_the_metric():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(25, 2)), rng.normal(0.4, size=(35, 2))
    r = parzen_l2_test(x, y, rng=0)
    assert r.statistic == pytest.approx(metrics.parzen_l2(x, y))
    h = np.sqrt(np.concatenate([x, y]).var(axis=0, ddof=1).mean()) * (4 / (4 * (2 * 25 * 35 / 60))) ** (1 / 6)
    assert f"h = {h:.6g}" in r.notes[0]


@pytest.mark.parametrize("unit", [1e-50, 1e-3, 1e50])
def test_the_rule_follows_the_unit(unit):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(25, 2)), rng.normal(0.4, size=(35, 2))
    a, b = parzen_l2_test(x, y, rng=0), parzen_l2_test(unit * x, unit * y, rng=0)
    assert b.pvalue == a.pvalue
    assert b.statistic == pytest.approx(a.statistic / unit)


@pytest.mark.parametrize("null", ["gamma", "spectrum", "pearson", "bootstrap"])
def test_other_nulls(null):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=60), rng.normal(0.9, size=80)
    r = parzen_l2_test(x, y, null=null, rng=0)
    exact = parzen_l2_test(x, y, null=ts.Permutation(n=4999), rng=0)
    assert r.pvalue == pytest.approx(exact.pvalue, abs=0.02)
    assert r.rejected == (r.statistic > r.threshold)
    assert r.pvalue == pytest.approx(r.law.pvalue(r.statistic))


def test_the_bound_of_section_4():
    rng = np.random.default_rng(3)
    x, y, h = rng.normal(size=300), rng.normal(4, size=200), 0.5
    r = parzen_l2_test(x, y, bandwidth=h, null="mcdiarmid")
    mmd = ts.mmd_test(x, y, kernel=ts.Gaussian(np.sqrt(2) * h), statistic="biased", null="mcdiarmid")
    assert r.pvalue == mmd.pvalue
    assert r.law.pvalue(r.statistic) == pytest.approx(r.pvalue)
    assert r.threshold == pytest.approx((4 * np.pi * h * h) ** -0.25 * mmd.threshold)


def test_finds_a_difference_in_shape():
    rng = np.random.default_rng(4)
    assert parzen_l2_test(rng.normal(size=200), rng.choice([-1, 1], 200) + 0.2 * rng.normal(size=200), rng=0).rejected


@pytest.mark.parametrize("bandwidth", [0, -2.0, "median", np.nan, None])
def test_bad_bandwidths(bandwidth):
    with pytest.raises(ts.OptionError, match="bandwidth"):
        parzen_l2_test(np.arange(9.0), np.arange(8.0), bandwidth=bandwidth)


@pytest.mark.parametrize("unit", [1e-170, 1e170])
def test_units_beyond_the_laws_of_parzen_windows(unit):
    """D_2² of two columns is beyond the range of numbers there: relabelling does without it."""
    x, y = np.random.default_rng(0).normal(size=(2, 12, 2)) * unit
    for null in ("spectrum", "mcdiarmid"):
        with pytest.raises(ts.InputError, match="Rescale both samples"):
            parzen_l2_test(x, y, null=null)
    assert parzen_l2_test(x, y, rng=0).pvalue > 0
