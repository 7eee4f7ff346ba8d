"""What a table can tell about itself: small frozen facts, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..summaries import BinnedColumn, ColumnProfile, SingleValues
from ..summaries.facts import Family


@dataclass(frozen=True)
class CategoryCounts:
    """How often the most frequent values of a column occur.

    Parameters
    ----------
    name
        The column.
    values
        ``(value, rows)``, most frequent first, ties in the order of the values.
    rest
        Rows with any other value.
    missing
        Rows without a value.
    """

    name: str
    values: tuple[tuple[str, int], ...]
    rest: int
    missing: int

    @property
    def present(self) -> int:
        """Rows with a value."""
        return sum(rows for _, rows in self.values) + self.rest


@dataclass(frozen=True, eq=False)
class Scan:
    """What one pass over a table has found.

    Parameters
    ----------
    rows
        Rows that were looked at.
    profile
        One for each column; none if profiles were not asked for.
    moments
        For each column with a grid.
    counts
        For each column whose values were to be counted.
    singles
        Single values and round numbers of columns with bins, in the same rows; not where an engine made the bins.
    """

    rows: int
    profile: tuple[ColumnProfile, ...]
    moments: Mapping[str, BinnedColumn] = field(default_factory=dict)
    counts: Mapping[str, CategoryCounts] = field(default_factory=dict)
    singles: Mapping[str, SingleValues] = field(default_factory=dict)


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
