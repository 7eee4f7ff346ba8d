"""A Gram matrix on frequency grids: sums of waves over the points of each labelling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ...core.centred import Centred, CentredGram, CentredSpectrum, pooled_square, wave_covariance
from ...core.labellings import Labellings, PackedBits
from ...core.sums import BlockSums
from ...core.threads import Progress, available_cores, run
from ...core.types import Counts, Floats, Waves
from ...kernels import Kernel
from ..base import CENTRED_POINTS, Gram
from ..features.feature_gram import PIECES, FeatureGram
from .frequency_grid import FrequencyGrid
from .line_bins import BinnedLine, SortedPlaces, bin_count
from .nufft import fast_sums, fast_values, transforms_available

DIRECT_FREQUENCIES = 1500
"""Up to this many frequencies waves are summed directly; beyond that by non-uniform fast Fourier transforms."""

PLAIN_FREQUENCIES = 6000  # the same where there are no such transforms

_BINNED_POINTS, _BINNED_COLUMNS = 50_000, 8
"""On the line, with more points and fewer labellings than this, moments in bins replace the points."""

_MOMENT_POINTS = 100_000
"""Where transforms are used, the second moment of the centred kernel is that of a random part of this size."""

_ROWS = 1 << 14

_SUM_BYTES = 1 << 27  # of the sums of waves that are kept at a time
_MINOR = 1e-7  # of the kernel that neighbours, which move by far more, may leave out
_NOISE = 1e-15  # of the kernel: what is left of it after centring is nothing but rounding


def direct_frequencies() -> int:
    """Up to how many frequencies waves are summed directly."""
    return DIRECT_FREQUENCIES if transforms_available() else PLAIN_FREQUENCIES


@dataclass(frozen=True, eq=False)
class GridFeatures:
    """The cosines and sines of several grids."""

    grids: tuple[FrequencyGrid, ...]  # the grids; together their waves make the kernel, up to a constant

    @property
    def width(self) -> int:
        """The number of features of all grids together."""
        return sum(grid.width for grid in self.grids)

    @cached_property
    def weights(self) -> Floats:
        """``(J,)`` what each frequency adds to k(x, x)."""
        return np.concatenate([grid.weights for grid in self.grids] or [np.empty(0)])

    def __call__(self, points: Floats) -> Floats:
        """``(len(points), width)`` features."""
        if len(self.grids) == 1:
            return self.grids[0](points)
        return np.concatenate([grid(points) for grid in self.grids] or [np.empty((len(points), 0))], axis=1)


@dataclass(frozen=True, eq=False)
class GridGram(Gram):
    """K on frequency grids. With many labellings and few frequencies the work is left to :class:`FeatureGram`."""

    kernel: Kernel  # the kernel, for the few places that need it itself
    z: Floats  # (N, d) pooled points, gaps closed
    features: GridFeatures  # the frequencies
    squared: Callable[[Floats], GridGram | None]
    """Makes the same for the squared kernel on some of the points, or None if that has too many frequencies."""
    remarks: tuple[str, ...] = ()  # what to tell the user
    threads: int | None = None  # as in Tiled
    progress: Progress | None = field(default=None, repr=False)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Block sums of the centred kernel."""
        if isinstance(labels.stored, PackedBits) and labels.stored.order is not None and self._direct:
            return self._by_neighbours(labels.stored, labels.stored.order, m, n)
        if labels.count >= 16 and self._direct:
            return self._by_features.block_sums(labels, m, n)
        w, sizes = self.features.weights, np.array([m] if labels.y is None else [m, n])
        own, cross, diagonal, square = [], [], [], 0.0
        for F, mean in self._wave_sums(labels):
            square = float(w @ np.abs(mean) ** 2)
            diagonal.append(sizes * (float(w.sum()) + square) - 2 * (F @ (w * mean.conj())).real)
            S = np.subtract(F, sizes[:, None] * mean, out=F)
            own.append((S.real**2 + S.imag**2) @ w)
            cross.append((S[:, 0].real * S[:, -1].real + S[:, 0].imag * S[:, -1].imag) @ w)
        squares, diagonals, both = np.concatenate(own), np.concatenate(diagonal), np.concatenate(cross)
        trace = len(self.z) * (float(w.sum()) - square)
        if trace <= _NOISE * len(self.z) * self._height:  # all points are the same, up to rounding
            squares[:], diagonals[:], both[:], trace = 0.0, 0.0, 0.0, 0.0
        xx, dx = squares[:, 0], diagonals[:, 0]
        if labels.y is not None:
            return BlockSums(xx, both, squares[:, 1], dx, diagonals[:, 1], m, n, 1e-12)
        return BlockSums(xx, -xx, xx, dx, trace - dx, m, n, 1e-12)

    def _by_neighbours(self, packed: PackedBits, order: NDArray[np.intp], m: int, n: int) -> BlockSums:
        """Block sums of relabellings that are written in the order of the line."""
        sums, means, line, height = [], [], self.z[order, 0], 0.0
        for whole in self.features.grids:
            grid = whole.without_smallest(_MINOR)
            S, mean = SortedPlaces(line, grid).sums(packed, self.threads, self.progress)
            sums.append(S)
            means.append(mean)
            height += float(grid.weights.sum())
        S, mean = np.concatenate(sums, axis=1), np.concatenate(means)
        spread = height - float(mean @ mean)
        if spread <= _NOISE * self._height:  # all points are the same, up to rounding
            S[:], spread = 0.0, 0.0
        own = np.einsum("rj,rj->r", S, S)
        dx = m * spread - 2 * (S @ mean)
        return BlockSums(own, -own, own, dx, (m + n) * spread - dx, m, n, 1e-5 / len(self.z))

    def centred(self, rng: np.random.Generator) -> Centred:
        """From the characteristic function on the doubled grid (one dimension), the features, or a random part."""
        if not np.ptp(self.z, axis=0).any():  # where rounding would be all that is left
            return CentredSpectrum(0.0, 0.0, self._height, np.zeros(1), 0.0, 0.0)
        if self.z.shape[1] == len(self.features.grids) == 1 and len(self.features.weights) <= 500:
            return self._doubled(rng)
        if self.features.width <= 2000 and self._direct:
            spectrum = self._by_features.centred(rng)
            return replace(spectrum, magnitude=self._height) if isinstance(spectrum, CentredSpectrum) else spectrum
        size = min(len(self.z), _MOMENT_POINTS)
        some = replace(self, z=self.z[rng.choice(len(self.z), size, replace=False)]) if size < len(self.z) else self
        part = some.z[rng.choice(size, min(size, CENTRED_POINTS), replace=False)]
        K = self.kernel.block(part, part)
        squared = self.squared(some.z)
        if size <= CENTRED_POINTS or squared is None:
            return CentredGram.of(K)
        diagonal = float(self.kernel.diagonal(self.z[:1])[0])
        rows = some.multiply(np.ones((size, 1)))[:, 0] - diagonal
        squares = squared._total() - size * diagonal**2
        return CentredGram.of(K, pooled_square(squares, rows), diagonal - float(rows.sum()) / (size * (size - 1)))

    def multiply(self, W: Floats) -> Floats:
        """``K @ W``; the zero frequency, which no difference of means can see, is added here."""
        if self._direct:
            return np.asarray(self._by_features.multiply(W) + self._constant * W.sum(axis=0))
        product = np.tile(self._constant * W.sum(axis=0), (len(self.z), 1))
        for grid in self.features.grids:
            for c in range(W.shape[1]):
                F = fast_sums(self.z, W[:, c : c + 1], grid)[0]
                product[:, c] += fast_values(self.z, grid.weights * F.conj(), grid)
        return product

    @cached_property
    def _by_features(self) -> FeatureGram:
        return FeatureGram(self.features, self.z, self.threads, self.progress)

    @property
    def _direct(self) -> bool:
        return len(self.features.weights) <= direct_frequencies()

    @cached_property
    def _height(self) -> float:
        """k(z, z), on the scale of which rounding happens."""
        return float(self.kernel.diagonal(self.z[:1])[0])

    @cached_property
    def _constant(self) -> float:
        """The weight of the zero frequency."""
        return self._height - float(self.features.weights.sum())

    @cached_property
    def _line(self) -> BinnedLine | None:
        """Moments in bins, when there are far more points than bins."""
        if self.z.shape[1] > 1 or len(self.z) < _BINNED_POINTS or not self.features.grids:
            return None
        highest = max(float(grid.orders.max()) * float(grid.spacing[0]) for grid in self.features.grids)
        bins = bin_count(self.z, 2 * highest)
        return BinnedLine(self.z[:, 0], bins, self.threads) if bins <= len(self.z) // 4 else None

    @property
    def _everyone(self) -> Counts:
        """The pool as one more column."""
        return np.ones((len(self.z), 1), dtype=np.uint8)

    def _wave_sums(self, labels: Labellings) -> Iterator[tuple[Waves, Waves]]:
        """``(R, 1 or 2, J)`` sums of the waves over x (and y), some labellings at a time, and their mean over all."""
        each = 1 if labels.y is None else 2
        step = max(1, _SUM_BYTES // (16 * each * max(1, len(self.features.weights))))
        mean: Waves = np.empty(0, dtype=np.complex128)
        for start in range(0, labels.count, step):
            some = slice(start, start + step)
            columns = labels.x[:, some]
            if labels.y is not None:
                columns = np.stack([columns, labels.y[:, some]], axis=2).reshape(len(columns), -1)
            if start == 0:
                columns = np.concatenate([self._everyone.astype(columns.dtype), columns], axis=1)
            F = self._sums(columns, self.features.grids)
            if start == 0:
                mean, F = F[0] / len(self.z), F[1:]
            yield F.reshape(-1, each, len(self.features.weights)), mean
            if self.progress is not None:
                self.progress(min(start + step, labels.count), labels.count)

    def _sums(self, columns: Counts, grids: tuple[FrequencyGrid, ...]) -> Waves:
        """``(C, J)`` sums of the waves over the points of each column, grid by grid."""
        fast = sum(len(grid.weights) for grid in grids) > direct_frequencies()
        binned = self._line is not None and columns.shape[1] < _BINNED_COLUMNS
        way = self._binned_sums if binned else self._fast_sums if fast else self._direct_sums
        return np.concatenate([np.empty((columns.shape[1], 0)), *(way(columns, grid) for grid in grids)], axis=1)

    def _fast_sums(self, columns: Counts, grid: FrequencyGrid) -> Waves:
        return fast_sums(self.z, columns, grid)

    def _binned_sums(self, columns: Counts, grid: FrequencyGrid) -> Waves:
        assert self._line is not None
        return np.stack([self._line.sums(columns[:, c], grid) for c in range(columns.shape[1])])

    def _direct_sums(self, columns: Counts, grid: FrequencyGrid) -> Waves:
        edges = np.linspace(0, len(self.z), min(PIECES, len(self.z)) + 1).astype(int)

        def work(i: int, stop: Event) -> Waves:
            total = np.zeros((columns.shape[1], len(grid.weights)), dtype=np.complex128)
            for start in range(int(edges[i]), int(edges[i + 1]), _ROWS):
                rows = slice(start, min(start + _ROWS, int(edges[i + 1])))
                v = columns[rows].T.astype(np.float64)
                if stop.is_set():
                    break
                for j, wave in enumerate(grid.waves(self.z[rows])):
                    total[:, j] += v @ wave
            return total

        pieces = range(len(edges) - 1)
        return np.asarray(np.sum(run(pieces, work, self.threads or available_cores()), axis=0))

    def _doubled(self, rng: np.random.Generator) -> Centred:
        """Moments and eigenvalues from E exp(i j s z) at j = 0, ..., 2M: an (2M, 2M) problem, whatever N."""
        grid, size = self.features.grids[0], len(self.z)
        M, w = int(grid.orders.max()), grid.weights
        orders = np.arange(1, 2 * M + 1)[:, None]
        wide = FrequencyGrid(grid.origin, grid.spacing, orders, np.ones(2 * M))
        phi = np.concatenate([[1.0], self._sums(self._everyone, (wide,))[0] / size])
        C, diagonal_square = wave_covariance(phi, grid.orders[:, 0], w)
        part = self.z[rng.choice(size, min(size, 1000), replace=False)]
        cubes = CentredGram.of(self.kernel.block(part, part)).cube()
        return CentredSpectrum.of_covariance(C, diagonal_square, size, self._height, cubes=cubes)

    def _total(self) -> float:
        """The sum of all entries of K."""
        F = self._sums(self._everyone, self.features.grids)[0]
        return self._constant * len(self.z) ** 2 + float(self.features.weights @ np.abs(F) ** 2)
