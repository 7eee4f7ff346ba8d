"""The engines that approximate the kernel against the exact one, whose time grows with the square of the rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import twosample as ts
from benchmarks.fresh import python
from benchmarks.memory import CODE
from benchmarks.table import Row
from benchmarks.timing import interleaved
from twosample.engines.features import Features

N, D, PART = 50_000, 10, 10_000
TIMES_FASTER = 20


def rows() -> Iterator[Row]:
    for permutations in (200, 999):
        yield row(ts.LowRank(), permutations, 1 / TIMES_FASTER)
    yield row(Features(), 999)
    if sys.platform != "win32":
        code = CODE.replace('engine="tiled"', 'engine="lowrank"')
        used = float(python("-c", code, str(N), str(D), "999", "0"))
        yield Row(f"lowrank, peak above the inputs, n=m={N}, d={D}, R=999", used, unit="MB")


def row(engine: ts.LowRank | Features, permutations: int, target: float | None = None) -> Row:
    """`tiled` on a part of the rows, and its time at all of them by the square."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(N, D)), rng.normal(size=(N, D)) + 0.01
    null = ts.Permutation(n=permutations)

    def ours() -> ts.TestResult:
        return ts.mmd_test(x, y, engine=engine, null=null, rng=0)

    def tiled() -> ts.TestResult:
        return ts.mmd_test(x[:PART], y[:PART], engine="tiled", null=null, rng=0)

    mine, part = interleaved(ours, tiled, rounds=3, patience=2)
    other = part * (N / PART) ** 2
    return Row(
        f"{engine.name} / tiled (by the square), n=m={N}, d={D}, R={permutations}",
        mine / other,
        target,
        detail=f"{mine:.3g} s / {other:.3g} s: {other / mine:.3g} times faster; {ours().notes[0]}",
    )
