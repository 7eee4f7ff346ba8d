"""What :func:`twosample.outliers` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from .._numbers import counted, is_p, pvalue
from .._reported import Reported, Tabled, plain
from .._shown import shown
from ..core.types import Floats
from ..kernels import Kernel

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_MOST = 10  # rows of a summary


@dataclass(frozen=True)
class Outlier(Tabled):
    """A row that does not come from where the reference comes from.

    Parameters
    ----------
    row
        Its number in the new table: 0 is the first row of data, a header is not counted, and rows that `where` leaves
        out are. In tables of databases, its number in the answer.
    score
        How unusual it is, the lower the more: its p-value, less up to 1/(n+1) by its distance, so that few rows tie.
    pvalue
        The share of all rows, reference rows and itself, that are as unusual; at most the level for an outlier.
    columns
        The columns that make it odd, the oddest first: those whose value is an outlier by itself, or else those that
        matter most among those without which the row would be none. Empty if no single column does it, or if it is none
        of the 1000 oddest rows.
    values
        What is in the row, by column.
    together
        Whether its values are usual each, and odd together.
    why
        What is odd about it in words: the values of its odd columns, and what is usual there.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> usual = {"age": np.random.default_rng(0).normal(40, 9, 500), "city": ["Oslo", "Rome"] * 250}
    >>> found = ts.outliers(usual, {"age": [41.0, 99.0], "city": ["Oslo", "Rome"]}).rows[0]
    >>> found.row, found.columns, found.values["age"]
    (1, ('age',), 99.0)
    """

    row: int
    score: float
    pvalue: float
    columns: tuple[str, ...]
    values: Mapping[str, Any] = field(repr=False)
    together: bool = False
    why: str = ""


@dataclass(frozen=True, eq=False)
class Outliers(Reported):
    """The rows of a table that do not come from where a reference table comes from. Made by :func:`outliers`.

    Parameters
    ----------
    rows
        The outliers, the most unusual first.
    pvalue
        Of the test whether there are more outliers than chance explains; 1 if there are none.
    scores, pvalues
        ``(n,)`` of every row of the new table, as for :class:`Outlier`.
    numbers
        ``(n,)`` the number of each of these rows, as for :class:`Outlier`.
    threshold
        Rows with a score below are outliers; 0 if the reference has too few rows for any.
    level
        The share of false alarms, at most.
    columns
        The columns that were looked at.
    reference, new
        What the tables are called.
    reference_rows
        Rows of the reference.
    learnt
        How many of them were learnt from.
    kernel
        The kernel on the coordinates of all columns, with its bandwidth.
    usual
        What the columns hold in the reference, in words: the range of the middle 98 % of numbers and dates, the most
        frequent categories.
    notes
        What the user should know.
    read
        The files that were read, which no report may replace.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> found = ts.outliers(rng.normal(size=(500, 2)), [[0.0, 0.0], [9.0, 0.0]])
    >>> [one.row for one in found.rows], found.rows[0].columns
    ([1], ('c0',))
    """

    rows: tuple[Outlier, ...] = field(repr=False)
    pvalue: float
    scores: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    numbers: NDArray[np.int64] = field(repr=False)
    threshold: float
    level: float
    columns: tuple[str, ...]
    reference: str
    new: str
    reference_rows: int
    learnt: int
    kernel: Kernel
    usual: Mapping[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """``(n,)`` whether each row of the new table is an outlier."""
        return self.scores < self.threshold

    @property
    def more_than_chance(self) -> bool:
        """Whether there are more outliers than chance explains: outliers, and a p-value of at most the level."""
        return bool(self.rows) and self.pvalue <= self.level

    @property
    def verdict(self) -> Literal["same", "different", "undecided"]:
        """'different' if there are more outliers than chance explains, else 'same'; 'undecided' if none could be."""
        if self.threshold <= 0:  # all scores are above
            return "undecided"
        return "different" if self.more_than_chance else "same"

    @property
    def headline(self) -> str:
        """How many outliers there are, and whether that is more than chance explains."""
        total = len(self.scores)
        if self.verdict == "undecided":
            return "too few reference rows to tell"
        found = f"{len(self.rows):,} of {counted(total, 'row')} {'is an outlier' if total == 1 else 'are outliers'}"
        if not self.rows:
            return found
        chance = f"{is_p(pvalue(self.pvalue))}; about {_few(self.level * total)} would be by chance"
        return f"{found}, {'more' if self.more_than_chance else 'no more'} than chance explains ({chance})"

    def summary(self) -> str:
        """The result as text for a terminal: how many outliers, and the ten most unusual of them."""
        lines = [f"{self.new}: {self.headline}"]
        lines += [f"  row {one.row:,}: {is_p(pvalue(one.pvalue))}  {one.why}" for one in self.rows[:_MOST]]
        if len(self.rows) > _MOST:
            lines.append(f"  and {len(self.rows) - _MOST:,} more")
        lines.append(f"  reference  {self.reference}: {self.reference_rows:,} rows, {self.learnt:,} learnt")
        return "\n".join(map(shown, [*lines, *(f"  note  {note}" for note in self.notes)]))

    def to_dict(self) -> dict[str, Any]:
        """The outliers as plain values that JSON can hold, with ``"schema": 2``; dates and the like are text."""
        return {
            "schema": 2,
            "reference": {"source": self.reference, "rows": self.learnt, "rows_of_table": self.reference_rows},
            "new": {"source": self.new, "rows": len(self.scores)},
            **plain(self, "columns", "level", "verdict", "headline", "pvalue", "usual", "notes"),
            "outliers": [
                {
                    **plain(one, "row", "score", "pvalue", "columns", "together", "why"),
                    "values": {name: _plain(value) for name, value in one.values.items()},
                }
                for one in self.rows
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the score of every new row with the threshold and the outliers; returns the matplotlib axes.

        Odd rows are above; the oddest are named, with the columns that make them odd.

        Examples
        --------
        >>> import numpy as np, twosample as ts
        >>> ax = ts.outliers(np.random.default_rng(0).normal(size=500), [0.0, 9.0]).plot()
        >>> ax.texts[0].get_text()
        'row 1: c0'
        """
        from .._row_figures import draw_scores

        reasons = [" and ".join(one.columns) for one in self.rows]
        title = f"{self.headline[0].upper()}{self.headline.partition(' (')[0][1:]}"
        return draw_scores(self.numbers, self.scores, self.threshold, reasons, title, ax)

    def to_frame(self) -> pl.DataFrame:
        """Every row of the new table as a row of a polars frame: number, score, p-value, and which columns are odd."""
        import polars as pl

        odd = {one.row: list(one.columns) for one in self.rows}
        columns = [odd.get(row, []) for row in self.numbers.tolist()]
        return pl.DataFrame(
            {
                "row": self.numbers,
                "score": self.scores,
                "pvalue": self.pvalues,
                "outlier": self.flagged,
                "columns": pl.Series(columns, dtype=pl.List(pl.String)),
            }
        )


def _few(number: float) -> str:
    """A number of rows that is expected: whole from ten on."""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if value is None or isinstance(value, bool | int | str):
        return value
    return value if isinstance(value, float) and isfinite(value) else str(value)
