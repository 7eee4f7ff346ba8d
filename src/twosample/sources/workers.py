"""Engines that run a :class:`Task` where the rows are: Dask, and Spark by ``mapInArrow``, classic or through Connect.

A small answer for each partition comes back, after some workers have merged those of the others. No RDD, accumulator
or broadcast is used, which Connect and serverless platforms do not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from math import isqrt
from typing import TYPE_CHECKING, Any, Protocol

from .partial import Task

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

_HERE = 10_000  # rows that are brought here
_FEW = 8  # answers that are merged without help
_GROUPS = 16  # workers that merge, on a Spark that may not choose
_SMALL, _BYTES = 16 << 20, {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_SHUFFLING = "Exchange", "Scan parquet", "FileScan", "BatchScan"  # steps that run, or list files, to be counted
_ADAPTIVE = "spark.sql.adaptive.enabled", "spark.sql.adaptive.coalescePartitions.enabled"
_ARROW = "spark.sql.execution.arrow."
_UNMEASURED = {_ARROW + "maxBytesPerBatch": str((1 << 31) - 1), _ARROW + "maxRecordsPerBatch": "2048"}
_TOGETHER = 1 << 17  # rows of small batches that become one frame


class Workers(Protocol):
    """Those who hold the partitions of a table."""

    def parts(self, task: Task) -> list[bytes]:
        """The answers of all partitions, some of them merged."""

    @property
    def is_small(self) -> bool:
        """Whether to ask about the table costs more than its rows, as far as that is known without asking."""


def workers_of(frame: nw.LazyFrame[Any]) -> Workers | None:
    """The workers behind a frame; None if its engine runs nothing but its own queries."""
    import narwhals as nw

    native: Any = nw.to_native(frame)
    if frame.implementation.is_dask():
        return DaskWorkers(native)
    if frame.implementation.is_spark_like() and hasattr(native, "mapInArrow"):
        return SparkWorkers(native)
    return None


@dataclass(frozen=True, eq=False)
class DaskWorkers:
    """The partitions of a Dask frame."""

    frame: Any
    is_small = False  # its tasks start in no time

    def parts(self, task: Task) -> list[bytes]:
        """A tree: as many groups as each has partitions."""
        import dask

        run, merge = dask.delayed(_pandas_part, traverse=False), dask.delayed(task.merged)
        names = [info.name for info in task.columns]
        parts = [run(part, names, task, place) for place, part in enumerate(self.frame.to_delayed())]
        if len(parts) > _FEW:
            groups = isqrt(len(parts))
            parts = [merge(parts[group::groups]) for group in range(groups)]
        return list(dask.compute(*parts))


def _pandas_part(rows: Any, names: Sequence[str], task: Task, place: int) -> bytes:
    """One partition of Dask."""
    from .frames import from_pandas

    chosen = rows if list(rows.columns) == list(names) else rows[list(names)]
    return task.part([from_pandas(chosen)], place)


@dataclass(frozen=True, eq=False)
class SparkWorkers:
    """The partitions of a Spark frame."""

    frame: Any

    def parts(self, task: Task) -> list[bytes]:
        """Two rounds, as one job: an answer of each partition, then some workers merge them.

        How many do so, Spark decides by the size of the answers, if it is allowed to (adaptive execution, the
        default). Those of a table that is small as Spark estimates it come back as they are: together they are not much
        larger than its rows. So do those of few partitions. If there are very few rows, these come here.
        """
        setting = self.frame.sparkSession.conf.get
        rows = _readable(self.frame, task)
        found = _answered_here(rows, task) if self.is_small else None
        if found is not None:
            return found
        parts = rows.mapInArrow(_spark_part(task), "part binary, place int")
        if self.is_small:
            return [bytes(row[0]) for row in parts.collect()]
        if all(setting(name, "true") == "true" for name in _ADAPTIVE):
            grouped = parts.repartition("place")
        else:
            grouped = parts.repartition(min(_GROUPS, int(setting("spark.sql.shuffle.partitions", str(_GROUPS)))))
        whole = grouped.mapInArrow(_spark_merge(task), "part binary, place int")
        with _unmeasured(self.frame.sparkSession.conf):
            return [bytes(row[0]) for row in whole.collect()]

    @cached_property
    def is_small(self) -> bool:
        """Whether Spark's own estimate of a table, which costs no job, is a few megabytes, or it has few partitions.

        How many there are is known without a job of rows that Python, or another program, gave to this very session.
        Such tables have no estimate.
        """
        said = StringIO()
        with redirect_stdout(said):
            self.frame.explain(mode="cost")
        text = said.getvalue()
        found = re.search(r"sizeInBytes=([0-9.]+)(?:E\+([0-9]+))? (B|KiB|MiB)\b", text)
        if found is not None:
            return float(f"{found[1]}e{found[2] or 0}") * _BYTES[found[3]] <= _SMALL
        given = "ExistingRDD" in text and not any(step in text for step in _SHUFFLING)
        return given and hasattr(self.frame, "rdd") and int(self.frame.rdd.getNumPartitions()) <= _FEW


@contextmanager
def _unmeasured(settings: Any) -> Iterator[None]:
    """Batches on the way to workers end after some rows, few enough for long texts, not after some bytes.

    From its version 4, Spark asks after every row how many bytes a batch has, which takes as long as everything else
    that it does with a row. What somebody has set is left alone, and where nothing may be set, nothing is.
    """
    from pyspark.errors import PySparkException

    changed = []
    try:
        if settings.isModifiable(next(iter(_UNMEASURED))) and all(settings.get(x, None) is None for x in _UNMEASURED):
            for name, value in _UNMEASURED.items():
                settings.set(name, value)
                changed.append(name)
    except PySparkException:
        pass
    try:
        yield
    finally:
        for name in changed:
            settings.unset(name)


def _answered_here(rows: Any, task: Task) -> list[bytes] | None:
    """The answer for so few rows that to start workers costs more than to bring them here; None if there are more."""
    if not hasattr(rows, "toArrow"):  # before pyspark 4
        return None
    found = rows.limit(_HERE + 1).toArrow()
    if found.num_rows > _HERE:
        return None
    part = task.part(_frames(iter(found.to_batches()), [info.name for info in task.columns]), 0)
    return [part] if part else []


def _readable(frame: Any, task: Task) -> Any:
    """The columns that are wanted, in order; what cannot be compared, and Arrow may not take, as text."""
    names = list(frame.columns)
    plain = frame.toDF(*(f"c{place}" for place in range(len(names))))  # Spark reads more into some names than is there
    columns = [(plain[f"c{names.index(info.name)}"], info.family == "other") for info in task.columns]
    return plain.select(*(column.cast("string") if odd else column for column, odd in columns))


def _spark_part(task: Task) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def of_batches(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        names, place = [info.name for info in task.columns], context.partitionId()
        return _rows_of(task.part(_frames(batches, names), place), place)

    return of_batches


def _spark_merge(task: Task) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def of_batches(batches: Iterator[Any]) -> Iterator[Any]:
        return _rows_of(task.merged(part.as_py() for batch in batches for part in batch.column(0)), 0)

    return of_batches


def _frames(batches: Iterator[Any], names: list[str]) -> Iterator[pl.DataFrame]:
    """Many batches at once: to make a frame costs a hundred microseconds."""
    import polars as pl
    import pyarrow as pa

    def frame() -> pl.DataFrame:
        found = pl.from_arrow(pa.Table.from_batches(held))
        assert isinstance(found, pl.DataFrame)
        found.columns = names
        return found

    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= _TOGETHER:
            yield frame()
            held = []
    if held:
        yield frame()


def _rows_of(part: bytes, place: int) -> Iterator[Any]:
    import pyarrow as pa

    if part:
        columns = [pa.array([part], pa.binary()), pa.array([place], pa.int32())]
        yield pa.RecordBatch.from_arrays(columns, ["part", "place"])
