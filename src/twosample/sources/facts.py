"""What a table can tell about itself: small frozen facts, no rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..core.types import Floats
from ..errors import OptionError

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


@dataclass(frozen=True)
class BinGrid:
    """Equal bins that are a power of two wide and start at a multiple of that, so that no rounding enters.

    Bin j covers ``[(start + j) * 2**unit, (start + j + 1) * 2**unit)`` for j = 0, ..., size - 1. What a
    ``twosample.BinnedMoments`` state calls by the same names.

    Parameters
    ----------
    unit
        Bins are ``2**unit`` wide.
    start
        The first begins at ``start * 2**unit``.
    size
        How many.
    dates
        Whether text is known to spell dates, however few of them.
    """

    unit: int
    start: int
    size: int
    dates: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.size <= 1 << 20 or not -1000 <= self.unit <= 1000:
            raise OptionError(f"{self!r}: size must be between 1 and {1 << 20}, unit between -1000 and 1000.")

    @property
    def edges(self) -> Floats:
        """``(size + 1,)`` the ends of the bins."""
        return np.asarray((self.start + np.arange(self.size + 1.0)) * 2.0**self.unit)


@dataclass(frozen=True, eq=False)
class BinMoments:
    """A column in bins: enough for a ``twosample.Sketch`` of it, without another scan.

    Parameters
    ----------
    grid
        The bins.
    moments
        ``(3, size)`` rows of each bin, and sums of u and u², where u is the distance from its centre in bin widths;
        ``(2, size)`` from a survey, without u².
    low, high
        Rows below the first and above the last bin, infinite ones included.
    missing
        Rows without a number.
    """

    grid: BinGrid
    moments: Floats
    low: int
    high: int
    missing: int

    @property
    def rows(self) -> int:
        """Rows with a number."""
        return int(self.moments[0].sum()) + self.low + self.high

    def regridded(self, grid: BinGrid) -> BinMoments | None:
        """The same rows in other bins, exactly; None if these bins are too wide or do not reach far enough for that.

        Parameters
        ----------
        grid
            The bins wanted.
        """
        steps = grid.unit - self.grid.unit
        ahead = self.grid.start - (grid.start << max(steps, 0))  # old bins from the first new one to the first old one
        behind = (grid.size << max(steps, 0)) - ahead - self.grid.size
        if not 0 <= steps <= 40 or max(abs(ahead), abs(behind)) >= 1 << 60:
            return None
        if (self.low and ahead > 0) or (self.high and behind > 0):
            return None
        place = ahead + np.arange(self.grid.size)
        index = np.clip(place >> steps, -1, grid.size) + 1
        centre = ((place & ((1 << steps) - 1)) + 0.5) / (1 << steps) - 0.5  # of the old bin, in the new one
        count, first, *second = self.moments * 2.0 ** (-steps * np.arange(len(self.moments)))[:, None]
        parts = [count, first + centre * count]
        parts += [squares + 2 * centre * first + centre**2 * count for squares in second]
        moments: Floats = np.stack([np.bincount(index, part, minlength=grid.size + 2) for part in parts])
        low, high = self.low + int(moments[0, 0]), self.high + int(moments[0, -1])
        return BinMoments(grid, moments[:, 1:-1].copy(), low, high, self.missing)


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
    """

    rows: int
    profile: tuple[ColumnProfile, ...]
    moments: Mapping[str, BinMoments] = field(default_factory=dict)
    counts: Mapping[str, CategoryCounts] = field(default_factory=dict)


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
