"""The four distances of each term of the linear-time statistic in one compiled loop (Numba, of the extra `fast`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

from ..core.types import Floats

Size = Callable[[float], float]
FourSums = Callable[[Floats, Floats, float, Floats], None]
"""Fills ``(4, terms)`` values with weighted sums of squared or absolute differences of neighbouring rows of x and y."""


@cache
def four_sums(absolute: bool) -> FourSums | None:
    """Machine code that is made once a process, which takes a second; None where Numba is missing.

    It is not kept on disk: Numba's files there are pickles. Rows must be contiguous, and may be read-only.
    """
    try:
        from numba import config, njit, types
    except ImportError:
        return None
    if getattr(config, "DISABLE_JIT", False):  # the loop would run as it is written
        return None
    # the order of a sum may change, as it may in BLAS; NaN and infinity keep their meaning
    order = {"reassoc", "contract"}
    size = cast(Size, njit(_absolute if absolute else _square, nogil=True, fastmath=order))

    def fill(x: Floats, y: Floats, weight: float, values: Floats) -> None:
        for i in range(values.shape[1]):
            xx = yy = first = second = 0.0
            for j in range(x.shape[1]):
                x1, x2, y1, y2 = x[2 * i, j], x[2 * i + 1, j], y[2 * i, j], y[2 * i + 1, j]
                xx += size(x1 - x2)
                yy += size(y1 - y2)
                first += size(x1 - y2)
                second += size(x2 - y1)
            values[0, i], values[1, i] = weight * xx, weight * yy
            values[2, i], values[3, i] = weight * first, weight * second

    rows = types.Array(types.float64, 2, "C", readonly=True)
    signature = types.void(rows, rows, types.float64, types.float64[:, :])
    return cast(FourSums, njit(signature, nogil=True, fastmath=order)(fill))


def _absolute(difference: float) -> float:
    return abs(difference)


def _square(difference: float) -> float:
    return difference * difference
