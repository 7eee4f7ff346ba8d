"""From tests to a verdict: what each line says, what all of them say together, and in words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from .._numbers import is_p, pvalue
from .._shown import quoted, shown
from ..core.adjust import benjamini_hochberg
from ..embedding import Judge, Judged
from ..embedding.judge import JOINT
from ..sources import Kind
from .looks import ColumnLook, looked_at
from .options import Margins
from .parts import ColumnComparison, ColumnFacts, Finding, MissingComparison, Picture, Place, Verdict
from .pictures import missing_place, picture, places, strongest
from .sentences import values_of
from .subjects import Subject
from .views import View, missing_view

_ORDER: dict[Verdict, int] = {"different": 0, "small difference": 1, "no difference found": 2, "same": 3}


@dataclass(frozen=True, eq=False)
class ColumnTests:
    """A column with its tests; what it was tested by is forgotten, so that thousands of columns fit in memory."""

    name: str  # the column, the rows of either table, and those without a value
    kind: Kind
    rows: tuple[int, int]
    gone: tuple[int, int]
    values: Judged | None  # the tests of its values and of its missing share; None where there is none
    missing: Judged | None
    kernel: str  # how, and in words
    bandwidth: float | None
    method: str
    drawn: Picture | None  # its picture, and the places where it differs most
    where: tuple[Place, ...]
    views: tuple[View, ...] = ()  # shares that are compared beside its values
    finer: tuple[Judged, ...] = ()  # tests of its values with finer kernels
    absent: Callable[[float], float] = float  # the chance that the p-value of the missing share is at most so small
    facts: tuple[ColumnFacts, ColumnFacts] = (ColumnFacts(0, 0), ColumnFacts(0, 0))
    wasserstein: float | None = None
    """The numbers that people know, and the distance in the unit of the column."""
    tables: tuple[str, str] = ("A", "B")  # what the two tables are called in sentences

    @classmethod
    def of(cls, subject: Subject, judge: Judge) -> ColumnTests:
        """Make the tests."""
        values = None if subject.pair is None else judge(subject.pair)
        missing = None if subject.missing_pair is None else judge(subject.missing_pair)
        absent = missing_view(subject.rows, subject.missing)
        if missing is not None:
            missing = replace(missing, pvalue=absent.pvalue)
        drawn = picture(subject)
        finer = tuple(judge.screened(pair) for pair in subject.finer)
        found = places(subject, drawn) if values is not None and values.pvalue <= judge.level else ()
        if missing is not None and missing.pvalue <= judge.level:
            found += (missing_place(subject),)
        how = (repr(subject.kernel), subject.bandwidth, _method(subject, values))
        return cls(
            subject.name,
            subject.kind,
            subject.rows,
            subject.missing,
            values,
            missing,
            *how,
            drawn,
            found,
            subject.views,
            finer,
            absent.chance,
            subject.facts,
            subject.distance,
            subject.tables,
        )

    def called(self, among: str = "values") -> tuple[str, str]:
        """What its values, or its numbers, in either table are called in sentences."""
        return values_of(self.tables, self.gone, among)

    @property
    def tests(self) -> list[Judged]:
        """Those that there are."""
        return [test for test in (self.values, self.missing) if test is not None]


@dataclass(frozen=True, eq=False)
class Judgement:
    """All tests weighed."""

    verdict: Verdict  # of all, and of the joint test alone
    joint_verdict: Verdict
    columns: tuple[ColumnComparison, ...]  # the columns, those that contribute most first
    headline: str  # in one sentence
    findings: tuple[Finding, ...]  # differences that are significant and too small to matter
    joint_margin: float  # the margin of the joint effect


Named = Callable[[Collection[str]], tuple[Finding, ...]]
"""Findings about all columns together, from the names of those that differ by themselves."""


def weighed(
    lines: Sequence[ColumnTests],
    joint: Judged | None,
    level: float,
    margins: Margins,
    identical: bool = False,
    named: Named = lambda known: (),
    groups: tuple[int, ...] = (),
) -> Judgement:
    """Weigh all tests: adjusted p-values against the level, effects against the margins; `groups`: how many, if any."""
    looks = looked_at(lines, None if joint is None else joint.pvalue)
    rates = iter(benjamini_hochberg([p for look in looks for p in look.pvalues]))
    columns = [
        _column(line, look, [float(next(rates)) for _ in look.pvalues], level, margins)
        for line, look in zip(lines, looks, strict=True)
    ]
    joint_margin = margins.default
    together: Verdict = "no difference found"
    if joint is not None:
        together = judged_by(joint.effect.high, joint.pvalue / JOINT, level, joint_margin)
    if identical:
        columns, together = [_same(column) for column in columns], "same"
    verdict = overall([together, *(column.verdict for column in columns)])
    behind = () if identical else named([column.name for column in columns if _ORDER[column.verdict] < 2])
    first = {name: i for i, name in reversed([*enumerate(name for part in behind for name in part.columns)])}
    columns.sort(
        key=lambda c: (
            _ORDER[c.verdict] // 2,
            first.get(c.name, len(lines)),
            _ORDER[c.verdict],
            -c.effect,
            c.pvalue,
        )
    )
    findings = [*behind, *(_small(column, level) for column in columns)]
    if joint is not None and together == "small difference":
        p = is_p(pvalue(joint.pvalue, digits=2))
        text = f"all columns together: {p}, but an effect of at most {joint.effect.high:.2g}"
        findings.append(Finding("small", None, f"{text}: below the margin of {joint_margin:.2g}"))
    could_hide = _could_hide(columns, joint, together) + _needed(lines, joint, margins, joint_margin, groups)
    words = identical_words(lines[0].rows[0]) if identical else _headline(verdict, columns, behind, could_hide)
    kept = tuple(finding for finding in findings if finding is not None)
    return Judgement(verdict, together, tuple(columns), words, kept, joint_margin)


def judged_by(high: float, adjusted_pvalue: float, level: float, margin: float) -> Verdict:
    """One of four words, from the upper end of the effect and the adjusted p-value."""
    if adjusted_pvalue <= level:
        return "small difference" if high < margin else "different"
    return "same" if high < margin else "no difference found"


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """The gravest: different if one is, same if all are."""
    return min(verdicts, key=lambda verdict: _ORDER[verdict])


def _same(column: ColumnComparison) -> ColumnComparison:
    """A column of identical tables."""
    missing = None if column.missing is None else replace(column.missing, verdict="same")
    return replace(column, verdict="same", values_verdict="same", missing=missing)


def _column(
    line: ColumnTests, look: ColumnLook, rates: list[float], level: float, margins: Margins
) -> ColumnComparison:
    values, margin = line.values, margins.at(line.name, line.kind)
    missing = None
    if line.missing is not None:
        missing = _missing(line, line.missing, (look.missing, rates[-1]), level, margin)
    seen = look.effect(level)
    alone: Verdict = "no difference found"
    if values is not None:
        alone = judged_by(look.values_effect(level).high, look.values, level, margin)
    verdict = alone if missing is None else overall([alone, missing.verdict])
    views = tuple(view.told(line.called(view.among)) for view in look.found(level)[:2])
    return ColumnComparison(
        name=line.name,
        kind=line.kind,
        statistic=0.0 if values is None else values.statistic,
        pvalue=look.pvalues[0],
        adjusted_pvalue=min(look.values, look.missing),
        fdr_pvalue=rates[0],
        effect=seen.value,
        effect_low=seen.low,
        effect_high=seen.high,
        verdict=verdict,
        rows_a=line.rows[0] - line.gone[0] if values is None else values.m,
        rows_b=line.rows[1] - line.gone[1] if values is None else values.n,
        missing=missing,
        method=line.method,
        kernel=line.kernel,
        bandwidth=line.bandwidth,
        picture=line.drawn,
        where=strongest((*views, *line.where), seen.view),
        view=seen.view,
        kernel_pvalue=1.0 if values is None else values.pvalue,
        values_verdict=alone,
        margin=margin,
        a=line.facts[0],
        b=line.facts[1],
        wasserstein=line.wasserstein,
        resamples=0 if values is None else values.null.resamples,
    )


def _missing(
    line: ColumnTests, test: Judged, pvalues: tuple[float, float], level: float, margin: float
) -> MissingComparison:
    return MissingComparison(
        missing_a=line.gone[0],
        missing_b=line.gone[1],
        share_a=line.gone[0] / line.rows[0],
        share_b=line.gone[1] / line.rows[1],
        pvalue=test.pvalue,
        adjusted_pvalue=float(pvalues[0]),
        fdr_pvalue=float(pvalues[1]),
        effect=test.effect.value,
        effect_low=test.effect.low,
        effect_high=test.effect.high,
        verdict=judged_by(test.effect.high, float(pvalues[0]), level, margin),
    )


def _method(subject: Subject, test: Judged | None) -> str:
    if test is None:
        return "fewer than two values in one of the tables: only the missing share is compared"
    if subject.line is not None:
        kernel = f"Gaussian kernel, bandwidth {subject.bandwidth:.4g}"
        rows = "all rows" if subject.exact else f"all rows, in bins of {subject.line.unit:.4g}"
    elif subject.levels is not None:
        kernel = f"delta kernel on {len(subject.levels.labels)} categories"
        every = test.m + test.n == sum(subject.rows) - sum(subject.missing)
        rows = "all rows" if every else f"random samples of {test.m} and {test.n} rows"
    else:
        kernel, rows = "cosine of counts of three letters in a row", f"{test.m} and {test.n} sampled texts"
    return f"{kernel}; {rows}; {test.null.name}"


def _small(column: ColumnComparison, level: float) -> Finding | None:
    """A significant difference that is surely small."""
    if column.verdict != "small difference":
        return None
    parts = []
    if column.values_verdict == "small difference":
        p = is_p(pvalue(column.adjusted_pvalue, digits=2))
        parts.append(f"adjusted {p}, but an effect of at most {column.effect_high:.2g}")
    if column.missing is not None and column.missing.adjusted_pvalue <= level:
        shares = f"{column.missing.share_a:.3g} and {column.missing.share_b:.3g}"
        parts.append(f"missing shares differ, {shares}, by an effect of at most {column.missing.effect_high:.2g}")
    return Finding("small", column.name, f"{'; '.join(parts)}: below the margin of {column.margin:g}")


def _could_hide(columns: Sequence[ColumnComparison], joint: Judged | None, together: Verdict) -> str:
    """The largest effect that was not ruled out, in words."""
    open_ = [column for column in columns if column.verdict == "no difference found"]
    ends = [column.effect_high for column in open_]
    if joint is not None and together == "no difference found" and joint.effect.high > max(ends, default=0.0):
        return f"an effect of {joint.effect.high:.2g} of all columns together could hide"
    if not open_ or len(columns) == 1:
        return f"an effect of {max(ends, default=1.0):.2g} could hide in so few rows"
    widest = max(open_, key=lambda column: column.effect_high)
    return f"an effect of {widest.effect_high:.2g} in {quoted(widest.name)} could hide in so few rows"


def _needed(
    lines: Sequence[ColumnTests], joint: Judged | None, margins: Margins, joint_margin: float, groups: tuple[int, ...]
) -> str:
    """About how many rows, or groups, would show that all is within the margins, in words; empty if no number would."""
    fewest = min(groups, default=0)
    tests = [(line, test, margins.at(line.name, line.kind)) for line in lines for test in line.tests]
    unsure = [part for part in tests if part[1].effect.high >= part[2]]
    single = [test.rows_needed(border, fewest) for _, test, border in unsure]
    sampled = all(test.m + test.n < sum(line.rows) - sum(line.gone) for line, test, _ in unsure)
    wide = joint is not None and joint.effect.high >= joint_margin
    together = joint.rows_needed(joint_margin, fewest) if joint is not None and wide else 0
    known = [rows for rows in single if rows is not None]
    if joint is None or together is None or len(known) < len(single) or not (single or together):
        return ""
    most, rows = max([*known, together]), lines[0].rows
    if groups:  # more rows of the same groups would not help
        return f"; about {_rounded(most)} groups in each table would show it"
    if sampled and min(rows) > most:  # the tables are large enough, only samples are not: of whole rows, or of texts
        return f"; a {'' if single else 'joint '}sample of about {_rounded(most)} rows would show it"
    return f"; about {_rounded(most)} rows in each table would show it"


def _headline(verdict: Verdict, columns: Sequence[ColumnComparison], behind: Sequence[Finding], could_hide: str) -> str:
    count = len(columns)
    all_columns = "the one common column" if count == 1 else f"all {count} columns"
    if verdict == "same":
        return f"Same within the margin: {all_columns}{'' if count == 1 else ', each and together'}."
    if verdict == "no difference found":
        return f"No difference found: {could_hide}."
    found = [column for column in columns if column.verdict == verdict]
    words = "Different" if verdict == "different" else "Small difference, below the margin"
    rows = "".join(f" Rows: {part.detail}." for part in behind if part.what == "repeated")
    pair = [_most(part) for part in behind if part.columns][:1]
    if found:
        some = f"{len(found)} of {count} column{'s' if count > 1 else ''}"
        together = "".join(f" Together: {said}." for said in pair)
        return f"{words}: {some}; most: {shown(found[0].name, 60)}.{together}{rows}"
    most = "".join(f"; most: {said}" for said in pair)
    return f"{words}: no single column of {count}, but all of them together{most}.{rows}"


def _most(finding: Finding) -> str:
    """The columns that a finding about all of them together names."""
    first, *others = (shown(name, 60) for name in finding.columns[:3])
    return first + (f" with {' and '.join(others)}" if others else "")


def identical_words(rows: int) -> str:
    """The headline of two tables with the same rows."""
    return f"Identical: the same {rows:,} row{'s' if rows != 1 else ''} in both tables."


def _rounded(rows: int) -> str:
    """To two digits, upwards."""
    step = 10 ** max(len(str(rows)) - 2, 0)
    return f"{-(-rows // step) * step:,}"
