"""A Gram matrix on a frequency grid: sums of waves over the points of each labelling."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Event
from types import ModuleType
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ..core.centred import Centred, CentredGram, CentredSpectrum, pooled_square
from ..core.labellings import Labellings
from ..core.sums import BlockSums
from ..core.types import Counts, Floats
from ..errors import MissingExtraError
from ..kernels import Kernel
from .base import Progress
from .binned import BinnedLine, bin_count
from .dense import CENTRED_POINTS
from .featured import PIECES, FeatureGram, without_diagonal
from .frequencies import FrequencyGrid, Waves, frequency_grid
from .threads import available_cores, run

DIRECT_FREQUENCIES = 1500
"""Up to this many frequencies waves are summed directly; beyond that by non-uniform fast Fourier transforms."""

_BINNED_POINTS, _BINNED_COLUMNS = 50_000, 8
"""On the line, with more points and fewer labellings than this, moments in bins replace the points."""

_MOMENT_POINTS = 100_000
"""Where transforms are used, the second moment of the centred kernel is that of a random part of this size."""

_ROWS = 1 << 14


@dataclass(frozen=True, eq=False)
class GridGram:
    """K on a frequency grid. With many labellings and few frequencies the work is left to :class:`FeatureGram`.

    Parameters
    ----------
    kernel
        The kernel, for the few places that need it itself.
    z
        ``(N, d)`` pooled points, gaps closed.
    grid
        The frequencies.
    threads, progress
        As in :class:`Tiled`.
    """

    kernel: Kernel
    z: Floats
    grid: FrequencyGrid
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Block sums of the centred kernel."""
        count = labels.count
        if count >= 16 and self._direct:
            sums = FeatureGram(self.grid, self.z, self.threads, self.progress).block_sums(labels, m, n)
            return replace(sums, pair_shift=sums.pair_shift - self._constant)
        counts = [labels.x, self._everyone] if labels.y is None else [labels.x, labels.y, self._everyone]
        columns = np.concatenate(counts, axis=1)
        sizes = np.full(columns.shape[1] - 1, float(m))
        sizes[count:] = n
        F = self._sums(columns, self.grid)  # (C + 1, J)
        mean, F, w = F[-1] / len(self.z), F[:-1], self.grid.weights
        level = float(w.sum() + w @ np.abs(mean) ** 2)
        diagonal = sizes * level - 2 * (F @ (w * mean.conj())).real
        F -= sizes[:, None] * mean
        own = (F.real**2 + F.imag**2) @ w
        if labels.y is None:
            trace = len(self.z) * float(w @ (1 - np.abs(mean) ** 2))
            shift = -self._constant - float(w @ np.abs(mean) ** 2)
            return BlockSums(own, -own, own, diagonal, trace - diagonal, m, n, 1e-12, shift)
        cross = (F[:count].real * F[count:].real + F[:count].imag * F[count:].imag) @ w
        return BlockSums(own[:count], cross, own[count:], diagonal[:count], diagonal[count:], m, n, 1e-12)

    def centred(self, rng: np.random.Generator) -> Centred:
        """From the characteristic function on the doubled grid (one dimension), the features, or a random part."""
        if self.z.shape[1] == 1 and len(self.grid.weights) <= 500:
            return self._doubled(rng)
        if self.grid.width <= 2000 and self._direct:
            return FeatureGram(self.grid, self.z, self.threads).centred(rng)
        size = min(len(self.z), _MOMENT_POINTS)
        some = replace(self, z=self.z[rng.choice(len(self.z), size, replace=False)]) if size < len(self.z) else self
        part = some.z[rng.choice(size, min(size, CENTRED_POINTS), replace=False)]
        K = self.kernel.block(part, part)
        rows, squares = some._row_sums()
        total = float(rows.sum()) / (size * (size - 1))
        diagonal = float(self.kernel.diagonal(self.z[:1])[0])
        return CentredGram.of(K, pooled_square(squares, rows), diagonal - total)

    def multiply(self, W: Floats) -> Floats:
        """``K @ W``; the zero frequency, which no difference of means can see, is added here."""
        product = FeatureGram(self.grid, self.z, self.threads).multiply(W)
        product += self._constant * W.sum(axis=0)
        return product

    def notes(self, m: int, n: int) -> tuple[str, ...]:
        """Nothing to say: exact to the tolerance."""
        del m, n
        return ()

    @property
    def _direct(self) -> bool:
        return len(self.grid.weights) <= DIRECT_FREQUENCIES

    @cached_property
    def _constant(self) -> float:
        """The weight of the zero frequency."""
        return float(self.kernel.diagonal(self.z[:1])[0]) - float(self.grid.weights.sum())

    @cached_property
    def _line(self) -> BinnedLine | None:
        """Moments in bins, when there are far more points than bins."""
        if self.z.shape[1] > 1 or len(self.z) < _BINNED_POINTS:
            return None
        bins = bin_count(self.z, 2 * float(self.grid.orders.max()) * float(self.grid.spacing[0]))
        return BinnedLine(self.z[:, 0], bins, self.threads) if bins <= len(self.z) // 4 else None

    @property
    def _everyone(self) -> Counts:
        """The pool as one more column."""
        return np.ones((len(self.z), 1), dtype=np.uint8)

    def _sums(self, columns: Counts, grid: FrequencyGrid) -> Waves:
        """``(C, J)`` sums of the waves over the points of each column."""
        if self._line is not None and columns.shape[1] < _BINNED_COLUMNS:
            return np.stack([self._line.sums(columns[:, c], grid) for c in range(columns.shape[1])])
        if len(grid.weights) > DIRECT_FREQUENCIES:
            return fast_sums(self.z, columns, grid)
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
        return np.asarray(np.sum(run(pieces, work, self.threads or available_cores(), self.progress), axis=0))

    def _doubled(self, rng: np.random.Generator) -> Centred:
        """Moments and eigenvalues from E exp(i j s z) at j = 0, ..., 2M: an (2M, 2M) problem, whatever N."""
        M, w, size = int(self.grid.orders.max()), self.grid.weights, len(self.z)
        orders = np.arange(1, 2 * M + 1)[:, None]
        wide = FrequencyGrid(self.grid.origin, self.grid.spacing, orders, np.ones(2 * M))
        phi = np.concatenate([[1.0], self._sums(self._everyone, wide)[0] / size])
        second, mean = second_moments(phi, self.grid.orders[:, 0], w)
        C = second - np.outer(mean, mean)
        level = float(mean @ mean)
        diagonal = float(w.sum()) - level  # mean of k~(z,z)
        diagonal_square = (float(w.sum()) + level) * (float(w.sum()) - 3 * level) + 4 * float(mean @ second @ mean)
        inner = float((C * C).sum()) - diagonal_square / size  # the pair sums over the off-diagonal, over N²
        square = max(0.0, unbiased_square(inner, diagonal, diagonal_square, size))
        values = without_diagonal(np.linalg.eigvalsh(C).astype(np.float64), diagonal / size, size)
        part = self.z[rng.choice(size, min(size, 1000), replace=False)]
        cubes = CentredGram.of(self.kernel.block(part, part)).cube()
        triangles = float(np.vdot(C @ C, C)) - 3 * diagonal * float((C * C).sum()) / size
        return CentredSpectrum(
            square, diagonal * size / (size - 1), float(w.sum()),
            values * np.sqrt(square / max(float(values @ values), 1e-300)), triangles, cubes,
        )  # fmt: skip

    def _row_sums(self) -> tuple[Floats, float]:
        """Off-diagonal row sums of K, and the sum of its squared off-diagonal entries, by transforms."""
        size = len(self.z)
        diagonal = float(self.kernel.diagonal(self.z[:1])[0])
        F = self._sums(self._everyone, self.grid)[0]
        rows = self._constant * size + fast_values(self.z, self.grid.weights * F.conj(), self.grid) - diagonal
        closed, square_grid = frequency_grid(self.kernel * self.kernel, self.z, 1e-12)
        del closed  # gaps are closed already
        G = self._sums(self._everyone, square_grid)[0]
        zero = diagonal**2 - float(square_grid.weights.sum())
        squares = zero * size * size + float(square_grid.weights @ np.abs(G) ** 2) - size * diagonal**2
        return rows, squares


