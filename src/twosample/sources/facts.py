"""What a table can tell about itself: small frozen facts, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ..summaries import BinnedColumn, ColumnProfile, SingleValues
from ..summaries.facts import Family

DATES = ("date", "time", "duration")  # families of columns that hold dates, or times, in seconds
NUMERIC = ("integer", "number", "boolean", *DATES)  # families of columns that hold numbers, dates in seconds included
TEXTS = ("text", "category")  # families of columns that hold text


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


def family_of(dtype: object) -> Family:
    """The family of a narwhals type."""
    import narwhals as nw

    if not isinstance(dtype, nw.dtypes.DType):
        return "other"
    if dtype.is_integer():
        return "integer"
    if dtype.is_numeric():
        return "number"
    families: dict[str, Family] = {
        "Boolean": "boolean",
        "Date": "date",
        "Datetime": "date",
        "Time": "time",
        "Duration": "duration",
        "String": "text",
        "Categorical": "category",
        "Enum": "category",
    }
    return families.get(type(dtype).__name__, "other")
