"""From an assignment to a result: tests of the pairs, columns that stay alone, and words for both."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .._shown import shown
from ..core.adjust import holm
from ..core.types import Floats
from .assignment import margins, nearest
from .columns import Column, Side
from .costs import Costs, Measured
from .laws import PairTest, categories_test, numbers_test, text_test
from .rescale import Rescaled, affine_map
from .results import Matching, Pair, Unmatched

Map = tuple[float, float]
_STRANGER = "no column of a kind that it can be compared with"
_MOST_TESTED = 200  # columns without a partner whose best candidate is tested


@dataclass(frozen=True, eq=False)
class Judge:
    """Two tables, their costs, and tests of pairs on demand."""

    left: Side
    right: Side
    a: Measured
    b: Measured
    costs: Costs
    rescaled: Rescaled | None
    _known: dict[tuple[int, int], tuple[PairTest, Map | None]] = field(default_factory=dict)

    def matching(
        self,
        pairs: list[tuple[int, int]],
        level: float | None,
        distance: float,
        notes: tuple[str, ...],
        seed: int,
    ) -> Matching:
        """The result: pairs that pass their tests, and the others."""
        if level is not None:
            pairs = self._completed(pairs, level)
        tests = [self._test(i, j) for i, j in pairs]
        adjusted = holm([test.pvalue for test in tests])
        gaps = margins(self.costs.mmd, pairs)
        pvalues = np.full(self.costs.total.shape, np.nan)
        kept: list[Pair] = []
        for (i, j), test, value, gap in zip(pairs, tests, adjusted, gaps, strict=True):
            pvalues[i, j] = test.pvalue
            if level is None or value > level:
                kept.append(self._pair(i, j, float(value), gap))
        taken = {pair.source for pair in kept}, {pair.target for pair in kept}
        alone = (
            self._alone(self.left, self.right, self.costs.total, taken, pvalues, level),
            self._alone(self.right, self.left, self.costs.total.T, taken[::-1], pvalues.T, level),
        )
        return Matching(
            pairs=tuple(kept),
            unmatched_source=alone[0],
            unmatched_target=alone[1],
            sources=self.left.names,
            targets=self.right.names,
            costs=self.costs.total,
            mmd=self.costs.mmd,
            pvalues=pvalues,
            distance=distance,
            level=level,
            names=(self.left.name, self.right.name),
            rows=(self.left.rows, self.right.rows),
            notes=notes,
            seed=seed,
            sides=(self.left, self.right),
        )

    def _completed(self, pairs: list[tuple[int, int]], level: float) -> list[tuple[int, int]]:
        """With the pairs of columns that were too dear, but are nearest to each other and pass their test."""
        sources, targets = {i for i, _ in pairs}, {j for _, j in pairs}
        more: list[tuple[int, int]] = []
        free = [i for i in range(len(self.left.columns)) if i not in sources][:_MOST_TESTED]
        for i in free:
            best = nearest(self.costs.total[i], 1)
            if len(best) and best[0] not in targets and self._test(i, int(best[0])).pvalue > level:
                more.append((i, int(best[0])))
                targets.add(int(best[0]))
        return sorted(pairs + more)

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

    def _pair(self, i: int, j: int, adjusted: float, gap: float) -> Pair:
        test, mapped = self._mapped(i, j)
        one, two = self.left.columns[i], self.right.columns[j]
        return Pair(
            source=one.name,
            target=two.name,
            kind=one.kind if one.kind == two.kind else _joint(one, two),
            mmd=float(self.costs.mmd[i, j]),
            pvalue=test.pvalue,
            adjusted_pvalue=adjusted,
            margin=gap,
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
        total: Floats,
        taken: tuple[set[str], set[str]],
        pvalues: Floats,
        level: float | None,
    ) -> tuple[Unmatched, ...]:
        """Who has no partner, and why; best candidates are tested, those of the first few hundred columns."""
        turned = side is self.right and side is not self.left
        found: list[Unmatched] = []
        for i, column in enumerate(side.columns):
            if column.name in taken[0]:
                continue
            best = nearest(total[i], 1)
            if not len(best):
                found.append(Unmatched(column.name, column.reason or _STRANGER))
                continue
            j = int(best[0])
            if np.isnan(pvalues[i, j]) and len(found) < _MOST_TESTED:
                pvalues[i, j] = (self._test(j, i) if turned else self._test(i, j)).pvalue
            value, name = float(pvalues[i, j]), other.columns[j].name
            found.append(Unmatched(column.name, _why(name, value, name in taken[1], level), name, value))
        return tuple(found)


def _joint(one: Column, two: Column) -> str:
    """The kind by which two columns of different kinds are compared."""
    families = {one.family, two.family}
    if "text" in families:
        return "text"
    return "categorical" if "category" in families else "numeric"


def _evidence(one: Column, two: Column, gap: float) -> str:
    words = ["nearest" if gap >= 0 else "a nearer column has another partner"]
    shares = [column.missing / column.rows for column in (one, two)]
    if max(shares) > 0.05 or abs(shares[0] - shares[1]) > 0.02:
        words.append(f"missing {shares[0]:.0%} and {shares[1]:.0%}")
    return ", ".join(words)


def _why(name: str, pvalue: float, taken: bool, level: float | None) -> str:
    nearest_one = f"the nearest, {shown(name, 40)!r},"
    if np.isnan(pvalue):
        return f"{nearest_one} {'has another partner' if taken else 'is too far away'}"
    p = f" (p = {pvalue:.3g})"
    if level is not None and pvalue <= level:
        return f"{nearest_one} has another distribution{p}"
    return f"{nearest_one} {'has another partner' if taken else 'would part nearer ones'}{p}"
