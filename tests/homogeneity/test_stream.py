"""LinearTimeMMD: whatever the batches, the answer of one pass over all rows."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from tests import naive
from tests.homogeneity.streamed import KERNELS, sample
from twosample.homogeneity import stream_terms
from twosample.homogeneity.stream import LinearTimeMMD


def fed(stream, x, y, cuts):
    """Feed x and y in pieces that end at the given shares."""
    i = j = 0
    for a, b in [*cuts, (1.0, 1.0)]:
        to_i, to_j = max(i, int(a * len(x))), max(j, int(b * len(y)))
        stream.update(x[i:to_i], y[j:to_j])
        i, j = to_i, to_j
    return stream


BOUNDED = [kernel for kernel in KERNELS if kernel.bounds is not None]


@pytest.mark.parametrize("kernel", [kernel for kernel in KERNELS if kernel.bounds is None], ids=repr)
def test_a_bound_needs_a_bounded_kernel(kernel):
    x, y = sample()
    with pytest.raises(ts.OptionError, match="bounded"):
        LinearTimeMMD(kernel).update(x, y).result("hoeffding")


@pytest.mark.parametrize(
    ("kernel", "null"), [*((k, "normal") for k in KERNELS), *((k, "hoeffding") for k in BOUNDED)], ids=repr
)
def test_equals_one_pass(kernel, null):
    x, y = sample()
    s = fed(LinearTimeMMD(kernel), x, y, [(0.1, 0.3), (0.11, 0.3), (0.5, 0.35), (0.5, 0.9), (0.93, 0.9)])
    r, one = s.result(null), ts.mmd_test(x, y, kernel=kernel, statistic="linear", null=null)
    assert r.statistic == pytest.approx(one.statistic, rel=1e-11, abs=1e-15)
    assert r.pvalue == pytest.approx(one.pvalue, rel=1e-10)
    assert r.threshold == pytest.approx(one.threshold, rel=1e-12)
    assert (r.m, r.n, r.columns, r.kernel, r.null) == (one.m, one.n, one.columns, one.kernel, one.null)
    assert s.terms == 188
    assert s.rows == (401, 377)
    assert s.pending == (25, 1)


def test_against_the_definition():
    x, y = sample(20, 23, 2)
    s = LinearTimeMMD(ts.Gaussian(1.5)).update(x, y)
    assert s.statistic == pytest.approx(naive.mmd2_linear(x, y, naive.of(ts.Gaussian(1.5))), rel=1e-13)


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=30),
    st.integers(1, 3),
)
def test_any_batches(sizes, d):
    rng = np.random.default_rng(len(sizes))
    batches = [(rng.normal(size=(a, d)), rng.normal(size=(b, d))) for a, b in sizes]
    x, y = (np.concatenate([batch[k] for batch in batches]) for k in (0, 1))
    s = LinearTimeMMD(ts.Gaussian(1.0))
    for batch in batches:
        s.update(*batch)
    terms = naive.linear_terms(x, y, naive.of(ts.Gaussian(1.0)))
    assert s.terms == len(terms)
    assert s.rows == (len(x), len(y))
    assert s.pending == (len(x) - 2 * s.terms, len(y) - 2 * s.terms)
    if terms:
        assert s.statistic == pytest.approx(np.mean(terms), rel=1e-12, abs=1e-15)
    if len(terms) > 6:
        error = np.std(terms, ddof=1) / np.sqrt(len(terms))
        assert s.result().threshold == pytest.approx(1.6448536269514722 * error, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("d", [1, 2, 10, 300])
def test_blocks_threads_and_pieces(d, monkeypatch):
    """Large batches go through threads, blocks and pieces; the answer is that of small ones."""
    rng = np.random.default_rng(1)
    rows = 1_200_000 // d // 2 * 2 + 1
    x, y = rng.normal(size=(rows, d)), rng.normal(size=(rows, d))
    kernel = ts.Gaussian(float(np.sqrt(d)))
    whole = LinearTimeMMD(kernel).update(x, y)
    parts = LinearTimeMMD(kernel)
    step = rows // 7 + 1
    for start in range(0, rows, step):
        parts.update(x[start : start + step], y[start : start + step])
    monkeypatch.setattr(stream_terms, "available_cores", lambda: 1)
    single = LinearTimeMMD(kernel).update(x, y)
    assert single.statistic == whole.statistic  # whatever the number of threads
    assert parts.statistic == pytest.approx(whole.statistic, rel=1e-10, abs=1e-16)
    assert parts.result().pvalue == pytest.approx(whole.result().pvalue, rel=1e-9)


@pytest.mark.parametrize("kernel", [ts.Gaussian(1.0), ts.Laplace(1.0), ts.Energy(), ts.Linear()], ids=repr)
def test_huge_offset(kernel):
    x, y = sample()
    far_x, far_y = x + 2.0**30, y + 2.0**30
    near = LinearTimeMMD(kernel).update(far_x - 2.0**30, far_y - 2.0**30)
    far = LinearTimeMMD(kernel).update(far_x, far_y)
    assert far.statistic == pytest.approx(near.statistic, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e-30, 1e30, 1e150, 1e300])
def test_units(unit):
    x, y = sample()
    s = LinearTimeMMD(ts.Gaussian(1.5 * unit)).update(unit * x, unit * y)
    assert s.statistic == pytest.approx(LinearTimeMMD(ts.Gaussian(1.5)).update(x, y).statistic, rel=1e-9)


def test_values_out_of_reach_of_squares():
    x, y = sample(40, 40)
    x[0], y[5] = 1e200, -1e250
    for kernel in (ts.Gaussian(1.0), ts.Laplace(1.0)):
        with np.errstate(over="ignore"):
            expected = naive.mmd2_linear(x, y, naive.of(kernel))
        assert LinearTimeMMD(kernel).update(x, y).statistic == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("side", ["x", "y"])
@pytest.mark.parametrize("row", [0, 1, 7, 14, 40])
def test_a_bad_batch_changes_nothing(bad, side, row):
    x, y = sample(41, 41, 2)
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(x[:21], y[:18])
    before = (s.statistic, s.terms, s.rows, s.pending, s.result().pvalue)
    batch = {"x": x.copy(), "y": y[:15].copy()}
    row = min(row, len(batch[side]) - 1)
    batch[side][row, 1] = bad
    with pytest.raises(ts.InputError, match=rf"{side} has 1 value.*row {row}, column 1"):
        s.update(batch["x"], batch["y"])
    assert (s.statistic, s.terms, s.rows, s.pending, s.result().pvalue) == before
    s.update(x[21:], y[18:])
    assert s.statistic == pytest.approx(LinearTimeMMD(ts.Gaussian(1.0)).update(x, y).statistic, rel=1e-12)


def test_bad_rows_that_only_wait():
    s = LinearTimeMMD(ts.Gaussian(1.0))
    for batch in ([1.0], [np.nan], [1.0, np.inf]):
        if np.isfinite(batch).all():
            s.update(batch, [])
        else:
            with pytest.raises(ts.InputError, match="x has 1 value"):
                s.update(np.array(batch), np.array([]))
    assert s.pending == (1, 0)


def test_merging_streams():
    x, y = sample(401, 401)
    whole = LinearTimeMMD(ts.Gaussian(1.0)).update(x, y)
    a = LinearTimeMMD(ts.Gaussian(1.0)).update(x[:100], y[:100])
    b = LinearTimeMMD(ts.Gaussian(1.0)).update(x[100:], y[100:])
    for merged in (a.merge(b), b.merge(a)):
        assert merged.statistic == pytest.approx(whole.statistic, rel=1e-12)
        assert merged.result().pvalue == pytest.approx(whole.result().pvalue, rel=1e-10)
        assert (merged.terms, merged.rows, merged.pending) == (200, (401, 401), (1, 1))
    empty = LinearTimeMMD(ts.Gaussian(1.0))
    assert empty.merge(a).statistic == a.merge(empty).statistic == a.statistic
    assert empty.merge(empty).terms == 0


def test_an_offset_does_not_hide_a_difference():
    g = np.random.default_rng(5)
    x, y = 1e6 + g.normal(size=2000), 1e6 + g.normal(size=2000) + 0.3
    found = LinearTimeMMD(ts.Linear()).update(x, y).result()
    whole = ts.mmd_test(x, y, kernel="linear", statistic="linear", null="normal")
    assert found.pvalue == pytest.approx(whole.pvalue, rel=1e-6)


def test_streams_of_other_columns_are_not_merged():
    one, two = (LinearTimeMMD(ts.Gaussian(1.0)).update(np.ones((6, d)), np.ones((6, d))) for d in (1, 2))
    with pytest.raises(ts.InputError, match="Different columns"):
        one.merge(two)


def test_merging_pairs_the_leftovers():
    a = LinearTimeMMD(ts.Gaussian(1.0)).update([0.0, 1.0, 2.0], [0.5, 1.5])
    b = LinearTimeMMD(ts.Gaussian(1.0)).update([0.0], [0.5, 1.5])
    for merged in (a.merge(b), b.merge(a)):
        assert (merged.terms, merged.rows, merged.pending) == (2, (4, 4), (0, 0))
    assert (a.terms, b.terms) == (1, 0)  # neither is changed
    with pytest.raises(ts.OptionError, match="different kernels"):
        a.merge(LinearTimeMMD(ts.Gaussian(2.0)))
    with pytest.raises(ts.InputError, match="Different columns"):
        a.merge(LinearTimeMMD(ts.Gaussian(1.0)).update([[0.0, 1.0]], [[0.0, 1.0]]))


def test_a_bandwidth_is_needed():
    with pytest.raises(ts.OptionError, match="from_pilot"):
        LinearTimeMMD("gaussian")
    with pytest.raises(ts.OptionError, match="not a kernel on rows"):
        LinearTimeMMD(ts.Precomputed(np.eye(4)))
    x, y = sample()
    s = LinearTimeMMD.from_pilot(x, y, rng=0)
    assert s.terms == 0
    one = ts.mmd_test(x, y, statistic="linear", null="normal", rng=0)
    assert s.kernel == one.kernel
    assert s.update(x, y).result().pvalue == pytest.approx(one.pvalue, rel=1e-10)
    grid = LinearTimeMMD.from_pilot(x, y, bandwidth="quantiles", rng=0).update(x, y)
    assert np.isfinite(grid.statistic)


def test_refusals():
    s = LinearTimeMMD(ts.Gaussian(1.0))
    with pytest.raises(ts.InputError, match="Two rows of each"):
        s.result()
    assert np.isnan(s.statistic)
    s.update([[1.0, 2.0]], [])
    with pytest.raises(ts.InputError, match="Different columns"):
        s.update([1.0], [2.0])
    with pytest.raises(ts.InputError, match="not numbers"):
        s.update([["a", "b"]], [])
    s.update([[1.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ts.OptionError, match="needs the rows again"):
        s.result("permutation")
    with pytest.raises(ts.OptionError, match="level"):
        s.result(level=2)
    with pytest.warns(ts.SmallSampleWarning):
        assert s.result().pvalue == 1.0  # one term: nothing is known of its spread


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_in_another_order_are_an_error(library):
    frames = pytest.importorskip(library)
    ab, ba = frames.DataFrame({"a": [1.0, 2.0], "b": [5.0, 6.0]}), frames.DataFrame({"b": [5.0, 6.0], "a": [1.0, 2.0]})
    array = np.array([[1.0, 5.0], [2.0, 6.0]])

    def stream():
        return LinearTimeMMD(ts.Gaussian(1.0))

    for s, x, y, whose in (
        (stream(), ab, ba, "x and y"),
        (stream().update(ab, array), ba, array, "x and the stream"),
        (stream().update(array, ab).update(array, array), array, ba, "y and the stream"),
        (stream().update(ab, ab).merge(stream().update(array, array)), array, ba, "y and the stream"),
    ):
        before = s.rows
        with pytest.raises(ts.InputError, match=f"{whose} have the same columns in a different order"):
            s.update(x, y)
        assert s.rows == before
    with pytest.raises(ts.InputError, match="The streams have the same columns in a different order"):
        stream().update(ab, ab).merge(stream().update(ba, ba))
    other = frames.DataFrame({"c": [1.0, 2.0], "d": [5.0, 6.0]})
    with pytest.raises(ts.InputError, match="x and y have different columns: 'a', 'b' in the first, 'c', 'd' in the"):
        stream().update(ab, other)
    with pytest.raises(ts.InputError, match="The streams have different columns: 'a', 'b' in the first, 'c', 'd' in"):
        stream().update(ab, ab).merge(stream().update(other, other))


def test_an_empty_batch_of_the_wrong_width_is_an_error():
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(np.ones((3, 2)), np.ones((2, 2)))
    for x, y in ((np.empty((0, 3)), np.ones((1, 2))), (np.ones((1, 2)), np.empty((0, 1))), ([], np.empty((0, 5)))):
        with pytest.raises(ts.InputError, match=r"Different columns: .* the stream has 2"):
            s.update(x, y)
    for none in (np.empty((0, 0)), np.empty((4, 0))):
        with pytest.raises(ts.InputError, match="x has no columns"):
            s.update(none, [])
    assert s.update([], np.empty(0)).update(np.empty((0, 2)), []).rows == (3, 2)


def test_a_multiple_of_the_kernel_does_not_matter():
    x, y = sample(200, 200)
    one = LinearTimeMMD(ts.Gaussian(1.0)).update(x, y).result()
    for factor in (1e-89, 1e89):
        r = LinearTimeMMD(factor * ts.Gaussian(1.0)).update(x, y).result()
        assert r.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    for factor, size in ((1e-170, "small"), (1e160, "large")):
        with pytest.raises(ts.OptionError, match=f"too {size} for doubles"):
            LinearTimeMMD(factor * ts.Gaussian(1.0))
    with pytest.raises(ts.InputError, match="too small for Linear"):
        LinearTimeMMD(ts.Linear()).update(1e-80 * x, 1e-80 * y).result()


def test_messages_advise_what_a_stream_can_do():
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(*sample(20, 20))
    assert s.result().notes == ("The normal law needs many terms and there are only 10; wait for more rows.",)
    for unknown in ("foo", 3):
        with pytest.raises(ts.OptionError, match=r"Choose one of 'hoeffding', 'normal', or"):
            s.result(unknown)
    with pytest.raises(ts.OptionError, match="or null='normal'"):
        LinearTimeMMD(ts.Linear()).update(*sample(20, 20)).result("hoeffding")


def test_constant_streams():
    r = LinearTimeMMD(ts.Gaussian(1.0)).update(np.ones(50), np.ones(50)).result()
    assert (r.statistic, r.pvalue) == (0.0, 1.0)


def test_inputs_are_left_alone_and_not_held():
    x, y = sample(101, 50)
    before = x.copy(), y.copy()
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(x, y)
    assert (x == before[0]).all()
    assert (y == before[1]).all()
    x[:], y[:] = 0.0, 0.0  # the rows that wait are copies
    s.update([], before[1])
    whole = LinearTimeMMD(ts.Gaussian(1.0)).update(before[0], np.concatenate([before[1], before[1]]))
    assert s.statistic == pytest.approx(whole.statistic, rel=1e-12)


def test_other_inputs():
    x, y = sample(60, 60, 1)
    s = LinearTimeMMD(ts.Gaussian(1.0)).update(x, y)
    lists = LinearTimeMMD(ts.Gaussian(1.0)).update(x[:, 0].tolist(), y[:, 0])
    fortran = LinearTimeMMD(ts.Gaussian(1.0)).update(np.asfortranarray(x), y[::-1][::-1])
    assert s.statistic == lists.statistic == fortran.statistic


def test_memory_is_constant():
    rng = np.random.default_rng(0)
    s = LinearTimeMMD(ts.Gaussian(3.0))
    tracemalloc.start()
    try:
        for _ in range(100):
            s.update(rng.normal(size=(1001, 5)), rng.normal(size=(1003, 5)))
            s.update(rng.normal(size=(1003, 5)), rng.normal(size=(1001, 5)))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert s.rows == (200_400, 200_400)
    assert s.pending == (0, 0)
    assert peak < 6e6
    assert kept < 4e6


def test_one_sample_far_ahead():
    """Rows that wait are kept, one at a time or all at once, without copying them over and over."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=3000), rng.normal(size=3000)
    s = LinearTimeMMD(ts.Gaussian(1.0))
    for value in x:
        s.update([value], [])
    assert s.pending == (3000, 0)
    for value in y[:1501]:
        s.update([], [value])
    assert s.pending == (1500, 1)
    s.update([], y[1501:])
    assert s.statistic == pytest.approx(LinearTimeMMD(ts.Gaussian(1.0)).update(x, y).statistic, rel=1e-12)


@pytest.mark.parametrize(("draw", "low"), [("normal", 0.02), ("poisson", 0.02)])
def test_level(draw, low):
    rejected = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x, y = (getattr(rng, draw)(1.0, size=(200, 2)) for _ in range(2))
        rejected += LinearTimeMMD(ts.Gaussian(1.0)).update(x * 1.0, y * 1.0).result().rejected
    assert low <= rejected / 300 <= 0.09
