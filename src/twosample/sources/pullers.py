"""Ways to get rows out of an engine without collecting all of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import SourceError

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

MOST_ROWS = 5_000_000  # rows of Spark that are collected at once, at most


class Puller(Protocol):
    """Gets rows and answers out."""

    @property
    def fast(self) -> bool:
        """Whether reading all rows is faster than a GROUP BY for each column, and can be done beside other queries."""

    @property
    def streams(self) -> bool:
        """Whether all rows can be read through without holding them all."""

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """All rows of some or all columns in a fixed order."""

    def sample(self, share: float, seed: int) -> pl.DataFrame | None:
        """Each row with a certain probability, the same ones for the same seed; None if the engine cannot."""

    def estimate(self) -> int | None:
        """About how many rows there are, if that is known without counting."""

    def empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""

    def answer(self, question: nw.LazyFrame[Any]) -> pl.DataFrame:
        """The few rows of an aggregation."""


@dataclass(frozen=True, eq=False)
class FramePuller:
    """Rows of a frame of Ibis, Dask or Spark: streamed, by partitions, or thinned out by the engine."""

    frame: nw.LazyFrame[Any]

    @property
    def fast(self) -> bool:
        """Engines may be far away."""
        return False

    @property
    def streams(self) -> bool:
        """Spark has no order to give rows in but all at once."""
        return not self.frame.implementation.is_spark_like()

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Ibis streams, Dask gives one partition after another; of Spark, all rows if they are few."""
        import narwhals as nw
        import polars as pl

        wanted = self.frame if names is None else self.frame.select(*names)
        native: Any = nw.to_native(wanted)
        if self.frame.implementation.is_ibis():
            for batch in _calmly(native.to_pyarrow_batches):
                part = pl.from_arrow(batch)
                assert isinstance(part, pl.DataFrame)
                if len(part):
                    yield _in_utc(part)
        elif self.frame.implementation.is_dask():
            for place in range(native.npartitions):
                yield _collected(nw.from_native(native.get_partition(place)))
        else:
            found = _collected(wanted.head(MOST_ROWS + 1))
            if len(found) > MOST_ROWS:
                raise SourceError(
                    f"The frame of Spark has more than {MOST_ROWS:,} rows, which are not collected at once: give a "
                    "sample of it, or install twosample where its workers run: then compare and summarize look at "
                    "all rows there."
                )
            yield found

    def sample(self, share: float, seed: int) -> pl.DataFrame | None:
        """Dask and Spark thin out row by row; what Ibis makes of a seed depends on threads, hence not."""
        import narwhals as nw

        native: Any = nw.to_native(self.frame)
        if self.frame.implementation.is_dask():
            return _collected(nw.from_native(native.sample(frac=share, random_state=seed)))
        if self.frame.implementation.is_spark_like():
            return _collected(nw.from_native(native.sample(False, share, seed)))
        return None

    def estimate(self) -> int | None:
        """Not known."""
        return None

    def empty(self) -> pl.DataFrame:
        """The first no rows."""
        found = _collected(self.frame.head(0))
        return _in_utc(found) if self.frame.implementation.is_ibis() else found

    def answer(self, question: nw.LazyFrame[Any]) -> pl.DataFrame:
        """As the engine collects it."""
        return _collected(question)


def _calmly(start: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """One after another, without the warnings about how Ibis calls DuckDB and pandas."""
    steps, end = None, object()
    while True:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            steps = iter(start()) if steps is None else steps
            step = next(steps, end)
        if step is end:
            return
        yield step


def _in_utc(rows: pl.DataFrame) -> pl.DataFrame:
    """Times with a zone in UTC: the engine behind Ibis gives batches, tables and no rows in different zones."""
    import polars as pl
    import polars.selectors as cs

    zoned = [name for name, kind in rows.schema.items() if isinstance(kind, pl.Datetime) and kind.time_zone]
    return rows.with_columns(cs.by_name(zoned).dt.convert_time_zone("UTC")) if zoned else rows


def _collected(frame: nw.LazyFrame[Any]) -> pl.DataFrame:
    import polars as pl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = frame.collect(backend="polars").to_native()
    assert isinstance(found, pl.DataFrame)
    return found
