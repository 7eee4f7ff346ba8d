r"""MMD² within strata: what all of them share, and what each of them shows by itself.

With labels v (1 for x) and their means over relabellings p, the share of x in the stratum of a row, the weighted
differences of all strata together are :math:`\sum_s h_s \delta_s = \sum_i (v_i - p_i)\varphi(z_i)`, and their square is
:math:`u'Ku` for the contrast u = v - p, whose sum is 0 in every stratum: one application of K to all relabellings, in
every engine. Rows of strata that only one sample has are 0 there. The other sums are those of each stratum alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from ..core.labellings import Labellings, contrasts
from ..core.strata import Strata, own_square
from ..core.sums import BlockSums
from ..core.types import Counts, Floats
from ..engines import Gram
from ..statistics import Biased, QuadraticStatistic


@dataclass(frozen=True, eq=False)
class StratifiedForm:
    """The statistic of :class:`twosample.StratifiedPermutation`, before the root if it is biased."""

    strata: Strata
    statistic: QuadraticStatistic  # how each stratum is compared: biased or unbiased
    gram: Gram  # the Gram matrix of all pooled rows
    part: Callable[[np.ndarray[tuple[int], np.dtype[np.intp]]], Gram]  # makes the Gram matrix of some of them

    def values(self, v: Counts) -> tuple[Floats, float]:
        """``(R,)`` values for ``(N, R)`` labels, and the relative rounding error of the sums."""
        strata = self.strata
        h, both = strata.sizes, strata.compared
        total, root = float(h.sum()), sqrt(len(both))
        forms = self.gram.block_sums(contrasts(v - strata.shares[:, None]), 0, len(v))
        shared, each, resolution = forms.xx.copy(), np.zeros(v.shape[1]), forms.resolution
        for s in both.tolist():
            m, n, rows = int(strata.x[s]), int(strata.y[s]), strata.rows[s]
            sums = self.part(rows).block_sums(Labellings(v[rows]), m, n)
            resolution = max(resolution, sums.resolution)
            own, square = self._own(sums, m, n), h[s] ** 2
            shared += square * (own - Biased().form(m, n).value(sums))
            each += h[s] * own
        return 0.5 * (shared / total**2 + each / (root * total)), resolution

    def _own(self, sums: BlockSums, m: int, n: int) -> Floats:
        """The estimate of MMD² in a stratum. For a sample of one row it takes the kernel seen from their mean."""
        if self.statistic.root or min(m, n) > 1:
            return self.statistic.form(m, n).value(sums)
        size, total = m + n, sums.xx + 2 * sums.xy + sums.yy
        q = sums.xx - 2 * m / size * (sums.xx + sums.xy) + (m / size) ** 2 * total
        trace = sums.dx + sums.dy - total / size
        rows = [np.array(float(part)) for part in (m, n)]
        return own_square(q, q if m == 1 else trace - q, trace, *rows, *rows)
