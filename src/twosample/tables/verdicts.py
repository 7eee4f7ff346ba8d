"""From tests to a verdict: what each line says, what all of them say together, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from .._shown import shown
from ..core.adjust import benjamini_hochberg
from ..embedding import Judge, Judged, adjusted
from ..sources import Kind
from .parts import ColumnComparison, Finding, MissingComparison, Picture, Place, Verdict
from .pictures import missing_place, picture, places
from .subjects import Subject

_ORDER: dict[Verdict, int] = {"different": 0, "undecided": 1, "same": 2}


@dataclass(frozen=True, eq=False)
class ColumnTests:
    """A column with its tests; what it was tested by is forgotten, so that thousands of columns fit in memory.

    Parameters
    ----------
    name, kind, rows, gone
        The column, the rows of either table, and those without a value.
    values, missing
        The tests of its values and of its missing share; None where there is none.
    kernel, bandwidth, method
        How, and in words.
    drawn, where
        Its picture, and the places where it differs most.
    """

    name: str
    kind: Kind
    rows: tuple[int, int]
    gone: tuple[int, int]
    values: Judged | None
    missing: Judged | None
    kernel: str
    bandwidth: float | None
    method: str
    drawn: Picture | None
    where: tuple[Place, ...]

    @classmethod
    def of(cls, subject: Subject, judge: Judge) -> ColumnTests:
        """Make the tests."""
        values = None if subject.pair is None else judge(subject.pair)
        missing = None if subject.missing_pair is None else judge(subject.missing_pair)
        drawn = picture(subject)
        found = places(subject, drawn) if values is not None and values.pvalue <= judge.level else ()
        if missing is not None and missing.pvalue <= judge.level:
            found += (missing_place(subject),)
        how = (repr(subject.kernel), subject.bandwidth, _method(subject, values))
        return cls(subject.name, subject.kind, subject.rows, subject.missing, values, missing, *how, drawn, found)

    @property
    def tests(self) -> list[Judged]:
        """Those that there are."""
        return [test for test in (self.values, self.missing) if test is not None]


@dataclass(frozen=True, eq=False)
class Judgement:
    """All tests weighed.

    Parameters
    ----------
    verdict, joint_verdict
        Of all, and of the joint test alone.
    columns
        The columns, those that contribute most first.
    headline
        In one sentence.
    findings
        Differences that are significant and too small to matter.
    joint_margin
        The margin of the joint effect.
    """

    verdict: Verdict
    joint_verdict: Verdict
    columns: tuple[ColumnComparison, ...]
    headline: str
    findings: tuple[Finding, ...]
    joint_margin: float


def weighed(lines: Sequence[ColumnTests], joint: Judged | None, level: float, margin: float) -> Judgement:
    """Weigh all tests: adjusted p-values against the level, effects against the margin."""
    pvalues = [test.pvalue for line in lines for test in line.tests]
    both = zip(adjusted(pvalues, None if joint is None else joint.pvalue), benjamini_hochberg(pvalues), strict=True)
    columns = [_column(line, [next(both) for _ in line.tests], level, margin) for line in lines]
    columns.sort(key=lambda column: (_ORDER[column.verdict], -_strength(column), column.pvalue))
    joint_margin = margin / sqrt(len(lines))
    together: Verdict = "undecided" if joint is None else _verdict(joint, 2 * joint.pvalue, level, joint_margin)
    verdict = _overall([together, *(column.verdict for column in columns)])
    findings = [_small(column, level, margin) for column in columns]
    if joint is not None and together == "same" and 2 * joint.pvalue <= level:
        text = f"all columns together: p = {joint.pvalue:.2g}, but an effect of at most {joint.effect.high:.2g}"
        findings.append(Finding("small", None, f"{text}: below the margin of {joint_margin:.2g}"))
    words = _headline(verdict, columns, _needed(lines, joint, margin, joint_margin))
    kept = tuple(finding for finding in findings if finding is not None)
    return Judgement(verdict, together, tuple(columns), words, kept, joint_margin)


def _overall(verdicts: Sequence[Verdict]) -> Verdict:
    """Different if one is, same if all are."""
    return min(verdicts, key=lambda verdict: _ORDER[verdict])


def _column(line: ColumnTests, pvalues: list[tuple[float, float]], level: float, margin: float) -> ColumnComparison:
    values = line.values
    own = pvalues.pop(0) if values is not None else (1.0, 1.0)
    missing = None
    if line.missing is not None:
        missing = _missing(line, line.missing, pvalues.pop(0), level, margin)
    alone: Verdict = "undecided" if values is None else _verdict(values, own[0], level, margin)
    verdict = alone if missing is None else _overall([alone, missing.verdict])
    effect = (0.0, 0.0, 1.0) if values is None else (values.effect.value, values.effect.low, values.effect.high)
    return ColumnComparison(
        name=line.name,
        kind=line.kind,
        statistic=0.0 if values is None else values.statistic,
        pvalue=1.0 if values is None else values.pvalue,
        adjusted_pvalue=float(own[0]),
        fdr_pvalue=float(own[1]),
        effect=effect[0],
        effect_low=effect[1],
        effect_high=effect[2],
        verdict=verdict,
        rows_a=line.rows[0] - line.gone[0] if values is None else values.m,
        rows_b=line.rows[1] - line.gone[1] if values is None else values.n,
        missing=missing,
        method=line.method,
        kernel=line.kernel,
        bandwidth=line.bandwidth,
        picture=line.drawn,
        where=line.where,
        values_verdict=alone,
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
        verdict=_verdict(test, float(pvalues[0]), level, margin),
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


def _verdict(test: Judged, adjusted_pvalue: float, level: float, margin: float) -> Verdict:
    """Same if surely within the margin; else different if significant; else undecided."""
    if test.effect.high < margin:
        return "same"
    return "different" if adjusted_pvalue <= level else "undecided"


def _strength(column: ColumnComparison) -> float:
    return max(column.effect, column.missing.effect if column.missing else 0.0)


def _small(column: ColumnComparison, level: float, margin: float) -> Finding | None:
    """A significant difference that is too small to matter."""
    if column.verdict != "same":
        return None
    parts = []
    if column.adjusted_pvalue <= level:
        parts.append(f"adjusted p = {column.adjusted_pvalue:.2g}, but an effect of at most {column.effect_high:.2g}")
    if column.missing is not None and column.missing.adjusted_pvalue <= level:
        shares = f"{column.missing.share_a:.3g} and {column.missing.share_b:.3g}"
        parts.append(f"missing shares differ, {shares}, by an effect of at most {column.missing.effect_high:.2g}")
    return Finding("small", column.name, f"{'; '.join(parts)}: below the margin of {margin:g}") if parts else None


def _needed(lines: Sequence[ColumnTests], joint: Judged | None, margin: float, joint_margin: float) -> str:
    """About how many rows would show that all is within the margins, in words; empty if no number would."""
    tests = [(test, margin) for line in lines for test in line.tests]
    single = [test.rows_needed(border) for test, border in tests if test.effect.high >= border]
    together = joint.rows_needed(joint_margin) if joint is not None and joint.effect.high >= joint_margin else 0
    known = [rows for rows in single if rows is not None]
    if joint is None or together is None or len(known) < len(single):
        return ""
    rows = lines[0].rows
    if not single and min(rows) > together:  # the tables are large enough, only the sample is not
        return f"; a joint sample of about {_rounded(together)} rows might settle it"
    return f"; about {_rounded(max([*known, together]))} rows in each table might settle it"


def _headline(verdict: Verdict, columns: Sequence[ColumnComparison], needed: str) -> str:
    count = len(columns)
    all_columns = "the one common column" if count == 1 else f"all {count} columns"
    if verdict == "same":
        return f"Same within the margin: {all_columns}{'' if count == 1 else ', each and together'}."
    if verdict == "different":
        found = [column for column in columns if column.verdict == "different"]
        if not found:
            return f"Different: no single column of {count}, but all of them together."
        return f"Different: {len(found)} of {count} column{'s' if count > 1 else ''}; most: {shown(found[0].name, 60)}."
    open_ = sum(column.verdict == "undecided" for column in columns)
    what = f"{open_} of {count} column{'s' if count > 1 else ''} undecided"
    if not open_:
        what = "each column is the same within the margin, but all together are undecided"
    return f"Too few rows to tell: {what}{needed}."


def _rounded(rows: int) -> str:
    """To two digits, upwards."""
    step = 10 ** max(len(str(rows)) - 2, 0)
    return f"{-(-rows // step) * step:,}"
