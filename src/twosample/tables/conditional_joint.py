"""All columns together by a design: the kernel on whole rows, features of columns, the wording of texts, and ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..core.joining import joined
from ..core.pvalue import ReplicateLaw
from ..core.types import Floats
from ..embedding import Embedded, Judge, Judged
from ..embedding.alternative import Effect
from ..embedding.designs import Design
from ..embedding.relabelled import RelabelledDesign
from ..sources import JointColumn
from ..sources.values import column_of
from .designing import RowPlan
from .joint import Joint
from .reading import Reading
from .ties import FeatureView, fits, items_of
from .together import WEIGHTS, Together, largest_effect
from .wording import comparable, wording

_ROUNDING = 1e-4  # of scores in single precision, relative to their spread


def strata_of(design: Design) -> NDArray[np.intp]:
    """``(N,)`` the stratum of every row; zeros where there are none."""
    known = isinstance(design, RelabelledDesign)
    return design.strata.of_row if known else np.zeros(design.m + design.n, dtype=np.intp)  # type: ignore[attr-defined]


def together_by(
    plan: RowPlan, joint: Joint, reading: Reading, columns: Sequence[JointColumn], judge: Judge
) -> tuple[Joint, Judged, Together | None] | None:
    """The joint test by the kernel on rows and by features, and the joint sample with the masses of the design."""
    m = plan.design.m
    rows = np.concatenate([joint.chosen[0], m + joint.chosen[1]])
    place = np.argsort(plan.order)[rows]  # where each of them is in the design
    kept = np.zeros(len(plan.order), dtype=bool)
    kept[place] = True
    design, order = plan.design.part(kept), np.argsort(place)
    if not design.comparable:
        return None
    features = joint.pair.features[order]
    test = design.judged(features, judge.level, judge.resamples(joint=True) or 9999, judge.rng)
    texts = {column.name: _texts(reading, column.name, rows[order]) for column in columns if column.kind == "text"}
    seen = _features(design, joint, order, texts)
    views = [view for name, values, item in seen if (view := feature_view(name, design, values, item)) is not None]
    if not views:  # effects are of the tables and need no labellings: what is not tested must not be called small
        effects = [_effects(design, values) for _, values, _ in seen]
        test = replace(test, effect=_largest(test, design.pair(features), effects, judge.level))
    shares = [WEIGHTS[name] for name in ("rows", *(view.name for view in views))]
    columns_of = tuple(part.name for part in joint.features)
    together = joined_by(test, design.pair(features), views, shares, judge.level, columns_of)
    x, y = np.zeros(len(rows)), np.zeros(len(rows))
    x[order], y[order] = design.masses(features)
    pair = Embedded.of(joint.pair.features.copy(), x, y, joint.pair.residual)
    how = (
        f"Joint test: {design.m:,} and {design.n:,} rows, worth {pair.m:,} and {pair.n:,} independent ones of equal "
        f"weight; {joint.kernel!r} on the coordinates of {joint.columns} columns."
        + ("" if views else " The p-value is that of whole rows; how columns go together is in the effect only.")
    )
    joint = replace(joint, pair=pair, notes=(how, *joint.notes[1:]))
    return joint, test if together is None else together.judged, together


def _texts(reading: Reading, name: str, rows: NDArray[np.intp]) -> list[str]:
    """Texts of some pooled rows; a missing one is empty."""
    a, b = (column_of(part, name) for part in reading.samples)
    return [str(text) for text in a.append(b)[rows].fill_null("").to_list()]


def _features(
    design: Design, joint: Joint, order: NDArray[np.intp], texts: Mapping[str, Sequence[str]]
) -> list[tuple[str, Floats, NDArray[np.intp]]]:
    """Columns, with the wording of texts, and ties of each to the others: name, ``(N, F)`` features, item of each."""
    if not joint.features:
        return []
    phi = np.concatenate([column.values for column in joint.features], axis=1)[order]
    owner = np.repeat(np.arange(len(joint.features)), [column.values.shape[1] for column in joint.features])
    strata = strata_of(design)
    worded = {i: texts[column.name] for i, column in enumerate(joint.features) if column.name in texts}
    measures = [comparable(wording(own, strata), strata) for own in worded.values()]
    item = np.concatenate([owner, *(np.full(part.shape[1], i) for i, part in zip(worded, measures, strict=True))])
    found = [("columns", np.concatenate([phi, *measures], axis=1), item)]
    if len(joint.features) > 1:
        fitted, left = fits(phi, owner)
        found.append(("ties", np.concatenate([phi * fitted, np.abs(left)], axis=1), np.tile(owner, 2)))
    return found


def feature_view(name: str, design: Design, features: Floats, item: NDArray[np.intp]) -> FeatureView | None:
    """A view of ``(N, F)`` features, each of an item, in the labellings of the design; None if it keeps none."""
    by_item = np.argsort(item, kind="stable")
    features, item = features[:, by_item], item[by_item]
    scores = design.scores(features)
    if scores is None:
        return None
    items = items_of(item, lambda part: scores[:, part].astype(np.float32))
    return FeatureView(name, items, item, _effects(design, features))


def _effects(design: Design, features: Floats) -> Floats:
    """``(F,)`` standardised differences of features between the samples."""
    pair = design.pair(features - features.mean(axis=0))
    variance = np.mean([np.diag(sample.covariance) for sample in pair.samples], axis=0)
    return pair.difference / np.sqrt(np.where(variance > 1e-9, variance, np.inf))


def _largest(test: Judged, pair: Embedded, effects: Sequence[Floats], level: float) -> Effect:
    """The largest effect of features and of the test, end by end."""
    own, shared = test.effect, largest_effect(pair, effects, pair.m, pair.n, level)
    value, low, high = (max(getattr(own, end), getattr(shared, end)) for end in ("value", "low", "high"))
    return replace(own, value=value, low=low, high=high)


def joined_by(
    test: Judged,
    pair: Embedded,
    views: Sequence[FeatureView],
    shares: Sequence[float],
    level: float,
    columns: tuple[str, ...] = (),
) -> Together | None:
    """The kernel on rows and views of features as one test of the same labellings; effects, the largest of all."""
    if not views or not isinstance(test.law, ReplicateLaw) or len(views[0].items) != len(test.law.values):
        return None
    values = np.array([test.law.values, *(view.statistic for view in views)])
    tolerances = np.array([test.law.tolerance, *(_ROUNDING * view.statistic.std() for view in views)])
    found = joined(values, tolerances, shares)
    law = ReplicateLaw(found.values, found.tolerance, test.law.exhaustive, test.law.floor)
    size = _largest(test, pair, [view.effects for view in views], level)
    judged = replace(test, statistic=float(found.values[0]), pvalue=found.pvalue, law=law, effect=size)
    names = ("rows", *(view.name for view in views))
    alone, adjusted = (tuple(float(p) for p in part) for part in (found.pvalues, found.adjusted))
    return Together(judged, names, alone, adjusted, tuple(views), columns)
