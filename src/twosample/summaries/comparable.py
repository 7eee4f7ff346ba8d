"""Two columns in bins of their own, brought to bins in which they can be compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.types import Floats
from ..errors import InputError
from .bins import BinnedColumn, align

_UNKNOWN = 0.1  # share of the rows beyond ranges that lie apart, at most


def comparable(one: BinnedColumn, two: BinnedColumn, most: int) -> list[BinnedColumn]:
    """As :func:`align`, but with bins no wider than the part of the range that is compared asks for.

    If the ranges have no bins in common, rows beyond a range are put where the other column has rows, as far as they
    may be there: that can hide a difference, but makes none.
    """
    columns, finest = [one, two], min(one.grid.unit, two.grid.unit)
    ends = [tuple(column.grid.start + end << column.grid.unit - finest for end in column.ends) for column in columns]
    low = max((end[0] for end, column in zip(ends, columns, strict=True) if column.below), default=None)
    high = min((end[1] for end, column in zip(ends, columns, strict=True) if column.above), default=None)
    common = align([_trimmed(column, low, high, column.grid.unit - finest) for column in columns], most)
    if common[0].ends[0] < common[0].ends[1] or (low is None and high is None):
        return common
    if max((column.below + column.above) / max(column.rows, 1) for column in columns) > _UNKNOWN:
        raise InputError(
            "The two have no bins in common, and too many rows lie beyond them to compare what there is. Make the "
            "second like the first, like=..., or give sketches a range, BinnedMoments(span=(low, high))."
        )
    flat = align([replace(column, below=0, above=0, cut=None) for column in columns], most)
    steps, first = flat[0].grid.unit - finest, flat[0].grid.start
    result = []
    for column, part, other, (bottom, top) in zip(columns, flat, flat[::-1], ends, strict=True):
        share = other.moments * (column.rows / max(other.rows, 1))
        lowest, highest = (bottom >> steps) - first, (top - 1 >> steps) - first
        moments = part.moments.copy()
        moments[:, :lowest] += (lower := _part(share[:, :lowest], column.below))
        moments[:, highest + 1 :] += (upper := _part(share[:, highest + 1 :], column.above))
        moments[0, lowest] += column.below - lower[0].sum()
        moments[0, highest] += column.above - upper[0].sum()
        result.append(BinnedColumn.of_floats(part.grid, moments, 0, 0, part.missing))
    return result


def _part(moments: Floats, rows: int) -> Floats:
    """So many rows, or as many as there are, that lie like those of some bins; whole rows in each bin."""
    count = moments[0]
    total = float(count.sum())
    if not total or not rows:
        return np.zeros_like(moments)
    whole = np.diff(np.floor(np.cumsum(count) * min(1.0, rows / total) + 1e-9), prepend=0.0)
    return np.asarray(moments * (whole / np.where(count > 0, count, 1.0)))


def _trimmed(column: BinnedColumn, low: int | None, high: int | None, steps: int) -> BinnedColumn:
    """Without the bins beyond `low` and `high`, which count bins ``2**steps`` times as narrow."""
    least = column.grid.start if low is None else -(-low >> steps)
    most = column.grid.stop if high is None else high >> steps
    start, stop = (min(max(end, least), max(least, most)) for end in (column.grid.start, column.grid.stop))
    return column._cut_to(start - column.grid.start, stop - column.grid.start).placed(start, max(stop, start + 1))
