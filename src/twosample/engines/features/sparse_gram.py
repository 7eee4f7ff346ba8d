"""A Gram matrix of explicit sparse features, K = F F': strings, graphs and categories by the hundred thousand.

Block sums follow from F'V in O(nnz R) time; K is never formed. Columns of V are taken in groups so that F'V, which is
(D, R) and full, stays small however many features there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...core.centred import Centred, CentredGram
from ...core.labellings import Labellings
from ...core.sums import BlockSums
from ...core.types import Counts, Floats
from ..base import CENTRED_POINTS, Gram

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False)
class SparseGram(Gram):
    """K = F F' for sparse features."""

    features: csr_array  # (N, D) features of the pooled points

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        F = self.features
        turned = F.T.tocsr()
        total = np.asarray(F.sum(axis=0), dtype=np.float64).reshape(-1)
        squares = np.asarray(F.multiply(F).sum(axis=1), dtype=np.float64).reshape(-1)
        v, w = labels.x, labels.y
        parts = [self._sums(turned, squares, total, v[:, c], None if w is None else w[:, c]) for c in self._groups(v)]
        xx, xy, yy, dx, dy = (np.concatenate(values) for values in zip(*parts, strict=True))
        return BlockSums(xx, xy, yy, dx, dy, m, n, 1e-12)

    def centred(self, rng: np.random.Generator) -> Centred:
        """Of at most 2000 random points: the laws under H0 need no more."""
        F = self.features
        if F.shape[0] > CENTRED_POINTS:
            F = F[np.sort(rng.choice(F.shape[0], CENTRED_POINTS, replace=False))]
        return CentredGram.of(np.asarray((F @ F.T).toarray(), dtype=np.float64))

    def multiply(self, W: Floats) -> Floats:
        return np.asarray(self.features @ (self.features.T @ W))

    def _groups(self, v: Counts) -> list[slice]:
        step = max(1, _ENTRIES // max(self.features.shape))
        return [slice(start, start + step) for start in range(0, v.shape[1], step)]

    @staticmethod
    def _sums(turned: csr_array, squares: Floats, total: Floats, v: Counts, w: Counts | None) -> tuple[Floats, ...]:
        v = v.astype(np.float64)
        S = turned @ v
        T = total[:, None] - S if w is None else turned @ w.astype(np.float64)
        sums = (np.einsum("jr,jr->r", a, b) for a, b in ((S, S), (S, T), (T, T)))
        dx = squares @ v
        dy = squares.sum() - dx if w is None else squares @ w.astype(np.float64)
        return (*sums, dx, dy)
