"""A matching of columns as the page shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..core.types import Floats
from ..matching.results import Matching, Pair, Unmatched
from ..matching.showing import drift, headline, strangers, units
from .figures import NumberFigure, ShareFigure, draw
from .page import Page, named, noted
from .signs import Sign

if TYPE_CHECKING:
    from ..matching.database_results import DatabaseMatching

MOST_PAIRS = 500
MOST_FIGURES = 30
MOST_ALONE = 200
MOST_CELLS = 30  # rows and columns of the heat map
NAME, LONG = 80, 600  # characters

_ALL = Sign("same", "All matched", "All matched", "✓")
_SOME = Sign("undecided", "Partly matched", "Partly matched", "◐")
_STRANGERS = Sign("undecided", "Perhaps unrelated", "Perhaps unrelated", "?")
_NONE = Sign("different", "Nothing matches", "Nothing matches", "≠")


@dataclass(frozen=True)
class PairLine:
    """A pair in the table of pairs, with its figure if it has one."""

    source: str  # what is matched
    target: str
    kind: str
    anchor: str | None  # the name of its figure on the page; None without one
    confidence: str  # numbers and words as text
    drifted: str
    mmd: str
    pvalue: str
    adjusted: str
    gap: str
    map: str  # how the source turns into the target; empty if it needs no change
    evidence: str  # why, in words
    figure: NumberFigure | ShareFigure | None  # the two distributions


@dataclass(frozen=True)
class HeatMap:
    """The distances of all columns of one side to all of the other."""

    targets: tuple[str, ...]  # names above
    rows: tuple[tuple[str, tuple[tuple[str, float, bool], ...]], ...]
    """The name on the left, and for each target the text, the darkness between 0 and 1 and whether it is the
    partner."""
    left_out: bool  # whether there are more columns than these


@dataclass(frozen=True, kw_only=True)
class MatchingPage(Page):
    """All that the template reads."""

    sides: tuple[tuple[str, int, int], ...]  # name, rows and columns of the two tables
    pairs: tuple[PairLine, ...]  # the pairs, and how many are not shown
    pairs_left: int
    cards: tuple[PairLine, ...]  # those with a figure, and how many have none
    cards_left: int
    alone: tuple[tuple[str, tuple[Unmatched, ...]], ...]  # who has no partner: heading and columns, for each side
    heat: HeatMap | None  # the heat map; None without columns


def matching_page(result: Matching) -> MatchingPage:
    """The page of a matching."""
    sign = matching_sign(bool(result.pairs), result.matched, strangers(result))
    first, second = (shown(name, 60) for name in result.names)
    pairs = tuple(_line(result, pair, index) for index, pair in enumerate(result.pairs[:MOST_PAIRS], 1))
    cards = tuple(line for line in pairs if line.anchor is not None)
    alone = (("A", result.unmatched_source), ("B", result.unmatched_target))
    return MatchingPage(
        title=f"{sign.word}: {first} and {second}",
        sign=sign,
        lead=headline(result).removeprefix("All matched: ").capitalize(),
        sides=tuple(zip(result.names, result.rows, map(len, (result.sources, result.targets)), strict=True)),
        pairs=pairs,
        pairs_left=len(result.pairs) - len(pairs),
        cards=cards,
        cards_left=len(result.pairs) - len(cards),
        alone=tuple((f"Columns of {side}", who[:MOST_ALONE]) for side, who in alone if who),
        heat=_heat(result),
        method=_method(result),
        notes=noted(result.notes),
        citation=result.citation,
    )


def matching_sign(pairs: bool, matched: bool, unrelated: bool = False) -> Sign:
    """The outcome: whether there are pairs, whether all have partners, whether the tables look unrelated."""
    return _NONE if not pairs else _STRANGERS if unrelated else _ALL if matched else _SOME


def _line(result: Matching, pair: Pair, index: int) -> PairLine:
    known = isfinite(pair.mmd)
    figure = draw(pair.source, result.picture(pair)) if known and index <= MOST_FIGURES else None
    return PairLine(
        source=named(pair.source, NAME),
        target=named(pair.target, NAME),
        kind=pair.kind,
        anchor=f"pair-{index}" if figure is not None else None,
        confidence=f"{pair.confidence:.2f}",
        drifted=drift(pair),
        mmd=numbers.effect(pair.mmd) if known else "–",
        pvalue=numbers.page_pvalue(pair.pvalue) if known else "–",
        adjusted=numbers.page_pvalue(pair.adjusted_pvalue) if known else "–",
        gap=f"{pair.gap:.3f}".replace("-", "−") if isfinite(pair.gap) else "no other" if known else "–",
        map=units(pair.map, "A", "B") if pair.map else "",
        evidence=shown(pair.evidence, 300),
        figure=figure,
    )


def _heat(result: Matching) -> HeatMap | None:
    if not result.sources or not result.targets:
        return None
    part = result.mmd[:MOST_CELLS, :MOST_CELLS]
    largest = float(np.max(part, initial=0.0, where=np.isfinite(part)))
    return heat_map(result, part, lambda distance: 1 - distance / largest if largest > 0 else 0.0)


def heat_map(result: Matching | DatabaseMatching, values: Floats, darkness: Callable[[float], float]) -> HeatMap:
    """A value for each two of the first columns or tables of both sides, the darker the nearer; NaN: not comparable."""
    partners = {(pair.source, pair.target) for pair in result.pairs}
    sources, targets = result.sources[:MOST_CELLS], result.targets[:MOST_CELLS]

    def cell(source: str, target: str, value: float) -> tuple[str, float, bool]:
        known = isfinite(value)
        text, dark = (f"{value:.2f}".removeprefix("0"), round(darkness(value), 2)) if known else ("·", 0.0)
        return text, dark, (source, target) in partners

    rows = tuple(
        (named(source, 30), tuple(cell(source, *part) for part in zip(targets, row, strict=False)))
        for source, row in zip(sources, values.tolist(), strict=False)
    )
    more = max(len(result.sources), len(result.targets)) > MOST_CELLS
    return HeatMap(tuple(named(target, 30) for target in targets), rows, more)


def _method(result: Matching) -> tuple[tuple[str, str], ...]:
    return (
        ("Distance of the tables", f"{numbers.value(result.distance)}: the least sum of MMDs over all ways to match"),
        (
            "The tables belong together",
            f"{numbers.percent(result.related)} likely" if result.related >= 0 else "unknown",
        ),
        ("Rows looked at", f"A {numbers.count(result.rows[0])}, B {numbers.count(result.rows[1])}"),
        ("Level", "0.05; tests part no pairs" if result.level is None else f"{result.level:g}; tests part pairs"),
        ("Seed", str(result.seed)),
        ("Adjusted p-values", "Holm over the pairs that were tested"),
        ("Version", f"twosample {__version__}"),
    )
