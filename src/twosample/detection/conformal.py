"""How far a row lies from the mean of a sample in feature space, as a conformal p-value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import floor

import numpy as np

from ..core.types import Floats
from ..kernels import Kernel

_ENTRIES = 1 << 22  # kernel values that are held in memory at a time


@dataclass(frozen=True, eq=False)
class ConformalRanks:
    """A reference sample that new rows are ranked against. Made by :meth:`fit`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> ranks = ConformalRanks.fit(ts.Gaussian(1.0), np.random.default_rng(0).normal(size=(99, 1)))
    >>> ranks.scores(np.array([[0.0], [6.0]])) < ranks.threshold(0.05)
    array([False,  True])
    """

    kernel: Kernel  # with its bandwidth
    rows: Floats  # (n, d) the reference sample
    means: Floats  # (n,) the mean kernel value of each of its rows with all of them
    diagonal: Floats  # (n,) k(x, x) of each of its rows

    @classmethod
    def fit(cls, kernel: Kernel, rows: Floats) -> ConformalRanks:
        """Learn ``(n, d)`` rows of a reference sample, in O(n²) values of a kernel with its bandwidth."""
        return cls(kernel, rows, row_means(kernel, rows), kernel.diagonal(rows))

    def threshold(self, level: float) -> float:
        """The score below which a row is an outlier, so that the share `level` of rows like the reference is called so.

        0, which no score is below, with fewer than 1/level - 1 rows.
        """
        return allowed(level, len(self.rows)) / (len(self.rows) + 1)

    def scores(self, new: Floats) -> Floats:
        """``(rows,)`` conformal p-values of ``(rows, d)`` points, less up to 1/(n+1) by distance, so that few tie."""
        return in_blocks(self._scores, new, len(self.rows))

    def pvalues(self, scores: Floats) -> Floats:
        """``(rows,)`` the conformal p-values that these scores stand for: multiples of 1/(n+1), never 0."""
        size = len(self.rows) + 1
        return np.asarray(np.ceil(scores * size) / size)

    def _scores(self, new: Floats) -> Floats:
        """Of each new row, the share of all n + 1 rows that are as far from the mean of all n + 1."""
        size = len(self.rows)
        K, diagonal = self.kernel.block(new, self.rows), self.kernel.diagonal(new)
        own = diagonal - 2 * (K.sum(axis=1) + diagonal) / (size + 1)
        others = self.diagonal - 2 * (size * self.means + K) / (size + 1)
        slack = 1e-12 * np.maximum(np.abs(diagonal), np.abs(own))
        count = 1 + (others >= (own - slack)[:, None]).sum(axis=1)
        scale = np.abs(diagonal) + np.abs(own) + 1e-300
        within = 0.5 * own / scale  # in [-1/2, 1/2]: orders rows that have the same count
        return np.asarray((count - 0.5 - within * 0.9) / (size + 1))


def allowed(level: float, size: int) -> int:
    """How many of `size` + 1 exchangeable rows may be called outliers."""
    return floor(level * (size + 1) * (1 + 1e-12))


def row_means(kernel: Kernel, rows: Floats) -> Floats:
    """``(n,)`` mean kernel values of every row with all rows."""
    return in_blocks(lambda part: np.asarray(kernel.block(part, rows).mean(axis=1)), rows, len(rows))


def in_blocks(of: Callable[[Floats], Floats], rows: Floats, others: int) -> Floats:
    """``of(rows)``, which forms a kernel matrix with `others` columns, by so many rows at a time as memory allows."""
    step = max(1, _ENTRIES // others)
    return np.concatenate([of(rows[i : i + step]) for i in range(0, len(rows), step)])
