"""All views of all columns weighed: one p-value, one effect and one interval for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..embedding.judge import beside_joint
from .views import PLAIN, WEIGHTS, View, sentence

if TYPE_CHECKING:
    from .verdicts import ColumnTests


@dataclass(frozen=True)
class Seen:
    """The largest effect over views: what it is of, its value and interval."""

    view: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Look:
    """One column with the p-values of all its views.

    Parameters
    ----------
    line
        The column.
    pvalues
        Of its values, and of its missing share if there is one: each valid for the smallest over its views.
    kernel, views
        Adjusted p-values of the kernel on values and of each view.
    missing
        That of the missing share.
    """

    line: ColumnTests
    pvalues: tuple[float, ...]
    kernel: float
    views: tuple[float, ...]
    missing: float

    @property
    def values(self) -> float:
        """The adjusted p-value of its values: the smallest over views."""
        return min(self.kernel, *self.views) if self.views else self.kernel

    def found(self, level: float) -> list[View]:
        """Views that differ, the largest effect first; of nearly equal ones, what is easiest to say."""
        both = zip(self.line.views, self.views, strict=True)
        found = [view for view, p in both if p <= level]
        return sorted(found, key=lambda view: (-round(view.effect, 2), PLAIN.index(view.family)))

    def effect(self, level: float) -> Seen:
        """The largest effect over views, of those that differ if any does.

        The upper end is the largest of all. Each holds at the level: that is all that "same" needs, as all of them must
        be below the margin. Where something differs, ends hold for all views at once.
        """
        kernel = self.line.values
        if kernel is None:
            return Seen("values", 0.0, 0.0, 1.0)
        found = self.found(level)
        tail = level / (1 + len(self.views)) if self.values <= level else level
        ends = [view.interval(tail) for view in self.line.views]
        best = Seen("values", kernel.effect.value, kernel.effect.low, kernel.effect.high)
        if found and (self.kernel > level or found[0].effect > best.value):
            best = Seen(sentence(found[0]), found[0].effect, *found[0].interval(tail))
        low = max([best.low, *(low for low, _ in ends)] if self.values <= level else [best.low])
        high = max([best.high, kernel.effect.high, *(high for _, high in ends)])
        return Seen(best.view, best.value, min(low, best.value), high)


def looked_at(lines: Sequence[ColumnTests], joint: float | None) -> list[Look]:
    r"""Adjust the p-values of all views of all columns: Holm's method with weights.

    With weights :math:`w_i` and p-values in the order of :math:`p_i/w_i`, the adjusted value of the j-th is the largest
    of :math:`(w_j + w_{j+1} + \dots)\,p/w` so far. The chance of any false finding is at most the level.
    """
    weights = _weights(lines)
    pvalues = [_pvalues(line) for line in lines]
    flat, shares = np.concatenate(pvalues), np.concatenate(weights)
    adjusted = beside_joint(_weighted_holm(flat, shares), joint)
    cuts = np.cumsum([len(part) for part in pvalues])[:-1]
    return [_look(*parts) for parts in zip(lines, pvalues, np.split(adjusted, cuts), strict=True)]


def _look(line: ColumnTests, pvalues: Floats, adjusted: Floats) -> Look:
    weights = _weights([line])[0]  # its own: what is found in other columns does not change its p-value
    values = slice(0, len(pvalues) - (line.missing is not None))
    scores = pvalues[values] / weights[values]
    alone = min(1.0, float(scores.min()) * float(weights[values].sum())) if len(scores) else 1.0
    all_ = (alone,) if line.missing is None else (alone, float(pvalues[-1]))
    kernel = float(adjusted[0]) if line.values is not None else 1.0
    views = tuple(adjusted[values][1:].tolist()) if line.values is not None else ()
    return Look(line, all_, kernel, views, float(adjusted[-1]) if line.missing is not None else 1.0)


def _pvalues(line: ColumnTests) -> Floats:
    values = [] if line.values is None else [line.values.pvalue, *(view.pvalue for view in line.views)]
    return np.array([*values, *([] if line.missing is None else [line.missing.pvalue])])


def _weights(lines: Sequence[ColumnTests]) -> list[Floats]:
    """The part of each view: that of its family, shared among the columns that have it, then among their views."""
    families = [
        [*([] if line.values is None else ["bulk", *(view.family for view in line.views)])]
        + (["missing"] if line.missing is not None else [])
        for line in lines
    ]
    columns = {name: sum(name in own for own in families) for name in WEIGHTS}
    used = sum(WEIGHTS[name] for name, count in columns.items() if count)
    return [
        np.array([WEIGHTS[name] / (used * columns[name] * own.count(name)) for name in own], dtype=np.float64)
        for own in families
    ]


def _weighted_holm(pvalues: Floats, weights: Floats) -> Floats:
    order = np.argsort(pvalues / weights, kind="stable")
    left = np.cumsum(weights[order][::-1])[::-1]
    result = np.empty_like(pvalues)
    result[order] = np.minimum(1.0, np.maximum.accumulate(left * pvalues[order] / weights[order]))
    return result
