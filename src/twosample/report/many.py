"""Several tables as the page shows them (effects, dendrogram, pairs), in Markdown, and as JUnit XML."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..tables.many_results import ManyComparison, TablePair
from ..tables.many_words import at_once
from ._junit import Cases
from ._markdown import code, plain, verdict_line
from .page import Page, named, noted
from .signs import SIGNS, Sign

MOST_PAIRS = 800
NAME, LONG = 60, 600  # characters
_ROW = 28  # pixels of a table in the dendrogram
MARKDOWN_PAIRS, MARKDOWN_FINDINGS = 50, 10


@dataclass(frozen=True)
class Cell:
    """One pair in the matrix: effect as text, verdict, and darkness between 0 and 1; no sign on the diagonal."""

    text: str
    sign: Sign | None
    dark: float


@dataclass(frozen=True)
class Branch:
    """A line of the dendrogram: from (x1, y1) to (x2, y2), x in percent, y in pixels."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True)
class Dendrogram:
    """Tables that are joined at the effect between them."""

    labels: tuple[tuple[str, float], ...]  # name and height of each table, in pixels
    branches: tuple[Branch, ...]  # the lines
    ticks: tuple[tuple[float, str], ...]  # place in percent and text of some effects
    height: int  # of the picture, in pixels


@dataclass(frozen=True)
class PairRow:
    """A pair in the table of pairs."""

    a: str
    b: str
    sign: Sign
    effect: str
    interval: str
    pvalue: str
    words: str


@dataclass(frozen=True, kw_only=True)
class ManyPage(Page):
    """All that the template reads."""

    names: tuple[str, ...]  # the matrix: names above, and name and cells of each row, in the order of the dendrogram
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    tree: Dendrogram  # the dendrogram
    alike: tuple[str, ...]  # groups of tables that are not different among themselves, in words
    pairs: tuple[PairRow, ...]  # the pairs, largest effect first, and how many are not shown
    pairs_left: int
    findings: tuple[str, ...]  # what else there is, and how it was done


def many_page(result: ManyComparison) -> ManyPage:
    """The page of several tables."""
    sign = SIGNS[result.verdict]
    ranked = sorted(result.pairs, key=lambda pair: -pair.effect)
    words = result.headline.removeprefix(f"{sign.word}: ")
    return ManyPage(
        title=f"{sign.word}: {len(result.names)} tables",
        sign=sign,
        lead=shown(words, LONG),
        names=tuple(named(result.names[i], 30) for i in result.order),
        rows=_rows(result),
        tree=dendrogram(result),
        alike=tuple(", ".join(named(name, 30) for name in group) for group in result.alike),
        pairs=tuple(map(_pair, ranked[:MOST_PAIRS])),
        pairs_left=max(0, len(ranked) - MOST_PAIRS),
        findings=tuple(shown(f"{part.column}: {part.detail}", LONG) for part in result.findings[:200]),
        method=(
            *(
                (named(name, NAME), numbers.counted(rows, "row"))
                for name, rows in zip(result.names, result.rows, strict=True)
            ),
            *(_labelled(line) for line in at_once(result)[1:]),
            ("Level of all pairs", f"{result.level:g}"),
            ("Margin", shown(str(result.margin), LONG)),
            ("Seed", str(result.seed)),
            ("Version", f"twosample {__version__}"),
        ),
        notes=noted(result.notes, None),
        citation=result.citation,
    )


def _labelled(line: str) -> tuple[str, str]:
    label, _, text = line.strip().partition(": ")
    return label, text


def _rows(result: ManyComparison) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    pairs = {names: pair for pair in result.pairs for names in ((pair.a, pair.b), (pair.b, pair.a))}
    largest = max((pair.effect for pair in result.pairs), default=0.0) or 1.0
    rows = []
    for i in result.order:
        cells = []
        for j in result.order:
            pair = pairs.get((result.names[i], result.names[j]))
            if pair is None:
                cells.append(Cell("", None, 0.0))
            else:
                cells.append(Cell(f"{pair.effect:.2f}", SIGNS[pair.verdict], round(pair.effect / largest, 2)))
        rows.append((named(result.names[i], 30), tuple(cells)))
    return tuple(rows)


