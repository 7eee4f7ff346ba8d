"""MMD² in all its quadratic forms is one formula; the forms differ only in five coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .centred import Centred
from .observed import Limit
from .sums import BlockSums
from .types import Floats


@dataclass(frozen=True)
class QuadraticForm:
    r"""An estimate of MMD² as a quadratic form in the Gram matrix.

    .. math::

        T = a_{xx} \sum_{i \ne j} k(x_i,x_j) - 2 a_{xy} \sum_{i,j} k(x_i,y_j) + a_{yy} \sum_{i \ne j} k(y_i,y_j)
            + d_x \sum_i k(x_i,x_i) + d_y \sum_i k(y_i,y_i)

    Parameters
    ----------
    m, n
        Sample sizes.
    xx, xy, yy, dx, dy
        The coefficients.
    skips_pairs
        Whether the pairs (x_i, y_i) are left out of the cross sum, as in the one-sample U-statistic of the paper.
    """

    m: int
    n: int
    xx: float
    xy: float
    yy: float
    dx: float = 0.0
    dy: float = 0.0
    skips_pairs: bool = False

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
