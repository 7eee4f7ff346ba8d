"""Several tables as a summary in Markdown and as JUnit XML: a line, and a case, for each pair."""

from __future__ import annotations

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..tables.many_results import ManyComparison, TablePair
from ._junit import Cases
from ._markdown import code, plain, verdict_line
from .signs import SIGNS

MOST_PAIRS = 50
MOST_FINDINGS = 10


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
        "\n".join(found[:MOST_FINDINGS]),
        f"<sub>twosample {__version__}, seed {result.seed}, level {result.level:g} for all pairs</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _pairs(result: ManyComparison) -> str:
    lines = ["| pair | verdict | effect size | adjusted p | columns that differ |", "|---|---|---|---|---|"]
    ranked = sorted(result.pairs, key=lambda pair: -pair.effect)
    for pair in ranked[:MOST_PAIRS]:
        most = ", ".join(code(name) for name in pair.most[:3]) + (" ..." if len(pair.most) > 3 else "")
        name = f"{code(pair.a)} and {code(pair.b)}"
        lines.append(verdict_line(name, pair.verdict, _size(pair), numbers.page_pvalue(pair.pvalue), most))
    left = len(ranked) - MOST_PAIRS
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
    return suite.document("\n".join([*head, *said]))


def _size(pair: TablePair) -> str:
    return f"{numbers.effect(pair.effect)} ({numbers.interval(pair.effect_low, pair.effect_high)})"
