"""The energy test: the fixture of dcor, its defects, SciPy, and the identity with MMD."""

import numpy as np
import pytest
from scipy import stats

import twosample as ts
from tests import naive
from twosample.rivals.energy import energy_test


def test_fixture_of_dcor():
    a = np.arange(1.0, 17.0).reshape(4, 4)
    b = np.array([[1, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]])
    r = energy_test(a, b, rng=0)
    assert 4 * 3 / (4 + 3) * r.statistic == pytest.approx(35.276673284, rel=1e-10)


def energy(x, y):
    def mean(a, b):
        return float(np.mean([np.linalg.norm(np.subtract(u, v)) for u in a for v in b]))

    return 2 * mean(x, y) - mean(x, x) - mean(y, y)


@pytest.mark.parametrize("kind", ["normal", "ties"])
def test_exact_pvalue_by_enumeration(kind):
    rng = np.random.default_rng(0)
    z = rng.normal(size=(8, 2)) if kind == "normal" else rng.integers(0, 2, size=(8, 1)).astype(float)
    r = energy_test(z[:3], z[3:], null=ts.Permutation(n=100))
    assert r.pvalue == pytest.approx(float(naive.permutation_pvalue(list(z[:3]), list(z[3:]), energy)))
    assert r.statistic == pytest.approx(energy(z[:3], z[3:]))


@pytest.mark.parametrize("exponent", [0.5, 1.0, 1.7])
def test_equals_twice_mmd_with_the_distance_kernel(exponent):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(30, 3)), rng.normal(0.3, size=(40, 3))
    r = energy_test(x, y, exponent=exponent, rng=5)
    mmd = ts.mmd_test(x, y, kernel=ts.Energy(exponent), statistic="biased", rng=5)
    assert r.statistic == pytest.approx(2 * mmd.statistic**2)
    assert r.pvalue == mmd.pvalue
    assert r.threshold == pytest.approx(2 * mmd.threshold**2)
    assert r.rejected == (r.statistic > r.threshold)


def test_against_scipy_on_the_line():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=50), rng.normal(0.4, size=70)
    r = energy_test(x, y, rng=3)
    assert r.statistic == pytest.approx(stats.energy_distance(x, y) ** 2)
    other = stats.permutation_test(
        (x, y), stats.energy_distance, n_resamples=499, alternative="greater", rng=np.random.default_rng(0)
    )
    assert r.pvalue == pytest.approx(other.pvalue, abs=0.05)


@pytest.mark.parametrize("null", ["gamma", "spectrum", "pearson", "bootstrap"])
def test_other_nulls(null):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(40, 2)), rng.normal(0.45, size=(50, 2))
    r = energy_test(x, y, null=null, rng=0)
    exact = energy_test(x, y, null=ts.Permutation(n=4999), rng=0)
    assert r.pvalue == pytest.approx(exact.pvalue, abs=0.02)
    assert r.pvalue == pytest.approx(r.law.pvalue(r.statistic))
    assert r.rejected == (r.statistic > r.threshold)
    assert r.threshold == pytest.approx(exact.threshold, rel=0.25)


def test_the_density_of_the_law_integrates_to_one():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(40, 2)), rng.normal(size=(50, 2))
    law = energy_test(x, y, null="gamma").law
    grid = np.linspace(0, 10 * law.threshold(0.01), 20_001)
    assert np.trapezoid(law.distribution.pdf(grid), grid) == pytest.approx(1, abs=1e-3)
    assert law.distribution.isf(0.3) == pytest.approx(law.threshold(0.3))


def test_defects_of_dcor():
    """PEERS 3b: ties not counted (constant data p = .005, x=(0,0) y=(1,1) p = .005), no resamples by default."""
    with pytest.warns(ts.SmallSampleWarning):
        assert energy_test([0.0, 0.0], [1.0, 1.0]).pvalue == pytest.approx(1 / 3)
    constant = energy_test(np.ones(20), np.ones(20), rng=0)
    assert (constant.pvalue, constant.statistic) == (1.0, 0.0)
    assert energy_test(np.zeros(20), np.ones(20), rng=0).pvalue == 0.001
    with pytest.raises(ts.InputError, match="NaN"):
        energy_test([0.0, np.nan, 1.0], [1.0, 2.0])


@pytest.mark.parametrize("exponent", [0, 2, -1.0, 2.5])
def test_bad_exponents(exponent):
    with pytest.raises(ts.OptionError, match="exponent"):
        energy_test([0.0, 1.0], [1.0, 2.0], exponent=exponent)


@pytest.mark.parametrize("null", ["normal", "hoeffding", "mcdiarmid"])
def test_nulls_that_do_not_apply(null):
    with pytest.raises(ts.OptionError, match="null"):
        energy_test(np.arange(9.0), np.arange(8.0), null=null)


def test_large_samples_on_the_line_and_in_space():
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(1000, 3)), rng.normal(0.1, size=(1100, 3))
    r = energy_test(x, y, null=ts.Permutation(n=99), rng=0)
    small = energy_test(x, y, null=ts.Permutation(n=99), engine="dense", rng=0)
    assert r.statistic == pytest.approx(small.statistic, rel=1e-6)
    assert r.pvalue == small.pvalue
