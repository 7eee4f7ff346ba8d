"""Kernels on things that are not rows of numbers: restricted to a list of them, they are kernels on row numbers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.types import Floats
from .base import BandwidthOf, Blocks, Kernel

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class ObjectKernel(Kernel):
    """A kernel on graphs, strings, bags of points or other objects.

    All that a kind of object has to supply is :meth:`on`: the kernel restricted to a list of objects, where a point is
    the number of an object in the list. Everything behind the door then works on row numbers.
    """

    domain = "objects"

    @abstractmethod
    def on(self, objects: Sequence[Any]) -> Kernel:
        """The kernel restricted to these objects; refuses what is not one, by its position."""

    def block(self, a: Any, b: Any) -> Floats:
        whole = self.on([*a, *b])
        return whole.block(row_numbers_of(a), row_numbers_of(b, len(a)))

    def pairs(self, a: Any, b: Any) -> Floats:
        whole = self.on([*a, *b])
        return whole.pairs(row_numbers_of(a), row_numbers_of(b, len(a)))

    def diagonal(self, a: Any) -> Floats:
        return self.on(a).diagonal(row_numbers_of(a))


@dataclass(frozen=True, eq=False)
class IndexKernel(Kernel):
    """A kernel on row numbers that stands for an object kernel on a list of objects."""

    origin: Kernel  # the object kernel

    domain = "indices"

    @property
    @abstractmethod
    def size(self) -> int:
        """How many objects there are."""

    @property
    def source(self) -> Kernel:
        """The object kernel."""
        return self.origin

    @property
    def bounds(self) -> tuple[float, float] | None:
        return self.origin.bounds

    def __repr__(self) -> str:
        return repr(self.origin)


@dataclass(frozen=True, eq=False, repr=False)
class Tabulated(IndexKernel):
    """The ``(N, N)`` kernel values of all pairs of objects, in memory."""

    matrix: Floats = field(default_factory=lambda: np.empty((0, 0)))

    in_memory = True

    @property
    def size(self) -> int:
        return len(self.matrix)

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.matrix[np.ix_(rows_of(a), rows_of(b))])

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.matrix[rows_of(a), rows_of(b)])


def _no_features() -> csr_array:
    from scipy.sparse import csr_array

    return csr_array((0, 0))


@dataclass(frozen=True, eq=False, repr=False)
class ExplicitFeatures(IndexKernel):
    """An inner product of ``(N, D)`` sparse features, one row for each object."""

    matrix: csr_array = field(default_factory=_no_features)

    has_features = True

    @property
    def size(self) -> int:
        return int(self.matrix.shape[0])

    def features(self, z: Floats) -> csr_array:
        return self.matrix[rows_of(z)]

    def block(self, a: Floats, b: Floats) -> Floats:
        return np.asarray((self.features(a) @ self.features(b).T).toarray(), dtype=np.float64)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return np.asarray(self.features(a).multiply(self.features(b)).sum(axis=1), dtype=np.float64).reshape(-1)


@dataclass(frozen=True, eq=False, repr=False)
class OnRows(IndexKernel):
    """A kernel on vectors, applied to the ``(N, d)`` numbers of rows behind the row numbers."""

    rows: Floats = field(default_factory=lambda: np.empty((0, 1)))

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def needs_bandwidth(self) -> bool:
        return self.origin.needs_bandwidth

    def fill(self, bandwidth_of: BandwidthOf) -> OnRows:
        """Missing bandwidths come from these rows, not from the row numbers."""
        return replace(self, origin=self.origin.fill(lambda metric, rows=None: bandwidth_of(metric, self.rows)))

    def block(self, a: Floats, b: Floats) -> Floats:
        return self.origin.block(self.rows[rows_of(a)], self.rows[rows_of(b)])

    def blocks(self, a: Floats, b: Floats, elementary: Callable[[Kernel, Floats, Floats], Blocks]) -> Blocks:
        left = self.rows[rows_of(a)]
        return self.origin.blocks(left, left if a is b else self.rows[rows_of(b)], elementary)

    def pairs(self, a: Floats, b: Floats) -> Floats:
        return self.origin.pairs(self.rows[rows_of(a)], self.rows[rows_of(b)])

    def diagonal(self, a: Floats) -> Floats:
        return self.origin.diagonal(self.rows[rows_of(a)])


def rows_of(points: Floats) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Row numbers, which the pool holds as one column of doubles, as whole numbers."""
    return np.asarray(points).reshape(-1).astype(np.intp)


def row_numbers_of(objects: Sequence[Any], start: int = 0) -> Floats:
    """``(len(objects), 1)`` row numbers from `start` on."""
    return np.arange(start, start + len(objects), dtype=np.float64)[:, None]
