"""The tests of the paper's experiments under the names that its tables use."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

import twosample as ts

LEVEL = 0.05
WORLDS = ts.Permutation(n=199)

Test = Callable[[np.ndarray, np.ndarray, np.random.Generator], float]
"""Takes two samples, gives a p-value."""


def _mmd(**options: object) -> Test:
    def test(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> float:
        return ts.mmd_test(x, y, kernel=_kernel(x, y), rng=rng, **options).pvalue

    return test


_KNOWN: dict[tuple[int, int], tuple[np.ndarray, np.ndarray, ts.Kernel]] = {}


def _kernel(x: np.ndarray, y: np.ndarray) -> ts.Kernel:
    """The Gaussian kernel with the median bandwidth of the pool; found once for the tests of one pair of samples."""
    key = id(x), id(y)
    if key not in _KNOWN or _KNOWN[key][0] is not x or _KNOWN[key][1] is not y:
        pool = np.concatenate([x, y]).reshape(len(x) + len(y), -1)
        width = ts.Median().bandwidths(pool, "euclidean", np.random.default_rng(0))[0]
        _KNOWN.clear()
        _KNOWN[key] = x, y, ts.Gaussian(float(width))
    return _KNOWN[key][2]


def _rival(function: Callable[..., ts.TestResult], **options: object) -> Test:
    def test(x: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> float:
        return function(x, y, rng=rng, **options).pvalue

    return test


PROCEDURES: dict[str, Test] = {
    "MMD_b": _mmd(statistic="biased", null="mcdiarmid"),
    "MMD²_u H": _mmd(null="hoeffding"),
    "MMD²_u B": _mmd(null=WORLDS),
    "MMD²_u B, with replacement": _mmd(null=ts.Bootstrap(n=199)),
    "MMD²_u M": _mmd(null="pearson"),
    "MMD²_l": _mmd(statistic="linear", null="normal"),
    "t-test": _rival(ts.rivals.hotelling_test),
    "Wolf": _rival(ts.rivals.friedman_rafsky_runs_test, null=WORLDS),
    "Smir": _rival(ts.rivals.friedman_rafsky_ks_test, null=WORLDS),
    "Hall": _rival(ts.rivals.hall_tajvidi_test, null=ts.Permutation(n=99)),
    "Biau": _rival(ts.rivals.biau_gyorfi_test),
}


def pvalues(x: np.ndarray, y: np.ndarray, names: Iterable[str], seed: list[int]) -> dict[str, float]:
    """The p-value of each procedure, each with a generator of its own."""
    return {name: PROCEDURES[name](x, y, np.random.default_rng([*seed, i])) for i, name in enumerate(names)}
