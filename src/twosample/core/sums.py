"""Block sums of the kernel over labelled points, and MMD² as a quadratic form: five coefficients of these sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .centred import Centred
from .labellings import Labellings
from .laws import Limit
from .types import Floats

_CHUNK = 1 << 16  # entries of labellings that are worked on together: with their products they stay in the cache
_BANDS, _BANDED = 4, 1 << 13  # bands of rows of a matrix, and the entries of labellings from which on they pay


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Sums of kernel values for R labellings of the same pooled points.

    With the counts v of sample x and w of sample y, column by column: ``xx = v'Kv``, ``xy = v'Kw``, ``yy = w'Kw`` and
    the two diagonal sums ``dx = sum v_i k(z_i, z_i)``, ``dy = sum w_i k(z_i, z_i)``. An engine may give the sums of
    ``k(x, y) + f(x) + f(y)`` for any f instead (a centred kernel): no estimate of MMD² can tell the difference.
    """

    xx: Floats  # (R,) sums
    xy: Floats
    yy: Floats
    dx: Floats
    dy: Floats
    m: int  # sizes of the samples, the same in every column
    n: int
    resolution: float  # relative rounding error of the sums, for telling ties from differences

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


@dataclass(frozen=True)
class QuadraticForm:
    r"""An estimate of MMD² as a quadratic form in the Gram matrix.

    .. math::

        T = a_{xx} \sum_{i \ne j} k(x_i,x_j) - 2 a_{xy} \sum_{i,j} k(x_i,y_j) + a_{yy} \sum_{i \ne j} k(y_i,y_j)
            + d_x \sum_i k(x_i,x_i) + d_y \sum_i k(y_i,y_i)
    """

    m: int
    n: int
    xx: float
    xy: float
    yy: float
    dx: float = 0.0
    dy: float = 0.0
    skips_pairs: bool = False  # whether pairs (x_i, y_i) are left out, as in the paper's one-sample U-statistic

    def value(self, sums: BlockSums, paired: Floats | float = 0.0) -> Floats:
        """``(R,)`` values of T; `paired` are the sums of k(x_i, y_i), of the kernel in `sums`, if they are left out."""
        return (
            self.xx * (sums.xx - sums.dx) - 2 * self.xy * (sums.xy - paired) + self.yy * (sums.yy - sums.dy)
            + self.dx * sums.dx + self.dy * sums.dy
        )  # fmt: skip

    def tolerance(self, sums: BlockSums) -> float:
        """Absolute rounding error of T."""
        weight = self.xx * self.m**2 + 2 * self.xy * self.m * self.n + self.yy * self.n**2
        return sums.resolution * weight * sums.magnitude

    def mean(self, centred: Centred) -> float:
        """Expectation under H0: only the diagonal terms have one."""
        return (self.dx * self.m + self.dy * self.n) * centred.spread

    def variance(self, centred: Centred) -> float:
        r"""Variance under H0, :math:`2 E\tilde k^2 \sum_{a \ne b} A_{ab}^2`; Equation 'second moment' when m = n."""
        m, n = self.m, self.n
        squares = m * (m - 1) * self.xx**2 + 2 * self._cross() * self.xy**2 + n * (n - 1) * self.yy**2
        return 2 * centred.square * squares

    def third_moment(self, centred: Centred) -> float:
        r"""Third central moment under H0, with both terms of the appendix.

        :math:`8 E[\tilde k_{12}\tilde k_{23}\tilde k_{31}] \sum_{abc} A_{ab}A_{bc}A_{ca}
        + 4 E\tilde k^3 \sum_{ab} A_{ab}^3` over different indices; Equations 'moment3' and 'negligible3rdMoment' when
        m = n. The diagonal terms are taken as constant, which they are for every shift-invariant kernel.
        """
        m, n = self.m, self.n
        mixed = self._cross() * self.xy**2
        spare = 2 if self.skips_pairs else 1
        triangles = (
            m * (m - 1) * (m - 2) * self.xx**3 + n * (n - 1) * (n - 2) * self.yy**3
            + 3 * mixed * ((m - spare) * self.xx + (n - spare) * self.yy)
        )  # fmt: skip
        cubes = m * (m - 1) * self.xx**3 - 2 * self._cross() * self.xy**3 + n * (n - 1) * self.yy**3
        return 8 * triangles * centred.triangle() + 4 * cubes * centred.cube()

    def limit(self, centred: Centred, value: float, tolerance: float, root: bool = False) -> Limit:
        """The limit law under H0; `value` of the form and its tolerance say where it lies when nothing varies."""
        mean, variance = self.mean(centred), self.variance(centred)
        point = None
        if centred.degenerate:  # no two points differ enough to tell: no evidence
            at = max(mean, value)
            point = at + tolerance + 1e-9 * abs(at)
        return Limit(
            mean=mean,
            variance=variance,
            biased_mean=(1 / self.m + 1 / self.n) * centred.spread,
            weights=lambda: np.asarray(centred.eigenvalues() * np.sqrt(variance / (2 * centred.square))),
            third_moment=lambda: self.third_moment(centred),
            point=point,
            root=root,
        )

    def _cross(self) -> int:
        """The number of (x_i, y_j) in the cross sum."""
        return self.m * (self.n - 1) if self.skips_pairs else self.m * self.n


def sums_of_matrix(K: Floats, labels: Labellings, m: int, n: int) -> BlockSums:
    """Block sums from a symmetric Gram matrix in memory. O(N^2 R).

    Some labellings at a time, so that they stay in the cache and no large memory has to be asked for.
    """
    count, step = labels.count, max(256, _CHUNK // len(K))
    xx, xy, yy, dx, dy = np.empty((5, count))
    lines = np.stack([np.diagonal(K), K.sum(axis=1)])
    for start in range(0, count, step):
        part = slice(start, start + step)
        v = labels.x[:, part].astype(np.float64)  # (N, step)
        xx[part] = _forms(K, v)
        dx[part], xy[part] = lines @ v
        if labels.y is not None:
            w = labels.y[:, part].astype(np.float64)
            yy[part], dy[part] = _forms(K, w), lines[0] @ w
            xy[part] = np.einsum("ir,ir->r", w, K @ v)
    if labels.y is not None:
        return BlockSums(xx, xy, yy, dx, dy, m, n, 1e-12)
    return complete_sums(xx, xy, float(lines[1].sum()), dx, float(lines[0].sum()), m, n, 1e-12)


def _forms(K: Floats, v: Floats) -> Floats:
    """``(R,)`` the quadratic forms v'Kv of each column, from the blocks on and above the diagonal of a symmetric K."""
    edges = np.linspace(0, len(K), (_BANDS if v.size >= _BANDED else 1) + 1).astype(int).tolist()
    total = np.zeros(v.shape[1])
    for start, stop in pairwise(edges):
        product = K[start:stop, stop:] @ v[stop:]
        product *= 2.0
        product += K[start:stop, start:stop] @ v[start:stop]
        total += np.einsum("ir,ir->r", v[start:stop], product)
    return total


def complete_sums(
    xx: Floats, rows: Floats, total: float, dx: Floats, trace: float, m: int, n: int, resolution: float
) -> BlockSums:
    """The sums over y from those over x, when y is all that is not x.

    `rows` is ``v'K1``, so that ``v'K(1-v) = rows - xx`` and ``(1-v)'K(1-v) = total - 2 rows + xx``.
    """
    return BlockSums(xx, rows - xx, total - 2 * rows + xx, dx, trace - dx, m, n, resolution)
