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

    def usable(self, wanted: Sequence[str] | None, excluded: Sequence[str] | None) -> list[str]:
        """Names of the columns that can be used; those that the user names must be."""
        kinds = {kind.name: kind for kind in self.kinds}
        for name in [*(wanted or ()), *(excluded or ())]:
            if name not in kinds:
                known = ", ".join(map(repr, list(kinds)[:20]))
                raise InputError(f"{self.table.name} has no column {name!r}. It has {known}.")
        for name in wanted or ():
            if not _varies(kinds[name]):
                raise InputError(f"Column {name!r} cannot be used: it is {kinds[name].kind} ({kinds[name].reason}).")
        names = list(wanted) if wanted else [kind.name for kind in self.kinds if _varies(kind)]
        return [name for name in names if name not in (excluded or ())]

    def left_out(self) -> tuple[str, ...]:
        """Columns that are not used unless the user says what they mean, in words."""
        return tuple(f"{kind.name} left out: {kind.kind}" for kind in self.kinds if not _varies(kind))


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


def _varies(kind: ColumnKind) -> bool:
    return kind.usable and kind.kind != "constant"


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
        rows = way.fitted(values, missing).rows(values, missing)
        if not missing.any() and kind not in _COORDINATES:
            rows = rows[:, :1]  # without a coordinate for what is missing, one number is one number
        for part, piece in zip(found, np.split(rows, sizes), strict=True):
            part[name] = piece
    return found
