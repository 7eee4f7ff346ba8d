"""Sketches: what is known of two samples without their rows."""

from __future__ import annotations

import json
import tracemalloc
import warnings
from functools import reduce
from hashlib import sha256
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from twosample.homogeneity.sketches import BinnedMoments, GroupedFeatures, Sketch, compare_sketches

DRAWS = {
    "normal": lambda rng, k: rng.normal(size=k),
    "uniform": lambda rng, k: rng.random(k),
    "exponential": lambda rng, k: rng.exponential(size=k),
    "two clouds": lambda rng, k: rng.normal(size=k) + 20 * rng.integers(0, 2, k),
    "poisson": lambda rng, k: rng.poisson(3.0, k).astype(float),
    "mostly zero": lambda rng, k: np.where(rng.random(k) < 0.8, 0.0, rng.normal(size=k)),
    "offset": lambda rng, k: 1e9 + rng.normal(size=k),
    "tiny": lambda rng, k: 1e-200 * rng.normal(size=k),
    "huge": lambda rng, k: 1e250 * rng.normal(size=k),
}


def pair(name, m=800, n=600, seed=0):
    rng = np.random.default_rng(seed)
    return DRAWS[name](rng, m), DRAWS[name](rng, n)


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
    ends = [2.0**a.state.unit * (a.state.start + end) for end in a.state.ends]
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
        assert Sketch.fit(x + offset).state.size >= 1500


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


# --- Batches, merging ------------------------------------------------------------------------------------------------


def rows_for(columns, seed=0, size=700):
    rng = np.random.default_rng(seed)
    return rng.standard_t(3, size=size) if columns == 1 else rng.normal(size=(size, columns))


@pytest.mark.parametrize("columns", [1, 3])
@given(cuts=st.lists(st.integers(0, 700), max_size=8))
def test_batches_of_any_sizes(columns, cuts):
    x, y = rows_for(columns), rows_for(columns, 1)
    a = Sketch.fit(x)
    whole = Sketch.fit(y, like=a)
    parts = Sketch(like=a)
    for batch in np.split(y, sorted(cuts)):
        parts.update(batch)
    assert parts.rows == whole.rows == 700
    assert_same_answer(compare_sketches(a, whole, rng=0), compare_sketches(a, parts, rng=0))


def assert_same_answer(one, other):
    assert other.statistic == pytest.approx(one.statistic, rel=1e-9, abs=1e-12)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    assert (one.m, one.n) == (other.m, other.n)


@pytest.mark.parametrize("columns", [1, 3])
def test_merging_in_any_order(columns):
    x, y = rows_for(columns), rows_for(columns, 1)
    a = Sketch.fit(x)
    shards = [Sketch.fit(part, like=a) for part in np.split(y, [100, 333])]
    one = compare_sketches(a, reduce(Sketch.merge, shards), rng=0)
    for order in permutations(shards):
        left = reduce(Sketch.merge, order)
        right = order[0].merge(order[1].merge(order[2]))
        for merged in (left, right):
            assert merged.rows == 700
            assert_same_answer(one, compare_sketches(a, merged, rng=0))
    if columns == 1:
        assert_same_answer(one, compare_sketches(a, Sketch.fit(y, like=a), rng=0))


def test_merging_shards_that_were_begun_apart():
    """Of one column any sketches merge, and the order does not matter: bins are halves of each other, ranges nest."""
    rng = np.random.default_rng(3)
    parts = [rng.standard_t(2, 300), 3 * rng.normal(size=200) + 7, rng.normal(size=500), 0.1 * rng.normal(size=40) - 2]
    shards, x = [Sketch.fit(part) for part in parts], Sketch.fit(rng.normal(size=600))
    assert sum(shard.beyond > 0 for shard in shards) >= 1
    answers = [reduce(Sketch.merge, order) for order in permutations(shards)]
    answers.append(shards[0].merge(shards[1]).merge(shards[2].merge(shards[3])))
    first = answers[0].state
    for merged in answers[1:]:
        state = merged.state
        assert (state.unit, state.start, state.cut, state.low, state.high) == (
            first.unit, first.start, first.cut, first.low, first.high,
        )  # fmt: skip
        np.testing.assert_allclose(state.moments, first.moments, rtol=1e-12, atol=1e-12)
    assert_same_answer(compare_sketches(x, answers[0]), compare_sketches(x, answers[-1]))


