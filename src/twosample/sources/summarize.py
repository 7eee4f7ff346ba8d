"""From a table to its summary: one pass over all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from ..errors import InputError, OptionError, options_by_name, whole_number
from ..summaries import BinGrid, ColumnInfo, RowSampler, Scale, TableSummary
from ..summaries.counts import MOST_CATEGORIES
from .kinds import NUMBERS, Kind, infer_kinds
from .profiling import NUMERIC
from .schemas import convert
from .tallies import Tallies
from .values import column_of, columns_of, finite

if TYPE_CHECKING:
    import polars as pl

    from .table import Table

ROWS = 20_000  # rows that a summary keeps
BINS = 1 << 15  # bins of a column, at most

_ENOUGH = 20_000  # rows of a first batch that tell the scale of its columns
_VALUES = 1_000_000  # different values in memory beyond which categories are no longer counted


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
        Another summary, whose bins and sample size are taken over: then merging is exact to the last bit, and
        comparing loses nothing. Without it, bins are chosen from the first rows.
    rows
        Rows to keep as a uniform random sample, for the test of all columns together, for texts, and for
        :func:`match`.
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
    than its bins (1/64 of the median distance of two values), texts and dependence between columns beyond the rows
    that it keeps, categories of columns with more than 10,000 of them. :func:`compare` says so in its notes.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> reference = ts.summarize({"price": rng.gamma(2, 10, 30_000)})
    >>> today = {"price": rng.gamma(2, 13, 30_000)}
    >>> ts.compare(reference, today).verdict
    'different'
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
    return table.summary(size, seed, start, like)


def _check_columns(table: Table, like: TableSummary) -> None:
    ours, theirs = [info.name for info in table.columns], [column.info.name for column in like.columns]
    odd = sorted(set(ours) ^ set(theirs))
    if odd or ours != theirs:
        said = f"{odd[0]!r} is only in one of them" if odd else "their order differs"
        raise InputError(f"like: {table.name} must have the columns of the summary, and {said}.")


@dataclass(frozen=True)
class RowChoice:
    """Which rows a summary keeps."""

    size: int  # how many, and the seed
    seed: int
    first: int | None  # the number of the first row in a larger table; None: a table of its own

    def sampler(self, head: pl.DataFrame) -> RowSampler:
        """Draws them, seen the first rows: parts that are tables of their own draw independently of each other."""
        if self.first is not None:
            return RowSampler(self.size, self.seed, self.first)
        return RowSampler(self.size, [self.seed, _fingerprint(head)])


def summarized(
    columns: tuple[ColumnInfo, ...],
    batches: Iterator[pl.DataFrame],
    empty: pl.DataFrame,
    choice: RowChoice,
    like: TableSummary | None,
) -> TableSummary:
    """The summary of rows that come in batches."""
    first = next(batches, empty)
    grids, counted = plan(first) if like is None else planned(like)
    tallies = Tallies(columns, grids, counted)

    def watched() -> Iterator[pl.DataFrame]:
        for batch in chain([first], batches):
            tallies.add(batch)
            tallies.give_up(_VALUES)
            yield batch

    sample = choice.sampler(first).draw(watched(), empty)
    return TableSummary("", tallies.rows, tallies.summaries(), sample, choice.seed, BINS)


def _fingerprint(first: pl.DataFrame) -> int:
    """A number that tells parts of a table apart, so that their rows are drawn independently."""
    from hashlib import sha256

    rows = first.head(100)
    plain = [name for name, kind in rows.schema.items() if not (kind.is_nested() or str(kind) in ("Binary", "Object"))]
    text = columns_of(rows, plain).write_json()  # polars writes no bytes as JSON
    text += "".join(repr(rows.get_column(name).to_list()) for name in rows.columns if name not in plain)
    return int.from_bytes(sha256(text.encode("utf-8", errors="replace")).digest()[:8], "little")


def plan(head: pl.DataFrame, said: Mapping[str, str] | None = None) -> tuple[dict[str, BinGrid], dict[str, int]]:
    """Bins for numbers, and how many values to count of text, as far as the first rows of a table tell.

    Bins are half as wide as needed, over twice the range: they can be made wider afterwards.
    """
    from .table import open_table

    head = head.gather_every(max(len(head) // _ENOUGH, 1))
    table = open_table(head)
    said = {name: kind for name, kind in (said or {}).items() if name in head.columns}
    kinds = {kind.name: kind for kind in infer_kinds(table, table.profile(), head, said)}
    numeric: dict[str, Kind] = {}
    for info in table.columns:
        base = kinds[info.name].base
        if base in NUMBERS or info.family in NUMERIC:
            numeric[info.name] = base if base in NUMBERS else "numeric"
    values = convert(head, numeric)
    grids = {
        name: replace(Scale.of(finite(column_of(values, name))).roomy_grid, dates=kind == "datetime")
        for name, kind in numeric.items()
    }
    texts = [info.name for info in table.columns if info.family in ("text", "category", "empty")]
    categories = [name for name, kind in kinds.items() if kind.base == "categorical"]
    return grids, dict.fromkeys([*texts, *categories], MOST_CATEGORIES)


def planned(like: TableSummary) -> tuple[dict[str, BinGrid], dict[str, int]]:
    """The bins and counts of another summary."""
    grids = {column.info.name: column.bins.grid for column in like.columns if column.bins is not None}
    counted = [column.info.name for column in like.columns if column.counts is not None]
    return grids, dict.fromkeys(counted, MOST_CATEGORIES)
