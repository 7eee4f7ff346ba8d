r"""Many kernels on a line at once: one Fourier transform of the labels gives the statistics of all of them.

Rows are rounded to cells of equal width, an eighth of the narrowest bandwidth. A kernel matrix of cells is a part of
a circulant matrix, which the discrete Fourier transform diagonalises, so that :math:`v'Kv` of every kernel is a sum of
the same squares :math:`|\hat v_f|^2` with other weights: all pairs of rows in O(G log G) for G cells whatever the rows,
and kernels cost next to nothing. Cells are found without labels, so tests by relabelling are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import every_subset, subsets_are_few
from ..core.types import Floats
from ..kernels import RadialKernel

MOST_ROWS = 10**9  # fewer rows than that can be relabelled as counts

_STEPS = 8  # cells to the narrowest bandwidth
_CELLS = 1 << 14  # at most; beyond, cells are wider
_FAR = 4.0  # widest bandwidths from the median, beyond which distances count by their logarithm
_ENTRIES = 1 << 22  # cells times labellings at a time
_ROUNDING = 1e-11  # of a statistic, in units of 1/m + 1/n

Cells = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class LineFamily:
    """Two samples on a line in cells, and the kernels that look at them."""

    kernels: tuple[RadialKernel, ...]  # the kernels, with bandwidths, in the unit of `step`
    step: float  # the width of a cell
    cells: Cells  # (C,) numbers of the cells that have rows, ascending from 0
    x: NDArray[np.int64]  # (C,) rows of x, and of both samples, in each
    pool: NDArray[np.int64]

    @classmethod
    def of(cls, kernels: Sequence[RadialKernel], place: Floats, x: Floats, pool: Floats) -> LineFamily:
        """From rows of x and of both samples at places. O(K log K)."""
        widths = [kernel.scale for kernel in kernels]
        order = np.argsort(place, kind="stable")
        middle = order[np.searchsorted(np.cumsum(pool[order]), 0.5 * pool.sum())]
        line = _drawn_in(place - place[middle], _FAR * max(widths))
        line -= line.min()
        step = max(min(widths) / _STEPS, float(line.max()) / (_CELLS - 1))
        cells, index = np.unique(np.rint(line / step).astype(np.intp), return_inverse=True)
        counts = [np.rint(np.bincount(index, rows)).astype(np.int64) for rows in (x, pool)]
        return cls(tuple(kernels), step, cells, counts[0], counts[1])

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""
        return int(self.x.sum()), int(self.pool.sum() - self.x.sum())

    def relabelled(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], bool]:
        """``(R, C)`` rows of x in each cell, the truth first, in so many uniform relabellings; True if in all."""
        m, n = self.sizes
        if subsets_are_few(m, n, count):
            rows = np.concatenate([np.repeat(np.arange(len(self.x)), side) for side in (self.x, self.pool - self.x)])
            inside = (rows[:, None] == np.arange(len(self.x))).astype(np.int64)  # (N, C)
            return every_subset(m, n).T.astype(np.int64) @ inside, True
        drawn = rng.multivariate_hypergeometric(self.pool, m, size=count, method="marginals")
        return np.concatenate([self.x[None], drawn]), False

    def statistics(self, x: NDArray[np.int64]) -> tuple[Floats, float]:
        """``(K, R)`` MMD² (unbiased) of all kernels for ``(R, C)`` rows of x in each cell, and the rounding error."""
        from scipy.fft import next_fast_len, rfft

        length = next_fast_len(2 * (int(self.cells[-1]) + 1), real=True)
        m, n = self.sizes
        share = m / (m + n)
        spectra = self._spectra(length)  # (K, F)
        own = rfft(self._spread(self.pool.astype(np.float64)[None], length))[0]
        squares, products = [], []
        step = max(1, _ENTRIES // length)
        for start in range(0, len(x), step):
            waves = rfft(self._spread(x[start : start + step] - share * self.pool, length))  # of labels of sum 0
            squares.append((waves.real**2 + waves.imag**2) @ spectra.T)
            products.append((waves * own.conj()).real @ spectra.T)
        ee, pe, pp = np.concatenate(squares).T, np.concatenate(products).T, (spectra @ np.abs(own) ** 2)[:, None]
        same = np.array([float(kernel.diagonal(np.zeros((1, 1)))[0]) for kernel in self.kernels])[:, None]
        xx = ee + 2 * share * pe + share**2 * pp
        xy = -ee + (1 - 2 * share) * pe + share * (1 - share) * pp
        yy = ee - 2 * (1 - share) * pe + (1 - share) ** 2 * pp
        values = (xx - m * same) / (m * (m - 1)) + (yy - n * same) / (n * (n - 1)) - 2 * xy / (m * n)
        return values, _ROUNDING * (1 / m + 1 / n)

    def _spectra(self, length: int) -> Floats:
        """``(K, F)`` eigenvalues of the circulant kernel matrices, over the length, those of pairs of waves doubled."""
        from scipy.fft import rfft

        lags = np.minimum(np.arange(length), length - np.arange(length))[:, None] * self.step
        values = np.array([kernel.block(lags, np.zeros((1, 1)))[:, 0] for kernel in self.kernels])
        spectra = rfft(values).real / length
        spectra[:, 1 : (length + 1) // 2] *= 2
        return np.asarray(spectra)

    def _spread(self, rows: Floats, length: int) -> Floats:
        """``(R, length)`` rows in all cells, also those without any."""
        spread = np.zeros((len(rows), length))
        spread[:, self.cells] = rows
        return spread


def _drawn_in(line: Floats, far: float) -> Floats:
    """Places from the median of which those farther than `far` are drawn in: far + far/4 log2(1 + excess / (far/4))."""
    away, unit = np.abs(line), far / 4
    return np.where(away <= far, line, np.sign(line) * (far + unit * np.log2(1 + np.maximum(away - far, 0.0) / unit)))
