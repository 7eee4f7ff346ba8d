"""Samples that are no numbers: lists of objects, and row numbers of a precomputed matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .._shown import shown
from ..core.types import Floats
from ..errors import InputError
from ..kernels import IndexKernel, Kernel, Precomputed, Product, Scaled, Sum
from .samples import points


def objects(value: object, name: str, least: int = 2) -> list[Any]:
    """A list of objects; what each of them may be is for the kernel to say."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise InputError(f"{name} is a {type(value).__name__}; with this kernel give a list of objects.")
    try:
        listed = list(value)
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its items
        raise InputError(f"{name} cannot be read as a list of objects: {shown(str(error), 200)}") from None
    if len(listed) < least:
        raise InputError(f"{name} has {len(listed)} object(s); a sample needs at least {least}.")
    return listed


def row_numbers(value: object, name: str, kernel: Kernel, least: int = 2) -> Floats:
    """``(rows, 1)`` row numbers of a precomputed matrix."""
    if np.asarray(value).dtype == np.bool_:
        raise InputError(f"{name} is a mask; with a Precomputed kernel give row numbers: np.flatnonzero({name}).")
    size = _listed(kernel).size
    rows = points(value, name, least)
    if rows.shape[1] != 1 or (rows != np.floor(rows)).any() or rows.min() < 0 or rows.max() >= size:
        raise InputError(
            f"{name}: with a Precomputed kernel, or one restricted to a list, the points are row numbers, "
            f"whole numbers from 0 to {size - 1}."
        )
    return rows


def index_rows(x: object, y: object, kernel: Kernel) -> tuple[Floats, Floats]:
    """Row numbers of a precomputed matrix; all of it, cut at its m, when x and y are None."""
    given = _listed(kernel)
    if x is None and y is None:
        if not isinstance(given, Precomputed) or given.m is None:
            raise InputError(
                "With a Precomputed kernel give x and y as row numbers of the matrix, or say how many rows are x: "
                "ts.Precomputed(K, m=...)."
            )
        x, y = np.arange(given.m), np.arange(given.m, given.size)
    return row_numbers(x, "x", kernel), row_numbers(y, "y", kernel)


def _listed(kernel: Kernel) -> Precomputed | IndexKernel:
    """The first kernel inside a combination that knows how many points there are."""
    while not isinstance(kernel, Precomputed | IndexKernel):
        assert isinstance(kernel, Scaled | Sum | Product)
        kernel = kernel.kernel if isinstance(kernel, Scaled) else kernel.parts[0]
    return kernel
