r"""Relabelling groups of rows instead of rows: as exact, and as cheap for a million rows as for a few hundred.

Rows of either sample are put into groups of equal size at random, and whole groups are relabelled. Under H0 the rows
are exchangeable, hence so are the groups: p-values are exact. What a statistic needs is the sum of its features in each
group, O(N F) once; a labelling then costs O(G F) for G groups. A few hundred groups lose next to no power
(Domingo-Enrich, Dwivedi and Mackey 2025: *Cheap permutation testing*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .labellings import relabellings
from .types import Floats, Reals

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Rows of two samples in groups of equal size, and labellings of the groups."""

    m: int  # groups of x, which come first, and of y
    n: int
    size: int  # rows of a group
    labels: NDArray[np.float32]  # (R, G) 1 where a group counts as x; the truth first
    exhaustive: bool  # whether these are all labellings that there are

    @classmethod
    def of(cls, m: int, n: int, most: int, count: int, rng: np.random.Generator) -> RowGroups:
        """For m and n rows: about `most` groups of the smaller sample, four times as many of the larger at most.

        With `count` relabellings, or all if there are no more.
        """
        size = max(1, min(m, n) // most)
        first, second = (min(rows // size, 4 * most) for rows in (m, n))
        drawn = relabellings(first, second, count, rng)
        return cls(first, second, size, drawn.x.T.astype(np.float32), drawn.exhaustive)

    @classmethod
    def of_large(cls, m: int, n: int, most: int, count: int, rng: np.random.Generator) -> RowGroups:
        """For tables of m and n rows whose rows are put into groups one by one, each by a random number of its own.

        As many groups for each table as it has rows, to about a thousandth: `most` to twice as many of the smaller, up
        to four times as many of the larger. `size` is what a group holds on average; the sizes themselves vary by
        their square roots, so that sums over groups, less the mean for each row, have the same mean and, to that part,
        the same variance: relabelling is exact up to terms of the order of 1/size.
        """
        few, many = sorted((m, n))
        ratio = min(many / few, 4.0)
        fits = [(abs(round(ratio * groups) / (ratio * groups) - 1), groups) for groups in range(most, 2 * most)]
        less = min(fits)[1]
        first, second = (less, round(ratio * less)) if m <= n else (round(ratio * less), less)
        drawn = relabellings(first, second, count, rng)
        return cls(first, second, few // less, drawn.x.T.astype(np.float32), drawn.exhaustive)

    def first(self, count: int) -> RowGroups:
        """With the truth and the first relabellings only, `count` in all."""
        return self if len(self.labels) <= count or self.exhaustive else replace(self, labels=self.labels[:count])

    @property
    def count(self) -> int:
        """How many groups there are."""
        return self.m + self.n

    @property
    def rows(self) -> tuple[int, int]:
        """How many rows of x and of y are in groups; the others are left out."""
        return self.m * self.size, self.n * self.size

    def sums(self, features: Reals) -> Floats:
        """``(G, F)`` sums of ``(N, F)`` features in each group; rows in the order of the groups."""
        return np.asarray(features.reshape(self.count, self.size, -1).sum(axis=1, dtype=np.float64))

    def products(self, features: Reals) -> Floats:
        """``(G, F, F)`` sums of all products of two features."""
        parts = features.astype(np.float32).reshape(self.count, self.size, -1)
        return np.asarray(parts.transpose(0, 2, 1) @ parts)

    def scores(self, sums: Reals) -> Reals:
        r"""``(R, F)`` sums over x of centred features, in their standard deviations over all labellings.

        That of :math:`\sum_g v_g s_g` for centred s is :math:`\sqrt{mn/(G(G-1)) \sum_g s_g^2}`. Features that are the
        same in all groups have score 0.
        """
        centred = (sums - sums.mean(axis=0)).astype(np.float32)
        spread = np.sqrt(self.m * self.n / (self.count * (self.count - 1)) * np.einsum("gf,gf->f", centred, centred))
        size = np.abs(sums).max(axis=0, initial=0.0)
        scale = np.where(spread > 1e-6 * size, spread, np.inf).astype(np.float32)
        return np.asarray(self.labels @ (centred / scale))
