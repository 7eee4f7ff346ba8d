"""Sketches of one column: the statistic and p-value of the rows, whatever their range."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import twosample as ts
from tests.homogeneity.sketches.sketched import DRAWS, pair
from twosample.homogeneity.sketches import BinnedMoments, Sketch, compare_sketches

# --- One column: the statistic -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_statistic_equals_that_of_the_rows(name, statistic):
    x, y = pair(name)
    r = compare_sketches(Sketch.fit(x), Sketch.fit(y), statistic=statistic)
    exact = ts.mmd_test(x, y, kernel=r.kernel, statistic=statistic, null="gamma", engine="dense")
    assert r.statistic == pytest.approx(exact.statistic, abs=1e-9)
    assert (r.m, r.n, r.columns, r.symbol) == (800, 600, 1, exact.symbol)


@pytest.mark.parametrize("name", DRAWS)
def test_bandwidth_is_close_to_that_of_the_rows(name):
    x, y = pair(name)
    exact = ts.mmd_test(x, y, null="gamma", engine="dense").kernel.bandwidth
    tolerance = {"poisson": 1e-12, "mostly zero": 2e-2}.get(name, 2e-3)
    assert compare_sketches(Sketch.fit(x), Sketch.fit(y)).kernel.bandwidth == pytest.approx(exact, rel=tolerance)


@pytest.mark.parametrize("null", ["spectrum", "gamma", "pearson", ts.Pearson(kurtosis="spectrum")], ids=repr)
@pytest.mark.parametrize("name", ["normal", "exponential", "poisson", "two clouds", "offset"])
@pytest.mark.parametrize("statistic", ["unbiased", "biased"])
def test_pvalue_is_close_to_that_of_the_rows(name, null, statistic):
    for seed in range(3):
        x, y = pair(name, 400, 300, seed)
        r = compare_sketches(Sketch.fit(x), Sketch.fit(y), null=null, statistic=statistic)
        exact = ts.mmd_test(x, y, kernel=r.kernel, null=null, statistic=statistic, engine="dense")
        assert r.pvalue == pytest.approx(exact.pvalue, abs=0.05 if isinstance(null, ts.Pearson) else 3e-3)
        assert r.threshold == pytest.approx(exact.threshold, rel=1e-2)


KERNELS = [
    (ts.Gaussian(0.3), 1e-9),
    (ts.Gaussian(30.0), 1e-9),
    (ts.Gaussian(0.5) + 0.5 * ts.Gaussian(2.0), 1e-9),
    (ts.Gaussian(1.0) * ts.Gaussian(2.0), 1e-9),
    (ts.Matern(1.0, 2.5), 1e-9),
    (ts.Matern(1.0, 1.5), 1e-7),
    (ts.RationalQuadratic(1.0), 1e-7),
    (ts.RationalQuadratic(1.0, alpha=0.3), 1e-5),
    (ts.Laplace(1.0), 1e-5),
]


@pytest.mark.parametrize(("kernel", "tolerance"), KERNELS, ids=repr)
def test_any_smooth_kernel_afterwards(kernel, tolerance):
    x, y = pair("normal")
    a, b = Sketch.fit(x), Sketch.fit(y + 0.1)
    r = compare_sketches(a, b, kernel=kernel)
    exact = ts.mmd_test(x, y + 0.1, kernel=kernel, null="spectrum", engine="dense")
    assert r.statistic == pytest.approx(exact.statistic, abs=tolerance)
    assert r.pvalue == pytest.approx(exact.pvalue, abs=5e-3)
    assert r.kernel == kernel


def test_other_bandwidths_afterwards():
    x, y = pair("normal")
    a, b = Sketch.fit(x), Sketch.fit(y)
    assert compare_sketches(a, b, bandwidth=0.5).kernel == ts.Gaussian(0.5)
    grid = compare_sketches(a, b, bandwidth=ts.QuantileGrid(0.1, 0.9, 3))
    exact = ts.mmd_test(x, y, bandwidth=ts.QuantileGrid(0.1, 0.9, 3), null="gamma", engine="dense")
    assert grid.statistic == pytest.approx(exact.statistic, abs=1e-5)


@pytest.mark.parametrize("null", ["spectrum", "gamma", "pearson", ts.Pearson(kurtosis="spectrum")])
def test_a_multiple_of_the_kernel_does_not_matter(null):
    a, b = (Sketch.fit(values) for values in pair("normal"))
    one = compare_sketches(a, b, kernel=ts.Gaussian(1.0), null=null).pvalue
    for factor in (1e-89, 1e89):
        found = compare_sketches(a, b, kernel=factor * ts.Gaussian(1.0), null=null).pvalue
        assert found == pytest.approx(one, rel=1e-6)
    for factor, size in ((1e-150, "small"), (1e150, "large")):
        with pytest.raises(ts.OptionError, match=f"too {size} for doubles"):
            compare_sketches(a, b, kernel=factor * ts.Gaussian(1.0), null=null)


@pytest.mark.parametrize("null", ["permutation", ts.Permutation(99)], ids=repr)
def test_no_other_null_is_run_than_the_one_asked_for(null):
    a, b = (Sketch.fit(values) for values in pair("normal"))
    for given in ({}, {"null": "auto"}):
        r = ts.mmd_test(a, b, **given)
        assert r.null == ts.Spectrum()
        assert "There are no rows to permute: the p-value is that of null='spectrum'." in r.notes
    assert not any("permute" in note for note in ts.mmd_test(a, b, null="spectrum").notes)
    with pytest.raises(ts.OptionError, match=r"'permutation' needs the rows.*'spectrum' or 'gamma'"):
        ts.mmd_test(a, b, null=null)
    with pytest.raises(ts.OptionError, match=r"Choose one of 'gamma', 'pearson', 'spectrum', or"):
        ts.mmd_test(a, b, null="foo")


def test_narrow_kernels_are_owned_up_to():
    """Where the bins cannot resolve the kernel the bound says so, and the test stays valid."""
    x, y = pair("normal", 3000, 3000)
    r = compare_sketches(Sketch.fit(x), Sketch.fit(y), kernel=ts.Gaussian(1e-4))
    exact = ts.mmd(x, y, kernel=ts.Gaussian(1e-4))
    assert abs(r.statistic - exact) <= bound_of(r)
    assert bound_of(r) > 0.1
    assert "too narrow" in r.notes[1]
    assert 0.01 < r.pvalue < 1


def bound_of(result):
    return float(result.notes[0].split("within ")[1].split(" of")[0]) * 1.01


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("kernel", ["gaussian", "laplace", "matern-3/2", "rational-quadratic"])
@pytest.mark.parametrize("bins", [64, 1000])
def test_the_bound_is_honest(name, kernel, bins):
    x, y = pair(name, 300, 200)
    r = compare_sketches(Sketch.fit(x, BinnedMoments(bins)), Sketch.fit(y, BinnedMoments(bins)), kernel=kernel)
    exact = ts.mmd(x, y, kernel=r.kernel, engine="dense")
    assert abs(r.statistic - exact) <= bound_of(r) + 1e-12


@pytest.mark.parametrize("degree", [1.0, 2.0])
def test_heavy_tails(degree):
    """Rows beyond the bins are counted, said, and within the bound."""
    rng = np.random.default_rng(0)
    x, y = rng.standard_t(degree, 2000), rng.standard_t(degree, 1500)
    a, b = Sketch.fit(x), Sketch.fit(y)
    assert 0 < a.beyond < 0.02
    r = compare_sketches(a, b)
    assert abs(r.statistic - ts.mmd(x, y, kernel=r.kernel, engine="dense")) <= bound_of(r)
    assert "beyond the bins" in r.notes[1]
    ends = [2.0**a.state.column.grid.unit * (a.state.column.grid.start + end) for end in a.state.column.ends]
    clipped = [np.clip(z, *ends) for z in (x, y)]
    common = compare_sketches(a, Sketch.fit(y, like=a), kernel=r.kernel)
    assert common.statistic == pytest.approx(ts.mmd(*clipped, kernel=r.kernel, engine="dense"), abs=1e-9)


def test_characteristic_function():
    rng = np.random.default_rng(0)
    x = 5 + 3 * rng.normal(size=20_000)
    s = Sketch.fit(x)
    w = np.linspace(-0.5, 0.5, 41)
    values, bounds = s.characteristic_function(w)
    exact = np.exp(1j * np.outer(w, x)).mean(axis=1)
    assert np.abs(values - exact).max() < 1e-10
    assert (np.abs(values - exact) <= bounds).all()
    assert bounds.max() < 1e-5
    with pytest.raises(ts.InputError, match="one column"):
        Sketch.fit(rng.normal(size=(10, 2))).characteristic_function(w)


# --- One column: ranges, units, oddities -----------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [2.0**-40, 3.0, 1e6, -1.0])
def test_units(unit):
    x, y = pair("normal")
    here, there = (compare_sketches(Sketch.fit(u * x), Sketch.fit(u * y)) for u in (1.0, unit))
    assert there.statistic == pytest.approx(here.statistic, abs=1e-6)
    assert there.pvalue == pytest.approx(here.pvalue, abs=1e-4)
    assert there.kernel.bandwidth == pytest.approx(abs(unit) * here.kernel.bandwidth, rel=1e-3)


def test_constants_and_ties():
    for value in (0.0, 3.0, -1e300, 1e-300):
        r = compare_sketches(Sketch.fit(np.full(10, value)), Sketch.fit(np.full(7, value)))
        assert (r.statistic, r.pvalue) == (0.0, 1.0)
        assert "the same" in r.notes[0]
    r = compare_sketches(Sketch.fit(np.zeros(50)), Sketch.fit(np.ones(50)))
    assert r.rejected
    coins = np.repeat([0.0, 1.0], [30, 20]), np.repeat([0.0, 1.0], [28, 22])
    r = compare_sketches(*map(Sketch.fit, coins))
    exact = ts.mmd_test(*coins, null="spectrum")
    assert r.kernel.bandwidth == pytest.approx(exact.kernel.bandwidth, rel=1e-14)
    assert r.statistic == pytest.approx(exact.statistic, abs=1e-12)
    assert r.pvalue == pytest.approx(exact.pvalue, abs=5e-3)


def test_duplicates():
    x, y = pair("normal")
    r = compare_sketches(Sketch.fit(np.repeat(x, 5)), Sketch.fit(np.repeat(y, 3)))
    exact = ts.mmd(np.repeat(x, 5), np.repeat(y, 3), kernel=r.kernel)
    assert r.statistic == pytest.approx(exact, abs=1e-9)


def test_far_apart():
    x, y = pair("normal")
    for shift in (1e3, 1e6, 1e12):
        r = compare_sketches(Sketch.fit(x), Sketch.fit(y + shift))
        assert r.pvalue < 1e-10
        assert abs(r.statistic - ts.mmd(x, y + shift, kernel=r.kernel)) <= bound_of(r)


def test_far_apart_with_rows_beyond():
    rng = np.random.default_rng(0)
    x, y = rng.standard_cauchy(2000), rng.standard_cauchy(2000)
    a = Sketch.fit(x)
    assert compare_sketches(a, Sketch.fit(y + 1e4)).pvalue < 1e-10
    assert compare_sketches(a, Sketch.fit(y + 1e4, like=a)).pvalue < 1e-10
    r = compare_sketches(a, Sketch.fit(1e9 * y))
    assert r.pvalue < 1e-10
    assert "beyond" in r.notes[1]


@pytest.mark.filterwarnings("ignore:.*beyond the bins")
@pytest.mark.parametrize("spans", [((0, 1), (0, 1000)), ((0, 0.7), (0, 100)), ((0, 1), (0, 10))])
def test_bins_of_different_widths_make_no_difference(spans):
    """Rows beyond the narrow range are beyond it in both samples, however wide the bins of the other are."""
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(60):
        one, two = (Sketch.fit(rng.exponential(size=1000), BinnedMoments(span=span)) for span in spans)
        rejected += ts.mmd_test(one, two, level=0.01).rejected
    assert rejected <= 4


def test_ranges_without_common_bins():
    rng = np.random.default_rng(0)
    one, two = (Sketch.fit(rng.exponential(size=1000), BinnedMoments(span=span)) for span in ((0, 0.1), (5, 100)))
    with pytest.raises(ts.InputError, match="no bins in common"):
        compare_sketches(one, two)


@pytest.mark.parametrize("first", [1, 2])
def test_a_tiny_first_batch_makes_no_difference(first):
    rng = np.random.default_rng(first)
    rejected = 0
    for _ in range(60):
        one = Sketch().update(rng.standard_cauchy(first)).update(rng.standard_cauchy(3000))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                rejected += ts.mmd_test(one, Sketch.fit(rng.standard_cauchy(3000)), level=0.01).rejected
            except ts.InputError:
                continue
    assert rejected <= 4


def test_span():
    s = Sketch.fit([1.0, 5.0, 11.0, -3.0], BinnedMoments(128, span=(0.0, 10.0)))
    assert s.beyond == 0.5
    for wrong in ((1.0, 1.0), (2.0, 1.0), (0.0, np.inf)):
        with pytest.raises(ts.OptionError, match="span"):
            BinnedMoments(span=wrong)
    with pytest.raises(ts.OptionError, match="bins"):
        BinnedMoments(bins=3)
    with pytest.raises(ts.OptionError, match="one column"):
        Sketch.fit(np.zeros((3, 2)), BinnedMoments())


def test_resolution_does_not_depend_on_the_offset():
    x = np.random.default_rng(0).normal(size=1000)
    for offset in (0.0, 2.0**20, 2.0**33):
        assert Sketch.fit(x + offset).state.column.grid.size >= 1500


def test_a_billion_rows():
    """A sketch of many copies of the same rows: sizes that no array could have."""
    x, y = pair("normal", 5000, 5000)
    a, b = Sketch.fit(x), Sketch.fit(y)
    one = compare_sketches(a, b, kernel=ts.Gaussian(1.0), statistic="biased")
    for _ in range(18):
        a, b = a.merge(a), b.merge(b)
    many = compare_sketches(a, b, kernel=ts.Gaussian(1.0), statistic="biased")
    assert many.m == 5000 * 2**18
    assert many.statistic == pytest.approx(one.statistic, rel=1e-9)
    assert many.pvalue < 1e-100  # the same difference, and no doubt about it


@pytest.mark.parametrize("name", ["normal", "poisson"])
def test_level_of_bins(name):
    rejected = 0
    for seed in range(100):
        x, y = pair(name, 200, 150, seed)
        rejected += compare_sketches(Sketch.fit(x), Sketch.fit(y)).rejected
    assert 0.01 <= rejected / 100 <= 0.13
