"""What runs where the rows are: a task for each part of a table, and the merging of its answers; above all, summaries.

The answer of a part depends on its rows, on its place and on the :class:`Task`, on nothing else: an engine may run it
twice, or anew after a worker was lost. All of a summary but the sample of rows comes out the same, bit for bit, however
the table is cut into parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.threads import single_threaded_blas
from ..summaries import (
    CodedColumn,
    ColumnInfo,
    ColumnSummary,
    Counts,
    GroupSums,
    PointTally,
    RowSampler,
    SingleTally,
    TableSummary,
)  # fmt: skip
from ..summaries.counts import MOST_CATEGORIES
from ..summaries.points import MOST
from ..summaries.sums import GROUPS
from .distinct import DistinctTally, hash_method
from .moments import GroupTally
from .profiling import DATES, NUMERIC
from .values import column_of, counted, plain, present, spelled, strings

if TYPE_CHECKING:
    import polars as pl

PART = 40
"""A row is numbered by its place in its part, and by the number of the part from this binary digit on."""

_BATCH = 1 << 17  # rows that are worked on together
_MERGED = 100_000  # counts in memory, some of the same values, from which on they are merged
_TEXT = 200
_FEATURES = 1 << 20  # of the rows that are worked on together
_ALL_POINTS, _LEAST_POINTS = 1 << 22, 1 << 12  # weighted points of all columns together, about, and of one at least


class Task(Protocol):
    """What every part of a table is asked: an answer that depends on its rows and place alone, and can be merged."""

    @property
    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns to read."""

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """The answer of a part, by its number; no bytes if it has nothing to say."""

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The answer of several parts, in whatever order they come."""


@dataclass(frozen=True)
class Work:
    """A summary of every part of a table."""

    columns: tuple[ColumnInfo, ...]
    size: int  # rows to keep as a sample, and the seed
    seed: int
    counted: tuple[str, ...] = ()  # columns of other types than text whose values are to be counted, too
    features: tuple[CodedColumn, ...] = ()  # to be added up over groups of rows

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """The summary of one part of a table, as bytes; none if it has no rows."""
        found = part_of(batches, self, place)
        return encoded(found) if found.rows else b""

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The summary of all parts; no bytes if none has rows."""
        found = united(parts)
        return b"" if found is None else encoded(found)


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """The task: sums of features over random groups of rows."""

    columns: tuple[ColumnInfo, ...]  # the columns to read
    features: tuple[CodedColumn, ...]  # their features

    @classmethod
    def of(cls, columns: Sequence[ColumnInfo], features: tuple[CodedColumn, ...]) -> GroupMoments:
        """Of a table with these columns."""
        names = {column.name for column in features}
        return cls(tuple(info for info in columns if info.name in names), features)

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """``(groups, moments)`` of the rows of one part, as bytes."""
        tally = GroupTally(self.features, place)
        with single_threaded_blas():
            for batch in regrouped(batches, max(1 << 14, _FEATURES // tally.width)):
                tally.add(batch)
        return tally.result().moments.astype("<i8").tobytes() if tally.rows else b""

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The sums of several parts."""
        found = [self.read(part) for part in parts if part]
        return sum(found[1:], found[0]).astype("<i8").tobytes() if found else b""

    def read(self, part: bytes) -> NDArray[np.int64]:
        """The sums of one part."""
        return np.frombuffer(part, "<i8").astype(np.int64).reshape(GROUPS, -1)

    def sums(self, parts: Iterable[bytes]) -> GroupSums:
        """Of all parts, of which some have rows."""
        return GroupSums(self.features, self.read(self.merged(parts)))


def part_of(batches: Iterable[pl.DataFrame], work: Work, place: int = 0) -> TableSummary:
    """The summary of one part, not yet as bytes."""
    import polars as pl

    most = min(MOST, max(_LEAST_POINTS, _ALL_POINTS // max(len(work.columns), 1)))
    tallies = [_tally(info, info.name in work.counted, most) for info in work.columns]
    sampler = RowSampler(work.size, [work.seed, place])
    sums = GroupTally(work.features, place) if work.features else None
    kept: list[pl.DataFrame] = []
    for batch in regrouped(batches):
        for tally in tallies:
            tally.add(column_of(batch, tally.info.name))
        if sums is not None:
            sums.add(batch)
        chosen = sampler.offer(len(batch))
        if not kept and sampler.crowded():
            chosen = chosen[sampler.keep()]
        kept.append(_portable(batch[chosen], work.columns))
        if sampler.crowded():
            kept = [pl.concat(kept, how="vertical_relaxed")[sampler.keep()]]
    rows = pl.concat(kept, how="vertical_relaxed") if kept else pl.DataFrame()
    sample = sampler.sample(rows[sampler.keep()])
    sample = replace(sample, numbers=sample.numbers + (place << PART))
    columns, held = tuple(tally.result() for tally in tallies), None if sums is None else sums.result()
    return TableSummary("", sampler.rows, columns, sample, work.seed, 1 << 15, held)


def united(parts: Iterable[bytes]) -> TableSummary | None:
    """The summary of all parts, not yet as bytes; None if none has rows."""
    whole: TableSummary | None = None
    for part in parts:
        if part:
            summary = TableSummary.from_bytes(part)
            whole = summary if whole is None else whole.merge(summary)
    return whole


def encoded(summary: TableSummary) -> bytes:
    """A summary for the way between two workers: not pressed hard."""
    from ..summaries.files import encode

    return encode(summary, passing=True)


def regrouped(batches: Iterable[pl.DataFrame], size: int = _BATCH) -> Iterator[pl.DataFrame]:
    """The same rows in batches of a good size: every one costs some hundred microseconds for each column."""
    import polars as pl

    held: list[pl.DataFrame] = []
    for batch in batches:
        held.append(batch)
        if sum(map(len, held)) >= size:
            yield from _pieces(pl.concat(held, how="vertical_relaxed") if len(held) > 1 else batch, 4 * size)
            held = []
    if held:
        yield from _pieces(pl.concat(held, how="vertical_relaxed"), 4 * size)


def _pieces(rows: pl.DataFrame, size: int) -> Iterator[pl.DataFrame]:
    return (rows[at : at + size] for at in range(0, max(len(rows), 1), size))


def _portable(rows: pl.DataFrame, columns: Sequence[ColumnInfo]) -> pl.DataFrame:
    """Rows in types that those of other parts have too: categories and whatever else is text there as text."""
    import polars as pl

    texts = {info.name for info in columns if info.family in ("text", "category")}
    found = [
        strings(rows.get_column(name)).alias(name)
        for name, kind in rows.schema.items()
        if name in texts and kind not in (pl.String, pl.Null)
    ]
    return rows.with_columns(found) if found else rows


@dataclass(eq=False)
class _Tally:
    """What is known of one column of a part: of types that are not compared, the missing values alone."""

    info: ColumnInfo
    rows: int = 0
    missing: int = 0
    low: float | str | None = None
    high: float | str | None = None
    distinct: DistinctTally = field(default_factory=DistinctTally)
    method: str = ""

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        self.rows += len(series)
        self.missing += series.null_count()

    def _widen(self, low: float | str, high: float | str) -> None:
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def _tell_apart(self, series: pl.Series) -> None:
        if len(series):
            self.method = self.method or hash_method(series)
            self.distinct.add(series)

    def result(self) -> ColumnSummary:
        """What can be merged with that of other parts."""
        distinct = self.distinct.result(self.method)
        return ColumnSummary(self.info, self.missing, 0, self.low, self.high, distinct)


@dataclass(eq=False, kw_only=True)
class _Numbers(_Tally):
    """Numbers, and dates and times in seconds."""

    points: PointTally
    singles: SingleTally
    infinite: int = 0
    counts: _ValueCounts | None = None

    def add(self, series: pl.Series) -> None:
        values = present(series)
        self.rows += len(series)
        self.missing += len(series) - len(values)
        if not len(values):
            return
        finite = values
        low, high = float(values.min()), float(values.max())
        if np.isinf(low) or np.isinf(high):
            finite = values[np.isfinite(values)]
            self.infinite += len(values) - len(finite)
        if len(finite):
            self._widen(float(finite.min()), float(finite.max()))
        self.points.add(values)
        self.singles.add(values)
        series = series.drop_nulls() if series.null_count() else series
        if series.dtype.is_float() and len(values) < len(series):
            series = series.drop_nans()
        self._tell_apart(series)
        if self.counts is not None:
            self.counts.add(series)

    def result(self) -> ColumnSummary:
        counts = None if self.counts is None else self.counts.result()
        points, singles = self.points.result(), self.singles.result()
        return replace(super().result(), infinite=self.infinite, points=points, counts=counts, singles=singles)


@dataclass(eq=False, kw_only=True)
class _Texts(_Tally):
    """Text and categories: how often each value occurs, and the numbers and dates that they spell."""

    found: PointTally
    dates: PointTally

    def __post_init__(self) -> None:
        self.counts = _ValueCounts()
        self.singles = SingleTally(), SingleTally(dates=True)

    def add(self, series: pl.Series) -> None:
        super().add(series)
        self._take_in(self.counts.add(series.drop_nulls()))

    def _take_in(self, texts: Iterable[tuple[pl.Series, NDArray[np.int64] | None]]) -> None:
        """All rows of some text or, with their numbers of rows, each value once."""
        for text, rows in texts:
            if len(text):
                self._widen(str(text.min())[:_TEXT], str(text.max())[:_TEXT])
                self._tell_apart(text)
            for tally, single, numbers in zip((self.found, self.dates), self.singles, spelled(text), strict=True):
                known = numbers.is_not_null()
                values, counts = plain(numbers), None if rows is None else rows[known.to_numpy()]
                tally.add(values, counts)
                single.add(values, counts)

    def result(self) -> ColumnSummary:
        self._take_in(self.counts.rest())
        singles, date_singles = (tally.result() for tally in self.singles)
        return replace(
            super().result(),
            counts=self.counts.result(),
            points=self.found.result(),
            date_points=self.dates.result(),
            singles=singles,
            date_singles=date_singles,
        )


class _ValueCounts:
    """Rows of each value, as long as there are no more than 10,000."""

    def __init__(self) -> None:
        self._parts: list[pl.DataFrame] = []
        self._many = False

    def add(self, series: pl.Series) -> list[tuple[pl.Series, NDArray[np.int64] | None]]:
        """Take in values; gives none of them as long as they are counted, and then all as text."""
        if self._many:
            return [(strings(series), None)]
        self._parts.append(counted(series))
        if sum(map(len, self._parts)) <= _MERGED:
            return []
        self._merge()
        return self.rest() if self._many else []

    def rest(self) -> list[tuple[pl.Series, NDArray[np.int64] | None]]:
        """What :meth:`add` has not given: each value once, and its rows."""
        self._merge()
        known = self._parts[:]
        if self._many:
            self._parts = []
        return [(part["v"], part["n"].to_numpy()) for part in known]

    def _merge(self) -> None:
        import polars as pl

        if self._parts:
            self._parts = [pl.concat(self._parts).group_by("v").agg(pl.col("n").sum())]
            self._many = len(self._parts[0]) > MOST_CATEGORIES

    def result(self) -> Counts:
        """The rows of every value, or that there are too many."""
        self._merge()
        return Counts(None if self._many else {str(v): int(n) for part in self._parts for v, n in part.iter_rows()})


def _tally(info: ColumnInfo, counted: bool, most: int) -> _Tally:
    if info.family in NUMERIC:
        singles = SingleTally(info.family in DATES)
        return _Numbers(info, points=PointTally(most), singles=singles, counts=_ValueCounts() if counted else None)
    if info.family in ("text", "category"):
        return _Texts(info, found=PointTally(most), dates=PointTally(most))
    return _Tally(info)
