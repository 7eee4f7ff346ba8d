r"""How strongly two columns belong together, as log odds; and the pairs of the largest sum of these.

Columns of one meaning drift: their distributions differ from one table to the next, so that equality is the wrong
question. Better ones are how near two columns are beside their rivals, how unusual their distance is beside that of
the other pairs, how many values they share, and whether they depend on the other columns in the same way. With C the
squared effect size, τ = 1/m + 1/n its noise and J the share of different values in common,

.. math:: E = 2.1 - 0.2\log(C + \tau) + 0.4\log(J + 0.01) + 2\,\mathrm{lead}(S) - 0.4\,Z
          - 3\,[\text{kinds differ}] + 1.3\,\mathrm{lead}(R), \qquad S = 2\log(J + 0.01) - \log(C + \tau).

*lead* is how far a pair is ahead of the best other pair of either of its columns, within bounds. Z is the distance of
log(C + τ) from the median of the nearest pairs in units of their spread. R is minus the logarithm of the mean squared
difference of the rank correlations with the columns that were paired so far: first without R, then with it.

Whether the two tables have anything to do with each other is a question of its own. With q the share of the columns of
the narrower table that find a partner, the log odds of that are

.. math:: W = 2.5 \log(1 + \textstyle\sum E) + 5 q - 7.5,

the sum over the pairs, in which columns of yes and no count for half; and the confidence in a pair is the product of
both, σ(W) σ(0.75 E - 0.6) with the logistic function σ. Weights were chosen on the families of pairs that ``python -m
benchmarks matching_quality`` does not keep aside, and on a thousand pairs, related and not, made from tables of R; see
docs/matching.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..core.types import Floats
from .columns import Family, TableSample
from .costs import Costs
from .names import name_similarity
from .points import Mask

SOME_SHARED = 0.3
"""Values in common where they are not counted: neither for a pair nor against it."""
_START, _NEAR = 2.1, 0.2
_SHARED, _NONE_SHARED = 0.4, 0.01
_LEAD, _MOST_LEAD, _SHARED_LEAD = 2.0, 0.6, 2.0
_UNUSUAL, _MOST_UNUSUAL = 0.4, 4.0
_WITHOUT_DRIFT, _MOST_WITHOUT = 2.0, 8.0  # nine of ten nearest costs below so many times their noise: what then counts
_KIND = 3.0
_DEPENDENCE, _MOST_DEPENDENCE, _ROUNDS = 1.3, 1.5, 2
ALIKE = 0.6
"""Likeness from which on names are alike."""
_NAMES, _SIMILAR = 6.0, 0.3
_EQUAL = 0.999
_OTHER_NAME, _MOST_ALIKE = 3.0, 0.55  # what another name costs where more than this share is alike
_RIGHT = 0.75, -0.6  # slope and start of the log odds of a pair in those of its evidence
EVEN = float(1 / (1 + np.exp(-_RIGHT[1])))
"""The confidence in a pair with nothing for it or against it, in tables that belong together."""
_TOGETHER = 2.5, 5.0, -7.5  # of tables: evidence, share of columns, start
_FLAGS = 0.5  # what a pair of columns of yes and no counts for in the relation of their tables
_MOVING: tuple[Family, ...] = ("date", "time", "duration")
_SOLE = 1.0  # what the sole column of such a kind in either table counts as
_UNKNOWN = -2.0  # evidence for columns whose values cannot be compared
_USUAL = float(np.log(0.02))  # log costs of nearest pairs that can still be partners
_LEAST_SPREAD, _FEW_SPREAD, _FEW = 0.3, 1.0, 4


@dataclass(frozen=True, eq=False)
class ColumnPairs:
    """Two tables whose columns are to be paired, and what is known of each pair."""

    left: TableSample
    right: TableSample
    costs: Costs  # all costs between their columns
    same_kind: Mask  # (s, t) whether the columns mean the same kind of thing
    flags: Mask  # (s, t) whether both hold nothing but yes and no
    names: Floats | None  # (s, t) how alike the names are, from 0 to 1; None if names do not count

    @classmethod
    def of(cls, left: TableSample, right: TableSample, use_names: bool) -> ColumnPairs:
        """Look at all pairs of columns."""
        one, two = (np.array([column.coarse_kind for column in side.columns]) for side in (left, right))
        flags = [np.array([column.flag for column in side.columns], dtype=bool) for side in (left, right)]
        names = name_similarity(left.names, right.names) if use_names else None
        return cls(left, right, Costs.of(left, right), one[:, None] == two, flags[0][:, None] & flags[1], names)

    def part(self, left: TableSample, right: TableSample, rows: slice, columns: slice) -> ColumnPairs:
        """Two tables whose columns are among those that were looked at."""
        kind, flags = self.same_kind[rows, columns], self.flags[rows, columns]
        names = None if self.names is None else self.names[rows, columns]
        return ColumnPairs(left, right, self.costs.part(rows, columns), kind, flags, names)

    def evidence(self) -> Floats:
        """``(s, t)`` log odds that two columns are partners if the tables belong together; -inf: not known."""
        first = by_content(self.costs, self.same_kind)
        if self.names is not None:
            first = _with_names(first, self.names)
        RA, RB = self.left.correlations, self.right.correlations
        noise = 1 / len(self.left.ranked) + 1 / len(self.right.ranked)
        found = first
        for _ in range(_ROUNDS):
            found = first + _DEPENDENCE * by_dependence(found, RA, RB, noise)
        return found

    def with_sole(self, evidence: Floats) -> Floats:
        """The evidence, where the only dates of either table (or times, or durations) are likelier partners than not.

        Dates move on from one table to the next, so that values say little; that there is no other column of the kind
        says more. Only in tables that belong together by their other columns, and where names do not count.
        """
        if self.names is not None:
            return evidence
        found = [(self.left.of(family), self.right.of(family)) for family in _MOVING]
        sole = [(int(i[0]), int(j[0])) for i, j in found if len(i) == len(j) == 1]
        if not any(np.isfinite(evidence[pair]) for pair in sole) or self.related(evidence) <= 0:
            return evidence
        result = evidence.copy()
        for pair in sole:
            result[pair] = max(evidence[pair], _SOLE) if np.isfinite(evidence[pair]) else evidence[pair]
        return result

    def related(self, evidence: Floats) -> float:
        """Log odds that the tables have anything to do with each other; yes and no say less than other values do."""
        return related(evidence, np.where(self.flags & (self.names is None), _FLAGS, 1.0))


def by_content(costs: Costs, same_kind: Mask) -> Floats:
    """The log odds from what is in the columns, each pair for itself and beside its rivals."""
    known = np.isfinite(costs.total)
    distance = np.log(np.maximum(np.where(known, costs.total, 1.0), -costs.noise / 2) + costs.noise)
    shared = np.log(costs.common + _NONE_SHARED)
    ahead = lead(np.where(known, _SHARED_LEAD * shared - distance, -np.inf), _MOST_LEAD)
    odds = _START - _NEAR * distance + _SHARED * shared + _LEAD * ahead
    odds -= _UNUSUAL * _unusual(distance, np.log(costs.noise), known) + _KIND * ~same_kind
    return np.asarray(np.where(known, odds, -np.inf))


def _unusual(distance: Floats, noise: Floats, known: Mask) -> Floats:
    """How far a log cost is above those of the pairs that are nearest to each other, in units of their spread.

    It counts up to a bound, which is larger where the tables have hardly drifted: most nearest pairs are as near as
    chance allows.
    """
    if not known.any():
        return np.zeros(distance.shape)
    given = np.where(known, distance, np.inf)
    nearest = known & (given <= given.min(axis=1, keepdims=True)) & (given <= given.min(axis=0))
    middle, high = np.quantile(distance[nearest], [0.5, 0.75])
    many = np.count_nonzero(nearest) >= _FEW
    spread = max(_LEAST_SPREAD if many else _FEW_SPREAD, 1.5 * (high - middle))
    still = many and np.quantile((distance - noise)[nearest], 0.9) <= np.log(_WITHOUT_DRIFT)
    return np.asarray(
        np.clip((distance - min(middle, _USUAL)) / spread, 0.0, _MOST_WITHOUT if still else _MOST_UNUSUAL)
    )


def lead(likeness: Floats, most: float) -> Floats:
    """How far each pair is ahead of the best other one in its row and column, within ±most; 0 without a rival."""
    rival = np.maximum(_best_other(likeness), _best_other(likeness.T).T)
    known = np.isfinite(likeness) & np.isfinite(rival)
    return np.clip(np.subtract(likeness, rival, out=np.zeros(likeness.shape), where=known), -most, most)


def _best_other(values: Floats) -> Floats:
    """``(s, t)`` the largest other value in the row."""
    if values.shape[1] < 2:
        return np.full(values.shape, -np.inf)
    rows, best = np.arange(len(values)), values.argmax(axis=1)
    result = np.repeat(values[rows, best][:, None], values.shape[1], axis=1)
    rest = values.copy()
    rest[rows, best] = -np.inf
    result[rows, best] = rest.max(axis=1)
    return result


def by_dependence(evidence: Floats, RA: Floats, RB: Floats, noise: float) -> Floats:
    """The lead of each pair in how it depends on the pairs found so far; 0 where that cannot be said."""
    pairs = [(i, j) for i, j in best_pairs(evidence) if np.isfinite(RA[i, i]) and np.isfinite(RB[j, j])]
    if len(pairs) < 2:
        return np.zeros(evidence.shape)
    a, b = np.array(pairs).T
    weight = sigmoid(evidence[a, b])
    A, B = RA[:, a], RB[:, b]
    total = np.full(evidence.shape, weight.sum())
    squares = (A**2 @ weight)[:, None] + B**2 @ weight - 2 * (A * weight) @ B.T
    for k, (i, j) in enumerate(pairs):  # no column is judged by itself
        total[i] -= weight[k]
        total[:, j] -= weight[k]
        total[i, j] += weight[k]
        squares[i] -= weight[k] * (A[i, k] - B[:, k]) ** 2
        squares[:, j] -= weight[k] * (A[:, k] - B[j, k]) ** 2
        squares[i, j] += weight[k] * (A[i, k] - B[j, k]) ** 2
    known = np.isfinite(evidence) & np.isfinite(squares) & (total > 0.5)
    mean = np.divide(squares, total, out=np.ones(total.shape), where=known)
    return lead(np.where(known, -np.log(np.maximum(mean, 0.0) + noise), -np.inf), _MOST_DEPENDENCE)


def related(evidence: Floats, weights: Floats | None = None) -> float:
    """Log odds that two tables have anything to do with each other, as many as have and have not being looked at.

    `weights`: ``(s, t)`` what each pair counts for, 1 if not given.
    """
    known = np.isfinite(evidence)
    width = min(int(known.any(axis=0).sum()), int(known.any(axis=1).sum()))
    pairs = best_pairs(evidence)
    found = np.array([evidence[pair] for pair in pairs])
    counts = np.array([1.0 if weights is None else weights[pair] for pair in pairs])
    weight, columns, start = _TOGETHER
    return float(weight * np.log1p(counts @ found) + columns * (counts @ sigmoid(found)) / max(width, 1) + start)


def _with_names(evidence: Floats, names: Floats) -> Floats:
    """With what names add, the more of them are alike in the two tables; they also pair what cannot be compared.

    A name counts in full if it is as alike as those that are alike usually are: where most are the same in both
    tables, one that is merely similar says little, and another name speaks against a pair. The very same name counts
    in full even where few are alike.
    """
    from scipy.optimize import linear_sum_assignment

    best = names[linear_sum_assignment(-names)]
    share = float(np.where(best > ALIKE, best, 0.0).mean())
    usual = float(np.median(best[best > ALIKE])) if share > 0 else 1.0
    alike = np.clip(1 - (usual - names) / _SIMILAR, 0.0, 1.0)
    counts = np.where(names >= _EQUAL, 1.0, share * alike)
    against = _OTHER_NAME * np.clip(4 * (share - _MOST_ALIKE), 0.0, 1.0)
    return np.asarray(np.where(np.isfinite(evidence), evidence, _UNKNOWN) + _NAMES * counts - against * (1 - alike))


def best_pairs(evidence: Floats, force: bool = False) -> list[tuple[int, int]]:
    """The pairs (i, j) of the largest sum of evidence: those that are for it, or, by force, as many as can be.

    O(n³) time by a shortest augmenting path method (Crouse 2016) in place of Kuhn's.
    """
    from scipy.optimize import linear_sum_assignment

    known = np.isfinite(evidence) if force else evidence > 0
    if not known.any():
        return []
    least = float(evidence[known].min())
    unit = 1.0 + min(evidence.shape) * (float(evidence[known].max()) - least)
    gain = np.where(known, evidence - least + unit if force else evidence, 0.0)
    rows, columns = linear_sum_assignment(-gain)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if known[i, j]]


def confidence(evidence: Floats, together: float = np.inf) -> Floats:
    """How likely pairs are, given the log odds that their tables belong together; 0 where nothing is known."""
    slope, start = _RIGHT
    return np.asarray(
        np.where(np.isfinite(evidence), sigmoid(np.asarray(together)) * sigmoid(slope * evidence + start), 0.0)
    )


def sigmoid(odds: Floats) -> Floats:
    """Log odds as probabilities."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700.0, 700.0))))
