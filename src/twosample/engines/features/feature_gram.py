r"""A Gram matrix that is an inner product of explicit features, K = Φ Φ'; Φ is made in blocks of rows and dropped.

What an engine with features has to supply is the map from points to features. Everything else follows here: block sums
from Φ'V, the laws under H0 from the (M, M) covariance of the features, products from Φ(Φ'W). Cost O(N M (R + M)),
memory O(M (R + M)) beside the labellings, and nothing of size N x M or N x N.

Features are centred over the pool first. MMD² does not notice, and the sums then are of the size of their own
differences, so that single precision is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event
from typing import NamedTuple, Protocol

import numpy as np

from ...core.centred import Centred, CentredGram, CentredSpectrum
from ...core.labellings import Labellings
from ...core.sums import BlockSums
from ...core.threads import Progress, available_cores, run
from ...core.types import Floats, Reals
from ..base import CENTRED_POINTS, Gram

PIECES = 16
"""The rows are cut into at most this many pieces, whatever the number of threads: the answer must not depend on it."""

_BLOCK_ENTRIES = 1 << 21

_SUM_ENTRIES = 1 << 17  # features of so many rows stay in cache

_SINGLE_COLUMNS = 32
"""From this many labellings on the products run in single precision: features are centred, so that it is enough."""

_SINGLE_ROWS = 4096  # fewer points have ties, which single precision would break
_NOISE = 1e-26  # squared lengths of centred features, relative to those of the features, that are nothing but rounding


class FeatureMap(Protocol):
    """Explicit features of points."""

    @property
    def width(self) -> int:
        """The number of features M."""

    def __call__(self, points: Floats) -> Reals:
        """``(len(points), M)`` features, in single or double precision; the caller may overwrite them."""


@dataclass(frozen=True, eq=False)
class FeatureGram(Gram):
    """K = Φ Φ' for features that are made on the fly."""

    features: FeatureMap  # the map
    z: Floats  # (N, d) pooled points
    threads: int | None = None  # as in Tiled
    progress: Progress | None = field(default=None, repr=False)
    remarks: tuple[str, ...] = ()  # what to tell the user

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Block sums of the centred kernel, by one pass over the rows."""
        count, paired = labels.count, labels.y is not None
        sizes = np.full((1 + paired) * count, m)
        sizes[count:] = n
        centre = self._rough_centre()
        single = len(sizes) >= _SINGLE_COLUMNS and self._suits_single(centre)

        def work(rows: slice, stop: Event) -> _FeatureSums:
            return self._piece_sums(rows, labels, centre, single, stop)

        parts = run(self._pieces(), work, self._thread_count(), self.progress)
        mean = np.sum([part.total for part in parts], axis=0) / len(self.z)  # (M,)
        trace = float(sum(part.trace for part in parts)) - len(self.z) * float(mean @ mean)
        over_x = parts[0].over_x  # (C, M + 1)
        for part in parts[1:]:
            over_x += part.over_x
        diagonal = over_x[:, -1] - 2 * (over_x[:, :-1] @ mean) + sizes * (mean @ mean)
        S = over_x[:, :-1]
        S -= sizes[:, None] * mean
        raw = centre + mean
        if trace <= _NOISE * len(self.z) * float(raw @ raw):  # all points are the same, up to rounding
            S[:], diagonal[:], trace = 0.0, 0.0, 0.0
        own = np.einsum("rj,rj->r", S, S)
        resolution = 1e-5 / len(self.z) if single else 1e-12
        if not paired:
            return BlockSums(own, -own, own, diagonal, trace - diagonal, m, n, resolution)
        cross = np.einsum("rj,rj->r", S[:count], S[count:])
        dx, dy = diagonal[:count], diagonal[count:]
        return BlockSums(own[:count], cross, own[count:], dx, dy, m, n, resolution)

    def _suits_single(self, centre: Floats) -> bool:
        """Whether there are so many points that ties are rare, and squares stay in the range of single precision."""
        return len(self.z) > _SINGLE_ROWS and 1e-12 < float(centre @ centre) < 1e12

    def centred(self, rng: np.random.Generator) -> Centred:
        """Moments and eigenvalues from the covariance of the features; the small entrywise cube from random pairs."""
        size = len(self.z)
        if size <= min(self.features.width, CENTRED_POINTS):  # fewer points than features
            phi = self.features(self.z).astype(np.float64)
            return CentredGram.of(phi @ phi.T)
        centre = self._rough_centre()
        first = run(self._pieces(), lambda rows, stop: self._piece_moments(rows, centre, stop), self._thread_count())
        mean = centre + np.sum([total for total, _ in first], axis=0) / size
        shift = mean - centre
        C = np.sum([outer for _, outer in first], axis=0) / size - np.outer(shift, shift)
        second = run(self._pieces(), lambda rows, stop: self._piece_diagonal(rows, mean, C, stop), self._thread_count())
        diagonal = np.concatenate([k for k, _ in second])  # k~(z,z)
        bent = np.concatenate([b for _, b in second])  # (K~²)_ii / N
        cubes = size**3 * float(np.vdot(C @ C, C)) - 3 * size * float(diagonal @ bent) + 2 * float((diagonal**3).sum())
        return CentredSpectrum.of_covariance(
            C,
            float(diagonal @ diagonal) / size,
            size,
            magnitude=float(diagonal.mean() + mean @ mean),
            triangles=cubes / (size * (size - 1.0) * (size - 2.0)),
            cubes=self._entry_cubes(mean, rng),
        )

    def multiply(self, W: Floats) -> Floats:
        """``Φ (Φ' W)``."""
        blocks = self._blocks(slice(0, len(self.z)))
        inner = np.sum([self.features(self.z[rows]).T @ W[rows] for rows in blocks], axis=0)
        return np.concatenate([self.features(self.z[rows]) @ inner for rows in blocks])

    def _piece_sums(self, rows: slice, labels: Labellings, centre: Floats, single: bool, stop: Event) -> _FeatureSums:
        total, trace, over_x = np.zeros(self.features.width), 0.0, None
        for block in self._blocks(rows, _SUM_ENTRIES):
            if stop.is_set():
                break
            phi = self.features(self.z[block])
            phi -= centre.astype(phi.dtype)
            total += phi.sum(axis=0, dtype=np.float64)
            squares = np.einsum("ij,ij->i", phi, phi)
            trace += float(squares.sum(dtype=np.float64))
            carried = np.concatenate([phi, squares[:, None]], axis=1, dtype=np.float32 if single else phi.dtype)
            part = labels.sums(block, carried)
            over_x = part if over_x is None else np.add(over_x, part, out=over_x)
        return _FeatureSums(np.zeros((0, 0)) if over_x is None else over_x, total, trace)

    def _piece_moments(self, rows: slice, centre: Floats, stop: Event) -> tuple[Floats, Floats]:
        width = self.features.width
        total, outer = np.zeros(width), np.zeros((width, width))
        for block in self._blocks(rows):
            if stop.is_set():
                break
            phi = self.features(self.z[block])
            phi -= centre.astype(phi.dtype)
            total += phi.sum(axis=0, dtype=np.float64)
            outer += phi.T @ phi
        return total, outer

    def _piece_diagonal(self, rows: slice, mean: Floats, C: Floats, stop: Event) -> tuple[Floats, Floats]:
        diagonals, bends = [], []
        for block in self._blocks(rows):
            if stop.is_set():
                break
            phi = self.features(self.z[block])
            phi -= mean.astype(phi.dtype)
            diagonals.append(np.einsum("ij,ij->i", phi, phi).astype(np.float64))
            bends.append(np.einsum("ij,ij->i", phi @ C.astype(phi.dtype), phi).astype(np.float64))
        return np.concatenate(diagonals), np.concatenate(bends)

    def _entry_cubes(self, mean: Floats, rng: np.random.Generator) -> float:
        part = rng.choice(len(self.z), min(len(self.z), 1000), replace=False)
        phi = self.features(self.z[part]).astype(np.float64) - mean
        K = phi @ phi.T
        np.fill_diagonal(K, 0.0)
        return float((K * K * K).sum() / (len(K) * (len(K) - 1)))

    def _rough_centre(self) -> Floats:
        """About the mean of the features; what is missing is corrected exactly afterwards."""
        part = self.features(self.z[:: max(1, len(self.z) // 500)])
        rounded: Floats = part.mean(axis=0).astype(np.float64)
        return rounded

    def _pieces(self) -> list[slice]:
        edges = np.linspace(0, len(self.z), min(PIECES, len(self.z)) + 1).astype(int)
        return [slice(int(a), int(b)) for a, b in pairwise(edges)]

    def _blocks(self, rows: slice, entries: int = _BLOCK_ENTRIES) -> list[slice]:
        step = max(1, entries // self.features.width)
        return [slice(start, min(start + step, rows.stop)) for start in range(rows.start, rows.stop, step)]

    def _thread_count(self) -> int:
        return self.threads or available_cores()


class _FeatureSums(NamedTuple):
    """What some rows add: features, and their squared lengths, summed over x in every labelling, and over all."""

    over_x: Floats
    total: Floats
    trace: float
