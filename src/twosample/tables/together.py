r"""All columns together as one test: views joined on one batch of relabellings, and the largest effect among them.

The views are those of :mod:`.ties` and the kernel on mixed rows, each a statistic of the labels of groups of rows; they
are joined as in :func:`twosample.two_sample_test` (:mod:`twosample.core.joining`), so that the p-value is exact. The
effect is the largest of all features and of the kernel: for a feature with standardised difference d it is
:math:`r = |d|/\sqrt{d^2+4}`. Its upper end is the largest upper end of a feature alone, which is above the largest true
effect as often as the end of that one feature is; its lower end is corrected for their number (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from ..core.groups import RowGroups
from ..core.joining import joined
from ..core.pvalue import ReplicateLaw, resampling_pvalue, smallest_pvalue
from ..core.types import Floats
from ..embedding import Embedded, Judged
from ..embedding.alternative import ROWS_FOR_INTERVAL, Effect, effect
from ..nulls import Permutation
from .ties import FeatureView

WEIGHTS = {"rows": 2.0, "columns": 3.0, "ties": 3.0, "pairs": 2.0, "middle": 1.0, "twins": 1.0}
"""Shares of the level."""

NAMING = "columns", "ties", "pairs"
"""Views whose items are columns and pairs of them."""

_ROUNDING = 1e-4  # of sums in single precision, relative to their spread


@dataclass(frozen=True, eq=False)
class Together:
    """The test of all columns together.

    Parameters
    ----------
    judged
        Statistic, p-value, effect.
    names, pvalues, adjusted
        The views, their p-values alone, and adjusted for all of them.
    views
        Those that are made of features.
    """

    judged: Judged
    names: tuple[str, ...]
    pvalues: tuple[float, ...]
    adjusted: tuple[float, ...]
    views: tuple[FeatureView, ...]

    def view(self, name: str) -> FeatureView | None:
        """A view by its name, if there is one."""
        return next((view for view in self.views if view.name == name), None)

    @cached_property
    def named(self) -> dict[str, Floats]:
        r"""Adjusted p-values of single columns ("columns", "ties") and of pairs ("pairs"), for all of them together.

        By the largest over all of them in every labelling (Westfall and Young 1993), the three with equal parts of the
        level. Exact if the tables are alike; where some columns differ, approximate for the others.
        """
        views = [view for view in self.views if view.name in NAMING]
        found = {view.name: view.items - np.log(len(views) * view.items.shape[1]) for view in views}
        if not found:
            return {}
        largest = np.max([items.max(axis=1) for items in found.values()], axis=0).astype(np.float64)
        return {
            name: np.array([resampling_pvalue(np.append(value, largest[1:]), 1e-6) for value in items[0].tolist()])
            for name, items in found.items()
        }


def tested_together(pair: Embedded, views: Sequence[FeatureView], groups: RowGroups, level: float) -> Together:
    """Join the views and the kernel on rows."""
    S = groups.sums(pair.features)
    sums = (groups.labels @ (S - S.mean(axis=0)).astype(np.float32)).astype(np.float64)
    names = ["rows", *(view.name for view in views)]
    values = np.array([np.einsum("rf,rf->r", sums, sums), *(view.statistic for view in views)])
    tolerances = _ROUNDING * values.std(axis=1)
    result = joined(values, tolerances, [WEIGHTS[name] for name in names])
    m, n = groups.rows
    least = max(smallest_pvalue(groups.m, groups.n), 1 / len(groups.labels))
    law = ReplicateLaw(result.values, result.tolerance, groups.exhaustive, least)
    size = largest_effect(pair, views, m, n, level)
    judged = Judged(float(result.values[0]), result.pvalue, size, Permutation(len(groups.labels) - 1), law, m, n)
    alone, adjusted = (tuple(float(p) for p in part) for part in (result.pvalues, result.adjusted))
    return Together(judged, tuple(names), alone, adjusted, tuple(views))


def largest_effect(pair: Embedded, views: Sequence[FeatureView], m: int, n: int, level: float) -> Effect:
    """The largest effect over all features and the kernel, with an interval that holds for the largest."""
    from scipy.special import ndtri

    kernel = effect(pair, level / 2)
    if min(m, n) < ROWS_FOR_INTERVAL:
        return kernel
    d = np.abs(np.concatenate([view.effects for view in views] or [np.zeros(1)]))
    error, top = sqrt(1 / m + 1 / n), float(d.max())
    by_chance = 2 * np.log(max(len(d), 2))  # the square of the largest of so many normal numbers, about
    value = _r(sqrt(max(top**2 - by_chance * error**2, 0.0)))
    low = _r(max(top + float(ndtri(level / 2 / len(d))) * error, 0.0))
    high = _r(top - float(ndtri(level)) * error)
    return Effect(
        max(kernel.value, value),
        max(kernel.low, low),
        max(effect(pair, level).high, high),
        kernel.squared,
        kernel.spread,
    )


def _r(d: float) -> float:
    """The effect size r of a standardised difference."""
    return d / sqrt(d * d + 4)
