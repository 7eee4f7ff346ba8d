"""Kernels on objects: what the door, the engines and the witness make of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from scipy.sparse import csr_array

import twosample as ts
from twosample.kernels import ExplicitFeatures, Kernel, ObjectKernel, OnRows, Tabulated


def letter_counts(words: Sequence[str]) -> np.ndarray:
    return np.array([[word.count(letter) for letter in "abcd"] for word in words], dtype=float)


@dataclass(frozen=True)
class ByFeatures(ObjectKernel):
    bounds = None

    def on(self, objects: Sequence[str]) -> Kernel:
        return ExplicitFeatures(self, csr_array(letter_counts(objects)))


@dataclass(frozen=True)
class ByTable(ObjectKernel):
    bounds = None

    def on(self, objects: Sequence[str]) -> Kernel:
        F = letter_counts(objects)
        return Tabulated(self, F @ F.T)


@dataclass(frozen=True)
class GaussianOnCounts(ObjectKernel):
    kernel: Kernel = field(default_factory=ts.Gaussian)
    bounds = (0.0, 1.0)

    def on(self, objects: Sequence[str]) -> Kernel:
        return OnRows(self.kernel, letter_counts(objects))


def words(count: int, seed: int, p: Sequence[float] = (0.25, 0.25, 0.25, 0.25)) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abcd"), rng.integers(1, 9), p=p)) for _ in range(count)]


X, Y = words(25, 0), words(31, 1, (0.55, 0.15, 0.15, 0.15))
COUNTS = letter_counts(X), letter_counts(Y)


@pytest.mark.parametrize("kernel", [ByFeatures(), ByTable()])
@pytest.mark.parametrize("engine", ["auto", "dense", "tiled", "lowrank"])
@pytest.mark.parametrize("statistic", ["biased", "unbiased"])
def test_objects_give_what_their_features_give(kernel, engine, statistic):
    plain = ts.mmd_test(*COUNTS, kernel="linear", statistic=statistic, engine="dense", rng=3)
    mine = ts.mmd_test(X, Y, kernel=kernel, statistic=statistic, engine=engine, rng=3)
    assert mine.statistic == pytest.approx(plain.statistic, rel=1e-9)
    assert mine.pvalue == plain.pvalue
    assert mine.kernel == kernel
    assert mine.columns == 0


@pytest.mark.parametrize("null", ["permutation", "bootstrap", "spectrum", "gamma", "pearson"])
def test_sparse_features_serve_every_null(null):
    dense = ts.mmd_test(X, Y, kernel=ByFeatures(), engine="dense", null=null, rng=3)
    sparse = ts.mmd_test(X, Y, kernel=ByFeatures(), engine="features", null=null, rng=3)
    assert sparse.pvalue == pytest.approx(dense.pvalue, rel=1e-9)
    assert sparse.threshold == pytest.approx(dense.threshold, rel=1e-9)


def test_many_objects_use_their_features():
    x, y = words(900, 0) * 2, words(800, 1) * 2
    result = ts.mmd_test(x, y, kernel=ByFeatures(), null=ts.Permutation(n=49), rng=3)
    assert result.engine.name == "features"
    assert "explicit features" in result.reason
    exact = ts.mmd_test(x, y, kernel=ByFeatures(), null=ts.Permutation(n=49), engine="dense", rng=3)
    assert result.statistic == pytest.approx(exact.statistic, rel=1e-9)
    assert result.pvalue == exact.pvalue


def test_bandwidth_comes_from_the_rows_behind_the_numbers():
    plain = ts.mmd_test(*COUNTS, rng=3)
    mine = ts.mmd_test(X, Y, kernel=GaussianOnCounts(), rng=3)
    assert mine.statistic == pytest.approx(plain.statistic, rel=1e-12)
    assert mine.kernel == plain.kernel


@pytest.mark.parametrize("kernel", [ByFeatures() + ByTable(), 0.5 * ByFeatures(), ByFeatures() * ByTable()])
def test_object_kernels_combine(kernel):
    result = ts.mmd_test(X, Y, kernel=kernel, rng=3)
    K = kernel.block([*X, *Y], [*X, *Y])
    assert result.statistic == pytest.approx(
        ts.mmd_test(None, None, kernel=ts.Precomputed(K, m=len(X)), rng=3).statistic, rel=1e-9
    )
    assert result.kernel == kernel


def test_a_kernel_restricted_once_serves_many_tests():
    whole = ByFeatures().on([*X, *Y])
    some = ts.mmd_test(range(10), range(30, 50), kernel=whole, rng=3)
    assert some.statistic == ts.mmd_test(X[:10], [*X, *Y][30:50], kernel=ByFeatures(), rng=3).statistic
    with pytest.raises(ts.InputError, match="whole numbers from 0 to 55"):
        ts.mmd_test(range(10), range(50, 60), kernel=whole)
    with pytest.raises(ts.InputError, match="row numbers"):
        ts.mmd_test(None, None, kernel=whole)


def test_witness_at_known_and_new_objects():
    w = ts.witness(X, Y, kernel=ByFeatures())
    F, new = np.concatenate(COUNTS), letter_counts(["abba", "dd"])
    weights = np.concatenate([np.full(len(X), 1 / len(X)), np.full(len(Y), -1 / len(Y))])
    np.testing.assert_allclose(w(["abba", "dd"]), new @ F.T @ weights, rtol=1e-9, atol=1e-9)
    rows = w.rows(3)
    np.testing.assert_allclose(w([X[i] for i in rows.x]), rows.x_values, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("bad", ["a string", {"a": 1}, 7, None])
def test_what_is_no_list_of_objects_is_refused(bad):
    with pytest.raises(ts.InputError, match="give a list of objects"):
        ts.mmd_test(bad, Y, kernel=ByFeatures())


def test_too_few_objects():
    with pytest.raises(ts.InputError, match="1 object"):
        ts.mmd_test(["a"], Y, kernel=ByFeatures())


def test_kernel_on_vectors_says_what_it_takes():
    with pytest.raises(ts.OptionError, match="rows of numbers"):
        ts.Gaussian(1.0).on(["a"])
