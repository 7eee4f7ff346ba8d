"""A matching of two databases as the page shows it, and in Markdown."""

from __future__ import annotations

from dataclasses import dataclass

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..matching.database_results import DatabaseMatching, MatchedTables
from ..matching.results import Matching, Unmatched
from ..matching.showing import drift, headline
from ._markdown import code, plain
from .matching import MOST_ALONE, HeatMap, heat_map, matching_sign
from .page import Page, noted

MOST_TABLES = 200
MOST_COLUMNS = 300  # of each pair of tables
NAME, LONG = 80, 600  # characters


@dataclass(frozen=True)
class TablesLine:
    """A pair of tables with its columns."""

    source: str  # what is matched, how sure that is, and how many columns have partners
    target: str
    confidence: str
    words: str
    columns: tuple[tuple[str, str, str, str, str], ...]
    """Both names, how sure, whether drifted, and the kind, for each pair of columns."""
    left: int  # how many pairs of columns are not shown
    alone: tuple[tuple[str, str], ...]  # columns without a partner, as text, for A and B


@dataclass(frozen=True, kw_only=True)
class DatabasesPage(Page):
    """All that the template reads."""

    sides: tuple[tuple[str, int], ...]  # name and number of tables of the two databases
    pairs: tuple[TablesLine, ...]  # the pairs of tables, and how many are not shown
    pairs_left: int
    alone: tuple[tuple[str, tuple[Unmatched, ...]], ...]  # tables without a partner: heading and tables, for each side
    heat: HeatMap  # how likely each two tables belong together


def databases_page(result: DatabaseMatching) -> DatabasesPage:
    """The page of a matching of two databases."""
    sign = matching_sign(bool(result.pairs), result.matched)
    first, second = (shown(name, 60) for name in result.names)
    alone = (("A", result.unmatched_source), ("B", result.unmatched_target))
    return DatabasesPage(
        title=f"{sign.word}: {first} and {second}",
        sign=sign,
        lead=result.headline.removeprefix("All matched: ").capitalize(),
        sides=tuple(zip(result.names, map(len, (result.sources, result.targets)), strict=True)),
        pairs=tuple(_line(pair) for pair in result.pairs[:MOST_TABLES]),
        pairs_left=max(len(result.pairs) - MOST_TABLES, 0),
        alone=tuple((f"Tables of {side}", who[:MOST_ALONE]) for side, who in alone if who),
        heat=heat_map(result, result.confidence, float),
        method=(("Seed", str(result.seed)), ("Version", f"twosample {__version__}")),
        notes=noted(result.notes),
        citation=result.citation,
    )


def _line(pair: MatchedTables) -> TablesLine:
    m = pair.columns
    columns = tuple(
        (shown(c.source, NAME), shown(c.target, NAME), f"{c.confidence:.2f}", drift(c), c.kind)
        for c in m.pairs[:MOST_COLUMNS]
    )
    alone = (("A", m.unmatched_source), ("B", m.unmatched_target))
    return TablesLine(
        source=shown(pair.source, NAME),
        target=shown(pair.target, NAME),
        confidence=f"{pair.confidence:.2f}",
        words=pair.words,
        columns=columns,
        left=len(m.pairs) - len(columns),
        alone=tuple((side, ", ".join(shown(one.name, 40) for one in who[:MOST_ALONE])) for side, who in alone if who),
    )


def matching_markdown(result: Matching | DatabaseMatching) -> str:
    """Headline, pairs, and what has no partner."""
    whole = isinstance(result, DatabaseMatching)
    sign = matching_sign(bool(result.pairs), result.matched)
    words = result.headline if isinstance(result, DatabaseMatching) else headline(result)
    parts = [
        f"### {sign.symbol} {plain(words, 300)}",
        f"A is {code(result.names[0], 100)}; B is {code(result.names[1], 100)}.",
    ]
    if isinstance(result, DatabaseMatching):
        tables = [(pair.source, pair.target, f"{pair.confidence:.2f}", pair.words) for pair in result.pairs]
        parts.append(_rows(("table of A", "table of B", "sure", "columns"), tables))
        for pair in result.pairs:
            title = f"<summary>{plain(pair.source, 60)} = {plain(pair.target, 60)}</summary>"
            parts.append("\n\n".join([f"<details>{title}", _columns(pair.columns), *_lost(pair.columns), "</details>"]))
    else:
        parts.append(_columns(result))
    what = "table" if whole else "column"
    for side, alone in (("A", result.unmatched_source), ("B", result.unmatched_target)):
        listed = [f"- {what} of {side} without a partner: {code(one.name)}, {plain(one.reason, 200)}" for one in alone]
        parts.append("\n".join(listed[:MOST_ALONE]))
    parts.append(f"<sub>twosample {__version__}, seed {result.seed}</sub>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _columns(m: Matching) -> str:
    found = [(c.source, c.target, f"{c.confidence:.2f}", drift(c)) for c in m.pairs[:MOST_COLUMNS]]
    left = len(m.pairs) - len(found)
    more = f"\n\nand {numbers.counted(left, 'more pair')}" if left else ""
    return _rows(("A", "B", "sure", "drifted"), found) + more


def _lost(m: Matching) -> list[str]:
    """The columns of a pair of tables that have no partner, a line for each side that has any."""
    sides = (("A", m.unmatched_source), ("B", m.unmatched_target))
    return [
        f"of {side}, without a partner: {', '.join(code(one.name) for one in alone[:MOST_ALONE])}"
        for side, alone in sides
        if alone
    ]


def _rows(heads: tuple[str, ...], rows: list[tuple[str, str, str, str]]) -> str:
    """A table whose first two cells are names."""
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    return "\n".join([*lines, *(f"| {code(a)} | {code(b)} | {sure} | {words} |" for a, b, sure, words in rows)])
