"""What the columns of a reference hold, in words, and what is odd about a row beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from .._numbers import counted, duration, share
from .._shown import shown
from ..sources import ColumnKind, convert
from ..sources.values import column_of

if TYPE_CHECKING:
    import polars as pl

_INSIDE = 0.01  # of the values are below the range, and as many above
_MOST = 4  # categories
_CELL = 30  # characters of a name or a value
_NAMED = 4  # columns of a row that are named


def usual_values(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind]) -> dict[str, str]:
    """What is usual in each column of a reference: the middle 98 % of numbers and dates, the most frequent categories.

    Examples
    --------
    >>> import polars as pl
    >>> from twosample.sources import infer_kinds, open_table
    >>> frame = pl.DataFrame({"age": [*range(1, 100), 50], "city": ["Oslo", "Rome", "Rome", "Rome"] * 25})
    >>> table = open_table(frame)
    >>> usual_values(frame, {kind.name: kind for kind in infer_kinds(table, table.profile(), frame)})
    {'age': '2 to 98', 'city': 'Rome (75 %), Oslo (25 %)'}
    """
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    converted = convert(frame, meant)
    found = {}
    for name, kind in meant.items():
        values = column_of(converted, name).drop_nulls()
        if kind == "text" or not len(values):
            continue
        if kind == "categorical" or values.n_unique() == 1:
            found[name] = _frequent(values)
        else:
            given = column_of(frame, name)
            found[name] = _range(
                given.drop_nulls() if given.dtype.is_temporal() or given.dtype.is_numeric() else values
            )
    return found


def _frequent(values: pl.Series) -> str:
    counts = values.value_counts(sort=True)
    named = zip(counts.to_series(0)[:_MOST], counts.to_series(1)[:_MOST], strict=True)
    words = ", ".join(f"{shown(cell(value), _CELL)} ({share(count / len(values))})" for value, count in named)
    return words + (", ..." if len(counts) > _MOST else "")


def _range(values: pl.Series) -> str:
    if values.dtype.is_float():
        values = values.drop_nans()
    ordered = values.sort()
    last = len(ordered) - 1
    low, high = (ordered[round(last * place)] for place in (_INSIDE, 1 - _INSIDE))
    return f"{low:.4g} to {high:.4g}" if values.dtype.is_float() else f"{cell(low)} to {cell(high)}"


def cell(value: object) -> str:
    """A value of a row as text."""
    if isinstance(value, timedelta):
        return duration(value.total_seconds())
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def reason(names: Sequence[str], together: bool, values: Mapping[str, Any], usual: Mapping[str, str]) -> str:
    """What is odd about a row, in words: its odd columns, whose values may be usual each and odd `together`.

    Examples
    --------
    >>> reason(["x"], False, {"x": 30.0}, {"x": "-2.5 to 2.5"}), reason(["x", "g"], True, {"x": 1.5, "g": "a"}, {})
    ('x = 30 (usually -2.5 to 2.5)', 'x = 1.5 and g = a together')
    """
    if not names:
        return "all columns together, none of them alone"
    named = names[:_NAMED]
    cells = [f"{shown(name, _CELL)} = {shown(cell(values[name]), _CELL)}" for name in named]
    more = f" and {counted(len(names) - _NAMED, 'more column')}" if len(names) > _NAMED else ""
    if together and len(cells) == 1:
        return f"{cells[0]} beside the other columns"
    if together:
        return f"{', '.join(cells[:-1])} and {cells[-1]}{more} together"
    known = [f" (usually {usual[name]})" if name in usual else "" for name in named]
    return "; ".join(map("".join, zip(cells, known, strict=True))) + more
