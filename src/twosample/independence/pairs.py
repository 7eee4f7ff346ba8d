r"""HSIC of two variables for many pairings of the rows of x with those of y.

For rows in any fixed order the n circular shifts of y against x are a cyclic group of pairings, and HSIC is known for
all of them at once. With matrices, :math:`S_j = \sum_{ii'} M_{ii'} N_{i+j,\,i'+j}` is a sum over diagonals d of the
cross-correlations of :math:`M_{i,i+d}` and :math:`N_{i,i+d}`: fast Fourier transforms of the diagonals, one inverse
transform at the end, O(n² log n) for n pairings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..core.types import Floats
from .matrices import CentredMatrix, Order, PermutationMoments, offset_chunks

_CHUNK = 1_000_000


class OneVariable(Protocol):
    """One variable of n rows."""

    @property
    def size(self) -> int:
        """The number of rows n."""

    @property
    def diagonal(self) -> Floats:
        """``(n,)`` diagonal of HKH."""


class VariablePair(ABC):
    """Two variables of n rows and an estimate of HSIC: a sum over pairs of rows, times `unit`."""

    x: OneVariable
    y: OneVariable
    unbiased: bool  # which estimate

    @property
    def size(self) -> int:
        """The number of rows n."""
        return self.x.size

    @property
    def unit(self) -> float:
        """What the sum over entries is multiplied with."""
        return unit_of(self.size, self.unbiased)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about how the matrices were applied."""
        return ()

    @property
    def diagonal_sum(self) -> float:
        """The sum of (HKH)_ii (HLH)_ii over the rows i, times `unit`: the part of the biased value with i = j."""
        return self.unit * float(self.x.diagonal @ self.y.diagonal)

    @property
    @abstractmethod
    def tolerance(self) -> float:
        """Rounding error of the values."""

    @property
    @abstractmethod
    def moments(self) -> tuple[PermutationMoments, PermutationMoments]:
        """Of the centred matrices of x and of y."""

    @abstractmethod
    def autocorrelations(self) -> tuple[Floats, Floats]:
        """``(n // 2 + 1,)`` sums of M_(i,i+d) over i, indices modulo n, for both variables in their own order."""

    @abstractmethod
    def observed(self) -> float:
        """The value itself."""

    @abstractmethod
    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        """``(n,)`` values when row ``x_order[i]`` meets row ``y_order[i + j]``, for j = 0, ..., n - 1."""

    @abstractmethod
    def permuted(self, orders: Order) -> Floats:
        """``(R,)`` values when row i of x meets row ``orders[r, i]`` of y; for few rows."""

    @abstractmethod
    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Eigenvalues of both, each up to a factor."""

    @abstractmethod
    def products(self, rows: Order, columns: Order) -> Floats:
        """Entries of HKH times those of HLH for some rows and some columns, i ≠ j."""

    @abstractmethod
    def weighted(self, W: Floats) -> Floats:
        """``(R,)`` sums over i ≠ j of w_i w_j times these products for ``(n, R)`` weights, in the unit of the value."""


def unit_of(size: int, unbiased: bool) -> float:
    """1/n² or 1/(n(n-3))."""
    return 1 / (size * (size - 3)) if unbiased else 1 / size**2


@dataclass(frozen=True, eq=False)
class MatrixPair(VariablePair):
    """Two centred matrices."""

    x: CentredMatrix  # centred for the estimate that is wanted
    y: CentredMatrix
    unbiased: bool

    @property
    def moments(self) -> tuple[PermutationMoments, PermutationMoments]:
        return self.x.moments, self.y.moments

    @property
    def tolerance(self) -> float:
        x, y = (float(np.sqrt(moments.square)) for moments in self.moments)
        return self.unit * self.size * (self.x.noise * (y + self.size * self.y.noise) + self.y.noise * x)

    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        from scipy.fft import irfft, rfft

        spectrum = np.zeros(self.size // 2 + 1, dtype=np.complex128)
        halves = zip(self.x.strips(x_order), self.y.strips(y_order), offset_chunks(self.size), strict=True)
        for M, N, chunk in halves:
            F, G = rfft(M, axis=0), rfft(N, axis=0)
            np.conj(F, out=F)
            F *= G
            spectrum += F @ self._twice(*chunk)
        return self.unit * irfft(spectrum, self.size)

    def _twice(self, first: int, last: int) -> Floats:
        """How often each diagonal counts: d and n - d are the same."""
        offsets = np.arange(first, last)
        return np.where((offsets == 0) | (2 * offsets == self.size), 1.0, 2.0)

    def observed(self) -> float:
        order = np.arange(self.size)
        halves = zip(self.x.strips(order), self.y.strips(order), offset_chunks(self.size), strict=True)
        return self.unit * sum(float(np.einsum("ij,ij->j", M, N) @ self._twice(*chunk)) for M, N, chunk in halves)

    def autocorrelations(self) -> tuple[Floats, Floats]:
        order = np.arange(self.size)
        x, y = (np.concatenate([strip.sum(axis=0) for strip in side.strips(order)]) for side in (self.x, self.y))
        return x, y

    def permuted(self, orders: Order) -> Floats:
        M, N = (whole_matrix(side) for side in (self.x, self.y))
        step = max(1, _CHUNK // self.size**2)
        parts = [
            np.einsum("ij,rij->r", M, N[part[:, :, None], part[:, None, :]])
            for part in (orders[start : start + step] for start in range(0, len(orders), step))
        ]
        return self.unit * np.concatenate(parts)

    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        return self.x.eigenvalues(rng), self.y.eigenvalues(rng)

    def products(self, rows: Order, columns: Order) -> Floats:
        return self.x.entries(rows, columns) * self.y.entries(rows, columns)

    def weighted(self, W: Floats) -> Floats:
        """O(n²) for each resample."""
        total, every = np.zeros(W.shape[1]), np.arange(self.size)
        for start in range(0, self.size, max(1, _CHUNK // self.size)):
            rows = every[start : start + max(1, _CHUNK // self.size)]
            G = self.products(rows, every)
            G[rows - start, rows] = 0.0
            total += np.einsum("ir,ir->r", W[rows], G @ W)
        return self.unit * total


def whole_matrix(side: CentredMatrix) -> Floats:
    """The whole matrix of few rows, from its diagonals."""
    n = side.size
    half = np.concatenate(list(side.strips(np.arange(n))), axis=1)  # (n, n // 2 + 1)
    i, d = np.indices(half.shape)
    M = np.empty((n, n))
    M[i, (i + d) % n] = half
    M[(i + d) % n, i] = half
    return M
