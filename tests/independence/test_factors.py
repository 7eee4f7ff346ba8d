"""Features instead of pairs of rows: against the matrices that they stand for, and chosen where they are cheaper."""

import numpy as np
import pytest
from scipy.stats import binom

import twosample as ts
from tests.independence import naive_hsic as naive
from twosample.independence import factors, sides
from twosample.independence.factors import NEGLIGIBLE, ROUNDING, factor_of, repeated_factor


def rng_of(seed=0):
    return np.random.default_rng(seed)


def centred(K):
    return K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()


@pytest.mark.parametrize("kernel", [ts.Gaussian(0.7), ts.Laplace(1.0), ts.Energy(), ts.Polynomial(bandwidth=1.0)])
@pytest.mark.parametrize("columns", [1, 3])
def test_repeated_rows_have_the_matrix_of_all_rows(kernel, columns):
    z = rng_of().integers(-2, 3, size=(90, columns)).astype(float)
    found = repeated_factor(kernel, z, 200, ROUNDING)
    K = centred(kernel.block(z, z))
    np.testing.assert_allclose(found.rows @ found.rows.T, K, atol=1e-10 * np.abs(K).max())
    np.testing.assert_allclose(found.rows.T @ found.rows, np.diag(found.values), atol=1e-10 * found.values[0])
    assert (np.diff(found.values) <= 0).all()


def test_rows_that_do_not_repeat_and_functions_that_are_no_kernel():
    z = rng_of().normal(size=(300, 1))
    assert repeated_factor(ts.Gaussian(1.0), z, 299, ROUNDING) is None
    assert repeated_factor(ts.Gaussian(1.0), z, 300, ROUNDING) is not None

    class Signed(ts.Gaussian):
        def block(self, a, b):
            return 0.5 - super().block(a, b)

    assert repeated_factor(Signed(1.0), np.round(z), 50, ROUNDING) is None


def test_two_different_rows_with_the_same_sum_are_not_taken_for_one(monkeypatch):
    class Ones:
        def normal(self, size):
            return np.ones(size)

    monkeypatch.setattr(factors.np.random, "default_rng", lambda seed: Ones())
    z = np.array([[0.0, 1.0], [1.0, 0.0]] * 10)
    assert repeated_factor(ts.Gaussian(1.0), z, 10, ROUNDING) is None


def test_few_rows_of_many_features_take_no_matrix_of_the_features():
    """60 rows in three columns have 13,486 features by waves: a square of these would be 1.5 GB."""
    z = rng_of().normal(size=(60, 3))
    kernel, way = ts.Gaussian(1.0), ts.Fourier(tolerance=1e-12)
    assert way.gram(kernel, z).features.width > 10_000
    found = factor_of(kernel, z, way, rng_of(), "x", ROUNDING)
    K = centred(kernel.block(z, z))
    np.testing.assert_allclose(found.rows @ found.rows.T, K, atol=1e-11)
    np.testing.assert_allclose(found.rows.T @ found.rows, np.diag(found.values), atol=1e-11)
    assert (np.diff(found.values) <= 0).all()


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_nodes_on_a_line_give_the_features_of_every_row(scale):
    rng = rng_of()
    z = np.concatenate([rng.normal(size=20_000), rng.exponential(size=2000)])[:, None]
    kernel, way = ts.Gaussian(scale), ts.Fourier(tolerance=1e-8)
    nodes = factor_of(kernel, z, way, rng, "x", NEGLIGIBLE)
    rows, values = factors._on_all_rows(way.gram(kernel, z).features, z, NEGLIGIBLE)
    np.testing.assert_allclose(nodes.values, values[: len(nodes.values)], rtol=1e-5, atol=1e-7 * values[0])
    some = rng.choice(len(z), 300, replace=False)
    exact = rows[some] @ rows[some].T
    np.testing.assert_allclose(nodes.rows[some] @ nodes.rows[some].T, exact, atol=1e-5)
    np.testing.assert_allclose(nodes.rows.sum(axis=0), 0.0, atol=1e-7 * len(z))


def mixed(n, rng, link=0.0):
    x = rng.normal(size=n)
    return x, np.floor(3 * rng.random(n) + link * np.abs(x))


@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_auto_is_exact_where_it_takes_features(statistic):
    x, y = mixed(400, rng_of(), 0.3)
    levels = rng_of(1).integers(0, 40, size=400).astype(float)
    for a, b in ((x, y), (levels, y), (x, x**2)):
        ours, slow = (ts.hsic_test(a, b, statistic=statistic, engine=way, rng=0) for way in ("auto", "dense"))
        assert "no pairs of rows" in ours.reason
        K, L = (k.block(z[:, None], z[:, None]) for k, z in ((ours.kernel, a), (ours.kernel_y, b)))
        exact = naive.hsic_traces(K, L, statistic == "unbiased")
        assert ours.statistic == pytest.approx(exact, abs=1e-8 * ours.law.values[1:].std())
        np.testing.assert_allclose(ours.law.values, slow.law.values, atol=1e-8 * ours.law.values[1:].std())
        ours, slow = (ts.hsic_test(a, b, statistic=statistic, engine=w, null="spectrum") for w in ("auto", "dense"))
        assert np.log(ours.pvalue) == pytest.approx(np.log(slow.pvalue), rel=0.02, abs=0.02)


