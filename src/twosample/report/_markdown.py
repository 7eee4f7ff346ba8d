"""A summary for a pull request, in the Markdown of GitHub and GitLab."""

from __future__ import annotations

import re

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..tables.known import distance_text, floors, joint_floor, known_numbers
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
        _numbers(result),
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
    lines = ["| column | verdict | effect size | adjusted p | where most |", "|---|---|---|---|---|"]
    if result.joint is not None:
        effect, p = result.joint_effect, numbers.page_pvalue(result.joint.pvalue, joint_floor(result))
        size = f"{numbers.effect(effect.value)} ({numbers.interval(effect.low, effect.high)})" if effect else "–"
        lines.append(verdict_line("*all together*", result.joint_verdict, size, p, ""))
    for column in result.columns[:MOST_COLUMNS]:
        places = [place for place in column.where if place.what != "missing"]  # those have a line of their own
        differs = column.values_verdict in ("different", "small difference")
        where = plain(places[0].text, 160) if places and differs else ""
        least = floors(column, result)[1]
        lines.append(_tested(code(column.name), column, column.values_verdict, where, least))
        if column.missing is not None:
            first, second = numbers.shares(column.missing.share_a, column.missing.share_b)
            gone = f"in {first} of A and in {second} of B"
            name = f"{code(column.name)}, missing values"
            lines.append(_tested(name, column.missing, column.missing.verdict, gone))
    left = len(result.columns) - MOST_COLUMNS
    more = f"\n\nand {numbers.counted(left, 'more column')}" if left > 0 else ""
    return "\n".join(lines) + more


def _numbers(result: Comparison) -> str:
    """The numbers that people know of the columns that differ, folded."""
    found = [
        column for column in result.columns if column.verdict in ("different", "small difference") and column.a.rows
    ]
    heads = ("mean", "sd", "min", "1 %", "5 %", "25 %", "median", "75 %", "95 %", "99 %", "max")
    lines = [
        f"| column | | rows | missing | {' | '.join(heads)} | distinct | distance |",
        f"|---|---|{'---|' * (len(heads) + 4)}",
    ]
    for column in found[:MOST_COLUMNS]:
        known = {what: (a, b) for what, a, b in known_numbers(column)}
        for side, letter in enumerate("AB"):
            own = [known.get(what, ("", ""))[side] for what in ("rows", "missing", *heads, "distinct")]
            distance = distance_text(column) if side == 0 else ""
            lines.append(f"| {code(column.name) if side == 0 else ''} | {letter} | {' | '.join([*own, distance])} |")
    if not found:
        return ""
    summary = "<summary>Both tables in numbers; the distance is Wasserstein's, in the unit of the column</summary>"
    return f"<details>{summary}\n\n" + "\n".join(lines) + "\n\n</details>"


def _tested(
    name: str, tested: ColumnComparison | MissingComparison, verdict: Verdict, where: str, least: float = 0.0
) -> str:
    size = f"{numbers.effect(tested.effect)} ({numbers.interval(tested.effect_low, tested.effect_high)})"
    return verdict_line(name, verdict, size, numbers.page_pvalue(tested.adjusted_pvalue, least), where)


def verdict_line(name: str, verdict: Verdict, *cells: str) -> str:
    """A line of a table: a name, a verdict, and what belongs to it."""
    sign = SIGNS[verdict]
    return "| " + " | ".join([name, f"{sign.symbol} {sign.short.lower()}", *cells]) + " |"


def _findings(result: Comparison) -> str:
    lines = []
    for finding in result.findings[:MOST_FINDINGS]:
        name = f" {code(finding.column)}" if finding.column is not None else ""
        lines.append(f"- {finding.what}{name}: {plain(finding.detail, 200)}")
    left = len(result.findings) - MOST_FINDINGS
    return "\n".join(lines + ([f"- and {numbers.counted(left, 'more finding')}"] if left > 0 else []))
