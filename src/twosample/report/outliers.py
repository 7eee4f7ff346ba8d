"""Outliers as the page shows them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from ..detection.results import Outlier, Outliers
from ..detection.usual import cell
from .page import Page, named, noted
from .signs import Sign

MOST_ROWS = 200
MOST_COLUMNS = 12  # values of a row that are shown beside what is odd
NAME, CELL, LONG = 80, 60, 600  # characters
BINS = 20

_SIGNS = {
    "different": Sign("different", "More outliers than chance explains", "More", "≠"),
    "same": Sign("same", "No more outliers than chance explains", "No more", "="),
    "undecided": Sign("open", "Too few reference rows to tell", "Too few", "?"),
}


@dataclass(frozen=True)
class OutlierLine:
    """An outlier in the table of rows."""

    row: str  # its number and its p-value, as text
    pvalue: str
    why: str  # what is odd about it
    cells: tuple[tuple[str, bool], ...]  # its values, and whether the column is one of the odd ones


@dataclass(frozen=True, kw_only=True)
class OutliersPage(Page):
    """All that the template reads."""

    meaning: str
    sides: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # what the tables are called, with facts about them
    names: tuple[str, ...]  # columns whose values are shown, the rows, how many rows and how many columns are not shown
    lines: tuple[OutlierLine, ...]
    left: int
    hidden: int
    columns: tuple[tuple[str, str, str], ...]  # columns that make rows odd: name, how many rows, what is usual
    bars: tuple[tuple[float, float], ...]
    chance: float
    """Heights of the histogram of p-values, and where they would be by chance; per cent from the top."""
    words: str  # the same for those who do not see it


def outliers_page(found: Outliers) -> OutliersPage:
    """The page of what :func:`twosample.outliers` returned."""
    sign = _SIGNS[found.verdict]
    odd = Counter(name for one in found.rows for name in one.columns)
    names = [name for name, _ in odd.most_common()]
    names = [*names, *(name for name in found.columns if name not in odd)][:MOST_COLUMNS]
    bars, chance, words = _histogram(found)
    return OutliersPage(
        title=f"{sign.word}: {shown(found.new, NAME)}",
        sign=sign,
        lead=f"{found.headline[0].upper()}{found.headline[1:]}.",
        meaning=_meaning(found),
        sides=(
            (f"Reference: {shown(found.reference, 160)}", (
                ("Rows", numbers.count(found.reference_rows)), ("Rows learnt", numbers.count(found.learnt)),
            )),
            (f"New: {shown(found.new, 160)}", (
                ("Rows", numbers.count(len(found.scores))), ("Outliers", numbers.count(len(found.rows))),
            )),
        ),
        names=tuple(named(name) for name in names),
        lines=tuple(_line(one, names) for one in found.rows[:MOST_ROWS]),
        left=max(len(found.rows) - MOST_ROWS, 0),
        hidden=len(found.columns) - len(names),
        columns=tuple(
            (named(name), numbers.count(count), shown(found.usual.get(name, ""), LONG))
            for name, count in odd.most_common(MOST_ROWS)
        ),
        bars=bars,
        chance=chance,
        words=words,
        method=_method(found),
        notes=noted(found.notes),
        citation=(
            "Gretton, Borgwardt, Rasch, Schölkopf and Smola (2008): A Kernel Method for the Two-Sample Problem, "
            "arXiv:0805.2368, Section 7.5"
        ),
    )  # fmt: skip


def _meaning(found: Outliers) -> str:
    if found.verdict == "undecided":
        return "With so few rows in the reference, no row could be called an outlier."
    share = numbers.share(found.level)
    return f"Of rows that come from where the reference comes from, at most {share} are listed, in the long run."


def _line(one: Outlier, names: list[str]) -> OutlierLine:
    cells = tuple((shown(cell(one.values[name]), CELL), name in one.columns) for name in names)
    return OutlierLine(numbers.count(one.row), numbers.page_pvalue(one.pvalue), shown(one.why, LONG), cells)


def _histogram(found: Outliers) -> tuple[tuple[tuple[float, float], ...], float, str]:
    """Bars as (left end, top) in per cent, where bars would be by chance, and words."""
    counts, _ = np.histogram(found.pvalues, bins=BINS, range=(0.0, 1.0))
    shares = counts / max(int(counts.sum()), 1)
    top = 1.05 * max(float(shares.max()), 2 / BINS)
    bars = tuple((100 * i / BINS, round(100 * (1 - share / top), 2)) for i, share in enumerate(shares.tolist()))
    words = f"{numbers.percent(float(shares[0]))} of the new rows have a p-value of at most {1 / BINS:g}."
    return bars, round(100 * (1 - 1 / BINS / top), 2), words


def _method(found: Outliers) -> tuple[tuple[str, str], ...]:
    return (
        ("Level", f"{found.level:g}"),
        ("p-value of a row", "the share of the reference rows, and itself, that are as far from their mean embedding"),
        ("p-value of all rows", f"{numbers.page_pvalue(found.pvalue)}: rank test of the number of outliers, exact"),
        ("Kernel", repr(found.kernel)),
        ("Columns looked at", numbers.count(len(found.columns))),
        ("Row numbers", "0 is the first row of data; a header is not counted, rows left out by a condition are"),
        ("Version", f"twosample {__version__}"),
    )
