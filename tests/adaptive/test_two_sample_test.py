"""The adaptive test from its door: what it finds, what it does not depend on, what it refuses."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import twosample as ts

SCALES = {"fine scale", "middle scale"}


@pytest.fixture
def rng():
    return np.random.default_rng(19)


def test_p_values_over_all_labellings_are_exact(rng):
    """The same nine rows, every choice of four as x: p <= a for no more than a share of a of the choices."""
    z = np.round(rng.normal(size=(9, 2)), 1)
    p = []
    for chosen in combinations(range(9), 4):
        others = [i for i in range(9) if i not in chosen]
        p.append(ts.two_sample_test(z[list(chosen)], z[others], n=200, rng=0).pvalue)
    for level in (0.02, 0.05, 0.1, 0.25, 0.5):
        assert np.mean(np.array(p) <= level + 1e-12) <= level + 1e-12


@pytest.mark.parametrize(
    ("change", "view"),
    [
        (lambda y: y + 0.8, {"column", "mean", "directions"}),
        (lambda y: y * 1.8, {"covariance", "radius", "shape"}),
        (lambda y: np.column_stack([y[:, 0], 0.9 * y[:, 0] + 0.4 * y[:, 1], y[:, 2]]), {"covariance"}),
        (lambda y: np.column_stack([y[:, :2], np.sign(y[:, 2]) + 0.1 * y[:, 2]]), {"shape"}),
        (lambda y: np.column_stack([y[:, :2], np.abs(y[:, 2]) * np.sign(y[:, 0] * y[:, 1])]), SCALES),
    ],
    ids=["shift", "spread", "correlation", "two modes", "all three at once"],
)
def test_the_view_that_sees_it(rng, change, view):
    x, y = rng.normal(size=(2, 150, 3))
    r = ts.two_sample_test(x, change(y), rng=0)
    assert r.rejected
    assert r.pvalue <= 0.01
    assert r.strongest.name in view
    assert all(view.adjusted_pvalue >= r.pvalue for view in r.views)


def test_nothing_depends_on_units(rng):
    x, y = rng.normal(size=(2, 40, 4)) ** 3
    y[:, 2] += 0.7
    expected = ts.two_sample_test(x, y, n=199, rng=3)
    for powers in ([3, -7, 0, 12], [-150, 100, 0, 0], [0, 0, 9, 0]):
        unit = 10.0 ** np.array(powers)
        found = ts.two_sample_test(x * unit - 5 * unit, y * unit - 5 * unit, n=199, rng=3)
        assert found.pvalue == expected.pvalue
        assert [view.pvalue for view in found.views] == [view.pvalue for view in expected.views]


def test_nothing_depends_on_the_order_of_columns(rng):
    x, y = rng.normal(size=(2, 30, 5))
    y[:, 0] *= 1.5
    expected = ts.two_sample_test(x, y, n=199, rng=3)
    order = [3, 0, 4, 1, 2]
    assert ts.two_sample_test(x[:, order], y[:, order], n=199, rng=3).pvalue == expected.pvalue


def test_the_unit_of_one_column_does_not_hide_another(rng):
    x, y = rng.normal(size=(2, 100, 2))
    y[:, 0] += 2
    x[:, 1] *= 1e6
    y[:, 1] *= 1e6
    assert ts.mmd_test(x, y, rng=0).pvalue > 0.05
    assert ts.two_sample_test(x, y, rng=0).pvalue <= 0.01


@pytest.mark.parametrize(("m", "n", "d"), [(2, 3, 1), (6, 6, 300), (5, 60, 2), (8, 9, 12), (40, 30, 1)])
def test_any_shape(rng, m, n, d):
    r = ts.two_sample_test(rng.normal(size=(m, d)), rng.normal(size=(n, d)), n=99, level=0.2, rng=1)
    assert 0 < r.pvalue <= 1
    assert r.columns == d
    assert ("directions" in [view.name for view in r.views]) == (d > 1)
    assert all(view.sees and view.witness.shape == (m + n,) for view in r.views)
    assert r.explain()
    assert r.summary()
    assert r.to_json()


def test_the_nearest_view_is_named_only_if_it_is_near():
    x, y = np.random.default_rng(5).normal(size=(2, 60, 3))
    same = ts.two_sample_test(x, x, rng=0)
    assert same.strongest.adjusted_pvalue >= 0.5
    assert "nearest" not in same.explain()
    assert f"at least as much in about {100 * same.pvalue:.0f} % of all cases" in same.explain()
    y[:, 2] += 0.2
    near = ts.two_sample_test(x, y, rng=0)
    assert near.strongest.adjusted_pvalue < 0.5
    assert f"nearest to a difference was '{near.strongest.name}'" in near.explain()


@pytest.mark.parametrize(("m", "n"), [(50, 50), (40, 60), (20, 200)])
def test_two_values_are_a_matter_of_location(m, n):
    """Shape says the same of them, or nothing but rounding: where each sample has one value, cosines of ranks are 0."""
    x, y = np.zeros((m, 2)), np.ones((n, 2))
    x[:, 0], y[:, 0] = np.random.default_rng(0).normal(size=m), np.random.default_rng(1).normal(size=n)
    r = ts.two_sample_test(x, y, rng=0)
    assert (r.strongest.name, r.strongest.sees) == ("column", "column 2: y is higher")
    assert r.strongest.effect.value == 1
    if m == n:
        (shape,) = (view for view in r.views if view.name == "shape")
        assert shape.pvalue > 0.01


def test_half_a_wave_is_location():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400, 1))
    (middle,) = (view for view in ts.two_sample_test(x, y + 0.5, rng=0).views if view.name == "middle scale")
    assert middle.sees == "column 1: y is higher"


def test_no_share_is_written_as_a_power_of_ten():
    x = np.arange(4.0)[:, None]
    assert "in about 100 % of all cases" in ts.two_sample_test(x, x, rng=0).explain()


def test_constant_columns_say_nothing(rng):
    x, y = rng.normal(size=(2, 30, 2))
    expected = ts.two_sample_test(x, y, n=99, rng=0).pvalue
    wide = [np.insert(side, 1, 7.0, axis=1) for side in (x, y)]
    assert ts.two_sample_test(*wide, n=99, rng=0).pvalue == expected
    r = ts.two_sample_test(np.ones((9, 2)), np.ones((8, 2)), n=99, rng=0)
    assert r.pvalue == 1
    assert not r.rejected
    assert not r.views
    assert "same" in r.explain()


def test_ties_everywhere(rng):
    x, y = rng.integers(2, size=(2, 40, 3)).astype(float)
    assert 0 < ts.two_sample_test(x, y, rng=0).pvalue <= 1
    y[:, 0] = 1
    assert ts.two_sample_test(x, y, rng=0).pvalue <= 0.01


def test_same_seed_same_answer(rng):
    x, y = rng.normal(size=(2, 700, 3))
    first, second = (ts.two_sample_test(x, y, n=99, rng=5) for _ in range(2))
    assert (first.pvalue, first.statistic) == (second.pvalue, second.statistic)


def test_frames_bring_names(rng):
    import polars as pl

    x = pl.DataFrame(rng.normal(size=(60, 2)), schema=["price", "weight"])
    y = x.with_columns(pl.col("weight") * 4)
    assert "weight" in ts.two_sample_test(x, y, rng=0).explain()


def test_the_witness_names_the_rows(rng):
    x, y = rng.normal(size=(2, 100, 2))
    y[:5] += 40
    r = ts.two_sample_test(x, y + 0.4, rng=0)
    at = next(view for view in r.views if view.name == "mean").witness
    assert set(np.argsort(at)[:5]) == set(range(100, 105))


def test_a_picture(rng):
    import matplotlib

    matplotlib.use("Agg")
    x, y = rng.normal(size=(2, 30, 2))
    ax = ts.two_sample_test(x, y, n=99, rng=0).plot()
    assert len(ax.patches) == 8
    matplotlib.pyplot.close("all")


def test_refusals(rng):
    x = rng.normal(size=(20, 2))
    with pytest.raises(ts.OptionError, match="at least n=999"):
        ts.two_sample_test(x, x, level=0.001, n=99)
    with pytest.raises(ts.InputError, match="same columns"):
        ts.two_sample_test(x, x[:, :1])
    with pytest.raises(ts.OptionError, match="level"):
        ts.two_sample_test(x, x, level=2)
    with pytest.raises(ts.OptionError, match="no option"):
        ts.two_sample_test(x, x, kernel="gaussian")


def test_explain_names_as_many_rows_as_wanted(rng):
    r = ts.two_sample_test(rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 2, rng=0)
    assert "Rows that show it" not in r.explain(rows=0)
    assert r.explain(rows=1).splitlines()[-1].count(",") == 1
    with pytest.raises(ts.OptionError, match=r"rows=-1 must be a whole number of at least 0"):
        r.explain(rows=-1)


def test_few_relabellings_do_where_nothing_is_seen():
    x, y = np.random.default_rng(1).normal(size=(2, 60, 2))
    r = ts.two_sample_test(x, y, rng=0)
    assert r.pvalue > 0.2
    assert r.null.n == 99
    assert len(r.law.values) == 100
    assert "99 relabellings were enough" in r.notes[-1]
    every = ts.two_sample_test(x, y, n=999, rng=0)
    assert every.null.n == 999
    assert not every.notes
    fine = ts.two_sample_test(x, y, level=0.002, rng=0)
    assert fine.null.n == 999
    differ = ts.two_sample_test(x, y + 1, rng=0)
    assert (differ.null.n, differ.pvalue) == (999, 0.001)


def test_stages_are_exact_together(rng):
    """Whatever the first stage said: p <= a for no more than a share of a of all divisions of the same rows."""
    from twosample.adaptive.front import tested
    from twosample.adaptive.pooled import pooled_numbers

    z = rng.normal(size=(10, 1))
    stages = ((9, 0.5), (19, 0.2), (39, 0.0))
    p, used = [], []
    for chosen in combinations(range(10), 5):
        others = [i for i in range(10) if i not in chosen]
        pool = pooled_numbers(z[[*chosen, *others]], ("a",), 5)
        for seed in range(2):
            found = tested(pool, 1, (), stages, 0.1, np.random.default_rng([seed, *chosen]))
            p.append(found.pvalue)
            used.append(found.null.n)
    assert set(used) == {9, 19, 39}
    for level in (0.05, 0.1, 0.2, 0.3, 0.5, 0.7):  # 504 of them; relabellings are random, so up to chance
        assert np.mean(np.array(p) <= level + 1e-12) <= level + 3.3 * np.sqrt(level * (1 - level) / len(p))


def words_of(x, y):
    r = ts.two_sample_test(x, y, n=99, rng=0)
    return {view.name: view.sees for view in r.views}


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.ones(20), np.zeros(30)), (np.tile([1.0, 2.0], 10), np.tile([2.0, 3.0], 20))],
    ids=["constants", "equal spread"],
)
def test_a_shift_is_not_called_a_spread(x, y):
    for sides in ((x, y), (y, x)):
        said = " ".join(words_of(*sides).values())
        assert "spreads wider" not in said
        assert "farther from the middle of both together" in said


def test_a_spread_is_called_one_beside_a_shift(rng):
    x = rng.normal(size=100)
    said = words_of(x, 5 * x + 1)
    assert said["covariance"] == "column 1: y spreads wider"
    assert words_of(5 * x + 1, x)["covariance"] == "column 1: x spreads wider"


def test_correlations_about_the_samples_own_means(rng):
    x = rng.normal(size=(100, 2))
    y = np.column_stack([x[:, 0], 0.3 * x[:, 1] - 0.9 * x[:, 0]])
    assert words_of(x, y)["covariance"].endswith("more negatively correlated in y")
    assert words_of(y, -y * [1, -1])["covariance"].endswith("correlated in y")
    shifted = words_of(x[:30], x + 3)["covariance"]  # seen about the middle of both: rows of x lie in one corner
    assert "correlated" not in shifted
    assert "spreads wider" not in shifted


def test_a_column_without_values_is_said_to_have_none(rng):
    empty, full = {"v": [None] * 40, "w": rng.normal(size=40)}, {"v": rng.normal(size=40), "w": rng.normal(size=40)}
    for sides, name in (((empty, full), "x"), ((full, empty), "y")):
        said = words_of(*sides)
        assert said["shape"] == f"v: {name} has no values"
        assert not any("v: " in part and "wider" in part for part in said.values())


def test_what_is_missing_is_not_called_a_shape(rng):
    v = rng.normal(size=(2, 150))
    thin = [None if i % 3 else value for i, value in enumerate(v[0])]
    assert words_of({"v": thin}, {"v": v[1]})["shape"] == "v: more is missing in x"


def test_sketches_are_sent_to_mmd_test(rng):
    sketch = ts.Sketch.fit(rng.normal(size=200))
    with pytest.raises(ts.InputError, match=r"x is a Sketch.*mmd_test.*adaptive"):
        ts.two_sample_test(sketch, sketch)
