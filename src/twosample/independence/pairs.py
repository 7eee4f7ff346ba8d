r"""HSIC of two variables in many worlds, each of which pairs the rows of x with those of y in another way.

For rows in any fixed order the n circular shifts of y against x are a cyclic group of pairings, and HSIC is known for
all of them at once. With matrices, :math:`S_j = \sum_{ii'} M_{ii'} N_{i+j,\,i'+j}` is a sum over diagonals d of the
cross-correlations of :math:`M_{i,i+d}` and :math:`N_{i,i+d}`: fast Fourier transforms of the diagonals, one inverse
transform at the end, O(n² log n) for n worlds. With factors it is the sum of squares of the cross-correlations of
their columns, O(n log n) for each pair of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..engines.threads import available_cores
from .factors import Factor
from .matrices import CentredMatrix, Moments, Order, offset_chunks

NEGLECTED = 1e-5
"""Pairs of axes are left out while what they add varies over permutations by less than this share of the whole."""

_CHUNK, _MANY_ROWS = 1_000_000, 20_000


class Pair(Protocol):
    """Two variables of n rows and an estimate of HSIC."""

    @property
    def size(self) -> int:
        """The number of rows n."""
        ...

    @property
    def tolerance(self) -> float:
        """Rounding error of the values."""
        ...

    @property
    def unit(self) -> float:
        """What the sum over entries is multiplied with."""
        ...

    @property
    def moments(self) -> tuple[Moments, Moments]:
        """Of the matrices of x and of y."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know about how the matrices were applied."""
        ...

    def autocorrelations(self) -> tuple[Floats, Floats]:
        """``(n // 2 + 1,)`` sums of M_(i,i+d) over i, indices modulo n, for both variables in their own order."""
        ...

    def observed(self) -> float:
        """The value itself."""
        ...

    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        """``(n,)`` values when row ``x_order[i]`` meets row ``y_order[i + j]``, for j = 0, ..., n - 1."""
        ...

    def permuted(self, orders: Order) -> Floats:
        """``(R,)`` values when row i of x meets row ``orders[r, i]`` of y."""
        ...

    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Eigenvalues of both, each up to a factor."""
        ...


def unit_of(size: int, unbiased: bool) -> float:
    """1/n² or 1/(n(n-3))."""
    return 1 / (size * (size - 3)) if unbiased else 1 / size**2


@dataclass(frozen=True, eq=False)
class MatrixPair:
    """Two centred matrices.

    Parameters
    ----------
    x, y
        The matrices, centred for the estimate that is wanted.
    unit
        What the sum over their entries is multiplied with.
    """

    x: CentredMatrix
    y: CentredMatrix
    unit: float
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.x.size

    @property
    def moments(self) -> tuple[Moments, Moments]:
        """Of both matrices."""
        return self.x.moments, self.y.moments

    @property
    def tolerance(self) -> float:
        """Rounding error of the values."""
        x, y = (float(np.sqrt(moments.square)) for moments in self.moments)
        return self.unit * self.size * (self.x.noise * (y + self.size * self.y.noise) + self.y.noise * x)

    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        """See :class:`Pair`."""
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
        """See :class:`Pair`."""
        order = np.arange(self.size)
        halves = zip(self.x.strips(order), self.y.strips(order), offset_chunks(self.size), strict=True)
        return self.unit * sum(float(np.einsum("ij,ij->j", M, N) @ self._twice(*chunk)) for M, N, chunk in halves)

    def autocorrelations(self) -> tuple[Floats, Floats]:
        """See :class:`Pair`."""
        order = np.arange(self.size)
        x, y = (np.concatenate([strip.sum(axis=0) for strip in side.strips(order)]) for side in (self.x, self.y))
        return x, y

    def permuted(self, orders: Order) -> Floats:
        """See :class:`Pair`; for few rows."""
        M, N = (whole_matrix(side) for side in (self.x, self.y))
        step = max(1, _CHUNK // self.size**2)
        parts = [
            np.einsum("ij,rij->r", M, N[part[:, :, None], part[:, None, :]])
            for part in (orders[start : start + step] for start in range(0, len(orders), step))
        ]
        return self.unit * np.concatenate(parts)

    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """See :class:`Pair`."""
        return self.x.eigenvalues(rng), self.y.eigenvalues(rng)


@dataclass(frozen=True, eq=False)
class FactorPair:
    """Two factors.

    HSIC_b is the sum S of squares of AB' over n². For HSIC_u, HKH and HLH may stand for K and L; their rows sum to 0,
    so that with their diagonals k and l it is ``(S - n/(n-2) k'l + tr(k)tr(l)/((n-1)(n-2))) / (n(n-3))``.

    Parameters
    ----------
    x, y
        The factors.
    unbiased
        Which estimate.
    """

    x: Factor
    y: Factor
    unbiased: bool

    @property
    def size(self) -> int:
        """The number of rows."""
        return self.x.size

    @property
    def unit(self) -> float:
        """What the sum is multiplied with."""
        return unit_of(self.size, self.unbiased)

    @property
    def moments(self) -> tuple[Moments, Moments]:
        """Of both centred matrices."""
        return self._moments(self.x), self._moments(self.y)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the engines have to say."""
        return tuple(dict.fromkeys(self.x.notes + self.y.notes))

    @property
    def tolerance(self) -> float:
        """Rounding error of the values."""
        if self._precision is np.float32:
            return 3e-6 * self.unit * float(self.x.values.sum() * self.y.values.sum()) / self.size
        return 1e-12 * self.unit * float(np.linalg.norm(self.x.values) * np.linalg.norm(self.y.values))

    @property
    def _precision(self) -> type[np.float32 | np.float64]:
        """Single precision for many rows: its rounding is below what the neglected axes change."""
        return np.float32 if self.size >= _MANY_ROWS else np.float64

    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        """See :class:`Pair`."""
        from scipy.fft import irfft, rfft

        n = self.size
        workers = available_cores() if n >= _MANY_ROWS else 1
        A, B = self.x.A[: np.count_nonzero(self._kept)], self.y.A[: self._kept[0]]
        F = rfft(np.take(A.astype(self._precision), x_order, axis=1), axis=1, workers=workers)
        G = rfft(np.take(B.astype(self._precision), y_order, axis=1), axis=1, workers=workers)
        np.conj(F, out=F)
        sums = np.full(n, self._left_out)
        step = max(1, _CHUNK // n)
        for a, count in enumerate(self._kept[: len(F)]):
            for start in range(0, int(count), step):
                C = irfft(F[a] * G[start : min(start + step, int(count))], n, axis=1, workers=workers)
                sums += np.einsum("bj,bj->j", C, C)
        if not self.unbiased:
            return self.unit * sums
        k, m = rfft(self.x.diagonal[x_order]), rfft(self.y.diagonal[y_order])
        return self._unbiased(sums, irfft(k.conj() * m, n))

    def observed(self) -> float:
        """See :class:`Pair`."""
        return float(self.permuted(np.arange(self.size)[None])[0])

    def autocorrelations(self) -> tuple[Floats, Floats]:
        """See :class:`Pair`."""
        from scipy.fft import irfft, rfft

        def of(side: Factor) -> Floats:
            F = rfft(side.A, axis=1)
            return np.asarray(irfft((F.real**2 + F.imag**2).sum(axis=0), self.size)[: self.size // 2 + 1])

        return of(self.x), of(self.y)

    def permuted(self, orders: Order) -> Floats:
        """See :class:`Pair`; for few rows."""
        mask = np.arange(len(self.y.values)) < self._kept[:, None]
        sums = np.array([float((mask * (self.x.A @ self.y.A[:, order].T) ** 2).sum()) for order in orders])
        sums += self._left_out
        if not self.unbiased:
            return self.unit * sums
        return self._unbiased(sums, self.y.diagonal[orders] @ self.x.diagonal)

    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """See :class:`Pair`."""
        del rng
        return self.x.values, self.y.values

    @cached_property
    def _kept(self) -> NDArray[np.intp]:
        """For each axis of x, how many axes of y it is paired with: the products of eigenvalues that matter."""
        squares = np.multiply.outer(self.x.values**2, self.y.values**2)
        line = np.sort(squares, axis=None)
        dropped = int(np.searchsorted(np.cumsum(line), NEGLECTED**2 * float(line.sum()), side="right"))
        return np.asarray(np.count_nonzero(squares >= line[min(dropped, len(line) - 1)], axis=1), dtype=np.intp)

    @cached_property
    def _left_out(self) -> float:
        """The mean over permutations of what is left out."""
        ends = np.concatenate([[0.0], np.cumsum(self.y.values)])
        left = float(self.x.values @ (ends[-1] - ends[self._kept]))
        return left / (self.size - 1)

    def _unbiased(self, sums: Floats, diagonals: Floats) -> Floats:
        n = self.size
        traces = float(self.x.diagonal.sum()) * float(self.y.diagonal.sum())
        return self.unit * (sums - n / (n - 2) * diagonals + traces / ((n - 1) * (n - 2)))

    def _moments(self, side: Factor) -> Moments:
        n, trace = side.size, float(side.diagonal.sum())
        square, diagonal = float(side.values @ side.values), float(side.diagonal @ side.diagonal)
        if not self.unbiased:
            return Moments(trace, square, diagonal, trace)
        square += trace * trace / ((n - 1) * (n - 2)) - n / (n - 2) * diagonal
        return Moments(0.0, max(square, 0.0), 0.0, trace)


def whole_matrix(side: CentredMatrix) -> Floats:
    """The whole matrix of few rows, from its diagonals."""
    n = side.size
    half = np.concatenate(list(side.strips(np.arange(n))), axis=1)  # (n, n // 2 + 1)
    i, d = np.indices(half.shape)
    M = np.empty((n, n))
    M[i, (i + d) % n] = half
    M[(i + d) % n, i] = half
    return M
