"""The engine of linear cost against the Kolmogorov-Smirnov test, sorting, and its own growth."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import ks_2samp

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import interleaved, seconds

MILLION = 10**6


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=MILLION), rng.normal(size=MILLION)
    ours, ks = interleaved(lambda: ts.mmd_test(x, y, null="spectrum"), lambda: ks_2samp(x, y), rounds=3)
    yield Row("1 column, n=m=10⁶, spectrum / ks_2samp", ours / ks, 1.0, detail=f"{ours:.2f} s")
    a, b = x[:100_000], y[:100_000]
    ours, ks = interleaved(lambda: ts.mmd_test(a, b, null="permutation"), lambda: ks_2samp(a, b), rounds=3)
    yield Row("1 column, n=m=10⁵, 999 row permutations / ks_2samp", ours / ks, 8, detail=f"{ours:.2f} s")
    x, y = rng.normal(size=(MILLION, 3)), rng.normal(size=(MILLION, 3))
    flat = np.concatenate([x, y]).ravel()
    ours, sort = interleaved(lambda: ts.mmd_test(x, y, null="spectrum"), lambda: np.sort(flat), rounds=2, patience=2)
    yield Row("3 columns, n=m=10⁶, spectrum / sorting the numbers", ours / sort, 40, detail=f"{ours:.1f} s")
    yield mixture("rational quadratic", ts.RationalQuadratic(1.0), 1e-12)
    yield mixture("Matérn 5/2", ts.Matern(1.0, 2.5), 1e-6)
    yield growth(rng)


def mixture(name: str, kernel: ts.Kernel, tolerance: float, n: int = 10_000) -> Row:
    """Kernels that are sums of Gaussians, against all pairs of points."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, 2)), rng.normal(size=(n, 2))

    def ours() -> object:
        return ts.mmd_test(x, y, kernel=kernel, engine=ts.Fourier(tolerance), null="spectrum")

    def pairs() -> object:
        return ts.mmd_test(x, y, kernel=kernel, engine="tiled", null="spectrum")

    mine, theirs = interleaved(ours, pairs, rounds=2, patience=2)
    what = f"2 columns, {name} to {tolerance:g}, n=m={n}, spectrum / tiled"
    return Row(what, mine / theirs, 1.0, detail=f"{mine:.2f} s / {theirs:.2f} s")


def growth(rng: np.random.Generator) -> Row:
    """The exponent of time in rows, fixed bandwidth and spectrum null."""
    sizes = [10**5, 10**6, 10**7]
    times = []
    for size in sizes:
        x, y = rng.normal(size=size // 2), rng.normal(size=size // 2)

        def work(x: np.ndarray = x, y: np.ndarray = y) -> object:
            return ts.mmd_test(x, y, bandwidth=1.0, engine="fourier", null="spectrum")

        work()
        times.append(min(seconds(work) for _ in range(3)))
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    detail = f"{times[-1]:.1f} s at 10⁷"
    return Row("1 column, exponent of time in N, 10⁵ to 10⁷", exponent, 1.1, unit="", detail=detail)
