"""Streams for the measurements of `ts.Monitor`: real days and weeks in random order, and simulated ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import twosample as ts
from twosample.monitor.features import FeaturePlan, plan_features, spanning
from twosample.monitor.history import BatchRecord, History, Settings
from twosample.monitor.results import Look

DRIFT = Path(__file__).resolve().parents[2] / "shared" / "data" / "drift"
CHANGE = 363
"""The first day of elec2 whose Victorian columns vary: row 17,424 of 48 a day."""


@dataclass(frozen=True)
class Stream:
    """Batches with a plan from others: features, rows with a value, strata, the rows for monitors of rows, and bins."""

    name: str
    plan: FeaturePlan
    features: np.ndarray
    present: np.ndarray
    strata: np.ndarray
    frames: list[pl.DataFrame]
    like: ts.TableSummary

    def shuffled(self, rng: np.random.Generator, count: int | None = None) -> Stream:
        """The same batches in random order within strata: exchangeable by construction."""
        order = np.arange(len(self.features))
        for stratum in np.unique(self.strata):
            members = np.flatnonzero(self.strata == stratum)
            order[members] = rng.permutation(members)
        return self.take(order[:count])

    def take(self, order: np.ndarray) -> Stream:
        """Some batches."""
        frames = [self.frames[i] for i in order] if self.frames else []
        chosen = self.features[order], self.present[order], self.strata[order]
        return Stream(self.name, self.plan, *chosen, frames, self.like)


def stream_of(name: str, frames: list[pl.DataFrame], every: int = 10, strata: np.ndarray | None = None) -> Stream:
    """Summaries of frames; every tenth chooses the features and is left out."""
    chosen = set(range(5, len(frames), every))
    like = spanning([ts.summarize(frames[i]) for i in sorted(chosen)])
    summaries = [ts.summarize(frame, like=like) for frame in frames]
    plan = plan_features([summaries[i] for i in sorted(chosen)])
    rest = [i for i in range(len(frames)) if i not in chosen]
    labels = np.zeros(len(frames), dtype=np.intp) if strata is None else strata
    return Stream(
        name,
        plan,
        np.array([plan.features(summaries[i]) for i in rest]),
        np.array([plan.present(summaries[i]) for i in rest]),
        labels[rest],
        [frames[i] for i in rest],
        like,
    )


def looks(stream: Stream, reference: int, *, level: float = 1e-3, margin: float = 0.0, seed: int = 0) -> Iterator[Look]:
    """The looks of a monitor at the batches after the reference; summaries are not made again."""
    history = History(stream.plan, Settings(level, margin, seed))
    for t, (row, present, stratum) in enumerate(zip(stream.features, stream.present, stream.strata, strict=True)):
        role = "reference" if t < reference else "new"
        record = BatchRecord(f"{t}", None, f"{stratum}", "", 1, role, t + 1)
        history.batches.append(record)
        history.rows.append(row)
        history.present.append(present)
        if t >= reference:
            yield history.look(record, (), ())


def elec2() -> list[pl.DataFrame]:
    """Days of 48 half hours, the columns that are no clock."""
    table = pl.read_parquet(DRIFT / "elec2.parquet").drop("timestamp", "repeated_day")
    return [part.drop("day_index") for part in table.partition_by("day_index", maintain_order=True)]


def flights(period: str) -> list[pl.DataFrame]:
    """Departures from New York by day or by week."""
    table = pl.read_parquet(DRIFT / "nycflights13_flights.parquet").sort("time_hour")
    step = {"day": "1d", "week": "1w"}[period]
    table = table.with_columns(pl.col("time_hour").dt.truncate(step).alias("period"))
    return [part.drop("time_hour", "period") for part in table.partition_by("period", maintain_order=True)]


def simulated(rng: np.random.Generator, batches: int, *, vary: float | np.ndarray = 0.15, rows: int = 200,
              columns: int = 10, memory: float = 0.0, weekdays: bool = False) -> list[pl.DataFrame]:  # fmt: skip
    """Ten normal columns; batches vary by `vary` deviations, rows may follow each other, weekdays may differ."""
    centre = rng.normal(size=(batches, 1, columns)) * vary
    if weekdays:
        centre += rng.normal(size=(7, columns))[np.arange(batches) % 7][:, None]
    noise = rng.normal(size=(batches, rows, columns))
    for t in range(1, rows if memory else 0):
        noise[:, t] = memory * noise[:, t - 1] + np.sqrt(1 - memory**2) * noise[:, t]
    return [pl.DataFrame(values, schema=[f"x{j}" for j in range(columns)]) for values in centre + noise]
