"""Against hyppo and dcor, on the same data.

They are looked for in this interpreter, or in the one that TWOSAMPLE_PEERS_PYTHON names (they bring a good deal with
them). Either way they run in a process of their own that does one test whenever it is told to, so turns are taken.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import Timed, seconds, taking_turns

WORKER = Path(__file__).with_name("peers_worker.py")
N, D, PERMUTATIONS = 500, 5, 200


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(N, D)), rng.normal(size=(N, D))
    null = ts.Permutation(n=PERMUTATIONS)
    mmd: Timed = partial(ts.mmd_test, x, y, null=null, rng=0)
    energy: Timed = partial(ts.mmd_test, x, y, kernel="energy", null=null, rng=0)
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "x.npy", x)
        np.save(Path(folder) / "y.npy", y)
        for name, ours in {"hyppo MMD": mmd, "hyppo Energy": energy, "dcor energy_test": energy}.items():
            yield against(name, ours, folder)


def against(name: str, ours: Timed, folder: str) -> Row:
    kind = "gaussian" if "MMD" in name else "energy"
    interpreter = os.environ.get("TWOSAMPLE_PEERS_PYTHON", sys.executable)
    command = [interpreter, str(WORKER), name, folder, str(PERMUTATIONS)]
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

        tests: tuple[Callable[[], float], ...] = (partial(seconds, ours), one_test)
        # patience=1: while it lives, the worker itself looks like a neighbour
        mine, theirs = taking_turns(lambda test: test(), tests, rounds=3, patience=1)
        told.close()
    return Row(
        f"mmd_test, {kind} / {name}, n=m={N}, d={D}, R={PERMUTATIONS}",
        mine / theirs,
        detail=f"{mine:.4f} s / {theirs:.4f} s",
    )
