"""Streams and sketches against the work that no one-pass summary can avoid, and against ks_2samp."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
from scipy.stats import ks_2samp

import twosample as ts
from benchmarks.fresh import python
from benchmarks.table import Row
from benchmarks.timing import interleaved, processor_seconds, taking_turns

MEMORY = """
import sys
import numpy as np
import twosample as ts

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

rng = np.random.default_rng(0)
sketch, stream = ts.Sketch.fit(rng.normal(size=1000)), ts.LinearTimeMMD(ts.Gaussian(1.0))
def feed(batches):
    for _ in range(batches):
        batch = rng.normal(size=10_000)
        sketch.update(batch)
        stream.update(batch, batch)
feed(100)
before = peak()
feed(int(sys.argv[1]))
print((peak() - before) / 1e6)
"""


def rows() -> Iterator[Row]:
    yield linear(d=10, target=2.5)
    yield linear(d=10, count=1 << 21, target=2.5)
    yield linear(d=2)
    yield linear(d=10, batch=1000, target=4.0)
    yield linear(d=10, batch=100)
    yield from binning(1_000_000)
    yield grouped(d=10)
    if sys.platform.startswith("linux"):
        used = float(python("-c", MEMORY, "1000"))
        yield Row("peak memory from 10⁶ to 10⁷ streamed rows, Sketch and LinearTimeMMD", used, 5, "MB")


def linear(d: int, target: float | None = None, count: int = 1 << 18, batch: int | None = None) -> Row:
    """A new stream against one pass of exp over the kernel values that are needed, and one look at every number."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(count, d)), rng.normal(size=(count, d))
    values = -rng.random(2 * count)  # four for every pair of rows of each sample
    out = np.empty_like(values)
    kernel, step = ts.Gaussian(float(np.sqrt(d))), batch or count

    def ours() -> None:
        stream = ts.LinearTimeMMD(kernel)
        for start in range(0, count, step):
            stream.update(x[start : start + step], y[start : start + step])
        stream.result()

    def least() -> None:
        np.exp(values, out=out)
        x.sum()
        y.sum()

    mine, floor = taking_turns(processor_seconds, (ours, least), rounds=15, patience=2)
    how = f", batches of {batch}" if batch else ""
    return Row(
        f"LinearTimeMMD / exp and reading the data, n=m={count}, d={d}{how}",
        mine / floor,
        target,
        detail=f"{1000 * mine:.1f} ms / {1000 * floor:.1f} ms",
    )


def binning(n: int) -> Iterator[Row]:
    """One pass over a column, and the whole test, against ks_2samp on the same numbers."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=n), rng.normal(size=n)
    blank = ts.Sketch(like=ts.Sketch.fit(x[:1000]))

    def bins() -> None:
        ts.Sketch(like=blank).update(x)

    def test() -> None:
        ts.mmd_test(ts.Sketch.fit(x), ts.Sketch.fit(y))

    def theirs() -> None:
        ks_2samp(x, y)

    one, whole, ks = interleaved(bins, test, theirs, rounds=9)
    yield Row(
        f"Sketch of one column / ks_2samp of two, n={n}", one / ks, 0.05, detail=f"{1000 * one:.1f} ms / {ks:.3f} s"
    )
    yield Row(f"two sketches and their test / ks_2samp, n=m={n}", whole / ks, 1.0, detail=f"{whole:.3f} s / {ks:.3f} s")


def grouped(d: int, n: int = 50_000) -> Row:
    """Features of a sketch of several columns against their cosines and sines alone."""
    x = np.random.default_rng(0).normal(size=(n, d))
    blank = ts.Sketch(like=ts.Sketch.fit(x[:1000]))
    angles = np.random.default_rng(1).normal(size=(1000, 128))

    def ours() -> None:
        ts.Sketch(like=blank).update(x)

    def waves() -> None:
        for _ in range(n // 1000):
            np.cos(angles)
            np.sin(angles)

    mine, floor = interleaved(ours, waves)
    return Row(
        f"Sketch of {d} columns / cos and sin of its features, n={n}",
        mine / floor,
        detail=f"{mine:.3f} s / {floor:.3f} s",
    )
