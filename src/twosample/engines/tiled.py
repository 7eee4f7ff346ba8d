"""The exact engine for many points: tiles of K are made, used on all labellings and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from threading import Event
from typing import NamedTuple

import numpy as np

from ..core.centred import Centred, CentredGram, pooled_square
from ..core.labellings import Labellings
from ..core.sums import BlockSums, complete_sums
from ..core.threads import Progress, available_cores, run
from ..core.types import Counts, Floats, Reals
from ..errors import OptionsByName, whole_number
from ..kernels import Blocks, Kernel
from .base import CENTRED_POINTS, Gram, check_work
from .tiles import tile_function


@dataclass(frozen=True)
class Tiled(OptionsByName):
    """K in tiles, each used on all labellings at once. O(N² (d + R)) time, O(N R) bytes, exact.

    Threads share the tiles, BLAS runs single-threaded inside them (set for the process while the engine runs). The
    answer does not depend on the number of threads at all, and on the tile size only in its rounding.

    Parameters
    ----------
    tile
        Rows and columns of a tile.
    threads
        Number of threads; None for all cores that the process may use.
    progress
        Called with (steps done, steps in all).

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(300, 2))
    >>> ts.mmd_test(x, x + 0.5, engine=ts.Tiled(tile=128), rng=1).rejected
    True
    """

    tile: int = 1024
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)
    name = "tiled"

    def __post_init__(self) -> None:
        check_work("Tiled", self.threads, self.progress)
        whole_number("Tiled: tile", self.tile)

    def thread_count(self) -> int:
        """How many threads will work."""
        return self.threads or available_cores()

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> TiledGram:
        """The Gram matrix of z."""
        return TiledGram(kernel, z, self)


@dataclass(frozen=True, eq=False)
class TiledGram(Gram):
    """A Gram matrix that exists one tile at a time."""

    kernel: Kernel
    z: Floats
    engine: Tiled

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """One pass over the upper triangle of tiles; the columns of all labellings go through each tile together."""
        v, w, count = labels.x, labels.y, labels.count
        columns = v if w is None else np.concatenate([v, w], axis=1)  # (N, R) or (N, 2R)
        tile = tile_function(self.kernel, self.z, self.z)

        level = self._typical_value()

        def work(i: int, stop: Event) -> _StripSums:
            return self._strip_sums(i, tile, level, columns, count, stop)

        parts = run(range(self._strips()), work, self.engine.thread_count(), self.engine.progress)
        own = np.sum([part.own for part in parts], axis=0)
        cross = np.sum([part.cross for part in parts], axis=0)
        rows = np.sum([part.rows for part in parts], axis=0)
        total = float(np.sum([part.total for part in parts])) + level * (m + n) ** 2
        own[:count] += level * m * m
        # In single precision the error of a kernel value, about 1e-6 at worst, is shared by all pairs of a point.
        resolution = 2e-6 / np.sqrt(m + n) if parts[0].single else 1e-12
        diagonal = self.kernel.diagonal(self.z)
        if w is None:
            rows += level * m * (m + n)
            return complete_sums(own, rows, total, diagonal @ v, float(diagonal.sum()), m, n, resolution)
        cross += level * m * n
        own[count:] += level * n * n
        return BlockSums(own[:count], cross, own[count:], diagonal @ v, diagonal @ w, m, n, resolution)

    def centred(self, rng: np.random.Generator) -> Centred:
        """The second moment from one pass over all tiles, the shape of the spectrum from a random part."""
        size = len(self.z)
        part = self.z if size <= CENTRED_POINTS else self.z[rng.choice(size, CENTRED_POINTS, replace=False)]
        K = self.kernel.block(part, part)
        if size <= CENTRED_POINTS:
            return CentredGram.of(K)
        level = float((K.sum() - np.trace(K)) / (len(K) * (len(K) - 1)))
        tile = tile_function(self.kernel, self.z, self.z)

        def work(i: int, stop: Event) -> tuple[float, Floats]:
            return self._squares(i, tile, level, stop)

        parts = run(range(self._strips()), work, self.engine.thread_count(), self.engine.progress)
        rows = np.sum([rows for _, rows in parts], axis=0)  # off-diagonal row sums of K - level
        square = pooled_square(sum(squares for squares, _ in parts), rows)
        spread = float(self.kernel.diagonal(self.z).mean() - level - rows.sum() / (size * (size - 1)))
        return CentredGram.of(K, square, spread)

    def multiply(self, W: Floats) -> Floats:
        return weighted_sums(self.kernel, self.z, self.z, W, self.engine)

    def _strip_sums(self, i: int, tile: Blocks, level: float, columns: Counts, count: int, stop: Event) -> _StripSums:
        """The tiles (i, j) with j >= i, the diagonal one by half, so that each entry stands for its mirror image."""
        here = self._strip(i)
        width = columns.shape[1]
        half = np.zeros((here.stop - here.start, width + 1))  # last column: row sums
        single = False
        for there, K in self._tiles(i, tile, level, stop):
            single = K.dtype == np.float32
            right = np.ones((K.shape[1], width + 1), dtype=K.dtype)
            right[:, :width] = columns[there]
            KV = K @ right
            half += KV if there != here else 0.5 * KV
        v = columns[here]
        own = 2 * np.einsum("ir,ir->r", v, half[:, :width])
        cross = np.zeros(count)
        if width > count:
            cross += np.einsum("ir,ir->r", v[:, :count], half[:, count:width])
            cross += np.einsum("ir,ir->r", v[:, count:], half[:, :count])
        # v'K1 has a part from the rows of this strip and, by symmetry, one from its columns: 1'(K V).
        rows = half[:, width] @ v[:, :count] + half[:, :count].sum(axis=0)
        return _StripSums(own, cross, rows, 2 * float(half[:, width].sum()), single)

    def _tiles(self, i: int, tile: Blocks, level: float, stop: Event) -> Iterator[tuple[slice, Reals]]:
        """Columns and values, less `level`, of the tiles (i, j) with j >= i."""
        for j in range(i, self._strips()):
            if stop.is_set():
                break
            K = tile(self._strip(i), self._strip(j))
            K -= np.asarray(level, K.dtype)
            yield self._strip(j), K

    def _squares(self, i: int, tile: Blocks, level: float, stop: Event) -> tuple[float, Floats]:
        """Sum of (K_ij - level)² and row sums of K - level over strip i, the diagonal of K left out."""
        here = self._strip(i)
        squares, rows = 0.0, np.zeros(len(self.z))
        for there, K in self._tiles(i, tile, level, stop):
            if there == here:
                np.fill_diagonal(K, 0)
            else:  # it stands for its mirror image as well
                rows[there] += K.sum(axis=0, dtype=np.float64)
            rows[here] += K.sum(axis=1, dtype=np.float64)
            squares += (1 if there == here else 2) * float(np.einsum("ij,ij->", K, K, dtype=np.float64))
        return squares, rows

    def _typical_value(self) -> float:
        """A number that single precision can hold, near the mean of K.

        The tiles hold K less this number, and the sums get it back: small numbers of both signs add up with far less
        rounding than large ones of one sign.
        """
        part = self.z[:: max(1, len(self.z) // 200)]
        level = float(self.kernel.block(part, part).mean())
        return float(np.float32(level)) if abs(level) < 1e30 else 0.0

    def _strips(self) -> int:
        return ceil(len(self.z) / self.engine.tile)

    def _strip(self, i: int) -> slice:
        return slice(i * self.engine.tile, min((i + 1) * self.engine.tile, len(self.z)))


class _StripSums(NamedTuple):
    """What one strip of tiles adds: v'Kv of all columns, v'Kw, v'K1 and 1'K1."""

    own: Floats
    cross: Floats
    rows: Floats
    total: float
    single: bool


def weighted_sums(kernel: Kernel, points: Floats, z: Floats, W: Floats, engine: Tiled) -> Floats:
    """``k(points, z) @ W``, tile by tile: what the witness function and row means are made of."""
    size = engine.tile
    tile = tile_function(kernel, points, z)

    def work(start: int, stop: Event) -> Floats:
        here = slice(start, min(start + size, len(points)))
        total = np.zeros((here.stop - start, W.shape[1]))
        for first in range(0, len(z), size):
            if stop.is_set():
                break
            there = slice(first, min(first + size, len(z)))
            K = tile(here, there)
            total += K @ W[there].astype(K.dtype)
        return total

    starts = range(0, len(points), size)
    return np.concatenate(run(starts, work, engine.thread_count(), engine.progress))
