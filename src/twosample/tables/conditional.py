"""Columns tested by a design: within strata, with weights, by groups or in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .._numbers import is_p, pvalue, share
from .._pictures import WeightedNumbers
from .._shown import shown
from ..core.types import Floats
from ..embedding import Embedded, Judge, Judged, Levels, Line
from ..embedding.dependence import SeriesDesign
from ..embedding.designs import ENOUGH, Design, Shares
from ..embedding.relabelled import RelabelledDesign
from ..embedding.sampled import SampledDesign
from ..sources import JointColumn
from ..sources.kinds import NUMBERS
from ..sources.values import column_of
from ..structured import Categories, Text
from ..summaries import SingleValues
from .clocks import ROUND, clock_views
from .conditional_joint import feature_view, joined_by, strata_of
from .designing import RowPlan
from .looks import smallest_adjusted
from .number_views import STEPS, values
from .options import Conditions
from .parts import Finding
from .pictures import missing_place, picture, places
from .reading import Reading
from .sentences import Words
from .spelling import Spelling, WrittenView
from .subjects import Subject, common_bandwidth, described
from .ties import FeatureView
from .verdicts import ColumnTests
from .views import FEW, View, levels_views, usable
from .wording import MEASURES, comparable, wording

if TYPE_CHECKING:
    import polars as pl

_OWN, _SHARED = 60, 20  # points of frequent categories, and those that rare ones share
_VIEWS = 50  # at a time
_MOST_VIEWS = 300


@dataclass(frozen=True)
class DesignedView(View):
    """A share of rows, compared by a design.

    Parameters
    ----------
    compared
        Its shares and p-value.
    worth
        How many rows either sample is worth.
    """

    compared: Shares = field(default_factory=lambda: Shares((0.0, 0.0), 1.0))
    worth: tuple[int, int] = (2, 2)

    @property
    def shares(self) -> tuple[float, float]:
        """As the design weighs rows."""
        return self.compared.shares

    @property
    def pvalue(self) -> float:
        """That of the design."""
        return self.compared.pvalue

    def chance(self, level: float) -> float:
        """No more than that."""
        return level

    def _arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        (p, q), (m, n) = self.shares, self.worth
        return np.array([p]), np.array([q]), np.array([float(m)]), np.array([float(n)])


@dataclass(frozen=True, eq=False)
class _Values:
    """The values of a column that are there.

    Parameters
    ----------
    features
        ``(N, D)`` features of the kernel, of the rows with a value, in the order of the design.
    subject
        The column for pictures, once it has masses.
    views
        Shares to compare, each with the rows for which it holds.
    measures
        ``(N, 10)`` how texts are worded; None of other values.
    """

    features: Floats
    subject: Subject
    views: Sequence[tuple[View, Floats]]
    measures: Floats | None = None


def tested_by(
    plan: RowPlan, reading: Reading, column: JointColumn, judge: Judge
) -> tuple[ColumnTests, tuple[Finding, ...]]:
    """Test one column: its values, shares of them, and what is missing; and what is worth knowing beside."""
    a, b = (column_of(part, column.name) for part in reading.samples)
    pooled = a.append(b)[plan.order]
    missing = pooled.is_null().to_numpy()
    design, count = plan.design.part(~missing), judge.resamples() or 9999
    rows = (plan.design.m, plan.design.n)
    gone = int(missing[: rows[0]].sum()), int(missing[rows[0] :].sum())
    empty = described(Subject(column.name, column.kind, rows, gone, None, Categories()), reading, column)
    found = (
        _values(pooled.drop_nulls(), column, empty, design, reading)
        if design.comparable
        else _Values(np.empty(0), empty, ())
    )
    tested: Judged | None = None
    beside: tuple[Finding, ...] = ()
    if design.comparable:
        tested = design.judged(found.features, judge.level, count, judge.rng)
        tested, worded = _worded(design, tested, found, judge.level)
        if tested.pvalue <= judge.level:
            beside = (*_most_in(design, found, column.name, judge.level), *_worded_finding(worded, found, design))
    absent = _missing(plan.design, missing, judge, count) if any(gone) and plan.design.comparable else None
    drawn = picture(found.subject)
    where = places(found.subject, drawn) if tested is not None and tested.pvalue <= judge.level else ()
    if absent is not None and absent.pvalue <= judge.level:
        where += (missing_place(found.subject),)
    worth = design.worth(found.features)[1] if tested is not None else (2, 2)
    tests = ColumnTests(
        column.name,
        column.kind,
        rows,
        gone,
        tested,
        absent,
        repr(found.subject.kernel),
        found.subject.bandwidth,
        _method(found.subject, tested, worth),
        drawn,
        where,
        tuple(_views(found.views, design, worth, judge, count)),
        facts=empty.facts,
        wasserstein=empty.distance,
        tables=empty.tables,
    )
    return tests, beside


def _worded(design: Design, test: Judged, found: _Values, level: float) -> tuple[Judged, FeatureView | None]:
    """The test of texts by their letters, joined with that of how they are worded, where labels are kept."""
    if found.measures is None:
        return test, None
    features = comparable(found.measures, strata_of(design))
    view = feature_view("wording", design, features, np.zeros(features.shape[1], dtype=np.intp))
    if view is None:
        return test, None
    together = joined_by(test, design.pair(found.features - found.features.mean(axis=0)), [view], [1.0, 1.0], level)
    return (test, None) if together is None else (together.judged, view)


def _worded_finding(view: FeatureView | None, found: _Values, design: Design) -> Iterator[Finding]:
    """What of the wording differs most."""
    if view is None or found.measures is None:
        return
    most = int(np.argmax(np.abs(view.effects)))
    x, y = design.masses(found.features)
    a, b = (float(part @ found.measures[:, most] / part.sum()) for part in (x, y))
    one, two = (shown(name, 60) for name in found.subject.tables)
    said = f"texts differ most in {MEASURES[most]}: {a:.4g} in {one}, {b:.4g} in {two}, on average"
    yield Finding("wording", found.subject.name, said)


def _most_in(design: Design, found: _Values, column: str, level: float) -> Iterator[Finding]:
    """In which stratum the column differs most."""
    most = design.most_in(found.features) if isinstance(design, RelabelledDesign) else None
    if most is None:
        return
    known = f"effect {most.effect:.2g} there" if most.effect > 0 else "too few rows there for an effect of its own"
    said = f"{shown(most.stratum, 60)!r}: {known}, {most.rows[0]:,} and {most.rows[1]:,} rows"
    if most.pvalue is None:
        said = f"differs most in stratum {said}; a description, not a test"
    elif most.pvalue <= level:
        said = f"differs most in stratum {said}; {is_p(pvalue(most.pvalue, digits=2))}, adjusted for all strata"
    else:
        said = f"no stratum stands out by itself; the first is {said}; adjusted {is_p(pvalue(most.pvalue, digits=2))}"
    yield Finding("stratum", column, said, pvalue=most.pvalue)


def _missing(design: Design, missing: np.ndarray[tuple[int], np.dtype[np.bool_]], judge: Judge, count: int) -> Judged:
    holds = missing[:, None].astype(np.float64)
    tested = design.judged(np.concatenate([holds, 1 - holds], axis=1), judge.level, count, judge.rng)
    return replace(tested, pvalue=design.compared(holds, count, judge.rng)[0].pvalue)


def _method(subject: Subject, test: Judged | None, worth: tuple[int, int]) -> str:
    if test is None:
        return "too few values in one of the tables: only the missing share is compared"
    if subject.line is not None:
        kernel = f"Gaussian kernel, bandwidth {subject.bandwidth:.4g}"
    elif subject.levels is not None:
        kernel = f"delta kernel on {len(subject.levels.labels)} categories"
    else:
        kernel = "cosine of counts of three letters in a row"
    return f"{kernel}; {test.m} and {test.n} rows, worth {worth[0]} and {worth[1]}; {test.null.name}"


def _values(series: pl.Series, column: JointColumn, empty: Subject, design: Design, reading: Reading) -> _Values:
    if empty.kind in NUMBERS:
        return _of_numbers(series, column, empty, design, reading)
    if empty.kind == "categorical":
        return _of_levels(series, empty, design)
    texts = series.to_list()
    features = Text().rows(texts, np.zeros(len(texts), dtype=bool)) * np.sqrt(2)
    pair = Embedded.of(np.eye(1), np.array([float(design.m)]), np.array([float(design.n)]))
    both = tuple(texts[: design.m]), tuple(texts[design.m :])
    spelling, at = Spelling.of(series[: design.m], series[design.m :]), _places(series)
    written = [(view, np.isin(at, view.which).astype(np.float64)) for view in _some(spelling.views(single=True))]
    subject = replace(empty, pair=pair, kernel=Text(), texts=both)
    return _Values(features, subject, written, wording(texts, strata_of(design)))


def _places(series: pl.Series) -> NDArray[np.intp]:
    """``(N,)`` the number of each text among the different ones, in the order of appearance."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(text, len(number)) for text in series.to_list()], dtype=np.intp)


