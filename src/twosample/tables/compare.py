"""Compare two tables: the one path from two sources to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike

import numpy as np

from .. import _door as door
from .._shown import few, quoted
from ..core.blas import single_threaded_blas
from ..core.groups import RowGroups
from ..embedding import Judge, Judged
from ..errors import (
    OptionError,
    checked_kinds,
    checked_names,
    options_by_name,
    whole_number,
)
from ..sources import JointColumn, Survey, Table, open_table
from .checking import Violation, violation_words, violations
from .conditional import design_findings, tested_by
from .conditional_joint import together_by
from .contract import Contract, contract_of
from .designing import RowPlan, plan_of
from .every_row import PART, every_row
from .joint import RESAMPLES, Joint, joint_effect, joint_result, joint_sample, series_finding, speaking_rows
from .naming import joint_findings
from .notes import notes, versions
from .options import MARGIN, Conditions, Margins, Wanted
from .pair_pictures import with_pictures
from .parts import Finding, TableFacts, Verdict
from .reading import Reading, Step, read
from .results import Comparison
from .schema import Policy, Schema, checked_policy, comparable, headline, schema_of
from .subjects import subject, tests_of
from .ties import views_of
from .together import Together, in_parts, tested_together
from .verdicts import ColumnTests, weighed

Progress = Callable[[int, int, str], None]
SAMPLE = 20_000
HELD, EVERY_ROW = 40_000, 1 << 62  # rows in memory where every row is wanted: for the joint test, for designs
STEPS = 5
_MOST = 9999  # relabellings of the joint test, where its level is so small that it takes them
_SMALL = 0.01  # the p-value of the first 999, up to which the others are looked at: as valid at any level


@options_by_name
def compare(  # noqa: PLR0913 - two tables, what to look at, how to judge
    a: object,
    b: object,
    *,
    level: float = 0.05,
    margin: float | Mapping[str, float] = MARGIN,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    schema: str = "fail",
    columns_may_be_lost: Iterable[str] = (),
    contract: Contract | str | PathLike[str] | None = None,
    by: str | Iterable[str] | None = None,
    weights: str | None = None,
    groups: str | None = None,
    design_weights: str | None = None,
    time: str | None = None,
    rng: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    r"""Compare two tables: one verdict out of four, and where they differ.

    Every column is tested by itself on all rows, and all columns together on a random sample, with kernels for numbers,
    dates, categories and texts; missing values count as values. The verdict weighs effects, not only p-values:

    - *different*: an effect is significant, all tests taken together, and not surely smaller than the margin;
    - *small difference*: what is significant is surely smaller than the margin;
    - *no difference found*: nothing is significant, but with so few rows an effect beyond the margin could hide;
    - *same*: every effect (each column, its missing share, all columns together) is surely smaller than the margin.

    Parameters
    ----------
    a, b
        Whatever :func:`twosample.sources.open_table` takes: paths, patterns, database URLs, frames of pandas, polars,
        Arrow, DuckDB, Dask, Ibis or Spark, arrays, dictionaries of columns; or tables that are open already.
    level
        Largest probability of calling tables different when they are not; and of calling them same when one of the
        effects is at its margin.
    margin
        The effect size r (:func:`effect_size`) of a column that still counts as small. 0.05 is a shift of 0.15
        standard deviations, or a share that goes from 50 % to 55 %, from 10 % to 13 %, from 0 to 0.5 %. 0: whatever
        is significant is different. By name of a column or by kind: ``{"price": 0.02, "text": 0.2, "*": 0.05}``, with
        "*" for all others. It is that of all columns together as well, whose effect is the largest over their
        views.
    select, exclude
        Names of the columns to compare, and to leave out.
    kinds
        What columns mean, where the guess is wrong: ``{"zip": "categorical", "code": "identifier"}``.
    where
        Keeps the rows of both tables for which a condition in SQL holds.
    sample
        Rows of each table for the joint test, at most. None for all: beyond 40,000 rows so many are sampled, and a
        second pass adds up features of every row, where the rows are (docs/scale.md). Summaries hold such sums: beside
        one that does, every row counts in any case.
    schema
        What it means if columns are lost, or hold another kind of value: "fail" makes the tables different, "warn" says
        it in the headline, "ignore" says nothing. ``c.schema`` has them in any case. Added columns are findings.
    columns_may_be_lost
        Names of columns that may be missing from `b`.
    contract
        Rules that `b` must keep: what :func:`learn` returned, or a TOML file of it. Every rule that is broken makes
        the tables different; ``c.violations`` has them, with the number of rows and an example.
    by
        Names of columns whose mix is not to be compared, such as "weekday": rows are compared, and relabelled, within
        strata of equal values (:class:`StratifiedPermutation`). A difference of the mix alone is a finding and no part
        of the verdict. Numbers with many values are cut into ten quantile bins, which is an approximation.
    weights
        The column of weights that belong to the row, such as its exposure: rows count by them among the rows of their
        table, and row and weight are relabelled together. H0: rows and weights have the same distribution in both.
    groups
        The column that names groups of rows that depend on each other, such as patients: whole groups are relabelled
        (:class:`GroupPermutation`). A group belongs to one table, and to one stratum of `by`.
    design_weights
        The column of weights of a design, one over the chance that a row was taken, such as those of a survey. H0: the
        weighted distributions are the same, however rows were selected. Nothing is relabelled (the wild bootstrap with
        independent rows): right for large samples.
    time
        The column of times of two series, whose neighbouring rows are alike: the wild bootstrap
        (:class:`WildBootstrap`). `by`, `weights` and `groups` go together, `design_weights` with `by` only, `time` with
        none; each looks at the sampled rows, and these columns are not compared themselves. See docs/fair.md and
        docs/dependent.md.
    rng
        A whole number: the seed of samples and permutations. The same seed gives the same answer.
    progress
        Called with (steps done, steps in all, what is next).

    Returns
    -------
    Comparison
        ``verdict, headline, joint, columns, findings, rows(20), report(path), to_dict(), to_frame()``.

    Notes
    -----
    One pass over each table, and another one over columns whose first rows are not like the others; nothing grows with
    the number of rows but their time. Workers of Dask and Spark go through all rows where they are. Of tables in
    PostgreSQL and Ibis with more than 500,000 rows a uniform sample of so many is compared, unless `sample` is larger.
    Beyond that some milliseconds for a column and a second or two for the joint test. Rows that depend on each other,
    such as days of one time series, look different by chance more often than `level` says: see `groups` and `time`.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> a = {"price": rng.lognormal(size=5000), "shop": rng.choice(["A", "B", "C"], 5000)}
    >>> b = {"price": rng.lognormal(size=5000), "shop": rng.choice(["A", "B", "C"], 5000, p=[0.2, 0.3, 0.5])}
    >>> c = ts.compare(a, b)
    >>> c.verdict, c.columns[0].name, c.columns[0].where[0].label
    ('different', 'shop', 'C')
    """
    level = door.check_level(level)
    if level >= 0.5:
        raise OptionError(f"level={level!r} must be below 0.5: intervals are at level 1 - 2 * level.")
    margins = Margins.of(margin)
    rows = None if sample is None else whole_number("sample", sample, least=10)
    seed = whole_number("rng", rng, least=0)
    policy, may_be_lost = checked_policy(schema), checked_names("columns_may_be_lost", columns_may_be_lost) or ()
    rules = None if contract is None else contract_of(contract)
    given = Conditions.of(by, weights=weights, groups=groups, design_weights=design_weights, time=time)
    left_out = checked_names("exclude", exclude) or ()
    wanted = Wanted(checked_names("select", select), (*left_out, *given.names), checked_kinds(kinds), where)
    tables = open_table(a, where=where), open_table(b, where=where)
    margins.check(info.name for table in tables for info in table.columns)
    given.check(tables, wanted.select)
    asked = _Asked(level, margins, rows, seed, policy, may_be_lost, rules, given, wanted)
    step = _Steps(progress)
    with single_threaded_blas(), ExitStack() as after:  # small matrices: other threads cost more than they save
        for table in tables:
            after.callback(table.forget)
        tested = _Tested.of(tables, asked, step)
    step("done")
    return _weighed(tables, asked, tested)


Tests = tuple[list[ColumnTests], Joint | None, Judged | None, Together | None, tuple[Finding, ...]]
"""Of the columns; the joint sample, its test, and the views that it was joined from, where there are any; findings."""


@dataclass(frozen=True, eq=False)
class _Asked:
    """The options of a comparison, checked."""

    level: float
    margins: Margins
    rows: int | None  # of the joint sample; None: every row
    seed: int
    policy: Policy
    may_be_lost: tuple[str, ...]
    rules: Contract | None
    given: Conditions
    wanted: Wanted


@dataclass(frozen=True, eq=False)
class _Tested:
    """Both tables read and tested: what the verdict is made of."""

    reading: Reading
    schema: Schema
    columns: list[JointColumn]  # that are compared
    findings: list[Finding]  # of the schema, and of columns that are constant
    broken: tuple[Violation, ...]
    plan: RowPlan | None
    tests: Tests
    known: tuple[Finding, ...]  # of the design

    @classmethod
    def of(cls, tables: tuple[Table, Table], asked: _Asked, step: Step) -> _Tested:
        """Read the tables, and make all tests."""
        wanted, given = asked.wanted, asked.given
        random = np.random.default_rng([asked.seed, 2008])  # not the stream of a user who shuffled rows with the seed
        one, two = (int(value) for value in random.integers(1 << 31, size=2))
        held = asked.rows or (EVERY_ROW if given.names else HELD)
        reading = read(tables, wanted, held, (one, two), step, every=asked.rows is None and not given.names)
        changes, findings = schema_of(reading, asked.policy, asked.may_be_lost)
        columns, findings = comparable(reading, findings)
        names = wanted.names(tables)[1]
        broken = () if asked.rules is None else violations(asked.rules, reading.b, names, wanted.where is None)
        plan = plan_of(reading, given, wanted.kinds) if given.names else None
        step("testing columns")
        judge = Judge(asked.level, tests_of(reading, columns), random)
        make = partial(_tested, asked.rows is None) if plan is None or plan.plain else partial(_tested_by, plan)
        tests = make(reading, columns, judge, step)
        known = () if plan is None else design_findings(plan, given, judge, tests[0], tests[2] is not None)
        return cls(reading, changes, columns, findings, broken, plan, tests, known)


def _weighed(tables: tuple[Table, Table], asked: _Asked, of: _Tested) -> Comparison:
    """The verdict, and everything that is said beside it."""
    level, reading, broken, plan = asked.level, of.reading, of.broken, of.plan
    tested, joint, together, test, beside = of.tests
    named = partial(_named, joint, test, level, reading, of.columns)
    alike = reading.identical
    found = weighed(tested, together, level, asked.margins, alike, named, () if plan is None else plan.groups)
    differing = {column.name for column in found.columns if column.verdict in ("different", "small difference")}
    present = {name for names in asked.wanted.names(tables) for name in names}
    return Comparison(
        verdict="different" if of.schema.different or broken else found.verdict,
        headline=headline(
            found.headline,
            found.verdict,
            {
                "schema": (of.schema.words, of.schema.different),
                "contract": (violation_words(broken) if broken else "", bool(broken)),
                "not compared": ("" if alike or found.verdict == "different" else _left_out(of.findings), False),
            },
        ),
        joint=None if joint is None or together is None else joint_result(joint, together, level),
        joint_effect=None if joint is None or together is None else joint_effect(joint, together, level),
        joint_verdict=found.joint_verdict,
        columns=found.columns,
        findings=(
            *(Finding("contract", one.column, one.detail) for one in broken),
            *of.findings,
            *of.known,
            *(part for part in beside if part.column in differing),
            *_alike_neighbours(asked.given, joint, reading, found.verdict),
            *found.findings,
        ),
        a=_facts(reading.a, together.m if together else 0),
        b=_facts(reading.b, together.n if together else 0),
        level=level,
        margin=asked.margins.default,
        joint_margin=found.joint_margin,
        seed=asked.seed,
        speaking=() if joint is None else speaking_rows(joint, reading, present),
        versions=versions(),
        notes=notes(reading, joint, level, plan),
        read=(*tables[0].files, *tables[1].files),
        schema=of.schema,
        violations=broken,
    )


def _named(
    joint: Joint | None,
    test: Together | None,
    level: float,
    reading: Reading,
    columns: list[JointColumn],
    known: Collection[str],
) -> tuple[Finding, ...]:
    """What is behind a difference of all columns together, with pictures of pairs."""
    if joint is None or test is None:
        return ()
    found = joint_findings(test, joint.twins, len(joint.chosen[0]), level, known, reading.called)
    return with_pictures(found, reading.samples, columns) if found else ()


def _tested(every: bool, reading: Reading, columns: list[JointColumn], judge: Judge, step: Step) -> Tests:
    """Each column, and all of them together, on every row or on the sample: rows are exchangeable as they are."""
    tested = [ColumnTests.of(subject(reading, column, judge), judge) for column in columns]
    step("testing all columns together")
    if min(tested[0].rows) < 2:
        return tested, None, None, None, ()
    joint = joint_sample(reading, columns, judge.rng, judge.resamples(joint=True) or _MOST)
    test = _together(joint, joint.groups.first(1 + RESAMPLES), judge.level)
    if test.judged.pvalue <= _SMALL and len(joint.groups.labels) > 1 + RESAMPLES:
        test = _together(joint, joint.groups, judge.level)
    whole = None if reading.whole else every_row(reading, joint, judge, every)
    if whole is not None:
        test, joint = in_parts(whole[0], test, PART), replace(joint, every=True, notes=(whole[1], *joint.notes))
    return tested, joint, test.judged, test, ()


def _together(joint: Joint, groups: RowGroups, level: float) -> Together:
    """All columns together, on these relabellings of groups of rows."""
    views, names = views_of(joint.features, joint.twins, groups), [part.name for part in joint.features]
    test = tested_together(joint.pair, views, names, groups, level)
    if joint.shared is None:
        return test
    without = [view for view in views if view.name != "twins"]
    rest = tested_together(joint.pair, without, names, groups, level)
    return max(rest, test, key=lambda part: part.judged.pvalue)  # both p-values are valid, so the larger one is, too


def _tested_by(plan: RowPlan, reading: Reading, columns: list[JointColumn], judge: Judge, step: Step) -> Tests:
    """The same by a design."""
    each = [tested_by(plan, reading, column, judge) for column in columns]
    tested, found = [tests for tests, _ in each], tuple(finding for _, own in each for finding in own)
    step("testing all columns together")
    if min(tested[0].rows) < 2:
        return tested, None, None, None, found
    sample = joint_sample(reading, columns, judge.rng)
    return tested, *(together_by(plan, sample, reading, columns, judge) or (None, None, None)), found


def _alike_neighbours(
    given: Conditions, joint: Joint | None, reading: Reading, verdict: Verdict
) -> tuple[Finding, ...]:
    """A word of warning where something was found, and rows were taken to be independent."""
    if given.given or joint is None or verdict not in ("different", "small difference"):
        return ()
    found = series_finding(joint, reading, given.called)
    return () if found is None else (found,)


@dataclass
class _Steps:
    """Counts the steps for whoever watches."""

    progress: Progress | None
    done: int = 0

    def __call__(self, what: str) -> None:
        if self.progress is not None:
            self.progress(self.done, STEPS, what)
        self.done += 1


def _left_out(findings: Sequence[Finding]) -> str:
    """The columns that no test has seen, by name: no verdict speaks of them."""
    names = [part.column for part in findings if part.what == "left out" and part.column is not None]
    return few(names, write=lambda name: quoted(name, 40))


def _facts(side: Survey, sampled: int) -> TableFacts:
    return TableFacts(side.table.name, side.rows, len(side.table.columns), sampled, side.table.engine)
