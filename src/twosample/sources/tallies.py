"""What is added up over the batches of a table: profiles, bins and counts.

Batches come in the order of the rows, so that no answer depends on threads; their sizes change roundings only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ..core.bins import add_to_bins
from ..core.compiled import Loops, compiled
from ..core.types import Floats
from .distinct import DistinctTally
from .facts import BinGrid, BinMoments, CategoryCounts, ColumnInfo, ColumnProfile, Scan
from .values import column_of, dated, plain, present, spelled, strings

if TYPE_CHECKING:
    import polars as pl

_TEXT = 200
_LONG = 1 << 22  # numbers after which a tenth of a second for compiling is soon won back
_MERGED = 100_000  # counts in memory, some of the same values, from which on they are merged
NUMERIC = ("integer", "number", "boolean", "date", "time", "duration")


@dataclass(eq=False)
class ProfileTally:
    """The profile of one column."""

    info: ColumnInfo
    rows: int = 0
    missing: int = 0
    infinite: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float | str | None = None
    high: float | str | None = None
    distinct: DistinctTally = field(default_factory=DistinctTally)

    def add(self, series: pl.Series, values: Floats | None, loops: Loops | None = None) -> None:
        """Take in a batch; `values` are its numbers without missing ones."""
        self.rows += len(series)
        if values is not None:
            self.missing += len(series) - len(values)
            if len(values):
                self._add_numbers(values, loops)
        else:
            self.missing += series.null_count()
        if self.info.family in ("other", "empty") or self.missing == self.rows:
            return
        series = series.drop_nulls() if series.null_count() else series
        if series.dtype.is_float() and values is not None and len(values) < len(series):
            series = series.drop_nans()
        if values is None:
            text = strings(series)
            self._widen(_cut(text.min()), _cut(text.max()))
            series = text
        if len(series):
            self.distinct.add(series)

    def _add_numbers(self, values: Floats, loops: Loops | None) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond 1e150: result says what became of them
            shift = float(values[: 1 << 10].mean())
            low, high, total, squares = (loops.summary if loops else _summary)(values, shift)
        if np.isinf(low) or np.isinf(high):
            finite = values[np.isfinite(values)]
            self.infinite += len(values) - len(finite)
            if len(finite):
                self._add_numbers(finite, loops)
            return
        self._widen(low, high)
        size, before = len(values), self.rows - self.missing - self.infinite
        before = max(before - size, 0)
        step = shift + total / size - self.mean
        self.squares += max(squares - total * total / size, 0.0) + step * step * before * size / (before + size)
        self.mean += step * size / (before + size)

    def _widen(self, low: float | str | None, high: float | str | None) -> None:
        if low is None or high is None:
            return
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)

    def result(self) -> ColumnProfile:
        """The profile."""
        number = self.info.family in NUMERIC
        size = self.rows - self.missing - self.infinite
        known = self.info.family not in ("other", "empty") and (self.distinct.exact or self.info.family != "number")
        return ColumnProfile(
            self.info.name,
            self.rows,
            self.missing,
            self.infinite,
            self.low,
            self.high,
            self.mean if number and size and isfinite(self.mean) else None,
            float(np.sqrt(self.squares / (size - 1))) if number and size > 1 and isfinite(self.squares) else None,
            self.distinct.count if known else None,
            self.distinct.exact,
        )


def _summary(values: Floats, shift: float) -> tuple[float, float, float, float]:
    """Least, largest, and the sums of c and c² for c = value - shift."""
    centred = values - shift
    return float(values.min()), float(values.max()), float(centred.sum()), float(centred @ centred)


def _cut(value: object) -> str | None:
    return None if value is None else str(value)[:_TEXT]


@dataclass(eq=False)
class BinTally:
    """The moments of one column in bins; the first and last of the array take what lies beyond."""

    grid: BinGrid
    order: int
    moments: Floats = field(init=False)
    missing: int = 0

    def __post_init__(self) -> None:
        self.moments = np.zeros((self.grid.size + 2, self.order + 1))

    def add(self, values: Floats, missing: int, loops: Loops | None = None) -> None:
        """Take in numbers."""
        self.missing += missing
        add_to_bins(values, 2.0**-self.grid.unit, float(self.grid.start - 1), self.moments, loops)

    def result(self) -> BinMoments:
        """The moments."""
        low, high = int(self.moments[0, 0]), int(self.moments[-1, 0])
        return BinMoments(self.grid, np.ascontiguousarray(self.moments[1:-1].T), low, high, self.missing)


class SpelledTally:
    """The same of numbers or dates that are stored as text. Which of them it is, all rows decide, not each batch."""

    def __init__(self, grid: BinGrid, order: int) -> None:
        self.found, self.dates = BinTally(grid, order), BinTally(grid, order)

    def add(self, series: pl.Series) -> None:
        """Take in text."""
        for tally, values in zip((self.found, self.dates), map(plain, spelled(series)), strict=True):
            tally.add(values, len(series) - len(values))

    def result(self) -> BinMoments:
        """The moments."""
        found, dates = self.found.result(), self.dates.result()
        return dates if dated(found.rows, dates.rows, self.dates.grid.dates) else found


@dataclass(eq=False)
class CountTally:
    """The values of one column, counted. Memory grows with the number of different values."""

    name: str
    limit: int
    parts: list[pl.DataFrame] = field(default_factory=list)
    missing: int = 0

    def add(self, series: pl.Series) -> None:
        """Take in a batch."""
        import polars as pl

        text = strings(series)
        self.missing += text.null_count()
        rows = pl.len().cast(pl.Int64).alias("n")  # polars counts in UInt32 and adds up in others
        self.parts.append(pl.DataFrame({"v": text.drop_nulls()}).group_by("v").agg(rows))
        if len(self.parts) > 1 and self.held - len(self.parts[0]) > max(len(self.parts[0]), _MERGED):
            self.parts = [self._merged()]

    @property
    def held(self) -> int:
        """Values in memory, some of them twice."""
        return sum(map(len, self.parts))

    def _merged(self) -> pl.DataFrame:
        import polars as pl

        return pl.concat(self.parts).group_by("v").agg(pl.col("n").sum())

    def result(self) -> CategoryCounts:
        """The most frequent values."""
        if not self.parts:
            return CategoryCounts(self.name, (), 0, self.missing)
        merged = self._merged().sort(["n", "v"], descending=[True, False])
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
    order
        The highest moments in bins: 1 for counts and sums, 2 for squares as well.
    """

    def __init__(
        self,
        columns: Sequence[ColumnInfo],
        grids: Mapping[str, BinGrid],
        counted: Mapping[str, int],
        profiled: bool = True,
        order: int = 2,
    ) -> None:
        self.rows = 0
        self.columns = [info for info in columns if profiled or info.name in grids or info.name in counted]
        self.profiles = {info.name: ProfileTally(info) for info in columns} if profiled else {}
        text = {info.name for info in columns if info.family in ("text", "category")}
        self.bins = {name: BinTally(grid, order) for name, grid in grids.items() if name not in text}
        self.spelled = {name: SpelledTally(grid, order) for name, grid in grids.items() if name in text}
        self.counts = {name: CountTally(name, limit) for name, limit in counted.items()}

    def add(self, batch: pl.DataFrame) -> None:
        """Take in a batch."""
        long = self.rows * len(self.columns) >= _LONG
        loops = compiled() if long else None
        self.rows += len(batch)
        for info in self.columns:
            name, numeric = info.name, info.family in NUMERIC
            series, profile = column_of(batch, name), self.profiles.get(name)
            values = present(series) if name in self.bins or (numeric and profile is not None) else None
            if profile is not None:
                profile.add(series, values if numeric else None, loops)
            if name in self.bins and values is not None:
                self.bins[name].add(values, len(series) - len(values), loops)
            if name in self.spelled:
                self.spelled[name].add(series)
            if name in self.counts:
                self.counts[name].add(series)

    def give_up(self, most: int) -> None:
        """Forget the counts of columns with more different values than that."""
        self.counts = {name: part for name, part in self.counts.items() if part.held <= most}

    def result(self) -> Scan:
        """What was found."""
        return Scan(
            self.rows,
            tuple(part.result() for part in self.profiles.values()),
            {name: part.result() for name, part in (self.bins | self.spelled).items()},
            {name: part.result() for name, part in self.counts.items()},
        )


def tallied(
    columns: Sequence[ColumnInfo],
    batches: Iterable[pl.DataFrame],
    grids: Mapping[str, BinGrid],
    counted: Mapping[str, int],
    profiled: bool = True,
) -> Scan:
    """All batches."""
    tallies = Tallies(columns, grids, counted, profiled)
    for batch in batches:
        tallies.add(batch)
    return tallies.result()