def _pair(pair: TablePair) -> PairRow:
    return PairRow(
        named(pair.a, NAME),
        named(pair.b, NAME),
        SIGNS[pair.verdict],
        f"{pair.effect:.3f}",
        f"{pair.effect_low:.3f} to {pair.effect_high:.3f}",
        numbers.pvalue(pair.pvalue),
        shown(", ".join(pair.most) or (pair.headline if pair.verdict == "different" else ""), 160),
    )


def dendrogram(result: ManyComparison) -> Dendrogram:
    """Lines from the steps of the clustering; effects from left (0) to right (the largest)."""
    top = max((height for _, _, height, _ in result.tree), default=0.0) or 1.0
    count = len(result.names)
    place = {leaf: (0.0, _ROW * (row + 0.5)) for row, leaf in enumerate(result.order)}
    branches = []
    for step, (a, b, height, _) in enumerate(result.tree):
        at = round(100 * height / top, 2)
        (left, high), (right, low) = place[a], place[b]
        branches += [Branch(left, high, at, high), Branch(right, low, at, low), Branch(at, high, at, low)]
        place[count + step] = (at, round((high + low) / 2, 1))
    labels = tuple((named(result.names[leaf], 30), place[leaf][1] + 4) for leaf in result.order)
    ticks = tuple((100 * share, f"{share * top:.2g}") for share in (0.0, 0.5, 1.0))
    return Dendrogram(labels, tuple(branches), ticks, _ROW * count + 26)


def many_markdown(result: ManyComparison) -> str:
    """Verdict, tables, pairs with the largest effects first, findings, and how to repeat it."""
    tables = ", ".join(
        f"{code(name)} ({numbers.counted(rows, 'row')})" for name, rows in zip(result.names, result.rows, strict=True)
    )
    found = [
        f"- {one.what}{f' {code(one.column)}' if one.column else ''}: {plain(one.detail, 200)}"
        for one in result.findings
    ]
    parts = [
        f"### {SIGNS[result.verdict].symbol} {plain(result.headline, 300)}",
        f"Tables: {tables}.",
        _pairs(result),
        "".join(f"{line.strip()}." for line in at_once(result)[1:]),
        "\n".join(found[:MARKDOWN_FINDINGS]),
        f"<sub>twosample {__version__}, seed {result.seed}, level {result.level:g} for all pairs</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _pairs(result: ManyComparison) -> str:
    lines = ["| pair | verdict | effect size | adjusted p | columns that differ |", "|---|---|---|---|---|"]
    ranked = sorted(result.pairs, key=lambda pair: -pair.effect)
    for pair in ranked[:MARKDOWN_PAIRS]:
        most = ", ".join(code(name) for name in pair.most[:3]) + (" ..." if len(pair.most) > 3 else "")
        name = f"{code(pair.a)} and {code(pair.b)}"
        lines.append(verdict_line(name, pair.verdict, _size(pair), numbers.page_pvalue(pair.pvalue), most))
    left = len(ranked) - MARKDOWN_PAIRS
    return "\n".join(lines) + (f"\n\nand {numbers.counted(left, 'more pair')}" if left > 0 else "")


def many_junit(result: ManyComparison) -> str:
    """A failure for each pair that is different, and for each rule that a table breaks."""
    suite = Cases.of(f"{len(result.names)} tables")
    for pair in result.pairs:
        words = f"effect {_size(pair)}, adjusted p {numbers.page_pvalue(pair.pvalue)}; {shown(pair.headline, 300)}"
        suite.add(f"{shown(pair.a, 200)} against {shown(pair.b, 200)}", "twosample.compare.pair", pair.verdict, words)
    for (_, table), c in result.comparisons.items():
        for broken in c.violations:
            name = f"{shown(table, 200)}: {shown(broken.column, 200)}: {broken.rule}"
            suite.add(name, "twosample.compare.contract", "different", shown(broken.detail, 300))
    said = [f"{one.what}: {shown(one.column or '', 200)}: {shown(one.detail, 300)}" for one in result.findings[:200]]
    head = [shown(result.headline), f"seed {result.seed}, level {result.level:g} for all pairs"]
    return suite.document("twosample compare", "\n".join([*head, *said]))


def _size(pair: TablePair) -> str:
    return f"{numbers.effect(pair.effect)} ({numbers.interval(pair.effect_low, pair.effect_high)})"
