"""What a comparison of two tables is: frozen, complete. Reports and the command line only read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._forks import check_threads
from .._reported import Reported
from ..embedding.judge import JOINT
from ..errors import OptionError, whole_number
from ..planning import EffectSize
from ..results import PAPER, TestResult
from .checking import Violation
from .parts import ColumnComparison, Finding, SpeakingRow, TableFacts, Verdict
from .schema import Schema

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Comparison(Reported):
    """Two tables compared: the verdict, and all that it rests on. Made by :func:`compare`.

    Parameters
    ----------
    verdict
        "different" (something is significant, and not surely smaller than its margin), "small difference" (what is
        significant is surely smaller), "no difference found" (nothing is significant, but with so few rows an effect
        beyond its margin could hide), or "same" (every effect is surely smaller than its margin).
    headline
        The verdict in one sentence.
    joint
        The test of all usable columns together, on a random sample of each table; it has a third of the level. None
        if a table has one row.
    joint_effect
        Its effect size with an interval at level 1 - 2 `level`; None with fewer than 4 rows in a table.
    joint_verdict
        What the joint test says by itself, by the same rule as for a column.
    columns
        All columns that were compared, those that contribute most first.
    findings
        Schema differences, columns left out, differences too small to matter.
    a, b
        The two tables.
    level
        The chance of calling tables different that are not; and of calling them same when they differ by the margin.
    margin
        The effect size of a column that still counts as small; ``columns[i].margin`` where columns have their own.
    joint_margin
        The same for the joint test, whose effect is the largest over its views.
    seed
        Seed of samples and permutations.
    speaking
        Rows of either table that speak most for the difference, by the joint witness; see :meth:`rows`.
    versions
        Versions of what computed it, by name.
    notes
        How it was done, and what the user should know.
    citation
        The paper behind it.
    read
        The real paths of the files that were compared, which no report may replace.
    schema
        Columns that were lost, added, changed or renamed; lost and changed ones make the tables different.
    violations
        Rules of the contract that the second table breaks; each makes the tables different.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(3)
    >>> a = {"age": rng.normal(40, 9, 4000), "city": rng.choice(["Oslo", "Rome"], 4000)}
    >>> b = {"age": rng.normal(46, 9, 4000), "city": rng.choice(["Oslo", "Rome"], 4000)}
    >>> c = ts.compare(a, b)
    >>> print(c.headline)
    Different: 1 of 2 columns; most: age.
    >>> [(column.name, column.verdict) for column in c.columns]
    [('age', 'different'), ('city', 'same')]
    """

    verdict: Verdict
    headline: str
    joint: TestResult | None = field(repr=False)
    joint_effect: EffectSize | None = field(repr=False)
    joint_verdict: Verdict
    columns: tuple[ColumnComparison, ...] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)
    a: TableFacts
    b: TableFacts
    level: float
    margin: float
    joint_margin: float
    seed: int
    speaking: tuple[SpeakingRow, ...] = field(repr=False)
    versions: tuple[tuple[str, str], ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    citation: str = field(default=PAPER, repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)
    schema: Schema = field(default=Schema(), repr=False)
    violations: tuple[Violation, ...] = field(default=(), repr=False)

    def __getitem__(self, name: str) -> ColumnComparison:
        for column in self.columns:
            if column.name == name:
                return column
        raise OptionError(f"No column {name!r} was compared. Compared were {[c.name for c in self.columns][:20]}.")

    @property
    def pvalue(self) -> float:
        """Of the tables as a whole: the smallest level at which anything in their values is significant.

        The smallest adjusted p-value of a column or a missing share, or that of the joint test over its third of the
        level. The schema and contracts have no part in it.
        """
        found = [column.adjusted_pvalue for column in self.columns]
        found += [column.missing.adjusted_pvalue for column in self.columns if column.missing is not None]
        found += [] if self.joint is None else [self.joint.pvalue / JOINT]
        return min(1.0, *found)

    def rows(self, n: int = 20) -> tuple[SpeakingRow, ...]:
        """The rows of either table that speak most for the difference, n at most, strongest first.

        Parameters
        ----------
        n
            How many; the result keeps 100 of each table.
        """
        return self.speaking[: whole_number("n", n, least=0)]

    def summary(self) -> str:
        """The comparison as text for a terminal: headline, tables, joint test, columns, findings."""
        from .words import summary

        return summary(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the effect sizes of the columns with their intervals against the margin; at most 30 columns.

        Parameters
        ----------
        ax
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn; ``c["price"].plot()`` draws a single column.
        """
        from .._column_figures import draw_effects

        effects = [(part.name, part.effect, part.effect_low, part.effect_high, part.verdict) for part in self.columns]
        if self.joint_effect is not None:
            joint = self.joint_effect
            effects.insert(0, ("all columns together", joint.value, joint.low, joint.high, self.joint_verdict))
        return draw_effects(effects[:30], self.margin, self.headline, ax)

    def plot_pair(self, pair: int = 0, ax: Axes | None = None) -> Axes:
        """Draw two columns that go otherwise with each other: shares of rows in the cells of a grid, in both tables.

        Parameters
        ----------
        pair
            Which of the findings that have a picture, from 0: those of what all columns show together.
        ax
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn.
        """
        from .._column_figures import draw_pair

        place = whole_number("pair", pair, least=0)
        found = [part.picture for part in self.findings if part.picture is not None]
        if place >= len(found):
            known = f"{len(found)} pair{'' if len(found) == 1 else 's'} of columns that go otherwise with each other"
            raise OptionError(f"pair={place}: the comparison found {known}, counted from 0.")
        drawn = found[place]
        return draw_pair(drawn.columns, drawn.pieces, (np.array(drawn.shares_a), np.array(drawn.shares_b)), ax)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values that JSON can hold, with ``"schema": 2``."""
        from .words import as_dict

        return as_dict(self)

    def to_frame(self) -> pl.DataFrame:
        """The columns as a polars frame, one row for each, in their order here."""
        from .words import as_frame

        check_threads()
        return as_frame(self)

    def _repr_html_(self) -> str:
        from importlib import import_module

        return str(import_module("twosample.report.comparison").comparison_inline(self))
