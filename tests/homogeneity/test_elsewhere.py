"""Tests and sketches of frames whose rows are elsewhere: polars, DuckDB, Ibis, Dask. Spark: test_spark.py."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.homogeneity.sketches import elsewhere
from twosample.homogeneity.sketches.elsewhere import RowSums
from twosample.sources import open_table

RNG = np.random.default_rng(0)
X, SAME = (pl.DataFrame({"a": part[0], "b": part[1]}) for part in RNG.normal(size=(2, 2, 4000)))
OTHER = SAME.with_columns(b=0.3 * pl.col("a") + pl.col("b"))


def duck(frame):
    return pytest.importorskip("duckdb").from_arrow(frame.to_arrow())


def ibis(frame):
    return pytest.importorskip("ibis").memtable(frame.to_arrow())


def dask(frame):
    return pytest.importorskip("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=3)


ENGINES = [pl.DataFrame.lazy, duck, ibis, dask]
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def large(monkeypatch):
    """Every frame is a large one."""
    monkeypatch.setattr(elsewhere, "FEW", 1000)


@pytest.mark.parametrize("make", ENGINES)
def test_small_frames_are_arrays(make):
    x, y = X[:200], OTHER[:150]
    found, wanted = ts.mmd_test(make(x), make(y), rng=1), ts.mmd_test(x.to_numpy(), y.to_numpy(), rng=1)
    assert found.to_dict() == wanted.to_dict()
    assert ts.mmd_test(make(x), y.to_numpy(), rng=1).pvalue == wanted.pvalue


@pytest.mark.parametrize("make", ENGINES)
def test_large_frames_are_sketched(make, large):
    found = ts.mmd_test(make(X), make(OTHER), rng=0)
    assert found.rejected
    assert (found.m, found.n, found.columns) == (4000, 4000, 2)
    assert not ts.mmd_test(make(X), make(SAME), rng=0).rejected
    assert found.statistic == pytest.approx(ts.mmd_test(X.to_numpy(), OTHER.to_numpy(), rng=0).statistic, rel=0.3)


@pytest.mark.parametrize("make", ENGINES)
def test_one_column(make, large):
    """The limit law from bins of all rows."""
    wanted = ts.mmd_test(ts.Sketch.fit(X["b"].to_numpy()), ts.Sketch.fit(OTHER["b"].to_numpy())).pvalue
    assert ts.mmd_test(make(X.select("b")), make(OTHER.select("b"))).pvalue == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("make", ENGINES)
def test_sketches_of_several_columns(make):
    begun = ts.Sketch.fit(X.to_numpy()[:500])
    found = ts.Sketch.fit(make(X), like=begun)
    assert found.rows == 4000
    direct = ts.Sketch.fit(X.to_numpy(), like=begun)
    np.testing.assert_allclose(found.state.sums.sum(axis=0), direct.state.sums.sum(axis=0), atol=1e-3)
    assert ts.Sketch.fit(make(X)).merge(ts.Sketch(like=ts.Sketch.fit(make(X)))).rows == 4000


def test_sums_are_those_of_the_definition():
    """A group for each row by its random number, cosines and sines of its frequencies."""
    state = ts.Sketch.fit(X.to_numpy()[:100]).state.blank()
    task = RowSums(open_table(X).columns, state)
    found = task.read(task.part([X[:7], X[7:300]], 3))
    group = (np.random.default_rng([0, 3]).random(300) * 64).astype(int)
    phases = (X[:300].to_numpy() - state.location) / state.scale @ state.waves.T
    phi = np.hstack([np.cos(phases), np.sin(phases)]) * np.sqrt(np.tile(state.weights, 2))
    naive = np.array([phi[group == g].sum(axis=0) for g in range(64)])
    assert np.array_equal(found[:, 1], np.bincount(group, minlength=64))
    np.testing.assert_allclose(found[:, 2:] * 2.0**-32, naive, atol=1e-5)
    parts = [task.part([X[:50]], 0), task.part([X[50:60]], 1), task.part([], 2)]
    assert task.merged(parts) == task.merged([task.merged(parts[1:]), b"", parts[0]])
    assert task.merged([]) == b""


def test_level(large):
    """Of groups that rows are put into at random, of unequal samples with ties."""
    pvalues = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = (pl.DataFrame({"a": rng.poisson(1.0, n), "b": rng.normal(size=n)}).lazy() for n in (1100, 1900))
        pvalues.append(ts.mmd_test(x, y, null=ts.Permutation(99), rng=seed).pvalue)
    assert np.mean(np.array(pvalues) <= 0.05) <= 0.15
    assert 0.35 < np.mean(pvalues) < 0.65


@pytest.mark.parametrize(
    ("options", "match"),
    [({"weights_x": [1.0]}, "weights"), ({"engine": "dense"}, "engine"), ({"statistic": "linear"}, "needs the rows"),
     ({"null": "gamma"}, "needs the rows")],
)  # fmt: skip
def test_what_needs_rows(large, options, match):
    with pytest.raises(ts.OptionError, match=match):
        ts.mmd_test(X.lazy(), SAME.lazy(), **options)


def test_frames_that_are_no_samples(large):
    with pytest.raises(ts.InputError, match="'city' holds"):
        ts.mmd_test(X.with_columns(city=pl.lit("Oslo")).lazy(), X.lazy())
    with pytest.raises(ts.InputError, match="missing, NaN or infinite"):
        ts.mmd_test(X.with_columns(a=pl.lit(None, pl.Float64)).lazy(), X.lazy())
    with pytest.raises(ts.InputError, match="column"):
        ts.mmd_test(X.lazy(), X.select("a").lazy())
    with pytest.raises(ts.InputError, match="different order"):
        ts.mmd_test(X.lazy(), X.select("b", "a").lazy())
    assert ts.mmd_test(X.lazy(), SAME.lazy(), kernel="laplace", bandwidth=2.0, rng=0).kernel == ts.Laplace(2.0)
