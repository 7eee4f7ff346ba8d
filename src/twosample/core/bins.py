"""Numbers in equal bins: how many, and sums of powers of their distances from the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scatter import scatter
from .scratch import CHUNK, scratch
from .types import Floats

EXACT_ROWS = 1 << 23
"""Rows of which sums in bins are exact, whatever their order."""

_ROUND = 1.5 * 2.0**22  # adding and subtracting it rounds small numbers to multiples of 2**-30


def add_to_bins(values: Floats, scale: float, offset: float, moments: Floats) -> None:
    """Add numbers, none of them NaN, to the ``(bins, 3)`` moments of bins.

    A number belongs into the bin in which ``value * scale - offset`` lies; what lies beyond the first or last bin goes
    into the middle of it. The moments are how many numbers there are, and the sums of u and of u², where u is the
    distance from the middle of the bin in widths. Both are rounded to multiples of 2**-30, so that sums of up to 2**23
    rows are exact: they do not depend on the order of the rows.
    """
    size = len(moments)
    tally, floors = scatter(), scratch()[0]
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        u, floor = tally.values[: len(part)], floors[: len(part)]
        _place(part, scale, offset, size, u, floor)
        np.copyto(tally.groups[: len(part)], floor, casting="unsafe")
        tally.place(len(part), size)
        moments[:, 0] += tally.counts()
        moments[:, 1] += tally.sums()
        _square(u)
        moments[:, 2] += tally.sums()


def add_counted_to_bins(
    values: Floats, counts: NDArray[np.int64], scale: float, offset: float, sums: NDArray[np.int64]
) -> None:
    """Add numbers that are there several times each; ``(bins, 3)`` sums of u and u² are in units of 2**-30."""
    places, floors, _ = scratch()
    for at in range(0, len(values), CHUNK):
        part, rows = values[at : at + CHUNK], counts[at : at + CHUNK]
        u, floor = places[: len(part)], floors[: len(part)]
        _place(part, scale, offset, len(sums), u, floor)
        index = floor.astype(np.intp)
        np.add.at(sums[:, 0], index, rows)
        np.add.at(sums[:, 1], index, (u * 2.0**30).astype(np.int64) * rows)
        _square(u)
        np.add.at(sums[:, 2], index, (u * 2.0**30).astype(np.int64) * rows)


def _place(values: Floats, scale: float, offset: float, size: int, u: Floats, floor: Floats) -> None:
    """Find the bins of numbers, and their distances from the middles, rounded to multiples of 2**-30."""
    with np.errstate(over="ignore"):
        np.multiply(values, scale, out=u)
    u -= offset
    np.clip(u, 0.5, size - 0.5, out=u)
    np.floor(u, out=floor)
    u -= floor
    u += _ROUND - 0.5
    u -= _ROUND


def _square(u: Floats) -> None:
    """Square distances in place, rounded to multiples of 2**-30."""
    np.square(u, out=u)
    u += _ROUND
    u -= _ROUND
