"""What is tested: the values of each column, its missing share, and all columns together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..sources import CategoryCounts, JointColumn, Kind
from ..sources.kinds import NUMBERS
from ..sources.values import column_of
from ..summaries import BinnedColumn, comparable
from .atoms import Levels, Line, line_of_bins, line_of_values, missing_atoms, text_atoms
from .moments import Atoms
from .reading import Reading

if TYPE_CHECKING:
    import polars as pl

EXACT_ROWS = 10_000
"""Rows of both tables together up to which numbers are compared as they are; beyond, by bins."""

TEXTS = 5000
"""Texts of each table that are compared, at most."""


@dataclass(frozen=True, eq=False)
class Subject:
    """One column, ready to be tested.

    Parameters
    ----------
    name, kind
        The column.
    rows
        Rows of either table that were looked at.
    missing
        Rows without a value.
    atoms
        Its values; None if one of the tables has fewer than two.
    line, levels, texts
        The same as numbers, categories or texts: one of them is there.
    """

    name: str
    kind: Kind
    rows: tuple[int, int]
    missing: tuple[int, int]
    atoms: Atoms | None
    line: Line | None = None
    levels: Levels | None = None
    texts: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    @cached_property
    def missing_atoms(self) -> Atoms | None:
        """Missing or not; None if nothing is missing, or there are not two rows in each table."""
        if not any(self.missing) or min(self.rows) < 2:
            return None
        return missing_atoms(self.rows, self.missing)


def tests_of(reading: Reading, columns: Sequence[JointColumn]) -> int:
    """How many tests the columns take: one for values, and one for the missing share where something is missing."""
    sides = reading.a.profile, reading.b.profile
    return sum(1 + any(side[column.name].missing > 0 for side in sides) for column in columns)


def subject(reading: Reading, column: JointColumn) -> Subject:
    """The column as atoms: from bins and counts of all rows, or from the rows themselves where they are at hand."""
    rows = reading.a.scan.rows, reading.b.scan.rows
    if column.kind in NUMBERS:
        return _of_numbers(reading, column, rows)
    if column.kind == "categorical":
        a, b = (side.scan.counts[column.name] for side in (reading.a, reading.b))
        rows, missing = (a.present + a.missing, b.present + b.missing), (a.missing, b.missing)
        if a.rest or b.rest:  # which ones were counted is a matter of each table; the samples have them all
            a, b = (_counts(column_of(part, column.name)) for part in reading.samples)
        levels = Levels.of(a, b)
        atoms = levels.atoms() if min(a.present, b.present) >= 2 else None
        return Subject(column.name, column.kind, rows, missing, atoms, levels=levels)
    missing = reading.a.profile[column.name].missing, reading.b.profile[column.name].missing
    one, two = (_some(column_of(part, column.name).drop_nulls()) for part in reading.samples)
    atoms = text_atoms(one, two) if min(len(one), len(two)) >= 2 else None
    return Subject(column.name, column.kind, rows, missing, atoms, texts=(one, two))


def _counts(series: pl.Series) -> CategoryCounts:
    """All categories of a sample."""
    found = series.drop_nulls().value_counts(name="rows")
    values = tuple((str(value), int(rows)) for value, rows in found.iter_rows())
    return CategoryCounts(series.name, values, 0, series.null_count())


def _of_numbers(reading: Reading, column: JointColumn, rows: tuple[int, int]) -> Subject:
    a, b = (side.scan.moments[column.name] for side in (reading.a, reading.b))
    scale, line = reading.scales[column.name], None
    if min(a.rows, b.rows) >= 2:
        if reading.a.whole and reading.b.whole and sum(rows) <= EXACT_ROWS:
            one, two = (_doubles(column_of(part, column.name)) for part in reading.samples)
            line = line_of_values(one, two, scale)
        else:
            line = line_of_bins(_in_common_bins(a, b), scale)
    atoms = None if line is None else line.atoms
    rows = a.rows + a.missing, b.rows + b.missing
    return Subject(column.name, column.kind, rows, (a.missing, b.missing), atoms, line=line)


def _in_common_bins(a: BinnedColumn, b: BinnedColumn) -> list[BinnedColumn]:
    """Both in the same bins: those of a summary may be other ones, which cannot be made anew."""
    if (a.grid.unit, a.grid.start, a.grid.size) == (b.grid.unit, b.grid.start, b.grid.size):
        return [a, b]
    return comparable(a, b, 1 << 16)


def _doubles(series: pl.Series) -> Floats:
    return np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)


def _some(texts: pl.Series) -> tuple[str, ...]:
    """Texts from all over the sample."""
    return tuple(texts.gather_every(max(1, -(-len(texts) // TEXTS))).to_list())
