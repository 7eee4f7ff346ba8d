"""Which columns of a table depend on each other: HSIC for all pairs, with adjusted p-values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _door as door
from .._numbers import is_p, pvalue
from .._reported import Reported, Tabled
from ..core.adjust import benjamini_hochberg, holm
from ..core.types import Floats
from ..errors import OptionError, options_by_name, unknown_option
from ..nulls import Null
from .allpairs import spectrum_tests
from .explained import Explained, explained_pairs
from .factored import FactorPair
from .factors import Factor
from .observed import ObservedHSIC, resolve_null
from .sides import LEAST_ROWS, Variable, check_size, checked_points, table_factors, thinned
from .tabular import SAMPLE, Choice, Progress, TestableColumns, array_columns, is_array, table_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_NOTES = 5  # notes on single pairs that are kept


@dataclass(frozen=True)
class ColumnPair(Tabled):
    """Two columns and how they depend on each other.

    Parameters
    ----------
    x, y
        Names of the columns.
    statistic
        HSIC_u.
    strength
        HSIC_u(x, y) over the root of HSIC_u(x, x) HSIC_u(y, y): 1 if one column is the other up to a shift or sign.
    pvalue
        Of this pair alone.
    holm, bh
        Adjusted for all pairs: by Holm (any false finding), by Benjamini and Hochberg (the share of false findings).
    of_y, of_x
        The share of the variation of y that x explains, and the other way round: of ranks of numbers, by quantiles or
        categories of the other column (the correlation ratio; of categories Goodman and Kruskal's tau). None for texts.
    words
        The larger of them in words.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> pair = ts.independence_matrix({"a": x, "b": x**2}).pairs[0]
    >>> pair.x, pair.y, pair.holm < 0.01
    ('a', 'b', True)
    """

    x: str
    y: str
    statistic: float
    strength: float
    pvalue: float
    holm: float
    bh: float
    of_y: float | None = None
    of_x: float | None = None
    words: str = ""

    @property
    def explained(self) -> float | None:
        """The larger of the shares that one column explains of the other; None if it is not known."""
        return Explained(self.x, self.y, self.of_y, self.of_x).share

    @property
    def word(self) -> str:
        """How strong: 'strong' from 25 % on, 'moderate' from 9 %, 'weak' from 1 %, 'not in the mean' below."""
        return Explained(self.x, self.y, self.of_y, self.of_x).word


@dataclass(frozen=True, eq=False)
class IndependenceMatrix(Reported):
    """Tests of all pairs of columns. Made by :func:`independence_matrix`.

    Parameters
    ----------
    names
        Names of the columns.
    pairs
        All pairs, the smallest p-value first.
    level
        The level for the adjusted p-values.
    rows
        The number of rows.
    null
        How the p-values were found.
    notes
        What the user should know.
    source
        What the table is called; empty for an array.
    source_rows
        Rows of the table, of which `rows` were looked at.
    details
        How it was computed, where that may matter.
    read
        The files that were read, which no report may replace.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x, y = np.random.default_rng(0).normal(size=(2, 100))
    >>> m = ts.independence_matrix({"a": x, "b": x**2, "c": y})
    >>> [(pair.x, pair.y) for pair in m.dependent]
    [('a', 'b')]
    """

    names: tuple[str, ...]
    pairs: tuple[ColumnPair, ...] = field(repr=False)
    level: float
    rows: int
    null: Null
    notes: tuple[str, ...] = ()
    source: str = ""
    source_rows: int = 0
    details: tuple[str, ...] = field(default=(), repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def dependent(self) -> tuple[ColumnPair, ...]:
        """Pairs whose p-value, adjusted by Holm, is at most the level."""
        return tuple(pair for pair in self.pairs if pair.holm <= self.level)

    def table(self, what: str = "holm") -> Floats:
        """``(c, c)`` values of 'statistic', 'strength', 'explained', 'pvalue', 'holm' or 'bh'; the diagonal is NaN.

        Parameters
        ----------
        what
            Which. All are symmetric but 'explained': the share of the column's variation that the row's explains.
        """
        known = ("statistic", "strength", "explained", "pvalue", "holm", "bh")
        if not isinstance(what, str) or what not in known:
            raise unknown_option("what", what, known, objects=False)
        place = {name: i for i, name in enumerate(self.names)}
        values = np.full((len(place), len(place)), np.nan)
        for pair in self.pairs:
            i, j = place[pair.x], place[pair.y]
            both = (pair.of_y, pair.of_x) if what == "explained" else (getattr(pair, what),) * 2
            values[i, j], values[j, i] = (np.nan if value is None else value for value in both)
        return values

    def to_dict(self) -> dict[str, list[Any]]:
        """One list for each field of :class:`ColumnPair`: what ``pandas.DataFrame`` and ``polars.DataFrame`` take."""
        return {name: [getattr(pair, name) for pair in self.pairs] for name in ColumnPair.__dataclass_fields__}

    def plot(self, ax: Axes | None = None) -> Axes:
        """A heat map of the strengths, with Holm's p-values of the pairs that depend; returns the matplotlib axes."""
        from .._figures import draw_independence_matrix

        return draw_independence_matrix(self.names, self.table("strength"), self.table("holm"), self.level, ax)

    def summary(self) -> str:
        """The ten strongest findings as text."""
        rows = f"{self.rows} of {self.source_rows}" if self.source_rows > self.rows else f"{self.rows}"
        head = (
            f"Independence of {len(self.names)} columns, {rows} rows: {len(self.dependent)} of {len(self.pairs)} "
            f"pairs depend (Holm, level {self.level:g})"
        )
        lines = [
            f"  {pair.x} ~ {pair.y}: adjusted {is_p(pvalue(pair.holm))}"
            + (f"; {pair.words} ({pair.word})" if pair.holm <= self.level else "")
            for pair in self.pairs[:10]
        ]
        more = [f"  and {len(self.pairs) - 10} more"] if len(self.pairs) > 10 else []
        return "\n".join([head, *lines, *more, *(f"  note  {note}" for note in self.notes)])


@options_by_name
def independence_matrix(  # noqa: PLR0913 - a table, what to look at, how to judge
    table: object,
    names: Sequence[str] | None = None,
    *,
    select: Iterable[str] | None = None,
    exclude: Iterable[str] | None = None,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    sample: int | None = SAMPLE,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    null: Null | str = "spectrum",
    level: float = 0.05,
    rng: door.Seed = None,
    progress: Progress | None = None,
) -> IndependenceMatrix:
    """Test every pair of columns for independence, and adjust the p-values for their number.

    Columns may be numbers, dates, categories and texts, and missing is a value of its own. The features of a column are
    computed once and used for all its pairs.

    Parameters
    ----------
    table
        Whatever :func:`twosample.sources.open_table` takes: paths, database URLs, frames, dictionaries of columns. An
        array holds numbers, all of its columns and rows count, and a missing value in it is an error.
    names
        Names of the columns of an array; None numbers them.
    select, exclude
        Names of the columns of a table to test, and to leave out. Identifiers and constants are left out in any case.
    kinds
        What columns of a table mean, where the guess is wrong: ``{"zip": "categorical"}``.
    where
        Keeps the rows of a table for which a condition in SQL holds.
    sample
        Rows of a table to look at, drawn at random; None for all.
    kernel, bandwidth
        As for :func:`hsic_test`; every column has its own bandwidth. Numbers are in the units of their column;
        different categories are at distance 1.
    null
        As for :func:`hsic_test`. The default is not permutation: p-values of n permutations are never below 1/(n+1),
        and adjusted for many pairs they could not become small.
    level
        The level for the adjusted p-values.
    rng
        Seed or generator.
    progress
        Called with (0, the number of pairs, what is next) once the columns are read.

    Returns
    -------
    IndependenceMatrix
        ``m.pairs`` (each with ``holm``, ``words``, ``of_y``, ``of_x``, ...), ``m.dependent``, ``m.table("holm")``,
        ``m.to_dict()``, ``m.plot()``, ``m.report("page.html")``; print it for a summary.

    Notes
    -----
    O(n) for each column of numbers or categories, and O(n r²) for each pair, r being about 15 for numbers: 8 s of
    processor time for the 79,800 pairs of 400 columns and 1000 rows. Dependence between pairs of columns does not
    exclude that three columns depend on each other while no two do.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 200))
    >>> m = ts.independence_matrix(np.column_stack([x, np.abs(x), y]), names=["x", "size", "y"])
    >>> print(m.dependent[0].x, m.dependent[0].y, len(m.dependent))
    x size 1
    >>> m = ts.independence_matrix({"height": x, "size": np.where(x > 0, "tall", "small"), "noise": y})
    >>> [(pair.x, pair.y) for pair in m.dependent]
    [('height', 'size')]
    """
    chosen, level, random = resolve_null(null), door.check_level(level), door.generator(rng)
    door.check_resamples(chosen, level)
    columns = _columns(table, names, Choice(select, exclude, kinds, where, sample), rng, random)
    asked = door.open_kernel(kernel, bandwidth)
    formula = asked.kernel
    if formula.domain != "vectors":
        raise OptionError(f"kernel={formula!r} is not one of numbers, as the columns are; test pairs by ts.hsic_test.")
    sides = []
    for name, column in columns.values.items():
        z = checked_points(column, f"column {name!r}", formula, LEAST_ROWS)
        moved = z - door.middle(z) if formula.translation_free else z
        sides.append(Variable(name, moved, asked.filled(thinned(moved), random)))
        check_size(sides[-1])
    if progress is not None:
        pairs = len(sides) * (len(sides) - 1) // 2
        progress(0, pairs, f"testing {pairs:,} pairs of columns")
    factors = table_factors(sides, random)
    found, said = _tested(factors, chosen, random)
    pvalues = found[:, 2]
    adjusted = zip(holm(pvalues), benjamini_hochberg(pvalues), strict=True)
    named = combinations((side.name for side in sides), 2)
    rows = zip(named, found.tolist(), adjusted, strict=True)
    known = explained_pairs(columns.measured, *([side.name for side in sides],) * 2)
    every = [
        ColumnPair(x, y, value, share, p, float(a), float(b), known[x, y].of_y, known[x, y].of_x, known[x, y].words)
        for (x, y), (value, share, p), (a, b) in rows
    ]
    every.sort(key=lambda pair: (pair.pvalue, -pair.strength))
    details = tuple(dict.fromkeys(note for factor in factors for note in factor.notes))
    notes = (*sum((side.notes for side in sides), ()), *said[:_NOTES], *columns.notes)
    if chosen.resamples and len(every) > level * (chosen.resamples + 1):
        notes += (
            f"{chosen!r} cannot give a p-value below {1 / (chosen.resamples + 1):.3g}; adjusted for {len(every)} pairs "
            "it stays above the level. Use null='spectrum' or more permutations.",
        )
    return IndependenceMatrix(
        tuple(columns.values),
        tuple(every),
        level,
        len(sides[0].z),
        chosen,
        notes,
        columns.source,
        columns.source_rows,
        details[:_NOTES],
        columns.read,
    )


def _columns(
    table: object, names: Sequence[str] | None, choice: Choice, rng: door.Seed, random: np.random.Generator
) -> TestableColumns:
    """The columns to test, of an array or of a table."""
    if not is_array(table):
        if names is not None:
            raise OptionError("names are for the columns of an array; this table has names of its own.")
        return table_columns(table, choice, rng, random)
    if not choice.is_plain:
        raise OptionError("select, exclude, kinds and where are for tables with names: a frame, a file, a dictionary.")
    return array_columns(table, names)


def _tested(factors: list[Factor], null: Null, rng: np.random.Generator) -> tuple[Floats, list[str]]:
    """``(pairs, 3)`` HSIC_u, strengths and p-values of all pairs of columns, and what the null says, each once."""
    if null.asks == "eigenvalues":
        return np.stack(spectrum_tests(factors), axis=1), []
    rows, said = [], dict[str, None]()
    for x, y in combinations(factors, 2):
        pair = FactorPair(x, y, True)
        _, value, law, _, notes = null.judged(ObservedHSIC(pair, rng))
        said |= dict.fromkeys(notes)
        spread = pair.unit * float(np.sqrt(pair.moments[0].square * pair.moments[1].square))
        rows.append((value, value / spread if spread > pair.tolerance else 0.0, law.pvalue(value)))
    return np.array(rows), list(said)
