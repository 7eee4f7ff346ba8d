"""Columns of a polars frame as numbers or as text: what kinds, bins and tests are computed on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.scatter import add_by_group
from ..core.scratch import CHUNK, scratch
from ..core.types import Floats
from .written import amounts, durations, moments_in_time

if TYPE_CHECKING:
    import polars as pl

_YEAR_0, _YEAR_10000, _YEAR_200000 = 6.2e10, 2.5e11, 6e12  # in seconds from 1970
_FEW, _CLOSE = 1 << 12, 1 << 17  # rows that are worth counting, and the range of whole numbers that are counted
MANY = 50_000  # rows for which more numbers than rows are counted: others may follow
_LEAST = -(1 << 63)  # of whole numbers
_MOST = (1 << 31) - 1  # rows that are counted in 32 bits
_WIDE = "UInt64", "Int128", "UInt128"  # beyond the whole numbers that NumPy adds
_LONGEST = 999_999_999 * 86400.0  # seconds of a duration in Python


def column_of(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column under a name of our own: polars takes some names, such as * or ^a.*$, for patterns."""
    return frame.get_column(name).alias("v")


def columns_of(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Some columns, whatever their names look like."""
    import polars.selectors as cs

    return frame.select(cs.by_name(list(names)))


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of all frames, which have the same columns: numbers as doubles, else as text, where types differ."""
    import polars as pl

    series = []
    for name in frames[0].columns:
        parts = [frame.get_column(name) for frame in frames]
        kinds = {part.dtype for part in parts}
        if len(kinds) > 1 or any(kind in (pl.Categorical, pl.Enum) for kind in kinds):
            all_numbers = all(kind.is_numeric() for kind in kinds)
            parts = [part.cast(pl.Float64) if all_numbers else strings(part) for part in parts]
        series.append(pl.concat([part.alias(name) for part in parts]))
    return pl.DataFrame(series)


YES, NO = ("yes", "y", "true", "t", "1"), ("no", "n", "false", "f", "0")


def numbers(series: pl.Series, dates: bool = False) -> pl.Series:
    """Doubles, null where there is none: dates and times in seconds, text as the numbers, dates or durations it spells.

    Text is read value by value, as times (dates or durations) or as numbers, whichever :func:`dated` says; what is
    neither is null. Give it a whole column or a sample of it: for batches, add up what :func:`spelled` finds. `dates`
    says that it is known to be a column of times.
    """
    import polars as pl

    kind, series = series.dtype, series.alias("v")  # a name of our own: polars takes some for patterns
    if kind == pl.Float64:
        return series
    if kind in (pl.String, pl.Categorical, pl.Enum):
        found, days = spelled(series)
        return days if dated(found.count(), days.count(), dates) else found
    if kind.is_nested() or kind in (pl.Object, pl.Binary):
        return pl.Series("v", [None], dtype=pl.Float64).new_from_index(0, len(series))
    if not kind.is_temporal():
        return series.cast(pl.Float64, strict=False)
    if kind == pl.Date:
        return series.to_physical().cast(pl.Float64) * 86400.0
    unit = "ns" if kind == pl.Time else getattr(kind, "time_unit", "us")
    return series.to_physical().cast(pl.Float64) / {"ns": 1e9, "us": 1e6, "ms": 1e3}[unit]


def spelled(series: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The numbers that text spells, and the dates and durations in seconds; both of its length, null elsewhere.

    Amounts of money and percentages are numbers, too: ``$1,250.00``, ``7,20 €``; 12 % is 0.12. So are numbers with a
    decimal comma or in groups (``102,15``, ``1.234,50``, ``5,678,901``); ``1,234``, which may be either, is read as
    thousands: see :func:`mixed_commas`.
    """
    import polars as pl

    text = series.cast(pl.String).alias("v").str.strip_chars()  # a name of our own: polars takes some for patterns
    found = text.cast(pl.Float64, strict=False).fill_nan(None)
    if found.null_count() > text.null_count():
        found = found.fill_null(amounts(text))
    return found, moments_in_time(text).fill_null(durations(text))


def truths(words: Iterable[str]) -> bool:
    """Whether different values say yes and no, and nothing else.

    A single letter or digit is enough only where its opposite occurs, too: F may be a code.
    """
    found = {word.strip().lower() for word in words}
    known = bool(found) and found <= {*YES, *NO}
    return known and not (all(len(word) == 1 for word in found) and (found <= {*YES} or found <= {*NO}))


def as_truths(text: pl.Series) -> pl.Series:
    """Values that say yes as "true", all others as "false", null where there is none."""
    import polars as pl

    yes = text.alias("v").str.strip_chars().str.to_lowercase().is_in(YES)
    return pl.select(v=pl.when(yes).then(pl.lit("true")).when(~yes).then(pl.lit("false"))).to_series()


def dated(found: int, dates: int, said: bool = False) -> bool:
    """Whether a column of text that spells so many numbers and so many dates, or durations, is one of these.

    Columns that are taken for numbers by themselves have at most 1 % of dates, those of dates at most 5 % of numbers.
    If it is `said` to be one of dates, a single date is enough: a 0 may stand for "never" in all other rows.
    """
    return dates > (0 if said else 0.05) * (found + dates)


def strings(series: pl.Series) -> pl.Series:
    """Text, null where there is nothing: whole numbers without a decimal point, so that 1 and 1.0 are one category."""
    import polars as pl

    if series.dtype == pl.String:
        return series
    if series.dtype.is_float():
        value = pl.col("v")  # a name of our own: polars takes some for patterns
        whole = value.is_finite() & (value == value.floor()) & (value.abs() < 2.0**53)
        digits = value.cast(pl.Int64, strict=False).cast(pl.String)
        frame = series.cast(pl.Float64).alias("v").fill_nan(None).to_frame()
        text = frame.select(pl.when(whole).then(digits).otherwise(value.cast(pl.String)).alias("v"))
        return text["v"].alias(series.name)
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        return pl.Series(series.name, [None if v is None else repr(v) for v in series.to_list()], dtype=pl.String)
    if series.dtype == pl.Duration:
        return strings(numbers(series)).alias(series.name)
    return _written(series) if series.dtype in (pl.Date, pl.Datetime) else series.cast(pl.String)


def counted(series: pl.Series) -> pl.DataFrame:
    """``v``, the values of a column as text, null where there is nothing, and ``n``, the rows of each."""
    import polars as pl

    odd = series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object, pl.Null)  # what cannot be counted as it is
    found = (strings(series) if odd else series).alias("v").value_counts(name="n")
    return pl.DataFrame({"v": strings(found["v"]), "n": found["n"].cast(pl.Int64)})


def _written(series: pl.Series) -> pl.Series:
    """Dates as text; those of years that polars cannot write as seconds since 1970."""
    import polars as pl

    seconds = numbers(series)
    far = seconds.abs() > _YEAR_200000
    if not far.any():
        return series.cast(pl.String)
    near = pl.select(v=pl.when(far).then(None).otherwise(series)).to_series()
    return near.cast(pl.String).fill_null(strings(seconds)).alias(series.name)


def records(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Rows as Python has them; dates and durations that it does not know as text."""
    import polars as pl

    for name, kind in rows.schema.items():
        if kind in (pl.Date, pl.Datetime, pl.Duration):
            least, most = (-_LONGEST, _LONGEST) if kind == pl.Duration else (-_YEAR_0, _YEAR_10000)
            values = column_of(rows, name)
            if not numbers(values).is_between(least, most).all():
                rows = rows.with_columns(strings(values).alias(name))
    return rows.rows(named=True)


class WholeCounts:
    """Counts values that are stored as whole numbers, such as days, as long as they lie close together.

    The widest range that is counted has `most` numbers; less than that if there are few rows.
    """

    def __init__(self, most: int = _CLOSE) -> None:
        self.rows = 0
        self._most, self._range, self._first = most, range(0), 0
        self._counts: NDArray[np.int32] | NDArray[np.int64] = np.empty(0, dtype=np.int32)
        self._kind: pl.DataType | None = None

    def add(self, series: pl.Series) -> bool:
        """Take in a column; False, and nothing is taken in, if it is of another type or its numbers lie far apart."""
        import polars as pl

        kind = series.dtype
        whole = kind.is_integer() or kind.is_temporal() or kind == pl.Boolean
        if not whole or str(kind) in _WIDE or self._kind not in (None, kind):
            return False
        stored = series.to_physical() if kind.is_temporal() else series
        codes = (stored.drop_nulls() if stored.null_count() else stored).to_numpy()  # NumPy need not wait for more rows
        if not len(codes) or not self._reach(int(codes.min()), int(codes.max()), len(codes)):
            return False
        if self.rows + len(codes) > _MOST:
            self._counts = self._counts.astype(np.int64)
        for at in range(0, len(codes), CHUNK):
            part = codes[at : at + CHUNK]
            groups = scratch()[0].view(np.int64)[: len(part)]
            np.subtract(part, self._first, out=groups, dtype=np.int64, casting="unsafe")
            add_by_group(self._counts, groups, checked=True)
        self._kind = kind
        self.rows += len(codes)
        return True

    def _reach(self, low: int, high: int, rows: int) -> bool:
        """Whether there is a count for each number of a range, or can be."""
        known = self._range
        reach = range(min(low, known.start), max(high + 1, known.stop)) if known else range(low, high + 1)
        if reach == known:
            return True
        if reach.stop - reach.start > (self._most if rows >= MANY else min(self._most, _CLOSE, rows // 4)):
            return False
        if not known:  # room for all that may come: memory that nobody looks at costs nothing
            self._first = max(reach.stop - self._most, _LEAST)
            self._counts = np.zeros(reach.start + self._most - self._first, dtype=np.int32)
        self._range = reach
        return True

    def taken(self) -> tuple[pl.Series, NDArray[np.int64]]:
        """Each value once, and its rows; they are forgotten here."""
        import polars as pl

        start = self._range.start
        counts = self._counts[start - self._first : self._range.stop - self._first]
        seen = np.flatnonzero(counts)
        stored = pl.Series("v", seen + start)
        kind = self._kind or pl.Int64()
        if kind.is_temporal():
            stored = stored.cast(pl.Series(dtype=kind).to_physical().dtype)
        found = stored.cast(kind), counts[seen].astype(np.int64)
        counts[seen] = self.rows = 0
        return found


def each_once(series: pl.Series) -> tuple[pl.Series, NDArray[np.int64]] | None:
    """Values that are stored as whole numbers and lie close together, such as days: each once, and its rows.

    None if there are few rows, or if they may lie far apart. Missing values are left out.
    """
    counts = WholeCounts()
    return counts.taken() if len(series) >= _FEW and counts.add(series) else None


def present(series: pl.Series) -> Floats:
    """The numbers of a column without missing ones; infinite ones stay."""
    return with_ends(series)[0]


def finite(series: pl.Series) -> Floats:
    """The finite numbers of a column of doubles."""
    values = np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)
    return values[np.isfinite(values)]


def with_ends(series: pl.Series) -> tuple[Floats, tuple[float, float] | None]:
    """The numbers of a column without missing ones, and the least and the largest, if there are any."""
    values = numbers(series)
    array = np.asarray((values.drop_nulls() if values.null_count() else values).to_numpy(), dtype=np.float64)
    least = array.min(initial=np.inf)
    if np.isnan(least):
        array = array[~np.isnan(array)]
        least = array.min(initial=np.inf)
    return array, (float(least), float(array.max())) if len(array) else None


def distinct_names(names: Sequence[str]) -> list[str]:
    """The same names, with '_duplicated_0', '_duplicated_1', ... after those that came before, as polars does it.

    >>> distinct_names(["a", "b", "a", "a"])
    ['a', 'b', 'a_duplicated_0', 'a_duplicated_1']
    """
    taken: set[str] = set()
    result = []
    for name in names:
        new, number = name, 0
        while new in taken or (new != name and new in names):
            new, number = f"{name}_duplicated_{number}", number + 1
        taken.add(new)
        result.append(new)
    return result


def fingerprint(rows: pl.DataFrame, names: Iterable[str]) -> int:
    """A number that tells parts of a table apart by their first rows, so that others are drawn of each."""
    from hashlib import sha256

    first = columns_of(rows.head(100), names)
    plain = [name for name, kind in first.schema.items() if not (kind.is_nested() or str(kind) in ("Binary", "Object"))]
    text = columns_of(first, plain).write_json()  # polars writes no bytes as JSON
    text += "".join(repr(first.get_column(name).to_list()) for name in first.columns if name not in plain)
    return int.from_bytes(sha256(text.encode("utf-8", errors="replace")).digest()[:8], "little")
