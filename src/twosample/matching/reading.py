"""Tables as samples of columns that can be matched: a bounded random sample of rows, and what each column means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, checked_names
from ..sources import ColumnInfo, ColumnKind, Kind, Table, convert, infer_kinds, open_table, unsupported
from ..sources.values import as_truths, column_of, columns_of, truths
from .columns import ON_A_LINE, Column, Family, TableSample

if TYPE_CHECKING:
    import polars as pl

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


def read(
    table: Table, name: str, infos: Sequence[ColumnInfo], rows: int, seed: int, kinds: Mapping[str, str]
) -> TableSample:
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
    return TableSample(table.name, tuple(columns), len(frame), len(frame) >= rows and table.row_count() > rows)


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
        empty = found.kind != "unsupported" and frame[found.name].null_count() == len(frame)
        reason = "all values are missing" if empty else f"{found.kind}: {found.reason}"
        return Column.unusable(found.name, found.kind, len(frame), reason)
    if family in ON_A_LINE:
        column = _numbers(frame, found.name, family, kind)
        if said and not column.present and frame[found.name].null_count() < len(frame):
            return Column.unusable(found.name, kind, len(frame), f"no value can be read as {kind}")
        return column
    words = column_of(convert(frame, {found.name: kind}), found.name)
    if not said and truths(words.drop_nulls().unique()):
        return _measured(found.name, "boolean", "number", as_truths(words).eq("true"))
    return Column.of_words(found.name, kind, family, words.replace(_TRUTHS).to_list())


def _numbers(frame: pl.DataFrame, name: str, family: Family, kind: Kind) -> Column:
    series = column_of(frame, name)
    if not series.dtype.is_numeric():
        series = column_of(convert(frame, {name: kind}), name)
    return _measured(name, kind, family, series)


def _measured(name: str, kind: Kind, family: Family, series: pl.Series) -> Column:
    values = np.asarray(series.cast(float).to_numpy(), dtype=np.float64)  # null becomes NaN
    return Column.of_numbers(name, kind, family, values)
