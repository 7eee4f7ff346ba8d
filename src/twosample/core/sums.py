"""Block sums of the kernel over labelled points: all that a quadratic statistic may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .labellings import Labellings
from .types import Floats


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Sums of kernel values for R labellings of the same pooled points.

    With the counts v of sample x and w of sample y, column by column: ``xx = v'Kv``, ``xy = v'Kw``, ``yy = w'Kw`` and
    the two diagonal sums ``dx = sum v_i k(z_i, z_i)``, ``dy = sum w_i k(z_i, z_i)``. An engine may give the sums of
    ``k(x, y) + f(x) + f(y)`` for any f instead (a centred kernel): no estimate of MMD² can tell the difference.

    Parameters
    ----------
    xx, xy, yy, dx, dy
        ``(R,)`` sums.
    m, n
        Sizes of the samples, the same in every column.
    resolution
        Relative rounding error of the sums, for telling ties from differences.
    """

    xx: Floats
    xy: Floats
    yy: Floats
    dx: Floats
    dy: Floats
    m: int
    n: int
    resolution: float

    @classmethod
    def concatenate(cls, parts: Sequence[BlockSums]) -> BlockSums:
        """The sums of several batches of labellings as one."""
        if len(parts) == 1:
            return parts[0]
        xx, xy, yy, dx, dy = (
            np.concatenate([getattr(part, name) for part in parts]) for name in ("xx", "xy", "yy", "dx", "dy")
        )
        return cls(xx, xy, yy, dx, dy, parts[0].m, parts[0].n, parts[0].resolution)

    @property
    def magnitude(self) -> float:
        """The size of kernel values, the scale on which rounding happens."""
        size = self.m + self.n
        total = np.abs(self.xx[0]) + 2 * np.abs(self.xy[0]) + np.abs(self.yy[0])
        return float(max(total / size**2, (np.abs(self.dx[0]) + np.abs(self.dy[0])) / size))

    @property
    def spread(self) -> float:
        """``E[k(z,z) - k(z,z')]`` over the pool: what the plug-in bias bound B1 of Theorem 'p = q' needs."""
        size = self.m + self.n
        total = self.xx[0] + 2 * self.xy[0] + self.yy[0]
        trace = self.dx[0] + self.dy[0]
        return float(max(0.0, trace / size - (total - trace) / (size * (size - 1))))


def sums_of_matrix(K: Floats, labels: Labellings, m: int, n: int) -> BlockSums:
    """Block sums from a Gram matrix in memory, by the definition. O(N^2 R)."""
    v = labels.x.astype(np.float64)  # (N, R)
    diagonal = np.diagonal(K)
    Kv = K @ v
    xx = np.einsum("ir,ir->r", v, Kv)
    dx = diagonal @ v
    if labels.y is None:
        return complete_sums(xx, K.sum(axis=1) @ v, float(K.sum()), dx, float(diagonal.sum()), m, n, 1e-12)
    w = labels.y.astype(np.float64)
    xy = np.einsum("ir,ir->r", w, Kv)
    yy = np.einsum("ir,ir->r", w, K @ w)
    return BlockSums(xx, xy, yy, dx, diagonal @ w, m, n, 1e-12)


def complete_sums(
    xx: Floats, rows: Floats, total: float, dx: Floats, trace: float, m: int, n: int, resolution: float
) -> BlockSums:
    """The sums over y from those over x, when y is all that is not x.

    `rows` is ``v'K1``, so that ``v'K(1-v) = rows - xx`` and ``(1-v)'K(1-v) = total - 2 rows + xx``.
    """
    return BlockSums(xx, rows - xx, total - 2 * rows + xx, dx, trace - dx, m, n, resolution)
