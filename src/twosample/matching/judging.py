"""From pairs of columns to a result: tests of the pairs, columns that stay alone, and words for both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .._shown import shown
from ..core.adjust import holm
from ..core.types import Floats
from ..embedding import Embedded, Levels, Line, text_pair
from ..kernels import Gaussian
from ..nulls import Spectrum
from ..structured import Categories, Text
from .columns import Column
from .costs import Costs
from .evidence import EVEN, ColumnPairs, confidence, sigmoid
from .points import LARGEST
from .rescale import Rescaled, affine_map
from .results import Matching, Pair, Unmatched, likeliest

Map = tuple[float, float]
DRIFTED = 0.05
"""The level of the tests that say whether partners have drifted apart."""
_STRANGER = "no column of a kind that it can be compared with"
_MOST_TESTED = 200  # columns without a partner whose best candidate is tested


class PairTest(NamedTuple):
    """MMD²_u of two columns and its p-value by the limit law, the kernel that was used, and a map if they need one."""

    statistic: float = float("nan")
    pvalue: float = float("nan")
    kernel: str = ""
    bandwidth: float | None = None
    map: Map | None = None


def drift_test(one: Column, two: Column, mapped: bool = False) -> PairTest:
    """Whether two columns have one distribution, up to a change of units if asked to."""
    families = {one.family, two.family}
    if "text" in families:
        return _of(text_pair(one.texts, two.texts), Text())
    if "category" in families:
        return _of(Levels.of(one.label_counts, two.label_counts).embedded(), Categories())
    x, y, scale, change = one.ascending, two.ascending, max(one.points.scale, two.points.scale), None
    if mapped:
        change = affine_map(one, two)
        x, scale = change[0] + change[1] * x, two.points.scale
    x, y = (np.clip(values, -LARGEST, LARGEST) for values in (x, y))
    line = Line.of_many_values(x, y, scale or 1.0)
    kernel = Gaussian(line.median_distance or 1.0)
    return _of(line.embedded(kernel.scale), kernel)._replace(bandwidth=kernel.scale, map=change)


def _of(pair: Embedded, kernel: Gaussian | Categories | Text) -> PairTest:
    observed = pair.observed()
    return PairTest(observed.value, Spectrum().law(observed).pvalue(observed.value), repr(kernel))


@dataclass(frozen=True, eq=False)
class PairTests:
    """Two tables, their costs, how likely pairs are, and tests of pairs on demand."""

    pair: ColumnPairs
    rescaled: Rescaled | None
    costs: Costs
    related: float  # how likely the tables have anything to do with each other, and each two columns
    confidence: Floats
    level: float | None
    _known: dict[tuple[int, int], PairTest] = field(default_factory=dict)

    @classmethod
    def of(cls, pair: ColumnPairs, rescaled: Rescaled | None, evidence: Floats, level: float | None) -> PairTests:
        """By the evidence for all pairs."""
        odds = pair.related(evidence)
        costs = pair.costs if rescaled is None else rescaled.costs()
        return cls(pair, rescaled, costs, float(sigmoid(np.asarray(odds))), confidence(evidence, odds), level)

    def matching(self, pairs: list[tuple[int, int]], notes: tuple[str, ...], seed: int) -> Matching:
        """The result: the pairs, without those that their tests part if asked to, and the others."""
        left, right = self.pair.left, self.pair.right
        tests = [self._test(i, j) for i, j in pairs]
        pvalues = np.full(self.costs.total.shape, np.nan)
        kept: list[Pair] = []
        for (i, j), test, adjusted in zip(pairs, tests, _adjusted([test.pvalue for test in tests]), strict=True):
            pvalues[i, j] = test.pvalue
            if self.level is None or not adjusted <= self.level:
                kept.append(self._pair(i, j, test, float(adjusted)))
        taken = {one.source for one in kept}, {one.target for one in kept}
        alone = self._alone(0, taken, pvalues), self._alone(1, taken, pvalues)
        known = np.ix_(*([one.family != "none" for one in side.columns] for side in (left, right)))
        return Matching(
            pairs=tuple(kept),
            unmatched_source=alone[0],
            unmatched_target=alone[1],
            sources=left.names,
            targets=right.names,
            confidence=self.confidence,
            costs=self.costs.total,
            mmd=self.costs.mmd,
            pvalues=pvalues,
            distance=semi_metric(self.costs.mmd[known]),
            related=self.related,
            level=self.level,
            names=(left.name, right.name),
            rows=(left.rows, right.rows),
            notes=notes,
            seed=seed,
            sides=(left, right),
        )

    def _test(self, i: int, j: int) -> PairTest:
        if (i, j) not in self._known:
            one, two = self.pair.left.columns[i], self.pair.right.columns[j]
            numbers = one.on_a_line and two.on_a_line
            mapped = numbers and self.rescaled is not None and self.rescaled.needs_map(i, j)
            comparable = np.isfinite(self.costs.total[i, j])
            self._known[i, j] = drift_test(one, two, mapped) if comparable else PairTest()
        return self._known[i, j]

    def _pair(self, i: int, j: int, test: PairTest, adjusted: float) -> Pair:
        one, two = self.pair.left.columns[i], self.pair.right.columns[j]
        ahead, level = gap(self.costs.mmd, i, j), DRIFTED if self.level is None else self.level
        return Pair(
            source=one.name,
            target=two.name,
            kind=one.kind if one.kind == two.kind else _joint(one, two),
            confidence=float(self.confidence[i, j]),
            drifted=None if np.isnan(adjusted) else adjusted <= level,
            mmd=float(self.costs.mmd[i, j]),
            pvalue=test.pvalue,
            adjusted_pvalue=adjusted,
            gap=ahead,
            cost=float(self.costs.total[i, j]),
            statistic=test.statistic,
            map=test.map,
            kernel=test.kernel,
            bandwidth=test.bandwidth,
            evidence=_evidence(one, two, ahead),
        )

    def _alone(self, side: int, taken: tuple[set[str], set[str]], pvalues: Floats) -> tuple[Unmatched, ...]:
        """Who has no partner, and why; best candidates are tested, those of the first few hundred columns."""
        columns, others = (table.columns for table in (self.pair.left, self.pair.right)[:: -1 if side else 1])
        sure = self.confidence.T if side else self.confidence
        found: list[Unmatched] = []
        for i, column in enumerate(columns):
            if column.name in taken[side]:
                continue
            nearest = likeliest(sure[i], 1)
            if not len(nearest):
                found.append(Unmatched(column.name, column.reason or _STRANGER))
                continue
            at = (int(nearest[0]), i) if side else (i, int(nearest[0]))
            if np.isnan(pvalues[at]) and len(found) < _MOST_TESTED:
                pvalues[at] = self._test(*at).pvalue
            value, name = float(pvalues[at]), others[nearest[0]].name
            parted = self.level is not None and value <= self.level
            why = _why(name, value, float(self.confidence[at]), name in taken[1 - side], parted)
            found.append(Unmatched(column.name, why, name, value))
        return tuple(found)


def in_order(m: Matching, sources: tuple[str, ...], targets: tuple[str, ...]) -> Matching:
    """The result with columns in this order."""
    given, wanted = ([_places(names) for names in both] for both in ((m.sources, m.targets), (sources, targets)))
    at = np.ix_([given[0][name] for name in sources], [given[1][name] for name in targets])
    return replace(
        m,
        pairs=tuple(sorted(m.pairs, key=lambda pair: wanted[0][pair.source])),
        unmatched_source=tuple(sorted(m.unmatched_source, key=lambda one: wanted[0][one.name])),
        unmatched_target=tuple(sorted(m.unmatched_target, key=lambda one: wanted[1][one.name])),
        sources=sources,
        targets=targets,
        confidence=m.confidence[at],
        costs=m.costs[at],
        mmd=m.mmd[at],
        pvalues=m.pvalues[at],
    )


def _places(names: tuple[str, ...]) -> dict[str, int]:
    return {name: k for k, name in enumerate(names)}


def semi_metric(mmd: Floats) -> float:
    """Δ of the paper: the least sum of MMDs over the ways to match all columns of the narrower table.

    Symmetric if `mmd` is, that is if the kernel of a pair does not ask which side is the first.
    Columns that cannot be compared are at the distance √2, the largest of a kernel between 0 and 1. NaN if a table has
    no columns.
    """
    from scipy.optimize import linear_sum_assignment

    if not mmd.size:
        return float("nan")
    known = np.where(np.isfinite(mmd), mmd, np.sqrt(2.0))
    return float(known[linear_sum_assignment(known)].sum())


def gap(mmd: Floats, i: int, j: int) -> float:
    """How much farther than j the next best target of source i is; infinite if there is none.

    Minus infinity for a pair that cannot be compared.
    """
    others = np.delete(mmd[i], j)
    return float(np.min(others, initial=np.inf) - mmd[i, j]) if np.isfinite(mmd[i, j]) else float("-inf")


def _adjusted(pvalues: list[float]) -> Floats:
    """Adjusted by Holm for the pairs that could be tested; NaN for the others."""
    values = np.array(pvalues, dtype=np.float64)
    known = ~np.isnan(values)
    values[known] = holm(values[known].tolist())
    return values


def _joint(one: Column, two: Column) -> str:
    """The kind by which two columns of different kinds are compared."""
    families = {one.family, two.family}
    if "text" in families:
        return "text"
    return "categorical" if "category" in families else "numeric"


def _evidence(one: Column, two: Column, ahead: float) -> str:
    if "none" in (one.family, two.family) or ahead == -np.inf:
        return "by their names; the values cannot be compared"
    words = ["nearest" if ahead >= 0 else "not the nearest"]
    shares = [column.missing / column.rows for column in (one, two)]
    if max(shares) > 0.05 or abs(shares[0] - shares[1]) > 0.02:
        words.append(f"missing {shares[0]:.0%} and {shares[1]:.0%}")
    return ", ".join(words)


def _why(name: str, pvalue: float, sure: float, taken: bool, parted: bool) -> str:
    nearest = f"the likeliest, {shown(name, 40)!r},"
    if taken and (sure >= EVEN or pvalue > DRIFTED):
        return f"{nearest} has another partner"
    if parted:
        return f"{nearest} has another distribution (p = {pvalue:.3g})"
    return f"{nearest} is too unlike (confidence {sure:.2g})"
