"""Independence: against products of matrices, Kendall's tau, hyppo and dcor."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import Timed, interleaved, processor_seconds, seconds, taking_turns

WORKER = Path(__file__).with_name("independence_worker.py")
N, D, FEW = 1000, 5, 19


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(N, D)), rng.normal(size=(N, D))
    K, L, out = rng.normal(size=(N, N)), rng.normal(size=(N, N)), np.empty((N, N))

    def products() -> None:
        for _ in range(99):
            np.multiply(K, L, out=out)

    ours, theirs = interleaved(lambda: ts.hsic_test(x, y, rng=0), products, rounds=3, patience=3)
    what = f"n={N}, d={D}, 999 permutations / 999 products of {N} x {N} matrices"
    yield Row(what, ours / (theirs * 999 / 99), 1.0, detail=f"{ours:.3f} s")
    yield from lines(rng)
    yield from tables(rng)
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", x)
        np.save(Path(folder) / "y.npy", y)
        yield against("hyppo Hsic", partial(ts.hsic_test, x, y, rng=0), folder)
        yield against("dcor", partial(ts.hsic_test, x, y, kernel="energy", rng=0), folder)


def lines(rng: np.random.Generator) -> Iterator[Row]:
    x, y = rng.normal(size=(2, 100_000))
    for null in ("permutation", "spectrum", "gamma"):
        test = partial(ts.hsic_test, x, y, null=null, rng=0)
        ours, tau = interleaved(test, lambda: kendalltau(x, y), rounds=5, patience=3)
        yield Row(f"1 column each, n=10⁵, {null} / kendalltau", ours / tau, 3.0, detail=f"{ours:.3f} s")
    x, y = rng.normal(size=(2, 10**6))
    ours, tau = seconds(lambda: ts.hsic_test(x, y, null="gamma")), seconds(lambda: kendalltau(x, y))
    yield Row("1 column each, n=10⁶, gamma / kendalltau", ours / tau, detail=f"{ours:.2f} s")


def tables(rng: np.random.Generator) -> Iterator[Row]:
    """Processor time, since a table of many columns uses all cores."""
    for n in (1000, 3000, 10_000):
        small, large = (partial(ts.independence_matrix, kinds(rows, rng, 3)) for rows in (n, 2 * n))
        ours, theirs = taking_turns(processor_seconds, (small, large), rounds=3, patience=2)
        yield Row(f"independence_matrix, 3 kinds of columns, {n:,} rows / twice as many", ours / theirs, 1.1)
        few, many = (partial(mixed_test, rows, rng) for rows in (n, 2 * n))
        ours, theirs = taking_turns(processor_seconds, (few, many), rounds=3, patience=2)
        yield Row(f"hsic_test of a number and a category, {n:,} rows / twice as many", ours / theirs, 1.1)
    mixed = kinds(6605, rng, 14)
    [ours] = taking_turns(processor_seconds, (partial(ts.independence_matrix, mixed),), rounds=3, patience=1)
    yield Row("independence_matrix, 6,605 rows, 14 columns, 9 of them categories", ours, 5.0, unit="s")
    for columns, target in ((20, None), (400, 25.0)):
        normal = rng.normal(size=(1000, columns))
        [ours] = taking_turns(processor_seconds, (partial(ts.independence_matrix, normal),), rounds=2, patience=1)
        yield Row(f"independence_matrix, 1000 rows, {columns} columns", ours, target, unit="s")


def kinds(rows: int, rng: np.random.Generator, columns: int) -> dict[str, NDArray[np.float64]]:
    """Numbers, few categories and many categories in turn; categories as one column for each of their levels."""
    found = {}
    for c in range(columns):
        levels = (1, 6, 40)[c % 3]
        found[str(c)] = rng.normal(size=(rows, 1)) if levels == 1 else np.eye(levels)[rng.integers(levels, size=rows)]
    return found


def mixed_test(rows: int, rng: np.random.Generator) -> object:
    x, y = kinds(rows, rng, 2).values()
    return ts.hsic_test(x, y, rng=0)


def against(name: str, ours: Timed, folder: str) -> Row:
    """Theirs runs with few permutations, since its time grows with their number, and is scaled up."""
    interpreter = os.environ.get("TWOSAMPLE_PEERS_PYTHON", sys.executable)
    command = [interpreter, str(WORKER), name, folder, str(FEW)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        if worker.stdout.readline().strip() != "ready":
            return Row(f"{name}: skipped: not installed", None)
        told, heard = worker.stdin, worker.stdout

        def one_test() -> float:
            told.write("go\n")
            told.flush()
            return float(heard.readline())

        mine, theirs = taking_turns(lambda test: test(), (partial(seconds, ours), one_test), rounds=2, patience=1)
        told.close()
    whole = theirs * 1000 / (FEW + 1)
    return Row(
        f"hsic_test / {name}, n={N}, d={D}, 999 permutations ({FEW} of theirs, scaled up)",
        mine / whole,
        0.1,
        detail=f"{mine:.3f} s / {whole:.1f} s",
    )
