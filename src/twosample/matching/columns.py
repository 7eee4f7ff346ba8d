"""Tables as columns that can be matched: a bounded random sample, and what each column means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, checked_names
from ..sources import ColumnInfo, ColumnKind, Kind, Table, convert, infer_kinds, open_table, unsupported
from ..sources.values import as_truths, column_of, columns_of, truths

if TYPE_CHECKING:
    import polars as pl

Family = Literal["number", "date", "time", "duration", "category", "text", "none"]
"""What is compared with what: numbers with numbers, categories with categories and with text, and so on."""

_STORED: dict[str, tuple[Family, Kind]] = {
    "integer": ("number", "integer"),
    "number": ("number", "numeric"),
    "boolean": ("number", "boolean"),
    "date": ("date", "datetime"),
    "time": ("time", "datetime"),
    "duration": ("duration", "duration"),
}
_MEANT: dict[str, Family] = {
    "numeric": "number", "integer": "number", "boolean": "number", "datetime": "date", "duration": "duration",
    "categorical": "category", "text": "text",
}  # fmt: skip
_TRUTHS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
MOST_LEVELS = 100
"""Whole numbers with no more different values can also be categories."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a sample."""

    name: str
    kind: str  # what it means
    family: Family  # what it can be compared with
    rows: int  # rows of the sample, and those without a value
    missing: int
    numbers: Floats = field(default_factory=lambda: np.empty(0), repr=False)
    """``(rows,)`` numbers in the order of the rows, NaN where there is none; empty for text and categories."""
    words: tuple[str, ...] = field(default=(), repr=False)  # the values of text and categories that are there
    there: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool), repr=False)
    """``(rows,)`` in which rows these are; empty if in all."""
    reason: str = ""  # why it cannot be matched; empty if it can

    @property
    def present(self) -> int:
        """Rows with a value."""
        return self.rows - self.missing

    @property
    def coarse_kind(self) -> str:
        """The kind, where 0 and 1 are whole numbers like others."""
        return "integer" if self.kind == "boolean" else self.kind

    @property
    def values(self) -> Floats:
        """The numbers that are there."""
        return self.numbers[np.isfinite(self.numbers)] if self.missing else self.numbers

    @property
    def flag(self) -> bool:
        """Whether it holds nothing but 0 and 1."""
        return self.family == "number" and bool(np.isin(self.values, (0.0, 1.0)).all())

    def ordered(self) -> Floats:
        """``(rows,)`` numbers as they are, categories as their places in the alphabet; NaN where there is none."""
        if self.family not in ("category", "text"):
            return self.numbers if len(self.numbers) else np.full(self.rows, np.nan)
        place = {word: float(k) for k, word in enumerate(sorted(set(self.words)))}
        result = np.full(self.rows, np.nan)
        result[self.there if len(self.there) else slice(None)] = [place[word] for word in self.words]
        return result

    def levels(self) -> tuple[str, ...]:
        """The values as categories: those of text, and whole numbers of which there are few; empty if not."""
        if self.family in ("category", "text"):
            return self.words
        values = self.values
        if self.family != "number" or not len(values) or bool((values != np.floor(values)).any()):
            return ()
        different, codes = np.unique(values, return_inverse=True)
        if len(different) > MOST_LEVELS:
            return ()
        truths = self.kind == "boolean"
        names = [str(bool(value)).lower() if truths else str(int(value)) for value in different]
        return tuple(names[code] for code in codes)


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two tables."""

    name: str  # what it is called
    columns: tuple[Column, ...]
    rows: int  # rows that were looked at
    sampled: bool  # whether there were more

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    def by_name(self) -> Side:
        """With the columns in alphabetical order, so that ties are not broken by where a column stands."""
        return replace(self, columns=tuple(sorted(self.columns, key=lambda column: column.name)))

    def of(self, *families: Family) -> list[int]:
        """The columns of some families."""
        return [i for i, column in enumerate(self.columns) if column.family in families]


def flags(left: Side, right: Side) -> NDArray[np.bool_]:
    """``(s, t)`` whether two columns both hold nothing but yes and no."""
    one, two = (np.array([column.flag for column in side.columns], dtype=bool) for side in (left, right))
    return np.asarray(one[:, None] & two)


def open_side(source: object, name: str, where: str | None) -> Table:
    """A table from whatever came; a list of columns is a table too."""
    if source is None:
        raise InputError(f"{name} is None; give a table: a path, a frame, an array.")
    if isinstance(source, list | tuple) and len(source) and _is_column(source[0]):
        wrong = [i for i, column in enumerate(source) if not _is_column(column)]
        if wrong:
            raise InputError(f"{name}: column {wrong[0]} of the list is {type(source[wrong[0]]).__name__}, no column.")
        longest = max(len(column) for column in source)
        source = {f"c{i}": _padded(column, longest) for i, column in enumerate(source)}
    return open_table(source, where=where)


def _is_column(value: object) -> bool:
    """Whether it is a sequence of single values."""
    if isinstance(value, np.ndarray):
        return value.ndim == 1
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        return False
    return not any(isinstance(one, list | tuple | np.ndarray) for one in value)


def _padded(column: Sequence[Any] | NDArray[Any], rows: int) -> list[Any] | NDArray[Any]:
    """A column with missing values at its end."""
    if len(column) == rows:
        return column if isinstance(column, np.ndarray) else list(column)
    if isinstance(column, np.ndarray) and column.dtype.kind in "fiub":
        return np.concatenate([column.astype(np.float64), np.full(rows - len(column), np.nan)])
    return [*list(column), *[None] * (rows - len(column))]


def chosen_columns(
    tables: Sequence[Table],
    select: Iterable[str] | None,
    exclude: Iterable[str] | None,
    kinds: Mapping[str, str],
) -> list[list[ColumnInfo]]:
    """The columns to look at in each table; a name that no table has is refused."""
    infos = [table.columns for table in tables]
    names = [[info.name for info in side] for side in infos]
    wanted = checked_names("select", select)
    dropped = checked_names("exclude", exclude) or ()
    known = {name for side in names for name in side}
    for option, given in (("select", wanted or ()), ("exclude", dropped), ("kinds", kinds)):
        for name in given:
            if name not in known:
                raise InputError(f"{option}: neither table has a column {name!r}.")
    chosen = [[i for i in side if (wanted is None or i.name in wanted) and i.name not in dropped] for side in infos]
    for table, side, label in zip(tables, chosen, ("a", "b"), strict=True):
        if not side:
            raise InputError(f"No column of {label} ({table.name}) is left to look at.")
    return chosen


def read(table: Table, name: str, infos: Sequence[ColumnInfo], rows: int, seed: int, kinds: Mapping[str, str]) -> Side:
    """A random sample of some columns of the table."""
    frame = table.sample(rows, seed)
    if not len(frame):
        raise InputError(f"{name} ({table.name}) has no rows.")
    stored = {info.name for info in infos if info.family in _STORED and not _rounded(column_of(frame, info.name))}
    asked = [info.name for info in infos if info.name in kinds or info.name not in stored]
    meant: dict[str, ColumnKind] = {}
    if asked:
        part = open_table(columns_of(frame, asked))
        known = {column: kind for column, kind in kinds.items() if column in asked}
        meant = {found.name: found for found in infer_kinds(part, part.profile(), columns_of(frame, asked), known)}
    columns = []
    for info in infos:
        if info.family == "other" and meant[info.name].kind == "unsupported":
            columns.append(_inferred(frame, unsupported(info, column_of(frame, info.name))))
        elif info.name in meant:
            columns.append(_inferred(frame, meant[info.name], said=info.name in kinds))
        else:
            columns.append(_numbers(frame, info.name, *_STORED[info.family]))
    return Side(table.name, tuple(columns), len(frame), len(frame) >= rows and table.row_count() > rows)


def _rounded(series: pl.Series) -> bool:
    """Whether it holds whole numbers that doubles cannot."""
    if not series.dtype.is_integer():
        return False
    ends = [end for end in (series.min(), series.max()) if isinstance(end, int)]
    return any(abs(end) > 2**53 for end in ends)


def _inferred(frame: pl.DataFrame, found: ColumnKind, said: bool = False) -> Column:
    kind = found.base if found.base is not None else found.kind
    if kind == "identifier":
        kind = "integer" if found.from_text or frame[found.name].dtype.is_numeric() else "text"
    family = _MEANT.get(kind, "none")
    if family == "none":
        rows = len(frame)
        empty = found.kind != "unsupported" and frame[found.name].null_count() == rows
        reason = "all values are missing" if empty else f"{found.kind}: {found.reason}"
        return Column(found.name, found.kind, "none", rows, rows, reason=reason)
    if family not in ("category", "text"):
        return _numbers(frame, found.name, family, kind)
    words = column_of(convert(frame, {found.name: kind}), found.name)
    if not said and truths(words.drop_nulls().unique()):
        return _measured(found.name, "boolean", "number", as_truths(words).eq("true"))
    words = words.replace(_TRUTHS)
    there = words.is_not_null().to_numpy() if words.null_count() else np.empty(0, dtype=bool)
    return _checked(
        Column(found.name, kind, family, len(frame), words.null_count(), words=tuple(words.drop_nulls()), there=there)
    )


def _numbers(frame: pl.DataFrame, name: str, family: Family, kind: Kind) -> Column:
    series = column_of(frame, name)
    if not series.dtype.is_numeric():
        series = column_of(convert(frame, {name: kind}), name)
    return _measured(name, kind, family, series)


def _measured(name: str, kind: Kind, family: Family, series: pl.Series) -> Column:
    values = np.asarray(series.cast(float).to_numpy(), dtype=np.float64)  # null becomes NaN
    gone = ~np.isfinite(values)
    missing = int(np.count_nonzero(gone))
    if missing:
        values = np.where(gone, np.nan, values)
    return _checked(Column(name, kind, family, len(values), missing, numbers=values))


def _checked(column: Column) -> Column:
    if column.present >= 2:
        return column
    reason = "all values are missing" if not column.present else "only one value is there"
    return Column(column.name, column.kind, "none", column.rows, column.missing, reason=reason)
