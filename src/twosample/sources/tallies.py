"""What is added up over the batches of a table: profiles, bins and counts.

Batches come in the order of the rows, so that no answer depends on threads; their sizes change roundings only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..core.bins import add_counted_to_bins, add_to_bins
from ..core.threads import Crew, available_cores
from ..core.types import Floats
from ..summaries import BinGrid, BinnedColumn, ColumnInfo, ColumnSummary, Counts, SingleTally, Totals
from ..summaries.counts import MOST_CATEGORIES
from ..summaries.points import Wholes
from .facts import CategoryCounts, Scan
from .profiling import DATES, NUMERIC, ProfileTally
from .values import MANY, WholeCounts, column_of, counted, dated, each_once, plain, present, spelled

if TYPE_CHECKING:
    import polars as pl

TEXTS = "text", "category"
"""Families of columns that hold text."""

Take = Callable[["pl.Series", Wholes, int], None]
_THREADED = 10_000  # rows of a batch, from which on it is worth starting threads
_RANGE, _CELLS = 1 << 20, 1 << 24  # of whole numbers that are counted: in one column, and in all together
_SETTLED = 1 << 17  # counted numbers that are taken in together
_MERGED = 100_000  # counts in memory, some of the same values, from which on they are merged


@dataclass(eq=False)
class BinTally:
    """The moments of one column in bins, the sums of what lies beyond them, and single values."""

    grid: BinGrid
    missing: int = 0
    dates: bool = False
    beyond: Totals = field(default_factory=Totals)

    def __post_init__(self) -> None:
        self.singles = SingleTally(self.dates)
        self._sums = np.zeros((3, self.grid.size + 2), dtype=np.int64)  # the first and last take what lies beyond

    def add(
        self, values: Floats, missing: int, counts: Wholes | None = None, ends: tuple[float, float] | None = None
    ) -> None:
        """Take in numbers, how often each is there, and the least and largest, if they are known."""
        self.missing += missing
        self.singles.add(values, counts, ends)
        scale, offset = 2.0**-self.grid.unit, float(self.grid.start - 1)
        before = self._beyond
        if counts is None:
            add_to_bins(values, scale, offset, self._sums, ends)
        else:
            add_counted_to_bins(values, counts, scale, offset, self._sums)
        if self._beyond != before:
            self._add_beyond(values, counts)

    @property
    def _beyond(self) -> tuple[int, int]:
        """Rows below and above the bins."""
        return int(self._sums[0, 0]), int(self._sums[0, -1])

    def _add_beyond(self, values: Floats, counts: Wholes | None) -> None:
        low, high = self.grid.start * 2.0**self.grid.unit, self.grid.stop * 2.0**self.grid.unit
        beyond = ((values < low) | (values >= high)) & np.isfinite(values)
        outside = values[beyond]
        self.beyond += Totals.of_values(outside) if counts is None else Totals.of_counted(outside, counts[beyond])

    @property
    def totals(self) -> Totals:
        """The sums of all finite numbers, as they were rounded in the bins."""
        return Totals.of_bins(self.result()) + self.beyond

    @property
    def closest_totals(self) -> Totals:
        """The same, exactly if every value is known: not to be merged with those of other rows."""
        singles = self.singles.result()
        finite = np.isfinite(singles.values)
        return Totals.of_counted(singles.values[finite], singles.counts[finite]) if singles.exact else self.totals

    def result(self) -> BinnedColumn:
        """The moments."""
        return BinnedColumn(self.grid, self._sums[:, 1:-1].copy(), self.grid.unit, *self._beyond, self.missing)


class SpelledTally:
    """The same of numbers or dates that are stored as text. Which of them it is, all rows decide, not each batch."""

    def __init__(self, grid: BinGrid) -> None:
        self.found, self.dates = BinTally(grid), BinTally(grid, dates=True)

    def add(self, text: pl.Series, counts: Wholes | None, rows: int) -> None:
        """Take in a column of so many rows: its text or, with their counts, each value once."""
        for tally, numbers in zip((self.found, self.dates), spelled(text), strict=True):
            known = None if counts is None else counts[numbers.is_not_null().to_numpy()]
            values = plain(numbers)
            tally.add(values, rows - (len(values) if known is None else int(known.sum())), known)

    @property
    def chosen(self) -> BinTally:
        """Numbers or dates."""
        found, dates = self.found.result(), self.dates.result()
        return self.dates if dated(found.rows, dates.rows, self.dates.grid.dates) else self.found


@dataclass(eq=False)
class CountTally:
    """The values of one column, counted. Memory grows with the number of different values."""

    name: str
    limit: int
    parts: list[pl.DataFrame] = field(default_factory=list)
    missing: int = 0
    settled: bool = False  # whether what was counted has been taken in elsewhere, each value once

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        found = counted(series)
        gone = found["v"].is_null()
        self.missing += int(found["n"].filter(gone).sum())
        self.parts.append(found.filter(~gone))
        if len(self.parts) > 1 and self.held - len(self.parts[0]) > max(len(self.parts[0]), _MERGED):
            self.each()

    @property
    def held(self) -> int:
        """Values in memory, some of them twice."""
        return sum(map(len, self.parts))

    def each(self) -> pl.DataFrame:
        """``v``, each value once, and ``n``, its rows."""
        import polars as pl

        known = self.parts or [pl.DataFrame(schema={"v": pl.String, "n": pl.Int64})]
        self.parts = [pl.concat(known).group_by("v").agg(pl.col("n").sum())]
        return self.parts[0]

    def all_values(self, most: int) -> Counts:
        """Rows of every value, if there are no more values than that."""
        merged = self.each()
        return Counts({str(value): int(rows) for value, rows in merged.iter_rows()} if len(merged) <= most else None)

    def result(self) -> CategoryCounts:
        """The most frequent values."""
        merged = self.each().sort(["n", "v"], descending=[True, False])
        top = merged.head(self.limit)
        rest = int(merged["n"].sum()) - int(top["n"].sum())
        values = tuple((str(v), int(n)) for v, n in top.iter_rows())
        return CategoryCounts(self.name, values, rest, self.missing)


class Tallies:
    """Profiles, bins and counts of batch after batch; numbers are made once for profile and bins.

    Parameters
    ----------
    columns
        The columns of the batches.
    grids, counted
        Bins, and how many values to keep, for those that want them.
    profiled
        Whether to profile every column.
    crew
        Who takes in the columns of long batches; None: one column after another, here.
    """

    def __init__(
        self,
        columns: Sequence[ColumnInfo],
        grids: Mapping[str, BinGrid],
        counted: Mapping[str, int],
        profiled: bool = True,
        crew: Crew | None = None,
    ) -> None:
        self.rows = 0
        self.columns = [info for info in columns if profiled or info.name in grids or info.name in counted]
        self.profiles = {info.name: ProfileTally(info) for info in columns} if profiled else {}
        text = {info.name for info in columns if info.family in TEXTS}
        dates = {info.name for info in columns if info.family in DATES}
        self.bins = {name: BinTally(grid, dates=name in dates) for name, grid in grids.items() if name not in text}
        for name in self.profiles.keys() & self.bins.keys():
            self.profiles[name].binned = True
        self.spelled = {name: SpelledTally(grid) for name, grid in grids.items() if name in text}
        self.counts = {name: CountTally(name, limit) for name, limit in counted.items()}
        self.wholes = {info.name: WholeCounts(min(_RANGE, _CELLS // len(self.columns))) for info in self.columns}
        self.given_up: set[str] = set()
        self._crew = crew

    def add(self, batch: pl.DataFrame) -> None:
        """Take in a batch; of many rows, several columns at a time."""
        self.rows += len(batch)
        if self._crew is None or len(batch) < _THREADED:
            for info in self.columns:
                self._add(batch, info)
        else:
            self._crew.each(self.columns, lambda info: self._add(batch, info))

    def _add(self, batch: pl.DataFrame, info: ColumnInfo) -> None:
        name, series = info.name, column_of(batch, info.name)
        if info.family in TEXTS:
            self._add_text(info, series)
            return
        if name not in self.bins and (name not in self.profiles or info.family not in NUMERIC):
            if name in self.profiles:
                self.profiles[name].add(series, series.null_count())
        elif not self._counted(info, series):
            once, counts = each_once(series) or (series, None)
            self._add_numbers(info, once, counts, 0 if counts is None else series.null_count())
        if name in self.counts:
            self.counts[name].add(series)

    def _add_text(self, info: ColumnInfo, series: pl.Series) -> None:
        """Count values, to be taken in later, each once; or take them in now."""
        if info.name in self.counts:
            self.counts[info.name].add(series)
        else:
            self._take_text(info, series, None, series.null_count())

    def _take_text(self, info: ColumnInfo, text: pl.Series, counts: Wholes | None, missing: int) -> None:
        profile, spelled = self.profiles.get(info.name), self.spelled.get(info.name)
        if profile is not None:
            profile.add(text, missing, None, counts)
        if spelled is not None:
            spelled.add(text, counts, len(text) if counts is None else int(counts.sum()) + missing)

    def _counted(self, info: ColumnInfo, series: pl.Series) -> bool:
        """Whether the numbers of a batch were counted, to be taken in later, each once."""
        return len(series) >= MANY and self.wholes[info.name].add(series)

    def _settle(self, info: ColumnInfo) -> None:
        """Take in what was counted."""
        if self.wholes[info.name].rows:
            self._take_each(partial(self._add_numbers, info), *self.wholes[info.name].taken())
        tally = self.counts.get(info.name)
        if tally is not None and info.family in TEXTS and not tally.settled:
            tally.each()
            self._settle_text(info, tally)

    def _settle_text(self, info: ColumnInfo, tally: CountTally) -> None:
        missing, tally.settled = tally.missing, True
        for known in tally.parts:
            self._take_each(partial(self._take_text, info), known["v"], known["n"].to_numpy(), missing)
            missing = 0

    def _take_each(self, take: Take, once: pl.Series, counts: Wholes, missing: int) -> None:
        """Some values at a time, of which the first have the rows without one."""
        for at in range(0, max(len(once), 1), _SETTLED):
            take(once[at : at + _SETTLED], counts[at : at + _SETTLED], missing if at == 0 else 0)

    def _add_numbers(self, info: ColumnInfo, once: pl.Series, counts: Wholes | None, missing: int = 0) -> None:
        """Take in a column: its values or, with their counts, each once, and how many rows have none."""
        bins, profile = self.bins.get(info.name), self.profiles.get(info.name)
        values = present(once)
        missing += len(once) - len(values)
        ends = (float(values.min()), float(values.max())) if len(values) else None
        if profile is not None:
            profile.add(once, missing, values if info.family in NUMERIC else None, counts, ends)
        if bins is not None:
            bins.add(values, missing, counts, ends)

    def summaries(self) -> tuple[ColumnSummary, ...]:
        """What can be merged with other rows, of each column that was profiled."""
        self._settle_all()
        return tuple(self._summary(part) for part in self.profiles.values())

    def _summary(self, part: ProfileTally) -> ColumnSummary:
        name = part.info.name
        bins, spelled, counts = self.bins.get(name), self.spelled.get(name), self.counts.get(name)
        binned = None if bins is None else bins.result()
        totals = None if bins is None else bins.totals
        ends = part.low, part.high
        distinct = part.distinct.result(part.method)
        known = Counts(None) if name in self.given_up else None
        known = known if counts is None else counts.all_values(MOST_CATEGORIES)
        facts = part.info, part.missing, part.infinite, *ends, distinct, totals
        if spelled is None:
            singles = None if bins is None else bins.singles.result()
            return ColumnSummary(*facts, bins=binned, counts=known, singles=singles)
        return ColumnSummary(
            *facts,
            bins=spelled.found.result(),
            dates=spelled.dates.result(),
            counts=known,
            singles=spelled.found.singles.result(),
            date_singles=spelled.dates.singles.result(),
        )

    def _settle_all(self) -> None:
        for info in self.columns:
            self._settle(info)

    def give_up(self, most: int) -> None:
        """Forget the counts of columns with more different values than that."""
        many = {name for name, part in self.counts.items() if part.held > most}
        for info in self.columns:
            if info.name in many and info.family in TEXTS:  # as they are: to merge so many would take longer
                self._settle_text(info, self.counts[info.name])
        self.given_up |= many
        self.counts = {name: part for name, part in self.counts.items() if name not in many}

    def result(self) -> Scan:
        """What was found."""
        self._settle_all()
        binned = self.bins | {name: part.chosen for name, part in self.spelled.items()}
        return Scan(
            self.rows,
            tuple(
                part.result(self.bins[name].closest_totals if part.binned else None)
                for name, part in self.profiles.items()
            ),
            {name: part.result() for name, part in binned.items()},
            {name: part.result() for name, part in self.counts.items()},
            {name: part.singles.result() for name, part in binned.items()},
        )


def tallied(
    columns: Sequence[ColumnInfo],
    batches: Iterable[pl.DataFrame],
    grids: Mapping[str, BinGrid],
    counted: Mapping[str, int],
    profiled: bool = True,
) -> Scan:
    """All batches."""
    with Crew(available_cores()) as crew:
        tallies = Tallies(columns, grids, counted, profiled, crew)
        for batch in batches:
            tallies.add(batch)
    return tallies.result()
