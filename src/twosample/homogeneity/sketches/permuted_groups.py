r"""Two grouped sketches as weighted points, and their resamples: groups permuted where they may be, else rotated.

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
from ...core.observed import Observed, Resampler
from ...core.pvalue import Law
from ...core.types import Floats
from ...embedding import Embedded
from ...kernels import Kernel
from ...statistics import ObservedSums, QuadraticStatistic
from .groups import SketchSums, check_alike

EXCHANGEABLE = 0.9
"""Permute if so much of a permutation of all groups is left when only groups of equal size change places."""


@dataclass(frozen=True, eq=False)
class ObservedSketches(Observed):
    """Several columns: the statistic with the groups permuted."""

    statistic: QuadraticStatistic
    kernel: Kernel
    pair: Embedded
    frequencies: int
    rng: np.random.Generator

    @property
    def m(self) -> int:
        """Rows of x."""
        return self.pair.m

    @property
    def n(self) -> int:
        """Rows of y."""
        return self.pair.n

    def resampled(self, null: Resampler) -> Law:
        labels = group_resamples(self.pair, null.resamples, self.rng)
        return ObservedSums(self.statistic, self.pair.sums(labels)).resampled(null)

    def notes(self) -> tuple[str, ...]:
        """How groups were permuted, and what the kernel is."""
        groups = f"{np.count_nonzero(self.pair.x)} and {np.count_nonzero(self.pair.y)} groups of rows"
        how = (
            f"{groups} of equal sizes were permuted: exact."
            if exchangeable(self.pair)
            else f"{groups} of different sizes were rotated among each other: right for groups of many rows."
        )
        return how, f"The kernel is that of {self.frequencies} random frequencies."


def embedded_groups(x: SketchSums, y: SketchSums) -> Embedded:
    """Both samples as groups of rows, those of x first: the mean of their features, and their rows."""
    check_alike(x, y)
    used = [state.sizes > 0 for state in (x, y)]
    rows = np.concatenate([x.sizes[used[0]], y.sizes[used[1]]]).astype(np.float64)
    means = np.concatenate([x.sums[used[0]], y.sums[used[1]]]) / rows[:, None]
    first = np.arange(len(rows)) < used[0].sum()
    return Embedded.of(means, np.where(first, rows, 0.0), np.where(first, 0.0, rows), same=float(x.weights.sum()))


def exchangeable(pair: Embedded) -> bool:
    """Whether enough groups are of equal sizes to be permuted."""
    x, y = pair.x[pair.x > 0], pair.y[pair.y > 0]
    moved = sum(2 * (x == s).sum() * (y == s).sum() / ((x == s).sum() + (y == s).sum()) for s in np.union1d(x, y))
    return bool(moved >= EXCHANGEABLE * min(len(x), len(y)))


def group_resamples(pair: Embedded, count: int, rng: np.random.Generator) -> Floats:
    """``(count + 1, G)`` rows of each group that count as x, the truth first; in part where groups are rotated."""
    return _permuted(pair, count, rng) if exchangeable(pair) else _rotated(pair, count, rng)


def _permuted(pair: Embedded, count: int, rng: np.random.Generator) -> Floats:
    rows = pair.x + pair.y
    V = np.zeros((count + 1, len(rows)))
    V[0] = pair.x > 0
    for size in np.unique(rows):
        x, y = (int((part == size).sum()) for part in (pair.x, pair.y))
        V[1:, rows == size] = random_subsets(x, y, count, rng).T
    return V * rows


def _rotated(pair: Embedded, count: int, rng: np.random.Generator) -> Floats:
    m, n, rows = pair.m, pair.n, pair.x + pair.y
    roots = np.sqrt(rows)
    B = np.empty((count + 1, len(rows)))
    B[0] = np.where(pair.x > 0, roots / m, -roots / n)
    B[1:] = rng.normal(size=(count, len(rows)))
    B[1:] -= np.outer(B[1:] @ roots, roots) / (m + n)
    B[1:] *= (np.sqrt(1 / m + 1 / n) / np.sqrt(np.square(B[1:]).sum(axis=1)))[:, None]
    return np.asarray((n * B * roots + rows) * m / (m + n))