def test_categories_of_any_kind_take_features():
    rng = rng_of()
    x, y = rng.choice(list("abcde"), size=500), rng.normal(size=500)
    fast = ts.hsic_test(list(x), y, kernel=ts.Categories(), kernel_y="gaussian", null="spectrum")
    slow = ts.hsic_test(list(x), y, kernel=ts.Categories(), kernel_y="gaussian", null="spectrum", engine="dense")
    assert "few distinct values" in fast.reason
    assert fast.statistic == pytest.approx(slow.statistic, rel=1e-8)
    assert fast.pvalue == pytest.approx(slow.pvalue, rel=0.05)


def test_matrices_where_features_would_cost_more():
    rng = rng_of()
    x, y = rng.integers(0, 400, size=(2, 900)).astype(float)
    assert "matrices" in ts.hsic_test(10.0**5 * x, 10.0**5 * y, kernel="laplace", null="gamma", rng=0).reason
    assert "matrices" in ts.hsic_test(rng.normal(size=(900, 6)), y, null="gamma", rng=0).reason


def test_a_low_rank_only_where_it_comes_near(monkeypatch):
    monkeypatch.setattr(sides, "MEMORY_ROWS", 400)
    monkeypatch.setattr(sides, "STRIP_ROWS", 400)
    rng = rng_of()
    smooth, rough, y = rng.normal(size=(800, 4)), rng.normal(size=(800, 30)), rng.normal(size=800)
    assert isinstance(ts.hsic_test(smooth, y, null="gamma", rng=0).engine, ts.LowRank)
    assert isinstance(ts.hsic_test(rough, y, null="gamma", rng=0).engine, ts.Tiled)
    monkeypatch.setattr(sides, "PATIENT_ROWS", 500)
    r = ts.hsic_test(rough, y, null="gamma", rng=0)
    assert isinstance(r.engine, ts.LowRank)
    assert any("did not reach the tolerance" in note for note in r.notes)


@pytest.mark.parametrize("n", [310, 450])
def test_permutations_of_features_keep_their_level(n):
    pvalues = []
    for seed in range(150):
        rng = rng_of([seed, n])
        x, y = (rng.integers(0, 3, n), rng.integers(0, 2, n)) if seed % 2 else mixed(n, rng)
        pvalues.append(ts.hsic_test(x, y, null=ts.Permutation(n=39), rng=seed).pvalue)
    for level in (0.05, 0.2, 0.5):
        assert np.mean(np.array(pvalues) <= level + 1e-9) <= binom.ppf(0.999, 150, level) / 150


@pytest.mark.parametrize("n", [20, 43, 64, 70])
def test_few_rows_and_fewer_permutations_with_an_engine_of_features(n):
    x, y = rng_of().normal(size=(2, n))
    r = ts.hsic_test(x, x + y, null=ts.Permutation(n=5), level=0.2, engine="fourier", rng=0)
    assert len(r.law.values) == 6


def test_a_table_with_every_kind_of_column():
    """Repeated rows, waves, and a low rank; each pair as by a test of its own."""
    rng = rng_of()
    n = 600
    x = rng.normal(size=n)
    columns = {
        "line": x,
        "levels": rng.integers(0, 5, n).astype(float),
        "heavy": rng.standard_cauchy(n) + x,
        "wide": rng.normal(size=(n, 5)) + 0.3 * x[:, None],
    }
    m = ts.independence_matrix(columns, rng=0)
    for pair in m.pairs:
        r = ts.hsic_test(columns[pair.x], columns[pair.y], null="spectrum", engine="dense")
        assert pair.statistic == pytest.approx(r.statistic, rel=0.02, abs=1e-6)
        assert np.log(pair.pvalue) == pytest.approx(np.log(r.pvalue), rel=0.05, abs=0.05)


def test_columns_in_several_blocks_are_the_same_as_in_one(monkeypatch):
    table = rng_of().normal(size=(120, 9))
    table[:, 3] = table[:, 1] ** 2
    expected = ts.independence_matrix(table).to_dict()
    monkeypatch.setattr("twosample.independence.allpairs._ENTRIES", 120 * 40)
    monkeypatch.setattr("twosample.independence.allpairs._BATCH", 7)
    found = ts.independence_matrix(table).to_dict()
    np.testing.assert_allclose(found["statistic"], expected["statistic"], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found["pvalue"], expected["pvalue"], rtol=1e-6)
