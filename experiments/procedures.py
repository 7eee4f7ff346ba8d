"""The tests of the paper's experiments under the names that its tables use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import chi2

import twosample as ts

LEVEL = 0.05
WORLDS = ts.Permutation(n=199)

Test = Callable[["Pair", np.random.Generator], float]
"""Takes two samples, gives a p-value."""


@dataclass(frozen=True)
class Shared:
    """Two samples and what the kernel tests of them have in common, found once for all of them."""

    x: np.ndarray
    y: np.ndarray
    kernel: ts.Kernel
    engine: str

    @classmethod
    @lru_cache(maxsize=1)
    def of(cls, pair: Pair) -> Shared:
        """The Gaussian kernel with the width of the pair, or else the median distance of the pool.

        Many points in few columns have a Gram matrix of low rank, and the engine of that name gives what the dense one
        gives but for some ten-thousandths of a p-value. Otherwise the matrix is worked out once.
        """
        m, pool = len(pair.x), np.concatenate([pair.x, pair.y])
        pool -= pool.mean(axis=0)
        if pool.shape[1] <= 10 and len(pool) > 600:
            width = pair.width or float(ts.Median().bandwidths(pool, "euclidean", np.random.default_rng(0))[0])
            return cls(pair.x, pair.y, ts.Gaussian(width), "lowrank")
        norms = np.einsum("ij,ij->i", pool, pool)
        square = np.maximum(norms[:, None] + norms - 2 * pool @ pool.T, 0)  # of the distances
        K = np.exp(-square / (2 * (pair.width**2 if pair.width else np.median(square[np.triu_indices(len(pool), 1)]))))
        rows = np.arange(len(pool))

        def known(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            return K[np.ix_(a[:, 0].astype(np.intp), b[:, 0].astype(np.intp))]

        return cls(rows[:m], rows[m:], ts.FunctionKernel(known, upper=1.0), "dense")


@dataclass(frozen=True, eq=False)
class Pair:
    """Two samples of the same columns, as they go from test to test; the width of the kernel, and how many columns
    there were at first.
    """

    x: np.ndarray
    y: np.ndarray
    width: float | None = None
    columns: int | None = None

    @classmethod
    def of(cls, x: np.ndarray, y: np.ndarray, width: float | None = None) -> Pair:
        """With more columns than points, in coordinates of the span of the points.

        That is an isometry, and all tests here depend on distances and inner products only: they give the same p-value,
        sooner.
        """
        m = len(x)
        pool = np.concatenate([x, y]).reshape(m + len(y), -1)
        columns = pool.shape[1]
        if columns > len(pool):
            pool = np.linalg.qr((pool - pool.mean(axis=0)).T, mode="r").T
        return cls(pool[:m], pool[m:], width, columns)


def published_width(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> float:
    """By the rule of code that the paper's authors have published: σ² is half the median of the squared distances.

    Of the distances that are not 0, between 100 points. That code takes the first 100 of x and y one after the other,
    which are all of x; here they are random ones of the pool, so that the labels have no part in the kernel. Where the
    100 are all the same, the distances between all points count.
    """
    pool = np.concatenate([x, y]).reshape(len(x) + len(y), -1)
    for points in (rng.permutation(pool)[:100], pool):
        square = pdist(points, "sqeuclidean")
        if square.any():
            return float(np.sqrt(np.median(square[square > 0]) / 2))
    return 1.0


def _mmd(**options: object) -> Test:
    def test(pair: Pair, rng: np.random.Generator) -> float:
        shared = Shared.of(pair)
        engine = "auto" if options.get("statistic") == "linear" else shared.engine
        return ts.mmd_test(shared.x, shared.y, kernel=shared.kernel, engine=engine, rng=rng, **options).pvalue

    return test


def _rival(function: Callable[..., ts.TestResult], **options: object) -> Test:
    def test(pair: Pair, rng: np.random.Generator) -> float:
        return function(pair.x, pair.y, rng=rng, **options).pvalue

    return test


def _t_test(pair: Pair, rng: np.random.Generator) -> float:
    """The F law, and permutations with a ridge where the columns are too many for it."""
    rows, columns = len(pair.x) + len(pair.y), pair.x.shape[1]
    return ts.rivals.hotelling_test(pair.x, pair.y, null="auto" if columns < rows - 2 else WORLDS, rng=rng).pvalue


def _ridge_t_test(pair: Pair, rng: np.random.Generator) -> float:
    """The paper's, as far as its numbers tell: a ridge wherever eigenvalues differ, and the classical law all the same.

    That is the F law, and where it ends the chi-square law. A ridge does not change with the coordinates, and one
    column has none.
    """
    rows, columns = len(pair.x) + len(pair.y), pair.columns or pair.x.shape[1]
    if columns == 1:
        return _t_test(pair, rng)
    if columns < rows - 1:
        return ts.rivals.hotelling_test(pair.x, pair.y, ridge=True, null="f", rng=rng).pvalue
    return float(chi2.sf(ts.rivals.hotelling_test(pair.x, pair.y, ridge=True, null="chi2", rng=rng).statistic, columns))


def _smirnov(pair: Pair, rng: np.random.Generator) -> float:
    """In one column the classical statistic with Smirnov's limit law, as Section 8.3 has it; else that of the tree."""
    if pair.x.shape[1] == 1:
        return ts.rivals.ks_test(pair.x, pair.y, null="limit").pvalue
    return PROCEDURES["Smir, ours"](pair, rng)


PROCEDURES: dict[str, Test] = {
    "MMD_b": _mmd(statistic="biased", null="mcdiarmid"),
    "MMD²_u H": _mmd(null="hoeffding"),
    "MMD²_u B": _mmd(null=WORLDS),
    "MMD²_u B, with replacement": _mmd(null=ts.Bootstrap(n=199)),
    "MMD²_u M": _mmd(null="pearson"),
    "MMD²_u M, as published": _mmd(null=ts.Pearson(kurtosis="published")),
    "MMD²_l": _mmd(statistic="linear", null="normal"),
    "t-test": _t_test,
    "t-test, ridge": _ridge_t_test,
    "Wolf": _rival(ts.rivals.friedman_rafsky_runs_test, null=WORLDS),
    "Smir": _smirnov,
    "Smir, ours": _rival(ts.rivals.friedman_rafsky_ks_test, null=WORLDS),
    "Hall": _rival(ts.rivals.hall_tajvidi_test, null=ts.Permutation(n=99)),
    "Biau": _rival(ts.rivals.biau_gyorfi_test, grid="equal-width"),
    "Biau, ours": _rival(ts.rivals.biau_gyorfi_test),
}


def pvalues(
    x: np.ndarray, y: np.ndarray, names: Iterable[str], seed: list[int], width: float | None = None
) -> dict[str, float]:
    """The p-value of each procedure, each with a generator of its own; kernels by the median if no width is given."""
    pair = Pair.of(x, y, width)
    return {name: PROCEDURES[name](pair, np.random.default_rng([*seed, i])) for i, name in enumerate(names)}
