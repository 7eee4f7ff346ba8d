"""Numbers in equal bins: how many, and sums of powers of their distances from the middle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scratch import CHUNK, scratch
from .types import Floats

EXACT_ROWS = 1 << 23
"""Rows of which sums in bins are exact, whatever their order."""

_ROUND = 1.5 * 2.0**22  # adding and subtracting it rounds small numbers to multiples of 2**-30


def add_to_bins(
    values: Floats, scale: float, offset: float, moments: Floats, counts: NDArray[np.int64] | None = None
) -> None:
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
    counts
        How often each number is there; None: once.
    """
    size, width = moments.shape
    places, floors, bins = scratch()
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
        place -= _ROUND
        weight = 1.0 if counts is None else counts[at : at + CHUNK]
        # np.add.at is quicker here than np.bincount, which looks for the largest index first and makes a new array
        np.add.at(moments[:, 0], index, weight)
        np.add.at(moments[:, 1], index, place if counts is None else place * weight)
        if width == 3:
            np.square(place, out=place)
            place += _ROUND
            place -= _ROUND
            np.add.at(moments[:, 2], index, place if counts is None else place * weight)
