"""From sources to batches: which rows belong together, what a batch is called, when it was, and its stratum."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import at_home
from ..errors import InputError, OptionError
from ..sources import Table, open_table
from ..sources.values import column_of, numbers
from ..summaries import TableSummary

if TYPE_CHECKING:
    import polars as pl

FILE = "file"
PERIODS = ("hour", "day", "week", "month")  # periods that a table is split into

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PARTS: dict[str, Callable[[datetime], str]] = {
    "weekday": lambda time: _WEEKDAYS[time.weekday()],
    "weekend": lambda time: "weekend" if time.weekday() >= 5 else "working day",
    "hour": lambda time: f"{time.hour:02d} h",
    "month": lambda time: f"month {time.month:02d}",
    "quarter": lambda time: f"quarter {(time.month + 2) // 3}",
}
_DATE = re.compile(r"(?<!\d)(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})(?:[T _-]?(\d{2})[:_-]?(\d{2}))?(?!\d)")
_FIRST_DAY = datetime(1970, 1, 1)
_SHAPES = {"hour": "%Y-%m-%d %H:00", "day": "%Y-%m-%d", "week": "%Y-%m-%d", "month": "%Y-%m"}

StrataRule = str | Callable[[datetime], object] | None


@dataclass(frozen=True)
class Part:
    """A batch before it is read."""

    name: str  # what it is called
    source: object  # its rows
    time: datetime | None  # when it was, or began; None if nothing says


@dataclass(frozen=True)
class BatchRule:
    """How sources become batches, and batches strata."""

    by: str = FILE
    """'file': every source is a batch. A period, or the name of a column: rows with the same value are one. What is
    both is a period if `time` is given, and else the column."""
    time: str | None = None  # the column of times; None: the only one there is, or the name of a batch tells
    strata: StrataRule = None
    """A column that has one value in each batch, a part of the time, a function of it, or None."""
    where: str | None = None  # a condition in SQL for the rows to be read

    def parts(self, sources: object) -> Iterator[Part]:
        """The batches of a source or of a list of sources, in the order of time where sources are split."""
        if not isinstance(self.by, str):
            raise OptionError(
                f"batches must say how one table is split: {FILE!r}, a period ({', '.join(PERIODS)}) or a column; "
                f"got {type(self.by).__name__}. Tables that are batches already are the reference: "
                "ts.Monitor([a, b, ...])."
            )
        for name, source in _named(sources, self.by == FILE):
            if self.by == FILE or isinstance(source, TableSummary):
                yield Part(name, source, time_in(name))
            else:
                table = open_table(source, where=self.where)
                yield from _split(table, self.by, self.time)

    def stratum(self, batch: TableSummary, time: datetime | None) -> str:
        """What a batch is exchanged with: those of the same stratum."""
        if self.strata is None:
            return ""
        column = None
        if isinstance(self.strata, str):
            column = next((part for part in batch.columns if part.info.name == self.strata), None)
        if column is not None:
            if column.missing or column.low is None or column.low != column.high:
                raise InputError(f"strata={self.strata!r}: batch {batch.name} has several values of that column.")
            return str(column.low)
        if time is None:
            raise InputError(
                f"strata={self.strata!r} needs the time of batch {batch.name}: call batches by their dates "
                "(2026-11-17.parquet), or name a column of times."
            )
        if callable(self.strata):
            return str(self.strata(time))
        if self.strata not in _PARTS:
            raise OptionError(f"strata={self.strata!r} is no column, and no part of the time ({', '.join(_PARTS)}).")
        return _PARTS[self.strata](time)

    def moment(self, batch: TableSummary, part: Part) -> datetime | None:
        """When a batch was: by its period, its column of times, or its name."""
        column = next((c for c in batch.columns if c.info.name == self.time), None)
        if part.time is None and column is not None and isinstance(column.low, float):
            return _FIRST_DAY + timedelta(seconds=column.low)
        return part.time

    def own_columns(self) -> set[str]:
        """Columns that say which batch a row belongs to, and are not watched themselves."""
        return {name for name in (self.by, self.time, self.strata) if isinstance(name, str)}


def _named(sources: object, expand: bool) -> list[tuple[str, object]]:
    """Sources with their names: files as they are called, others by their place."""
    if isinstance(sources, list | tuple):
        found = [pair for source in sources for pair in _named(source, expand)]
    elif isinstance(sources, str | os.PathLike):
        found = [(path, path) for path in matching(os.fspath(sources), expand)]
    else:
        named = isinstance(sources, TableSummary) or (isinstance(sources, Table) and bool(sources.files))
        found = [(str(getattr(sources, "name", "")) if named else "", sources)]
    names = [_short(name) for name, _ in found]
    unique = len(set(names)) == len(names)
    return [(short if unique else name, source) for short, (name, source) in zip(names, found, strict=True)]


def matching(path: str, expand: bool) -> list[str]:
    """The files of a pattern, in the order of their names; whatever it is if it is none."""
    if not expand or "://" in path or not glob.has_magic(path) or Path(path).exists():
        return [path]
    return sorted(glob.glob(str(at_home(path)))) or [path]  # noqa: PTH207 - patterns as the shell has them


def _short(name: str) -> str:
    """A file without its folder and its endings.

    >>> _short("data/2026-11-17.csv.gz"), _short("sqlite:///a.db::t")
    ('2026-11-17', 'sqlite:///a.db::t')
    """
    if "://" in name:
        return name
    short = Path(name).name
    for _ in range(2):
        ending = Path(short).suffix
        short = short[: -len(ending)] if ending and not ending[1:].isdigit() else short
    return short or name


def time_in(name: str) -> datetime | None:
    """The date in a name, with hours and minutes if it has them.

    >>> time_in("sales-2026-11-17"), time_in("part 20261117T0930"), time_in("batch 12")
    (datetime.datetime(2026, 11, 17, 0, 0), datetime.datetime(2026, 11, 17, 9, 30), None)
    """
    for found in _DATE.finditer(name):
        try:
            return datetime(*(int(part) for part in found.groups() if part is not None))  # type: ignore[arg-type]
        except ValueError:
            continue
    return None


def _split(table: Table, by: str, time: str | None) -> Iterator[Part]:
    """The rows of a table by the value of a column, or by the period of their time."""
    frame = table.collect()
    period = by in PERIODS and (time is not None or by not in frame.columns)  # a table may have a column called day
    if period:
        key = _periods(column_of(frame, _time_column(frame, table.name, time)), by)
    elif by in frame.columns:
        key = column_of(frame, by)
    else:
        raise OptionError(f"batches={by!r}: {table.name} has no such column, and periods are {', '.join(PERIODS)}.")
    if key.null_count():
        raise InputError(f"{table.name}: {key.null_count()} rows have no {by}. Leave them out with where=.")
    order = key.arg_sort()
    codes = key.gather(order).rle_id().to_numpy()
    edges = np.flatnonzero(np.diff(codes, prepend=-1, append=len(codes) + 1))
    picks = order.to_numpy()
    for start, stop in pairwise(edges):
        value = key[int(picks[start])]
        moment = value if isinstance(value, datetime) else time_in(str(value))
        name = moment.strftime(_SHAPES[by]) if period and moment else str(value)
        yield Part(name, frame[np.sort(picks[start:stop])], moment and moment.replace(tzinfo=None))


def _time_column(frame: pl.DataFrame, name: str, given: str | None) -> str:
    import polars as pl

    if given is not None:
        if given not in frame.columns:
            raise InputError(f"time={given!r}: {name} has no such column.")
        return given
    times = [column for column, kind in frame.schema.items() if kind in (pl.Date, pl.Datetime)]
    if len(times) != 1:
        said = "no column of times" if not times else f"several columns of times ({', '.join(map(repr, times[:5]))})"
        raise InputError(f"{name} has {said}: name the one that says when a row was, time='...'.")
    return times[0]


def _periods(series: pl.Series, period: str) -> pl.Series:
    """The beginning of the period of each time; text is read as ISO dates."""
    import polars as pl

    seconds = numbers(series, dates=True).fill_nan(None)
    times = (seconds * 1e6).cast(pl.Int64, strict=False).cast(pl.Datetime("us"))
    return times.dt.truncate({"hour": "1h", "day": "1d", "week": "1w", "month": "1mo"}[period])


def from_text(text: str | None) -> datetime | None:
    """A time as the state holds it."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)


def to_text(time: datetime | None) -> str | None:
    """A time as text, the same on every machine."""
    return None if time is None else time.replace(tzinfo=UTC).isoformat()


def rule_record(rule: BatchRule) -> dict[str, Any]:
    """The rule as plain values; a function of the time cannot be saved, and has to be given again."""
    strata = "(function)" if callable(rule.strata) else rule.strata
    return {"by": rule.by, "time": rule.time, "strata": strata, "where": rule.where}