def _some(views: Iterator[WrittenView]) -> list[WrittenView]:
    """Those that so many rows could show without a design, not too many of them."""
    return [view for view in usable(list(views), 0.05) if isinstance(view, WrittenView)][:_MOST_VIEWS]


def _of_numbers(series: pl.Series, column: JointColumn, empty: Subject, design: Design, reading: Reading) -> _Values:
    kernel, ends = common_bandwidth(reading, empty.name)
    raw = np.asarray(series.to_numpy(), dtype=np.float64)
    numbers = np.clip(raw, *ends)
    line = Line.of_values(numbers[: design.m], numbers[design.m :])
    at = np.searchsorted(line.place, numbers)
    features = line.embedded(kernel.scale, rows=True).features[at]
    words = Words(float(line.values[-1] - line.values[0]), empty.kind)
    x, y = raw[: design.m], raw[design.m :]
    looked = list(values(x, y, words, ROUND.get(empty.kind, STEPS)))
    if empty.kind == "datetime":
        looked += clock_views(SingleValues.of(x, dates=True), SingleValues.of(y, dates=True))
    found = [(view, view.holds(raw).astype(np.float64)) for view in looked if view.holds is not None]
    masses = design.masses(features)
    x, y = (np.bincount(at, part, minlength=len(line.place)).astype(np.float64) for part in masses)
    known, index = np.unique(raw, return_inverse=True)
    a, b = (WeightedNumbers.of_counts(known, np.bincount(index, part).astype(np.float64)) for part in masses)
    both = (a, b) if np.isfinite(known).all() else None
    subject = replace(empty, kernel=kernel, line=replace(line, x=x, y=y), numbers=both)
    return _Values(features, subject, found)


