"""The door: whatever came becomes a Table that answers questions without loading its rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from .._files import at_home
from .._forks import check_threads
from ..errors import InputError, OptionError, SourceError, options_by_name, whole_number
from ..summaries import SUFFIX, BinGrid, BinnedColumn, ColumnInfo, ColumnProfile, TableSummary
from .encodings import checked_encoding

if TYPE_CHECKING:
    import polars as pl

    from .partial import Task
    from .summarize import RowChoice
    from .survey import CategoryCounts, Plan, Scan, Survey


class Rows(Protocol):
    """Rows behind a table: in polars, or in an engine that holds them."""

    @property
    def engine(self) -> str:
        """Who computes."""

    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they are stored."""

    def count(self) -> int:
        """Rows."""

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """Profiles, bins and counts."""

    def survey(self, size: int, seed: int, plan: Plan, every: bool) -> Survey:
        """A sample, and what comes with it."""

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """A uniform random sample."""

    def summary(self, choice: RowChoice, like: TableSummary | None) -> TableSummary:
        """What stands for the rows."""

    def gathered(self, task: Task) -> list[bytes]:
        """The answers of all parts."""

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        """All rows."""


class Table:
    """A table that is asked, not loaded. Made by :func:`open_table`.

    Parameters
    ----------
    name
        The source, as it may be shown: without credentials.
    rows
        Where the rows are.
    files
        The real paths of the files behind it, which no output may replace.

    Examples
    --------
    >>> from twosample.sources import open_table
    >>> table = open_table({"age": [30, 41, None], "city": ["Oslo", "Rome", "Oslo"]}, name="people")
    >>> table
    Table('people', 3 rows, 2 columns)
    >>> [(part.name, part.missing, part.distinct) for part in table.profile()]
    [('age', 1, 2), ('city', 0, 2)]
    >>> table.category_counts(["city"], limit=1)["city"].values
    (('Oslo', 2),)
    """

    def __init__(self, name: str, rows: Rows, files: tuple[str, ...] = ()) -> None:
        self.name = name
        self.files = files
        self._rows = rows

    @property
    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they are stored, in their order."""
        return self._rows.columns()

    @property
    def engine(self) -> str:
        """Who computes: "polars", "duckdb", "ibis", ..."""
        return self._rows.engine

    @property
    def is_served(self) -> bool:
        """Whether a server gives the rows, by connections of their own: two such tables are read at the same time."""
        puller = getattr(self._rows, "puller", None)
        return puller is not None and bool(puller.fast)

    @property
    def is_slow(self) -> bool:
        """Whether reading all of its rows is more than anyone may want who does not say so."""
        return bool(getattr(self._rows, "is_slow", False))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about what stands for the table: files that were skipped, what was fetched."""
        return tuple(getattr(self._rows, "notes", ()))

    def schema(self) -> dict[str, str]:
        """The storage type of each column."""
        return {info.name: info.storage for info in self.columns}

    def row_count(self) -> int:
        """Rows; from the footer of the file or by a count where the engine has one, else by reading."""
        return self._rows.count()

    def survey(self, rows: int, seed: int, plan: Plan, *, every: bool = False) -> Survey:
        """A sample and the profiles of all rows, with as much more as costs no further pass.

        The plan says what to bin and to count on the way, seen the first rows. With `every` all rows are looked at,
        also of a table that is slow to read.
        """
        size, draw = whole_number("rows", rows), whole_number("seed", seed, least=0)
        return replace(self._rows.survey(size, draw, plan, every), table=self)

    def summary(self, choice: RowChoice, like: TableSummary | None = None) -> TableSummary:
        """What stands for the table, perhaps with the bins and features of another one: :func:`twosample.summarize`."""
        found = self._rows.summary(choice, like)
        return replace(found, name=found.name or self.name)

    def scan(
        self,
        grids: Mapping[str, BinGrid] | None = None,
        counts: Mapping[str, int] | None = None,
        *,
        profile: bool = True,
    ) -> Scan:
        """Profiles, binned moments and category counts in one pass (files and frames) or few (engines).

        `counts` says how many of the most frequent values of a column to keep. Without `profile` only columns with bins
        and counts are read.
        """
        grids, counts = dict(grids or {}), dict(counts or {})
        self._check([*grids, *counts])
        return self._rows.scan(grids, counts, profile)

    def profile(self) -> tuple[ColumnProfile, ...]:
        """Count, missing, range, mean, spread and distinct values of every column, in one pass."""
        return self.scan().profile

    def binned_moments(self, grids: Mapping[str, BinGrid]) -> Mapping[str, BinnedColumn]:
        """Count, Σu and Σu² in each bin of each column. Dates and times are binned in seconds."""
        return self.scan(grids, profile=False).moments

    def category_counts(self, columns: Sequence[str], limit: int = 1000) -> Mapping[str, CategoryCounts]:
        """The most frequent values of some columns, as text, up to a limit for each, and how often they occur."""
        return self.scan(counts=dict.fromkeys(columns, whole_number("limit", limit)), profile=False).counts

    def sample(self, rows: int, seed: int = 0) -> pl.DataFrame:
        """A uniform random sample of rows without replacement, in memory; all rows if there are no more.

        The same seed gives the same rows, whatever the threads.
        """
        return self._rows.sample(whole_number("rows", rows), whole_number("seed", seed, least=0))

    def gathered(self, task: Task) -> list[bytes]:
        """What a task finds in all rows: by the workers that hold them, or here in one pass. Answers to be merged."""
        return self._rows.gathered(task)

    def forget(self) -> None:
        """Remove the temporary files that a survey of every row may have left for :meth:`gathered`."""
        from .remote import RemoteRows

        if isinstance(self._rows, RemoteRows):
            self._rows.forget()

    def batches(self, columns: Sequence[str]) -> Iterator[pl.DataFrame] | None:
        """All rows of some columns, from the first to the last; None where rows stay in the engine that holds them."""
        from .local import BatchRows

        rows = self._rows
        self._check(columns)
        return rows.guard.each(lambda: iter(rows.batches(columns))) if isinstance(rows, BatchRows) else None

    def collect(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All rows of some columns, or of all, in memory."""
        wanted = [info.name for info in self.columns] if columns is None else list(columns)
        self._check(wanted)
        return self._rows.collect(wanted)

    def row_numbers(self) -> Sequence[int]:
        """Where each row stands in a file or frame, from 0: a condition keeps rows, and not their numbers.

        Rows of databases have no numbers but those of the answer.
        """
        numbers = getattr(self._rows, "numbers", None)
        return range(self.row_count()) if numbers is None else numbers().to_list()

    def _check(self, names: Sequence[str]) -> None:
        known = [info.name for info in self.columns]
        for name in names:
            if name not in known:
                shown = ", ".join(map(repr, known[:20])) + (", ..." if len(known) > 20 else "")
                raise InputError(f"{self.name} has no column {name!r}. It has {shown}.")

    def __repr__(self) -> str:
        count = len(self.columns)
        rows = f"{self.row_count()} rows, " if getattr(self._rows, "counted", False) else ""
        return f"Table({self.name!r}, {rows}{count} column{'s' if count != 1 else ''})"


@options_by_name
def open_table(
    source: object, *, where: str | None = None, name: str | None = None, encoding: str | None = None
) -> Table:
    """A table from a file, a pattern of files, a database, a frame, or an array.

    Parameters
    ----------
    source
        A path or a pattern (``"logs/*.parquet"``) of CSV, TSV, Parquet, Arrow, JSON (arrays of records), JSON lines or
        Excel files ("book.xlsx::Sheet2"); text files also packed with gz, zst, bz2 or xz; "-" for standard input;
        ``https://host/file.csv``, which is fetched. A folder of files, whose folders may be named "year=2024", or of a
        Delta or Iceberg table. The same in an object store (``s3://``, ``gs://``, ``az://``, ``hf://``). A URL
        ``sqlite:///file.db::table``, ``duckdb:///file.db::table`` or
        ``postgresql://user:password@host/database::table``, or one of mysql, clickhouse, snowflake, bigquery,
        databricks and trino as Ibis takes it, where a single SELECT may stand for the table. A frame of pandas, polars,
        Arrow, DuckDB, Dask, Ibis or Spark. A NumPy array (columns c0, c1, ...), a dictionary of columns, or anything
        with ``__arrow_c_stream__``. A Table comes back as it is, or with fewer rows.
    where
        Keeps the rows for which a condition in SQL holds: ``"price > 10 AND city = 'Rome'"``. Databases read it in
        their own dialect, files and frames in that of polars. Filter Ibis, Dask and Spark frames yourself.
    name
        What to call it in results and errors; None: the path, the URL without credentials, or the type of the frame.
    encoding
        Of text files: "latin-1", "cp1252", "utf-16" or another that Python knows. None for UTF-8, or what a mark at
        the beginning of the file says. Other sources have none, and do not look at it.

    Returns
    -------
    Table
        Nothing but names and types has been read, except from text files below 32 MB or packed, arrays of JSON,
        workbooks, and what comes from the web.

    Examples
    --------
    >>> import numpy as np
    >>> from twosample.sources import open_table
    >>> open_table(np.zeros((4, 2)), where="c0 < 1").schema()
    {'c0': 'Float64', 'c1': 'Float64'}
    """
    check_threads()
    _check_words(where, name)
    code = None if encoding is None else checked_encoding(encoding)
    if isinstance(source, Table):
        table = source if name is None else Table(name, source._rows, source.files)
        return table if where is None else _filtered(table, where)
    if isinstance(source, TableSummary):
        return _opened_summary(source, name or source.name or "summary", where, ())
    if isinstance(source, str) and "://" in source and not is_web(source):
        return _by_url(source, where, name)
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        if text.endswith(SUFFIX) and not is_web(text):
            return _opened_summary(TableSummary.load(at_home(text)), name or text, where, (os.path.realpath(text),))
        table = _opened_files(text, name, code)
    else:
        from .frames import open_frame

        shown = name or f"{type(source).__module__.partition('.')[0]} {type(source).__name__}".replace("builtins ", "")
        table = Table(shown, open_frame(source, shown))
    if not table.columns:
        raise SourceError(f"{table.name} has no columns.")
    return table if where is None else _filtered(table, where)


def _by_url(url: str, where: str | None, name: str | None) -> Table:
    from .stores import is_store, open_store

    if is_store(url):
        shown, held = open_store(url)
        table = Table(name or shown, held)
        return table if where is None else _filtered(table, where)
    from .databases import open_database
    from .folders import files_of

    shown, rows = open_database(url, where)
    return Table(name or shown, rows, files_of(url))


def is_web(source: str) -> bool:
    """Whether a source is an address on the web, of a file that is fetched."""
    return source.lower().startswith(("https://", "http://"))


def _opened_files(text: str, name: str | None, encoding: str | None) -> Table:
    from .files import open_files
    from .folders import files_of
    from .pipes import called

    if not text:
        raise SourceError("The path is empty. Give a file, a pattern of files, or a database URL.")
    if is_web(text):
        from .web import open_web

        shown, rows = open_web(text, encoding)
        return Table(name or shown, rows)
    return Table(name or called(text), open_files(text, encoding), files_of(text))


def _check_words(where: object, name: object) -> None:
    if where is not None and (not isinstance(where, str) or not where.strip()):
        raise OptionError(f"where={where!r} must be a condition in SQL, such as 'price > 10'.")
    if name is not None and not isinstance(name, str):
        raise OptionError(f"name must be a text, and a {type(name).__name__} came.")


def _opened_summary(summary: TableSummary, name: str, where: str | None, files: tuple[str, ...]) -> Table:
    from .summarized import open_summary

    rows = open_summary(summary, name)
    return Table(name, rows if where is None else rows.filtered(where), files)


def _filtered(table: Table, where: str) -> Table:
    from .embedded import DuckdbRows
    from .local import LocalRows
    from .remote import RemoteRows
    from .summarized import SummaryRows

    rows = table._rows
    if not isinstance(rows, LocalRows | DuckdbRows | RemoteRows | SummaryRows):
        raise OptionError("where: the table is open already; give the condition when opening it.")
    return Table(table.name, rows.filtered(where), table.files)
