"""A table in some kilobytes: what stands for its rows wherever they cannot be read again."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from html import escape

from .._files import read_whole, write_whole
from .._forks import check_threads
from .._shown import shown
from ..errors import InputError, OptionError
from .bins import BinnedColumn
from .counts import Counts, Distinct
from .facts import ColumnInfo, ColumnProfile, Family
from .grid import BinGrid, Scale
from .points import Points
from .rows import RowSample
from .singles import SingleValues
from .sums import GroupSums
from .totals import Totals

SUFFIX = ".tss"
"""What the files of summaries end with."""

_EVENLY = 20_000  # numbers of a column from which bins are chosen


@dataclass(frozen=True, eq=False)
class ColumnSummary:
    """One column of a table, whatever the number of its rows."""

    info: ColumnInfo  # its name, storage type and family
    missing: int  # rows without a value, and with an infinite one
    infinite: int
    low: float | str | None  # the range: numbers, dates in seconds, or text cut at 200 characters
    high: float | str | None
    distinct: Distinct  # different values
    totals: Totals | None = None  # sums of numbers; None of others
    bins: BinnedColumn | None = None  # numbers in bins; for text, the numbers that it spells
    dates: BinnedColumn | None = None  # for text: the dates that it spells, in bins
    counts: Counts | None = None  # rows of each value of text and categories; None of others
    points: Points | None = None
    date_points: Points | None = None
    """What `bins` and `dates` hold as weighted points, from which bins of any kind can be made: then those are None,
    and so are `totals`."""
    singles: SingleValues | None = None
    date_singles: SingleValues | None = None
    """Single values and round numbers of the same numbers and dates; None where they were not counted."""

    def profile(self, rows: int) -> ColumnProfile:
        """The column in a few numbers."""
        known = self.info.family not in ("other", "empty")
        mean, deviation = (self.totals.mean, self.totals.deviation) if self.totals else (None, None)
        if self.points is not None and self.date_points is None:
            mean, deviation = self.points.moments()
        return ColumnProfile(
            self.info.name,
            rows,
            self.missing,
            self.infinite,
            self.low,
            self.high,
            mean,
            deviation,
            self.distinct.count if known else None,
            self.distinct.exact,
        )

    def like(self, other: ColumnSummary, rows: int) -> ColumnSummary:
        """With points put into the bins of another column that has no points; `rows` are those of the table."""
        if self.points is None or other.points is not None:
            return self
        return self._binned(None if other.bins is None else other.bins.grid, rows)

    def binned(self, rows: int) -> ColumnSummary:
        """With points put into bins that fit them; `rows` are those of the table."""
        if self.points is None:
            return self
        found, dates = self.points, self.date_points
        if dates is not None and dates.rows > found.rows:
            found = dates
        grid = Scale.of(found.evenly(_EVENLY)).roomy_grid if found.rows or dates is None else None
        return self._binned(grid, rows)

    def _binned(self, grid: BinGrid | None, rows: int) -> ColumnSummary:
        points, dates, bins, days, totals = self.points, self.date_points, None, None, None
        assert points is not None
        if grid is not None:
            bins = points.binned(grid, rows - points.rows)
            days = None if dates is None else dates.binned(grid, rows - dates.rows)
            totals = Totals.of_bins(bins) + Totals.of_points(points, grid) if dates is None else None
        return replace(self, bins=bins, dates=days, totals=totals, points=None, date_points=None)

    def merged(self, other: ColumnSummary, most: int) -> ColumnSummary:
        """The rows of both."""
        ranges = [end for end in (self.low, other.low) if end is not None]
        tops = [end for end in (self.high, other.high) if end is not None]
        return ColumnSummary(
            _common(self.info, other.info),
            self.missing + other.missing,
            self.infinite + other.infinite,
            min(ranges, default=None),
            max(tops, default=None),
            _distinct(self, other),
            _added(self.totals, other.totals),
            _binned(self.bins, other.bins, most),
            _binned(self.dates, other.dates, most),
            None if self.counts is None or other.counts is None else self.counts.merged(other.counts),
            _pooled(self.points, other.points),
            _pooled(self.date_points, other.date_points),
            _counted(self.singles, other.singles),
            _counted(self.date_singles, other.date_singles),
        )


def _distinct(a: ColumnSummary, b: ColumnSummary) -> Distinct:
    """Different values of both; a column without values says nothing about how they are hashed."""
    if not len(a.distinct.hashes) and a.distinct.exact:
        return b.distinct
    if not len(b.distinct.hashes) and b.distinct.exact:
        return a.distinct
    return a.distinct.merged(b.distinct)


def _added(a: Totals | None, b: Totals | None) -> Totals | None:
    return None if a is None and b is None else (a or Totals()) + (b or Totals())


def _binned(a: BinnedColumn | None, b: BinnedColumn | None, most: int) -> BinnedColumn | None:
    return None if a is None or b is None else a.merged(b, most)


def _pooled(a: Points | None, b: Points | None) -> Points | None:
    return None if a is None or b is None else a.merged(b)


def _counted(a: SingleValues | None, b: SingleValues | None) -> SingleValues | None:
    return None if a is None or b is None else a.merged(b)


def _summed(a: GroupSums | None, b: GroupSums | None) -> GroupSums | None:
    return None if a is None or b is None else a.merged(b)


def _common(a: ColumnInfo, b: ColumnInfo) -> ColumnInfo:
    """The type that holds the values of both parts."""
    if a == b:
        return a
    families: set[Family] = {a.family, b.family}
    if "empty" in families:
        return b if a.family == "empty" else a
    if families <= {"integer", "number", "boolean"}:
        whole = families <= {"integer", "boolean"}
        return ColumnInfo(a.name, "Int64" if whole else "Float64", "integer" if whole else "number")
    if families <= {"text", "category"}:
        return ColumnInfo(a.name, "String", "text")
    if len(families) == 1:
        return min(a, b, key=lambda info: info.storage)
    raise InputError(
        f"Column {a.name!r} holds {a.storage} in one summary and {b.storage} in the other: rows of both cannot stand "
        "in one table. Read the parts with the same types."
    )


@dataclass(frozen=True, eq=False)
class TableSummary:
    """A table in some hundred kilobytes, from one pass over its rows: it can be merged, saved and compared for ever.

    Made by :func:`twosample.summarize`. For every column of numbers it holds count, sum and sum of squares in a few
    thousand bins, for text and categories how often each value occurs (up to 10,000 values), for all the missing
    values, range, mean, deviation and different values; sums of features of all columns, and of their products, in
    random groups of rows; and a uniform random sample of whole rows.

    :func:`twosample.compare` and :func:`twosample.match` take it in the place of a table.

    Parameters
    ----------
    name
        What it was made from.
    rows
        Rows.
    columns
        One for each column.
    sample
        A uniform random sample of the rows; all of them if there are few.
    seed
        What the sample was drawn with.
    bins
        How many bins a column may have.
    sums
        Sums of features of all rows, by which all columns together are tested; None if it has none.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> january = ts.summarize({"price": rng.gamma(2, 10, 5000)})
    >>> february = ts.summarize({"price": rng.gamma(2, 10, 5000)}, like=january)
    >>> january.merge(february)
    TableSummary(10000 rows, 1 column)
    """

    name: str
    rows: int
    columns: tuple[ColumnSummary, ...]
    sample: RowSample
    seed: int
    bins: int
    sums: GroupSums | None = None

    @cached_property
    def profile(self) -> tuple[ColumnProfile, ...]:
        """Each column in a few numbers."""
        return tuple(column.profile(self.rows) for column in self.columns)

    @property
    def whole(self) -> bool:
        """Whether the sample holds every row."""
        return len(self.sample.keys) == self.rows

    def binned(self) -> TableSummary:
        """With the points of columns in bins that fit them."""
        return replace(self, columns=tuple(column.binned(self.rows) for column in self.columns))

    def like(self, other: TableSummary) -> TableSummary:
        """With columns in the bins of another summary of a table with the same columns, where those are points yet."""
        if not isinstance(other, TableSummary) or len(other.columns) != len(self.columns):
            raise InputError("other must be a summary of a table with the same columns.")
        pairs = zip(self.columns, other.columns, strict=True)
        return replace(self, columns=tuple(one.like(two, self.rows) for one, two in pairs))

    def merge(self, *others: TableSummary) -> TableSummary:
        """One summary of the rows of all.

        Counts and sums are whole numbers: the result is the same, bit for bit, in whatever order and in how many parts
        the rows come, if the parts were made with ``like=`` the same summary and ``first_row=`` says where in the
        table each part begins. Parts that chose their bins themselves are put into common, wider ones.

        Parameters
        ----------
        *others
            Summaries of tables with the same columns.
        """
        for other in others:
            if not isinstance(other, TableSummary):
                raise OptionError(f"merge takes summaries (ts.summarize), not {type(other).__name__}.")
        check_threads()
        return reduce(_merged, others, self)

    def to_bytes(self) -> bytes:
        """The summary as bytes, the same for the same content; docs/summary-format.md says how."""
        from .files import encode

        return encode(self)

    @staticmethod
    def from_bytes(content: bytes) -> TableSummary:
        """The summary that :meth:`to_bytes` was called on.

        Parameters
        ----------
        content
            What it returned. Anything else, damaged bytes included, is an :class:`~twosample.InputError`.
        """
        from .files import decode

        return decode(content, "These bytes")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file, whole or not at all.

        Parameters
        ----------
        path
            Where to; such files end with ``.tss``.
        """
        write_whole(path, self.to_bytes())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> TableSummary:
        """Read a file that :meth:`save` wrote.

        Parameters
        ----------
        path
            The file.
        """
        from .files import decode

        return decode(read_whole(path), os.fspath(path))

    def __repr__(self) -> str:
        count = len(self.columns)
        return f"TableSummary({self.rows} rows, {count} column{'s' if count != 1 else ''})"

    def _repr_html_(self) -> str:
        """The columns in a table, for notebooks: the first fifty."""
        from .._reported import box, table

        rows = [
            (
                shown(one.info.name, 80),
                one.info.storage,
                f"{one.missing:,}",
                "–" if known.distinct is None else f"{known.distinct:,}",
            )
            for one, known in zip(self.columns[:50], self.profile, strict=False)
        ]
        head = ("column", "type", "missing", "different values")
        return box(f"<b>{escape(shown(self.name, 160))}</b>: {escape(repr(self))}", table(rows, head))


def _merged(a: TableSummary, b: TableSummary) -> TableSummary:
    names, others = ([column.info.name for column in part.columns] for part in (a, b))
    if sorted(names) != sorted(others):
        odd = sorted(set(names) ^ set(others))
        raise InputError(f"The summaries have different columns: {odd[0]!r} is only in one of them.")
    if names != others:
        raise InputError("The summaries have the same columns in different orders: make them with the same columns.")
    most = max(a.bins, b.bins)
    pairs = zip(a.columns, b.columns, strict=True)
    columns = tuple(one.like(two, a.rows).merged(two.like(one, b.rows), most) for one, two in pairs)
    name = a.name if a.name == b.name else min(a.name, b.name)
    return replace(a, name=name, rows=a.rows + b.rows, columns=columns, sample=a.sample.merged(b.sample),
                   seed=min(a.seed, b.seed), bins=most, sums=_summed(a.sums, b.sums))  # fmt: skip
