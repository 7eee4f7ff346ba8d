r"""The centred Gram matrix of one variable, in memory, or in strips of diagonals for more rows than memory allows.

Both estimates of HSIC are :math:`c\sum_{ij} M_{ij} N_{ij}` with matrices whose rows sum to 0. The biased one has
:math:`M = HKH`; the unbiased one (Song et al. 2012) the U-centred K without its diagonal,
:math:`M_{ij} = K_{ij} - \frac{R_i + R_j}{n-2} + \frac{G}{(n-1)(n-2)}` with row sums R and their total G over i ≠ j.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from ..core.centred import u_centred
from ..core.threads import available_cores, run
from ..core.types import Floats
from ..kernels import Kernel

Order = NDArray[np.intp]

SPECTRUM_ROWS = 2000  # eigenvalues, O(n³), are taken from a random part of this size when there are more rows

_STRIP_ENTRIES = 2_000_000
ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a kernel value, relative to the largest
_BLOCK_ROWS = 512


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


@dataclass(frozen=True, eq=False)
class MatrixInStrips(CentredMatrix):
    """M made anew whenever it is needed, by blocks: memory O(n) times the width of a strip."""

    kernel: Kernel  # the kernel and the points
    z: Floats
    unbiased: bool  # which centring
    threads: int | None = None
    _known: list[Floats] = field(default_factory=list, init=False, repr=False)

    @property
    def size(self) -> int:
        return len(self.z)

    @cached_property
    def noise(self) -> float:
        """By the largest kernel value."""
        return ROUNDING * float(np.abs(self.kernel.diagonal(self.z)).max())

    @cached_property
    def moments(self) -> PermutationMoments:
        """Traces, from sums over K in one pass."""
        n, diagonal = self.size, self.kernel.diagonal(self.z)
        rows, squares = self._sums
        total, f, spread = float(rows.sum()), self._offsets, float(self.diagonal.sum())
        if not self.unbiased:
            middle = diagonal - 2 * f
            square = squares - 2 * float(rows @ rows) / n + (total / n) ** 2
            return PermutationMoments(float(middle.sum()), max(square, 0.0), float(middle @ middle), spread)
        others = rows - diagonal
        square = squares - float(diagonal @ diagonal) - 2 * float(others @ others) / (n - 2)
        square += float(others.sum()) ** 2 / ((n - 1) * (n - 2))
        return PermutationMoments(0.0, max(square, 0.0), 0.0, spread)

    @cached_property
    def diagonal(self) -> Floats:
        means = self._sums[0] / self.size
        return np.asarray(self.kernel.diagonal(self.z) - 2 * means + means.mean())

    def entries(self, rows: Order, columns: Order) -> Floats:
        means = self._sums[0] / self.size
        f = means - means.mean() / 2
        return np.asarray(self.kernel.block(self.z[rows], self.z[columns]) - f[columns] - f[rows, None])

    def strips(self, order: Order) -> Iterator[Floats]:
        z, f, n = self.z[order], self._offsets[order], self.size
        for first, last in offset_chunks(n):
            strip = np.empty((n, last - first))

            def work(start: int, stop: Event, strip: Floats = strip, first: int = first, last: int = last) -> None:
                if stop.is_set():
                    return
                end = min(start + _BLOCK_ROWS, n)
                columns = np.arange(start + first, end - 1 + last) % n
                K = np.ascontiguousarray(self.kernel.block(z[start:end], z[columns]))
                K -= f[columns]
                down, right = K.strides
                skew = as_strided(K, (end - start, last - first), (down + right, right), writeable=False)
                np.subtract(skew, f[start:end, None], out=strip[start:end])

            run(range(0, n, _BLOCK_ROWS), work, self.threads or available_cores())
            if first == 0 and self.unbiased:
                strip[:, 0] = 0.0
            yield strip

    def _part(self, rows: Order) -> Floats:
        return self.kernel.block(self.z[rows], self.z[rows])

    @cached_property
    def _offsets(self) -> Floats:
        """The f with M_ij = K_ij - f_i - f_j."""
        n, rows = self.size, self._sums[0]
        if not self.unbiased:
            return rows / n - float(rows.sum()) / (2 * n * n)
        others = rows - self.kernel.diagonal(self.z)
        return others / (n - 2) - float(others.sum()) / (2 * (n - 1) * (n - 2))

    @cached_property
    def _sums(self) -> tuple[Floats, float]:
        """Row sums of K, and the sum of its squared entries."""

        def work(start: int, stop: Event) -> tuple[Floats, float]:
            if stop.is_set():
                return np.empty(0), 0.0
            sums, squares = 0.0, 0.0
            for other in range(0, self.size, 4 * _BLOCK_ROWS):
                K = self.kernel.block(self.z[start : start + _BLOCK_ROWS], self.z[other : other + 4 * _BLOCK_ROWS])
                sums, squares = sums + K.sum(axis=1), squares + float(np.vdot(K, K))
            return np.asarray(sums), squares

        parts = run(range(0, self.size, _BLOCK_ROWS), work, self.threads or available_cores())
        return np.concatenate([rows for rows, _ in parts]), float(sum(squares for _, squares in parts))
