"""What the command line costs before it does anything, in fresh processes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from benchmarks.fresh import python
from benchmarks.table import Row
from benchmarks.timing import taking_turns

CALL = "import sys; sys.argv[0] = 'twosample'; from twosample.cli.run import run; run(sys.argv[1:])"


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder, name)) for name in ("a.csv", "b.csv")]
        rng = np.random.default_rng(0)
        for file in files:
            table(rng).write_csv(file)
        works = (
            ("-c", CALL, "--help"),
            ("-c", "import polars, scipy.stats, matplotlib"),
            ("-c", CALL, "compare", *files, "--quiet"),
            ("-c", CALL, "compare", *files, "--quiet", "--report", str(Path(folder, "r.html"))),
        )
        start, imports, compare, report = taking_turns(seconds, works, 5, patience=3)
    yield Row("twosample --help", start, 0.3, unit="s")
    detail = f"{compare:.2f} s / {imports:.2f} s"
    yield Row("compare 1,000-row CSVs / import polars, scipy.stats, matplotlib", compare / imports, 1.5, detail=detail)
    yield Row("the same with an HTML report", report / imports, detail=f"{report:.2f} s / {imports:.2f} s")


def table(rng: np.random.Generator) -> pl.DataFrame:
    size = 1000
    return pl.DataFrame(
        {
            "price": rng.lognormal(size=size),
            "weight": rng.normal(size=size),
            "items": rng.poisson(3, size=size),
            "shop": rng.choice(["Oslo", "Rome", "Bern"], size),
        }
    )


def seconds(work: tuple[str, ...]) -> float:
    start = perf_counter()
    python(*work)
    return perf_counter() - start
