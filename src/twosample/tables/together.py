r"""All columns together as one test: views joined on one batch of relabellings, and the largest effect among them.

The views are those of :mod:`.ties` and the kernel on mixed rows, each a statistic of the labels of groups of rows; they
are joined as in :func:`twosample.two_sample_test` (:mod:`twosample.core.joining`), so that the p-value is exact. The
effect is the largest of all features and of the kernel: for a feature with standardised difference d it is
:math:`r = |d|/\sqrt{d^2+4}`. Its upper end is the largest upper end of a feature alone, which is above the largest true
effect as often as the end of that one feature is; its lower end is corrected for their number (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np

from ..core.groups import RowGroups, TurnedGroups
from ..core.joining import joined
from ..core.pvalue import ReplicateLaw, WeightedLaw, resampling_pvalue
from ..core.types import Floats
from ..embedding import Embedded, Judged
from ..embedding.alternative import ROWS_FOR_INTERVAL, Effect, EmbeddedMoments, effect, effect_by
from ..nulls import Permutation
from ..statistics import smallest_pvalue
from .ties import FeatureView

WEIGHTS = {"rows": 2.0, "columns": 3.0, "ties": 3.0, "pairs": 2.0, "middle": 1.0, "twins": 1.0}  # shares of the level
NAMING = "columns", "ties", "pairs"  # views whose items are columns and pairs of them

_ROUNDING = 1e-4  # of sums in single precision, relative to their spread


@dataclass(frozen=True, eq=False)
class Together:
    """The test of all columns together."""

    judged: Judged  # statistic, p-value, effect
    names: tuple[str, ...]  # the views, their p-values alone, and adjusted for all of them
    pvalues: tuple[float, ...]
    adjusted: tuple[float, ...]
    views: tuple[FeatureView, ...]  # those that are made of features
    columns: tuple[str, ...]  # the columns of these features
    part: float = 1.0  # its part of the level, if there is another test of all columns together

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
            / self.part
            for name, items in found.items()
        }

    def given(self, part: float) -> Together:
        """The same with a part of the level only."""
        law, p = WeightedLaw(self.judged.law, part), min(1.0, self.judged.pvalue / part)
        adjusted = tuple(min(1.0, one / part) for one in self.adjusted)
        return replace(self, judged=replace(self.judged, law=law, pvalue=p), adjusted=adjusted, part=part)


def tested_together(
    pair: Embedded, views: Sequence[FeatureView], columns: Sequence[str], groups: RowGroups, level: float
) -> Together:
    """Join the views of some columns and the kernel on rows."""
    S = groups.sums(pair.features)
    sums = (groups.labels @ (S - S.mean(axis=0)).astype(np.float32)).astype(np.float64)
    m, n = groups.rows
    kernel = np.einsum("rf,rf->r", sums, sums)
    size = largest_effect(pair, [view.effects for view in views], m, n, level)
    return joined_views({"rows": kernel}, views, columns, groups, (m, n), size)


def joined_views(
    others: Mapping[str, Floats],
    views: Sequence[FeatureView],
    columns: Sequence[str],
    groups: RowGroups | TurnedGroups,
    rows: tuple[int, int],
    size: Effect,
) -> Together:
    """One test of views of features and of other statistics ``(R,)`` of the same relabellings; the effect is given."""
    names = [*others, *(view.name for view in views)]
    values = np.array([*others.values(), *(view.statistic for view in views)])
    tolerances = _ROUNDING * values.std(axis=1)
    result = joined(values, tolerances, [WEIGHTS[name] for name in names])
    least = max(smallest_pvalue(groups.m, groups.n), 1 / len(groups.labels))
    law = ReplicateLaw(result.values, result.tolerance, groups.exhaustive, least)
    judged = Judged(float(result.values[0]), result.pvalue, size, Permutation(len(groups.labels) - 1), law, *rows)
    alone, adjusted = (tuple(float(p) for p in part) for part in (result.pvalues, result.adjusted))
    return Together(judged, tuple(names), alone, adjusted, tuple(views), tuple(columns))


def in_parts(first: Together, second: Together, part: float) -> Together:
    """Two tests as one: the first with a part of the level, the second with the rest; what they see goes together."""
    first, second = first.given(part), second.given(1 - part)
    better, other = sorted((first, second), key=lambda test: test.judged.pvalue)
    more = [i for i, name in enumerate(other.names) if name not in better.names]
    sizes = first.judged.effect, second.judged.effect
    value, low, high = (max(getattr(size, end) for size in sizes) for end in ("value", "low", "high"))
    size, measured = replace(sizes[0], value=value, low=low, high=high), min(second.judged.m, second.judged.n)
    return replace(
        better,
        judged=replace(better.judged, effect=size, m=first.judged.m, n=first.judged.n, measured=measured),
        names=(*better.names, *(other.names[i] for i in more)),
        pvalues=(*better.pvalues, *(other.pvalues[i] for i in more)),
        adjusted=(*better.adjusted, *(other.adjusted[i] for i in more)),
    )


def largest_effect(pair: Embedded, effects: Sequence[Floats], m: int, n: int, level: float) -> Effect:
    """The largest effect over all features (standardised differences) and the kernel; the interval holds for it."""
    from scipy.special import ndtri

    if min(m, n) < ROWS_FOR_INTERVAL:
        return effect(pair, level / 2)
    measured = EmbeddedMoments.of(pair)
    kernel = effect_by(measured, pair, level / 2)
    d = np.abs(np.concatenate(effects or [np.zeros(1)]))
    error, top = sqrt(1 / m + 1 / n), float(d.max())
    by_chance = 2 * np.log(max(len(d), 2))  # the square of the largest of so many normal numbers, about
    value = _r(sqrt(max(top**2 - by_chance * error**2, 0.0)))
    low = _r(max(top + float(ndtri(level / 2 / len(d))) * error, 0.0))
    high = _r(top - float(ndtri(level)) * error)
    return Effect(
        max(kernel.value, value),
        max(kernel.low, low),
        max(effect_by(measured, pair, level).high, high),
        kernel.squared,
        kernel.spread,
    )


def _r(d: float) -> float:
    """The effect size r of a standardised difference."""
    return d / sqrt(d * d + 4)
