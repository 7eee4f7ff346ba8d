"""Columns of tables as coordinates, for the commands that need rows in memory: `independence` and `outliers`.

The sources say what a column means, the column kinds of `structured` turn its values into coordinates of unit size, in
which missing is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..errors import InputError
from ..sources import ColumnKind, Table, convert, infer_kinds, open_table
from ..structured import Categories, Number, Text
from ..structured.columns import ColumnKind as Coordinates

if TYPE_CHECKING:
    import polars as pl

_COORDINATES: dict[str, Coordinates] = {"categorical": Categories(), "text": Text()}
"""How a kind of column is compared; numbers, if it is not here."""


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


def coordinates(frames: Sequence[pl.DataFrame], kinds: Mapping[str, ColumnKind]) -> list[dict[str, Floats]]:
    """For each frame the ``(rows, c)`` coordinates of each column; scales and levels are those of all frames."""
    import polars as pl

    sizes = np.cumsum([len(frame) for frame in frames])[:-1]
    meant = {name: kind.base or kind.kind for name, kind in kinds.items()}
    pooled = pl.concat([convert(frame, meant) for frame in frames])
    found: list[dict[str, Floats]] = [{} for _ in frames]
    for name, kind in meant.items():
        series = pooled[name]
        missing = series.is_null().to_numpy()
        way = _COORDINATES.get(kind, Number())
        values = series.to_list() if kind in _COORDINATES else series.fill_null(0.0).to_numpy()
        if kind not in _COORDINATES and not np.isfinite(values).all():
            raise InputError(f"Column {name!r} has infinite values. Leave it out: --exclude.")
        rows = _few(way.fitted(values, missing).rows(values, missing), kind, bool(missing.any()))
        for part, piece in zip(found, np.split(rows, sizes), strict=True):
            part[name] = piece
    return found


def _few(rows: Floats, kind: str, missing: bool) -> Floats:
    """The same distances in coordinates that engines like: one if that is enough, and not three."""
    if kind not in _COORDINATES:
        return rows if missing else rows[:, :1]
    if rows.shape[1] == 2:  # two categories: the ends of a line
        return np.asarray(rows[:, :1] * np.sqrt(2))
    if rows.shape[1] == 3:  # a fourth, empty one: four are no case for frequencies on a grid, of which three need many
        return np.pad(rows, ((0, 0), (0, 1)))
    return rows
