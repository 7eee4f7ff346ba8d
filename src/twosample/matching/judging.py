"""From an assignment to a result: tests of the pairs, columns that stay alone, and words for both."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .._shown import shown
from ..core.adjust import holm
from ..core.types import Floats
from .columns import Column, Side
from .costs import Costs, Measured
from .distance import best, gaps
from .evidence import EVEN
from .laws import PairTest, categories_test, numbers_test, text_test
from .rescale import Rescaled, affine_map
from .results import Matching, Pair, Unmatched

Map = tuple[float, float]
_STRANGER = "no column of a kind that it can be compared with"
_UNTESTED = PairTest(float("nan"), float("nan"), "")
DRIFTED = 0.05
"""The level of the tests that say whether partners have drifted apart."""
_MOST_TESTED = 200  # columns without a partner whose best candidate is tested


@dataclass(frozen=True, eq=False)
class Judge:
    """Two tables, their costs, how likely pairs are, and tests of pairs on demand."""

    left: Side
    right: Side
    a: Measured
    b: Measured
    costs: Costs
    confidence: Floats
    related: float
    rescaled: Rescaled | None
    _known: dict[tuple[int, int], tuple[PairTest, Map | None]] = field(default_factory=dict)

    def matching(
        self, pairs: list[tuple[int, int]], level: float | None, distance: float, notes: tuple[str, ...], seed: int
    ) -> Matching:
        """The result: the pairs, without those that their tests part if asked to, and the others."""
        tests = [self._test(i, j) for i, j in pairs]
        adjusted = _adjusted([test.pvalue for test in tests])
        ahead = gaps(self.costs.mmd, pairs)
        pvalues = np.full(self.costs.total.shape, np.nan)
        kept: list[Pair] = []
        for (i, j), test, value, gap in zip(pairs, tests, adjusted, ahead, strict=True):
            pvalues[i, j] = test.pvalue
            if level is None or not value <= level:
                kept.append(self._pair(i, j, float(value), gap, DRIFTED if level is None else level))
        taken = {pair.source for pair in kept}, {pair.target for pair in kept}
        alone = (
            self._alone(self.left, self.right, self.confidence, taken, pvalues, level),
            self._alone(self.right, self.left, self.confidence.T, taken[::-1], pvalues.T, level),
        )
        return Matching(
            pairs=tuple(kept),
            unmatched_source=alone[0],
            unmatched_target=alone[1],
            sources=self.left.names,
            targets=self.right.names,
            confidence=self.confidence,
            costs=self.costs.total,
            mmd=self.costs.mmd,
            pvalues=pvalues,
            distance=distance,
            related=self.related,
            level=level,
            names=(self.left.name, self.right.name),
            rows=(self.left.rows, self.right.rows),
            notes=notes,
            seed=seed,
            sides=(self.left, self.right),
        )

    def _test(self, i: int, j: int) -> PairTest:
        return self._mapped(i, j)[0]

    def _mapped(self, i: int, j: int) -> tuple[PairTest, Map | None]:
        if (i, j) not in self._known:
            self._known[i, j] = self._tested(i, j)
        return self._known[i, j]

    def _tested(self, i: int, j: int) -> tuple[PairTest, Map | None]:
        """Whether two columns have one distribution, up to a map if they need one."""
        one, two = self.left.columns[i], self.right.columns[j]
        families = {one.family, two.family}
        if not np.isfinite(self.costs.total[i, j]):
            return _UNTESTED, None
        if "text" in families:
            return text_test(one.words, two.words), None
        if "category" in families:
            return categories_test(one.levels(), two.levels()), None
        x, y, mapped = one.values, two.values, None
        scale = max(self.a.scale(i), self.b.scale(j))
        if self._needs_map(i, j):
            mapped = affine_map(x, y)
            x, scale = mapped[0] + mapped[1] * x, self.b.scale(j)
        return numbers_test(x, y, scale), mapped

    def _needs_map(self, i: int, j: int) -> bool:
        if self.rescaled is None:
            return False
        row, column = np.searchsorted(self.a.index, i), np.searchsorted(self.b.index, j)
        return bool(self.rescaled.mapped[row, column])

    def _pair(self, i: int, j: int, adjusted: float, gap: float, level: float) -> Pair:
        test, mapped = self._mapped(i, j)
        one, two = self.left.columns[i], self.right.columns[j]
        return Pair(
            source=one.name,
            target=two.name,
            kind=one.kind if one.kind == two.kind else _joint(one, two),
            confidence=float(self.confidence[i, j]),
            drifted=None if np.isnan(adjusted) else adjusted <= level,
            mmd=float(self.costs.mmd[i, j]),
            pvalue=test.pvalue,
            adjusted_pvalue=adjusted,
            gap=gap,
            cost=float(self.costs.total[i, j]),
            statistic=test.statistic,
            map=mapped,
            kernel=test.kernel,
            bandwidth=test.bandwidth,
            evidence=_evidence(one, two, gap),
        )

    def _alone(
        self,
        side: Side,
        other: Side,
        confidence: Floats,
        taken: tuple[set[str], set[str]],
        pvalues: Floats,
        level: float | None,
    ) -> tuple[Unmatched, ...]:
        """Who has no partner, and why; best candidates are tested, those of the first few hundred columns."""
        turned = confidence is not self.confidence
        found: list[Unmatched] = []
        for i, column in enumerate(side.columns):
            if column.name in taken[0]:
                continue
            nearest = best(confidence[i], 1)
            if not len(nearest):
                found.append(Unmatched(column.name, column.reason or _STRANGER))
                continue
            j = int(nearest[0])
            if np.isnan(pvalues[i, j]) and len(found) < _MOST_TESTED:
                pvalues[i, j] = (self._test(j, i) if turned else self._test(i, j)).pvalue
            value, name = float(pvalues[i, j]), other.columns[j].name
            parted = level is not None and value <= level
            why = _why(name, value, float(confidence[i, j]), name in taken[1], parted)
            found.append(Unmatched(column.name, why, name, value))
        return tuple(found)


def in_order(m: Matching, sources: tuple[str, ...], targets: tuple[str, ...]) -> Matching:
    """The result with columns in this order."""
    place = [{name: k for k, name in enumerate(names)} for names in (m.sources, m.targets)]
    at = np.ix_([place[0][name] for name in sources], [place[1][name] for name in targets])
    first, second = ({name: k for k, name in enumerate(names)} for names in (sources, targets))
    return replace(
        m,
        pairs=tuple(sorted(m.pairs, key=lambda pair: first[pair.source])),
        unmatched_source=tuple(sorted(m.unmatched_source, key=lambda one: first[one.name])),
        unmatched_target=tuple(sorted(m.unmatched_target, key=lambda one: second[one.name])),
        sources=sources,
        targets=targets,
        confidence=m.confidence[at],
        costs=m.costs[at],
        mmd=m.mmd[at],
        pvalues=m.pvalues[at],
    )


def _adjusted(pvalues: list[float]) -> Floats:
    """Adjusted by Holm for the pairs that could be tested; NaN for the others."""
    values = np.array(pvalues, dtype=np.float64)
    tested = ~np.isnan(values)
    values[tested] = holm(values[tested].tolist())
    return values


def _joint(one: Column, two: Column) -> str:
    """The kind by which two columns of different kinds are compared."""
    families = {one.family, two.family}
    if "text" in families:
        return "text"
    return "categorical" if "category" in families else "numeric"


def _evidence(one: Column, two: Column, gap: float) -> str:
    if "none" in (one.family, two.family) or gap == -np.inf:
        return "by their names; the values cannot be compared"
    words = ["nearest" if gap >= 0 else "not the nearest"]
    shares = [column.missing / column.rows for column in (one, two)]
    if max(shares) > 0.05 or abs(shares[0] - shares[1]) > 0.02:
        words.append(f"missing {shares[0]:.0%} and {shares[1]:.0%}")
    return ", ".join(words)


def _why(name: str, pvalue: float, confidence: float, taken: bool, parted: bool) -> str:
    nearest = f"the likeliest, {shown(name, 40)!r},"
    if taken and (confidence >= EVEN or pvalue > DRIFTED):
        return f"{nearest} has another partner"
    if parted:
        return f"{nearest} has another distribution (p = {pvalue:.3g})"
    return f"{nearest} is too unlike (confidence {confidence:.2g})"
