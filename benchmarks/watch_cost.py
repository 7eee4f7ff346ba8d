"""What a batch costs: `watch add` beside `summarize`, and after ten thousand batches."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

import twosample as ts
from benchmarks.table import Row

MILLION = 1_000_000
EARLIER = 10_000


def rows() -> Iterator[Row]:
    """Processor time, best of three."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path, state = Path(folder, "batch.parquet"), Path(folder, "watch.tsw")
        _table(rng, MILLION).write_parquet(path)
        monitor = ts.Monitor([_table(rng, 2000) for _ in range(40)])
        monitor.save(state)
        plain = _seconds(lambda: ts.summarize(path).save(Path(folder, "batch.tss")))
        added = _seconds(lambda: _add(state, path))
        yield Row("watch add of 10^6 x 10 rows / summarize", added / plain, 1.3, detail=f"{added:.2f} s")
        for count in (100, EARLIER):
            _lengthened(monitor, count, rng)
            monitor.save(state)
            small = _table(rng, 2000)
            seconds = _seconds(lambda frame=small: _add(state, frame))  # type: ignore[misc]
            size = f"{state.stat().st_size / 1e6:.1f} MB"
            yield Row(f"watch add of 2,000 x 10 rows after {count:,} batches", seconds, 1.0, "s", size)


def _table(rng: np.random.Generator, count: int) -> pl.DataFrame:
    numbers = {f"x{j}": rng.normal(size=count) for j in range(8)}
    city = rng.choice(["Oslo", "Rome", "Lima"], count)
    return pl.DataFrame({**numbers, "items": rng.poisson(3, count), "city": city})


def _add(state: Path, batch: object) -> None:
    """What the command does: read the state, take in the batch, look, write the state (to another place)."""
    monitor = ts.Monitor.load(state)
    monitor.update(batch)
    monitor.save(state.with_suffix(".new"))


def _lengthened(monitor: ts.Monitor, count: int, rng: np.random.Generator) -> None:
    """The same watch after many quiet batches: features of the reference in random order, with a little noise."""
    history = monitor._history
    places = history.tested
    look = monitor.update(_table(rng, 2000))
    numbers = history.numbers[-1]
    while len(history.batches) < count:
        number = len(history.batches) + 1
        drawn = int(rng.choice(places))
        name, digest = f"batch {number}", f"{number:032x}"
        record = replace(history.batches[drawn], name=name, number=number, role="new", digest=digest)
        history.batches.append(record)
        history.rows.append(history.rows[drawn] + rng.normal(0, 1e-3, len(history.rows[drawn])))
        history.present.append(history.present[drawn])
        history.looks.append(replace(look, batch=record.name, number=number, columns=()))
        history.numbers.append(numbers)


def _seconds(action: Callable[[], object]) -> float:
    best = np.inf
    for _ in range(3):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return float(best)
