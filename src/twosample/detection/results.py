"""What :func:`twosample.outliers` finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from .._numbers import counted, pvalue
from .._reported import Printed
from .._shown import shown
from ..core.types import Floats
from ..kernels import Kernel

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

_MOST = 10  # rows of a summary
_CELL = 20  # characters of a value


@dataclass(frozen=True)
class Outlier:
    """A row that does not come from where the reference comes from.

    Parameters
    ----------
    row
        Its number in the new table, from 0.
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


@dataclass(frozen=True, eq=False)
class Outliers(Printed):
    """The rows of a table that do not come from where a reference table comes from. Made by :func:`outliers`.

    Parameters
    ----------
    rows
        The outliers, the most unusual first.
    scores, pvalues
        ``(n,)`` of every row of the new table, as for :class:`Outlier`.
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
    notes
        What the user should know.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> found = ts.outliers(rng.normal(size=(500, 2)), [[0.0, 0.0], [9.0, 0.0]])
    >>> [one.row for one in found.rows], found.rows[0].columns
    ([1], ('c0',))
    """

    rows: tuple[Outlier, ...] = field(repr=False)
    scores: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    threshold: float
    level: float
    columns: tuple[str, ...]
    reference: str
    new: str
    reference_rows: int
    learnt: int
    kernel: Kernel
    notes: tuple[str, ...] = ()

    @property
    def flagged(self) -> NDArray[np.bool_]:
        """``(n,)`` whether each row of the new table is an outlier."""
        return self.scores < self.threshold

    @property
    def verdict(self) -> Literal["same", "different", "undecided"]:
        """'different' if there are outliers, 'same' if not; 'undecided' if the reference has too few rows for any."""
        if self.threshold <= 0:  # all scores are above
            return "undecided"
        return "different" if self.rows else "same"

    def summary(self) -> str:
        """The result as text for a terminal: how many outliers, and the ten most unusual of them."""
        total = len(self.scores)
        lines = [
            f"{len(self.rows):,} of {counted(total, 'row')} of {shown(self.new)} are outliers; "
            f"at most {self.level * total:.3g} would be by chance"
        ]
        lines += [
            f"  row {one.row:,}: p = {pvalue(one.pvalue)}{self._odd(one)}  {self._cells(one)}"
            for one in self.rows[:_MOST]
        ]
        if len(self.rows) > _MOST:
            lines.append(f"  and {len(self.rows) - _MOST:,} more")
        lines.append(f"  reference  {shown(self.reference)}: {self.reference_rows:,} rows, {self.learnt:,} learnt")
        return "\n".join([*lines, *(f"  note  {shown(note)}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """The outliers as plain values that JSON can hold, with ``"schema": 1``; dates and the like are text."""
        return {
            "schema": 1,
            "reference": {"source": self.reference, "rows": self.learnt, "rows_of_table": self.reference_rows},
            "new": {"source": self.new, "rows": len(self.scores)},
            "columns": list(self.columns),
            "level": self.level,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "outliers": [
                {
                    "row": one.row,
                    "score": one.score,
                    "pvalue": one.pvalue,
                    "columns": list(one.columns),
                    "values": {name: _plain(value) for name, value in one.values.items()},
                }
                for one in self.rows
            ],
        }

    def to_frame(self) -> pl.DataFrame:
        """Every row of the new table as a row of a polars frame: number, score, p-value, and which columns are odd."""
        import polars as pl

        columns: list[list[str]] = [[] for _ in self.scores]
        for one in self.rows:
            columns[one.row] = list(one.columns)
        return pl.DataFrame(
            {
                "row": range(len(self.scores)),
                "score": self.scores,
                "pvalue": self.pvalues,
                "outlier": self.flagged,
                "columns": pl.Series(columns, dtype=pl.List(pl.String)),
            }
        )

    def _odd(self, one: Outlier) -> str:
        return f" ({', '.join(shown(name, _CELL) for name in one.columns[:5])})" if one.columns else ""

    def _cells(self, one: Outlier) -> str:
        names = [*one.columns, *(name for name in self.columns if name not in one.columns)]
        return " ".join(f"{shown(name, _CELL)}={shown(cell(one.values[name]), _CELL)}" for name in names[:6])


def cell(value: Any) -> str:
    """A value of a row as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    """A value that JSON can hold."""
    if value is None or isinstance(value, bool | int | str):
        return value
    return value if isinstance(value, float) and isfinite(value) else str(value)
