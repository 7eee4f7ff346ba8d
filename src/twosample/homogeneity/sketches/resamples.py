r"""Resamples of two grouped sketches: groups permuted where they may be, else rotated.

Write E_g for the sum of the centred features over group g, n_g for its rows, and F for the sum of E_g over the groups
of x: MMD² is a function of F. Under H0 groups of the same size are exchangeable, so labels may be permuted among them,
and the test is exact, whatever the number of rows.

When sizes differ (m ≠ n, or sketches merged from many parts) all :math:`E_g/\sqrt{n_g}` have the same covariance,
up to the common mean that was subtracted: their covariance between groups is the projection onto the complement of
:math:`v = (\sqrt{n_g/N})_g`. For sums of many rows they are normal, and then any rotation of that complement leaves
their law as it is (Langsrud 2005). F is :math:`(mn/N)\,b'E` with a fixed vector b of the complement, and resamples
replace b by uniform vectors of the same length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...core.labellings import random_subsets
from ...core.sums import BlockSums
from ...core.types import Floats
from .groups import Groups, check_alike

EXCHANGEABLE = 0.9
"""Permute if so much of a permutation of all groups is left when only groups of equal size change places."""


@dataclass(frozen=True, eq=False)
class GroupedPair:
    """Two samples as groups of the same features."""

    x: Groups
    y: Groups

    def __post_init__(self) -> None:
        check_alike(self.x, self.y)

    @property
    def exchangeable(self) -> bool:
        """Whether enough groups are of equal sizes to be permuted."""
        x, y = self._sizes()
        moved = sum(2 * (x == s).sum() * (y == s).sum() / ((x == s).sum() + (y == s).sum()) for s in np.union1d(x, y))
        return bool(moved >= EXCHANGEABLE * min(len(x), len(y)))

    def sums(self, count: int, rng: np.random.Generator) -> BlockSums:
        """Block sums of the centred kernel: the truth, and `count` resamples."""
        m, n = self.x.rows, self.y.rows
        used = [state.sizes > 0 for state in (self.x, self.y)]
        sizes = np.concatenate(self._sizes()).astype(np.float64)
        S = np.concatenate([self.x.sums[used[0]], self.y.sums[used[1]]])
        mean = S.sum(axis=0) / (m + n)
        E = S - sizes[:, None] * mean
        F = self._permuted(E, count, rng) if self.exchangeable else self._rotated(E, sizes, count, rng)  # (R, 2 J)
        own = np.einsum("rj,rj->r", F, F)
        spread = float(self.x.weights.sum()) - float(mean @ mean)
        dx = m * spread - 2 * (F @ mean)
        return BlockSums(own, -own, own, dx, (m + n) * spread - dx, m, n, 1e-12)

    def _sizes(self) -> list[np.ndarray[tuple[int], np.dtype[np.int64]]]:
        return [state.sizes[state.sizes > 0] for state in (self.x, self.y)]

    def _permuted(self, E: Floats, count: int, rng: np.random.Generator) -> Floats:
        x, y = self._sizes()
        V = np.zeros((count + 1, len(E)))
        V[0, : len(x)] = 1
        for size in np.union1d(x, y):
            here = np.concatenate([np.flatnonzero(x == size), len(x) + np.flatnonzero(y == size)])
            V[1:, here] = random_subsets(int((x == size).sum()), int((y == size).sum()), count, rng).T
        return np.asarray(V @ E)

    def _rotated(self, E: Floats, sizes: Floats, count: int, rng: np.random.Generator) -> Floats:
        m, n = self.x.rows, self.y.rows
        roots = np.sqrt(sizes)
        first = len(self._sizes()[0])
        B = np.empty((count + 1, len(E)))
        B[0, :first], B[0, first:] = roots[:first] / m, -roots[first:] / n
        B[1:] = rng.normal(size=(count, len(E)))
        B[1:] -= np.outer(B[1:] @ roots, roots) / (m + n)
        B[1:] *= (np.sqrt(1 / m + 1 / n) / np.sqrt(np.square(B[1:]).sum(axis=1)))[:, None]
        return np.asarray((m * n / (m + n)) * (B @ (E / roots[:, None])))
