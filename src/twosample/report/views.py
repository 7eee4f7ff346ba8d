"""What the templates read: plain text and geometry, nothing left to decide."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.parts import Finding, TableFacts
from .figures import EffectBar, NumberFigure, ShareFigure
from .page import Page
from .signs import Sign
from .ticks import Tick


@dataclass(frozen=True)
class ColumnLine:
    """A column, or a share of missing values, as a line of the table of columns."""

    name: str  # what is compared
    anchor: str | None  # the name of its figure on the page; None without one
    kind: str  # the kind of the column; of missing values, their shares
    sign: Sign  # the verdict
    bar: EffectBar  # the effect size with its interval, as a picture and as text
    effect: str
    interval: str
    pvalue: str  # the p-values as text
    adjusted: str
    fdr: str
    missing: bool = False  # whether it is about missing values
    by_missing: bool = False  # whether a column is different by its missing values alone
    where: str = ""  # where the tables differ most, in words; empty if they do not
    figure: NumberFigure | ShareFigure | None = None  # what its small picture shows; None without one
    order: int = 0  # what lines are sorted by: their place, effect and adjusted p-value
    keys: tuple[str, str] = ("0", "1")


@dataclass(frozen=True)
class Card:
    """A column with its figure."""

    line: ColumnLine  # its line in the table
    figure: NumberFigure | ShareFigure | None  # the two distributions
    rows: str  # how many rows have a value
    where: tuple[str, ...]  # where the tables differ most, in words
    missing: ColumnLine | None  # the line about missing values, if there is one
    method: str  # how the column was compared
    facts: tuple[tuple[tuple[str, str, str], ...], ...] = ()
    """The numbers that people know, in groups: what, in A, in B."""
    distance: str = ""  # the Wasserstein distance in the unit of the column; empty if there is none
    open: bool = True  # whether it is unfolded at first


@dataclass(frozen=True)
class Row:
    """A row that speaks."""

    table: str  # A or B
    number: str  # its number in the table; empty if it is not known
    score: str  # the joint witness there
    cells: tuple[tuple[str, str], ...]
    """What is in it, with the class of the cell: "n" for numbers, "t" for longer texts, "none" for missing values."""


@dataclass(frozen=True)
class RowTable:
    """The rows that speak most."""

    names: tuple[str, ...]  # columns that are shown, of those that contribute most
    rows: tuple[Row, ...]  # the rows: first those of A, then those of B
    hidden: int  # how many columns are not shown


@dataclass(frozen=True, kw_only=True)
class ComparisonPage(Page):
    """All that the template reads."""

    meaning: str
    most: tuple[tuple[str, str], ...]  # the largest differences, as columns and where they differ
    tally: tuple[tuple[Sign, int], ...]  # how many columns have which verdict
    a: TableFacts  # the tables
    b: TableFacts
    joint: ColumnLine | None  # the joint test as a line; None if there was none
    joint_margin: float  # where its margin lies on the common scale, per cent
    lines: tuple[ColumnLine, ...]  # the columns, and how many are not shown
    lines_left: int
    cards: tuple[Card, ...]  # the figures, and how many columns have none
    cards_left: int
    scale: tuple[Tick, ...]  # ticks of the common scale of effect sizes, and where the margin lies on it
    margin: float
    findings: tuple[tuple[str, tuple[Finding, ...]], ...]  # what else was found, by kind
    findings_left: int
    pairs: tuple[Finding, ...]  # findings about two columns that have a picture
    rows: RowTable | None  # rows that speak most; None if there are none
    level: str  # the level and the margin of a column, as text
    margin_text: str
