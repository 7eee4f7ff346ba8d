"""The classical tests: what they cost beside the work that they cannot avoid."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks.table import Row
from benchmarks.timing import interleaved, seconds
from twosample import rivals


def rows() -> Iterator[Row]:
    yield from tree_tests()
    yield once("runs test, N=20000, d=10, R=999", rivals.friedman_rafsky_runs_test, 10_000, 10, 60)
    yield once("cross-match, N=1000, d=2", rivals.cross_match_test, 500, 2, 10)
    yield once("cross-match, N=1000, d=10", rivals.cross_match_test, 500, 10, 10)
    yield once("cross-match, N=1000, d=100", rivals.cross_match_test, 500, 100, 20)
    yield once("classifier, N=60, d=3, R=99", rivals.classifier_test, 30, 3, 0.2)
    yield once("classifier, N=400, d=400, R=99", rivals.classifier_test, 200, 400, 5)
    yield once("Hall-Tajvidi, N=1000, d=10, R=999", rivals.hall_tajvidi_test, 500, 10)
    yield once("Hotelling with ridge, N=50, d=12600, R=999", rivals.hotelling_test, 25, 12_600)
    yield once("Hotelling, F law, N=200000, d=10", rivals.hotelling_test, 100_000, 10)
    yield once("Kolmogorov-Smirnov, exact, N=2000", partial(rivals.ks_test, null="exact"), 1000, 1)
    yield once("Biau-Györfi, N=2000, d=2", rivals.biau_gyorfi_test, 1000, 2)


def tree_tests(n: int = 1000, d: int = 10) -> Iterator[Row]:
    """Both tests on the spanning tree against all distances once, sorted once: Friedman and Rafsky's dominant cost."""
    x, y = samples(n, d)
    z = np.concatenate([x, y])
    runs, smirnov, sorting = interleaved(
        lambda: rivals.friedman_rafsky_runs_test(x, y, rng=0),
        lambda: rivals.friedman_rafsky_ks_test(x, y, rng=0),
        lambda: np.sort(pdist(z)),
        rounds=7,
    )
    case = f"n=m={n}, d={d}, R=999"
    for name, time in (("runs test", runs), ("tree KS test", smirnov)):
        detail = f"{time:.3f} s / {sorting:.3f} s"
        yield Row(f"{name} / pdist and sort, {case}", time / sorting, 2, detail=detail)


def once(name: str, test: object, n: int, d: int, target: float | None = None) -> Row:
    """Seconds of one call after a small one that loads what it needs."""
    assert callable(test)
    small, large = samples(20, d), samples(n, d)
    test(*small, rng=0)
    return Row(name, min(seconds(lambda: test(*large, rng=0)) for _ in range(2)), target, "s")


def samples(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d))
