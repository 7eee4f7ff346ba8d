"""All columns together: how often 20,000 sampled rows and every row see a difference, at level 0.05.

Two tables of 400,000 rows: two normal columns, counts and a city. What is planted moves no column by itself. And how
often either rejects where there is nothing, at 25,000 and 45,000 rows. The same of two summaries.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import twosample as ts
from benchmarks.table import Row
from twosample.embedding import Judge
from twosample.sources import Table, open_table
from twosample.tables.every_row import PART, every_row
from twosample.tables.joint import joint_sample
from twosample.tables.reading import Wanted, read
from twosample.tables.ties import views_of
from twosample.tables.together import Together, in_parts, tested_together

ROWS = 400_000
SAMPLE = 20_000
RUNS = int(os.environ.get("TWOSAMPLE_RUNS", "20"))
CITIES = np.array(["Oslo", "Rome", "Lima", "Bonn"])


def table(rng: np.random.Generator, rows: int, planted: str = "nothing") -> pl.DataFrame:
    """Independent columns, but for what is planted."""
    x, y, count = rng.normal(size=rows), rng.normal(size=rows), rng.poisson(4.0, rows)
    city = rng.integers(0, 4, rows)
    if planted == "correlation 0.015":
        y = 0.015 * x + np.sqrt(1 - 0.015**2) * y
    elif planted == "1 % of rows have one number twice":
        twice = rng.random(rows) < 0.01
        y[twice] = x[twice]
    elif planted == "x up by 0.03 in one city, down elsewhere":
        x += np.where(city == 0, 0.03, -0.01)
    elif planted == "y spreads 1.5 % more where counts are high":
        y *= np.where(count > 4, 1.015, 1 / 1.0088)
    return pl.DataFrame({"x": x, "y": y, "count": count, "city": CITIES[city]})


def pvalues(a: pl.DataFrame, b: pl.DataFrame, sample: int, seed: int) -> tuple[float, ...]:
    """Of the sample, of every row, of both with their parts of the level, and of two summaries."""
    some, every = _tests((open_table(a), open_table(b)), sample, seed)
    first = ts.summarize(a, rows=sample)
    kept, sums = _tests((open_table(first), open_table(ts.summarize(b, like=first))), sample, seed)
    both, stored = in_parts(every, some, PART), in_parts(sums, kept, PART)
    return tuple(test.judged.pvalue for test in (some, every, both, stored))


def _tests(tables: tuple[Table, Table], sample: int, seed: int) -> tuple[Together, Together]:
    reading = read(tables, Wanted(None, (), {}), sample, (1, 2), lambda what: None)
    judge = Judge(0.05, 5, np.random.default_rng(seed))
    joint = joint_sample(reading, list(reading.schema.common), judge.rng)
    views, names = views_of(joint.features, joint.twins, joint.groups), [part.name for part in joint.features]
    every = every_row(reading, joint, judge)
    assert every is not None
    return tested_together(joint.pair, views, names, joint.groups, 0.05), every[0]


def rates(runs: int, sizes: tuple[int, int], sample: int, planted: str) -> Any:
    """``(4,)`` how often each is at most 0.05."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng([seed, len(planted)])
        made = partial(table, rng)
        found.append(pvalues(made(sizes[0]), made(sizes[1], planted), sample, seed))
    return np.mean(np.array(found) <= 0.05, axis=0)


def rows() -> Iterator[Row]:
    """Shares of runs in which H0 was rejected."""
    some, every, both, stored = 100 * rates(10 * RUNS, (25_000, 45_000), 2000, "nothing")
    error = 2 * 100 * np.sqrt(0.05 * 0.95 / (10 * RUNS))
    yield Row(
        "nothing: every row of 25,000 and 45,000",
        every,
        5 + error,
        "%",
        f"{10 * RUNS} runs; 2,000 sampled rows {some:.1f} %",
    )
    yield Row("nothing: both tests in parts", both, 5 + error, "%")
    yield Row("nothing: two summaries", stored, 5 + error, "%")
    for planted in (
        "correlation 0.015",
        "1 % of rows have one number twice",
        "x up by 0.03 in one city, down elsewhere",
        "y spreads 1.5 % more where counts are high",
    ):
        some, every, both, stored = 100 * rates(RUNS, (ROWS, ROWS), SAMPLE, planted)
        detail = f"{RUNS} runs of 2 x {ROWS:,} rows; every row alone {every:.0f} %, {SAMPLE:,} rows {some:.0f} %"
        yield Row(f"{planted}: found by sample=None", both, None, "%", detail)
        yield Row(f"{planted}: found by two summaries", stored, None, "%")