def fast_sums(z: Floats, columns: Counts, grid: FrequencyGrid) -> Waves:
    """``(C, J)`` sums of waves by non-uniform fast Fourier transforms of type 1.

    Counts are real, so that two columns fit into one transform of a + ib: the sums A, B of both are told apart by
    their symmetry, A(-w) = conj A(w).
    """
    finufft = _finufft()
    angles = _angles(z, grid)
    shape = tuple(2 * int(h) + 1 for h in np.abs(grid.orders).max(axis=0))
    transform = getattr(finufft, f"nufft{z.shape[1]}d1")
    result = np.empty((columns.shape[1], len(grid.weights)), dtype=np.complex128)
    middle = np.array(shape) // 2
    plus, minus = tuple((middle + grid.orders).T), tuple((middle - grid.orders).T)
    strengths = np.zeros(len(z), dtype=np.complex128)
    for c in range(0, columns.shape[1], 2):
        pair = result[c : c + 2]
        strengths.real = columns[:, c]
        strengths.imag = columns[:, c + 1] if len(pair) == 2 else 0.0
        spectrum = transform(*angles, strengths, shape, eps=1e-12, isign=1)
        here, there = spectrum[plus], spectrum[minus].conj()
        pair[0] = 0.5 * (here + there)
        pair[1:] = -0.5j * (here - there)
    return result


