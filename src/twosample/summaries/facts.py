"""A column in a few words and numbers: its name, what is stored in it, its range and mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["integer", "number", "boolean", "date", "time", "duration", "text", "category", "empty", "other"]
"""What a storage type amounts to, whatever engine it comes from."""

DATES = ("date", "time", "duration")  # families of columns that hold dates, or times, in seconds
NUMERIC = ("integer", "number", "boolean", *DATES)  # families of columns that hold numbers, dates in seconds included
TEXTS = ("text", "category")  # families of columns that hold text


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


@dataclass(frozen=True)
class ColumnInfo:
    """A column as it is stored."""

    name: str  # its name, as hostile as it may be: quote it for where you show it
    storage: str  # the storage type in the words of narwhals: "Int64", "String", "Datetime(...)"
    family: Family  # what the type amounts to


@dataclass(frozen=True)
class ColumnProfile:
    """One column in a few numbers."""

    name: str
    rows: int  # rows of the table
    missing: int  # rows without a value: null or NaN
    infinite: int = 0  # rows with plus or minus infinity; they are left out of what follows
    min: float | str | None = None
    max: float | str | None = None
    """The range: numbers as they are, dates and times in seconds (since 1970 in UTC, or since midnight), text as text
    cut at 200 characters; None where there is none."""
    mean: float | None = None
    std: float | None = None
    """Mean and sample standard deviation of numbers; None for text, and where they are too large for doubles."""
    distinct: int | None = None
    """Different values without missing ones. None where that is not known: floating-point numbers with 4096 and more,
    and engines beyond a million rows."""
    exact: bool = True
    """Whether `distinct` is exact. Otherwise (4096 and more) it is estimated from as many hashes, with a standard error
    of 1.6 %."""

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.rows - self.missing
