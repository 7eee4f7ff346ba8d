"""Columns of tables as coordinates, for the commands that need rows in memory: `independence` and `outliers`.

The sources say what a column means, the column kinds of `structured` turn its values into coordinates of unit size, in
which missing is a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError
from ..sources import ColumnKind, Table, convert, infer_kinds, open_table
from ..sources.values import column_of
from ..structured import Categories, Number, Text
from ..structured.columns import ColumnKind as Coordinates

if TYPE_CHECKING:
    import polars as pl

_COORDINATES: dict[str, Coordinates] = {"categorical": Categories(), "text": Text()}
"""How a kind of column is compared; numbers, if it is not here."""

_ANOTHER = ()
"""Stands for all values that a reference does not have; no value of a table is equal to it."""

_Column = tuple[Sequence[Any] | NDArray[Any], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a table in memory.

    Parameters
    ----------
    table
        The table.
    frame
        A uniform random sample of its rows, or all.
    kinds
        What its columns mean.
    """

    table: Table
    frame: pl.DataFrame
    kinds: tuple[ColumnKind, ...]

    @property
    def total(self) -> int:
        """Rows of the table."""
        return self.table.row_count()

    def usable(
        self, wanted: Sequence[str] | None, excluded: Sequence[str] | None, *, constant: bool = False
    ) -> list[str]:
        """Names of the columns that can be used, constant ones too if so asked; those that the user names must be."""
        kinds = {kind.name: kind for kind in self.kinds}
        for name in [*(wanted or ()), *(excluded or ())]:
            if name not in kinds:
                known = ", ".join(map(repr, list(kinds)[:20]))
                raise InputError(f"{self.table.name} has no column {name!r}. It has {known}.")
        for name in wanted or ():
            if not _useful(kinds[name], constant):
                raise InputError(f"Column {name!r} cannot be used: it is {kinds[name].kind} ({kinds[name].reason}).")
        names = list(wanted) if wanted else [kind.name for kind in self.kinds if _useful(kind, constant)]
        return [name for name in names if name not in (excluded or ())]

    def left_out(self) -> tuple[str, ...]:
        """Columns that are not used unless the user says what they mean, in words."""
        return tuple(f"{kind.name} left out: {kind.kind}" for kind in self.kinds if not _useful(kind, False))


def read_rows(
    source: str, *, sample: int | None, seed: int, where: str | None, kinds: Mapping[str, str] | None
) -> Rows:
    """A sample of rows of a source, and the kinds of its columns."""
    table = open_table(source, where=where)
    frame = table.collect() if sample is None else table.sample(sample, seed)
    if not len(frame):
        raise InputError(f"{table.name} has no rows{' for which --where holds' if where else ''}.")
    inner = open_table(frame, name=table.name)
    return Rows(table, frame, infer_kinds(inner, inner.profile(), frame, kinds))


def _useful(kind: ColumnKind, constant: bool) -> bool:
    return kind.usable and (constant or kind.kind != "constant")


def coordinates(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind]) -> dict[str, Floats]:
    """The ``(rows, c)`` coordinates of each column, in units of its own."""
    found = {}
    for name, kind, (values, missing) in _columns(frame, kinds):
        way = _COORDINATES.get(kind, Number())
        found[name] = _few(way.fitted(values, missing).rows(values, missing), kind, bool(missing.any()))
    return found


def coordinates_against(
    reference: pl.DataFrame, new: pl.DataFrame, kinds: Mapping[str, ColumnKind]
) -> tuple[Floats, Floats]:
    """``(rows, c)`` coordinates of all columns of two frames; scales and levels are those of the reference alone.

    So the coordinates of a row do not depend on the other rows of `new`. Values of a category that the reference does
    not have are one level, and a number that is constant there is a category: it is the same, or it is another.
    """
    pairs = zip(_columns(reference, kinds), _columns(new, kinds), strict=True)
    parts = [_pair(kind, usual, asked) for (_, kind, usual), (_, _, asked) in pairs]
    usual, asked = (np.concatenate(side, axis=1) for side in zip(*parts, strict=True))
    return usual, asked


def _columns(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind]) -> Iterator[tuple[str, str, _Column]]:
    """Name, kind, and the values with a mask of the missing ones, of each column."""
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    converted = convert(frame, meant)
    for name, kind in meant.items():
        series = column_of(converted, name)
        values = series.to_list() if kind in _COORDINATES else series.fill_null(0.0).to_numpy()
        if kind not in _COORDINATES and not np.isfinite(values).all():
            raise InputError(f"Column {name!r} has infinite values. Leave it out: --exclude.")
        yield name, kind, (values, series.is_null().to_numpy())


def unread(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind]) -> dict[str, int]:
    """How many values of a column are there and cannot be read as its kind says, of the columns with such values."""
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    converted = convert(frame, meant)
    gone = {name: column_of(converted, name).is_null() & ~_absent(column_of(frame, name)) for name in meant}
    lost = {name: int(rows.sum()) for name, rows in gone.items()}
    return {name: count for name, count in lost.items() if count}


def _absent(series: pl.Series) -> pl.Series:
    """Null, or NaN."""
    return series.is_null() | series.is_nan() if series.dtype.is_float() else series.is_null()


def _pair(kind: str, usual: _Column, asked: _Column) -> tuple[Floats, Floats]:
    way = _COORDINATES.get(kind, Number())
    if isinstance(way, Number):
        present = np.asarray(usual[0])[~usual[1]]
        way = way.fitted(*usual) if present.size and np.ptp(present) > 0 else Categories()
    if not isinstance(way, Categories):
        return way.rows(*usual), way.rows(*asked)
    known = {value for value, gone in zip(*usual, strict=True) if not gone}
    levels = [value if value in known else _ANOTHER for value in (*usual[0], *asked[0])]
    missing = np.concatenate([*(gone for _, gone in (usual, asked)), [False, True]])
    rows = way.rows([*levels, _ANOTHER, None], missing)  # two rows more: every level has its place, whatever is asked
    return rows[: len(usual[1])], rows[len(usual[1]) : -2]


def _few(rows: Floats, kind: str, missing: bool) -> Floats:
    """The same distances in coordinates that engines like: one if that is enough, and not three."""
    if kind not in _COORDINATES:
        return rows if missing else rows[:, :1]
    if rows.shape[1] == 2:  # two categories: the ends of a line
        return np.asarray(rows[:, :1] * np.sqrt(2))
    if rows.shape[1] == 3:  # a fourth, empty one: four are no case for frequencies on a grid, of which three need many
        return np.pad(rows, ((0, 0), (0, 1)))
    return rows
