"""A summary in the place of a table: it answers what it can, from what it holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from ..errors import InputError, SourceError
from ..summaries import BinGrid, ColumnInfo, ColumnSummary, Points, SingleValues, TableSummary
from ..summaries.counts import MOST_CATEGORIES
from .guard import Guard
from .local import LocalRows
from .partial import Task
from .summarize import RowChoice, check_order
from .survey import CategoryCounts, Plan, Scan, Survey
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
        found = {column.info.name: self._column(column.info.name) for column in self.held.columns}
        bins = {name: column.bins for name, column in found.items() if column.bins is not None}
        counts = {name: all_ for name in found if (all_ := self._counts(name)) is not None}
        singles = {name: column.singles for name, column in found.items() if column.singles is not None}
        scan = Scan(self.held.rows, self.held.profile, bins, counts, singles)
        survey = Survey.of(scan, self.sample(size, seed))
        return replace(survey, summarized=True, points=self._points, sums=self.held.sums)

    def scan(self, grids: Mapping[str, BinGrid], counted: Mapping[str, int], profiled: bool) -> Scan:
        """Profiles, counts, and the bins wanted, or its own where those cannot be made of them."""
        moments, singles = {}, dict[str, SingleValues]()
        for name, grid in grids.items():
            column = self._column(name, grid.dates)
            if column.points is not None:
                moments[name] = column.points.binned(grid, self.held.rows - column.points.rows)
            elif column.bins is not None:
                moments[name] = column.bins.regridded(grid) or column.bins
            else:
                self._refuse(f"the numbers of column {name!r} are not in its bins; try kinds={{{name!r}: 'text'}}")
            singles |= {} if column.singles is None else {name: column.singles}
        counts = {
            name: self._counts(name, most) or self._counts_of_numbers(name, most) or self._sampled_counts(name)
            for name, most in counted.items()
        }
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

    def _column(self, name: str, said: bool = False) -> ColumnSummary:
        """A column; if it holds text and is one of dates, or `said` to be, with dates in the place of numbers."""
        column = next(column for column in self.held.columns if column.info.name == name)
        both = (column.bins, column.dates), (column.points, column.date_points), (column.singles, column.date_singles)
        found = [(own.rows, dates.rows) for own, dates in both if own is not None and dates is not None]
        said = said or (column.bins is not None and column.bins.grid.dates)
        if not found or not dated(*found[0], said):
            return column
        return replace(column, bins=column.dates, points=column.date_points, singles=column.date_singles)

    def _points(self, name: str, dates: bool) -> Points | None:
        return self._column(name, dates).points

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
