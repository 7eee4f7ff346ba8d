"""Sketches of batches and shards, and those of several columns."""

from __future__ import annotations

import tracemalloc
from functools import reduce
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from tests.homogeneity.sketches.sketched import assert_same_answer, rows_for
from twosample.homogeneity.sketches import BinnedMoments, GroupedFeatures, Sketch, compare_sketches

# --- Batches, merging ------------------------------------------------------------------------------------------------


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
    if columns == 1:
        assert_same_answer(compare_sketches(a, whole, rng=0), compare_sketches(a, parts, rng=0))
    else:  # each batch is shuffled by itself: the same rows in all, in other groups of the same sizes
        assert sorted(parts.state.sizes) == sorted(whole.state.sizes)
        np.testing.assert_allclose(parts.state.sums.sum(axis=0), whole.state.sums.sum(axis=0), rtol=1e-9, atol=1e-9)


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
    first = answers[0].state.column
    for merged in answers[1:]:
        column = merged.state.column
        assert (column.grid, column.cut, column.below, column.above, column.quantum) == (
            first.grid, first.cut, first.below, first.above, first.quantum,
        )  # fmt: skip
        assert (column.sums == first.sums).all()
    assert_same_answer(compare_sketches(x, answers[0]), compare_sketches(x, answers[-1]))


@given(st.integers(-40, 40), st.integers(-30, 30), st.integers(0, 2**32))
def test_common_bins_keep_moments(shift, scale, seed):
    """Rows, sum and sum of squares survive any merge exactly, if no row lies beyond."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=50)
    y = 2.0 ** (scale / 3) * rng.normal(size=40) + shift
    wide = [BinnedMoments(span=(float(z.min()) - 1e-9, float(z.max()) + 1e-9)) for z in (x, y)]
    merged = Sketch.fit(x, wide[0]).merge(Sketch.fit(y, wide[1]))
    z, column = np.concatenate([x, y]), merged.state.column
    width, centres = 2.0**column.grid.unit, column.grid.centres
    count, first, second = column.moments
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


@pytest.mark.parametrize("columns", [1, 2])
def test_an_empty_batch_of_the_wrong_width_is_an_error(columns):
    s = Sketch.fit(rows_for(columns))
    with pytest.raises(ts.InputError, match=f"batch has 3 column.* and the sketch {columns}"):
        s.update(np.empty((0, 3)))
    assert s.update([]).update(np.empty((0, columns))).rows == 700


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_in_another_order_are_an_error(library, tmp_path):
    frames = pytest.importorskip(library)
    x = rows_for(2)
    ab = frames.DataFrame({"ä": x[:, 0], "b": x[:, 1]})
    ba = ab[["b", "ä"]]
    a, bare = Sketch.fit(ab), Sketch.fit(x)
    a.save(tmp_path / "a")
    for known in (a, Sketch(like=a), Sketch.load(tmp_path / "a"), Sketch(like=bare).update(ab).merge(bare)):
        with pytest.raises(ts.InputError, match="batch and the sketch have the same columns in a different order"):
            known.update(ba)
        assert known.rows in (0, 700, 1400)
    b = Sketch(like=bare).update(ba)
    for together in (ts.mmd_test, Sketch.merge):
        with pytest.raises(ts.InputError, match="The sketches have the same columns in a different order"):
            together(a, b)
    assert a.update(ab).merge(Sketch(like=bare).update(x)).rows == 2100
    assert ts.mmd_test(Sketch.fit(ab[["b"]]), Sketch.fit(ab[["ä"]])).m == 700  # one column has no order


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


def test_groups_are_random_parts_of_a_batch():
    """Of equal sizes; every row is in one of them."""
    x = np.random.default_rng(0).normal(size=(100, 2))
    state = Sketch.fit(x, GroupedFeatures(groups=8)).state
    assert sorted(state.sizes) == [12, 12, 12, 12, 13, 13, 13, 13]
    phi = state._features(x - state.location)
    np.testing.assert_allclose(state.sums.sum(axis=0), phi.sum(axis=0), rtol=1e-9)
    again = Sketch.fit(x, GroupedFeatures(groups=8)).state
    np.testing.assert_array_equal(again.sums, state.sums)  # the same rows, the same groups


def test_the_order_of_rows_does_not_make_groups_alike():
    """Sorted rows: dealt in turn, all groups would have the same mean, and the level would be three times too high."""
    rng, rejected = np.random.default_rng(5), 0
    for _ in range(60):
        x, y = (np.sort(rng.normal(size=(400, 2)), axis=0) for _ in range(2))
        a = Sketch.fit(x, GroupedFeatures(frequencies=32))
        rejected += compare_sketches(a, Sketch.fit(y, like=a), rng=0).pvalue <= 0.05
    assert rejected <= 9  # binomial: 1 in 500 above


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