def _of_levels(series: pl.Series, empty: Subject, design: Design) -> _Values:
    counts = series.value_counts(name="rows")
    both = {str(label): int(rows) for label, rows in counts.iter_rows()}
    labels = tuple(sorted(both, key=lambda label: (-both[label], label)))
    number = {label: i for i, label in enumerate(labels)}
    at = np.array([number[label] for label in series.to_list()], dtype=np.intp)
    points = np.where(at < _OWN + _SHARED, at, _OWN + at % _SHARED)
    features = np.eye(int(points.max()) + 1)[points]
    x, y = (np.bincount(at, part, minlength=len(labels)).astype(np.float64) for part in design.masses(features))
    first, second = (
        np.bincount(part, minlength=len(labels)).astype(np.float64) for part in (at[: design.m], at[design.m :])
    )
    looked = [view for view in levels_views(Levels(labels, first, second)) if view.label is not None]
    found = [(view, (at == number[str(view.label)]).astype(np.float64)) for view in usable(looked, 0.05)[:_MOST_VIEWS]]
    found += _written(labels, first, second, {view.a + view.b for view in looked}, at)
    return _Values(features, replace(empty, levels=Levels(labels, x, y)), found)


def _written(
    labels: tuple[str, ...], x: Floats, y: Floats, rows: set[int], at: NDArray[np.intp]
) -> list[tuple[View, Floats]]:
    """How categories are written; of few ones, but for what is just one of them, with so many `rows`."""
    import polars as pl

    views = _some(Spelling(pl.Series("v", labels, dtype=pl.String), x, y).views(single=False))
    if len(labels) <= FEW:
        views = [view for view in views if not {view.a + view.b, view.m + view.n - view.a - view.b} & rows]
    return [(view, np.isin(at, view.which).astype(np.float64)) for view in views]


