"""A batch as one row of numbers: the features of its columns, and of pairs of columns over the rows that were kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..errors import InputError
from ..sources import ColumnKind, Kind, convert, infer_kinds, open_table
from ..sources.kinds import NUMBERS
from ..sources.values import column_of
from ..summaries import ColumnSummary, Counts, TableSummary
from .columns import ColumnPlan, bounded, categorical_plan, numbers_of, numeric_plan
from .scan import Indices

if TYPE_CHECKING:
    import polars as pl

_MOST_PAIRED = 10  # columns of numbers of which pairs are looked at

_CLOCK = 4  # batches of which the ranges of a column must follow each other for it to be a clock


@dataclass(frozen=True)
class FeaturePlan:
    """What of a batch is looked at, chosen from batches that take no part in the tests."""

    columns: tuple[ColumnPlan, ...]
    kinds: tuple[Kind, ...]  # for each of them what its values mean
    left_out: tuple[tuple[str, str], ...] = ()  # names of the other columns, and why they are not looked at

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The first feature of each column, and then of the pairs."""
        return tuple(np.cumsum([0, *(plan.size for plan in self.columns)]).tolist())

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of columns of numbers."""
        numeric = [i for i, plan in enumerate(self.columns) if plan.form == "numeric"][:_MOST_PAIRED]
        return tuple(combinations(numeric, 2))

    @property
    def size(self) -> int:
        """Features of a batch."""
        return self.starts[-1] + len(self.pairs)

    @cached_property
    def views(self) -> tuple[tuple[int, Indices], ...]:
        """Sets of features that are tested, with the column of each: -1 for pairs, -2 for all columns together."""
        found = [(i, np.array(view) + start) for i, plan, start in self._placed() for view in plan.views]
        if len(self.pairs):
            found.append((-1, np.arange(self.starts[-1], self.size)))
        if len(self.columns) > 1:
            found.append((-2, np.concatenate([np.array(plan.core) + start for _, plan, start in self._placed()])))
        return tuple(found)

    @property
    def hardly_watched(self) -> tuple[tuple[str, str], ...]:
        """Names of the columns of which only the missing share is looked at, and why."""
        why = {True: "text with mostly different values", False: "no values in the batches that chose the features"}
        named = zip(self.columns, self.kinds, strict=True)
        return tuple((plan.name, why[kind == "text"]) for plan, kind in named if plan.form == "text")

    def _placed(self) -> list[tuple[int, ColumnPlan, int]]:
        return list(zip(range(len(self.columns)), self.columns, self.starts, strict=False))

    def part(self, column: int) -> slice:
        """Where the features of a column are."""
        return slice(self.starts[column], self.starts[column + 1])

    def features(self, batch: TableSummary) -> Floats:
        """``(size,)`` of a batch; NaN where it does not say."""
        known = {column.info.name: column for column in batch.columns}
        parts = [plan.features(known.get(plan.name), batch.rows) for plan in self.columns]
        return np.concatenate([*parts, self._products(batch)])

    def present(self, batch: TableSummary) -> Floats:
        """``(columns,)`` rows of a batch with a value."""
        known = {column.info.name: column for column in batch.columns}
        return np.array([_present(known.get(plan.name), plan, batch.rows) for plan in self.columns], dtype=np.float64)

    def _products(self, batch: TableSummary) -> Floats:
        """Means of products of scores over the rows that were kept and have both."""
        if not self.pairs:
            return np.empty(0)
        frame = batch.sample.frame
        used = sorted({i for pair in self.pairs for i in pair})
        scores, known = np.zeros((2, len(frame), len(used)))
        for at, i in enumerate(used):
            values = self._values(frame, i)
            if values is not None:
                known[:, at] = np.isfinite(values)
                finite = np.where(known[:, at] > 0, values, np.nan)
                score = bounded((finite - self.columns[i].centre) / self.columns[i].scale)
                scores[:, at] = np.where(known[:, at] > 0, score, 0.0)
        sums, rows = scores.T @ scores, known.T @ known
        places = {i: at for at, i in enumerate(used)}
        found = [(sums[places[i], places[j]], rows[places[i], places[j]]) for i, j in self.pairs]
        return np.array([total / count if count else np.nan for total, count in found])

    def _values(self, frame: pl.DataFrame, column: int) -> Floats | None:
        """The numbers of a column as they are in some rows, NaN where there is none; None if they are no numbers."""
        name = self.columns[column].name
        if name not in frame.columns:
            return None
        try:
            series = column_of(convert(frame, {name: self.kinds[column]}), name)
        except InputError:
            return None
        return np.asarray(series.cast(float).fill_null(float("nan")).to_numpy(), dtype=np.float64)


def _present(column: ColumnSummary | None, plan: ColumnPlan, rows: int) -> int:
    if column is None:
        return 0
    bins = numbers_of(column) if plan.form == "numeric" else None
    return bins.rows if bins is not None else rows - column.missing


def plan_features(
    batches: Sequence[TableSummary],
    select: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> FeaturePlan:
    """What to look at, from batches in the order of time that take no part in the tests.

    Dates, identifiers and columns whose values only grow from batch to batch tell the time, not a change: they are left
    out unless they are selected.
    """
    whole = batches[0].merge(*batches[1:])
    table = open_table(whole, name="the reference")
    meant = infer_kinds(table, table.profile(), table.sample(10_000), kinds)
    names = [kind.name for kind in meant]
    for name in (*(select or ()), *(exclude or ())):
        if name not in names:
            raise InputError(f"The reference has no column {name!r}. It has {', '.join(map(repr, names[:20]))}.")
    columns: list[ColumnPlan] = []
    used: list[Kind] = []
    left: list[tuple[str, str]] = []
    for kind, column in zip(meant, whole.columns, strict=True):
        why = _why_not(kind, batches, select, exclude)
        if why is not None:
            left.append((kind.name, why))
            continue
        bins = numbers_of(column)
        numeric = kind.base in NUMBERS and bins is not None
        if numeric and bins is not None:
            columns.append(replace(numeric_plan(kind.name, bins), spans=kind.base == "duration"))
        elif kind.base == "categorical":
            columns.append(categorical_plan(kind.name, column))
        else:
            columns.append(ColumnPlan(kind.name, "text"))
        used.append(kind.base or "text")
    if not columns:
        said = "; ".join(f"{name}: {why}" for name, why in left[:5])
        raise InputError(f"There is no column to watch in the reference ({said}). Name some with select=[...].")
    return FeaturePlan(tuple(columns), tuple(used), tuple(left))


def _why_not(
    kind: ColumnKind,
    batches: Sequence[TableSummary],
    select: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> str | None:
    """Why a column is not looked at; None if it is."""
    if exclude and kind.name in exclude:
        return "excluded"
    if select:
        return None if kind.name in select else "not selected"
    if not kind.usable and kind.kind != "mostly missing":  # nothing there yet: something may come
        return f"{kind.kind}: {kind.reason}"
    if kind.base == "datetime":
        return "a time, which is another one in each batch"
    parts = [next(part for part in batch.columns if part.info.name == kind.name) for batch in batches if batch.rows]
    ranges = [(part.low, part.high) for part in parts if isinstance(part.low, float) and isinstance(part.high, float)]
    if len(ranges) >= _CLOCK and all(one[1] < two[0] for one, two in pairwise(ranges)):
        return "its values only grow from batch to batch, as those of a clock do"
    return None


def spanning(summaries: Sequence[TableSummary]) -> TableSummary:
    """A summary without rows whose bins reach over all of these; the first says which columns there are."""
    first = summaries[0]
    names = [column.info.name for column in first.columns]
    alike = [one for one in summaries[1:] if one.rows and [column.info.name for column in one.columns] == names]
    return blank(first.merge(*alike))


def blank(summary: TableSummary) -> TableSummary:
    """A summary without rows, like which batches are summarised; it still says where values were infinite."""
    columns = tuple(
        replace(
            column,
            missing=0,
            low=None,
            high=None,
            distinct=replace(column.distinct, hashes=column.distinct.hashes[:0], exact=True),
            totals=None,
            bins=None if column.bins is None else column.bins.blank(),
            dates=None if column.dates is None else column.dates.blank(),
            counts=None if column.counts is None else Counts({}),
        )
        for column in summary.columns
    )
    kept = summary.sample
    rows = replace(kept, frame=kept.frame[:0], keys=kept.keys[:0], numbers=kept.numbers[:0])
    return replace(summary, name="reference", rows=0, columns=columns, sample=rows)
