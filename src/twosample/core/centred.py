r"""The centred Gram matrix of the pool: what the laws under H0 are made of.

Under H0 every point of the pool comes from one p, and MMD² is a degenerate quadratic form in the centred kernel
:math:`\tilde k` of Theorem 'Asymptotic distribution'. Its law follows from the eigenvalues of :math:`\tilde k`, its
moments from sums over pairs and triangles (the appendix 'Moments of the Empirical MMD Under H0').

The diagonal is left out on purpose. It never enters MMD²_u, and in high dimension it would swamp everything else:
with d much larger than N, :math:`\tilde k(z,z)` is of the order of 1 and :math:`\tilde k(z,z')` of the order of
:math:`d^{-1/2}`. The matrix is therefore U-centred (Székely and Rizzo 2014): zero diagonal, zero row sums, and
``sum(A**2) / (N (N-3))`` is an unbiased estimate of :math:`E\tilde k^2(z,z')`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .blas import single_threaded_blas
from .types import Floats, Waves

_NEGLIGIBLE = 1e-9  # of the largest eigenvalue


@dataclass(frozen=True, eq=False)
class Centred(ABC):
    """What the laws under H0 need to know of the centred kernel, however an engine comes by it."""

    square: float  # E k~(z,z')^2, unbiased, from the whole pool
    spread: float  # E[k(z,z) - k(z,z')], from the whole pool
    magnitude: float  # mean of |k(z,z)|: the scale on which rounding happens

    @property
    def degenerate(self) -> bool:
        """True when every point of the pool looks the same to the kernel, so that MMD² is 0 in every labelling."""
        return self.square <= (1e-12 * self.magnitude) ** 2

    @abstractmethod
    def triangle(self) -> float:
        """``E k~(1,2) k~(2,3) k~(3,1)``."""

    @abstractmethod
    def cube(self) -> float:
        """``E k~(1,2)^3``: the small term of the third moment."""

    @abstractmethod
    def eigenvalues(self) -> Floats:
        """Eigenvalues of the centred kernel with signs, whose squares sum to `square`."""


@dataclass(frozen=True, eq=False)
class CentredGram(Centred):
    """The U-centred Gram matrix of the pool, or of a random part of a large pool."""

    matrix: Floats  # (q, q) U-centred: zero diagonal, rows that sum to zero

    @classmethod
    def of(cls, K: Floats, square: float | None = None, spread: float | None = None) -> CentredGram:
        """Centre a Gram matrix; `square` and `spread` when better values than its own are known."""
        A = u_centred(K)
        q = len(K)
        if square is None:
            square = float((A * A).sum() / (q * (q - 3)))
        if spread is None:
            spread = float(np.trace(K) / q - (K.sum() - np.trace(K)) / (q * (q - 1)))
        return cls(square, spread, float(np.abs(np.diagonal(K)).mean()), A)

    def triangle(self) -> float:
        A = self.matrix
        q = len(A)
        return float(np.vdot(A @ A.T, A) / (q * (q - 1) * (q - 2)) * self._rescale() ** 3)

    def cube(self) -> float:
        A = self.matrix
        q = len(A)
        return float(np.einsum("ij,ij,ij->", A, A, A) / (q * (q - 1)) * self._rescale() ** 3)

    def eigenvalues(self) -> Floats:
        from scipy.linalg import eigvalsh

        q = len(self.matrix)
        with single_threaded_blas():  # its threads wait for each other: ten times the time on a busy machine
            values: Floats = eigvalsh(self.matrix) * (self._rescale() / np.sqrt(q * (q - 3)))
        return values

    def _rescale(self) -> float:
        """Brings the matrix of a part of the pool to the second moment of the whole."""
        q = len(self.matrix)
        own = float((self.matrix**2).sum() / (q * (q - 3)))
        return float(np.sqrt(self.square / own)) if own > 0 else 0.0


@dataclass(frozen=True, eq=False)
class CentredSpectrum(Centred):
    """The same from a finite spectrum, for engines that never see a matrix of pairs."""

    values: Floats  # the eigenvalues, squares summing to `square`
    triangles: float  # the two terms of the third moment
    cubes: float

    @classmethod
    def of_covariance(
        cls,
        C: Floats,
        diagonal_square: float,
        size: int,
        magnitude: float,
        triangles: float | None = None,
        cubes: float = 0.0,
        eigenvalues: bool = True,
    ) -> CentredSpectrum:
        """From features of the kernel: the only place where a covariance becomes a spectrum. O(D³) for D features.

        `C` is their ``(D, D)`` plug-in covariance in the pool of `size` points, whose trace is the mean of k~(z,z);
        `diagonal_square` is the mean of k~(z,z)², `magnitude` that of ``|k(z,z)|``. The third moment is made of
        `triangles` (None: from powers of C, good where points are many) and `cubes`. The gamma law needs no
        `eigenvalues`.
        """
        diagonal, squares = float(np.trace(C)), float((C * C).sum())
        square = 0.0
        if size > 3:
            square = max(0.0, unbiased_square(squares - diagonal_square / size, diagonal, diagonal_square, size))
        values = np.asarray(np.linalg.eigvalsh(C) if eigenvalues else np.diagonal(C), dtype=np.float64)
        values = without_diagonal(values, diagonal / size, size)
        values *= np.sqrt(square / max(float(values @ values), 1e-300))
        if triangles is None:
            triangles = float(np.vdot(C @ C, C)) - 3 * diagonal * squares / size
        return cls(square, diagonal * size / max(size - 1, 1), magnitude, values, triangles, cubes)

    def triangle(self) -> float:
        return self.triangles

    def cube(self) -> float:
        return self.cubes

    def eigenvalues(self) -> Floats:
        return self.values


def wave_covariance(phi: Waves, orders: NDArray[np.int64], weights: Floats) -> tuple[Floats, float]:
    """Covariance of the cosine and sine features, and the mean of k~(z,z)², from the characteristic function.

    `phi` holds it at the whole multiples 0, 1, ..., 2M of one frequency, because products of waves are waves.
    """
    difference, total = orders[:, None] - orders[None, :], orders[:, None] + orders[None, :]
    a_minus, a_plus = phi.real[np.abs(difference)], phi.real[total]
    b_minus, b_plus = np.sign(difference) * phi.imag[np.abs(difference)], phi.imag[total]
    cosines, sines, mixed = a_minus + a_plus, a_minus - a_plus, b_plus - b_minus
    roots = np.sqrt(np.concatenate([weights, weights]))
    second = 0.5 * np.block([[cosines, mixed], [mixed.T, sines]]) * roots[:, None] * roots[None, :]  # E f f'
    mean = roots * np.concatenate([phi.real[orders], phi.imag[orders]])
    top, level = float(weights.sum()), float(mean @ mean)
    diagonal_square = (top + level) * (top - 3 * level) + 4 * float(mean @ second @ mean)
    return second - np.outer(mean, mean), diagonal_square


def u_centred(K: Floats, overwrite: bool = False) -> Floats:
    """U-centre a Gram matrix: rows and columns sum to zero over the off-diagonal, the diagonal is zero.

    Additive terms f_i + f_j drop out. `overwrite`: K may be lost.
    """
    A, q = K if overwrite else K.copy(), len(K)
    np.fill_diagonal(A, 0.0)
    offsets = A.sum(axis=1) / (q - 2)
    offsets -= float(offsets.sum()) / (2 * (q - 1))
    A -= offsets
    A -= offsets[:, None]
    np.fill_diagonal(A, 0.0)
    return A


def pooled_square(squares: float, rows: Floats) -> float:
    """``E k~^2`` from one pass over K, the `squares` of whose off-diagonal entries and whose `rows` were summed up.

    The expanded form of ``sum(A**2) / (N (N-3))``, so that no N x N matrix is needed.
    """
    size = len(rows)
    total = rows.sum()
    inner = squares - 2 * (rows @ rows) / (size - 2) + total * total / ((size - 1) * (size - 2))
    return float(max(0.0, inner / (size * (size - 3))))


def unbiased_square(inner: float, diagonal: float, diagonal_square: float, size: int) -> float:
    """:func:`pooled_square` in terms of means, for row sums that are minus the diagonal."""
    rows = diagonal_square / size  # sum of squared row sums over N²
    total = diagonal * diagonal
    value = inner - 2 * rows / (size - 2) + total / ((size - 1) * (size - 2))
    return value * size / (size - 3)


def without_diagonal(values: Floats, level: float, size: int) -> Floats:
    """Eigenvalues of the centred matrix without its (nearly constant) diagonal: all N - 1 of them are lower by `level`.

    Those beyond the features, which are -level then, are many and small: at most 200 stand for all, with the same
    sum of squares, or 20 if that is less than a thousandth of all.
    Eigenvalues that are next to nothing are among them, so that the number of features has no say.
    """
    values = np.sort(values)[::-1][: size - 1]  # there are no more than that
    values = values[values > _NEGLIGIBLE * values.max(initial=0.0)]
    rest = max(0, size - 1 - len(values))
    few = min(rest, 200 if rest * level**2 > 0.001 * float(values @ values) else 20)
    return np.concatenate([values - level, np.full(few, -level * np.sqrt(rest / max(few, 1)))])