@given(st.integers(-40, 40), st.integers(-30, 30), st.integers(0, 2**32))
def test_common_bins_keep_moments(shift, scale, seed):
    """Rows, sum and sum of squares survive any merge exactly, if no row lies beyond."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=50)
    y = 2.0 ** (scale / 3) * rng.normal(size=40) + shift
    wide = [BinnedMoments(span=(float(z.min()) - 1e-9, float(z.max()) + 1e-9)) for z in (x, y)]
    merged = Sketch.fit(x, wide[0]).merge(Sketch.fit(y, wide[1]))
    z, state = np.concatenate([x, y]), merged.state
    width = 2.0**state.unit
    centres = width * (state.start + np.arange(state.size) + 0.5)
    count, first, second = state.moments
    assert count.sum() == 90
    assert centres @ count + width * first.sum() == pytest.approx(z.sum(), rel=1e-9, abs=1e-9)
    squares = centres**2 @ count + 2 * width * centres @ first + width**2 * second.sum()
    assert squares == pytest.approx(z @ z, rel=1e-9)


def test_empty_sketches():
    a = Sketch.fit([1.0, 2.0, 3.0])
    empty = Sketch()
    assert (empty.rows, empty.columns, empty.nbytes, empty.layout, empty.beyond) == (0, 0, 0, None, 0.0)
    assert empty.update([]).rows == 0
    assert empty.update(np.empty((0, 3))).columns == 0
    assert empty.merge(a).rows == a.merge(empty).rows == 3
    assert a.update([]).rows == 3
    with pytest.raises(ts.InputError, match="x is a sketch of 0 row"):
        compare_sketches(empty, a)
    with pytest.raises(ts.InputError, match="nothing to save"):
        empty.save("nowhere")
    assert "0 rows" in repr(empty)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_bad_batch_changes_nothing(columns, bad):
    x = rows_for(columns).reshape(700, columns)
    s, other = Sketch.fit(x), Sketch.fit(x)
    batch = x.copy()
    batch[500, columns - 1] = bad
    with pytest.raises(ts.InputError, match=f"batch has 1 value.*row 500, column {columns - 1}"):
        s.update(batch)
    for wrong, match in ((np.zeros((3, 4)), "4 column"), (["a"], "not numbers"), (None, "None")):
        with pytest.raises(ts.InputError, match=match):
            s.update(wrong)
    assert s.rows == 700
    assert_same_answer(compare_sketches(s, other, rng=0), compare_sketches(other, other, rng=0))
    fresh = Sketch()
    with pytest.raises(ts.InputError):
        fresh.update(batch)
    assert fresh.rows == 0


def test_inputs_are_left_alone():
    x = rows_for(1)
    before = x.copy()
    Sketch.fit(x)
    assert (x == before).all()
    assert Sketch.fit(x.astype(np.float32)).rows == Sketch.fit(x.tolist()).rows == 700


def test_memory_is_constant():
    rng = np.random.default_rng(0)
    s = Sketch.fit(rng.normal(size=1000))
    size = s.nbytes
    tracemalloc.start()
    try:
        for _ in range(100):
            s.update(rng.normal(size=10_000))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert s.rows == 1_001_000
    assert s.nbytes == size <= 4096 * 24
    assert peak < 3e6
    assert kept < 3e5


# --- Several columns -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "n"), [(500, 500), (500, 130), (64, 70), (10, 12)])
def test_grouped_statistic_is_that_of_the_features(m, n):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(m, 3)), rng.laplace(size=(n, 3))
    a = Sketch.fit(x)
    r = compare_sketches(a, Sketch.fit(y, like=a), rng=0)
    phi = a.state._features(np.concatenate([x, y]) - a.state.location)
    exact = ts.mmd(None, None, kernel=ts.Precomputed(phi @ phi.T, m=m))
    assert r.statistic == pytest.approx(exact, abs=1e-12)


def test_more_frequencies_come_closer_to_the_kernel():
    x, y = rows_for(4), rows_for(4, 1) + 0.3
    errors = []
    for count in (16, 4096):
        a = Sketch.fit(x, GroupedFeatures(frequencies=count, bandwidth=2.0))
        r = compare_sketches(a, Sketch.fit(y, like=a), rng=0)
        errors.append(abs(r.statistic - ts.mmd(x, y, kernel=ts.Gaussian(2.0))))
    assert errors[1] < 5e-4
    assert errors[1] < errors[0]


def test_groups_take_rows_in_turn():
    x = np.random.default_rng(0).normal(size=(100, 2))
    s = Sketch.fit(x, GroupedFeatures(groups=8))
    state = s.state
    assert sorted(state.sizes) == [12, 12, 12, 12, 13, 13, 13, 13]
    phi = state._features(x - state.location)
    first = (state.turn - 100) % 8
    for g in range(8):
        np.testing.assert_allclose(state.sums[(first + g) % 8], phi[g::8].sum(axis=0), rtol=1e-12)


def test_small_shards_spread_over_all_groups():
    x = np.random.default_rng(0).normal(size=(600, 2))
    a = Sketch.fit(x)
    merged = reduce(Sketch.merge, [Sketch.fit(part, like=a) for part in np.split(x, 200)])
    assert (merged.state.sizes > 0).sum() > 55


def test_permuted_and_rotated_worlds_start_with_the_truth():
    """Both ways the first world is the truth, so a shift of everything is seen at once."""
    rng = np.random.default_rng(0)
    a = Sketch.fit(rng.normal(size=(640, 2)))
    for rows, word in ((640, "permuted"), (700, "rotated")):
        r = compare_sketches(a, Sketch.fit(rng.normal(size=(rows, 2)) + 1, like=a), rng=0)
        assert r.pvalue == 0.001
        assert word in r.notes[0]
        assert r.statistic == r.law.values[0]
        assert compare_sketches(a, a.merge(Sketch()), rng=0).pvalue == 1.0


def test_same_seed_same_answer():
    a = Sketch.fit(rows_for(3))
    b = Sketch.fit(rows_for(3, 1), like=a)
    assert compare_sketches(a, b, rng=5).pvalue == compare_sketches(a, b, rng=5).pvalue


def test_standardised_columns():
    x, y = rows_for(2), rows_for(2, 1)
    units = np.array([1e-6, 1e9])
    plain = Sketch.fit(x, GroupedFeatures(standardise=True))
    scaled = Sketch.fit(x * units + 5, GroupedFeatures(standardise=True))
    one = compare_sketches(plain, Sketch.fit(y, like=plain), rng=0)
    other = compare_sketches(scaled, Sketch.fit(y * units + 5, like=scaled), rng=0)
    assert other.statistic == pytest.approx(one.statistic, abs=1e-6)
    constant = Sketch.fit(np.column_stack([x[:, 0], np.ones(700)]), GroupedFeatures(standardise=True))
    assert np.isfinite(constant.state.scale).all()


@pytest.mark.parametrize("kernel", ["laplace", "matern-3/2", "rational-quadratic", ts.Gaussian(1.0) + ts.Laplace(2.0)])
def test_other_kernels_of_groups(kernel, tmp_path):
    layout = GroupedFeatures(kernel=kernel, frequencies=32, groups=16)
    a = Sketch.fit(rows_for(2), layout)
    b = Sketch.fit(rows_for(2, 1) + 1, like=a)
    assert compare_sketches(a, b, rng=0).rejected
    b.save(tmp_path / "b")
    assert compare_sketches(a, Sketch.load(tmp_path / "b"), rng=0).rejected


@pytest.mark.parametrize("m", [20, 200, 201])
@pytest.mark.parametrize("draw", ["normal", "ties"])
def test_level_of_groups(m, draw):
    """Permutation (m = n) and rotation (m ≠ n) hold their level; see the slow suite for 1000 repetitions."""
    rejected = level_of_groups(m, 200 if m > 20 else 20, draw, 200, frequencies=24)
    assert rejected <= 0.11
    assert rejected >= (0.0 if m == 20 else 0.005)


def level_of_groups(m, n, draw, repetitions, shards=1, frequencies=128):
    rejected = 0
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, m, n])
        x, y = (
            rng.normal(size=(k, 3)) if draw == "normal" else rng.poisson(0.7, size=(k, 2)).astype(float) for k in (m, n)
        )
        a = Sketch.fit(x, GroupedFeatures(frequencies=frequencies))
        b = reduce(Sketch.merge, [Sketch.fit(part, like=a) for part in np.array_split(y, shards)])
        rejected += compare_sketches(a, b, null=ts.Permutation(n=99), rng=seed).rejected
    return rejected / repetitions


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "n", "shards"), [(500, 500, 1), (500, 200, 1), (640, 64, 1), (20, 20, 1), (1000, 1000, 20), (900, 400, 90)]
)
@pytest.mark.parametrize("draw", ["normal", "ties"])
def test_level_of_groups_slow(m, n, shards, draw):
    assert level_of_groups(m, n, draw, 1000, shards) <= 0.071  # 0.05 and three standard errors


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n"), [(300, 300), (400, 200)])
def test_power_of_groups_slow(m, n):
    """Permuting groups costs a few points of power against permuting rows."""
    wins = np.zeros(2)
    for seed in range(1000):
        rng = np.random.default_rng([seed, m, n])
        x, y = rng.normal(size=(m, 3)), rng.normal(0.15, 1, size=(n, 3))
        a = Sketch.fit(x)
        null = ts.Permutation(n=199)
        wins[0] += compare_sketches(a, Sketch.fit(y, like=a), null=null, rng=seed).rejected
        wins[1] += ts.mmd_test(x, y, null=null, rng=seed).rejected
    groups, rows = wins / 1000
    assert 0.3 < rows < 0.95
    assert groups >= rows - 0.06


@pytest.mark.parametrize("name", ["normal", "poisson"])
def test_level_of_bins(name):
    rejected = 0
    for seed in range(100):
        x, y = pair(name, 200, 150, seed)
        rejected += compare_sketches(Sketch.fit(x), Sketch.fit(y)).rejected
    assert 0.01 <= rejected / 100 <= 0.13


# --- What does not fit -----------------------------------------------------------------------------------------------


def test_sketches_that_do_not_fit():
    x, y = rows_for(2), rows_for(2, 1)
    one, two = Sketch.fit(rows_for(1)), Sketch.fit(x)
    apart = [Sketch.fit(y), Sketch.fit(x, GroupedFeatures(seed=1)), Sketch.fit(x, GroupedFeatures(kernel="laplace"))]
    for other in apart:
        for act in (compare_sketches, Sketch.merge):
            with pytest.raises(ts.InputError, match=r"begun apart.*like="):
                act(two, other)
    groups = Sketch.fit(x, GroupedFeatures(groups=32))
    for act in (compare_sketches, Sketch.merge):
        with pytest.raises(ts.InputError, match="numbers of groups"):
            act(two, groups)
        with pytest.raises(ts.InputError, match=r"column"):
            act(two, Sketch.fit(rows_for(3)))
        with pytest.raises(ts.InputError, match=r"column|different ways"):
            act(one, two)
        with pytest.raises(ts.InputError, match="different ways"):
            act(one, Sketch.fit(rows_for(1).reshape(-1, 1), GroupedFeatures()))
    with pytest.raises(ts.InputError, match="only"):
        one.merge(rows_for(1))
    with pytest.raises(ts.InputError, match="make both"):
        compare_sketches(one, rows_for(1))


def test_many_rows_of_both_beyond_the_bins_deserve_a_warning():
    """If only one sample is there, the test sees it; if both are, it cannot."""
    x = rows_for(1)
    near, far, farther = (Sketch.fit(x).update(np.full(2 * len(x), place)) for place in (0.0, 1e6, 2e6))
    assert ts.mmd_test(near, far).rejected
    with pytest.warns(UserWarning, match="beyond the bins") as caught:
        assert not ts.mmd_test(far, farther).rejected
    assert caught[0].filename == __file__


def test_frequencies_that_bins_cannot_tell():
    values, bounds = Sketch.fit(rows_for(1)).characteristic_function([1e6, 1e300])
    np.testing.assert_array_equal(values, 0)
    np.testing.assert_array_equal(bounds, 1)


def test_options_that_do_not_fit():
    one, two = Sketch.fit(rows_for(1)), Sketch.fit(rows_for(2))
    with pytest.raises(ts.OptionError, match="'spectrum' or 'gamma' or 'pearson'"):
        compare_sketches(one, one, null="permutation")
    with pytest.raises(ts.OptionError, match="'permutation'"):
        compare_sketches(two, two, null="spectrum")
    with pytest.raises(ts.OptionError, match="never give"):
        compare_sketches(two, two, null=ts.Permutation(n=9))
    with pytest.raises(ts.OptionError, match="needs the rows"):
        compare_sketches(one, one, statistic="linear")
    with pytest.raises(ts.OptionError, match="Sketches serve"):
        compare_sketches(one, one, kernel="energy")
    with pytest.raises(ts.OptionError, match="have their kernel"):
        compare_sketches(two, two, kernel="laplace")
    assert compare_sketches(two, two, rng=0).kernel == two.state.kernel
    assert compare_sketches(two, two, kernel=two.state.kernel, rng=0).kernel == two.state.kernel
    assert compare_sketches(one, one).null == ts.Spectrum()
    with pytest.raises(ts.OptionError, match="layout"):
        Sketch("bins")
    with pytest.raises(ts.OptionError, match="not both"):
        Sketch(BinnedMoments(), like=one)
    for wrong in (
        {"groups": 2}, {"frequencies": 0}, {"seed": -1}, {"kernel": "no"}, {"bandwidth": -1.0}, {"standardise": "no"},
    ):  # fmt: skip
        with pytest.raises(ts.OptionError):
            GroupedFeatures(**wrong)
    for span in (3, "ab", (1.0,), (2.0, 1.0), (None, 1.0)):
        with pytest.raises(ts.OptionError, match="span="):
            BinnedMoments(span=span)
    for use in (ts.mmd, ts.plan, ts.interval):
        with pytest.raises(ts.InputError, match="x is a Sketch"):
            use(one, one)
    with pytest.raises(ts.OptionError):
        Sketch.fit(rows_for(2), GroupedFeatures(kernel="energy"))
    with pytest.raises(ts.InputError, match="2 or more"):
        Sketch.fit([[1.0, 2.0]])


# --- Files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [1, 3])
def test_saving_and_loading(columns, tmp_path):
    x, y = rows_for(columns), rows_for(columns, 1)
    a = Sketch.fit(x)
    b = Sketch.fit(y, like=a)
    path = tmp_path / "a.json"
    a.save(path)
    back = Sketch.load(path)
    assert (back.rows, back.columns, back.beyond) == (a.rows, a.columns, a.beyond)
    assert_same_answer(compare_sketches(a, b, rng=0), compare_sketches(back, b, rng=0))
    assert back.merge(b).update(x).rows == 2100
    back.save(path)
    assert compare_sketches(a, Sketch.load(path), rng=0).pvalue > 0.99
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    assert path.stat().st_size < 400_000


def test_every_number_survives(tmp_path):
    rng = np.random.default_rng(0)
    s = Sketch.fit(1e9 + rng.standard_cauchy(5000)).merge(Sketch.fit(1e9 + 5 * rng.standard_cauchy(500)))
    s.save(tmp_path / "s")
    back, state = Sketch.load(tmp_path / "s").state, s.state
    assert (back.moments == state.moments).all()
    assert (back.unit, back.start, back.low, back.high, back.cut) == (
        state.unit, state.start, state.low, state.high, state.cut,
    )  # fmt: skip


def test_the_file_is_plain(tmp_path):
    Sketch.fit([1.0, 1.25, 7.0], BinnedMoments(64, span=(0.0, 8.0))).save(tmp_path / "s")
    head, body = (json.loads(line) for line in (tmp_path / "s").read_text().splitlines())
    assert head["format"] == "twosample-sketch"
    assert head["version"] == 1
    assert body == {
        "kind": "bins", "bins": 64, "span": [0.0, 8.0], "unit": -2, "start": 0, "length": 33, "cut": None,
        "below": 0, "above": 0, "bin": [4, 5, 28], "count": [1, 1, 1], "first": [-0.5] * 3, "second": [0.25] * 3,
    }  # fmt: skip


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    Sketch.fit([1.0, 2.0]).save(path)
    before = path.read_bytes()
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        Sketch.fit([3.0, 4.0]).save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
    with pytest.raises(FileNotFoundError):
        Sketch.load(tmp_path / "missing")


def sealed(record):
    body = json.dumps(record, separators=(",", ":")).encode()
    head = {"format": "twosample-sketch", "version": 1, "bytes": len(body), "sha256": sha256(body).hexdigest()}
    return json.dumps(head).encode() + b"\n" + body + b"\n"


def changed(content, **changes):
    record = json.loads(content.splitlines()[1])
    for key, value in changes.items():
        if value is KeyError:
            del record[key]
        else:
            record[key] = value
    return sealed(record)


def header(content, **changes):
    head, body = content.split(b"\n", 1)
    return json.dumps({**json.loads(head), **changes}).encode() + b"\n" + body


DAMAGES = {
    "empty": lambda c: b"",
    "cut off in the header": lambda c: c[:30],
    "cut off in the body": lambda c: c[: len(c) // 2],
    "one byte short": lambda c: c[:-2] + b"\n",
    "something appended": lambda c: c + b"x",
    "a digit changed": lambda c: c[:-40] + bytes([c[-40] ^ 1]) + c[-39:],
    "a bit of the header": lambda c: bytes([c[0] ^ 1]) + c[1:],
    "not text": lambda c: bytes(range(256)) * 10,
    "a pickle": lambda c: b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x07sketch.",
    "a zip": lambda c: b"PK\x03\x04" + c,
    "another format": lambda c: header(c, format="other"),
    "a later version": lambda c: header(c, version=2),
    "version as text": lambda c: header(c, version="1"),
    "no version": lambda c: b'{"format": "twosample-sketch"}\n' + c.split(b"\n", 1)[1],
    "checksum changed": lambda c: header(c, sha256="0" * 64),
    "a list": lambda c: b"[1, 2]\n[3]\n",
    "deep": lambda c: b"[" * 100_000 + b"\n",
    "NaN": lambda c: changed(c, **({"below": float("nan")} if b'"below"' in c else {"seed": float("nan")})),
    "unknown kind": lambda c: changed(c, kind="cells"),
    "no kind": lambda c: changed(c, kind=KeyError),
    "body is a number": lambda c: sealed(3),
}

BIN_DAMAGES = {
    "missing counts": {"count": KeyError},
    "too few counts": {"count": [1, 2]},
    "negative counts": {"count": [-1, 2, 3]},
    "fractional counts": {"count": [1.5, 2, 3]},
    "bins out of order": {"bin": [5, 4, 28]},
    "bins out of range": {"bin": [4, 5, 5000]},
    "negative rows": {"below": -1},
    "rows as text": {"above": "3"},
    "first moments beyond the bin": {"first": [0.7, 0.0, 0.0]},
    "second moments below the mean": {"second": [0.0, 0.25, 0.25]},
    "second moments beyond the bin": {"second": [0.9, 0.25, 0.25]},
    "a cut outside": {"cut": [3, 999]},
    "an absurd unit": {"unit": 5000},
    "more bins than allowed": {"length": 100_000},
    "nested": {"count": [[1], [2], [3]]},
    "an empty span": {"span": [3.0, 1.0]},
}

GROUP_DAMAGES = {
    "unknown kernel": {"kernel": {"name": "Evil"}},
    "kernel without bandwidth": {"kernel": {"name": "Gaussian"}},
    "kernel with a wrong option": {"kernel": {"name": "Gaussian", "bandwidth": 1.0, "colour": 3}},
    "kernel is text": {"kernel": "Gaussian"},
    "sums too few": {"sums": [[0.0]]},
    "sums too large": {"sizes": [0] * 8},
    "ragged sums": {"sums": [[0.0], [0.0, 1.0]]},
    "zero scale": {"scale": [0.0, 1.0]},
    "negative sizes": {"sizes": [-1] * 8},
    "no columns": {"location": []},
    "weights as text": {"weights": ["a"] * 4},
}


def refused(path, content):
    path.write_bytes(content)
    with pytest.raises(ts.InputError, match="is not a sketch that can be used") as caught:
        Sketch.load(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("columns", [1, 2])
def test_damaged_files(columns, damage, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit(rows_for(columns)).save(path)
    refused(path, damage(path.read_bytes()))


@pytest.mark.parametrize("changes", BIN_DAMAGES.values(), ids=BIN_DAMAGES)
def test_nonsense_about_bins(changes, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit([1.0, 1.25, 7.0], BinnedMoments(64, span=(0.0, 8.0))).save(path)
    refused(path, changed(path.read_bytes(), **changes))


@pytest.mark.parametrize("changes", GROUP_DAMAGES.values(), ids=GROUP_DAMAGES)
def test_nonsense_about_groups(changes, tmp_path):
    path = tmp_path / "a.json"
    Sketch.fit(rows_for(2), GroupedFeatures(groups=8, frequencies=4)).save(path)
    assert Sketch.load(path).rows == 700
    refused(path, changed(path.read_bytes(), **changes))


def test_a_folder_is_not_a_sketch(tmp_path):
    with pytest.raises(ts.InputError, match="folder"):
        Sketch.load(tmp_path)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (1, {"engine": "dense"}, "engine='dense'"),
        (3, {"engine": "dense"}, "engine='dense'"),
        (1, {"rng": "foo"}, "rng="),
        (1, {"bandwidth": "foo"}, "bandwidth="),
        (3, {"bandwidth": 0.01}, "bandwidth=0.01"),
    ],
)
def test_options_that_sketches_do_not_take(columns, options, message):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500, columns))
    a = ts.Sketch.fit(x)
    with pytest.raises(ts.OptionError, match=message):
        ts.mmd_test(a, ts.Sketch.fit(y, like=a), **options)
