"""The tiled engine, door to result, against the work that no engine of its kind can avoid.

The Gaussian kernel takes single precision unless points lie far out, as those with heavy tails do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread, local

import numpy as np
from threadpoolctl import threadpool_limits

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import interleaved
from twosample.core.types import Reals

ROUNDS = 7


def rows() -> Iterator[Row]:
    yield row(d=10, permutations=200, target=1.5)
    yield row(d=10, permutations=999)
    yield row(d=100, permutations=200)
    yield row(d=10, permutations=200, heavy=True)


def row(d: int, permutations: int, heavy: bool = False, target: float | None = None, n: int = 5000) -> Row:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_t(2, size=(n, d)) if heavy else rng.normal(size=(n, d)) for _ in range(2))
    engine = ts.Tiled()
    null = ts.Permutation(n=permutations)
    floor = unavoidable(2 * n, d, permutations + 1, np.float64 if heavy else np.float32, engine)

    def ours() -> None:
        ts.mmd_test(x, y, engine=engine, null=null, rng=0)

    mine, least = interleaved(ours, floor, rounds=ROUNDS)
    kind = "float64" if heavy else "float32"
    return Row(
        f"mmd_test / products and exp, n=m={n}, d={d}, R={permutations}, {kind}",
        mine / least,
        target,
        detail=f"{mine:.3f} s / {least:.3f} s",
    )


def unavoidable(size: int, d: int, width: int, dtype: type, engine: ts.Tiled) -> Callable[[], None]:
    """One pass over the upper triangle: distances by a product, exp in place, the product with all labellings.

    Threads take tiles from a queue and write into buffers of their own; operands are in place and of the right type
    before the clock starts, and nothing is summed up.
    """
    rng = np.random.default_rng(1)
    left: Reals = rng.normal(size=(size, d + 2)).astype(dtype)
    right = np.ascontiguousarray(left.T)
    left *= -0.5 / (d + 2)
    labels: Reals = rng.integers(0, 2, size=(size, width)).astype(dtype)
    strips = [slice(start, min(start + engine.tile, size)) for start in range(0, size, engine.tile)]
    own = local()

    def work(tiles: SimpleQueue[tuple[slice, slice]]) -> None:
        own.tile, own.product = np.empty(engine.tile**2, dtype), np.empty((engine.tile, width), dtype)
        while True:
            try:
                here, there = tiles.get_nowait()
            except Empty:
                return
            a, b = here.stop - here.start, there.stop - there.start
            K = own.tile[: a * b].reshape(a, b)
            np.matmul(left[here], right[:, there], out=K)
            np.exp(K, out=K)
            np.matmul(K, labels[there], out=own.product[:a])

    def one_pass() -> None:
        tiles: SimpleQueue[tuple[slice, slice]] = SimpleQueue()
        for i, here in enumerate(strips):
            for there in strips[i:]:
                tiles.put((here, there))
        threads = [Thread(target=work, args=(tiles,)) for _ in range(engine.thread_count())]
        with threadpool_limits(1, user_api="blas"):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    return one_pass
