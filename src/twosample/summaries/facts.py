"""A column in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Family = Literal["integer", "number", "boolean", "date", "time", "duration", "text", "category", "empty", "other"]
"""What a storage type amounts to, whatever engine it comes from."""


@dataclass(frozen=True)
class ColumnInfo:
    """A column as it is stored.

    Parameters
    ----------
    name
        Its name, as hostile as it may be: quote it for where you show it.
    storage
        The storage type in the words of narwhals: "Int64", "String", "Datetime(...)".
    family
        What the type amounts to.
    """

    name: str
    storage: str
    family: Family


@dataclass(frozen=True)
class ColumnProfile:
    """One column in a few numbers.

    Parameters
    ----------
    name
        Its name.
    rows
        Rows of the table.
    missing
        Rows without a value: null or NaN.
    infinite
        Rows with plus or minus infinity; they are left out of what follows.
    min, max
        The range: numbers as they are, dates and times in seconds (since 1970 in UTC, or since midnight), text as text
        cut at 200 characters; None where there is none.
    mean, std
        Mean and sample standard deviation of numbers; None for text, and where they are too large for doubles.
    distinct
        Different values without missing ones. None where that is not known: floating-point numbers with 4096 and more,
        and engines beyond a million rows.
    exact
        Whether `distinct` is exact. Otherwise (4096 and more) it is estimated from as many hashes, with a standard
        error of 1.6 %.
    """

    name: str
    rows: int
    missing: int
    infinite: int = 0
    min: float | str | None = None
    max: float | str | None = None
    mean: float | None = None
    std: float | None = None
    distinct: int | None = None
    exact: bool = True

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.rows - self.missing
