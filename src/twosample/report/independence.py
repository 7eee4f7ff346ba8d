"""Which columns depend on each other, as the page shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..independence import ColumnPair, IndependenceMatrix, IndependenceResult
from ..independence.results import CITATION
from .page import Page, named, noted
from .signs import Sign

MOST_PAIRS = 300
MOST_CELLS = 30  # rows and columns of the heat map
NAME, LONG = 80, 600  # characters

_DEPENDENT = Sign("different", "Dependent", "Dependent", "≠")
_NOT_FOUND = Sign("open", "No dependence found", "Not found", "?")

Cell = tuple[str, float, bool]  # text, darkness between 0 and 1, and whether the pair depends


@dataclass(frozen=True)
class DependenceLine:
    """A pair in the table of pairs."""

    x: str  # the columns
    y: str
    word: str  # how strong, in a word and in a sentence
    words: str
    adjusted: str  # as text
    pvalue: str
    dependent: bool  # whether they depend on each other


@dataclass(frozen=True, kw_only=True)
class IndependencePage(Page):
    """All that the template reads."""

    facts: tuple[tuple[str, str], ...]  # about the table
    across: tuple[str, ...]  # names above the heat map: what is explained
    down: tuple[tuple[str, tuple[Cell | None, ...]], ...]  # the name on the left, which explains, and its cells
    left_out: bool  # whether there are more columns than these
    lines: tuple[DependenceLine, ...]  # the pairs, and how many are not shown
    left: int


def independence_page(found: IndependenceMatrix | IndependenceResult) -> IndependencePage:
    """The page of what :func:`twosample.independence_matrix` or :func:`twosample.independence_test` returned."""
    if isinstance(found, IndependenceMatrix):
        return _of_matrix(found)
    sign = _DEPENDENT if found.rejected else _NOT_FOUND
    sides = [", ".join(named(name) for name in side) for side in (found.x, found.y)]
    strength = f": {found.strength}" if found.rejected else ""
    shares = {(pair.x, pair.y): pair.of_y for pair in found.explained}
    return IndependencePage(
        title=f"{sign.word}: {sides[0]} and {sides[1]}",
        sign=sign,
        lead=shown(f"{sides[0]} and {sides[1]}{strength}.", LONG),
        facts=_facts(found.source, found.m, found.source_rows, len(found.x) + len(found.y)),
        across=tuple(map(named, found.y[:MOST_CELLS])),
        down=_heat(found.x[:MOST_CELLS], found.y[:MOST_CELLS], shares, ()),
        left_out=max(len(found.x), len(found.y)) > MOST_CELLS,
        lines=(),
        left=0,
        method=(
            ("p-value", numbers.page_pvalue(found.pvalue)),
            (f"Statistic {found.symbol}", numbers.value(found.statistic)),
            ("Level", f"{found.level:g}"),
            ("Null distribution", repr(found.null)),
            ("Kernel of x", repr(found.kernel)),
            ("Kernel of y", repr(found.kernel_y)),
            ("Version", f"twosample {__version__}"),
        ),
        notes=noted((*found.notes, *found.details)),
        citation=found.citation,
    )


def _of_matrix(found: IndependenceMatrix) -> IndependencePage:
    dependent = {frozenset((pair.x, pair.y)) for pair in found.dependent}
    many = numbers.counted(len(found.pairs), "pair")
    sign = _DEPENDENT if dependent else replace(_NOT_FOUND, word=f"{_NOT_FOUND.word} in {many}")
    often = Counter(name for pair in found.dependent for name in (pair.x, pair.y))
    names = found.names
    if len(names) > MOST_CELLS:  # those with the most findings, in their order in the table
        kept = {name for name, _ in often.most_common(MOST_CELLS)}
        names = (*(name for name in names if name in kept), *(name for name in names if name not in kept))[:MOST_CELLS]
    shares = {(pair.x, pair.y): pair.of_y for pair in found.pairs}
    shares |= {(pair.y, pair.x): pair.of_x for pair in found.pairs}
    return IndependencePage(
        title=f"{sign.word}: {shown(found.source, NAME)}",
        sign=sign,
        lead=f"{len(found.dependent):,} of {many} of columns depend on each other.",
        facts=_facts(found.source, found.rows, found.source_rows, len(found.names)),
        across=tuple(map(named, names)),
        down=_heat(names, names, shares, dependent),
        left_out=len(found.names) > MOST_CELLS,
        lines=tuple(_line(pair, found.level) for pair in found.pairs[:MOST_PAIRS]),
        left=max(len(found.pairs) - MOST_PAIRS, 0),
        method=(
            ("Test", "HSIC of every pair of columns; missing is a value of its own"),
            ("Level", f"{found.level:g}, for p-values adjusted by Holm for the number of pairs"),
            ("Null distribution", repr(found.null)),
            ("Version", f"twosample {__version__}"),
        ),
        notes=noted((*found.notes, *found.details)),
        citation=CITATION,
    )


def _facts(source: str, rows: int, of_table: int, columns: int) -> tuple[tuple[str, str], ...]:
    every = of_table or rows
    looked = numbers.count(rows) + (f" of {numbers.count(every)}, drawn at random" if rows < every else "")
    return (
        ("Table", shown(source or "an array", 160)), ("Rows looked at", looked), ("Columns", numbers.count(columns)),
    )  # fmt: skip


def _heat(
    down: Sequence[str],
    across: Sequence[str],
    shares: Mapping[tuple[str, str], float | None],
    dependent: Collection[frozenset[str]],
) -> tuple[tuple[str, tuple[Cell | None, ...]], ...]:
    """Each name on the left with its cells; None on the diagonal."""
    rows = []
    for x in down:
        cells: list[Cell | None] = []
        for y in across:
            share = shares.get((x, y))
            text = "·" if share is None else numbers.percent(share)
            cells.append(None if x == y else (text, round(share or 0.0, 2), frozenset((x, y)) in dependent))
        rows.append((named(x), tuple(cells)))
    return tuple(rows)


def _line(pair: ColumnPair, level: float) -> DependenceLine:
    depends = pair.holm <= level
    return DependenceLine(
        x=named(pair.x),
        y=named(pair.y),
        word=pair.word if depends else "no dependence found",
        words=shown(pair.words, LONG) if depends else "",
        adjusted=numbers.page_pvalue(pair.holm),
        pvalue=numbers.page_pvalue(pair.pvalue),
        dependent=depends,
    )
