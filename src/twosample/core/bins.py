"""Numbers in equal bins: how many, and sums of powers of their distances from the middle, in whole numbers.

Adding 1.5 * 2**22 to a small number rounds it to a multiple of 2**-30, and its last binary digits then are that
multiple. Another 2**46 units on top of it count the row, so that one sum has both, the rows and their distances.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scatter import scatter
from .scratch import CHUNK, scratch
from .types import Floats

_ROUND = 1.5 * 2.0**22
_UNIT = 2.0**30  # units in the width of a bin
_ROW = 46  # the binary digit of a sum from which on it counts rows; below, 2**15 distances of up to 2**29 units
_COUNTED = _ROUND + 2.0**_ROW / _UNIT
_BITS = int(np.float64(_ROUND).view(np.int64))

Wholes = NDArray[np.int64]


def add_to_bins(
    values: Floats, scale: float, offset: float, sums: Wholes, ends: tuple[float, float] | None = None
) -> None:
    """Add numbers to bins.

    Parameters
    ----------
    values
        Numbers without NaN.
    scale, offset
        A number belongs into the bin in which ``value * scale - offset`` lies; what lies beyond the first or last bin
        goes into the middle of it.
    sums
        ``(3, bins)`` how many numbers there are, and the sums of u and of u², where u is the distance from the middle
        of the bin in widths. Both are whole multiples of 2**-30, and do not depend on the order of the rows.
    ends
        The least and the largest number, if they are known: where both lie in the bins, so do all.
    """
    size = sums.shape[1]
    within = ends is not None and _within(*ends, scale, offset, size)
    tally, (floors, distances, _), both = scatter(), scratch(), np.empty(size, dtype=np.int64)
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        whole, floor, u = tally.values[: len(part)], floors[: len(part)], distances[: len(part)]
        number = whole.view(np.float64)
        _place(part, scale, offset, size, number, floor, within)
        np.copyto(tally.groups[: len(part)], floor, casting="unsafe")
        tally.place(len(part), size, checked=within)
        number += _COUNTED - 0.5
        np.subtract(number, _COUNTED, out=u)
        whole -= _BITS
        both[:] = 0
        tally.add(both)
        rows = (both + (1 << _ROW - 1)) >> _ROW
        sums[0] += rows
        sums[1] += both - (rows << _ROW)
        np.square(u, out=number)
        number += _ROUND
        whole -= _BITS
        tally.add(sums[2])


def add_counted_to_bins(values: Floats, counts: Wholes, scale: float, offset: float, sums: Wholes) -> None:
    """Add numbers that are there several times each."""
    places, floors, _ = scratch()
    for at in range(0, len(values), CHUNK):
        part, rows = values[at : at + CHUNK], counts[at : at + CHUNK]
        u, floor = places[: len(part)], floors[: len(part)]
        _place(part, scale, offset, sums.shape[1], u, floor, within=False)
        index = floor.astype(np.intp)
        np.add.at(sums[0], index, rows)
        u -= 0.5
        np.add.at(sums[1], index, _units(u) * rows)
        np.square(u, out=u)
        np.add.at(sums[2], index, _units(u) * rows)


def _within(low: float, high: float, scale: float, offset: float, size: int) -> bool:
    """Whether the least and the largest number lie in the bins; rounding keeps the order of all between them."""
    return 0.5 <= low * scale - offset <= high * scale - offset <= size - 0.5


def _place(values: Floats, scale: float, offset: float, size: int, u: Floats, floor: Floats, within: bool) -> None:
    """Find the bins of numbers, and their distances from the lower ends; `within`: none lies beyond the bins."""
    with np.errstate(over="ignore"):
        np.multiply(values, scale, out=u)
    u -= offset
    if not within:
        np.clip(u, 0.5, size - 0.5, out=u)
    np.floor(u, out=floor)
    u -= floor


def _units(u: Floats) -> Wholes:
    """Small numbers in whole units; they are rounded in place."""
    u += _ROUND
    u -= _ROUND
    return np.asarray((u * _UNIT).astype(np.int64))
