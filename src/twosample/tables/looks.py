"""All views of all columns weighed: one p-value, one effect and one interval for each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..embedding.judge import JOINT, beside_joint
from .views import PLAIN, WEIGHTS, GapView, View, intervals, missing_view

if TYPE_CHECKING:
    from .verdicts import ColumnTests

_SURE = 1e-4  # adjusted p-values below which it does not matter how discrete p-values are


@dataclass(frozen=True)
class Seen:
    """The largest effect over views: what it is of, its value and interval."""

    view: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ColumnLook:
    """One column with the p-values of all its views."""

    line: ColumnTests  # the column
    pvalues: tuple[float, ...]
    """Of the column, valid for the smallest over all its views; and of its missing share alone, if there is one."""
    kernels: tuple[float, ...]
    views: tuple[float, ...]
    """Adjusted p-values of the kernel on values, of finer ones if there are any, and of each view."""
    missing: float  # that of the missing share

    @property
    def values(self) -> float:
        """The adjusted p-value of its values: the smallest over views."""
        return min(*self.kernels, *self.views, 1.0)

    def found(self, level: float) -> list[View]:
        """Views that differ, the largest effect first; of nearly equal ones, and of the same rows, the plainest."""
        both = zip(self.line.views, self.views, strict=True)
        found = [view for view, p in both if p <= level]
        found.sort(key=lambda view: (-round(view.effect, 2), PLAIN.index(view.family)))
        first = {(view.a, view.b): i for i, view in reversed([*enumerate(found)])}
        return [view for i, view in enumerate(found) if first[view.a, view.b] == i]

    def effect(self, level: float) -> Seen:
        """The largest effect over all views, the missing share among them, and its interval."""
        best, gone = self.values_effect(level), self.line.missing
        if gone is None:
            return best
        value, low = (best.value, best.low)
        if self.missing <= level and (self.values > level or gone.effect.value > value):
            told = missing_view(self.line.rows, self.line.gone).told(self.line.tables)
            best, value, low = replace(best, view=told.text), gone.effect.value, max(low, gone.effect.low)
        return replace(best, value=value, low=min(low, value), high=max(best.high, gone.effect.high))

    def values_effect(self, level: float) -> Seen:
        """The same of values alone: of views that differ if any does; how often values occur is the last resort.

        The upper end is the largest of all: it is above the largest effect as often as the end of that one view is.
        Where something differs, ends of views hold for all of them at once.
        """
        kernel, finer = self.line.values, self.line.finer
        if kernel is None:
            return Seen("values", 0.0, 0.0, 1.0)
        tail = level / (len(self.kernels) + len(self.views)) if self.values <= level else level
        known = [*self._of_themselves(level)]
        found = [view for view in self.found(level) if view in known]
        ends = intervals(known, tail)
        best = Seen("values", kernel.effect.value, kernel.effect.low, kernel.effect.high)
        unseen = self.kernels[0] > level
        plain = [view for view in found if view.family != "seldom"]
        found = found if unseen and not plain else plain
        for test, p in zip(finer, self.kernels[1:], strict=True):
            ends.append((0.0, test.effect.high))
            if p <= level and (unseen or test.effect.value > best.value):
                size = test.effect
                best, unseen = Seen("values in fine detail", size.value, size.low, size.high), False
        if found and (min(self.kernels) > level or found[0].effect > best.value):
            best = Seen(found[0].told(self.line.called(found[0].among)).text, found[0].effect, *found[0].interval(tail))
        lows = [low for view, (low, _) in zip(known, ends, strict=False) if view.family != "seldom"]
        low = max([best.low, *lows] if self.values <= level else [best.low])
        high = max([best.high, kernel.effect.high, *(high for _, high in ends)])
        return Seen(best.view, best.value, min(low, best.value), high)

    def _of_themselves(self, level: float) -> Iterator[View]:
        """Views that have an effect of their own: a gap only where it is the surest sign, as chance may choose it."""
        for view, p in zip(self.line.views, self.views, strict=True):
            if not isinstance(view, GapView) or p <= min(level, *self.kernels):
                yield view


@dataclass(frozen=True, eq=False)
class _Test:
    """A p-value, the family that it is of, and the chance that it is at most so small."""

    family: str
    pvalue: float
    chance: Callable[[float], float]


def looked_at(lines: Sequence[ColumnTests], joint: float | None) -> list[ColumnLook]:
    r"""Adjust the p-values of all views of all columns: Holm's method with weights, for p-values that are discrete.

    With weights :math:`w_i`, p-values in the order of :math:`p_i/w_i`, and :math:`F_i(t)` the chance that the i-th is
    at most t, the adjusted value of the j-th is the largest so far of :math:`\sum_{i\ge j} F_i(w_i\,p_j/w_j)`. The
    chance of any false finding is at most the level. Views that hold for a few rows have :math:`F_i(t)=0` for small t:
    they cost the others nothing (Tarone 1990; Westfall and Wolfinger 1997).
    """
    tests = [_tests(line) for line in lines]
    weights = _weights(tests)
    flat = [test for own in tests for test in own]
    adjusted = beside_joint(_weighted_holm(flat, np.concatenate(weights)), joint)
    cuts = np.cumsum([len(part) for part in tests])[:-1]
    return [_look(*parts) for parts in zip(lines, tests, np.split(adjusted, cuts), strict=True)]


def smallest_adjusted(lines: Sequence[ColumnTests], least: float, joint: bool) -> float:
    """The smallest adjusted p-value that there can be if no p-value is below `least`; with a joint test, or without."""
    weights = [part.max() for part in _weights([_tests(line) for line in lines]) if len(part)]
    best = np.array([least / max(weights, default=1.0)])
    found = beside_joint(best, least if joint else None)
    return float(min(found[0], least / JOINT if joint else 1.0))


def _tests(line: ColumnTests) -> list[_Test]:
    """Of the kernel on values, of views, and of the missing share, where there are any."""
    found = []
    if line.values is not None:
        found = [_Test("bulk", line.values.pvalue, float)]
        found += [_Test("finer", finer.pvalue, float) for finer in line.finer]
        found += [_Test(view.family, view.pvalue, view.chance) for view in line.views]
    if line.missing is not None:
        found.append(_Test("missing", line.missing.pvalue, line.absent))
    return found


def _look(line: ColumnTests, tests: Sequence[_Test], adjusted: Floats) -> ColumnLook:
    weights = _weights([tests])[0]  # its own: what is found in other columns does not change its p-value
    count = len(tests) - (line.missing is not None)
    alone = 1.0
    if tests:
        least = min(test.pvalue / weight for test, weight in zip(tests, weights, strict=True))
        smallest = min(test.pvalue for test in tests)  # chances far out count as none
        alone = min(1.0, max(_any(tests, least * weights), smallest))
    all_ = (alone,) if line.missing is None else (alone, tests[-1].pvalue)
    kernels = tuple(adjusted[: count - len(line.views)].tolist()) or (1.0,)
    views = tuple(adjusted[len(kernels) : count].tolist())
    return ColumnLook(line, all_, kernels, views, float(adjusted[-1]) if len(all_) > 1 else 1.0)


def _weights(tests: Sequence[Sequence[_Test]]) -> list[Floats]:
    """The part of each view: that of its family, shared among the columns that have it, then among their views."""
    families = [[test.family for test in own] for own in tests]
    columns = {name: sum(name in own for own in families) for name in WEIGHTS}
    used = sum(WEIGHTS[name] for name, count in columns.items() if count)
    return [
        np.array([WEIGHTS[name] / (used * columns[name] * counts[name]) for name in own], dtype=np.float64)
        for own, counts in zip(families, map(Counter, families), strict=True)
    ]


def _weighted_holm(tests: Sequence[_Test], weights: Floats) -> Floats:
    scores = np.array([test.pvalue for test in tests]) / weights
    order = np.argsort(scores, kind="stable")
    plain = np.cumsum(weights[order][::-1])[::-1] * scores[order]
    ranked, largest = [tests[i] for i in order], 0.0
    for place, bound in enumerate(plain.tolist()):
        discrete = bound
        if bound > _SURE and largest < 1:
            discrete = _any(ranked[place:], scores[order[place]] * weights[order[place:]])
        largest = max(largest, min(bound, discrete))
        plain[place] = min(1.0, largest)
    result = np.empty_like(plain)
    result[order] = plain
    return result


def _any(tests: Sequence[_Test], levels: Floats) -> float:
    """The chance that any of them is at most its level, or more."""
    return float(sum(test.chance(level) for test, level in zip(tests, levels.tolist(), strict=True)))
