r"""HSIC of two variables whose centred Gram matrices are products of few features.

A world is the sum of squares of the products of their axes; those of circular shifts are cross-correlations of them,
O(n log n) for each pair of axes and all n shifts, and O(n) for shifts within short stretches of the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.threads import available_cores
from ..core.types import Floats
from .factors import Factor
from .matrices import Moments, Order
from .pairs import unit_of

NEGLECTED = 1e-5
"""Pairs of axes are left out while what they add varies over permutations by less than this share of the whole."""

_CHUNK, _MANY_ROWS = 1_000_000, 20_000


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
        return self.turns(x_order, y_order, self.size)

    def turns(self, x_order: Order, y_order: Order, cycle: int) -> Floats:
        """``(cycle,)`` values of shifts within every `cycle` rows of the orders; rows left over at the end stay.

        These are the powers of one permutation too, and cost the less the shorter the cycles are.
        """
        from scipy.fft import irfft, rfft

        kept = self._kept[: np.count_nonzero(self._kept)]
        workers = available_cores() if self.size >= _MANY_ROWS else 1

        def spectra(rows: Floats, order: Order) -> tuple[NDArray[np.complex128], Floats]:
            """The transforms along the cycles, ``(r, q, f)``, and the rows left over."""
            taken = np.take(rows, order, axis=1)
            turning = self.size - self.size % cycle
            return rfft(taken[:, :turning].reshape(len(rows), -1, cycle), axis=2, workers=workers), taken[:, turning:]

        F, a = spectra(self.x.A[: len(kept)].astype(self._precision), x_order)
        G, b = spectra(self.y.A[: kept[0]].astype(self._precision), y_order)
        np.conj(F, out=F)
        sums, step = np.full(cycle, self._left_out), max(1, _CHUNK // cycle)
        for i, count in enumerate(kept):
            for start in range(0, int(count), step):
                some = slice(start, min(start + step, int(count)))
                C = irfft(np.einsum("qf,bqf->bf", F[i], G[some]), cycle, axis=1, workers=workers)
                C += (b[some] @ a[i])[:, None]
                sums += np.einsum("bj,bj->j", C, C)
        if not self.unbiased:
            return self.unit * sums
        (k, left), (m, right) = spectra(self.x.diagonal[None], x_order), spectra(self.y.diagonal[None], y_order)
        diagonals = irfft(np.einsum("aqf,aqf->f", k.conj(), m), cycle) + float(np.vdot(left, right))
        return self._unbiased(sums, diagonals)

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

    @property
    def selves(self) -> float:
        """See :class:`Pair`."""
        return self.unit * float(self.x.diagonal @ self.y.diagonal)

    def products(self, rows: Order, columns: Order) -> Floats:
        """See :class:`Pair`."""
        x, y = (side.A[:, rows].T @ side.A[:, columns] for side in (self.x, self.y))
        return np.asarray(x * y)

    def weighted(self, W: Floats) -> Floats:
        """See :class:`Pair`; O(n) for each world and each pair of axes that matters."""
        total, own = np.zeros(W.shape[1]), np.zeros(self.size)
        for a, count in zip(self.x.A, self._kept, strict=True):
            features = a * self.y.A[:count]
            sums = features @ W
            total += np.einsum("br,br->r", sums, sums)
            own += np.einsum("bi,bi->i", features, features)
        return np.asarray(self.unit * (total - own @ W**2))

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
