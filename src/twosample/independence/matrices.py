r"""The centred Gram matrix of one variable, in memory; in strips of diagonals, for more rows, see :mod:`.strips`.

Both estimates of HSIC are :math:`c\sum_{ij} M_{ij} N_{ij}` with matrices whose rows sum to 0. The biased one has
:math:`M = HKH`; the unbiased one (Song et al. 2012) the U-centred K without its diagonal,
:math:`M_{ij} = K_{ij} - \frac{R_i + R_j}{n-2} + \frac{G}{(n-1)(n-2)}` with row sums R and their total G over i ≠ j.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..core.centred import u_centred
from ..core.types import Floats
from ..kernels import Kernel

Order = NDArray[np.intp]

SPECTRUM_ROWS = 2000  # eigenvalues, O(n³), are taken from a random part of this size when there are more rows

_STRIP_ENTRIES = 2_000_000
ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a kernel value, relative to the largest


class PermutationMoments(NamedTuple):
    """What the law under permutations needs of one matrix M with row sums 0."""

    trace: float
    square: float  # sum of squared entries
    diagonal_square: float  # sum of squared diagonal entries
    spread: float  # trace of HKH, whatever the centring


class CentredMatrix(ABC):
    """A symmetric matrix M whose rows sum to 0."""

    _known: list[Floats]  # the eigenvalues, once they were asked for: a matrix of all pairs asks often

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of rows."""

    @property
    @abstractmethod
    def noise(self) -> float:
        """Rounding error of an entry."""

    @property
    @abstractmethod
    def diagonal(self) -> Floats:
        """``(n,)`` diagonal of HKH, whatever the centring."""

    @property
    @abstractmethod
    def moments(self) -> PermutationMoments:
        """Traces."""

    @abstractmethod
    def entries(self, rows: Order, columns: Order) -> Floats:
        """HKH for some rows and some columns, whatever the centring."""

    @abstractmethod
    def strips(self, order: Order) -> Iterator[Floats]:
        """M[o_i, o_(i+d)], indices modulo n, for d from 0 to n // 2: ``(n, c)`` arrays of c diagonals at a time."""

    @abstractmethod
    def _part(self, rows: Order) -> Floats:
        """The matrix of some rows, in any centring."""

    def eigenvalues(self, rng: np.random.Generator) -> Floats:
        """Eigenvalues of the U-centred matrix, up to a common factor; of a random part if there are many rows."""
        if not self._known:
            part = self._part(rng.choice(self.size, min(self.size, SPECTRUM_ROWS), replace=False))
            self._known.append(np.asarray(np.linalg.eigvalsh(u_centred(part)), dtype=np.float64))
        return self._known[0]


@dataclass(frozen=True, eq=False)
class MatrixInMemory(CentredMatrix):
    """M as an array."""

    M: Floats  # (n, n) centred values
    _diagonal: Floats
    _noise: float
    unbiased: bool  # which centring
    _known: list[Floats] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, kernel: Kernel, z: Floats, unbiased: bool) -> MatrixInMemory:
        """Of points z."""
        K = np.array(kernel.block(z, z))
        noise, means = ROUNDING * float(np.abs(K).max()), K.mean(axis=1)
        diagonal = np.diagonal(K) - 2 * means + means.mean()
        return cls(u_centred(K, overwrite=True) if unbiased else _doubly_centred(K), diagonal, noise, unbiased)

    @property
    def size(self) -> int:
        return len(self.M)

    @property
    def noise(self) -> float:
        return self._noise

    @property
    def diagonal(self) -> Floats:
        return self._diagonal

    @cached_property
    def moments(self) -> PermutationMoments:
        diagonal = np.diagonal(self.M)
        square, spread = float(np.vdot(self.M, self.M)), float(self.diagonal.sum())
        return PermutationMoments(float(diagonal.sum()), square, float(diagonal @ diagonal), spread)

    def entries(self, rows: Order, columns: Order) -> Floats:
        M = self.M[np.ix_(rows, columns)]
        if self.unbiased:
            n = self.size
            more = self.diagonal / (n - 2) - float(self.diagonal.sum()) / (2 * (n - 1) * (n - 2))
            M = M - more[rows, None] - more[columns]
            here, there = np.nonzero(rows[:, None] == columns)
            M[here, there] = self.diagonal[rows[here]]
        return np.asarray(M)

    def strips(self, order: Order) -> Iterator[Floats]:
        """Copies M once."""
        size = self.size
        wide = np.empty((size, size + size // 2))
        np.take(self.M[order], order, axis=1, out=wide[:, :size])
        wide[:, size:] = wide[:, : size // 2]
        down, right = wide.strides
        for first, last in offset_chunks(size):
            yield as_strided(wide[:, first:], (size, last - first), (down + right, right), writeable=False)

    def _part(self, rows: Order) -> Floats:
        return np.asarray(self.M[np.ix_(rows, rows)])


def offset_chunks(size: int) -> list[tuple[int, int]]:
    """The diagonals 0, ..., n // 2 in chunks (first, last + 1), the same for both variables."""
    width = max(1, _STRIP_ENTRIES // size)
    return [(first, min(first + width, size // 2 + 1)) for first in range(0, size // 2 + 1, width)]


def _doubly_centred(K: Floats) -> Floats:
    """HKH; overwrites K."""
    offsets = K.mean(axis=1)
    offsets -= 0.5 * float(offsets.mean())
    K -= offsets
    K -= offsets[:, None]
    return K
