"""What a matching of two databases is: pairs of tables, each with the matching of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .._numbers import counted
from .._reported import Reported, Tabled
from .._shown import shown
from .._version import __version__
from ..core.types import Floats
from ..errors import OptionError
from ..results import PAPER
from .results import Matching, Unmatched

if TYPE_CHECKING:
    import polars as pl

_NAME = 40


@dataclass(frozen=True)
class MatchedTables(Tabled):
    """A table of the first database and its partner in the second.

    Parameters
    ----------
    source, target
        Their names.
    confidence
        How likely they have anything to do with each other, between 0 and 1.
    columns
        Which column is which.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(400, 2)) * [1, 9]
    >>> pair = ts.match_databases({"old": x[:200]}, {"new": x[200:, ::-1]}).pairs[0]
    >>> pair.source, pair.target, pair.columns["c0"].target
    ('old', 'new', 'c1')
    """

    source: str
    target: str
    confidence: float
    columns: Matching

    @property
    def words(self) -> str:
        """How many of their columns have partners."""
        widths = sorted({len(self.columns.sources), len(self.columns.targets)})
        return f"{counted(len(self.columns.pairs), 'pair')} of {' and '.join(map(str, widths))} columns"


@dataclass(frozen=True, eq=False)
class DatabaseMatching(Reported):
    """Which table of one database is which of the other, and which column is which. Made by :func:`match_databases`.

    Parameters
    ----------
    pairs
        The pairs of tables, in the order of the sources.
    unmatched_source, unmatched_target
        Tables without a partner, and why.
    sources, targets
        Names of the tables that were read: the rows and columns of `confidence`.
    confidence
        ``(s, t)`` how likely each two tables belong together, between 0 and 1.
    names
        What the two databases are called.
    notes
        What the user should know.
    seed
        Seed of the samples.
    citation
        The paper behind it.
    read
        The real paths of the files that were matched, which no report may replace.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> def people(n):
    ...     return {"age": rng.normal(40, 9, n), "pay": rng.gamma(2, 900, n), "city": rng.choice(["Oslo", "Rome"], n)}
    >>> m = ts.match_databases({"2023": people(300)}, {"2024": people(400)})
    >>> m.matched, m["2023"]["age"].target
    (True, 'age')
    """

    pairs: tuple[MatchedTables, ...]
    unmatched_source: tuple[Unmatched, ...]
    unmatched_target: tuple[Unmatched, ...]
    sources: tuple[str, ...] = field(repr=False)
    targets: tuple[str, ...] = field(repr=False)
    confidence: Floats = field(repr=False)
    names: tuple[str, str]
    notes: tuple[str, ...] = ()
    seed: int = 0
    citation: str = field(default=PAPER, repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def matched(self) -> bool:
        """Whether every table of either database has a partner, and so has every column in these."""
        alone = self.unmatched_source or self.unmatched_target
        return not alone and all(pair.columns.matched for pair in self.pairs)

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        found = counted(len(self.pairs), "table pair")
        if self.matched:
            return f"All matched: {found}."
        tables = len(self.unmatched_source) + len(self.unmatched_target)
        columns = sum(len(m.unmatched_source) + len(m.unmatched_target) for m in (pair.columns for pair in self.pairs))
        alone = [counted(n, what) for n, what in ((tables, "table"), (columns, "column")) if n]
        return f"{found}; {' and '.join(alone)} without a partner."

    def __getitem__(self, source: str) -> Matching:
        """The columns of a table of the first database and of its partner."""
        for pair in self.pairs:
            if pair.source == source:
                return pair.columns
        known = [pair.source for pair in self.pairs][:20]
        raise OptionError(f"No pair has the source {source!r}. Tables with a partner: {known}.")

    def summary(self) -> str:
        """The matching as text for a terminal: tables with their columns."""
        lines = [self.headline, f"  A: {shown(self.names[0], 80)}; B: {shown(self.names[1], 80)}"]
        for pair in self.pairs:
            lines += ["", f"{shown(pair.source, _NAME)} = {shown(pair.target, _NAME)}, sure {pair.confidence:.2f}"]
            lines += [
                f"  {shown(c.source, _NAME)} = {shown(c.target, _NAME)}, {c.confidence:.2f}" for c in pair.columns.pairs
            ]
            for letter, alone in zip("AB", (pair.columns.unmatched_source, pair.columns.unmatched_target), strict=True):
                if alone:
                    names = ", ".join(shown(one.name, _NAME) for one in alone)
                    lines.append(f"  only in {letter}: {names}")
        for letter, alone in zip("AB", (self.unmatched_source, self.unmatched_target), strict=True):
            if alone:
                lines += ["", f"Tables of {letter} without a partner"]
                lines += [f"  {shown(one.name, _NAME)}: {shown(one.reason, 300)}" for one in alone]
        return "\n".join([*lines, *(f"  note  {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """As plain values that JSON can hold, with ``"schema": 1``; columns as :class:`Matching` has them."""
        alone = {
            side: [{"name": one.name, "reason": one.reason, "candidate": one.candidate} for one in found]
            for side, found in (
                ("unmatched_source", self.unmatched_source), ("unmatched_target", self.unmatched_target)
            )
        }  # fmt: skip
        return {
            "schema": 1,
            "matched": self.matched,
            "headline": self.headline,
            "pairs": [
                {"source": pair.source, "target": pair.target, "confidence": pair.confidence,
                 "columns": pair.columns.to_dict()}
                for pair in self.pairs
            ],
            **alone,
            "sources": list(self.sources),
            "targets": list(self.targets),
            "confidence": [[float(value) for value in row] for row in self.confidence],
            "names": list(self.names),
            "notes": list(self.notes),
            "seed": self.seed,
            "version": __version__,
            "citation": self.citation,
        }  # fmt: skip

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair of columns and each column without a partner, with its tables, as a polars frame."""
        import polars as pl

        parts = [
            pair.columns.to_frame().select(
                pl.lit(pair.source).alias("source_table"),
                pl.lit(pair.target).alias("target_table"),
                pl.lit(pair.confidence).alias("tables_confidence"),
                pl.all(),
            )
            for pair in self.pairs
        ]
        return pl.concat(parts) if parts else pl.DataFrame()
