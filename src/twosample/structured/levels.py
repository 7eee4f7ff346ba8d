"""Values of one column as levels or numbers: what is missing, which levels there are, and where a bad value stands.

And what kernels on other objects share: reading numbers, values divided by norms.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..errors import InputError

Mask = NDArray[np.bool_]
Numbers = NDArray[np.intp]

LARGEST = 1e300  # numbers must be smaller: differences of larger ones overflow


def is_missing(value: Any) -> bool:
    """None, NaN, and what answers to a comparison with itself with neither yes nor no (pandas.NA)."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  NaN and NaT differ from themselves
    except (TypeError, ValueError):
        return not isinstance(value, np.ndarray | list | tuple)


def missing_mask(values: Sequence[Any]) -> Mask:
    """``(N,)`` which values are missing."""
    return np.fromiter((is_missing(value) for value in values), dtype=bool, count=len(values))


def coded(values: Sequence[Any] | NDArray[Any], missing: Mask) -> tuple[Numbers, list[Hashable]]:
    """Numbers of the levels in order of appearance (-1 where missing), and the levels."""
    codes = np.full(len(missing), -1, dtype=np.intp)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        found, first, inverse = np.unique(values[~missing], return_index=True, return_inverse=True)
        order = np.argsort(first)
        codes[~missing] = np.argsort(order)[inverse]
        return codes, found[order].tolist()
    known: dict[Hashable, int] = {}
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    for i in np.flatnonzero(~missing).tolist():
        try:
            codes[i] = known.setdefault(listed[i], len(known))
        except TypeError:
            raise InputError(
                f"Value {i} (counted from 0) is {type(listed[i]).__name__}, which cannot be a category; "
                "give strings, numbers or other hashable values."
            ) from None
    return codes, list(known)


def floats(values: Sequence[Any] | NDArray[Any], missing: Mask) -> Floats:
    """``(N,)`` doubles, 0 where missing; refuses what is no finite number, by its position."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        numbers = values.astype(np.float64)
    else:
        numbers = np.zeros(len(missing))
        for i in np.flatnonzero(~missing).tolist():
            if not isinstance(values[i], Real | Decimal):
                raise InputError(
                    f"Value {i} (counted from 0) is {type(values[i]).__name__} and not a number; "
                    "such a column is of another kind: 'category' or 'text'."
                )
            try:
                numbers[i] = float(values[i])
            except OverflowError:  # a whole number that no double can hold
                numbers[i] = np.inf
    numbers[missing] = 0.0
    bad = ~(np.abs(numbers) < LARGEST)
    if bad.any():
        raise InputError(
            f"Value {int(bad.argmax())} (counted from 0) is not finite, or beyond {LARGEST:g}; drop it, make it "
            "missing, or change the units."
        )
    return numbers


def real_array(value: Any) -> Floats | None:
    """A copy as doubles; None if it holds anything but real numbers, or rows of unequal length."""
    try:
        array = np.asarray(value)
        return array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except Exception:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        return None


def unit_diagonal(K: Floats) -> Floats:
    """Kernel values divided by the norms of both objects; an object without norm keeps its zeros."""
    norms = np.sqrt(np.maximum(np.diagonal(K), 0.0))
    norms = np.where(norms > 0, norms, 1.0)
    return np.asarray(K / norms / norms[:, None])
