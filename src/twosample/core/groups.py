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

_FLAT = 1e-6  # deviation of what is nearly constant


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


@dataclass(frozen=True, eq=False)
class TurnedGroups:
    r"""Groups of any sizes of two samples of very many rows, and random directions in the place of relabellings.

    The sums of features over a group of :math:`n_g` rows, divided by :math:`\sqrt{n_g}`, are
    :math:`\sqrt{n_g}\,\mu + \varepsilon_g`, with :math:`\varepsilon_g` of the same covariance whichever sample it
    comes from under H0, and nearly normal. The difference of means is their product with a unit vector, orthogonal to
    :math:`(\sqrt{n_g})`; so is that of every other one under H0 with the same distribution (Langsrud 2005: *Rotation
    tests*). Groups need not be of equal size, nor samples of similar ones.
    """

    m: int  # groups of x, which come first, and of y
    n: int
    rows: Floats  # (G,) rows of each
    labels: NDArray[np.float32]  # (R, G) unit vectors, orthogonal to the roots of the rows; the truth first

    exhaustive = False

    @classmethod
    def of(cls, first: Floats, second: Floats, count: int, rng: np.random.Generator) -> TurnedGroups:
        """For groups with so many rows, none of them empty; with `count` random directions."""
        rows = np.concatenate([first, second])
        roots = np.sqrt(rows)
        truth = roots * np.concatenate([np.full(len(first), 1 / first.sum()), np.full(len(second), -1 / second.sum())])
        turned = rng.normal(size=(count, len(rows)))
        turned -= np.outer(turned @ roots, roots) / rows.sum()
        labels = np.concatenate([truth[None], turned])
        labels /= np.linalg.norm(labels, axis=1, keepdims=True)
        return cls(len(first), len(second), rows, labels.astype(np.float32))

    def scores(self, sums: Reals) -> Reals:
        """``(R, F)`` of ``(G, F)`` sums less the pooled mean for each row, in their standard deviations.

        Features are of the order of 1: those that are nearly the same in all rows have score 0.
        """
        scaled = sums / np.sqrt(self.rows)[:, None]
        spread = np.sqrt(np.einsum("gf,gf->f", scaled, scaled) / (len(self.rows) - 1))
        return np.asarray(self.labels @ (scaled / np.where(spread > _FLAT, spread, np.inf)).astype(np.float32))
