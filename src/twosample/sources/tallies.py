"""All columns of a table, added up over its batches in one pass.

Batches come in the order of the rows, so that no answer depends on threads; their sizes change roundings only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.threads import Crew, available_cores
from ..summaries import BinGrid, ColumnInfo, ColumnSummary, PointTally
from ..summaries.counts import MOST_CATEGORIES
from ..summaries.facts import NUMERIC, TEXTS
from ..summaries.points import MOST
from .column_tally import BinTally, ColumnTally, CountTally, NumberTally
from .sampling import chosen_rows, drawn, picked
from .survey import Plan, Scan, Survey
from .values import column_of

if TYPE_CHECKING:
    import polars as pl

VALUES = 500_000
"""Different values of a column in memory beyond which categories are no longer counted."""

_THREADED = 10_000  # rows of a batch, from which on it is worth starting threads
_RANGE = 1 << 20  # of whole numbers that are counted in one column
_CELLS, _CELLS_OF_PART = 1 << 24, 1 << 21  # of those in all columns together: of a table, and of one of many parts
_POINTS, _LEAST_POINTS = 1 << 22, 1 << 12  # weighted points of all columns together, about, and of one at least


class Tallies:
    """All columns of batch after batch.

    Parameters
    ----------
    columns
        Those that are wanted.
    crew
        Who takes in the columns of long batches; None: one column after another, here.
    """

    def __init__(self, columns: Sequence[ColumnTally], crew: Crew | None = None) -> None:
        self.rows = 0
        self.columns = tuple(columns)
        self._crew = crew

    @classmethod
    def in_bins(
        cls,
        columns: Sequence[ColumnInfo],
        grids: Mapping[str, BinGrid],
        counted: Collection[str],
        *,
        profiled: bool = True,
        crew: Crew | None = None,
        most: int | None = None,
    ) -> Tallies:
        """With numbers in bins where bins are given; values are counted, up to so many different ones, where named.

        Without profiles other columns are left out.
        """
        wanted = [info for info in columns if profiled or info.name in grids or info.name in counted]
        whole = min(_RANGE, _CELLS // max(len(wanted), 1))

        def tally(info: ColumnInfo) -> ColumnTally:
            grid = grids.get(info.name)
            numbers = () if grid is None else NumberTally.of_column(info, lambda: BinTally(grid))
            counts = CountTally(most) if info.name in counted else None
            return ColumnTally(info, numbers, counts, whole, profiled)

        return cls([tally(info) for info in wanted], crew)

    @classmethod
    def as_points(cls, columns: Sequence[ColumnInfo], counted: Collection[str]) -> Tallies:
        """With all numbers as points, of one of many parts of a table; values of text are counted, and where named."""
        most = min(MOST, max(_LEAST_POINTS, _POINTS // max(len(columns), 1)))
        whole = min(_RANGE, _CELLS_OF_PART // max(len(columns), 1))

        def tally(info: ColumnInfo) -> ColumnTally:
            known = info.family in TEXTS or info.name in counted
            wanted = info.family in TEXTS or info.family in NUMERIC
            numbers = NumberTally.of_column(info, lambda: PointTally(most)) if wanted else ()
            return ColumnTally(info, numbers, CountTally(MOST_CATEGORIES) if known else None, whole)

        return cls([tally(info) for info in columns])

    def add(self, batch: pl.DataFrame) -> None:
        """Take in a batch; of many rows, several columns at a time."""
        self.rows += len(batch)

        def take(column: ColumnTally) -> None:
            column.add(column_of(batch, column.info.name))

        if self._crew is None or len(batch) < _THREADED:
            for column in self.columns:
                take(column)
        else:
            self._crew.each(self.columns, take)

    def summaries(self) -> tuple[ColumnSummary, ...]:
        """What can be merged with other rows, of each column."""
        return tuple(column.summary() for column in self.columns)

    def scan(self, limits: Mapping[str, int]) -> Scan:
        """What was found, with so many of the most frequent values of each column that was counted."""
        profile, moments, counts, singles = [], {}, {}, {}
        for column in self.columns:
            column.settle()
            name, found = column.info.name, column.chosen
            if column.profiled:
                profile.append(column.profile())
            if found is not None:
                moments[name], singles[name] = found.bins(column.rows), found.singles.result()
            if column.counts is not None:
                counts[name] = column.counts.most_frequent(name, limits[name], column.rows)
        binned = {name: bins for name, bins in moments.items() if bins is not None}
        ordered = {name: counts[name] for name in limits if name in counts}
        return Scan(self.rows, tuple(profile), binned, ordered, singles)


def tallied(
    columns: Sequence[ColumnInfo],
    batches: Iterable[pl.DataFrame],
    grids: Mapping[str, BinGrid],
    counted: Mapping[str, int],
    profiled: bool = True,
) -> Scan:
    """All batches."""
    with Crew(available_cores()) as crew:
        tallies = Tallies.in_bins(columns, grids, counted, profiled=profiled, crew=crew)
        for batch in batches:
            tallies.add(batch)
    return tallies.scan(counted)


def surveyed(
    columns: Sequence[ColumnInfo],
    batches: Iterable[pl.DataFrame],
    empty: pl.DataFrame,
    draw: tuple[int, int],
    plan: Plan,
    known: int | None = None,
) -> Survey:
    """Draw a sample (size, seed) and tally, in one pass over all batches, whose number of rows may be known before."""
    tallies, crew = Tallies(()), Crew(available_cores())
    limits: Mapping[str, int] = {}

    def watched() -> Iterator[pl.DataFrame]:
        nonlocal tallies, limits
        for batch in batches:
            if not tallies.rows:
                grids, limits = plan(batch)
                tallies = Tallies.in_bins(columns, grids, limits, crew=crew, most=VALUES)
            tallies.add(batch)
            yield batch

    with crew:
        if known is None:
            found, rows = drawn(watched(), empty, *draw)
            sample, numbers = found.frame, found.numbers
        else:  # so are the rows that are drawn: no others are looked at
            numbers = chosen_rows(known, *draw)
            sample, rows = picked(watched(), empty, numbers)
    held = sample if len(sample) == rows else None
    return replace(Survey.of(tallies.scan(limits), sample, held), numbers=numbers)
