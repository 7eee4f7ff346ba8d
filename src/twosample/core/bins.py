"""Numbers in equal bins: how many, and sums of powers of their distances from the middle, in whole numbers.

Adding a certain constant to a small number rounds it to a multiple of 2**-30, and the binary digits of the double that
comes out, read as a whole number, are those of the constant plus that multiple. Sums of such whole numbers have both,
the rows, as a multiple of the digits of the constant, and their distances, in what is left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .scatter import add_by_group
from .scratch import CHUNK, scratch
from .types import Floats

_ROUND = 1.5 * 2.0**22
_UNIT = 2.0**30  # units in the width of a bin
_ROW = 46  # the binary digit from which on a sum of squares tells the rows: under 2**18 squares, each up to 2**28 units
_COUNTED = _ROUND + 2.0**_ROW / _UNIT  # an odd multiple of 2**_ROW units
_BITS = np.float64(_COUNTED).view(np.uint64)
_INVERSE = np.uint64(pow(int(_BITS) >> _ROW, -1, 1 << 64 - _ROW))
_MASK, _LEFT = np.uint64((1 << 64 - _ROW) - 1), np.uint64((1 << _ROW) - 1)
_DIGITS = np.uint64(_ROW)
_MOST = (1 << 18) - 1  # numbers whose sums are told apart
_FIRST, _SECOND = np.array(_COUNTED - 0.5), np.array(_COUNTED)  # arrays: NumPy takes them faster than numbers

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
    used = slice(None)
    if ends is not None and within:
        low, high = (int(end * scale - offset) for end in ends)
        used = slice(low, high + 1)
    for at in range(0, len(values), _MOST):
        found = _added(values[at : at + _MOST], np.array(scale), np.array(offset), size, within)
        _tell_apart(found[:, used], sums[:, used])


@np.errstate(over="ignore")
def _added(values: Floats, scale: Floats, offset: Floats, size: int, within: bool) -> NDArray[np.uint64]:
    """``(2, size)`` sums of the digits of u and of u², each with the constant added to it, modulo 2**64."""
    found = np.zeros((2, size), dtype=np.uint64)
    first, second = found
    for at in range(0, len(values), CHUNK):
        u, group = _placed(values[at : at + CHUNK], scale, offset, size, within)
        digits = u.view(np.uint64)
        np.add(u, _FIRST, u)
        add_by_group(first, group, digits, checked=within)
        np.subtract(u, _SECOND, u)
        np.square(u, u)
        np.add(u, _SECOND, u)
        add_by_group(second, group, digits, checked=True)
    return found


def _tell_apart(found: NDArray[np.uint64], sums: Wholes) -> None:
    """Add rows and sums, which are told apart here, in place, to what there is."""
    rows = found[1] >> _DIGITS
    rows *= _INVERSE
    rows &= _MASK
    sums[0] += rows.view(np.int64)
    rows *= _BITS
    found[0] -= rows
    found[1] &= _LEFT
    sums[1:] += found.view(np.int64)


@np.errstate(over="ignore")
def add_counted_to_bins(values: Floats, counts: Wholes, scale: float, offset: float, sums: Wholes) -> None:
    """Add numbers that are there several times each."""
    for at in range(0, len(values), CHUNK):
        rows = counts[at : at + CHUNK]
        u, group = _placed(values[at : at + CHUNK], np.array(scale), np.array(offset), sums.shape[1], within=False)
        np.add.at(sums[0], group, rows)
        u -= 0.5
        np.add.at(sums[1], group, _units(u) * rows)
        np.square(u, out=u)
        np.add.at(sums[2], group, _units(u) * rows)


def _within(low: float, high: float, scale: float, offset: float, size: int) -> bool:
    """Whether the least and the largest number lie in the bins; rounding keeps the order of all between them."""
    return 0.5 <= low * scale - offset <= high * scale - offset <= size - 0.5


def _placed(values: Floats, scale: Floats, offset: Floats, size: int, within: bool) -> tuple[Floats, NDArray[np.int32]]:
    """Up to CHUNK numbers' distances from the lower ends of their bins, and these; `within`: none lies beyond them."""
    distances, room, _ = scratch()
    u, group = distances[: len(values)], room.view(np.int32)[: len(values)]
    np.multiply(values, scale, u)
    np.subtract(u, offset, u)
    if not within:
        np.clip(u, 0.5, size - 0.5, out=u)
    np.copyto(group, u, casting="unsafe")
    np.subtract(u, group, u)
    return u, group


def _units(u: Floats) -> Wholes:
    """Small numbers in whole units; they are rounded in place."""
    u += _ROUND
    u -= _ROUND
    return np.asarray((u * _UNIT).astype(np.int64))
