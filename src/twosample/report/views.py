"""What the templates read: plain text and geometry, nothing left to decide."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.parts import Finding, TableFacts
from .figures import EffectBar, NumberFigure, ShareFigure
from .signs import Sign
from .ticks import Tick


@dataclass(frozen=True)
class Line:
    """A column, or a share of missing values, as a line of the table of columns.

    Parameters
    ----------
    name
        What is compared.
    anchor
        The name of its figure on the page; None without one.
    kind
        The kind of the column; of missing values, their shares.
    sign
        The verdict.
    bar, effect, interval
        The effect size with its interval, as a picture and as text.
    pvalue, adjusted, fdr
        The p-values as text.
    missing
        Whether it is about missing values.
    by_missing
        Whether a column is different by its missing values alone.
    where
        Where the tables differ most, in words; empty if they do not.
    figure
        What its small picture shows; None without one.
    order, keys
        What lines are sorted by: their place, effect and adjusted p-value.
    """

    name: str
    anchor: str | None
    kind: str
    sign: Sign
    bar: EffectBar
    effect: str
    interval: str
    pvalue: str
    adjusted: str
    fdr: str
    missing: bool = False
    by_missing: bool = False
    where: str = ""
    figure: NumberFigure | ShareFigure | None = None
    order: int = 0
    keys: tuple[str, str] = ("0", "1")


@dataclass(frozen=True)
class Card:
    """A column with its figure.

    Parameters
    ----------
    line
        Its line in the table.
    figure
        The two distributions.
    rows
        How many rows have a value.
    where
        Where the tables differ most, in words.
    missing
        The line about missing values, if there is one.
    method
        How the column was compared.
    facts
        The numbers that people know, in groups: what, in A, in B.
    distance
        The Wasserstein distance in the unit of the column; empty if there is none.
    open
        Whether it is unfolded at first.
    """

    line: Line
    figure: NumberFigure | ShareFigure | None
    rows: str
    where: tuple[str, ...]
    missing: Line | None
    method: str
    facts: tuple[tuple[tuple[str, str, str], ...], ...] = ()
    distance: str = ""
    open: bool = True


@dataclass(frozen=True)
class Row:
    """A row that speaks.

    Parameters
    ----------
    table
        A or B.
    number
        Its number in the table; empty if it is not known.
    score
        The joint witness there.
    cells
        What is in it, with the class of the cell: "n" for numbers, "t" for longer texts, "none" for missing values.
    """

    table: str
    number: str
    score: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RowTable:
    """The rows that speak most.

    Parameters
    ----------
    names
        Columns that are shown, of those that contribute most.
    rows
        The rows: first those of A, then those of B.
    hidden
        How many columns are not shown.
    """

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    hidden: int


@dataclass(frozen=True)
class ComparisonPage:
    """All that the template reads.

    Parameters
    ----------
    title, sign, lead, meaning
        The verdict: in the window's title, as a sign, in words, and what it means.
    most
        The largest differences, as columns and where they differ.
    tally
        How many columns have which verdict.
    a, b
        The tables.
    joint
        The joint test as a line; None if there was none.
    joint_margin
        Where its margin lies on the common scale, per cent.
    lines, lines_left
        The columns, and how many are not shown.
    cards, cards_left
        The figures, and how many columns have none.
    scale, margin
        Ticks of the common scale of effect sizes, and where the margin lies on it.
    findings, findings_left
        What else was found, by kind.
    pairs
        Findings about two columns that have a picture.
    rows
        Rows that speak most; None if there are none.
    method
        How it was done, label by label.
    notes
        What the user should know.
    citation, version
        What to cite, and who wrote the page.
    level, margin_text
        The level and the margin of a column, as text.
    """

    title: str
    sign: Sign
    lead: str
    meaning: str
    most: tuple[tuple[str, str], ...]
    tally: tuple[tuple[Sign, int], ...]
    a: TableFacts
    b: TableFacts
    joint: Line | None
    joint_margin: float
    lines: tuple[Line, ...]
    lines_left: int
    cards: tuple[Card, ...]
    cards_left: int
    scale: tuple[Tick, ...]
    margin: float
    findings: tuple[tuple[str, tuple[Finding, ...]], ...]
    findings_left: int
    pairs: tuple[Finding, ...]
    rows: RowTable | None
    method: tuple[tuple[str, tuple[str, ...]], ...]
    notes: tuple[str, ...]
    citation: str
    version: str
    level: str
    margin_text: str
