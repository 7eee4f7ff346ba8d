"""Sketches of frames that something else holds: made where the rows are, or in one pass over them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ... import _door as door
from ...core.blas import single_threaded_blas
from ...engines.features import CosineMap
from ...errors import InputError
from ...sources.elsewhere import check_present, rows_of, table_elsewhere
from ...sources.partial import regrouped
from ...summaries import ColumnInfo
from .groups import GroupedFeatures, SketchSums
from .sketch import Sketch

if TYPE_CHECKING:
    import polars as pl

    from ...sources.table import Table

FEW = 20_000  # rows of both samples up to which they are taken into memory: the answer is that of arrays

_ROWS = 1 << 12  # that features are made of at a time: sums of so many are whole numbers below 2**53
_UNIT = 2.0**-32  # of features in whole numbers, whose sums no order changes


@dataclass(frozen=True, eq=False)
class RowSums:
    """The task: sums of the features of a sketch over groups that rows are put into at random, by their places."""

    columns: tuple[ColumnInfo, ...]
    state: SketchSums  # the features

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """Whole numbers: values that are no numbers, then for each group its rows and its sums in units of 2⁻³²."""
        import polars.selectors as cs

        state, groups = self.state, len(self.state.sizes)
        phi = CosineMap(state.waves, state.weights, single=True)
        rng, found = np.random.default_rng([state.layout.seed, place]), np.zeros((groups, 2 + phi.width), np.int64)
        names = [info.name for info in self.columns]
        with single_threaded_blas():
            for batch in regrouped(batches):
                rows = rows_of(batch.select(cs.by_name(names)))
                group = (rng.random(len(rows)) * groups).astype(np.uint16)
                kept = np.isfinite(rows).all(axis=1)
                found[0, 0] += np.count_nonzero(~np.isfinite(rows))
                found[:, 1] += np.bincount(group[kept], minlength=groups)
                order = np.flatnonzero(kept)[np.argsort(group[kept], kind="stable")]
                for start in range(0, len(order), _ROWS):
                    own = order[start : start + _ROWS]
                    some = np.unique(group[own])  # a few, for rows are sorted by them
                    features = np.rint(phi((rows[own] - state.location) / state.scale).astype(np.float64) / _UNIT)
                    found[some, 2:] += ((some[:, None] == group[own]) @ features).astype(np.int64)
        return found.astype("<i8").tobytes()

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The sums of several parts."""
        found = [self.read(part) for part in parts if part]
        return sum(found[1:], found[0]).astype("<i8").tobytes() if found else b""

    def read(self, part: bytes) -> NDArray[np.int64]:
        """One part, a row for each group."""
        return np.frombuffer(part, "<i8").astype(np.int64).reshape(len(self.state.sizes), -1)

    def added(self, parts: list[bytes], name: str) -> SketchSums:
        """The state with the rows of all parts."""
        whole = self.merged(parts)
        if not whole:
            return self.state
        found = self.read(whole)
        check_present(int(found[0, 0]), name)
        state = self.state
        return replace(state, sums=state.sums + found[:, 2:] * _UNIT, sizes=state.sizes + found[:, 1])


def gathered(state: SketchSums, table: Table, name: str) -> SketchSums:
    """A state with all rows of a table, where they are."""
    if len(table.columns) != state.columns:
        raise InputError(f"{name} has {len(table.columns)} column(s) and the sketch {state.columns}.")
    state = state.named(tuple(info.name for info in table.columns), f"{name} and the sketch")
    task = RowSums(table.columns, state)
    return task.added(table.gathered(task), name)


def in_memory_or_sketched(
    x: object, y: object, kernel: door.KernelLike | None, bandwidth: door.BandwidthLike | None
) -> tuple[object, object]:
    """Samples of which at least one is elsewhere: as arrays if both are small, else as sketches of all rows.

    The kernel of several columns is that of a pooled sample, as many rows of either.
    """
    tables = [table_elsewhere(side, name) if door.is_elsewhere(side) else None for side, name in ((x, "x"), (y, "y"))]
    drawn = []
    for side, table, name in zip((x, y), tables, "xy", strict=True):
        drawn.append(door.points(side, name, least=2) if table is None else rows_of(table.sample(FEW + 1)))
        check_present(int(np.count_nonzero(~np.isfinite(drawn[-1]))), name)
    if max(len(rows) for rows, table in zip(drawn, tables, strict=True) if table is not None) <= FEW:
        return drawn[0], drawn[1]
    columns = {rows.shape[1] for rows in drawn}
    if columns == {1}:
        return Sketch.fit(x), Sketch.fit(y)
    if len(columns) > 1:
        raise InputError(f"x has {drawn[0].shape[1]} column(s) and y has {drawn[1].shape[1]}; both must have the same.")
    layout = GroupedFeatures(
        groups=128,
        kernel="gaussian" if kernel is None else kernel,
        bandwidth="median" if bandwidth is None else bandwidth,
    )
    few = min(len(rows) for rows in drawn)
    begun = Sketch(layout)
    begun._state = layout.state(np.concatenate([rows[:few] for rows in drawn]))
    return Sketch.fit(x, like=begun), Sketch.fit(y, like=begun)
