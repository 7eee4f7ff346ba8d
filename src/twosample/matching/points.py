"""Columns of numbers as a few hundred weighted points each: what all costs are computed from.

A point is a run of neighbours in the sorted column: its mass, mean and spread. Runs are cut at steps of 1/64 of
the median distance near the middle of the column, which widen in proportion to the distance from it far out; a value
that repeats often is a point of its own, and a column of few different values has one for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.line_distances import typical_distance
from ..core.types import Floats

Number = TypeVar("Number", np.float64, np.intp)
Places = NDArray[np.intp]
Mask = NDArray[np.bool_]

_STEPS = 64  # a median distance

_FEW = 256  # different values that are all kept
_ROWS = 65  # evenly spaced rows from which distances are measured
LARGEST = 1e300
"""Numbers beyond are taken for this: differences must not overflow."""


def different(values: NDArray[Number]) -> NDArray[Number]:
    """The different values in ascending order; of many, np.unique takes ten times as long with its hashes."""
    ascending = np.sort(values)
    return ascending[np.append(True, ascending[1:] != ascending[:-1])] if len(values) else ascending


@dataclass(frozen=True, eq=False)
class ColumnPoints:
    """One column."""

    mass: Floats  # (K,) share of the rows; sums to 1
    place: Floats  # (K,) mean and standard deviation of the rows; places ascend
    spread: Floats
    rows: int  # rows of the column
    scale: float
    """The median distance between two rows; of those that differ, if most do not. 0 for a constant column."""

    @classmethod
    def of(cls, ascending: Floats) -> ColumnPoints:
        """From finite numbers in ascending order, of which there is at least one."""
        x, rows = np.clip(ascending, -LARGEST, LARGEST), len(ascending)
        scale, middle = typical_distance(x, _ROWS), float(x[rows // 2])
        if scale == 0:
            return cls(np.ones(1), x[:1], np.zeros(1), rows, 0.0)
        cuts = _cuts(x, middle, scale)
        count = np.diff(cuts, append=rows)
        y = x - middle
        mean = np.add.reduceat(y, cuts) / count
        y -= np.repeat(mean, count)
        y /= scale  # squares of very small or large numbers would vanish or overflow
        np.square(np.clip(y, -(LARGEST**0.5), LARGEST**0.5, out=y), out=y)
        spread = scale * np.sqrt(np.add.reduceat(y, cuts) / count)
        return cls(count / rows, middle + mean, spread, rows, scale)

    def standard(self) -> ColumnPoints:
        """Moved to the median and divided by the scale."""
        middle = self.place[np.argmax(np.cumsum(self.mass) >= 0.5 - 1e-12)]
        factor = 1 / self.scale if self.scale > 0 else 1.0
        place = (self.place - middle) * factor
        return ColumnPoints(self.mass, place, self.spread * factor, self.rows, self.scale * factor)


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
    heavy = different(x[often:][x[often:] == x[:-often]])  # values that repeat more often than that
    both = [np.searchsorted(x, heavy, side) for side in ("left", "right")]
    cuts = np.sort(np.concatenate([[0], np.searchsorted(x, edges), *both]))
    cuts = cuts[np.diff(cuts, append=len(x)) > 0]
    return cuts[cuts < len(x)].astype(np.intp)
