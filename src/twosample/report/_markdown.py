"""A summary for a pull request, in the Markdown of GitHub and GitLab."""

from __future__ import annotations

import re

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..tables.parts import ColumnComparison, MissingComparison, TableFacts, Verdict
from ..tables.results import Comparison
from .signs import SIGNS

MOST_COLUMNS = 15
MOST_FINDINGS = 10
_LINK = re.compile(r"@|://|www\.|#\d|!\d", re.IGNORECASE)
_PLAIN = re.compile(r"[A-Za-z0-9_ .:/-]*[A-Za-z0-9_.:/-]")


def comparison_markdown(result: Comparison) -> str:
    """Verdict, tables, columns that contribute most, findings, and how to repeat it."""
    sign = SIGNS[result.verdict]
    parts = [
        f"### {sign.symbol} {plain(result.headline, 300)}",
        f"A is {_table(result.a)}; B is {_table(result.b)}.",
        _columns(result),
        _findings(result),
        f"<sub>twosample {__version__}, seed {result.seed}, level {result.level:g}, margin {result.margin:.3g}</sub>",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def code(text: str, limit: int = 60) -> str:
    """Any text as code, which no Markdown, HTML, table, mention or link can break out of."""
    text = shown(text, limit) or "(no name)"
    return f"`{text}`" if _PLAIN.fullmatch(text) and not _LINK.search(text) else f"<code>{_encoded(text)}</code>"


def plain(text: str, limit: int | None = None) -> str:
    """Any text as text: every character that Markdown or HTML could take for its own is written as its number.

    What could become a mention or a link all the same is code, as nothing there is linked.
    """
    text = shown(text, limit)
    return f"<code>{_encoded(text)}</code>" if _LINK.search(text) else _encoded(text, keep=",.:;%()?'-/+=")


def _encoded(text: str, keep: str = "") -> str:
    return re.sub(r"[!-/:-@\[-`{-~]", lambda mark: mark[0] if mark[0] in keep else f"&#{ord(mark[0])};", text)


def _table(table: TableFacts) -> str:
    return f"{code(table.name, 100)} ({numbers.counted(table.rows, 'row')})"


def _columns(result: Comparison) -> str:
    lines = ["| column | verdict | effect size | p | adjusted p |", "|---|---|---|---|---|"]
    if result.joint is not None:
        effect = result.joint_effect
        size = f"{numbers.effect(effect.value)} ({numbers.interval(effect.low, effect.high)})" if effect else "–"
        lines.append(_line("*all together*", result.joint_verdict, size, numbers.page_pvalue(result.joint.pvalue), ""))
    for column in result.columns[:MOST_COLUMNS]:
        lines.append(_tested(code(column.name), column, column.values_verdict))
        if column.missing is not None:
            lines.append(_tested(f"{code(column.name)}, missing values", column.missing, column.missing.verdict))
    left = len(result.columns) - MOST_COLUMNS
    more = f"\n\nand {numbers.counted(left, 'more column')}" if left > 0 else ""
    return "\n".join(lines) + more


def _tested(name: str, tested: ColumnComparison | MissingComparison, verdict: Verdict) -> str:
    size = f"{numbers.effect(tested.effect)} ({numbers.interval(tested.effect_low, tested.effect_high)})"
    return _line(name, verdict, size, numbers.page_pvalue(tested.pvalue), numbers.page_pvalue(tested.adjusted_pvalue))


def _line(name: str, verdict: Verdict, *cells: str) -> str:
    sign = SIGNS[verdict]
    return "| " + " | ".join([name, f"{sign.symbol} {sign.short.lower()}", *cells]) + " |"


def _findings(result: Comparison) -> str:
    lines = []
    for finding in result.findings[:MOST_FINDINGS]:
        name = f" {code(finding.column)}" if finding.column is not None else ""
        lines.append(f"- {finding.what}{name}: {plain(finding.detail, 200)}")
    left = len(result.findings) - MOST_FINDINGS
    return "\n".join(lines + ([f"- and {numbers.counted(left, 'more finding')}"] if left > 0 else []))
