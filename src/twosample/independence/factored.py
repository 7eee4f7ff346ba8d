r"""HSIC of two variables whose centred Gram matrices are products of few features.

The value of a pairing is the sum of squares of the products of their axes; those of circular shifts are
cross-correlations of them, O(n log n) for each pair of axes and all n shifts, and O(n) for shifts within short
stretches of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..core.threads import available_cores, run
from ..core.types import Floats
from .factors import PRECISE_ROWS, Factor
from .matrices import Order, PermutationMoments
from .pairs import VariablePair

NEGLECTED = 1e-5
"""Pairs of axes are left out while what they add varies over permutations by less than this share of the whole; a
millionth of it where there are no more than PRECISE_ROWS rows."""

_CHUNK = 4_000_000


@dataclass(frozen=True, eq=False)
class FactorPair(VariablePair):
    """Two factors.

    HSIC_b is the sum S of squares of A'B over n². For HSIC_u, HKH and HLH may stand for K and L; their rows sum to 0,
    so that with their diagonals k and l it is ``(S - n/(n-2) k'l + tr(k)tr(l)/((n-1)(n-2))) / (n(n-3))``.
    """

    x: Factor
    y: Factor
    unbiased: bool

    @property
    def moments(self) -> tuple[PermutationMoments, PermutationMoments]:
        of = unbiased_moments if self.unbiased else biased_moments
        return of(self.x), of(self.y)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.x.notes + self.y.notes))

    @property
    def tolerance(self) -> float:
        if self._precision is np.float32:
            return 3e-6 * self.unit * float(self.x.values.sum() * self.y.values.sum()) / self.size
        return 1e-12 * self.unit * float(np.linalg.norm(self.x.values) * np.linalg.norm(self.y.values))

    @property
    def _precision(self) -> type[np.float32 | np.float64]:
        """Single precision for many rows: its rounding is below what the neglected axes change."""
        return np.float32 if self.size > PRECISE_ROWS else np.float64

    def shifts(self, x_order: Order, y_order: Order) -> Floats:
        return self.turns(x_order, y_order, self.size)

    def turns(self, x_order: Order, y_order: Order, cycle: int) -> Floats:
        """``(cycle,)`` values of shifts within every `cycle` rows of the orders; rows left over at the end stay.

        These are the powers of one permutation too, and cost the less the shorter the cycles are.
        """
        kept = self._kept[: np.count_nonzero(self._kept)]
        wanted = ((self.x, x_order, len(kept)), (self.y, y_order, int(kept[0])))

        def cut(which: tuple[Factor, Order, int], stop: Event | None = None) -> _Stretches:
            del stop
            side, order, axes = which
            return _Stretches.of(np.take(side.rows[:, :axes].astype(self._precision), order, axis=0), cycle)

        x, y = run(wanted, cut, available_cores()) if self.size > PRECISE_ROWS else map(cut, wanted)
        sums, start = np.full(cycle, self._left_out), 0
        while start < len(kept):
            most = int(kept[start])
            some = slice(start, min(start + max(1, _CHUNK // (cycle * most)), len(kept)))
            C = x.correlated(y, some, most)
            np.square(C, out=C)
            mask = np.arange(most) < kept[some, None]
            sums += C.reshape(cycle, -1) @ mask.ravel().astype(C.dtype)
            start = some.stop
        if not self.unbiased:
            return self.unit * sums
        k, m = (_Stretches.of(d[o, None], cycle) for d, o in ((self.x.diagonal, x_order), (self.y.diagonal, y_order)))
        return self._unbiased(sums, k.correlated(m, slice(0, 1), 1)[:, 0, 0])

    def observed(self) -> float:
        return float(self._values([self.y.rows], np.array([self.x.diagonal @ self.y.diagonal]))[0])

    def autocorrelations(self) -> tuple[Floats, Floats]:
        from scipy.fft import irfft, rfft

        def of(side: Factor) -> Floats:
            F = rfft(side.rows, axis=0)
            return np.asarray(irfft((F.real**2 + F.imag**2).sum(axis=1), self.size)[: self.size // 2 + 1])

        return of(self.x), of(self.y)

    def permuted(self, orders: Order) -> Floats:
        return self._values((self.y.rows[order] for order in orders), self.y.diagonal[orders] @ self.x.diagonal)

    def _values(self, rows: Iterable[Floats], diagonals: Floats) -> Floats:
        """``(R,)`` values when x meets these rows of y, whose diagonals meet with these sums."""
        mask = np.arange(len(self.y.values)) < self._kept[:, None]
        sums = self._left_out + np.array([float((mask * (self.x.rows.T @ y) ** 2).sum()) for y in rows])
        return self._unbiased(sums, diagonals) if self.unbiased else self.unit * sums

    def spectra(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        del rng
        return self.x.values, self.y.values

    def products(self, rows: Order, columns: Order) -> Floats:
        x, y = (side.rows[rows] @ side.rows[columns].T for side in (self.x, self.y))
        return np.asarray(x * y)

    def weighted(self, W: Floats) -> Floats:
        """O(n) for each resample and each pair of axes that matters."""
        total, own = np.zeros(W.shape[1]), np.zeros(self.size)
        A, B = (np.ascontiguousarray(side.rows.T) for side in (self.x, self.y))
        for a, count in zip(A, self._kept, strict=True):
            features = a * B[:count]
            sums = features @ W
            total += np.einsum("br,br->r", sums, sums)
            own += np.einsum("bi,bi->i", features, features)
        return np.asarray(self.unit * (total - own @ W**2))

    @cached_property
    def _kept(self) -> NDArray[np.intp]:
        """For each axis of x, how many axes of y it is paired with: the products of eigenvalues that matter."""
        squares = np.multiply.outer(self.x.values**2, self.y.values**2)
        line = np.sort(squares, axis=None)
        share = NEGLECTED if self.size > PRECISE_ROWS else 1e-6 * NEGLECTED
        dropped = int(np.searchsorted(np.cumsum(line), share**2 * float(line.sum()), side="right"))
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


def biased_moments(side: Factor) -> PermutationMoments:
    """Of HKH."""
    trace = float(side.diagonal.sum())
    return PermutationMoments(trace, float(side.values @ side.values), side.diagonal_square, trace)


def unbiased_moments(side: Factor) -> PermutationMoments:
    """Of the U-centred matrix."""
    n, (trace, square, diagonal_square, _) = side.size, biased_moments(side)
    square += trace * trace / ((n - 1) * (n - 2)) - n / (n - 2) * diagonal_square
    return PermutationMoments(0.0, max(square, 0.0), 0.0, trace)


@dataclass(frozen=True, eq=False)
class _Stretches:
    """The transforms of features along equal stretches of the rows."""

    F: NDArray[np.complexfloating]  # (q, f, r) transforms of q stretches
    rest: Floats  # (n, r) rows left over
    cycle: int  # the length of a stretch

    @classmethod
    def of(cls, rows: Floats, cycle: int) -> _Stretches:
        """Of ``(n, r)`` features in the order that is cut."""
        from scipy.fft import rfft

        turning = len(rows) - len(rows) % cycle
        whole = rows[:turning].reshape(-1, cycle, rows.shape[1])
        return cls(rfft(whole, axis=1), rows[turning:], cycle)

    def correlated(self, other: _Stretches, some: slice, most: int) -> Floats:
        """``(cycle, some, most)`` inner products of features with those of the other, shifted by 0, 1, ... rows."""
        from scipy.fft import irfft

        F, G = self.F[:, :, some].conj(), other.F[:, :, :most]
        products = np.matmul(F.transpose(1, 2, 0), G.transpose(1, 0, 2))
        C = irfft(products, self.cycle, axis=0)
        C += self.rest[:, some].T @ other.rest[:, :most]
        return np.asarray(C)
