"""A summary in the place of a table: it answers what it can, from what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ..errors import InputError, SourceError
from ..summaries import BinGrid, BinnedColumn, ColumnInfo, ColumnSummary, Points, SingleValues, TableSummary
from ..summaries.counts import MOST_CATEGORIES
from .facts import CategoryCounts, Scan
from .guard import Guard
from .local import LocalRows
from .partial import Task
from .summarize import RowChoice, check_order
from .survey import Plan, Survey
from .values import column_of, dated, strings

if TYPE_CHECKING:
    import polars as pl


def open_summary(summary: TableSummary, name: str) -> LocalRows | SummaryRows:
    """The rows of a summary that holds them all; else what it holds."""
    if summary.whole:
        return LocalRows(summary.sample.frame, Guard(name))
    return SummaryRows(summary, name)


@dataclass(eq=False)
class SummaryRows:
    """The rows behind a summary, most of which are gone."""

    held: TableSummary  # the summary
    name: str  # what to call it in errors

    engine = "summary"
    counted = True

    def columns(self) -> tuple[ColumnInfo, ...]:
        """The columns as they were stored."""
        return tuple(column.info for column in self.held.columns)

    def count(self) -> int:
        """Rows."""
        return self.held.rows

    def survey(self, size: int, seed: int, plan: Plan, every: bool = False) -> Survey:
        """The rows that were kept, and all that is known of the others."""
        del plan, every
        names = [column.info.name for column in self.held.columns]
        bins = {name: own for name in names if (own := self._bins(name)) is not None}
        counts = {name: all_ for name in names if (all_ := self._counts(name)) is not None}
        singles = {name: few for name in names if (few := self._singles(name)) is not None}
        scan = Scan(self.held.rows, self.held.profile, bins, counts, singles)
        found = Survey.of(scan, self.sample(size, seed))
        return replace(found, summarized=True, points=self._points, sums=self.held.sums)

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """Profiles, counts, and the bins wanted, or its own where those cannot be made of them."""
        moments = {}
        for name, grid in grids.items():
            points = self._points(name, grid.dates)
            own = self._bins(name) if points is None else points.binned(grid, self.held.rows - points.rows)
            if own is None:
                self._refuse(f"column {name!r} was not put into bins; say what it means with kinds={{...}}")
            moments[name] = own if points is not None else own.regridded(grid) or own
        counts = {
            name: self._counts(name, most) or self._counts_of_numbers(name, most) or self._sampled_counts(name)
            for name, most in counted.items()
        }
        singles = {name: few for name, grid in grids.items() if (few := self._singles(name, grid.dates)) is not None}
        return Scan(self.held.rows, self.held.profile if profiled else (), moments, counts, singles)

    def sample(self, size: int, seed: int) -> pl.DataFrame:
        """The rows that were kept, or the first of them by their keys."""
        del seed
        kept = self.held.sample
        if size >= len(kept.keys):
            return kept.frame
        return kept.frame[np.sort(np.argsort(kept.keys, kind="stable")[:size])]

    def collect(self, columns: Sequence[str]) -> pl.DataFrame:
        """Refused: the rows are gone."""
        del columns
        self._refuse("its rows are gone but for a sample")

    def gathered(self, task: Task) -> NoReturn:
        """Refused: the rows are gone."""
        del task
        self._refuse("its rows are gone but for a sample")

    def filtered(self, where: str) -> NoReturn:
        """Refused: the rows are gone."""
        raise InputError(f"where={where!r}: {self.name} is a summary, whose rows are gone; filter when you make it.")

    def summary(self, choice: RowChoice, like: TableSummary | None) -> TableSummary:
        """Itself."""
        del choice
        check_order(self.held.name, self.columns(), like)
        return self.held

    def _column(self, name: str) -> ColumnSummary:
        return next(column for column in self.held.columns if column.info.name == name)

    def _bins(self, name: str) -> BinnedColumn | None:
        """The numbers, or the dates that text spells."""
        column = self._column(name)
        if column.bins is None or column.dates is None:
            return column.bins
        dates = dated(column.bins.rows, column.dates.rows, column.bins.grid.dates)
        return column.dates if dates else column.bins

    def _points(self, name: str, dates: bool) -> Points | None:
        """The numbers, or the dates that text spells, if they are kept as points."""
        column = self._column(name)
        if column.points is None or column.date_points is None:
            return column.points
        return column.date_points if dated(column.points.rows, column.date_points.rows, dates) else column.points

    def _singles(self, name: str, dates: bool = False) -> SingleValues | None:
        """The same of single values and round numbers."""
        column = self._column(name)
        if column.singles is None or column.date_singles is None:
            return column.singles
        said = dates or (column.bins is not None and column.bins.grid.dates)
        return column.date_singles if dated(column.singles.rows, column.date_singles.rows, said) else column.singles

    def _counts(self, name: str, most: int = MOST_CATEGORIES) -> CategoryCounts | None:
        column = self._column(name)
        if column.counts is None or column.counts.values is None:
            return None
        return _most_frequent(name, column.counts.values, most, column.missing)

    def _counts_of_numbers(self, name: str, most: int) -> CategoryCounts | None:
        """Numbers, or true and false, as categories; None if their values were not counted one by one."""
        import polars as pl

        column, dtype = self._column(name), column_of(self.held.sample.frame, name).dtype
        found = column.singles
        if found is None or not found.exact or not (dtype.is_integer() or dtype.is_float() or dtype == pl.Boolean):
            return None
        if np.abs(found.values).max(initial=0.0) >= 2.0**53 and dtype.is_integer():  # doubles have rounded them
            return None
        words = strings(pl.Series(found.values).cast(dtype)).to_list()
        return _most_frequent(name, dict(zip(words, found.counts.tolist(), strict=True)), most, column.missing)

    def _sampled_counts(self, name: str) -> CategoryCounts:
        """Categories of the rows that were kept; all rows count as not counted."""
        column = self._column(name)
        series = strings(column_of(self.held.sample.frame, name)).drop_nulls()
        values = tuple((str(v), int(n)) for v, n in series.value_counts(sort=True, name="n").iter_rows())
        return CategoryCounts(name, values, max(self.held.rows - column.missing - len(series), 1), column.missing)

    def _refuse(self, why: str) -> NoReturn:
        raise SourceError(f"{self.name} is a summary, and {why}.")


def _most_frequent(name: str, counts: Mapping[str, int], most: int, missing: int) -> CategoryCounts:
    values = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return CategoryCounts(name, tuple(values[:most]), sum(rows for _, rows in values[most:]), missing)
