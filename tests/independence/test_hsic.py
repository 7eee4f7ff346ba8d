"""hsic_test: decisions, options, and everything that may be wrong with the data."""

import json
import math

import numpy as np
import pytest

import twosample as ts
from twosample.independence import pairings

NULLS = ["permutation", "gamma", "spectrum"]


def rng_of(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_finds_dependence_without_correlation(null, statistic):
    rng = rng_of()
    x = rng.normal(size=200)
    angle = rng.uniform(0, 2 * np.pi, size=200)
    noise = 0.1 * rng.normal(size=200)
    for a, b in ((x, x**2 + rng.normal(size=200)), (np.cos(angle) + noise, np.sin(angle))):
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.2
        assert ts.hsic_test(a, b, null=null, statistic=statistic, rng=1).rejected
    assert not ts.hsic_test(x, rng.normal(size=200), null=null, statistic=statistic, rng=1).rejected


def test_few_rows_are_enumerated_and_the_pvalue_is_the_share():
    rng = rng_of(3)
    x, y = rng.normal(size=6), rng.normal(size=6)
    r = ts.hsic_test(x, y, rng=0)
    assert r.law.exhaustive
    assert len(r.law.values) == math.factorial(6)
    assert r.pvalue == np.mean(r.law.values >= r.statistic - 1e-14)
    assert ts.hsic_test(x, y, rng=7).pvalue == r.pvalue


@pytest.mark.parametrize("n", [40, 65, 101, 1001])
def test_number_of_resamples_and_seed(n):
    x, y = rng_of().normal(size=(2, n))
    r = ts.hsic_test(x, y, null=ts.Permutation(n=499), rng=2)
    assert len(r.law.values) == 500
    assert r.law.values[0] == r.statistic
    again = ts.hsic_test(x, y, null=ts.Permutation(n=499), rng=2)
    np.testing.assert_array_equal(r.law.values, again.law.values)
    assert r.pvalue != ts.hsic_test(x, y, null=ts.Permutation(n=499), rng=3).pvalue
    assert abs(r.pvalue - ts.hsic_test(x, y, null="spectrum").pvalue) < 0.12


def test_resamples_look_like_uniform_permutations(monkeypatch):
    x, y = rng_of(1).normal(size=(2, 60))
    one_by_one = ts.hsic_test(x, y, null=ts.Permutation(n=4999), rng=0).law.values[1:]
    monkeypatch.setattr(pairings, "FEW_ROWS", 3)
    in_groups = ts.hsic_test(x, y, null=ts.Permutation(n=4999), rng=0).law.values[1:]
    levels = [0.05, 0.25, 0.5, 0.75, 0.95]
    spread = one_by_one.std()
    np.testing.assert_allclose(np.quantile(in_groups, levels), np.quantile(one_by_one, levels), atol=0.12 * spread)


def test_truth_is_at_a_random_place_of_its_group(monkeypatch):
    """A statistic that only sees the pairing: in every group the truth is one of the pairings, and it is put first."""
    monkeypatch.setattr(pairings, "FEW_ROWS", 3)

    class Pairings:
        size = 7

        def shifts(self, x_order, y_order):
            rows = []
            for j in range(7):
                order = np.empty(7, int)
                order[x_order] = np.roll(y_order, -j)
                rows.append(float(int("".join(map(str, order)))))
            return np.array(rows)

    for seed in range(20):
        values = pairings.permutations_of_y(Pairings(), 17, rng_of(seed)).values
        assert values[0] == 123456
        assert len(values) == 18
        assert len(set(values)) >= 15  # two groups may share a pairing


def test_same_answer_in_other_units_and_rows_untouched():
    rng = rng_of()
    x, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    before = x.copy()
    r = ts.hsic_test(x, y, rng=0)
    moved = ts.hsic_test(1e6 * x + 1e9, 1e-6 * y - 3, rng=0)
    assert moved.pvalue == r.pvalue
    assert moved.statistic == pytest.approx(r.statistic, rel=1e-5)
    np.testing.assert_array_equal(x, before)
    assert ts.hsic_test(y, x, null="gamma").statistic == pytest.approx(r.statistic, rel=1e-12)


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("n", [20, 200])
def test_a_constant_depends_on_nothing(null, n):
    y = rng_of().normal(size=n)
    for kernel in ("gaussian", "polynomial"):
        for x in (np.full(n, 0.3), np.zeros((n, 2))):
            for a, b, name in ((x, y, "x"), (y, x, "y")):
                r = ts.hsic_test(a, b, kernel=kernel, null=null, rng=0)
                assert r.pvalue == 1.0
                assert r.statistic == pytest.approx(0.0, abs=1e-12)
                assert any(f"rows of {name} are the same" in note for note in r.notes)


def test_ties():
    rng = rng_of()
    x = rng.integers(0, 2, size=100)
    r = ts.hsic_test(x, x, rng=0)
    assert r.pvalue == 0.001
    assert ts.hsic_test(x, rng.integers(0, 3, size=100), rng=0).pvalue > 0.01


def test_what_is_refused():
    x = rng_of().normal(size=50)
    with pytest.raises(ts.InputError, match=r"x has 50 rows and y has 49.*pairs"):
        ts.hsic_test(x, x[:49])
    with pytest.raises(ts.InputError, match=r"y has 1 value\(s\) that are NaN"):
        ts.hsic_test(x, np.where(np.arange(50) == 3, np.nan, x))
    with pytest.raises(ts.InputError, match="at least 4"):
        ts.hsic_test(x[:3], x[:3])
    with pytest.raises(ts.InputError, match="too large"):
        ts.hsic_test(1e80 * x, x, kernel="linear")
    with pytest.raises(ts.OptionError, match="'circular-shift', 'gamma', 'mcdiarmid', 'permutation'"):
        ts.hsic_test(x, x, null="pearson")
    with pytest.raises(ts.OptionError, match="null="):
        ts.hsic_test(x, x, null=ts.Pearson())
    with pytest.raises(ts.OptionError, match="statistic='linear' is not known"):
        ts.hsic_test(x, x, statistic="linear")
    with pytest.raises(ts.OptionError, match=r"bandwidth=0\.5 has no use"):
        ts.hsic_test(x, x, kernel="linear", bandwidth=0.5)
    with pytest.raises(ts.OptionError, match="level"):
        ts.hsic_test(x, x, level=1.5)
    with pytest.raises(ts.OptionError, match="statistic="):
        ts.hsic_test(x, x, statistic=["biased"])
    with pytest.raises(ts.OptionError, match="can never give"):
        ts.hsic_test(x, x, null=ts.Permutation(n=9))
    with pytest.raises(ts.OptionError, match="hsic"):
        ts.mmd_test(x, x, null=ts.CircularShift())
    with pytest.raises(ts.OptionError, match="no features"):
        ts.hsic_test(x, x, kernel="laplace", engine="fourier")


def test_each_side_has_its_kernel():
    rng = rng_of()
    x, y = rng.normal(size=(60, 3)), rng.integers(0, 3, size=60)
    r = ts.hsic_test(x, y, kernel_y=ts.Laplace(0.5), bandwidth=2.0, rng=0)
    assert (r.kernel, r.kernel_y) == (ts.Gaussian(2.0), ts.Laplace(0.5))
    assert "kernel y" in str(r)
    assert "60 pairs, x 3 columns, y 1 column" in str(r)
    facts = json.loads(r.to_json())
    assert facts["kernel_y"] == repr(r.kernel_y)
    assert facts["columns_y"] == 1
    assert r.columns_y == 1
    assert "no dependence found" in r._repr_html_()
    assert ts.hsic_test(x, y, kernel="linear", kernel_y="gaussian", bandwidth=2.0, rng=0).kernel_y == ts.Gaussian(2.0)


def test_precomputed_matrices():
    rng = rng_of()
    x = rng.normal(size=(60, 2))
    y = x[:, 0] + rng.normal(size=60)
    plain = ts.hsic_test(x, y, kernel=ts.Gaussian(1.0), rng=4)
    K, L = plain.kernel.block(x, x), plain.kernel_y.block(y[:, None], y[:, None])
    rows = np.arange(60)
    both = ts.hsic_test(rows, rows, kernel=ts.Precomputed(K), kernel_y=ts.Precomputed(L), rng=4)
    mixed = ts.hsic_test(x, rows, kernel=ts.Gaussian(1.0), kernel_y=ts.Precomputed(L), rng=4)
    for r in (both, mixed):
        assert r.pvalue == plain.pvalue
        assert r.statistic == pytest.approx(plain.statistic, rel=1e-9)


def test_graphs_against_numbers():
    networkx = pytest.importorskip("networkx")
    rng = rng_of(2)
    density = rng.uniform(0.1, 0.6, size=40)
    graphs = [networkx.gnp_random_graph(12, p, seed=i) for i, p in enumerate(density)]
    kernel = ts.graphs.WeisfeilerLehman()
    assert ts.hsic_test(graphs, density, kernel=kernel, kernel_y="gaussian", rng=0).rejected
    assert not ts.hsic_test(graphs, rng.permutation(density), kernel=kernel, kernel_y="gaussian", rng=0).rejected


def test_small_samples_warn():
    x = rng_of().normal(size=4)
    with pytest.warns(ts.SmallSampleWarning):
        ts.hsic_test(x, x, level=0.01, rng=0)


def test_auto_says_why():
    rng = rng_of()
    x = rng.normal(size=(2500, 1))
    r = ts.hsic_test(x, x**2, null="gamma", rng=0)
    assert isinstance(r.engine, ts.Fourier)
    assert "characteristic functions" in r.reason
    wide = rng.normal(size=(2500, 6))
    r = ts.hsic_test(wide, x, null="gamma", rng=0)
    assert isinstance(r.engine, ts.Tiled)
    assert not r.rejected


def test_plot_has_the_right_title():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    x = rng_of().normal(size=50)
    ax = ts.hsic_test(x, x, rng=0).plot()
    assert ax.get_title(loc="left") == "The variables are dependent"


@pytest.mark.parametrize("unit", [2.0**-330, 2.0**-150, 2.0**-90, 2.0**40, 2.0**100, 2.0**150, 2.0**330])
@pytest.mark.parametrize("kernel", ["linear", "energy"])
@pytest.mark.parametrize("null", ["spectrum", "gamma"])
def test_units_do_not_matter_or_are_refused(unit, kernel, null):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    z = 0.3 * x + rng.normal(size=60)
    expected = ts.hsic_test(x, z, kernel=kernel, null=null, rng=0).pvalue
    try:
        found = ts.hsic_test(unit * x, unit * z, kernel=kernel, null=null, rng=0).pvalue
    except ts.InputError:
        found = expected
    assert found == pytest.approx(expected, rel=1e-4)


def test_an_outlier_does_not_cost_the_others_their_digits():
    """Rows are taken from a median, not from a mean, which would lie far from all of them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = x + 0.5 * rng.normal(size=60)
    kernel = ts.Gaussian(1.0)
    near, far = x.copy(), x.copy()
    near[0], far[0] = 1e3, 1e15  # either way no other row is near
    first, second = (ts.hsic_test(z, y, kernel=kernel).statistic for z in (near, far))
    assert second == pytest.approx(first, rel=1e-12)
