"""Columns of numbers as a few hundred weighted points each: what all costs are computed from.

A point is a run of neighbours in the sorted column: its mass, mean and spread. Runs are cut at steps of 1/64 of
the median distance near the middle of the column, which widen in proportion to the distance from it far out; a value
that repeats often is a point of its own, and a column of few different values has one for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.line_distances import typical_distance
from ..core.types import Floats

Places = NDArray[np.intp]
Mask = NDArray[np.bool_]

_STEPS = 64  # a median distance

_FEW = 256  # different values that are all kept
_POINTS = 65  # evenly spaced rows from which distances are measured
LARGEST = 1e300
"""Numbers beyond are taken for this: differences must not overflow."""


@dataclass(frozen=True, eq=False)
class PointColumns:
    """Several columns, one after the other."""

    mass: Floats  # (M,) share of the rows of the column; sums to 1 in each
    place: Floats  # (M,) mean and standard deviation of the rows; places ascend in each column
    spread: Floats
    start: Places  # (c + 1,) where the columns begin, and M
    rows: Places  # (c,) rows
    scale: Floats
    """``(c,)`` the median distance between two rows; of those that differ, if most do not. 0 for a constant column."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def column(self) -> Places:
        """``(M,)`` the column to which each point belongs."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def take(self, columns: Sequence[int] | Places) -> PointColumns:
        """Some of the columns."""
        pieces = [np.arange(self.start[j], self.start[j + 1]) for j in columns]
        chosen = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.intp)
        start = np.cumsum([0, *(len(piece) for piece in pieces)])
        at = np.asarray(columns, dtype=np.intp)
        return PointColumns(
            self.mass[chosen], self.place[chosen], self.spread[chosen], start, self.rows[at], self.scale[at]
        )

    def mapped(self, shift: Floats, factor: Floats) -> PointColumns:
        """Each column moved and then multiplied: (x + shift) * factor, with positive factors."""
        column = self.column
        place = (self.place + shift[column]) * factor[column]
        return PointColumns(self.mass, place, self.spread * factor[column], self.start, self.rows, self.scale * factor)


def points_of(columns: Sequence[Floats]) -> PointColumns:
    """The points of some columns of finite numbers, none of them empty."""
    parts = [_points(np.sort(np.clip(column, -LARGEST, LARGEST))) for column in columns]
    mass, place, spread = (np.concatenate([part[k] for part in parts]) if parts else np.empty(0) for k in range(3))
    start = np.cumsum([0, *(len(part[0]) for part in parts)])
    rows = np.array([len(column) for column in columns], dtype=np.intp)
    return PointColumns(mass, place, spread, start, rows, np.array([part[3] for part in parts]))


def _points(x: Floats) -> tuple[Floats, Floats, Floats, float]:
    """Masses, means, spreads and the scale of a sorted column."""
    scale, middle = typical_distance(x, _POINTS), float(x[len(x) // 2])
    if scale == 0:
        return np.ones(1), x[:1], np.zeros(1), 0.0
    cuts = _cuts(x, middle, scale)
    count = np.diff(cuts, append=len(x))
    y = x - middle
    mean = np.add.reduceat(y, cuts) / count
    y -= np.repeat(mean, count)
    y /= scale  # squares of very small or large numbers would vanish or overflow
    np.minimum(np.square(y, out=y), LARGEST, out=y)
    spread = scale * np.sqrt(np.add.reduceat(y, cuts) / count)
    return count / len(x), middle + mean, spread, scale


def _cuts(x: Floats, middle: float, scale: float) -> Places:
    """Where points begin."""
    fresh = x[1:] != x[:-1]
    if np.count_nonzero(fresh) < _FEW:
        return np.concatenate([[0], np.flatnonzero(fresh) + 1])
    with np.errstate(over="ignore"):
        reach = np.clip((x[[0, -1]] - middle) / scale, -LARGEST, LARGEST)
    ends = np.arcsinh(reach) * _STEPS
    edges = middle + scale * np.sinh(np.arange(np.floor(ends[0]), np.ceil(ends[1]) + 1) / _STEPS)
    often = max(1, len(x) // _FEW)
    heavy = np.unique(x[often:][x[often:] == x[:-often]])  # values that repeat more often than that
    both = [np.searchsorted(x, heavy, side) for side in ("left", "right")]
    cuts = np.sort(np.concatenate([[0], np.searchsorted(x, edges), *both]))
    cuts = cuts[np.diff(cuts, append=len(x)) > 0]
    return cuts[cuts < len(x)].astype(np.intp)
