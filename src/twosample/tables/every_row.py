r"""All columns together on every row of two large tables: moments of features in random groups of rows.

Each column is a code for each row (a bin, a level, a minute of the day) and a table of a few whole numbers for each
code, both frozen on the pooled sample. Of every group of rows the number, the sums of these features and the sums of
their products are kept, which whole numbers give exactly, in whatever order and batches rows come: a task for the
workers that hold the rows, or for one pass here. A second pass, because features need the kinds of columns, their bins
and levels in both tables, which are known after the first.

Whole groups are relabelled (:mod:`twosample.core.groups`). A row's group is drawn by its place in its part, never by
its content: equal rows are drawn independently. The features come from samples of both tables, a vanishing part of the
rows, and do not look at labels, so that given them the groups of both tables are alike under H0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.groups import RowGroups
from ..core.threads import run, single_threaded_blas
from ..core.types import Floats
from ..embedding import Judge
from ..sources import Kind, Table
from ..sources.kinds import NUMBERS
from ..sources.partial import regrouped
from ..sources.schemas import convert
from ..sources.values import column_of
from ..summaries import BinGrid, ColumnInfo
from .features import ColumnFeatures
from .joint import RESAMPLES, Joint
from .reading import Reading
from .ties import FeatureView, Index, items_of, pairs_of, residual_weights
from .together import Together, joined_views, largest_effect

if TYPE_CHECKING:
    import polars as pl

FEATURES = 64
"""Of all columns together; with more columns than that only their means are looked at, not their products."""

GROUPS = 128
"""Groups of the smaller table, at least; less than twice as many."""

LEAST_ROWS = 20_000
"""Of the smaller table: below, a sample of that size says as much."""

PART = 0.75
"""Of the level of the joint test; the other tests on the sample have the rest."""

_UNIT = 2.0**-8  # of a feature, in its standard deviations
_FARTHEST = 2.0**15  # so that products of a million rows are below 2**53, and sums of them exact
_CELLS = 1 << 20  # features of the rows that are worked on together
_MINUTES, _LONGEST = 1440, 1000
_Sums = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """Features of a column by a code for each row."""

    name: str  # the column
    kind: Kind
    bins: BinGrid | None  # codes of numbers; None for others
    levels: tuple[str, ...] | None  # codes of categories; None for others
    clock: bool  # whether the code is the minute of the day
    table: Floats
    """``(codes, k)`` the features of each code, whole numbers. The last code stands for a missing value, the one before
    for what was not seen in the sample."""

    @classmethod
    def frozen(
        cls, part: ColumnFeatures, values: pl.Series, bins: BinGrid | None, clock: bool, most: int
    ) -> CodedColumn:
        """From the features of a pooled sample: by code, their mean; between codes that were not seen, a line."""
        wanted = [i for i, (meaning, _) in enumerate(part.meanings) if (meaning == "hour") == clock]
        wanted = [i for i in wanted if part.meanings[i][0] != "letters"][:most]
        levels = tuple(sorted(values.drop_nulls().unique().to_list())) if part.kind == "categorical" else None
        empty = cls(part.name, part.kind, bins, levels, clock, np.empty((0, len(wanted))))
        codes, size = empty.codes(values), empty._size
        counts = np.bincount(codes, minlength=size)
        seen = np.flatnonzero(counts[: size - 2])
        table = np.zeros((size, len(wanted)))
        for k, feature in enumerate(wanted):
            mean = np.bincount(codes, part.values[:, feature], size) / np.maximum(counts, 1)
            if levels is None and len(seen):
                mean[: size - 2] = np.interp(np.arange(size - 2), seen, mean[seen])
            table[:, k] = mean
        return replace(empty, table=np.clip(np.rint(table / _UNIT), -_FARTHEST, _FARTHEST))

    @property
    def _size(self) -> int:
        """How many codes there are: those of values, one for what was not seen, one for what is missing."""
        if self.clock:
            return _MINUTES + 2
        if self.levels is not None:
            return len(self.levels) + 2
        return (_LONGEST if self.bins is None else self.bins.size + 2) + 2

    def codes(self, values: pl.Series) -> Index:
        """``(n,)`` the code of each value, which is a double or text."""
        import polars as pl

        missing, last = values.is_null(), self._size - 1
        if self.levels is not None:
            known = values.cast(pl.Enum(self.levels), strict=False).to_physical()
            found = known.fill_null(last - 1).to_numpy().astype(np.intp)
        elif self.clock:
            found = (values.fill_null(0.0).to_numpy() % 86_400.0 // 60.0).astype(np.intp)
        elif self.bins is not None:
            scaled = np.floor(values.fill_null(0.0).to_numpy() * 2.0**-self.bins.unit) - (self.bins.start - 1.0)
            found = np.clip(scaled, 0.0, self.bins.size + 1.0).astype(np.intp)
        else:
            found = np.minimum(values.str.len_chars().fill_null(0).to_numpy().astype(np.intp), _LONGEST - 1)
        return np.where(missing.to_numpy(), last, found) if missing.any() else found


@dataclass(frozen=True, eq=False)
class GroupMoments:
    """The task: moments of features in random groups of rows."""

    columns: tuple[ColumnInfo, ...]  # the columns to read
    features: tuple[CodedColumn, ...]  # their features
    paired: bool  # whether products of features are wanted, or sums alone
    groups: int  # how many groups there are
    places: float  # a row draws a number below this; from `groups` on it is left out
    seed: int  # what it is drawn with

    def part(self, batches: Iterable[pl.DataFrame], place: int) -> bytes:
        """``(groups, moments)`` of the rows of one part, as bytes."""
        rng, total = np.random.default_rng([self.seed, place]), None
        with single_threaded_blas():
            for batch in regrouped(batches, max(1 << 14, _CELLS // self._width)):
                found = self._of_rows(batch, rng)
                total = found if total is None else total + found
        return b"" if total is None else total.astype("<i8").tobytes()

    def merged(self, parts: Iterable[bytes]) -> bytes:
        """The sums of several parts."""
        found = [self.read(part) for part in parts if part]
        return sum(found[1:], found[0]).astype("<i8").tobytes() if found else b""

    def read(self, part: bytes) -> _Sums:
        """The sums of one part."""
        return np.frombuffer(part, "<i8").astype(np.int64).reshape(self.groups, -1)

    @property
    def _width(self) -> int:
        """Features, and the number of rows, which is the first of them."""
        return 1 + sum(int(column.table.shape[1]) for column in self.features)

    def values(self, rows: pl.DataFrame, order: Index | None = None) -> Floats:
        """``(1 + K, n)`` one, and the features, of some rows in a certain order."""
        known = convert(rows, {column.name: column.kind for column in self.features})
        found: Floats = np.ones((self._width, len(rows if order is None else order)))
        place = 1
        for column in self.features:
            codes = column.codes(column_of(known, column.name))
            codes = codes if order is None else codes[order]
            for feature in np.ascontiguousarray(column.table.T):
                np.take(feature, codes, out=found[place], mode="clip")  # codes are in range: that mode needs no copy
                place += 1
        return found

    def _of_rows(self, rows: pl.DataFrame, rng: np.random.Generator) -> _Sums:
        drawn = np.minimum(rng.random(len(rows)) * self.places, self.groups).astype(np.uint16)
        counts = np.bincount(drawn, minlength=self.groups)[: self.groups]
        order = np.argsort(drawn, kind="stable")[: counts.sum()]
        Z, ends = self.values(rows, order), np.cumsum(counts)
        upper = np.triu_indices(self._width)
        found = np.zeros((self.groups, len(upper[0]) if self.paired else self._width), dtype=np.int64)
        for group in np.flatnonzero(counts):
            own = Z[:, ends[group] - counts[group] : ends[group]]
            found[group] = (own @ own.T)[upper] if self.paired else own.sum(axis=1)
        return found


def every_row(reading: Reading, joint: Joint, judge: Judge) -> tuple[Together, str] | None:
    """The test on all rows and a note; None where the sample says as much, or the rows of a table are gone."""
    a, b = reading.a, reading.b
    rows = a.scan.rows, b.scan.rows
    features = _frozen(reading, joint)
    if (a.whole and b.whole) or min(rows) < LEAST_ROWS or a.summarized or b.summarized or not features:
        return None
    pooled = reading.samples[0].vstack(reading.samples[1])
    groups = RowGroups.of_large(*rows, GROUPS, RESAMPLES, judge.rng)
    test = _moments((a.table, b.table), rows, features, pooled, groups, judge).tested(groups, joint, judge.level)
    m, n = test.judged.m, test.judged.n
    return test, (
        f"Joint test on all rows: {m:,} and {n:,}, in {groups.m} and {groups.n} groups of about {m // groups.m:,} that "
        f"were relabelled {len(groups.labels) - 1} times: means, ties and products of features of {len(test.columns)} "
        f"columns. It has {PART:.0%} of the level of the joint test, that of the sample the rest."
    )


def _moments(
    tables: tuple[Table, Table],
    rows: tuple[int, int],
    features: tuple[CodedColumn, ...],
    pooled: pl.DataFrame,
    groups: RowGroups,
    judge: Judge,
) -> _CentredMoments:
    """One pass over each table; of a much larger one some rows are left out, by their random numbers."""
    counts = groups.m, groups.n
    size = min(all_ / count for all_, count in zip(rows, counts, strict=True))
    tasks = [
        _task(table, features, count, max(all_ / size, count), int(judge.rng.integers(1 << 31)))
        for table, all_, count in zip(tables, rows, counts, strict=True)
    ]

    def summed(part: tuple[Table, GroupMoments], stop: object = None) -> _Sums:
        table, task = part
        return task.read(task.merged(table.gathered(task)))

    parts = list(zip(tables, tasks, strict=True))
    beside = all(table.is_served for table in tables)
    found = run(parts, summed, len(parts)) if beside else [summed(part) for part in parts]
    return _CentredMoments.of(np.concatenate(found), tasks[0].values(pooled)[1:].T * _UNIT, features)


def _frozen(reading: Reading, joint: Joint) -> tuple[CodedColumn, ...]:
    """The features of the columns, those of each next to each other."""
    a, b = (sample[rows] for sample, rows in zip(reading.samples, joint.chosen, strict=True))
    pooled, found = a.vstack(b), []
    for part in joint.features:
        values = column_of(pooled, part.name)
        bins = reading.scales[part.name].grid if part.kind in NUMBERS else None
        room = max(1, FEATURES // len(joint.features))
        for clock in sorted({meaning == "hour" for meaning, _ in part.meanings}):
            column = CodedColumn.frozen(part, values, bins, clock, room)
            room -= column.table.shape[1]
            found += [column] if column.table.shape[1] else []
    return tuple(found)


def _task(table: Table, features: tuple[CodedColumn, ...], groups: int, places: float, seed: int) -> GroupMoments:
    names = {column.name for column in features}
    columns = tuple(info for info in table.columns if info.name in names)
    width = sum(column.table.shape[1] for column in features)
    return GroupMoments(columns, features, width <= FEATURES, groups, places, seed)


@dataclass(frozen=True, eq=False)
class _CentredMoments:
    """Moments of centred features in all groups of both tables."""

    rows: Floats  # (G,) rows of each group
    sums: Floats  # (G, K) sums of features
    products: Floats | None  # (G, K, K) sums of products; None if they were not wanted
    pooled: Floats  # (N, K) the same features of the pooled sample, for the spread of products
    names: tuple[str, ...]  # the columns, and (K,) whose each feature is
    owner: Index

    @classmethod
    def of(cls, found: _Sums, pooled: Floats, features: Sequence[CodedColumn]) -> _CentredMoments:
        names = tuple(dict.fromkeys(column.name for column in features))
        owner = np.repeat([names.index(c.name) for c in features], [c.table.shape[1] for c in features])
        width, rows = len(owner), found[:, 0].astype(np.float64)
        sums = found[:, 1 : 1 + width] * _UNIT
        mean = sums.sum(axis=0) / rows.sum()
        products = None
        if found.shape[1] > 1 + width:
            products = np.empty((len(found), width, width))
            first, second = np.triu_indices(width)
            products[:, first, second] = products[:, second, first] = found[:, 1 + width :] * _UNIT**2
            cross = sums[:, :, None] * mean
            products -= cross + cross.transpose(0, 2, 1) - rows[:, None, None] * np.outer(mean, mean)
        return cls(rows, sums - rows[:, None] * mean, products, pooled - mean, names, owner)

    def tested(self, groups: RowGroups, joint: Joint, level: float) -> Together:
        """Views of columns, ties and pairs, joined."""
        m, n = (int(part.sum()) for part in (self.rows[: groups.m], self.rows[groups.m :]))
        variances = np.einsum("ij,ij->j", self.pooled, self.pooled) / len(self.pooled)
        views = [self._view("columns", self.sums, variances, self.owner, groups)]
        if self.products is not None and len(self.names) > 1:
            total = self.products.sum(axis=0) / (m + n)
            centred = self.products - self.rows[:, None, None] * total
            fitted = np.eye(len(total)) - residual_weights(total, self.owner, m + n)
            spread = (self.pooled * (self.pooled @ fitted)).var(axis=0)
            views.append(self._view("ties", np.einsum("gjk,kj->gj", centred, fitted), spread, self.owner, groups))
            first, second, item = pairs_of(self.owner)
            squares = self.pooled**2
            spread = (squares.T @ squares / len(squares))[first, second] - total[first, second] ** 2
            views.append(self._view("pairs", centred[:, first, second], spread, item, groups))
        size = largest_effect(joint.pair, [view.effects for view in views], m, n, level)
        return joined_views({}, views, self.names, groups, (m, n), size)

    def _view(self, name: str, sums: Floats, variance: Floats, item: Index, groups: RowGroups) -> FeatureView:
        a, b = slice(0, groups.m), slice(groups.m, None)
        difference = sums[a].sum(axis=0) / self.rows[a].sum() - sums[b].sum(axis=0) / self.rows[b].sum()
        scale = np.sqrt(np.where(variance > 1e-6, variance, np.inf))
        items = items_of(item, lambda part: groups.scores(sums[:, part]))
        return FeatureView(name, items, item, difference / scale)
