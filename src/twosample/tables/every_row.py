r"""All columns together on every row of two large tables: sums of frozen features over random groups of rows.

Of every group the number of rows, the sums of features and the sums of their products are kept
(:mod:`twosample.summaries.sums`): by the workers that hold the rows, or in one pass here. A second pass, because
features need the kinds of columns, their bins and levels in both tables, which are known after the first. Summaries
took theirs from the first rows of a reference, and hold the sums.

Groups are turned (:class:`twosample.core.groups.TurnedGroups`). The features come from samples of both tables, or of
the reference, a small part of the rows, and do not look at labels, so that given them the groups of both tables are
alike under H0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..core.groups import TurnedGroups
from ..core.threads import run
from ..core.types import Floats
from ..embedding import Judge
from ..sources import Table
from ..sources.kinds import NUMBERS, Kind
from ..sources.moments import feature_values, frozen
from ..sources.partial import GroupMoments
from ..summaries import CodedColumn, GroupSums
from ..summaries.sums import GROUPS
from .joint import RESAMPLES, Joint
from .reading import Reading
from .ties import FeatureView, Index, items_of, pairs_of, residual_weights
from .together import Together, joined_views, largest_effect

LEAST_ROWS = 20_000
"""Of the smaller table: below, a sample of that size says as much."""

PART = 0.75
"""Of the level of the joint test; the other tests on the sample have the rest."""


def every_row(reading: Reading, joint: Joint, judge: Judge, wanted: bool = True) -> tuple[Together, str] | None:
    """The test on all rows and a note; None where the sample says as much, or the rows of a table are gone.

    If it is not wanted, where a summary holds sums, and the other table holds the same or is not slow to read.
    """
    sides = reading.a, reading.b
    if min(side.rows for side in sides) < LEAST_ROWS:
        return None
    kinds = {part.name: part.kind for part in joint.features if part.name not in reading.respelled}
    stored = next((side.sums.features for side in sides if side.sums is not None), None)
    if stored is None:
        features = _frozen(reading, kinds) if wanted else ()
    else:
        features = tuple(part for part in stored if _form(part.kind) == _form(kinds.get(part.name, "")))
    held = [None if side.sums is None else side.sums.of(features) for side in sides]
    rest = [side for side, sums in zip(sides, held, strict=True) if sums is None]
    if not features or any(side.summarized or (side.table.is_slow and not wanted) for side in rest):
        return None
    gathered = iter(_gathered([side.table for side in rest], features))
    test = tested([sums or next(gathered) for sums in held], reading, joint, judge)
    m, n = test.judged.m, test.judged.n
    return test, (
        f"Joint test on all rows: {m:,} and {n:,}, each in {GROUPS} random groups that were turned {RESAMPLES} times: "
        f"means, ties and products of features of {len(test.columns)} columns. It has {PART:.0%} of the level of the "
        "joint test, that of the sample the rest."
    )


def _form(kind: str) -> str:
    """Kinds of one form have the same codes."""
    return "numeric" if kind in ("integer", "boolean") else kind


def _frozen(reading: Reading, kinds: Mapping[str, Kind]) -> tuple[CodedColumn, ...]:
    """Features of some columns, from both samples."""
    grids = {name: reading.scales[name].grid for name, kind in kinds.items() if kind in NUMBERS}
    return frozen(reading.samples[0].vstack(reading.samples[1]), kinds, grids)


def _gathered(tables: list[Table], features: tuple[CodedColumn, ...]) -> list[GroupSums]:
    """One pass over each table; over those that a server gives at the same time."""
    parts = [(table, GroupMoments.of(table.columns, features)) for table in tables]

    def summed(part: tuple[Table, GroupMoments], stop: object = None) -> GroupSums:
        table, task = part
        return task.sums(table.gathered(task))

    beside = len(parts) > 1 and all(table.is_served for table in tables)
    return run(parts, summed, len(parts)) if beside else [summed(part) for part in parts]


def tested(sums: list[GroupSums], reading: Reading, joint: Joint, judge: Judge) -> Together:
    """Views of columns, ties and pairs of both tables, joined."""
    sums = [part.without_empty() for part in sums]
    rows = [part.rows.astype(np.float64) for part in sums]
    groups = TurnedGroups.of(rows[0], rows[1], RESAMPLES, judge.rng)
    samples = (feature_values(sums[0].features, side.sample)[1:] for side in (reading.a, reading.b))
    pooled = np.concatenate([part.T.astype(np.float64) for part in samples])
    return _CentredMoments.of(sums, pooled).tested(groups, joint, judge.level)


@dataclass(frozen=True, eq=False)
class _CentredMoments:
    """Moments of centred features with variances of about 1 in all groups of both tables."""

    rows: Floats  # (G,) rows of each group
    sums: Floats  # (G, K) sums of features
    products: Floats | None  # (G, K, K) sums of products; None if they were not wanted
    pooled: Floats  # (N, K) the same features of the pooled sample, for the spread of products
    names: tuple[str, ...]  # the columns, and (K,) whose each feature is
    owner: Index

    @classmethod
    def of(cls, found: list[GroupSums], pooled: Floats) -> _CentredMoments:
        features = found[0].features
        names = tuple(dict.fromkeys(column.name for column in features))
        owner = np.repeat([names.index(column.name) for column in features], [column.width for column in features])
        width, paired = len(owner), all(part.paired for part in found)
        moments = np.concatenate([part.moments[:, : None if paired else 1 + width] for part in found])
        moments = moments.astype(np.float64)
        rows = moments[:, 0]
        deviation = pooled.std(axis=0)
        unit = 1 / np.where(deviation > 0, deviation, 1.0)
        sums = moments[:, 1 : 1 + width] * unit
        mean = sums.sum(axis=0) / rows.sum()
        products = None
        if paired:
            products = np.empty((len(rows), width, width))
            first, second = np.triu_indices(width)
            products[:, first, second] = products[:, second, first] = moments[:, 1 + width :]
            products *= np.outer(unit, unit)
            cross = sums[:, :, None] * mean
            products -= cross + cross.transpose(0, 2, 1) - rows[:, None, None] * np.outer(mean, mean)
        return cls(rows, sums - rows[:, None] * mean, products, pooled * unit - mean, names, owner)

    def tested(self, groups: TurnedGroups, joint: Joint, level: float) -> Together:
        """Views of columns, ties and pairs, joined."""
        m, n = (int(part.sum()) for part in (self.rows[: groups.m], self.rows[groups.m :]))
        variances = np.einsum("ij,ij->j", self.pooled, self.pooled) / len(self.pooled)
        views = [self._view("columns", self.sums, variances, self.owner, groups)]
        if self.products is not None and len(self.names) > 1:
            total = self.products.sum(axis=0) / (m + n)
            centred = self.products - self.rows[:, None, None] * total
            fitted = np.eye(len(total)) - residual_weights(total, self.owner, m + n)
            spread = (self.pooled * (self.pooled @ fitted)).var(axis=0)
            views.append(self._view("ties", np.einsum("gjk,kj->gj", centred, fitted), spread, self.owner, groups))
            first, second, item = pairs_of(self.owner)
            squares = self.pooled**2
            spread = (squares.T @ squares / len(squares))[first, second] - total[first, second] ** 2
            views.append(self._view("pairs", centred[:, first, second], spread, item, groups))
        size = largest_effect(joint.pair, [view.effects for view in views], m, n, level)
        return joined_views({}, views, self.names, groups, (m, n), size)

    def _view(self, name: str, sums: Floats, variance: Floats, item: Index, groups: TurnedGroups) -> FeatureView:
        a, b = slice(0, groups.m), slice(groups.m, None)
        difference = sums[a].sum(axis=0) / self.rows[a].sum() - sums[b].sum(axis=0) / self.rows[b].sum()
        scale = np.sqrt(np.where(variance > 1e-6, variance, np.inf))
        items = items_of(item, lambda part: groups.scores(sums[:, part]))
        return FeatureView(name, items, item, difference / scale)
