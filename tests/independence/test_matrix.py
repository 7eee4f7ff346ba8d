"""All pairs of columns: the same answers as one test at a time, adjusted for their number."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.adjust import benjamini_hochberg, holm


def table(n=150, seed=0):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    return {"x": x, "square": x**2 + 0.3 * rng.normal(size=n), "y": y, "die": rng.integers(1, 7, n)}


@pytest.mark.parametrize("kernel", ["gaussian", "laplace"])
@pytest.mark.parametrize("null", ["spectrum", "gamma"])
def test_same_as_one_test_at_a_time(kernel, null):
    columns = table()
    m = ts.independence_matrix(columns, kernel=kernel, null=null)
    assert len(m.pairs) == 6
    for pair in m.pairs:
        r = ts.hsic_test(columns[pair.x], columns[pair.y], kernel=kernel, null=null)
        assert pair.statistic == pytest.approx(r.statistic, abs=1e-6)
        assert pair.pvalue == pytest.approx(r.pvalue, rel=0.05)
    p = [pair.pvalue for pair in m.pairs]
    assert p == sorted(p)
    np.testing.assert_allclose([pair.holm for pair in m.pairs], holm(p))
    np.testing.assert_allclose([pair.bh for pair in m.pairs], benjamini_hochberg(p))
    assert [(pair.x, pair.y) for pair in m.dependent] == [("x", "square")]
    assert "1 of 6 pairs depend" in str(m)


def test_strength_is_one_for_the_same_column():
    x, y = np.random.default_rng(0).normal(size=(2, 100))
    m = ts.independence_matrix(np.column_stack([x, 3 - 2 * x, y]))
    assert m.pairs[0].strength == pytest.approx(1.0, abs=1e-4)
    assert (m.pairs[0].x, m.pairs[0].y) == ("0", "1")
    assert m.table("strength")[0, 1] == m.table("strength")[1, 0]
    assert np.isnan(np.diagonal(m.table())).all()


def test_kinds_of_tables():
    columns = table(60)
    array = np.column_stack(list(columns.values()))
    expected = ts.independence_matrix(columns).to_dict()
    assert ts.independence_matrix(array, names=list(columns)).to_dict() == expected
    for library in ("pandas", "polars"):
        frames = pytest.importorskip(library)
        assert ts.independence_matrix(frames.DataFrame(columns)).to_dict() == expected
        assert len(frames.DataFrame(expected)) == 6


def test_permutation_says_when_it_cannot_find_anything():
    columns = dict(enumerate(np.random.default_rng(0).normal(size=(9, 40))))
    m = ts.independence_matrix(columns, null=ts.Permutation(n=99), rng=0)
    assert any("cannot give a p-value below 0.01" in note for note in m.notes)
    assert min(pair.pvalue for pair in m.pairs) >= 0.01


def test_constant_column():
    columns = {**table(50), "same": np.ones(50)}
    m = ts.independence_matrix(np.column_stack(list(columns.values())), names=list(columns))
    constant = [pair for pair in m.pairs if "same" in (pair.x, pair.y)]
    assert len(constant) == 4
    assert all(pair.pvalue == 1.0 and pair.strength == 0.0 for pair in constant)
    assert any("same" in note for note in m.notes)
    m = ts.independence_matrix(columns)
    assert "same" not in m.names
    assert m.notes == ("same left out: constant",)


def test_what_is_refused():
    x = np.arange(10.0)
    with pytest.raises(ts.InputError, match="at least two"):
        ts.independence_matrix(x)
    with pytest.raises(ts.InputError, match=r"names has 1 name\(s\) and the table 2"):
        ts.independence_matrix(np.column_stack([x, x]), names=["a"])
    for names in (5, "ab", True):
        with pytest.raises(ts.InputError, match="names="):
            ts.independence_matrix(np.column_stack([x, x]), names=names)
    with pytest.raises(ts.InputError, match="must differ"):
        ts.independence_matrix(np.column_stack([x, x]), names=["a", "a"])
    with pytest.raises(ts.InputError, match=r"table has 1 value\(s\) that are NaN"):
        ts.independence_matrix(np.column_stack([x, np.where(x == 3, np.nan, x)]))
    with pytest.raises(ts.InputError, match="different numbers of rows"):
        ts.independence_matrix({"a": x[:, None], "b": x[:9]})
    with pytest.raises(ts.TwosampleError, match=r"height of column 'b' \(9\)"):
        ts.independence_matrix({"a": x, "b": x[:9]})
    for what in (None, "names"):
        with pytest.raises(ts.OptionError, match="what="):
            ts.independence_matrix({"a": x, "b": x}).table(what)
    with pytest.raises(ts.OptionError, match="kernel_y=3"):
        ts.hsic_test(x, x, kernel_y=3)


def test_picture():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    ax = ts.independence_matrix(table(80)).plot()
    texts = {text.get_text() for text in ax.texts}
    assert "<.001" in texts
    assert "·" in texts
    pyplot.close("all")


def test_kernels_that_columns_cannot_have():
    rows = np.c_[np.arange(20) + 0.4, np.arange(20)[::-1]]
    for kernel in (ts.Precomputed(np.eye(20)), ts.Categories()):
        with pytest.raises(ts.OptionError, match="kernel="):
            ts.independence_matrix(rows, kernel=kernel)
    with pytest.raises(ts.InputError, match="column 'b' holds values so large"):
        ts.independence_matrix({"a": np.arange(6.0), "b": [1.7e308, -1.7e308] * 3})


def test_what_single_pairs_say_is_kept():
    rng = np.random.default_rng(0)
    walks = rng.normal(size=(60, 3)).cumsum(axis=0)
    m = ts.independence_matrix(walks, null="wild", rng=0)
    assert any("rows" in note for note in m.notes)


@pytest.mark.parametrize("unit", [1e200, 1e-100])
def test_values_beyond_the_range_of_an_unbounded_kernel(unit):
    x, y = np.random.default_rng(0).normal(size=(2, 20))
    with pytest.raises(ts.InputError, match=r"a holds values too .* Rescale it"):
        ts.independence_matrix({"a": unit * x, "b": y}, kernel="linear")


def test_an_array_is_no_name_of_a_table():
    m = ts.independence_matrix(np.random.default_rng(0).normal(size=(20, 2)))
    with pytest.raises(ts.OptionError, match="what="):
        m.table(np.array([1.0, 2.0]))
