"""Two tables whose columns are to be paired: all that is known of pairs, the best ones, and the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..core.threads import single_threaded_blas
from ..core.types import Floats
from ..errors import InputError
from .columns import Side, flags
from .costs import Costs, Measured, all_costs
from .dependence import rank_correlations, rows_used
from .distance import semi_metric
from .evidence import SOME_SHARED, Likeness, best_pairs, confidence, sigmoid
from .joint import settled
from .judging import Judge, in_order
from .names import name_similarity
from .rescale import Rescaled, assign_by_dependence, rescaled
from .results import Matching

_NAME_TERM = 10.0  # what names with nothing in common cost where units are free
_MAP_NOTE = "Maps are fitted to the data that test them: p-values of pairs with a map are a little too large."
MOST_PAIRS = 10_000_000
Progress = Callable[[int, int, str], None]
Tell = Callable[[str], None]


def check_pairs(sources: int, targets: int, advice: str) -> None:
    """Refuse more pairs of columns than can be looked at."""
    if sources * targets > MOST_PAIRS:
        raise InputError(f"a has {sources} and b {targets} columns: more than {MOST_PAIRS:,} pairs. {advice}")


class Teller:
    """Says how far it is, in so many steps."""

    def __init__(self, progress: Progress | None, steps: int) -> None:
        self.progress, self.steps = progress, steps
        self.done = 0

    def __call__(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, self.steps, what)
        self.done += 1


@dataclass(frozen=True)
class Options:
    """How columns are paired."""

    rescale: bool = False  # as match has them
    use_names: bool = False
    force: bool = False
    level: float | None = None
    seed: int = 0  # its `rng`


def matched(left: Side, right: Side, options: Options, tell: Tell) -> Matching:
    """The columns of two samples paired; does not depend on the order of the columns."""
    with single_threaded_blas():  # vectors and small matrices: waking other threads costs more than it saves
        tell("comparing columns")
        problem = _Problem.of(left.by_name(), right.by_name(), options.use_names)
        tell("matching")
        found = problem.rescaled() if options.rescale else None
        evidence, pairs = problem.solved(found, options.force, options.seed)
        tell("testing pairs")
        costs = problem.shown(found)
        together = problem.likeness.related(evidence)
        sure, likely = confidence(evidence, together), float(sigmoid(np.asarray(together)))
        judge = Judge(problem.left, problem.right, problem.a, problem.b, costs, sure, likely, found)
        notes = (*_sampled(left, right), *((_MAP_NOTE,) if options.rescale else ()))
        distance = semi_metric(problem.usable(costs.mmd))
        result = judge.matching(pairs, options.level, distance, notes, options.seed)
    return in_order(result, left.names, right.names)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Two tables, and all that is known of pairs of their columns."""

    left: Side
    right: Side
    a: Measured
    b: Measured
    likeness: Likeness

    @classmethod
    def of(cls, left: Side, right: Side, use_names: bool) -> _Problem:
        a, b = Measured.of(left), Measured.of(right)
        kinds = [np.array([column.coarse_kind for column in side.columns]) for side in (left, right)]
        likeness = Likeness(
            all_costs(left, right, a, b),
            kinds[0][:, None] == kinds[1],
            flags(left, right),
            name_similarity(left.names, right.names) if use_names else None,
            (rank_correlations(left), rank_correlations(right)),
            (len(rows_used(left)), len(rows_used(right))),
        )
        return cls(left, right, a, b, likeness)

    def rescaled(self) -> Rescaled | None:
        """Columns of numbers up to affine maps, if there are any on both sides."""
        if not len(self.a.index) or not len(self.b.index):
            return None
        return rescaled(self.likeness.costs, self.a, self.b, self.left, self.right)

    def solved(self, found: Rescaled | None, force: bool, seed: int) -> tuple[Floats, list[tuple[int, int]]]:
        """The evidence for all pairs, and the best pairs."""
        if found is None:
            evidence = self.likeness.with_sole(self.likeness.evidence(), self._families)
            evidence = settled(evidence, self.left, self.right, self.likeness.names)
            return evidence, best_pairs(evidence, force)
        costs = self.shown(found)
        costs.common[np.ix_(self.a.index, self.b.index)] = SOME_SHARED
        free = replace(self.likeness, costs=costs, same_kind=np.ones_like(self.likeness.same_kind))
        evidence = free.with_sole(free.evidence(), self._families)
        numbers = self._by_dependence(found, evidence, seed)
        rest = evidence.copy()
        rest[self.a.index[:, None], self.b.index] = -np.inf
        for i, j in numbers:
            rest[i], rest[:, j] = -np.inf, -np.inf
        pairs = sorted(numbers + best_pairs(rest, force))
        return evidence, [(i, j) for i, j in pairs if force or evidence[i, j] > 0]

    @property
    def _families(self) -> tuple[list[str], list[str]]:
        left, right = ([column.family for column in side.columns] for side in (self.left, self.right))
        return list(left), list(right)

    def _by_dependence(self, found: Rescaled, evidence: Floats, seed: int) -> list[tuple[int, int]]:
        """Columns of numbers paired by shape and dependence."""
        at = np.ix_(self.a.index, self.b.index)
        if self.likeness.names is not None:
            found = replace(found, terms=found.terms + _NAME_TERM * (1 - self.likeness.names[at]))
        RA, RB = (R[np.ix_(part.index, part.index)] for R, part in
                  zip(self.likeness.correlations, (self.a, self.b), strict=True))  # fmt: skip
        rows = int(2 / (1 / self.likeness.rows[0] + 1 / self.likeness.rows[1]))
        pairs = assign_by_dependence(found, RA, RB, rows, seed)
        return [(int(self.a.index[i]), int(self.b.index[j])) for i, j in pairs]

    def shown(self, found: Rescaled | None) -> Costs:
        """The costs for the result: of pairs that need a map, after the map."""
        costs = self.likeness.costs
        total, mmd, common = costs.total.copy(), costs.mmd.copy(), costs.common.copy()
        if found is not None:
            at = np.ix_(self.a.index, self.b.index)
            use = found.mapped & found.allowed
            total[at] = np.where(use, found.shape, total[at])
            mmd[at] = np.where(use, found.mmd, mmd[at])
        return replace(costs, total=total, mmd=mmd, common=common)

    def usable(self, mmd: Floats) -> Floats:
        """Without the columns that say nothing: constants apart, those that hold no or only one value."""
        rows, columns = ([c.family != "none" for c in side.columns] for side in (self.left, self.right))
        return np.asarray(mmd[np.ix_(rows, columns)])


def _sampled(left: Side, right: Side) -> tuple[str, ...]:
    return tuple(
        f"{side.name}: a random sample of {side.rows:,} rows was looked at." for side in (left, right) if side.sampled
    )
