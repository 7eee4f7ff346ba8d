"""Numbers in equal bins: how many, and sums of powers of their distances from the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scratch import CHUNK, scratch
from .types import Floats

EXACT_ROWS = 1 << 23
"""Rows of which sums in bins are exact, whatever their order."""

_ROUND = 1.5 * 2.0**22  # adding and subtracting it rounds small numbers to multiples of 2**-30
_BITS = int(np.float64(_ROUND).view(np.int64))  # a number to which it was added is this and a whole number of 2**-30
_SHIFT = 46
_ONE = 1 << _SHIFT  # stands for one row in a whole number that counts up to 2**16 of them, and adds up their u


def add_to_bins(values: Floats, scale: float, offset: float, moments: Floats) -> None:
    """Add numbers to bins.

    Parameters
    ----------
    values
        Numbers without NaN.
    scale, offset
        A number belongs into the bin in which ``value * scale - offset`` lies; what lies beyond the first or last bin
        goes into the middle of it.
    moments
        ``(bins, 2 or 3)`` how many numbers there are, and the sums of u and of u², where u is the distance from the
        middle of the bin in widths. Both are rounded to multiples of 2**-30, so that sums of up to 2**23 rows are
        exact: they do not depend on the order of the rows.
    """
    size, width = moments.shape
    places, floors, bins = scratch()
    packed = np.zeros(size if len(values) > size else 0, dtype=np.int64)  # rows and sums of u in one whole number
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        place, floor, index = places[: len(part)], floors[: len(part)], bins.view(np.intp)[: len(part)]
        with np.errstate(over="ignore"):
            np.multiply(part, scale, out=place)
        place -= offset
        np.clip(place, 0.5, size - 0.5, out=place)
        np.floor(place, out=floor)
        np.copyto(index, floor, casting="unsafe")
        place -= floor
        place -= 0.5
        place += _ROUND
        if len(packed):  # np.add.at takes most of the time, though np.bincount would take more
            np.add.at(packed, index, np.subtract(place.view(np.int64), _BITS - _ONE, out=floor.view(np.int64)))
            if at // CHUNK % 2 or at + CHUNK >= len(values):
                _unpack(packed, moments)
            place -= _ROUND
        else:
            place -= _ROUND
            np.add.at(moments[:, 0], index, 1.0)
            np.add.at(moments[:, 1], index, place)
        if width == 3:
            np.square(place, out=place)
            place += _ROUND
            place -= _ROUND
            np.add.at(moments[:, 2], index, place)


def _unpack(packed: NDArray[np.int64], moments: Floats) -> None:
    """Add rows and sums of u to the moments of the bins, and begin again at 0."""
    rows = (packed + _ONE // 2) >> _SHIFT
    moments[:, 0] += rows
    moments[:, 1] += (packed - (rows << _SHIFT)) * 2.0**-30
    packed[:] = 0
