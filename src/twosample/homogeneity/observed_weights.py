r"""MMD of weighted rows as an observed statistic.

Seen from the weighted mean of the pool, all three block sums are one quadratic form: with labels v, weights w,
:math:`W_x = w'v`, and the contrast :math:`u = w \circ v - (W_x / W)\,w`, whose sum is 0,
:math:`xx = yy = -xy = u'Ku`. Engines apply K to contrasts as they do to labels. The unbiased estimate leaves out the
diagonal of the kernel seen from there: a U-statistic with unequal weights is not the same from everywhere. Every
labelling divides by its own sums of weights, and nothing before looks at labels, so that relabelling is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from .. import _door as door
from ..core.labellings import contrasts
from ..core.labellings import observed as true_labels
from ..core.laws import Limit
from ..core.observed import Resampler, Series
from ..core.pvalue import Law
from ..core.sums import QuadraticForm
from ..core.types import Counts, Floats
from ..errors import OptionError
from .observed import ObservedForm
from .weighted import time_series

_ENTRIES = 20_000_000  # entries of contrasts that are held in memory at a time


@dataclass(frozen=True, eq=False)
class ObservedWeighted(ObservedForm):
    """An estimate of MMD in which rows have weights."""

    weights: door.Weights  # those of the pooled rows

    weighted: ClassVar[bool] = True

    @property
    def _weights(self) -> Floats:
        return self.weights.values

    def _form(self) -> QuadraticForm:
        """The coefficients are those of the true labelling."""
        w, m = self.weights.values, self.weights.m
        squares = float(w[:m] @ w[:m]), float(w[m:] @ w[m:])
        own = [float(part.sum()) ** 2 for part in (w[:m], w[m:])]
        cross = 1 / (float(w[:m].sum()) * float(w[m:].sum()))
        if self.statistic.root:
            return QuadraticForm(m, len(w) - m, 1 / own[0], cross, 1 / own[1], 1 / own[0], 1 / own[1])
        return QuadraticForm(m, len(w) - m, 1 / (own[0] - squares[0]), cross, 1 / (own[1] - squares[1]))

    @cached_property
    def _diagonal(self) -> Floats:
        """``(N,)`` k(z, z) as seen from the weighted mean of the pool, times the square of the weight."""
        w, z = self.weights.values, self.request.pool.z
        means = self._gram.multiply(w[:, None])[:, 0] / w.sum()
        return np.asarray(w**2 * (self.request.kernel.diagonal(z) - 2 * means + w @ means / w.sum()))

    @property
    def value(self) -> float:
        squares, tolerance = self._squares(true_labels(self.m, self.n).x)
        return float(self._law(squares, tolerance, False, 0.0).values[0])

    def _squares(self, v: Counts) -> tuple[Floats, float]:
        """``(R,)`` estimates of MMD² for ``(N, R)`` labels, and their rounding error."""
        w = self.weights.values
        total, x, squares = float(w.sum()), w @ v, w**2 @ v
        y, others = total - x, float(w @ w) - squares
        sums = self._gram.block_sums(contrasts(w[:, None] * v - x / total * w[:, None]), 0, len(w))
        tolerance = 4 * sums.resolution * float(np.abs(self.request.kernel.diagonal(self.request.pool.z)).mean())
        if self.statistic.root:
            return sums.xx * (1 / x + 1 / y) ** 2, tolerance
        dx = self._diagonal @ v
        dy = float(self._diagonal.sum()) - dx
        form = (sums.xx - dx) / (x**2 - squares) + 2 * sums.xx / (x * y) + (sums.xx - dy) / (y**2 - others)
        return np.asarray(form), tolerance

    def resampled(self, null: Resampler) -> Law:
        if not getattr(null, "relabels", False):
            raise self.refused(null.name)
        self._check_size()
        exhaustive, values, tolerance = False, [], 0.0
        for labels in null.batches(self.m, self.n, False, self.rng):
            exhaustive |= labels.exhaustive
            step = max(1, _ENTRIES // len(labels.x))
            for start in range(0, labels.count, step):
                squares, tolerance = self._squares(labels.x[:, start : start + step])
                values.append(squares)
        return self._law(np.concatenate(values), tolerance, exhaustive, null.floor(self))

    @cached_property
    def _series(self) -> Series:
        self._check_size()
        series = time_series(self.form, self._gram, self.request.kernel, self.request.pool, self.weights)
        return replace(series, value=float(self._squares(true_labels(self.m, self.n).x)[0][0]))

    def limit(self, null: str) -> Limit:
        raise self.refused(null)

    def in_linear_time(self) -> None:
        """Weighted rows are relabelled."""

    def bound(self, null: str) -> Law:
        raise self.refused(null)

    def refused(self, null: str) -> OptionError:
        return OptionError(
            f"null={null!r} does not take weights_x and weights_y. Use null='permutation', ts.StratifiedPermutation or "
            "ts.GroupPermutation for weights that belong to the rows, or null='wild' for weights of a design."
        )