def _views(
    found: Sequence[tuple[View, Floats]], design: Design, worth: tuple[int, int], judge: Judge, count: int
) -> Iterator[View]:
    """Those that so many rows could show (Tarone 1990), as the design compares them."""
    shares: list[Shares] = []
    for start in range(0, len(found), _VIEWS):
        holds = np.stack([rows for _, rows in found[start : start + _VIEWS]], axis=1)
        shares += design.compared(holds, count, judge.rng)
    order = sorted(range(len(shares)), key=lambda i: shares[i].least)
    kept = {i for rank, i in enumerate(order, 1) if shares[i].least * rank <= judge.level}
    for i, (view, _) in enumerate(found):
        if i in kept:
            own = {name: getattr(view, name) for name in ("family", "text", "a", "b", "m", "n", "label", "holds")}
            yield DesignedView(**own, compared=shares[i], worth=worth)


def design_findings(
    plan: RowPlan, given: Conditions, judge: Judge, lines: Sequence[ColumnTests], joint: bool
) -> tuple[Finding, ...]:
    """What is to be known of a design: its mix, that a table is too small to test, that p-values cannot be small."""
    named = ", ".join(given.by or given.names)
    found = [_mix(plan, named, judge), _too_small(plan, named), _few_ways(plan, given, judge.level, lines, joint)]
    return (*(finding for finding in found if finding is not None), *plan.findings)


def _too_small(plan: RowPlan, named: str) -> Finding | None:
    """That a table is worth too few rows for any test."""
    design = plan.design
    if design.comparable or (isinstance(design, RelabelledDesign) and design.weights is None):
        return None
    what: Literal["series", "weights"] = "series" if isinstance(design, SeriesDesign) else "weights"
    said = f"a table is worth fewer than {ENOUGH} rows, too few for a test that does not relabel"
    if isinstance(design, RelabelledDesign):
        said = "a table is worth fewer than two rows of equal weight"
    return Finding(what, named, f"{said}: no column was tested")


def _few_ways(
    plan: RowPlan, given: Conditions, level: float, lines: Sequence[ColumnTests], joint: bool
) -> Finding | None:
    """That no difference can be shown, where even the smallest p-values, adjusted for each other, are too large."""
    best = smallest_adjusted(lines, plan.least, joint)
    if plan.plain or best <= level:
        return None
    (a, b), what = plan.groups or (plan.design.m, plan.design.n), "groups" if plan.groups else "rows"
    ways = "few ways only within strata" if given.by else f"{comb(a + b, a)} ways only"
    said = (
        f"{a} and {b} {what} can be relabelled in {ways}: the smallest possible p-value is {plan.least:.2g} "
        f"({min(best, 1.0):.2g} adjusted), so no difference of values can be shown at level {level:g}, however large. "
        f"More {what} are needed"
    )
    option: Literal["groups", "strata"] = "groups" if plan.groups else "strata"
    return Finding(option, given.groups or ", ".join(given.names), said)


def _mix(plan: RowPlan, named: str, judge: Judge) -> Finding | None:
    """Whether strata are as frequent in both tables, no part of the verdict."""
    design = plan.design
    if not isinstance(design, RelabelledDesign | SampledDesign) or design.strata is None:
        return None
    strata = design.strata
    if len(strata.names) == 1:
        return None
    x, y = design.mix
    if min(x.sum(), y.sum()) < 2:
        return None
    test = judge(Embedded.of(np.eye(len(x)), x, y))
    apart = x / x.sum() - y / y.sum()
    most = int(np.argmax(np.abs(apart)))
    a, b = share(float(x[most] / x.sum())), share(float(y[most] / y.sum()))
    differs = "differs" if test.pvalue <= judge.level else "is alike, as far as can be seen"
    said = f"the mix {differs}: {is_p(pvalue(test.pvalue, digits=2))}, effect {test.effect.value:.2g}"
    more = f"; most: {shown(str(strata.names[most]), 40)}, {a} against {b}" if apart[most] else ""
    return Finding("mix", named, f"{said}{more}. It is no part of the verdict", pvalue=test.pvalue)
