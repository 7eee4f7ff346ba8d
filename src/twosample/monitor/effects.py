r"""How large a change is: the effect size r of :func:`twosample.effect_size`, with an interval over batches.

With :math:`d` the mean difference of cell shares between the last w batches and those before, and K the kernel between
cells, :math:`\mathrm{MMD}^2 = d'Kd`. Batches vary by themselves, with covariance :math:`\Sigma`, so :math:`d'Kd` is too
large by :math:`c\,\mathrm{tr}(K\Sigma)` on average, with variance
:math:`4c\,d'K\Sigma Kd + 2c^2\mathrm{tr}((K\Sigma)^2)`,
where c = 1/w + 1/(batches before). The first is subtracted; the second makes the interval.

As in `compare`, the effect of a column is the largest over views: K over all cells, and the share of each range,
category and of missing values by itself, which other cells would dilute.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from statistics import NormalDist

import numpy as np

from ..core.types import Floats
from ..embedding.alternative import effect_of
from .columns import ColumnPlan
from .features import FeaturePlan
from .scan import Indices

_TAIL = 0.05  # beyond either end of an interval, as in compare
_NORMAL = NormalDist().inv_cdf(1 - _TAIL)
_MOST_PLACES = 3
_SMALL = 0.005  # share of all rows by which a cell must change to be shown


@dataclass(frozen=True)
class BatchEffect:
    """An effect size with its 90 % interval."""

    value: float  # between 0 and 1
    low: float
    high: float


NONE = BatchEffect(0.0, 0.0, 1.0)  # nothing is known


@dataclass(frozen=True, eq=False)
class Change:
    """Mean cell shares before and in the last batches, and how both vary."""

    before: Floats
    after: Floats
    covariance: Floats
    factor: float
    late: Floats | None = None  # the covariance of the last batches, where there are several
    recent: float = 0.0  # the part of the factor that comes from these


def column_effect(plan: ColumnPlan, features: Floats, strata: Indices, last: int) -> BatchEffect:
    """The effect size of the last batches of a column against those before, each compared within its stratum."""
    return largest_effect(change_of(plan.cells(features), strata, last), plan.kernel(), parts(plan))


def largest_effect(change: Change | None, kernel: Floats, starts: Sequence[int]) -> BatchEffect:
    """By the kernel between cells, or of the share of those from one of the starts to the next, if it is surely larger.

    The ends of shares leave out the level divided by their number. A share that was always 0 did not vary before: for
    the part of the last batches in the variance, what varies more counts, those before or the last ones.
    """
    best = effect_of_change(change, kernel)
    if change is None:
        return best
    normal = NormalDist().inv_cdf(1 - _TAIL / len(starts))
    places = np.arange(len(change.before))
    for start, stop in pairwise([*starts, len(places)]):
        own = ((places >= start) & (places < stop)).astype(np.float64)
        both = np.stack([own, 1 - own])  # the part, and all others
        covariance = change.covariance
        if change.late is not None and own @ change.late @ own > own @ covariance @ own:
            covariance = covariance + (change.late - covariance) * change.recent / change.factor
        alone = Change(both @ change.before, both @ change.after, both @ covariance @ both.T, change.factor)
        found = effect_of_change(alone, np.eye(2), normal=normal)
        if found.low > best.low:
            best = BatchEffect(found.value, found.low, max(found.high, best.high))
    return best


def pair_effect(plan: FeaturePlan, features: Floats, strata: Indices, last: int) -> tuple[BatchEffect, int]:
    """The largest effect size of a pair of columns, by the product of their scores, and which pair it is."""
    found = []
    for number in range(len(plan.pairs)):
        at = plan.starts[-1] + number
        i, j = plan.pairs[number]
        squares = features[:, [plan.starts[i] + 1, plan.starts[j] + 1]]
        spread = float(np.nanmean(squares[:, 0]) * np.nanmean(squares[:, 1])) or 1.0
        change = change_of(features[:, at : at + 1], strata, last)
        found.append(effect_of_change(change, np.eye(1), spread))
    best = max(range(len(found)), key=lambda number: (found[number].low, found[number].value))
    return found[best], best


def change_of(cells: Floats, strata: Indices, last: int) -> Change | None:
    """Means of the last batches and of those before in the same strata; None if there are none to compare."""
    known = np.isfinite(cells).all(axis=1)
    place = np.arange(len(cells))
    before, after = known & (place < len(cells) - last), known & (place >= len(cells) - last)
    shared = [s for s in np.unique(strata[after]) if (before & (strata == s)).any()]
    after &= np.isin(strata, shared)
    count = int(after.sum())
    if not count or before.sum() < 2:
        return None
    base, factor, rest = np.zeros(cells.shape[1]), 1.0 / count, []
    for stratum in shared:
        old, new = cells[before & (strata == stratum)], cells[after & (strata == stratum)]
        base += len(new) / count * old.mean(axis=0)
        factor += (len(new) / count) ** 2 / len(old)
    for stratum in np.unique(strata[before]):
        old = cells[before & (strata == stratum)]
        rest.append(old - old.mean(axis=0))
    centred = np.concatenate(rest)
    covariance = centred.T @ centred / max(len(centred) - len(rest), 1)
    late = None
    if count > len(shared):  # from neighbours: the change may lie among the last batches, and is no noise
        steps = np.concatenate([np.diff(cells[after & (strata == stratum)], axis=0) for stratum in shared])
        late = steps.T @ steps / (2 * len(steps))
    return Change(base, cells[after].mean(axis=0), covariance, factor, late, 1.0 / count)


def effect_of_change(
    change: Change | None, kernel: Floats, spread: float | None = None, normal: float = _NORMAL
) -> BatchEffect:
    """The effect size of a difference of shares, without the part that batches or rows alone would give."""
    if change is None:
        return NONE
    difference = change.after - change.before
    rough = kernel @ change.covariance
    squared = float(difference @ kernel @ difference) - change.factor * float(np.trace(rough))
    variance = 4 * change.factor * float(difference @ rough @ kernel @ difference)
    variance += 2 * change.factor**2 * float((rough * rough.T).sum())
    if spread is None:
        spread = 1 - sum(float(p @ kernel @ p) for p in (change.before, change.after)) / 2
    spread, reach = max(spread, 1e-12), normal * sqrt(max(variance, 0.0))
    return BatchEffect(*(effect_of(square, spread) for square in (squared, squared - reach, squared + reach)))


def shares(plan: ColumnPlan, features: Floats, strata: Indices, last: int) -> list[tuple[str, float, float]]:
    """The cells of a column with their shares before and in the last batches, the missing ones last."""
    change = change_of(plan.cells(features), strata, last)
    if change is None:
        return []
    names, before = _joined(plan, change.before)
    return list(zip(names, before, _joined(plan, change.after)[1], strict=True))


def where(cells: Sequence[tuple[str, float, float]]) -> tuple[str, ...]:
    """The cells, from :func:`shares`, that gained or lost most, in words: by the roots of shares, as in `compare`."""
    ranked = sorted(cells, key=lambda cell: -abs(sqrt(max(cell[2], 0)) - sqrt(max(cell[1], 0))))[:_MOST_PLACES]
    changed = [cell for cell in ranked if abs(cell[2] - cell[1]) > _SMALL]
    return tuple(f"{name}: {100 * before:.1f} % → {100 * after:.1f} %" for name, before, after in changed)


def _joined(plan: ColumnPlan, shares: Floats) -> tuple[list[str], Sequence[float]]:
    """Cells with their names, the many narrow cells of numbers taken together between the edges that are tested."""
    if plan.form != "numeric" or len(plan.tested) == len(plan.edges):
        return plan.cell_names(), shares.tolist()
    ends = [plan.edge(at, 4) for at in plan.tested]
    names = [f"below {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"{ends[-1]} and more", "missing"]
    return names, np.add.reduceat(shares, parts(plan)).tolist()


def parts(plan: ColumnPlan) -> list[int]:
    """The first cells of the parts that are looked at one by one: the ranges between tested edges, or every cell."""
    cells = len(plan.places) + 1 if plan.form == "numeric" else len(plan.cell_names())
    if plan.form != "numeric" or len(plan.tested) == len(plan.edges):
        return list(range(cells))
    return [0, *(i + 1 for i in plan.tested), cells - 1]
