"""Sums of numbers by group, in two thirds of the time of ``np.add.at``, and while other threads run."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .scratch import CHUNK
from .types import Floats

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_ONE = np.ones(1)
_kept = local()


class Scatter:
    """Up to CHUNK numbers and their groups, to be filled in by whoever asked for them with :func:`scatter`.

    They are the entries of a sparse matrix with one column, of which several may be in one place: its product with 1
    is the sum of each group. SciPy lets other threads run meanwhile; NumPy does not in ``np.add.at``. Should SciPy copy
    the arrays it is given, which are filled in again and again, ``np.bincount`` adds up instead.
    """

    def __init__(self) -> None:
        self.values, self.groups = np.zeros(CHUNK), np.zeros(CHUNK, dtype=np.int32)
        self._ones, self._ends = np.ones(CHUNK, dtype=np.int32), np.array([0, CHUNK], dtype=np.int32)
        self._known: dict[int, tuple[csc_array, csc_array] | None] = {}

    def place(self, count: int, size: int) -> None:
        """Say that the first so many groups have been filled in, of `size` that there are."""
        groups = self.groups[:count]
        if count and not 0 <= groups.min() <= groups.max() < size:  # SciPy does not look
            raise IndexError(f"Groups must lie between 0 and {size - 1}.")
        if size not in self._known:
            self._known[size] = self._matrices(size)
        self._placed, self._size, self._ends[1] = self._known[size], size, count

    def _matrices(self, size: int) -> tuple[csc_array, csc_array] | None:
        """Of ones and of the numbers, on the arrays of this object; None if SciPy has copied any of them."""
        from scipy.sparse import csc_array

        self._ends[1] = CHUNK  # of fewer entries SciPy would keep copies
        own = [(data, self.groups, self._ends) for data in (self._ones, self.values)]
        counts, sums = (csc_array(arrays, shape=(size, 1)) for arrays in own)
        for matrix, arrays in zip((counts, sums), own, strict=True):
            kept = matrix.data, matrix.indices, matrix.indptr
            if not all(np.shares_memory(one, two) for one, two in zip(kept, arrays, strict=True)):
                return None
        return counts, sums

    def counts(self) -> NDArray[np.int32]:
        """``(size,)`` how many numbers there are in each group."""
        if self._placed is None:
            return np.bincount(self.groups[: self._ends[1]], minlength=self._size).astype(np.int32)
        return np.asarray(self._placed[0] @ self._ones[:1])

    def sums(self) -> Floats:
        """``(size,)`` their sums."""
        if self._placed is None:
            count = self._ends[1]
            return np.asarray(np.bincount(self.groups[:count], self.values[:count], self._size), dtype=np.float64)
        return np.asarray(self._placed[1] @ _ONE)


def scatter() -> Scatter:
    """The one of this thread, to use until whoever asked for it returns."""
    if not hasattr(_kept, "one"):
        _kept.one = Scatter()
    one: Scatter = _kept.one
    return one
