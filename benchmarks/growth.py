"""How the time of the tiled engine grows: the slope of log time over log size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import interleaved


def rows() -> Iterator[Row]:
    yield row("n", (2100, 2900, 4000, 5600, 8000), "2")  # tiles of fewer than 4096 pooled points are in float64
    yield row("R", (100, 200, 400, 800, 1600), "< 1")
    yield row("d", (5, 10, 20, 40, 80), "<< 1")


def row(letter: str, sizes: Sequence[int], expected: str) -> Row:
    standard = {"n": 4000, "R": 200, "d": 10}
    times = interleaved(*(test(**{**standard, letter: size}) for size in sizes), rounds=4)
    slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    fixed = ", ".join(f"{'n=m' if key == 'n' else key}={value}" for key, value in standard.items() if key != letter)
    return Row(
        f"exponent of {letter}, {sizes[0]} to {sizes[-1]}, {fixed} ({expected} by n² (d + R))",
        slope,
        unit="",
        detail=" ".join(f"{time:.2f}" for time in times) + " s",
    )


def test(n: int, R: int, d: int) -> partial[ts.TestResult]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(n, d)), rng.normal(size=(n, d))
    return partial(ts.mmd_test, x, y, engine="tiled", null=ts.Permutation(n=R), rng=0)
