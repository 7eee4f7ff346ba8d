"""What a matching is: frozen, complete. Reports and the command line only read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._reported import Reported, Tabled
from ..core.types import Floats
from ..errors import InputError, OptionError, whole_number
from ..results import PAPER
from .columns import TableSample
from .points import Places

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from .._pictures import Picture


@dataclass(frozen=True)
class Pair(Tabled):
    """A column (or table) of the first side and its partner on the second.

    Parameters
    ----------
    source, target
        Their names.
    kind
        By what they were compared: "numeric", "integer", "datetime", "categorical", "text", ...
    confidence
        How likely they are partners, between 0 and 1: the share of true pairs among those of this score, on tables
        half of which belong together; see :func:`match`.
    drifted
        Whether their distributions differ, by a test at the level of the matching, or 0.05; None if not known.
    mmd
        MMD_b with the kernels of both (see :class:`Matching`).
    pvalue, adjusted_pvalue
        Of the test whether both have one distribution; adjusted by Holm for the pairs that were tested.
    gap
        How much farther, in MMD, the next best target of this source is; negative if there is a nearer one.
    cost
        The squared effect size between them (see :class:`Matching`).
    statistic
        MMD²_u of the test, with the bandwidth of the pool.
    map
        ``(a, b)`` if the columns agree after target = a + b · source; None if they were compared as they are.
    evidence
        Why, in words.
    kernel, bandwidth
        What the test used, as in :func:`compare`: of numbers and categories ``mmd_test`` with it gives the same answer.
        No bandwidth for categories and text.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(400, 2)) * [1, 9]
    >>> pair = ts.match(x[:200], x[200:, ::-1]).pairs[0]
    >>> pair.source, pair.target, pair.gap > 0.1
    ('c0', 'c1', True)
    """

    source: str
    target: str
    kind: str
    confidence: float
    drifted: bool | None
    mmd: float
    pvalue: float
    adjusted_pvalue: float
    gap: float
    cost: float
    statistic: float
    map: tuple[float, float] | None = None
    evidence: str = ""
    kernel: str = ""
    bandwidth: float | None = None


@dataclass(frozen=True)
class Unmatched(Tabled):
    """A column without a partner.

    Parameters
    ----------
    name
        The column.
    reason
        Why, in words.
    candidate
        The likeliest column of the other side; None if none can be compared with it.
    pvalue
        Of the test against that one; NaN if there is none.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(400, 2)) * [1, 9]
    >>> ts.match(x[:200], x[200:, :1]).unmatched_source[0].name
    'c1'
    """

    name: str
    reason: str
    candidate: str | None = None
    pvalue: float = float("nan")


@dataclass(frozen=True, eq=False)
class Matching(Reported):
    """Which column (or table) of one side is which of the other. Made by :func:`match` and :func:`match_tables`.

    Parameters
    ----------
    pairs
        The pairs, in the order of the sources.
    unmatched_source, unmatched_target
        Who has no partner, and why.
    sources, targets
        All names, in their order: the rows and columns of the matrices.
    confidence
        ``(s, t)`` how likely each pair is, between 0 and 1; 0 where nothing is known.
    costs
        ``(s, t)`` squared effect sizes with the mean of the kernels of both columns (without bias, so they may be
        negative); infinite where the columns cannot be compared. Tables: squared MMD with the kernel of their pool.
    mmd
        ``(s, t)`` MMD_b with the mean of Gaussians at the median distances of both columns (categories, text and
        tables: with the kernel of the cost), infinite as above.
    pvalues
        ``(s, t)`` p-values of the pairs that were tested, NaN elsewhere.
    distance
        Δ of the paper: the least sum of MMDs over all ways to match the columns of the narrower table, √2 where they
        cannot be compared; NaN if a table has no column that says anything. The same both ways, and 0 between tables
        that differ in the order of their rows and columns only.
    related
        How likely the two tables have anything to do with each other, between 0 and 1; NaN for lists of samples.
    level
        The level of the tests that part pairs; None if they part none.
    names
        What the two sides are called.
    rows
        Rows of either side that were looked at.
    notes
        How it was done, and what the user should know.
    seed
        Seed of the samples.
    sides
        The samples behind it, for pictures.
    citation
        The paper behind it.
    read
        The real paths of the files that were matched, which no report may replace.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> a = {"age": rng.normal(40, 9, 300), "pay": rng.gamma(2, 900, 300), "score": rng.uniform(size=300)}
    >>> b = {"salary": rng.gamma(2, 900, 400), "years": rng.normal(40, 9, 400)}
    >>> m = ts.match(a, b)
    >>> [(pair.source, pair.target) for pair in m.pairs], [one.name for one in m.unmatched_source]
    ([('age', 'years'), ('pay', 'salary')], ['score'])
    """

    pairs: tuple[Pair, ...]
    unmatched_source: tuple[Unmatched, ...]
    unmatched_target: tuple[Unmatched, ...]
    sources: tuple[str, ...] = field(repr=False)
    targets: tuple[str, ...] = field(repr=False)
    confidence: Floats = field(repr=False)
    costs: Floats = field(repr=False)
    mmd: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    distance: float
    related: float
    level: float | None
    names: tuple[str, str]
    rows: tuple[int, int]
    notes: tuple[str, ...] = ()
    seed: int = 0
    sides: tuple[TableSample, TableSample] | None = field(default=None, repr=False)
    citation: str = field(default=PAPER, repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def matched(self) -> bool:
        """Whether every column of either side has a partner."""
        return not self.unmatched_source and not self.unmatched_target

    def __getitem__(self, source: str) -> Pair:
        """The pair of a source."""
        for pair in self.pairs:
            if pair.source == source:
                return pair
        known = [pair.source for pair in self.pairs][:20]
        raise OptionError(f"No pair has the source {source!r}. Sources with a partner: {known}.")

    def candidates(self, name: str, k: int = 5) -> tuple[tuple[str, float], ...]:
        """The k likeliest targets of a source with their confidence, likeliest first.

        Parameters
        ----------
        name
            A column of the first side.
        k
            How many at most.
        """
        if not isinstance(name, str) or name not in self.sources:
            raise InputError(f"name={name!r} is no column of {self.names[0]}.")
        row = self.confidence[self.sources.index(name)]
        return tuple((self.targets[j], float(row[j])) for j in likeliest(row, whole_number("k", k)))

    def valentine(self) -> dict[tuple[str, str, str, str], float]:
        """All comparable pairs in the form of the package valentine, best first.

        Keys are (source table, source column, target table, target column), values scores between 0 and 1: above 1/2
        for the pairs of this matching, below for all others. ``valentine.algorithms.match.ColumnPair(*key)`` makes its
        objects, ``MatcherResults`` its metrics.
        """
        from .showing import scores

        return scores(self)

    def summary(self) -> str:
        """The matching as text for a terminal."""
        from .showing import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """The matching as plain values that JSON can hold, with ``"schema": 2``; what is infinite or NaN is None."""
        from .showing import as_dict

        return as_dict(self)

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair and each column without a partner, as a polars frame."""
        from .showing import as_frame

        return as_frame(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """A heat map of the MMDs with the pairs marked; returns the matplotlib axes."""
        from .pictures import draw_matching

        return draw_matching(self, ax)

    def plot_pair(self, pair: int | str = 0, ax: Axes | None = None) -> Axes:
        """The two distributions of a pair, with the witness of their difference; returns the matplotlib axes.

        Parameters
        ----------
        pair
            Its position in `pairs`, or the name of the source.
        ax
            Where to draw; None makes a new figure.
        """
        from .pictures import draw_pair

        return draw_pair(self, pair, ax)

    def picture(self, pair: Pair) -> Picture | None:
        """The distributions of a pair as data to be drawn, the first column in the units of the second; None for none.

        Parameters
        ----------
        pair
            One of `pairs`.
        """
        from .pictures import pair_picture

        if not isinstance(pair, Pair):
            raise InputError(f"pair is a {type(pair).__name__}; give one of `pairs`.")
        return pair_picture(self, pair)

    def _repr_html_(self) -> str:
        from .showing import as_html

        return as_html(self)


def likeliest(confidence: Floats, count: int) -> Places:
    """The `count` likeliest partners, likeliest first; those of which nothing is known are left out."""
    order = np.argsort(-confidence, kind="stable")[:count]
    return order[confidence[order] > 0]
