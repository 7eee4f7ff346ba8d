"""Randomly pivoted Cholesky (Chen, Epperly, Tropp and Webber 2025): which points become landmarks.

The accelerated form (Epperly, Tropp and Webber 2024): a block of pivots is proposed at once and each is kept or not by
a coin, in such a way that those kept are distributed as if they had been drawn one by one. In a large pool a random
sample stands for the rows: some to draw pivots from, others to measure on. Rows enter it with probability proportional
to what is missing of their k(z, z); if those to draw from are used up before the others are matched, a new sample
follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ...core.threads import run
from ...core.types import Floats
from ...kernels import Kernel
from .landmarks import (
    Certificate,
    LandmarkMap,
    Precision,
    confidence_limit,
    enough,
    indefinite,
    kernel_values,
    row_pieces,
)

CANDIDATES = 5120  # rows of a large pool that pivots are drawn from at a time
MEASURED = 3072  # further rows, on which the residual is measured

EXACT_WORK = 2e10
"""The residual of all rows is computed when it takes fewer operations than this; else a sample has to do."""

_PROPOSALS = 128


def choose_landmarks(
    kernel: Kernel, z: Floats, tolerance: float, max_rank: int, rng: np.random.Generator, threads: int
) -> tuple[LandmarkMap, Certificate]:
    """Landmarks until the tolerance or the rank is reached, as a map to features, and what they leave."""
    features, certificate, _ = _chosen(kernel, z, tolerance, max_rank, rng, threads, keep=False)
    return features, certificate


def landmark_features(
    kernel: Kernel, z: Floats, tolerance: float, max_rank: int, rng: np.random.Generator, threads: int
) -> tuple[Floats, Certificate]:
    """The ``(N, r)`` features of all points by such landmarks, where they fit into memory, and what they leave."""
    features, certificate, kept = _chosen(kernel, z, tolerance, max_rank, rng, threads, keep=True)
    return features.rows(z, threads) if kept is None else kept, certificate


def _chosen(
    kernel: Kernel, z: Floats, tolerance: float, max_rank: int, rng: np.random.Generator, threads: int, keep: bool
) -> tuple[LandmarkMap, Certificate, Floats | None]:
    """The same, with the features of all points if they are to be kept and were made on the way."""
    diagonal = kernel.diagonal(z)
    trace = float(diagonal.sum())
    if trace <= 0:  # every feature is zero
        nothing = Certificate(0.0, 0.0, 0.0, 0.0, 0 * diagonal, 0, tolerance)
        return LandmarkMap(kernel, z[:1], np.float64), nothing, None
    features = LandmarkMap(kernel, z[:0], _precision(kernel, z, tolerance, rng))
    residual, spread = diagonal, None
    while True:
        factor = _PartialCholesky(_draw_rows(z, residual, rng), features, min(max_rank, len(z)), trace, spread, threads)
        met = factor.grow(tolerance, rng)
        features = factor.features()
        final = not factor.pivots or features.width >= max_rank
        if factor.rows.whole or ((met or final) and len(z) * features.width**2 > EXACT_WORK):
            return features, factor.certificate(diagonal, tolerance), None
        kept = features.rows(z, threads) if keep else None
        lengths, mean = features.lengths(z, threads) if kept is None else _lengths(kept)
        residual = np.clip(diagonal - lengths, 0.0, None)
        left, spread = float(residual.sum()), float(lengths.sum()) - len(z) * float(mean @ mean)
        certificate = Certificate(left / trace, left / trace, _ratio(left, spread), trace, lengths, 0, tolerance)
        if final or certificate.met:
            return features, certificate, kept


def _lengths(features: Floats) -> tuple[Floats, Floats]:
    """``(N,)`` squared lengths of features, and their mean."""
    return np.einsum("ij,ij->i", features, features), features.mean(axis=0)


@dataclass(frozen=True, eq=False)
class _PivotRows:
    """Rows that stand for the `size` rows of the pool: sums with the weights estimate sums over the pool.

    Pivots are drawn from some of them, the residual is measured on others; `total` is its trace at the start.
    """

    points: Floats
    weights: Floats
    drawn: slice
    measured: slice
    size: int
    total: float

    @property
    def whole(self) -> bool:
        """Whether they are the pool itself."""
        return self.drawn == self.measured


def _draw_rows(z: Floats, residual: Floats, rng: np.random.Generator) -> _PivotRows:
    """All rows of a small pool; of a large one a sample with probabilities proportional to the residual."""
    size, total = len(z), float(residual.sum())
    if size <= CANDIDATES + MEASURED:
        return _PivotRows(z, np.ones(size), slice(0, size), slice(0, size), size, total)
    chosen = rng.choice(size, CANDIDATES + MEASURED, p=residual / total)
    weights = total / residual[chosen]
    weights[:CANDIDATES] /= CANDIDATES
    weights[CANDIDATES:] /= MEASURED
    return _PivotRows(z[chosen], weights, slice(0, CANDIDATES), slice(CANDIDATES, len(chosen)), size, total)


class _PartialCholesky:
    """The partial Cholesky factor on the rows, which grows by blocks of pivots from the landmarks that are known.

    `trace` is tr(K) of the pool, `spread` the trace of the centred matrix of the known landmarks (None: measured on the
    rows), `capacity` the largest rank.
    """

    def __init__(
        self, rows: _PivotRows, known: LandmarkMap, capacity: int, trace: float, spread: float | None, threads: int
    ) -> None:
        self.rows, self.known, self.capacity, self.threads = rows, known, capacity, threads
        self.trace, self.known_spread = trace, spread
        self.rank = known.width
        self.G = np.empty((capacity, len(rows.points)), known.dtype)  # K_r = G'G on the rows; filled up to the rank
        self.residual = known.kernel.diagonal(rows.points).copy()
        self.floor = (1e-6 if known.dtype is np.float32 else 1e-11) * self.residual
        self.negative = -1e-3 * self.residual
        if self.rank:
            self.G[: self.rank] = known(rows.points).T
            self.residual -= np.einsum("ji,ji->i", self.G[: self.rank], self.G[: self.rank])
            self.residual[self.residual < self.floor] = 0.0
        self.pivots: list[int] = []

    def grow(self, tolerance: float, rng: np.random.Generator) -> bool:
        """Add pivots until the tolerance is met on the measured rows (True) or there is no use in more (False)."""
        count = 16
        while self.rank < self.capacity and self._add_pivots(count, rng):
            parts = self._measure()
            left, spread = float(parts.sum()), self._spread()
            if not self.rows.whole:
                left += float(parts.std()) * np.sqrt(len(parts))  # one standard error
            if enough(left / self.trace, _ratio(left, spread), tolerance):
                return True
            drawn = self.rows.drawn
            if 4 * float(self.rows.weights[drawn] @ self.residual[drawn]) < left:
                break
            close = enough(left / self.trace, _ratio(left, spread), 1.25 * tolerance)
            count = _PROPOSALS // 4 if close else min(_PROPOSALS, max(16, self.rank))
        return False

    def features(self) -> LandmarkMap:
        """The features of the landmarks known before and those found here."""
        if not self.pivots:
            return self.known
        landmarks = np.concatenate([self.known.landmarks, self.rows.points[self.pivots]])
        return LandmarkMap(self.known.kernel, landmarks, self.known.dtype)

    def certificate(self, diagonal: Floats, tolerance: float) -> Certificate:
        """What is left, from the rows at hand."""
        left = float(self._measure().sum())
        share, spread = left / self.trace, self._spread()
        if self.rows.whole:
            lengths = diagonal - self.residual
            return Certificate(share, share, _ratio(left, spread), self.trace, lengths, 0, tolerance)
        count = len(self._measure())
        limit = confidence_limit(left / self.rows.total, count) * self.rows.total / self.trace
        lengths = diagonal * (1 - share)
        return Certificate(share, limit, _ratio(left, spread), self.trace, lengths, count, tolerance)

    def _measure(self) -> Floats:
        """Terms whose sum is the trace of the residual."""
        part = self.rows.measured
        return np.asarray(self.rows.weights[part] * self.residual[part])

    def _spread(self) -> float:
        """The trace of the centred matrix of the landmarks: of those known before in a further round."""
        if self.known_spread is not None:
            return self.known_spread
        part = self.rows.measured
        weights = self.rows.weights[part] / self.rows.weights[part].sum()
        mean = (self.G[: self.rank, part] @ weights.astype(self.G.dtype)).astype(np.float64)
        return self.trace - float(self._measure().sum()) - self.rows.size * float(mean @ mean)

    def _add_pivots(self, count: int, rng: np.random.Generator) -> bool:
        """Propose a block of pivots and add those that are kept; False when nothing is left to propose."""
        drawn, kernel = self.rows.drawn, self.known.kernel
        chances = self.rows.weights[drawn] * self.residual[drawn]
        total = float(chances.sum())
        if total <= 0:
            return False
        proposed = rng.choice(len(chances), count, p=chances / total)
        points, G = self.rows.points[proposed], self.G[: self.rank, proposed].astype(np.float64)
        H = kernel.block(points, points) - G.T @ G
        kept, L = _keep(H, self.floor[proposed], rng.random(count), self.capacity - self.rank)
        self.residual[proposed[np.diagonal(H) <= self.floor[proposed]]] = 0.0
        if kept:
            self._append(proposed[kept], np.asarray(np.linalg.inv(L), np.float64))
        return True

    def _append(self, pivots: NDArray[np.intp], root: Floats) -> None:
        """The rows of G for new pivots: what the kernel leaves of theirs, orthogonalised among themselves by `root`."""
        G, start, stop = self.G, self.rank, self.rank + len(pivots)
        kernel, points, dtype = self.known.kernel, self.rows.points, self.known.dtype
        before, root = G[:start, pivots].T.copy(), root.astype(dtype)

        def work(rows: slice, event: Event) -> None:
            if event.is_set():
                return
            values = kernel_values(kernel, points[pivots], points[rows], dtype)
            values -= before @ G[:start, rows]
            np.matmul(root, values, out=G[start:stop, rows])
            self.residual[rows] -= np.einsum("ji,ji->i", G[start:stop, rows], G[start:stop, rows])

        pieces = row_pieces(len(points))
        if len(pieces) > 1:
            run(pieces, work, self.threads)
        else:  # threads would cost more than they save
            work(pieces[0], Event())
        if (self.residual < self.negative).any():
            raise indefinite(self.known.kernel)
        self.residual[self.residual < self.floor] = 0.0
        self.residual[pivots] = 0.0
        self.pivots.extend(pivots.tolist())
        self.rank = stop


def _keep(H: Floats, floor: Floats, coins: Floats, most: int) -> tuple[list[int], Floats]:
    """Which of the proposed pivots stay, and their Cholesky factor; H is what is left of the kernel among them.

    Each was proposed with a probability proportional to its diagonal entry, and stays with the probability that this
    entry has not lost to those before it.
    """
    start = np.diagonal(H)
    left, L = start.copy(), np.zeros_like(H)
    kept: list[int] = []
    for i in range(len(H)):
        if left[i] <= max(coins[i] * start[i], floor[i]) or len(kept) == most:
            continue
        k = len(kept)
        L[:, k] = (H[:, i] - L[:, :k] @ L[i, :k]) / np.sqrt(left[i])
        left -= L[:, k] ** 2
        kept.append(i)
    return kept, np.tril(L[kept, : len(kept)])


def _precision(kernel: Kernel, z: Floats, tolerance: float, rng: np.random.Generator) -> Precision:
    """Single precision for large pools, unless it would be felt at this tolerance."""
    if len(z) <= CANDIDATES + MEASURED:
        return np.float64
    part = z[rng.choice(len(z), 500)]
    K = kernel.block(part, part)
    spread = 1 - float(K.mean() / np.diagonal(K).mean())  # the share of the trace that centring leaves
    return np.float32 if tolerance * min(1.0, 10 * spread) >= 5e-4 else np.float64


def _ratio(left: float, spread: float) -> float:
    return left / spread if spread > 0 else (np.inf if left > 0 else 0.0)
