"""A comparison of two tables as the page shows it: what is shown, in which order, and how much of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from .. import _numbers as numbers
from .._shown import few, shown
from ..results import TestResult
from ..tables.known import Known, distance_text, floors, joint_floor, known_numbers
from ..tables.parts import ColumnComparison, Finding, MissingComparison, SpeakingRow, Value
from ..tables.results import Comparison
from .figures import NumberFigure, ShareFigure, draw, effect_bar, effect_scale
from .page import as_attribute, noted, render
from .signs import ORDER, SIGNS
from .ticks import ticks
from .views import Card, ColumnLine, ComparisonPage, Row, RowTable

MOST_LINES = 1000
MOST_FIGURES = 100
OPEN_FIGURES = 12
MOST_FINDINGS = 200
MOST_ROWS = 10  # of each table
MOST_ROW_COLUMNS = 10
MOST_WAYS = 12
MOST_WORDS = 3  # differences in the heading
NAME, LONG, CELL = 80, 600, 60  # characters

_COUNTS = ("rows", "missing", "distinct", "mean", "sd")
_DIFFERENT = ("different", "small difference")
_FINDINGS = {
    "contract": "Breaks the contract",
    "lost": "Lost: only in A",
    "changed": "Of another kind",
    "added": "Added: only in B",
    "retyped": "Read as another kind",
    "left out": "Left out",
    "constant": "Constant",
    "small": "Small difference",
    "together": "Go otherwise with each other",
    "repeated": "Repeated rows",
    "mix": "Mix",
    "strata": "Strata",
    "weights": "Weights",
    "groups": "Too few groups",
    "series": "Rows in a row are alike",
}
INLINE_LINES = 30  # in a notebook
INLINE_BYTES = 600_000  # of the whole page there; larger ones would make notebooks slow


def comparison_page(result: Comparison) -> ComparisonPage:
    """The page of a comparison."""
    effects = [column.effect_high for column in result.columns]
    effects += [result.joint_effect.high] if result.joint_effect else []
    top = effect_scale(max(effects, default=0.0), result.margin)
    cards = tuple(_card(c, index, top, result) for index, c in enumerate(result.columns[:MOST_FIGURES], 1))
    lines = _lines(result, cards, top)
    tally = Counter(column.verdict for column in result.columns)
    sign = SIGNS[result.verdict]
    return ComparisonPage(
        title=f"{sign.word}: {shown(result.a.name, 60)} and {shown(result.b.name, 60)}",
        sign=sign,
        lead=shown(_without(result.headline, sign.word), LONG),
        meaning=_meaning(result),
        most=_most(result),
        tally=tuple((SIGNS[verdict], tally[verdict]) for verdict in ORDER if tally[verdict]),
        a=result.a,
        b=result.b,
        joint=_joint_line(result, top),
        joint_margin=_percent(result.joint_margin, top),
        lines=lines[:MOST_LINES],
        lines_left=max(0, len(lines) - MOST_LINES),
        cards=cards,
        cards_left=len(result.columns) - len(cards),
        scale=ticks(0.0, top, 4),
        margin=_percent(result.margin, top),
        findings=_findings(result.findings[:MOST_FINDINGS]),
        findings_left=max(0, len(result.findings) - MOST_FINDINGS),
        pairs=tuple(finding for finding in result.findings if finding.picture is not None),
        rows=_rows(result),
        method=_method(result),
        notes=noted(dict.fromkeys((*result.notes, *(result.joint.notes if result.joint else ())))),
        citation=result.citation,
        level=f"{result.level:g}",
        margin_text=f"{result.margin:.3g}",
    )


def _lines(result: Comparison, cards: tuple[Card, ...], top: float) -> tuple[ColumnLine, ...]:
    """A line for each column, and below it one for its missing values."""
    lines: list[ColumnLine] = []
    for index, column in enumerate(result.columns):
        lines.append(cards[index].line if index < len(cards) else _column_line(column, index + 1, top, result))
        if column.missing:
            lines.append(_missing_line(column, column.missing, top))
    return tuple(lines)


def _column_line(
    column: ColumnComparison,
    order: int,
    top: float,
    result: Comparison,
    figure: NumberFigure | ShareFigure | None = None,
) -> ColumnLine:
    least, anchor = floors(column, result), f"column-{order}" if order <= MOST_FIGURES else None
    line = _line(column, top, least, name=shown(column.name, NAME) or "(no name)", anchor=anchor, kind=column.kind)
    return replace(
        line,
        by_missing=column.verdict == "different" and column.values_verdict != "different",
        where=shown(column.where[0].text, 120) if column.where and column.verdict in _DIFFERENT else "",
        figure=figure,
        order=order,
        keys=(f"{column.effect:.4g}", f"{column.adjusted_pvalue:.4g}"),
    )


def _missing_line(column: ColumnComparison, missing: MissingComparison, top: float) -> ColumnLine:
    name = f"{shown(column.name, 30) or '(no name)'}: missing values"
    shares = f"{numbers.percent(missing.share_a)} and {numbers.percent(missing.share_b)}"
    return _line(missing, top, (0.0, 0.0), name=name, anchor=None, kind=shares)


def _line(
    tested: ColumnComparison | MissingComparison,
    top: float,
    least: tuple[float, float],
    *,
    name: str,
    anchor: str | None,
    kind: str,
) -> ColumnLine:
    return ColumnLine(
        name=name,
        anchor=anchor,
        kind=kind,
        sign=SIGNS[tested.verdict],
        bar=effect_bar(tested.effect_low, tested.effect_high, tested.effect, top),
        effect=numbers.effect(tested.effect),
        interval=numbers.interval(tested.effect_low, tested.effect_high),
        pvalue=numbers.page_pvalue(tested.pvalue, least[0]),
        adjusted=numbers.page_pvalue(tested.adjusted_pvalue, least[1]),
        fdr=numbers.page_pvalue(tested.fdr_pvalue),
        missing=isinstance(tested, MissingComparison),
    )


def _joint_line(result: Comparison, top: float) -> ColumnLine | None:
    if result.joint is None:
        return None
    effect, pvalue = result.joint_effect, numbers.page_pvalue(result.joint.pvalue, joint_floor(result))
    low, high, at = (effect.low, effect.high, effect.value) if effect else (0.0, 1.0, 0.0)
    return ColumnLine(
        name="All columns together",
        anchor=None,
        kind="joint test",
        sign=SIGNS[result.joint_verdict],
        bar=effect_bar(low, high, at, top),
        effect=numbers.effect(at) if effect else "–",
        interval=numbers.interval(low, high) if effect else "too few rows for an interval",
        pvalue=pvalue,
        adjusted=pvalue,
        fdr=pvalue,
    )


def _card(column: ColumnComparison, index: int, top: float, result: Comparison) -> Card:
    figure = draw(column.name, column.picture)
    return Card(
        line=_column_line(column, index, top, result, figure),
        figure=figure,
        rows=f"{numbers.count(column.rows_a)} and {numbers.count(column.rows_b)} rows with a value",
        where=tuple(shown(place.text, 200) for place in column.where[:5]),
        missing=_missing_line(column, column.missing, top) if column.missing else None,
        method=shown(column.method, LONG),
        facts=_in_groups(known_numbers(column)) if column.a.rows else (),
        distance=distance_text(column),
        open=index <= OPEN_FIGURES,
    )


def _in_groups(lines: tuple[Known, ...]) -> tuple[tuple[Known, ...], ...]:
    """Counts and moments; quantiles."""
    first = tuple(line for line in lines if line[0] in _COUNTS)
    rest = tuple(line for line in lines if line[0] not in _COUNTS)
    return (first, rest) if rest else (first,)


def _meaning(result: Comparison) -> str:
    if result.headline.startswith("Identical"):
        return "The two tables hold the same rows in the same order: nothing was left to test."
    margin = f"an effect size of {result.margin:.3g}"
    if result.verdict == "same":
        return f"If anything differs, it is too little to matter: every effect is surely below the margin ({margin})."
    if result.verdict == "different":
        return (
            f"More than chance explains (level {result.level:g}, all tests taken together), and not surely too little "
            f"to matter ({margin})."
        )
    if result.verdict == "small difference":
        return f"More than chance explains, but surely less than the margin ({margin})."
    return (
        f"Nothing differs more than chance explains, but a difference that matters ({margin}) is not ruled out with so "
        "few rows. More rows would decide it; so would a wider margin."
    )


def _most(result: Comparison) -> tuple[tuple[str, str], ...]:
    """What differs most, in words: the column and where."""
    found = []
    for column in result.columns:
        missing = column.missing
        if missing is not None and missing.verdict == "different" and column.values_verdict not in _DIFFERENT:
            text = next((place.text for place in column.where if place.what == "missing"), "")
        else:
            text = column.where[0].text if column.where else ""
        if column.verdict in _DIFFERENT and text:
            found.append((shown(column.name, NAME) or "(no name)", shown(text, 160)))
    return tuple(found[:MOST_WORDS])


def _findings(findings: tuple[Finding, ...]) -> tuple[tuple[str, tuple[Finding, ...]], ...]:
    groups = ((label, tuple(f for f in findings if f.what == what)) for what, label in _FINDINGS.items())
    return tuple((label, group) for label, group in groups if group)


def _rows(result: Comparison) -> RowTable | None:
    chosen = [row for table in "ab" for row in [r for r in result.speaking if r.table == table][:MOST_ROWS]]
    if not chosen:
        return None
    present = {name for row in chosen for name in row.values}
    known = [column.name for column in result.columns] + [f.column for f in result.findings if f.column is not None]
    names = [name for name in dict.fromkeys(known) if name in present]  # what the user excluded is in neither
    kept = names[:MOST_ROW_COLUMNS]
    return RowTable(
        names=tuple(shown(name, 40) or "(no name)" for name in kept),
        rows=tuple(_row(row, kept) for row in chosen),
        hidden=len(names) - len(kept),
    )


def _row(row: SpeakingRow, names: list[str]) -> Row:
    number = "" if row.row is None else numbers.count(row.row)
    score = f"{row.score:+.2f}".replace("-", "−")
    return Row(row.table.upper(), number, score, tuple(_cell(row.values.get(name)) for name in names))


def _cell(value: Value) -> tuple[str, str]:
    if value is None:
        return "none", "missing"
    if isinstance(value, bool):
        return "", "true" if value else "false"
    if isinstance(value, int):
        return "n", str(value) if abs(value) < 10**15 else f"{value:.6g}"
    if isinstance(value, float):
        return "n", f"{value:.6g}"
    text = shown(value, CELL) or "(empty text)"
    return "t" if len(text) > 24 else "", text


def _method(result: Comparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    facts = [
        ("Rows read", [f"A {numbers.count(result.a.rows)}, B {numbers.count(result.b.rows)}"]),
        ("Sample for the joint test", [f"A {result.a.tested}, B {result.b.tested}"]),
        ("Seed", [str(result.seed)]),
        ("Level", [f"{result.level:g}"]),
        ("Margin", [f"effect size {result.margin:.3g} for a column, {result.joint_margin:.3g} for all together"]),
        *_joint_method(result.joint),
        ("Columns", _ways(result.columns)),
        ("q", ["the p-value adjusted by Benjamini and Hochberg, among columns and missing shares"]),
        ("Versions", [", ".join(f"{name} {version}" for name, version in result.versions)]),
    ]
    return tuple((label, tuple(shown(text, LONG) for text in texts)) for label, texts in facts if texts)


def _joint_method(joint: TestResult | None) -> list[tuple[str, list[str]]]:
    if joint is None:
        return [("Joint test", ["not made"])]
    engine = f"{joint.engine!r}{': ' if joint.reason else ''}{joint.reason}"
    return [
        ("Joint test", [f"{joint.test}: {joint.symbol} = {joint.statistic:.4g}, threshold {joint.threshold:.4g}"]),
        ("Kernel and bandwidth", [repr(joint.kernel)] if joint.kernel is not None else []),
        ("Null distribution", [repr(joint.null)]),
        ("Engine", [engine] if joint.engine is not None else []),
    ]


def _ways(columns: tuple[ColumnComparison, ...]) -> list[str]:
    ways: dict[str, list[str]] = {}
    for column in columns:
        ways.setdefault(column.method, []).append(shown(column.name, 40) or "(no name)")
    lines = []
    for way, names in list(ways.items())[:MOST_WAYS]:
        lines.append(f"{few(names, 4)}: {shown(way, 200)}")
    return [*lines, "and so on, as it says below each figure"] if len(ways) > MOST_WAYS else lines


def _without(headline: str, word: str) -> str:
    rest = headline.removeprefix(word).lstrip(":,.–- ")
    return rest[:1].upper() + rest[1:] if headline.startswith(word) else headline


def _percent(value: float, top: float) -> float:
    return round(min(100.0, 100 * value / top), 1)


def comparison_inline(result: Comparison) -> str:
    """The comparison as a piece of HTML that needs no style sheet and no script.

    Text has the colour of whatever is around it, so that it is read in light and in dark; the whole page is in a frame
    that may ask for nothing.
    """
    page = comparison_page(result)
    whole = render("comparison.html", page)
    lines = [line for line in page.lines if not (line.missing and line.sign.colour == "same")]
    return render(
        "inline.html",
        page,
        lines=lines[:INLINE_LINES],
        left=len(lines) - len(lines[:INLINE_LINES]),
        whole=as_attribute(whole) if len(whole.encode()) <= INLINE_BYTES else "",
    )
