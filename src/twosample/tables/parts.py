"""The parts of a comparison of two tables: frozen, plain data, nothing but numbers, text and tuples of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from .._pictures import NumberPicture, Picture, SharePicture
from .._reported import Tabled
from ..sources import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ColumnComparison", "ColumnFacts", "Finding", "MissingComparison", "NumberPicture", "PairPicture", "Picture",
    "Place",    "SharePicture", "SpeakingRow", "TableFacts", "Value", "Verdict",
]  # fmt: skip

Verdict = Literal["same", "small difference", "no difference found", "different"]
GROUPS = 150  # groups of rows of either table that the joint test relabels, about

Value = str | int | float | bool | None
Number = float | int | datetime | time | timedelta | None
"""A number of a column: whole where the column is, or the date, the time of day or the duration that it stands for;
None: there is none."""


@dataclass(frozen=True)
class TableFacts:
    """One of the two tables.

    Parameters
    ----------
    name
        The source, without credentials. As hostile as a file name can be: escape it for where you show it.
    rows
        Rows of the table.
    columns
        Columns of the table.
    sampled
        Rows of the uniform random sample that the joint test took; equal to `rows` if it took all.
    engine
        Who read it: "polars", "duckdb", ...
    """

    name: str
    rows: int
    columns: int
    sampled: int
    engine: str

    @property
    def tested(self) -> str:
        """The rows that the joint test took, in words; it takes groups of equal size, which may leave a few rows out.

        >>> TableFacts("a.csv", 2000, 3, 1989, "polars").tested, TableFacts("a.csv", 2000, 3, 500, "polars").tested
        ('1,989 of 2,000 rows, in groups of equal size', '500 rows drawn at random')
        """
        rest = self.rows - self.sampled
        if rest <= 0:
            return "all rows"
        most = f"{self.sampled:,} of {self.rows:,} rows, in groups of equal size"
        return most if rest < self.rows / GROUPS else f"{self.sampled:,} rows drawn at random"


@dataclass(frozen=True)
class PairPicture:
    """Two columns together in both tables: shares of rows in the cells of a grid.

    Parameters
    ----------
    columns
        The two names.
    pieces
        What the values of either column are cut into, in words: ranges with about as many rows each, frequent values,
        "missing".
    shares_a, shares_b
        For each piece of the second column the shares of a table's rows, one for each piece of the first.
    """

    columns: tuple[str, str]
    pieces: tuple[tuple[str, ...], tuple[str, ...]]
    shares_a: tuple[tuple[float, ...], ...]
    shares_b: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Finding:
    """Something worth knowing that is not a test of a column.

    Parameters
    ----------
    what
        "lost" (column only in the first table), "added" (only in the second), "changed" (another kind of value is
        stored), "retyped" (only read as another kind), "left out" (identifiers, unsupported types, columns without any
        value), "constant" (one and the same value in both), "small" (a difference that is significant and surely
        smaller than the margin), "contract" (a rule of the contract that the second table breaks), "together" (columns
        behind a difference that all columns show together), "repeated" (rows that occur more than once), "mix" (how
        many rows each stratum of `by` has: not a part of the verdict), "strata" (strata that could not be compared),
        "weights" (what the rows are worth), "groups" (so few that no difference can be shown), "series" (neighbouring
        rows look alike, so that p-values may be too small), "stratum" (in which stratum of `by` a column differs most),
        "wording" (in what the texts of a column, or its identifiers, differ most).
    column
        The column; None for the tables as a whole.
    detail
        In words.
    columns
        All columns of a finding "together", the first one first: that column, and those with which its values go
        otherwise than in the other table.
    pvalue
        Of a finding "mix": that of its own test. Of "stratum": adjusted for all strata; None where it only describes.
    picture
        Of a finding "together": the first two of its columns in both tables; None if it names one.
    """

    what: Literal[
        "lost", "added", "changed", "retyped", "left out", "constant", "small", "contract", "together", "repeated",
        "mix", "strata", "weights", "groups", "series", "stratum", "wording",
    ]  # fmt: skip
    column: str | None
    detail: str
    columns: tuple[str, ...] = ()
    pvalue: float | None = None
    picture: PairPicture | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Place:
    """Where a column differs most: a range of numbers, a category, or the missing share.

    Parameters
    ----------
    text
        In words that go on after the name of the column and "is": "at least 64.4 in 94 % of summer.csv and in 0.3 % of
        winter.csv".
    share_a, share_b
        Share of the present rows that lie there.
    low, high
        The range; None for a category, and where the range has no end.
    label
        The category (or word); None for a range, and for the missing share.
    what
        The first words of `text`, without the shares: "at least 64.4".
    """

    text: str
    share_a: float
    share_b: float
    low: float | None = None
    high: float | None = None
    label: str | None = None
    what: str = ""


@dataclass(frozen=True)
class MissingComparison:
    """Whether values are missing as often in both tables: a test of its own beside that of the values.

    Parameters
    ----------
    missing_a, missing_b
        Rows without a value.
    share_a, share_b
        Their shares.
    pvalue, adjusted_pvalue, fdr_pvalue
        As in :class:`ColumnComparison`; the line counts as one more test.
    effect, effect_low, effect_high
        Effect size and interval.
    verdict
        As of a column.
    """

    missing_a: int
    missing_b: int
    share_a: float
    share_b: float
    pvalue: float
    adjusted_pvalue: float
    fdr_pvalue: float
    effect: float
    effect_low: float
    effect_high: float
    verdict: Verdict


@dataclass(frozen=True)
class ColumnFacts:
    """One column of one table, in the numbers that people know: of all rows, from the pass that the comparison made.

    Parameters
    ----------
    rows, missing
        Rows, and those without a value.
    mean, sd
        Mean and sample standard deviation; that of dates, times and durations in days.
    median, quantiles
        The median, and the quantiles 0.01, 0.05, 0.25, 0.75, 0.95 and 0.99, between neighbouring rows by linear
        interpolation. Of large tables from bins a 32nd of the kernel's bandwidth wide, or less.
    min, max
        The range; infinite numbers are in none of these.
    distinct, distinct_exact
        Different values, None if not known; and whether that is exact or an estimate.
    shares
        Of categories and booleans: shares of all rows, the largest 20 of both tables together.

    Examples
    --------
    >>> import twosample as ts
    >>> c = ts.compare({"age": [20, 30, 40, 50] * 50}, {"age": [20, 30, 40, 90] * 50})
    >>> c["age"].a.mean, c["age"].b.mean, c["age"].b.quantiles[0.75], c["age"].wasserstein
    (35.0, 45.0, 52.5, 10.0)
    """

    rows: int
    missing: int
    mean: Number = None
    sd: float | None = None
    median: Number = None
    quantiles: Mapping[float, Number] = field(default_factory=dict)
    min: Number = None
    max: Number = None
    distinct: int | None = None
    distinct_exact: bool = True
    shares: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnComparison(Tabled):
    r"""One column of both tables.

    Parameters
    ----------
    name
        Its name.
    kind
        "numeric", "integer", "boolean", "datetime", "duration", "categorical" or "text".
    statistic
        The unbiased estimate of MMD² between the present values.
    pvalue
        Its p-value alone: valid for the smallest over its views, the missing share among them.
    adjusted_pvalue
        Adjusted for all columns (Holm) and for the joint test: at most `level` only if the column is found to differ
        while the chance of even one false finding is at most `level`.
    fdr_pvalue
        Adjusted by Benjamini and Hochberg, among the columns.
    effect, effect_low, effect_high
        Effect size r in [0, 1] as in :func:`effect_size`, the largest over its views, the missing share among them; and
        its interval at level 1 - 2 `level`.
    verdict
        "different": an adjusted p-value is at most the level, and the effect is not surely below the margin. "small
        difference": significant, and `effect_high` is below the margin. "same": not significant, and `effect_high` is
        below the margin. Otherwise "no difference found".
    rows_a, rows_b
        Rows with a value that were compared.
    missing
        The comparison of the missing shares; None if nothing is missing in either table.
    method
        How, in words.
    picture
        The two distributions; None if there is nothing to draw.
    where
        Value ranges, categories or words where the tables differ most, strongest first.
    values_verdict
        The verdict on the values alone, without the missing share.
    kernel
        The kernel on the values, as it is written.
    bandwidth
        That of a kernel on numbers: the median distance of two pooled rows; None for categories and text.
    margin
        The effect size of this column that is still called small.
    view
        What the effect is of: "values" (the kernel on them), or the share of rows that differs most, in words.
    kernel_pvalue
        The p-value of the kernel on the values alone: what ``mmd_test`` with `kernel` gives.
    a, b
        The column in either table, in the numbers that people know.
    wasserstein
        The Wasserstein distance of the two distributions in the unit of the column, dates in days: how far, on average,
        a value must be moved to turn one into the other. None for categories and texts.
    resamples
        Relabellings behind `kernel_pvalue`, which is never below 1/(resamples + 1); 0 if it has a limit law.

    Examples
    --------
    >>> import twosample as ts
    >>> c = ts.compare({"a": [1.5, 2.0, 3.25, 4.0] * 50}, {"a": [5.5, 6.0, 7.25, 9.0] * 50})
    >>> c.columns[0].name, c.columns[0].verdict
    ('a', 'different')
    """

    name: str
    kind: Kind
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    fdr_pvalue: float
    effect: float
    effect_low: float
    effect_high: float
    verdict: Verdict
    rows_a: int
    rows_b: int
    missing: MissingComparison | None
    method: str
    picture: Picture | None = field(default=None, repr=False)
    where: tuple[Place, ...] = ()
    values_verdict: Verdict = "no difference found"
    kernel: str = ""
    bandwidth: float | None = None
    margin: float = 0.05
    view: str = "values"
    kernel_pvalue: float = 1.0
    a: ColumnFacts = field(default=ColumnFacts(0, 0), repr=False)
    b: ColumnFacts = field(default=ColumnFacts(0, 0), repr=False)
    wasserstein: float | None = None
    resamples: int = 0

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the two distributions; ``c["price"].plot().figure.savefig("price.svg")`` writes them to a file.

        Parameters
        ----------
        ax
            Where to draw; None makes a new figure, in which numbers have their witness function below.

        Returns
        -------
        matplotlib.axes.Axes
            That of the distributions.
        """
        from .._column_figures import draw_picture

        return draw_picture(self.picture, self.name, f"{self.verdict}, effect {self.effect:.3f}", ax)

    @property
    def rejected(self) -> bool:
        """Whether the column is found to differ: verdict "different"."""
        return self.verdict == "different"

    @property
    def missing_a(self) -> float:
        """Share of the first table's rows without a value."""
        return self.missing.share_a if self.missing else 0.0

    @property
    def missing_b(self) -> float:
        """Share of the second table's rows without a value."""
        return self.missing.share_b if self.missing else 0.0


@dataclass(frozen=True)
class SpeakingRow(Tabled):
    """A row that speaks for the difference.

    Parameters
    ----------
    table
        "a" or "b".
    score
        The joint witness at the row: positive for rows of a kind that the first table has more of, negative for the
        second. In units of the largest absolute value among all sampled rows.
    position
        Its number in the sample, from 0.
    row
        Its number in the table, from 0, whether or not rows were sampled; among the rows that `where` keeps, if it
        is given. None where that is not known: of tables in an engine, and of summaries.
    values
        What is in it, column by column; dates as ISO text, missing as None. As hostile as the data: escape it.
    """

    table: Literal["a", "b"]
    score: float
    position: int
    row: int | None
    values: Mapping[str, Value]
