"""The centred Gram matrix of one variable in strips of diagonals, for more rows than memory allows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..core.threads import available_cores, run
from ..core.types import Floats
from ..kernels import Kernel
from .matrices import ROUNDING, CentredMatrix, Order, PermutationMoments, offset_chunks

_BLOCK_ROWS = 512


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