def fast_values(z: Floats, coefficients: Waves, grid: FrequencyGrid) -> Floats:
    """Real part of the sum of coefficient times wave at every point, by a transform of type 2."""
    finufft = _finufft()
    shape = tuple(2 * int(h) + 1 for h in np.abs(grid.orders).max(axis=0))
    spectrum = np.zeros(shape, dtype=np.complex128)
    spectrum[tuple((grid.orders + np.array(shape) // 2).T)] = coefficients
    values = getattr(finufft, f"nufft{z.shape[1]}d2")(*_angles(z, grid), spectrum, eps=1e-12, isign=1)
    return np.asarray(values.real)


def _angles(z: Floats, grid: FrequencyGrid) -> list[Floats]:
    return [np.ascontiguousarray((z[:, i] - grid.origin[i]) * grid.spacing[i]) for i in range(z.shape[1])]


def _finufft() -> ModuleType:
    try:
        import finufft
    except ImportError:
        raise MissingExtraError(
            'This many frequencies need non-uniform fast Fourier transforms: pip install "twosample[fast]"'
        ) from None
    return cast(ModuleType, finufft)


def second_moments(phi: Waves, orders: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats]:
    """``E f f'`` and ``E f`` of the cosine and sine features f, from the characteristic function at whole multiples."""
    difference, total = orders[:, None] - orders[None, :], orders[:, None] + orders[None, :]
    a_minus, a_plus = phi.real[np.abs(difference)], phi.real[total]
    b_minus, b_plus = np.sign(difference) * phi.imag[np.abs(difference)], phi.imag[total]
    cosines, sines, mixed = a_minus + a_plus, a_minus - a_plus, b_plus - b_minus
    roots = np.sqrt(np.concatenate([weights, weights]))
    second = 0.5 * np.block([[cosines, mixed], [mixed.T, sines]]) * roots[:, None] * roots[None, :]
    mean = roots * np.concatenate([phi.real[orders], phi.imag[orders]])
    return second, mean


def unbiased_square(inner: float, diagonal: float, diagonal_square: float, size: int) -> float:
    """:func:`pooled_square` in terms of means, for row sums that are minus the diagonal."""
    rows = diagonal_square / size  # sum of squared row sums over N²
    total = diagonal * diagonal
    value = inner - 2 * rows / (size - 2) + total / ((size - 1) * (size - 2))
    return value * size / (size - 3)
