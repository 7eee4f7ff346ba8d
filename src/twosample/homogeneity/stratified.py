r"""MMD² within strata: what all of them share, and what each of them shows by itself.

With labels v (1 for x), weights w (1 if there are none) and the share :math:`p_s = X_s/(X_s+Y_s)` of x in the weight of
stratum s, the weighted differences of all strata together are
:math:`\sum_s h_s \delta_s = \sum_i w_i(v_i - p_{s(i)})\varphi(z_i)`, and their square is :math:`u'Ku` for the contrast
u = w(v - p), whose sum is 0 in every stratum: one application of K to all relabellings, in every engine. Rows of strata
that only one sample has are 0 there. The other sums are those of each stratum alone, seen from its weighted mean.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.labellings import contrasts
from ..core.strata import Strata, own_square
from ..core.types import Counts, Floats
from ..engines import Dense, Gram
from ..kernels.objects import Tabulated
from .weighted import group_sums


@dataclass(frozen=True, eq=False)
class StratifiedForm:
    """The statistic of :class:`twosample.StratifiedPermutation`, before the root if it is biased."""

    strata: Strata
    biased: bool  # how each stratum is compared
    gram: Gram  # the Gram matrix of all pooled rows
    part: Callable[[NDArray[np.intp]], Gram]  # makes the Gram matrix of some of them
    diagonal: Floats  # (N,) k(z, z)
    weights: Floats  # (N,) weights above 0

    def values(self, v: Counts) -> tuple[Floats, float]:
        """``(R,)`` values for ``(N, R)`` labels, and the relative rounding error of the sums."""
        u, both = np.zeros(v.shape), self.strata.compared
        shared, each, total = np.zeros((3, v.shape[1]))
        resolution = 0.0
        for s in both.tolist():
            rows = self.strata.rows[s]
            w, labels = self.weights[rows], v[rows]
            x, every = w @ labels, float(w.sum())
            u[rows] = w[:, None] * labels - np.outer(w, x / every)
            gram, h = self.part(rows), x * (every - x) / every
            sums = gram.block_sums(contrasts(u[rows]), 0, len(rows))
            own = sums.xx / h**2 if self.biased else self._own(gram, rows, labels, sums.xx)
            shared += h**2 * own - sums.xx
            each += h * own
            total += h
            resolution = max(resolution, sums.resolution)
        forms = self.gram.block_sums(contrasts(u), 0, len(v))
        shared += forms.xx
        values = 0.5 * (shared / total**2 + each / (sqrt(len(both)) * total))
        return np.asarray(values), max(resolution, forms.resolution)

    def _own(self, gram: Gram, rows: NDArray[np.intp], labels: Counts, q: Floats) -> Floats:
        """The estimate of MMD² in a stratum without its bias."""
        w = self.weights[rows]
        means = gram.multiply(w[:, None])[:, 0] / w.sum()
        lengths = w**2 * (self.diagonal[rows] - 2 * means + w @ means / w.sum())
        x, xx = w @ labels, w**2 @ labels
        return own_square(q, lengths @ labels, lengths.sum(), x, w.sum() - x, xx, w @ w - xx)


def stratified_form(
    request: door.Request, biased: bool, gram: Gram, strata: Strata, groups: NDArray[np.intp] | None, weights: Floats
) -> StratifiedForm:
    """The statistic within strata of rows, or of groups: points with the weighted mean and the weight of theirs."""
    kernel, z, way = request.kernel, request.pool.z, request.engine
    assert way is not None
    if groups is None:
        part = lambda rows: way.gram(kernel, z[rows], request.rng)  # noqa: E731
        return StratifiedForm(strata, biased, gram, part, kernel.diagonal(z), weights)
    masses: Floats = np.bincount(groups, weights).astype(np.float64)
    sums = group_sums(gram, kernel.diagonal(z), groups, len(masses), biased, weights)
    between = Tabulated(kernel, sums.between / np.outer(masses, masses))
    unit, dense = np.arange(len(masses), dtype=np.float64)[:, None], Dense()
    whole, own = dense.gram(between, unit), between.diagonal(unit)
    return StratifiedForm(strata, biased, whole, lambda rows: dense.gram(between, unit[rows]), own, masses)
