"""One look at a table: a sample, and what is found in all rows while it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.threads import Crew, available_cores
from ..summaries import BinGrid, ColumnInfo, GroupSums, Points
from .facts import Scan
from .sampling import drawn
from .tallies import VALUES, Tallies

if TYPE_CHECKING:
    import polars as pl

Plan = Callable[["pl.DataFrame"], tuple[Mapping[str, BinGrid], Mapping[str, int]]]
"""From the first rows of a table to the bins, and the numbers of values to count, that are wanted of all rows."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What a table showed."""

    sample: pl.DataFrame  # a uniform random sample of its rows; all of them if there are no more
    scan: Scan  # the profiles of all rows, and the bins and counts of the plan where they cost no further pass
    held: pl.DataFrame | None = None
    """Rows in memory to take other bins and counts from: all rows, or a larger uniform sample of a table that is slow
    to read. None: ask the table."""
    summarized: bool = False  # whether this is all there is: the rows are gone
    points: Callable[[str, bool], Points | None] = lambda name, dates: None
    """The numbers of all rows of a column, or the dates that it is said to hold; None where they are not known."""
    note: str = ""  # what a user should know about how it was made
    numbers: NDArray[np.int64] | None = None
    """The numbers of the sampled rows in the table, from 0; None where they are not known."""
    sums: GroupSums | None = None  # sums of features over all rows, which a summary holds


def surveyed(
    columns: Sequence[ColumnInfo],
    batches: Iterable[pl.DataFrame],
    empty: pl.DataFrame,
    draw: tuple[int, int],
    plan: Plan,
) -> Survey:
    """Draw a sample (size, seed) and tally, in one pass over all batches."""
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
        sample, rows = drawn(watched(), empty, *draw)
    all_ = len(sample.frame) == rows
    return Survey(sample.frame, tallies.scan(limits), sample.frame if all_ else None, numbers=sample.numbers)
