"""Rows of any source as coordinates, for what needs them in memory: tests of independence and outliers.

The sources say what a column means, the column kinds of this room turn its values into coordinates, in which missing is
a value of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError, checked_kinds
from ..sources import ColumnKind, Table, convert, infer_kinds, open_table
from ..sources.values import column_of
from .columns import Categories, Comparer, Number, Text

if TYPE_CHECKING:
    import polars as pl

_COORDINATES: dict[str, Comparer] = {"categorical": Categories(), "text": Text()}
"""How a kind of column is compared; numbers, if it is not here."""

_NEVER_MISSING = 4.0
"""Units from a number to a missing value, in a column where none is missing: far, and 1 where some are."""
_BEYOND = 4.0  # units from the last finite number to infinite ones

_ANOTHER = ()  # stands for all values that a reference does not have; no value of a table is equal to it

_Column = tuple[Sequence[Any] | NDArray[Any], NDArray[np.bool_]]


@dataclass(frozen=True, eq=False)
class TableRows:
    """Rows of a table in memory."""

    table: Table
    frame: pl.DataFrame  # a uniform random sample of its rows, or all
    kinds: tuple[ColumnKind, ...]  # what its columns mean

    @property
    def total(self) -> int:
        """Rows of the table."""
        return self.table.row_count()

    def check(self, option: str, names: Iterable[str] | None) -> None:
        """Refuse names that the table does not have; `option` is where they were given."""
        kinds = [kind.name for kind in self.kinds]
        for name in names or ():
            if name not in kinds:
                known = ", ".join(map(repr, kinds[:20]))
                raise InputError(f"{option}: {self.table.name} has no column {name!r}. It has {known}.")

    def usable(
        self, select: Sequence[str] | None, exclude: Sequence[str] | None, *, constant: bool = False
    ) -> dict[str, ColumnKind]:
        """The columns that can be used, by name, constant ones too if so asked; those that are selected must be."""
        kinds = {kind.name: kind for kind in self.kinds}
        self.check("select", select)
        self.check("exclude", exclude)
        for name in select or ():
            if not _useful(kinds[name], constant):
                raise InputError(f"Column {name!r} cannot be used: it is {kinds[name].kind} ({kinds[name].reason}).")
        names = list(kinds) if select is None else select
        return {name: kinds[name] for name in names if _useful(kinds[name], constant) and name not in (exclude or ())}

    def left_out(self, exclude: Sequence[str] | None, *, constant: bool = False) -> tuple[str, ...]:
        """Columns that are not used unless the user says what they mean, in words; without those that are excluded."""
        return tuple(
            f"{kind.name} left out: {kind.kind}"
            for kind in self.kinds
            if not _useful(kind, constant) and kind.name not in (exclude or ())
        )


def read_rows(
    source: object, *, sample: int | None, seed: int, where: str | None, kinds: Mapping[str, str] | None
) -> TableRows:
    """A random sample of the rows of a source (None: all) for which a condition holds, and the kinds of its columns."""
    checked_kinds(kinds)
    table = open_table(source, where=where)
    frame = table.collect() if sample is None else table.sample(sample, seed)
    if not len(frame):
        raise InputError(f"{table.name} has no rows{' for which `where` holds' if where else ''}.")
    inner = open_table(frame, name=table.name)
    return TableRows(table, frame, infer_kinds(inner, inner.profile(), frame, kinds))


def _useful(kind: ColumnKind, constant: bool) -> bool:
    return kind.usable and (constant or kind.kind != "constant")


def coordinates(frame: pl.DataFrame, kinds: Mapping[str, ColumnKind], *, units: bool) -> dict[str, Floats]:
    """The ``(rows, c)`` coordinates of each column.

    With `units` numbers stay in the units of their column. Otherwise their median distance is 1, as that of different
    categories is, so that columns can stand side by side.
    """
    found = {}
    for name, kind, (values, missing) in _columns(frame, kinds):
        if kind in _COORDINATES:
            found[name] = _few(_COORDINATES[kind].rows(values, missing))
        elif units and not missing.any():
            found[name] = np.asarray(values, dtype=np.float64)[:, None]
        else:
            way = Number().fitted(values, missing)
            rows = way.rows(values, missing) * ((way.scale or 1.0) if units else 1.0)
            found[name] = rows if missing.any() else rows[:, :1]
    return found


def coordinates_against(
    reference: pl.DataFrame, new: pl.DataFrame, kinds: Mapping[str, ColumnKind], scaling: NDArray[np.int64]
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """``(rows, c)`` coordinates of each column of two frames; scales and levels are those of the reference alone.

    So the coordinates of a row do not depend on the other rows of `new`. Values of a category that the reference does
    not have are one level, and a number that is constant there is a category: it is the same, or it is another.

    The rows `scaling` of the reference give the units of numbers; all rows do in a column that is constant in those. If
    no number is missing in them, a missing one lies four units away; an infinite one lies four units beyond the last
    finite one of these rows.
    """
    usual, asked = {}, {}
    pairs = zip(_columns(reference, kinds, infinite=True), _columns(new, kinds, infinite=True), strict=True)
    for (name, kind, ours), (_, _, theirs) in pairs:
        usual[name], asked[name] = _pair(kind, ours, theirs, scaling)
    return usual, asked


def _columns(
    frame: pl.DataFrame, kinds: Mapping[str, ColumnKind], infinite: bool = False
) -> Iterator[tuple[str, str, _Column]]:
    """Name, kind, and the values with a mask of the missing ones, of each column; `infinite`: whether they may be."""
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    converted = convert(frame, meant)
    for name, kind in meant.items():
        series = column_of(converted, name)
        values = series.to_list() if kind in _COORDINATES else series.fill_null(0.0).to_numpy()
        if kind not in _COORDINATES and not infinite and not np.isfinite(values).all():
            raise InputError(f"Column {name!r} has infinite values: exclude it, or make them missing.")
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


def _pair(kind: str, usual: _Column, asked: _Column, scaling: NDArray[np.int64]) -> tuple[Floats, Floats]:
    way = _COORDINATES.get(kind, Number())
    if isinstance(way, Number):
        values = np.asarray(usual[0])
        gone = usual[1] | ~np.isfinite(values)
        some = values[scaling], gone[scaling]
        varied = [(part, none) for part, none in (some, (values, gone)) if len({*part[~none].tolist()}) > 1]
        way = way.fitted(*varied[0]) if varied else Categories()
        if varied:
            part, none = varied[0]
            beyond = _BEYOND * (way.scale or 1.0)
            ends = float(part[~none].min()) - beyond, float(part[~none].max()) + beyond
            usual, asked = (_finite(side, ends) for side in (usual, asked))
    if not isinstance(way, Categories):
        found = way.rows(*usual), way.rows(*asked)
        if isinstance(way, Number) and not usual[1][scaling].any():
            for rows in found:
                rows[:, 1] *= _NEVER_MISSING
        return found
    known = {value for value, gone in zip(*usual, strict=True) if not gone}
    levels = [value if value in known else _ANOTHER for value in (*usual[0], *asked[0])]
    missing = np.concatenate([*(gone for _, gone in (usual, asked)), [False, True]])
    rows = way.rows([*levels, _ANOTHER, None], missing)  # two rows more: every level has its place, whatever is asked
    return rows[: len(usual[1])], rows[len(usual[1]) : -2]


def _finite(column: _Column, ends: tuple[float, float]) -> _Column:
    """With infinite numbers at one of two ends."""
    return np.nan_to_num(np.asarray(column[0], dtype=np.float64), neginf=ends[0], posinf=ends[1]), column[1]


def _few(rows: Floats) -> Floats:
    """The same distances of categories or texts in coordinates that engines like: one if that is enough, not three."""
    if rows.shape[1] == 2:  # two categories: the ends of a line
        return np.asarray(rows[:, :1] * np.sqrt(2))
    if rows.shape[1] == 3:  # a fourth, empty one: four are no case for frequencies on a grid, of which three need many
        return np.pad(rows, ((0, 0), (0, 1)))
    return rows
