"""A table, read: what one pass has found in all rows, and the sample that was drawn meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..summaries import BinGrid, BinnedColumn, ColumnProfile, GroupSums, Points, SingleValues

if TYPE_CHECKING:
    import polars as pl

    from .table import Table

Plan = Callable[["pl.DataFrame"], tuple[Mapping[str, BinGrid], Mapping[str, int]]]
"""From the first rows of a table to the bins, and the numbers of values to count, that are wanted of all rows."""


@dataclass(frozen=True)
class CategoryCounts:
    """How often the most frequent values of a column occur."""

    name: str  # the column
    values: tuple[tuple[str, int], ...]  # (value, rows), most frequent first, ties in the order of the values
    rest: int  # rows with any other value
    missing: int  # rows without a value

    @property
    def present(self) -> int:
        """Rows with a value."""
        return sum(rows for _, rows in self.values) + self.rest


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over a table has found."""

    rows: int  # rows that were looked at
    profile: tuple[ColumnProfile, ...]  # one for each column; none if profiles were not asked for
    moments: Mapping[str, BinnedColumn] = field(default_factory=dict)  # for each column with a grid
    counts: Mapping[str, CategoryCounts] = field(default_factory=dict)
    """For each column whose values were to be counted."""
    singles: Mapping[str, SingleValues] = field(default_factory=dict)
    """Single values and round numbers of columns with bins, in the same rows; not where an engine made the bins."""

    @cached_property
    def profiles(self) -> dict[str, ColumnProfile]:
        """The profile of each column by its name."""
        return {part.name: part for part in self.profile}


@dataclass(frozen=True, eq=False, kw_only=True)
class Survey(Scan):
    """A table as it was read: what all rows showed, with bins and counts where they cost no further pass; a sample."""

    sample: pl.DataFrame  # a uniform random sample of its rows; all of them if there are no more
    looked_at: int  # rows that bins and counts come from: all, or a larger uniform sample of a slow table
    held: pl.DataFrame | None = None  # these rows, where they are in memory. None: ask the table
    table: Table = None  # type: ignore[assignment]  # the table: `Table.survey` says which
    summarized: bool = False  # whether this is all there is: rows are gone but for the sample
    points: Callable[[str, bool], Points | None] = lambda name, dates: None
    """The numbers of all rows of a column, or the dates that it is said to hold; None where they are not known."""
    note: str = ""  # what a user should know about how it was read
    numbers: NDArray[np.int64] | None = None
    """The numbers of the sampled rows in the table, from 0; None where they are not known."""
    sums: GroupSums | None = None  # sums of features over all rows, which a summary may hold

    @classmethod
    def of(cls, scan: Scan, sample: pl.DataFrame, held: pl.DataFrame | None = None) -> Survey:
        """A scan of all rows, a sample of them, and rows in memory to take other bins and counts from."""
        looked_at = scan.rows if held is None else len(held)
        found = {part.name: getattr(scan, part.name) for part in fields(scan)}
        return cls(**found, sample=sample, looked_at=looked_at, held=held)

    def number(self, position: int) -> int | None:
        """The number in the table of a row of the sample, from 0; None where it is not known."""
        if self.numbers is not None:
            return int(self.numbers[position])
        return position if self.whole else None

    @property
    def whole(self) -> bool:
        """Whether the sample is the table."""
        return len(self.sample) == self.rows

    @property
    def at_hand(self) -> bool:
        """Whether all rows are, and not only what stands for them."""
        return self.whole and not self.summarized

    def completed(self, grids: Mapping[str, BinGrid], counts: Mapping[str, int]) -> Survey:
        """With these bins and counts, and no others: what there is in wider bins, the rest asked for."""
        from .table import open_table

        fits = {
            name: own for name, own in self.moments.items() if name in grids and own.grid.dates == grids[name].dates
        }
        wider = {name: own.regridded(grids[name]) for name, own in fits.items()}  # others hold text read otherwise
        known = {name: own for name, own in wider.items() if own is not None}
        grids = {name: grid for name, grid in grids.items() if name not in known}
        counts = {name: most for name, most in counts.items() if name not in self.counts}
        if not grids and not counts:
            return replace(self, moments=known, held=None)
        rest = self.table if self.held is None else open_table(self.held)
        more = rest.scan(grids, counts, profile=False)
        return replace(
            self,
            moments={**known, **more.moments},
            counts={**self.counts, **more.counts},
            singles={**self.singles, **more.singles},
            held=None,
        )
