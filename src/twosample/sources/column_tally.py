"""One column, added up over the batches of a table: facts, numbers in bins or as points, and counts of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.bins import add_counted_to_bins, add_to_bins
from ..core.types import Floats, Wholes
from ..summaries import (
    BinGrid,
    BinnedColumn,
    ColumnInfo,
    ColumnProfile,
    ColumnSummary,
    Counts,
    Points,
    PointTally,
    SingleTally,
    Totals,
)
from ..summaries.counts import MOST_CATEGORIES
from ..summaries.facts import DATES, NUMERIC, TEXTS
from ..summaries.singles import Ends
from .distinct import DistinctTally, hash_method
from .spread import Moments
from .survey import CategoryCounts
from .values import MANY, WholeCounts, counted, dated, each_once, present, spelled, strings, with_ends

if TYPE_CHECKING:
    import polars as pl

_SETTLED = 1 << 17  # counted numbers that are taken in together
_MERGED = 100_000  # counts in memory, some of the same values, from which on they are merged
_WAITING = 1 << 15  # numbers beyond the bins that are added up together
_TEXT = 200  # characters of the least and the largest text


@dataclass(eq=False)
class CountTally:
    """The values of one column, counted. Memory grows with the number of different values."""

    most: int | None = None  # different values beyond which it is not worth going on; None: it always is
    parts: list[pl.DataFrame] = field(default_factory=list)  # the first has each value once

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        found = counted(series)
        self.parts.append(found.filter(found["v"].is_not_null()))
        if len(self.parts) > 1 and sum(map(len, self.parts[1:])) > max(len(self.parts[0]), _MERGED):
            self.each()

    @property
    def too_many(self) -> bool:
        """Whether there are more different values than wanted, as far as is known without merging counts."""
        return self.most is not None and bool(self.parts) and len(self.parts[0]) > self.most

    def each(self) -> pl.DataFrame:
        """``v``, each value once, and ``n``, its rows."""
        import polars as pl

        known = self.parts or [pl.DataFrame(schema={"v": pl.String, "n": pl.Int64})]
        self.parts = [pl.concat(known).group_by("v").agg(pl.col("n").sum())]
        return self.parts[0]

    def result(self) -> Counts:
        """Rows of every value, if there are not too many."""
        found = self.each()
        fit = len(found) <= MOST_CATEGORIES
        return Counts({str(value): int(rows) for value, rows in found.iter_rows()} if fit else None)

    def most_frequent(self, name: str, limit: int, rows: int) -> CategoryCounts:
        """So many of them, of a column of so many rows."""
        merged = self.each().sort(["n", "v"], descending=[True, False])
        top, present = merged.head(limit), int(merged["n"].sum())
        values = tuple((str(v), int(n)) for v, n in top.iter_rows())
        return CategoryCounts(name, values, present - int(top["n"].sum()), rows - present)


class BinTally:
    """The moments of numbers in bins, and the sums of what lies beyond them.

    Parameters
    ----------
    grid
        The bins.
    """

    def __init__(self, grid: BinGrid) -> None:
        self.grid = grid
        self._beyond, self._waiting = Totals(), np.empty(0)  # numbers beyond the bins: added up, and not yet
        self._sums = np.zeros((3, grid.size + 2), dtype=np.int64)  # the first and last take what lies beyond

    def add(self, values: Floats, counts: Wholes | None = None, ends: Ends | None = None) -> None:
        """Take in numbers without NaN, how often each is there, and the least and largest, if they are known."""
        scale, offset = 2.0**-self.grid.unit, float(self.grid.start - 1)
        before = self._ends
        if counts is None:
            add_to_bins(values, scale, offset, self._sums, ends)
        else:
            add_counted_to_bins(values, counts, scale, offset, self._sums)
        if self._ends != before:
            self._add_beyond(values, counts)

    @property
    def _ends(self) -> tuple[int, int]:
        """Rows below and above the bins."""
        return int(self._sums[0, 0]), int(self._sums[0, -1])

    def _add_beyond(self, values: Floats, counts: Wholes | None) -> None:
        low, high = self.grid.start * 2.0**self.grid.unit, self.grid.stop * 2.0**self.grid.unit
        beyond = np.flatnonzero((values < low) | (values >= high))
        beyond = beyond[np.isfinite(values[beyond])]
        outside = values[beyond]
        if counts is not None:
            self._beyond += Totals.of_counted(outside, counts[beyond])
            return
        self._waiting = np.append(self._waiting, outside)
        if len(self._waiting) > _WAITING:
            self._settle()

    def _settle(self) -> None:
        """Add up what waits: many numbers at once take little more time than a few."""
        self._beyond, self._waiting = self._beyond + Totals.of_values(self._waiting), np.empty(0)

    def result(self, rows: int) -> BinnedColumn:
        """The moments of a column of so many rows."""
        missing = rows - int(self._sums[0].sum())
        return BinnedColumn(self.grid, self._sums[:, 1:-1].copy(), self.grid.unit, *self._ends, missing)

    def totals(self) -> Totals:
        """The sums of all finite numbers, as they were rounded in the bins."""
        self._settle()
        return Totals.of_bins(self.result(0)) + self._beyond


@dataclass(eq=False)
class NumberTally:
    """The numbers of a column, or those that its text spells: in bins or as points, and single values."""

    sums: BinTally | PointTally
    singles: SingleTally

    @classmethod
    def of_column(cls, info: ColumnInfo, sums: Callable[[], BinTally | PointTally]) -> tuple[NumberTally, ...]:
        """One; two of text: of its numbers, and of its dates."""
        if info.family in TEXTS:
            return cls(sums(), SingleTally()), cls(sums(), SingleTally(dates=True))
        return (cls(sums(), SingleTally(info.family in DATES)),)

    def add(self, values: Floats, counts: Wholes | None = None, ends: Ends | None = None) -> None:
        """Take in numbers without NaN, how often each is there, and the least and largest, if they are known."""
        if isinstance(self.sums, BinTally):
            self.sums.add(values, counts, ends)
        else:
            self.sums.add(values, counts)
        self.singles.add(values, counts, ends)

    def bins(self, rows: int) -> BinnedColumn | None:
        """Of a column of so many rows; None of points."""
        return self.sums.result(rows) if isinstance(self.sums, BinTally) else None

    @property
    def points(self) -> Points | None:
        """None of bins."""
        return self.sums.result() if isinstance(self.sums, PointTally) else None

    @property
    def totals(self) -> Totals | None:
        """The sums of all finite numbers, as they were rounded in bins; None of points."""
        return self.sums.totals() if isinstance(self.sums, BinTally) else None


class ColumnTally:
    """One column: all that is asked of it, added up batch by batch, and merged with what others found.

    Values that lie close together, and text, are counted first and taken in at the end, each once.

    Parameters
    ----------
    info
        The column.
    numbers
        Where its numbers go or, of text, the numbers and the dates that it spells; nothing if they are not wanted.
    counts
        How often its values occur; None if that is not wanted.
    whole
        The widest range of whole numbers that are counted first.
    profiled
        Whether range, mean and different values are wanted.
    """

    def __init__(
        self,
        info: ColumnInfo,
        numbers: Sequence[NumberTally] = (),
        counts: CountTally | None = None,
        whole: int = 0,
        profiled: bool = True,
    ) -> None:
        self.info, self.numbers, self.counts, self.profiled = info, tuple(numbers), counts, profiled
        self.rows = self.missing = self.infinite = 0
        self._given_up = self._settled = False
        self._low: float | str | None = None
        self._high: float | str | None = None
        self._distinct, self._method = DistinctTally(), ""
        self._moments, self._wholes = Moments(), WholeCounts(whole)

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        self.rows += len(series)
        self.missing += series.null_count()
        if self.counts is not None:
            self.counts.add(series)
        if self.info.family in TEXTS:
            if self.counts is None:
                self._add_text(series, None)
        elif self._wants_numbers and not (len(series) >= MANY and self._wholes.add(series)):
            self._add_numbers(*(each_once(series) or (series, None)))
        if self.counts is not None and self.counts.too_many:
            self._give_up(self.counts)

    @property
    def _wants_numbers(self) -> bool:
        return bool(self.numbers) or (self.profiled and self.info.family in NUMERIC)

    def _give_up(self, counts: CountTally) -> None:
        """Forget how often each value occurs."""
        if self.info.family in TEXTS:
            self._settle_text(counts)
        self.counts, self._given_up = None, True

    def settle(self) -> None:
        """Take in what was only counted so far: to be called when all batches have come."""
        if self._settled:
            return
        self._settled = True
        if self._wholes.rows:
            for once, counts in _pieces(*self._wholes.taken()):
                self._add_numbers(once, counts)
        if self.counts is not None and self.info.family in TEXTS and (self.profiled or self.numbers):
            self.counts.each()
            self._settle_text(self.counts)

    def _settle_text(self, counts: CountTally) -> None:
        for known in counts.parts:
            for once, rows in _pieces(known["v"], known["n"].to_numpy()):
                self._add_text(once, rows)

    def _add_numbers(self, once: pl.Series, counts: Wholes | None) -> None:
        """Take in numbers or, with their counts, each once."""
        values, ends = with_ends(once)
        known = once.drop_nulls() if once.null_count() else once
        self.missing += len(known) - len(values)
        if self.profiled and ends is not None:
            self._profile(values, counts, ends)
            self._tell_apart(known.drop_nans() if known.dtype.is_float() and len(values) < len(known) else known)
        for tally in self.numbers:
            tally.add(values, counts, ends)

    def _profile(self, values: Floats, counts: Wholes | None, ends: Ends) -> None:
        if np.isinf(ends).any():  # no whole numbers, which alone are counted
            finite = values[np.isfinite(values)]
            self.infinite += len(values) - len(finite)
            if len(finite):
                self._profile(finite, counts, (float(finite.min()), float(finite.max())))
            return
        self._widen(ends[0] + 0.0, ends[1] + 0.0)  # never -0.0, which is as large as 0.0
        if not self.numbers:
            self._moments.add(values, counts)

    def _add_text(self, text: pl.Series, counts: Wholes | None) -> None:
        """Take in text or, with its counts, each value once."""
        text = strings(text.drop_nulls() if text.null_count() else text)
        if not len(text):
            return
        if self.profiled:
            self._widen(str(text.min())[:_TEXT], str(text.max())[:_TEXT])
            self._tell_apart(text)
        for tally, numbers in zip(self.numbers, spelled(text) if self.numbers else (), strict=True):
            tally.add(present(numbers), None if counts is None else counts[numbers.is_not_null().to_numpy()])

    def _tell_apart(self, series: pl.Series) -> None:
        self._method = self._method or hash_method(series)
        self._distinct.add(series)

    def _widen(self, low: float | str, high: float | str) -> None:
        self._low = low if self._low is None else min(self._low, low)
        self._high = high if self._high is None else max(self._high, high)

    def profile(self) -> ColumnProfile:
        """The column in a few numbers, as closely as they are known here."""
        family = self.info.family
        known = family not in ("other", "empty") and (self._distinct.exact or family != "number")
        sums = self._closest_totals() if family in NUMERIC else None
        return ColumnProfile(
            self.info.name,
            self.rows,
            self.missing,
            self.infinite,
            self._low,
            self._high,
            None if sums is None else sums.mean,
            None if sums is None else sums.deviation,
            self._distinct.count if known else None,
            self._distinct.exact,
        )

    def _closest_totals(self) -> Totals | Moments | None:
        """Sums of all finite numbers, exactly if every value is known: not to be merged with those of other rows."""
        if not self.numbers:
            return self._moments
        found = self.numbers[0].singles.result()
        finite = np.isfinite(found.values)
        if not found.exact:
            return self.numbers[0].totals
        return Totals.of_counted(found.values[finite], found.counts[finite])

    @property
    def chosen(self) -> NumberTally | None:
        """Its numbers or, of text, the numbers or the dates that it spells: all rows decide which, not each batch."""
        if len(self.numbers) < 2:
            return self.numbers[0] if self.numbers else None
        found, dates = self.numbers
        said = isinstance(dates.sums, BinTally) and dates.sums.grid.dates
        return dates if dated(found.singles.result().rows, dates.singles.result().rows, said) else found

    def summary(self) -> ColumnSummary:
        """What can be merged with that of other rows."""
        self.settle()
        counts = None if self.counts is None else self.counts.result()
        result = ColumnSummary(
            self.info,
            self.missing,
            self.infinite,
            self._low,
            self._high,
            self._distinct.result(self._method),
            counts=Counts(None) if self._given_up else counts,
        )
        if self.numbers:
            found = self.numbers[0]
            bins, singles = found.bins(self.rows), found.singles.result()
            result = replace(result, bins=bins, points=found.points, singles=singles)
        if len(self.numbers) > 1:
            days = self.numbers[1]
            bins, singles = days.bins(self.rows), days.singles.result()
            return replace(result, dates=bins, date_points=days.points, date_singles=singles)
        return replace(result, totals=self.numbers[0].totals) if self.numbers else result


def _pieces(once: pl.Series, counts: Wholes) -> Iterator[tuple[pl.Series, Wholes]]:
    """Values and how often each is there, some at a time."""
    for at in range(0, len(once), _SETTLED):
        yield once[at : at + _SETTLED], counts[at : at + _SETTLED]
