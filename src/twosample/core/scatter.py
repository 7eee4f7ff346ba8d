"""Sums of whole numbers by group, in half the time of ``np.add.at`` and beside other threads; equal numbers counted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scratch import CHUNK
from .types import Floats, Wholes

_ONES = {kind: np.ones(CHUNK, dtype=kind) for kind in map(np.dtype, (np.int32, np.int64, np.uint64))}

Groups = NDArray[np.int32] | NDArray[np.int64]


def add_by_group(
    sums: NDArray[np.integer[Any]],
    groups: Groups,
    values: NDArray[np.integer[Any]] | None = None,
    checked: bool = False,
) -> None:
    """Add whole numbers to sums, each to that of its group; modulo 2**64 (or 2**32).

    They are the entries of a sparse matrix with one column, of which several may be in one place: its product with 1
    is the sum of each group. SciPy has a function of its own that adds such a product to what is there and lets other
    threads run meanwhile; NumPy does not in ``np.add.at``, which stands in should that function ever go away. Another
    one counts, before it does more, the entries of each column: of a matrix without rows or columns it does no more.

    Parameters
    ----------
    sums
        ``(G,)`` what the numbers are added to, of 64 bits, or of 32 with a sign.
    groups
        ``(n,)`` the group of each number, from 0.
    values
        ``(n,)`` the numbers, of the type of the sums. None: ones, up to CHUNK of them.
    checked
        Whether the caller knows for sure that no group lies beyond the sums.
    """
    if not checked and len(groups) and not 0 <= groups.min() <= groups.max() < len(sums):  # SciPy does not look
        raise IndexError(f"Groups must lie between 0 and {len(sums) - 1}.")
    size, ones, counts = len(groups), _ONES[sums.dtype], _count()
    if values is None and counts is not None and sums.dtype == groups.dtype:
        none = _column(0, groups.dtype)
        counts(size, groups, 0, 0, none, none, sums, np.empty(1, dtype=groups.dtype))
        return
    added = ones[:size] if values is None else values
    if len(added) != size or added.dtype != sums.dtype:
        raise IndexError(f"There must be a number of type {sums.dtype} for each of {size} groups.")
    product = _product()
    if product is None:
        np.add.at(sums, groups, added)
    else:
        product(len(sums), 1, _column(size, groups.dtype), groups, added, ones[:1], sums)


@lru_cache(64)
def _column(entries: int, kind: np.dtype[Any]) -> Groups:
    """Where the entries of the one column begin and end; not to be changed."""
    return np.array([0, entries], dtype=kind)


@cache
def _count() -> Callable[..., None] | None:
    """SciPy's function that counts the entries of each column of a sparse matrix; None if it has none."""
    try:
        from scipy.sparse import _sparsetools
    except ImportError:
        return None
    return getattr(_sparsetools, "csr_column_index1", None)


@cache
def _product() -> Callable[..., None] | None:
    """SciPy's function that adds the product of a sparse matrix with a vector to another one; None if it has none."""
    try:
        from scipy.sparse import _sparsetools
    except ImportError:
        return None
    return getattr(_sparsetools, "csc_matvec", None)


def grouped(values: Floats, counts: Wholes | None) -> tuple[Floats, Wholes]:
    """Each number once, ascending, and how often it is there."""
    if counts is None:
        return ascending_once(np.sort(values), None)
    if (values[1:] > values[:-1]).all():
        return values, counts
    order = np.argsort(values, kind="stable")
    return ascending_once(values[order], counts[order])


def ascending_once(values: Floats, counts: Wholes | None) -> tuple[Floats, Wholes]:
    """The same of numbers that are ascending already."""
    if not len(values):
        return values, np.empty(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]]))
    if counts is None:
        return values[starts], np.diff(np.append(starts, len(values)))
    return values[starts], np.add.reduceat(counts, starts)
