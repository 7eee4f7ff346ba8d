"""From a table to its summary: one pass over all rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ..core.blas import single_threaded_blas
from ..core.threads import Crew, available_cores
from ..errors import InputError, OptionError, options_by_name, whole_number
from ..summaries import BinGrid, CodedColumn, ColumnInfo, RowSampler, Scale, TableSummary
from ..summaries.counts import MOST_CATEGORIES
from ..summaries.facts import NUMERIC
from .kinds import NUMBERS, TIMES, ColumnKind, Kind, infer_kinds
from .moments import GroupTally, frozen
from .schemas import convert, mostly_numbers
from .tallies import VALUES, Tallies
from .values import column_of, columns_of, fingerprint, finite

if TYPE_CHECKING:
    import polars as pl

    from .table import Table

ROWS = 20_000  # rows that a summary keeps
BINS = 1 << 15  # bins of a column, at most

ENOUGH = 20_000
"""Rows of a first batch that tell the scale of its columns."""

_FEW = 2_000  # of these, for features: a small part of the rows that are added up


@options_by_name
def summarize(
    source: object,
    *,
    like: TableSummary | None = None,
    rows: int = ROWS,
    rng: int = 0,
    first_row: int | None = None,
    where: str | None = None,
    name: str | None = None,
) -> TableSummary:
    r"""A table in some hundred kilobytes, from one pass over its rows.

    The summary can be merged with those of other parts of the table, saved, and compared
    (:func:`compare`, :func:`match`) in the place of the table: a reference of a billion rows is a small file.

    Parameters
    ----------
    source
        Whatever :func:`twosample.sources.open_table` takes: paths, patterns, database URLs, frames, arrays.
    like
        Another summary, whose bins, features and sample size are taken over: then merging is exact to the last bit,
        and all columns together are compared on every row of both. Without it, the first rows choose.
    rows
        Rows to keep as a uniform random sample, for texts, for whole rows, and for :func:`match`.
    rng
        A whole number: the seed of the sample.
    first_row
        The number of the first row in a larger table of which this is a part: then the sample of all parts, merged, is
        the one of the whole table. None: the part is a table of its own, with a sample of its own.
    where
        Keeps the rows for which a condition in SQL holds.
    name
        What to call it in results; None: as the source is called.

    Returns
    -------
    TableSummary
        ``merge(other)``, ``to_bytes()``, ``save(path)``; ``TableSummary.load(path)`` reads it back.

    Notes
    -----
    Time: one pass; memory does not grow with the number of rows. What a summary cannot answer: differences narrower
    than its bins (1/64 of the median distance of two values), texts and whole rows beyond those that it keeps,
    categories of columns with more than 10,000 of them. :func:`compare` says so in its notes.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> reference = ts.summarize({"price": rng.gamma(2, 10, 30_000)})
    >>> today = {"price": rng.gamma(2, 13, 30_000)}
    >>> c = ts.compare(reference, ts.summarize(today, like=reference))
    >>> c.verdict, c.joint.m
    ('different', 30000)
    """
    from .table import open_table

    if like is not None and not isinstance(like, TableSummary):
        raise OptionError(f"like={type(like).__name__} must be a summary (ts.summarize, TableSummary.load).")
    size = whole_number("rows", rows, least=10) if like is None else like.sample.size
    seed = whole_number("rng", rng, least=0) if like is None else like.seed
    start = None if first_row is None else whole_number("first_row", first_row, least=0)
    table = open_table(source, where=where, name=name)
    if like is not None:
        _check_columns(table, like)
    return table.summary(RowChoice(size, seed, start), like)


def _check_columns(table: Table, like: TableSummary) -> None:
    ours, theirs = [info.name for info in table.columns], [column.info.name for column in like.columns]
    odd = sorted(set(ours) ^ set(theirs))
    if odd:
        side = "only the summary" if odd[0] in theirs else "only the table"
        raise InputError(f"like: {table.name} must have the columns of the summary, and {side} has {odd[0]!r}.")


def check_order(name: str, columns: Sequence[ColumnInfo], like: TableSummary | None) -> None:
    """Refuse another order of columns, where rows are summarised elsewhere, or already."""
    if like is not None and [info.name for info in columns] != [column.info.name for column in like.columns]:
        raise InputError(f"like: {name} must have the columns of the summary in its order: put them into that order.")


@dataclass(frozen=True)
class RowChoice:
    """What a summary keeps of the rows."""

    size: int  # how many are kept, and the seed
    seed: int
    first: int | None = None  # the number of the first row in a larger table; None: a table of its own
    sums: bool = True  # whether features of all rows are added up

    def sampler(self, head: pl.DataFrame) -> RowSampler:
        """Draws them, seen the first rows: parts that are tables of their own draw independently of each other."""
        if self.first is not None:
            return RowSampler(self.size, self.seed, self.first)
        return RowSampler(self.size, [self.seed, fingerprint(head, head.columns)])

    def features(self, like: TableSummary | None, head: Callable[[], pl.DataFrame]) -> tuple[CodedColumn, ...]:
        """What is added up: as another summary does, or as the first rows tell."""
        if not self.sums:
            return ()
        if like is None:
            return FirstRows(head()).features
        return () if like.sums is None else like.sums.features


def summarized(
    columns: tuple[ColumnInfo, ...],
    batches: Iterator[pl.DataFrame],
    empty: pl.DataFrame,
    choice: RowChoice,
    like: TableSummary | None,
) -> TableSummary:
    """The summary of rows that come in batches; their columns in the order of the other summary, if there is one."""
    if like is not None:
        order = [column.info.name for column in like.columns]
        columns = tuple(sorted(columns, key=lambda info: order.index(info.name)))
        empty, batches = columns_of(empty, order), (columns_of(batch, order) for batch in batches)
    first = next(batches, empty)
    grids, counted = plan(first) if like is None else planned(like)
    crew = Crew(available_cores())
    tallies = Tallies.in_bins(columns, grids, counted, crew=crew, most=VALUES)
    features = choice.features(like, lambda: first)
    sums = GroupTally(features, first=choice.first) if features else None

    def watched() -> Iterator[pl.DataFrame]:
        for batch in chain([first], batches):
            tallies.add(batch)
            if sums is not None:
                sums.add(batch)
            yield batch

    with single_threaded_blas(), crew:
        sample = choice.sampler(first).draw(watched(), empty)
    held = None if sums is None else sums.result()
    return TableSummary("", tallies.rows, tallies.summaries(), sample, choice.seed, BINS, held)


@dataclass(frozen=True, eq=False)
class FirstRows:
    """What the first rows of a table tell of all."""

    head: pl.DataFrame
    said: Mapping[str, str] | None = None  # kinds that the user gave

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Enough of them, from the first to the last."""
        return self.head.gather_every(max(len(self.head) // ENOUGH, 1))

    @cached_property
    def kinds(self) -> dict[str, ColumnKind]:
        """What columns mean."""
        from .table import open_table

        table = open_table(self.rows)
        said = {name: kind for name, kind in (self.said or {}).items() if name in self.rows.columns}
        return {kind.name: kind for kind in infer_kinds(table, table.profile(), self.rows, said)}

    @property
    def plan(self) -> tuple[dict[str, BinGrid], dict[str, int]]:
        """Bins for numbers, also for those among words, and how many values to count of text.

        Bins are half as wide as needed, over twice the range: they can be made wider afterwards.
        """
        from .table import open_table

        numeric: dict[str, Kind] = {}
        columns = open_table(self.rows).columns
        for info in columns:
            base = self.kinds[info.name].base
            if base in NUMBERS or info.family in NUMERIC or mostly_numbers(self.kinds[info.name]):
                numeric[info.name] = base if base in NUMBERS else "numeric"
        grids = {
            name: replace(scale.roomy_grid, dates=numeric[name] in TIMES)
            for name, scale in _scales(self.rows, numeric).items()
        }
        texts = [info.name for info in columns if info.family in ("text", "category", "empty")]
        categories = [name for name, kind in self.kinds.items() if kind.base == "categorical"]
        return grids, dict.fromkeys([*texts, *categories], MOST_CATEGORIES)

    @property
    def features(self) -> tuple[CodedColumn, ...]:
        """Features of the columns that can be compared, whatever is missing of them."""
        kinds = {name: kind.base for name, kind in self.kinds.items() if kind.base is not None and kind.usable}
        rows = convert(self.rows.gather_every(max(len(self.rows) // _FEW, 1)), kinds)
        numbers = {name: kind for name, kind in kinds.items() if kind in NUMBERS}
        return frozen(rows, kinds, {name: scale.grid for name, scale in _scales(rows, numbers).items()})


def _scales(rows: pl.DataFrame, kinds: Mapping[str, Kind]) -> dict[str, Scale]:
    values = convert(rows, kinds)
    return {name: Scale.of(finite(column_of(values, name))) for name in kinds}


def plan(head: pl.DataFrame, said: Mapping[str, str] | None = None) -> tuple[dict[str, BinGrid], dict[str, int]]:
    """Bins for numbers, and how many values to count of text, as far as the first rows of a table tell."""
    return FirstRows(head, said).plan


def planned(like: TableSummary) -> tuple[dict[str, BinGrid], dict[str, int]]:
    """The bins and counts of another summary."""
    grids = {column.info.name: column.bins.grid for column in like.columns if column.bins is not None}
    counted = [column.info.name for column in like.columns if column.counts is not None]
    return grids, dict.fromkeys(counted, MOST_CATEGORIES)
