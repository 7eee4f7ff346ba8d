"""Rows that come in batches, in a fixed order: one pass serves every question."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from ..errors import SourceError
from ..summaries import BinGrid, ColumnInfo, TableSummary
from ..summaries.facts import family_of
from .conditions import called, comparisons, polars_condition
from .guard import Guard
from .partial import Task
from .sampling import chosen_rows, drawn
from .summarize import RowChoice, summarized
from .survey import Plan, Scan, Survey
from .tallies import surveyed, tallied
from .values import columns_of

if TYPE_CHECKING:
    import polars as pl

Value = TypeVar("Value")
_CELLS = 1 << 20  # of a batch, about
_ROWS = 1 << 17  # of a batch, at most


class BatchRows(ABC):
    """Rows that are read from the first to the last, whoever gives them."""

    guard: Guard
    engine: str
    rows: int | None = None

    @abstractmethod
    def schema(self) -> pl.Schema:
        """Names and polars types."""

    @abstractmethod
    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """All rows of some or all columns, in the same order each time."""

    @abstractmethod
    def count(self) -> int:
        """Rows."""

    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they are stored."""
        import narwhals as nw
        import polars as pl

        schema = self.guard.run(self.schema)
        known = nw.from_native(pl.DataFrame(schema=schema)).schema
        return tuple(
            ColumnInfo(name, str(known[name]), "empty" if schema[name] == pl.Null else family_of(known[name]))
            for name in schema.names()
        )

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """One pass for profiles, bins and counts; over the columns that are needed."""
        columns = self.columns()
        names = None if profiled else [info.name for info in columns if info.name in grids or info.name in counted]
        scan = self.attempt(lambda: tallied(columns, self.batches(names), grids, counted, profiled))
        self.rows = scan.rows
        return scan

    def survey(self, size: int, seed: int, plan: Plan, every: bool = False) -> Survey:
        """A sample, profiles, bins and counts in one pass."""
        del every
        draw = size, seed

        def found(known: int | None) -> Survey:
            return self.attempt(lambda: surveyed(self.columns(), self.batches(), self.empty(), draw, plan, known))

        known = self.known()
        survey = found(known)
        if known not in (None, survey.rows):  # the file has changed meanwhile
            survey = found(None)
        self.rows = survey.rows
        return survey

    def known(self) -> int | None:
        """Rows, if that is known without reading them all."""
        return None

    def summary(self, choice: RowChoice, like: TableSummary | None) -> TableSummary:
        """All rows in one pass."""
        return self.attempt(lambda: summarized(self.columns(), iter(self.batches()), self.empty(), choice, like))

    def gathered(self, task: Task) -> list[bytes]:
        """The answer of all rows, in one pass over the columns that it looks at."""
        names = [info.name for info in task.columns]
        return [self.attempt(lambda: task.part(self.batches(names), 0))]

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """A uniform random sample in the order of the rows; all rows if there are no more."""
        found, self.rows = self.attempt(lambda: drawn(self.batches(), self.empty(), size, seed))
        return found.frame

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        """All rows of some columns."""
        import polars as pl

        names = list(columns)
        return self.attempt(lambda: pl.concat([columns_of(self.empty(), names), *self.batches(names)]))

    def empty(self) -> pl.DataFrame:
        """No rows, in the types that rows come in."""
        import polars as pl

        return pl.DataFrame(schema=self.schema())

    def attempt(self, action: Callable[[], Value]) -> Value:
        """The value of an action that reads rows."""
        return self.guard.run(action)


