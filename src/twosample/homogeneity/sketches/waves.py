r"""From binned moments to the characteristic function, the statistic, and its law under H0.

In a bin with mean c and variance v the wave exp(iwx) averages to exp(iwc) times that of a centred variable with
variance v: sin(ws)/(ws) with s = √(3v) is right to second order for any, exact for a single value (s = 0) and exact for
an even spread. An uneven spread shows in the mean, and gives the third-order term below; what remains is of fifth order
for smooth data. The bound assumes nothing: third-order terms are at most w³v times the bin width over 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import pi

import numpy as np

from ...core.centred import Centred, CentredGram, CentredSpectrum, wave_covariance
from ...core.sums import BlockSums
from ...core.types import Floats, Waves
from ...kernels import Kernel
from ...summaries import BinnedColumn
from ...summaries.bins import bin_cells

_TOLERANCES = (1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2)
_HIGHEST = 1.0  # radians a bin: beyond this frequency the bins know nothing
_MOST = 1000  # frequencies
_FEW = 200  # frequencies up to which eigenvalues come from them; beyond, from points that stand for all
_EVEN = 800  # of those


@dataclass(frozen=True, eq=False)
class BinnedSample:
    """The bins of one sample that have rows, in units of the bin width from the start of the bins."""

    place: Floats  # (K,) of each bin, places ascending; rows beyond the bins are at their ends
    rows: Floats
    variance: Floats
    skew: Floats
    beyond: float  # share of the rows that lies beyond the bins

    @classmethod
    def of(cls, column: BinnedColumn) -> BinnedSample:
        """From a column in bins."""
        return cls(*bin_cells(column)[:4], (column.below + column.above) / max(column.rows, 1))

    @cached_property
    def shares(self) -> Floats:
        """``(K,)`` shares of the rows."""
        return np.asarray(self.rows / self.rows.sum())

    def waves(self, frequencies: Floats) -> Waves:
        """``(J,)`` characteristic function."""
        result = np.empty(len(frequencies), dtype=np.complex128)
        half, third = np.sqrt(3 * self.variance), self.skew * self.variance
        step = max(1, (1 << 18) // len(self.place))
        for start in range(0, len(frequencies), step):
            w = frequencies[start : start + step, None]
            inner = np.sinc(w * half / pi) - 1j * w**3 * (third / 6)
            result[start : start + step] = (np.exp(1j * w * self.place) * inner) @ self.shares
        return result

    def error(self, frequencies: Floats) -> Floats:
        """``(J,)`` bounds on the error of the characteristic function, rows beyond the bins included."""
        v, w = self.variance, np.abs(frequencies)[:, None]
        terms = w**3 * v * (1 + np.abs(self.skew)) / 6 + 0.075 * w**4 * v**2
        return np.asarray(np.minimum(terms, 2.0) @ self.shares + 2 * self.beyond + 1e-14)


@dataclass(frozen=True, eq=False)
class WaveGrid:
    """A kernel as a sum of waves at whole multiples of one frequency."""

    kernel: Kernel  # the kernel, in bin widths
    spacing: float  # the frequency
    weights: Floats  # (M,) what the multiples 1, ..., M add to k(x, x)
    tail: float
    """How far the sum is from the kernel, up to a constant: frequencies that the bins cannot resolve, and copies."""

    @classmethod
    def of(cls, kernel: Kernel, width: float, unit: float) -> WaveGrid:
        """For data of a certain width, in bins; the kernel is in units of the data, and `unit` the width of a bin."""
        scaled = kernel.rescaled(unit)
        top = float(scaled.diagonal(np.zeros((1, 1)))[0])
        for tolerance in _TOLERANCES:  # the first that is affordable
            period, alias = _period(scaled, tolerance * top, width)
            if period * _cutoff(scaled, tolerance) <= 2 * pi * _MOST:
                break
        spacing = 2 * pi / period
        most = int(np.ceil(_cutoff(scaled, _TOLERANCES[0]) / spacing))
        frequencies: Floats = spacing * np.arange(1.0, min(max(most, 1), _MOST) + 1)
        weights = 2 * top * spacing * scaled.spectral_density(frequencies[:, None])
        return cls(scaled, spacing, weights, top * _tail(scaled, float(frequencies[-1])) + alias)

    def frequencies(self, times: int = 1) -> Floats:
        """Multiples 1, ..., times * M of the spacing."""
        return np.asarray(self.spacing * np.arange(1.0, times * len(self.weights) + 1), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class BinnedPair:
    """Two samples in the same bins, seen through a kernel."""

    x: BinnedSample
    y: BinnedSample
    grid: WaveGrid

    @property
    def m(self) -> int:
        """Rows of x."""
        return int(self.x.rows.sum())

    @property
    def n(self) -> int:
        """Rows of y."""
        return int(self.y.rows.sum())

    def sums(self) -> BlockSums:
        """Block sums of the centred kernel for the true labelling."""
        w, phi = self.grid.weights, self.x.waves(self.grid.frequencies())
        psi = self.y.waves(self.grid.frequencies())
        m, n = self.m, self.n
        mean = (m * phi + n * psi) / (m + n)
        own = np.array([float(w @ np.abs(m * (phi - mean)) ** 2)])
        level = float(w.sum() + w @ np.abs(mean) ** 2)
        dx, dy = (size * (level - 2 * float(w @ (wave * mean.conj()).real)) for size, wave in ((m, phi), (n, psi)))
        return BlockSums(own, -own, own, np.array([dx]), np.array([dy]), m, n, 1e-12)

    def bound(self) -> float:
        """How far MMD² of the rows themselves can be from that of the bins."""
        frequencies, w = self.grid.frequencies(), self.grid.weights
        phi, psi = self.x.waves(frequencies), self.y.waves(frequencies)
        ex, ey = self.x.error(frequencies), self.y.error(frequencies)
        both = 2 * np.abs(phi - psi) * (ex + ey) + (ex + ey) ** 2
        own = (2 * np.abs(phi) * ex + ex**2) / max(self.m - 1, 1) + (2 * np.abs(psi) * ey + ey**2) / max(self.n - 1, 1)
        return float(w @ (both + own)) + 4 * self.grid.tail

    def centred(self) -> Centred:
        """What the laws under H0 need, from the characteristic function at twice as many multiples."""
        size, w = self.m + self.n, self.grid.weights
        frequencies = self.grid.frequencies(2)
        pooled = (self.m * self.x.waves(frequencies) + self.n * self.y.waves(frequencies)) / size
        C, diagonal_square = wave_covariance(np.concatenate([[1.0], pooled]), np.arange(1, len(w) + 1), w)
        K, height = self._even_points(), float(w.sum())
        if len(w) <= _FEW:
            return CentredSpectrum.of_covariance(C, diagonal_square, size, height, cubes=CentredGram.of(K).cube())
        whole = CentredSpectrum.of_covariance(C, diagonal_square, size, height, triangles=0.0, eigenvalues=False)
        return CentredGram.of(K, whole.square, whole.spread)

    def _even_points(self) -> Floats:
        """The kernel matrix of points at even steps of the pooled rows, which stand for all."""
        place = np.concatenate([self.x.place, self.y.place])
        order = np.argsort(place, kind="stable")
        heap = np.cumsum(np.concatenate([self.x.rows, self.y.rows])[order])
        count = min(int(heap[-1]), _EVEN)
        at = np.searchsorted(heap, (np.arange(count) + 0.5) / count * heap[-1])
        points = place[order][at][:, None]
        return self.grid.kernel.block(points, points)


def _cutoff(kernel: Kernel, tolerance: float) -> float:
    """A frequency beyond which hardly anything of the spectrum lies, or the highest that the bins can resolve."""
    frequencies = np.geomspace(1e-9, _HIGHEST, 2000)
    large = np.flatnonzero(frequencies * kernel.spectral_density(frequencies[:, None]) > tolerance)
    return float(frequencies[min(large[-1] + 1, 1999)]) if len(large) else _HIGHEST


def _tail(kernel: Kernel, highest: float) -> float:
    """The share of the spectrum beyond a frequency, from what is beyond or, if that is much, from what is not."""

    def share(low: float, high: float) -> float:
        w = np.geomspace(low, high, 4000)
        return float(2 * np.trapezoid(w * kernel.spectral_density(w[:, None]), np.log(w)))

    below = share(1e-12 * highest, highest)
    return share(highest, 1e7 * highest) if below > 0.9 else 1.01 - below


def _period(kernel: Kernel, tolerance: float, width: float) -> tuple[float, float]:
    """A period at which the copies of the kernel do not matter over the width, and how much they do."""
    number = np.arange(1.0, 200.0)
    zero = np.zeros((1, 1))
    period = 1.01 * width + 1e-3
    while True:
        places = np.concatenate([number * period - width, number * period + width, number * period])[:, None]
        left, right, middle = kernel.block(places, zero)[:, 0].reshape(3, -1)
        alias = abs(float((left + right - 2 * middle).sum()))
        if alias <= tolerance:
            return period, alias
        period *= 1.05
