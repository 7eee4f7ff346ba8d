"""Sums of whole numbers by group, in half the time of ``np.add.at``, and while other threads run."""

from __future__ import annotations

from collections.abc import Callable
from threading import local

import numpy as np
from numpy.typing import NDArray

from .scratch import CHUNK

_ONE = np.ones(1, dtype=np.int64)
_kept = local()

Wholes = NDArray[np.int64]


class Scatter:
    """Up to CHUNK whole numbers and their groups, to be filled in by whoever asked for them with :func:`scatter`.

    They are the entries of a sparse matrix with one column, of which several may be in one place: its product with 1
    is the sum of each group. SciPy has a function of its own that adds such a product to what is there and lets other
    threads run meanwhile; NumPy does not in ``np.add.at``, which stands in should that function ever go away.
    """

    def __init__(self) -> None:
        self.values, self.groups = np.zeros(CHUNK, dtype=np.int64), np.zeros(CHUNK, dtype=np.int32)
        self._ones, self._ends = np.ones(CHUNK, dtype=np.int64), np.array([0, CHUNK], dtype=np.int32)
        self._product = _product()

    def place(self, count: int, size: int, checked: bool = False) -> None:
        """Say that the first so many groups have been filled in, of `size` that there are.

        `checked`: whoever filled them in knows for sure that none lies beyond these.
        """
        groups = self.groups[:count]
        if not checked and count and not 0 <= groups.min() <= groups.max() < size:  # SciPy does not look
            raise IndexError(f"Groups must lie between 0 and {size - 1}.")
        self._ends[1], self._size = count, size

    def count(self, sums: Wholes) -> None:
        """Add one to ``(size,)`` numbers for each time that their group is there."""
        self._add(self._ones, sums)

    def add(self, sums: Wholes) -> None:
        """Add the values to ``(size,)`` sums, each to that of its group."""
        self._add(self.values, sums)

    def _add(self, values: Wholes, sums: Wholes) -> None:
        if len(sums) != self._size:
            raise IndexError(f"There must be {self._size} sums, one of each group; {len(sums)} came.")
        if self._product is None:
            count = self._ends[1]
            np.add.at(sums, self.groups[:count], values[:count])
        else:
            self._product(self._size, 1, self._ends, self.groups, values, _ONE, sums)


def _product() -> Callable[..., None] | None:
    """SciPy's function that adds the product of a sparse matrix with a vector to another one; None if it has none."""
    try:
        from scipy.sparse import _sparsetools
    except ImportError:
        return None
    return getattr(_sparsetools, "csc_matvec", None)


def scatter() -> Scatter:
    """The one of this thread, to use until whoever asked for it returns."""
    if not hasattr(_kept, "one"):
        _kept.one = Scatter()
    one: Scatter = _kept.one
    return one
