"""What runs where the rows are: a task for each part of a table, and the merging of its answers; above all, summaries.

The answer of a part depends on its rows, on its place and on the :class:`Task`, on nothing else: an engine may run it
twice, or anew after a worker was lost. All of a summary but the sample of rows comes out the same, bit for bit, however
the table is cut into parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.blas import single_threaded_blas
from ..summaries import CodedColumn, ColumnInfo, GroupSums, RowSampler, TableSummary
from ..summaries.facts import TEXTS
from ..summaries.sums import GROUPS
from .moments import GroupTally
from .summarize import BINS
from .tallies import Tallies
from .values import strings

if TYPE_CHECKING:
    import polars as pl

PART = 40
"""A row is numbered by its place in its part, and by the number of the part from this binary digit on."""

_BATCH = 1 << 17  # rows that are worked on together
_FEATURES = 1 << 20  # of the rows that are worked on together


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

    tallies = Tallies.as_points(work.columns, work.counted)
    sampler = RowSampler(work.size, [work.seed, place])
    sums = GroupTally(work.features, place) if work.features else None
    kept: list[pl.DataFrame] = []
    for batch in regrouped(batches):
        tallies.add(batch)
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
    held = None if sums is None else sums.result()
    return TableSummary("", sampler.rows, tallies.summaries(), sample, work.seed, BINS, held)


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

    texts = {info.name for info in columns if info.family in TEXTS}
    found = [
        strings(rows.get_column(name)).alias(name)
        for name, kind in rows.schema.items()
        if name in texts and kind not in (pl.String, pl.Null)
    ]
    return rows.with_columns(found) if found else rows