@dataclass(eq=False)
class LocalRows(BatchRows):
    """Rows behind a polars frame: files, and frames in memory."""

    frame: pl.LazyFrame | pl.DataFrame  # the rows, lazy or in memory
    guard: Guard  # names the source in errors
    counted: bool = True  # whether the number of rows is known without reading them all (Parquet, Arrow, memory)
    patient: Callable[[], pl.LazyFrame] | None = None
    """For text files: the same rows with types inferred from all of them, for when a value far down does not fit."""
    unread: Mapping[str, str] = field(default_factory=dict)
    """Columns that cannot be read and stand empty, with the types that they are stored in."""
    held: object = None  # temporary files that are read, to be kept as long as the rows
    verify: Callable[[], None] | None = None
    """Called before rows are read for the first time: refuses a file that is damaged."""
    numbers: Callable[[], pl.Series] | None = None
    """Gives the numbers of the rows in the source, from 0; None if they are all there, in its order."""
    notes: tuple[str, ...] = ()  # what the user should know about how they were found
    rows: int | None = field(default=None, init=False)
    _columns: tuple[ColumnInfo, ...] | None = field(default=None, init=False)

    engine = "polars"

    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they are stored."""
        if self._columns is None:
            unread = self.unread
            self._columns = tuple(
                ColumnInfo(i.name, unread[i.name], "other") if i.name in unread else i for i in super().columns()
            )
        return self._columns

    def schema(self) -> pl.Schema:
        return self.frame.lazy().collect_schema()

    def batches(self, names: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        import polars as pl
        import polars.selectors as cs

        self._verified()
        frame = self.frame if names is None else self.frame.select(cs.by_name(list(names)))
        columns = len(self.schema() if names is None else names)
        size = max(1024, min(_ROWS, _CELLS // max(columns, 1)))
        if isinstance(frame, pl.DataFrame):
            return (frame[at : at + size] for at in range(0, len(frame), size))
        if self.counted:
            return _regrouped(frame.collect_batches(maintain_order=True, engine="streaming"), size)
        return iter(frame.collect_batches(chunk_size=size, maintain_order=True, engine="streaming"))

    def known(self) -> int | None:
        return self.count() if self.counted else None

    def count(self) -> int:
        import polars as pl

        if self.rows is None:
            if not self.counted:
                self.guard.run(self._verified)
            query = self.frame.lazy().select(pl.len())
            self.rows = int(self.guard.run(lambda: query.collect(engine="streaming")).item())
        return self.rows

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        import polars.selectors as cs

        self.guard.run(self._verified)
        return self.attempt(lambda: self.frame.lazy().select(cs.by_name(list(columns))).collect(engine="streaming"))

    def survey(self, size: int, seed: int, plan: Plan, every: bool = False) -> Survey:
        import polars as pl

        if isinstance(self.frame, pl.DataFrame) and len(self.frame) <= size:
            return Survey.of(self.scan({}, {}, True), self.frame, self.frame)
        return super().survey(size, seed, plan, every)

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        import polars as pl

        if isinstance(self.frame, pl.DataFrame):
            if len(self.frame) <= size:
                return self.frame
            return self.frame[chosen_rows(len(self.frame), size, seed)]
        if self.counted:
            return self.guard.run(lambda: self._picked(size, seed))
        return super().sample(size, seed)

    def filtered(self, where: str) -> LocalRows:
        """The rows for which a condition in SQL holds."""
        import polars as pl

        guard = Guard(f"{called(where)} on {self.guard.name}", self.guard.secrets)

        def kept(frame: pl.LazyFrame | pl.DataFrame) -> pl.LazyFrame:
            condition, names = polars_condition(where), frame.lazy().collect_schema()
            _check_names(where, names)
            pl.DataFrame(schema=names).filter(condition)  # types that do not fit: said now, and about the condition
            return _filtered(frame.lazy(), where)

        def numbered() -> pl.Series:
            lazy = self.frame.lazy()
            mark = new_name(lazy.collect_schema().names())
            found = _filtered(lazy.with_row_index(mark), where).select(mark)
            return found.collect(engine="streaming").to_series()

        def numbers() -> pl.Series:
            return self.attempt(numbered)

        if isinstance(self.frame, pl.DataFrame):
            return replace(self, frame=guard.run(lambda: kept(self.frame).collect()), numbers=numbers)
        patient = self.patient
        again = None if patient is None else (lambda: kept(patient()))
        found = guard.run(lambda: kept(self.frame))
        return replace(self, frame=found, counted=False, patient=again, numbers=numbers)

    def _picked(self, size: int, seed: int) -> pl.DataFrame:
        """The sample when the number of rows is known: only its rows are decoded as far as the format allows."""
        import polars as pl

        self._verified()
        lazy = self.frame.lazy()
        if self.count() <= size:
            return lazy.collect(engine="streaming")
        mark = new_name(lazy.collect_schema().names())
        rows = pl.Series(chosen_rows(self.count(), size, seed)).cast(pl.UInt32 if self.count() < 1 << 32 else pl.UInt64)
        index = pl.col(mark).cast(rows.dtype)
        found = lazy.with_row_index(mark).filter(index.is_in(rows.implode())).collect(engine="streaming")
        return found.sort(mark).drop(mark)

    def _verified(self) -> None:
        """Look once whether the files are as they were written."""
        if self.verify is not None:
            self.verify()
            self.verify = None

    def attempt(self, action: Callable[[], Value]) -> Value:
        """The value of an action; if a text file fails, once more with types inferred from all of it."""
        try:
            return self.guard.run(action)
        except SourceError:
            if self.patient is None:
                raise
        self.frame, self.patient, self._columns = self.guard.run(self.patient), None, None
        return self.guard.run(action)


def _regrouped(parts: Iterable[pl.DataFrame], size: int) -> Iterator[pl.DataFrame]:
    """Batches of about so many rows, the first of just so many: it says what is made of all others.

    Rows that a file has together stay together where they can, since columns in two pieces would have to be copied.
    """
    import polars as pl

    waiting: list[pl.DataFrame] = []
    rows, first = 0, True
    for part in parts:
        waiting.append(part)
        rows += len(part)
        if first and rows >= size:
            together = pl.concat(waiting, rechunk=False)
            yield together[:size]
            waiting, rows, first = [together[size:]], rows - size, False
        if not first and rows > 0.75 * size:
            together = pl.concat(waiting, rechunk=False)
            step = -(-rows // max(round(rows / size), 1))
            yield from (together[at : at + step] for at in range(0, rows, step))
            waiting, rows = [], 0
    if rows:
        yield pl.concat(waiting, rechunk=False)


def new_name(taken: Sequence[str]) -> str:
    """A name for the numbers of rows that no column has."""
    mark = "row"
    while mark in taken:
        mark += "_"
    return mark


def _filtered(lazy: pl.LazyFrame, where: str) -> pl.LazyFrame:
    """The rows for which a condition holds; NaN, which polars has above every number, is missing.

    Columns are changed for that, and polars would read all rows first. So what every row must meet comes before: with
    NaN as it is, comparisons with numbers keep as many rows or more.
    """
    import polars as pl

    schema, condition = lazy.collect_schema(), polars_condition(where)
    floats = [name for name in condition.meta.root_names() if name in schema and schema[name].is_float()]
    if not floats:
        return lazy.filter(condition)
    for part in comparisons(where):
        lazy = lazy.filter(polars_condition(part))
    return lazy.with_columns(pl.col(floats).fill_nan(None)).filter(condition)


def _check_names(where: str, names: Iterable[str]) -> None:
    """Refuse columns that polars would take for patterns in a condition: it would look at other columns, or at all."""
    for name in names:
        pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
        if pattern and any(f"{quote}{name}{quote}" in where for quote in '"`'):
            raise SourceError(f"{called(where)}: polars takes the name {name!r} for a pattern. Rename it first.")
