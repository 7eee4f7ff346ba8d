"""Small samples, many times: what one call costs beside its arithmetic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from threadpoolctl import threadpool_limits

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import processor_seconds, taking_turns

CALLS = 10


def rows() -> Iterator[Row]:
    for d in (1, 2, 10):
        yield from pair(d, limit=None if d == 1 else 10)


def pair(d: int, limit: float | None, n: int = 100, permutations: int = 999) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    null = ts.Permutation(n=permutations)
    squares = rng.normal(size=(2 * n, 2 * n)) ** 2
    labels = rng.integers(0, 2, size=(2 * n, permutations + 1)).astype(np.float64)

    def ours() -> None:
        for seed in range(CALLS):
            ts.mmd_test(x, y, null=null, rng=seed)

    def bare() -> None:
        with threadpool_limits(1, user_api="blas"):
            for _ in range(CALLS):
                np.exp(-squares) @ labels

    mine, least = (time / CALLS * 1000 for time in taking_turns(processor_seconds, (ours, bare), 30, 2))
    case = f"n=m={n}, d={d}, R={permutations}"
    yield Row(f"mmd_test, {case}", mine, limit, "ms")
    yield Row(f"mmd_test / exp of K and K V, {case}", mine / least, 2.0, detail=f"{mine:.2f} ms / {least:.2f} ms")
