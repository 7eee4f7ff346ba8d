"""What is tested: the values of each column, its missing share, and all columns together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._pictures import WeightedNumbers, step_of
from ..core.types import Floats
from ..embedding import Embedded, Judge, Levels, Line, missing_pair, text_pair
from ..embedding.levels import TEXTS
from ..kernels import Gaussian
from ..sources import CategoryCounts, JointColumn, Kind, Survey
from ..sources.kinds import NUMBERS
from ..sources.values import column_of
from ..structured import Categories, Text
from ..summaries import BinnedColumn, SingleValues, comparable
from .clocks import ROUND, clock_views
from .describing import binned_numbers, distance, level_facts, number_facts
from .number_views import STEPS, counted_views
from .parts import ColumnFacts
from .reading import Reading
from .sentences import Words
from .spelling import Spelling
from .strays import missing_rows, word_views
from .views import FEW, View, levels_views, usable

if TYPE_CHECKING:
    import polars as pl

EXACT_ROWS = 40_000  # rows of both tables together up to which numbers are compared as they are; beyond, by bins

FINER = 0.07, 0.02
"""Widths of the finer kernels, on ranks between 0 and 1: near the middle of normal numbers, a fifth and a twentieth of
the median distance."""

_ROWS_WITHIN = 2.0  # rows of the smaller sample that the width of a finer kernel must hold
_TINY = 2.0**-1000  # the smallest bandwidth: quotients stay numbers


@dataclass(frozen=True, eq=False)
class Subject:
    """One column, ready to be tested."""

    name: str  # the column
    kind: Kind
    rows: tuple[int, int]  # rows of either table that were looked at
    missing: tuple[int, int]  # rows without a value
    pair: Embedded | None  # its values as weighted points; None if one of the tables has fewer than two
    kernel: Gaussian | Categories | Text  # the kernel on values
    exact: bool = True  # whether the rows themselves were at hand, and not only bins
    line: Line | None = None  # the values as numbers, categories or texts: one of them is there
    levels: Levels | None = None
    texts: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    views: tuple[View, ...] = ()  # shares of rows that are compared beside the kernel on values
    finer: tuple[Embedded, ...] = ()  # numbers once more, with kernels that are narrower; none where rows are few
    numbers: tuple[WeightedNumbers, WeightedNumbers] | None = None
    """The numbers of either table as they are, also those beyond the bins."""
    facts: tuple[ColumnFacts, ColumnFacts] = (ColumnFacts(0, 0), ColumnFacts(0, 0))
    """The column in either table, in the numbers that people know."""
    step: float = 0.0  # what all numbers are multiples of; 0 if nothing
    tables: tuple[str, str] = ("A", "B")  # what the two tables are called in sentences
    among: str = "values"  # what shares are shares of: "numbers" where there are words, too, "sampled texts"

    @cached_property
    def missing_pair(self) -> Embedded | None:
        """Missing or not; None if nothing is missing, or there are not two rows in each table."""
        if not any(self.missing) or min(self.rows) < 2:
            return None
        return missing_pair(self.rows, self.missing)

    @property
    def distance(self) -> float | None:
        """The Wasserstein distance of numbers in their unit, dates in days."""
        return None if self.numbers is None else distance(self.numbers, self.kind)

    @property
    def bandwidth(self) -> float | None:
        """Of a kernel on numbers."""
        return self.kernel.bandwidth if isinstance(self.kernel, Gaussian) else None


def tests_of(reading: Reading, columns: Sequence[JointColumn]) -> int:
    """How many tests the columns take: one for values, and one for the missing share where something is missing."""
    sides = reading.a.profiles, reading.b.profiles
    return sum(1 + any(side[column.name].missing > 0 for side in sides) for column in columns)


def subject(reading: Reading, column: JointColumn, judge: Judge) -> Subject:
    """The column as weighted points: bins and counts of all rows, or the rows themselves where they are at hand.

    Where whole rows occur more than once, it is them that the joint test counts, and not the values of each column.
    """
    found = _subject(reading, column, judge)
    if any(view.family == "seldom" for view in found.views) and reading.repeated:
        found = replace(found, views=tuple(view for view in found.views if view.family != "seldom"))
    return described(found, reading, column)


def described(found: Subject, reading: Reading, column: JointColumn) -> Subject:
    """With the numbers that people know, of the tables as they are."""
    sides = reading.a, reading.b
    profiles = reading.a.profiles[column.name], reading.b.profiles[column.name]
    missing = tuple(
        (side.rows, profile.missing) if side.looked_at < side.rows else (rows, gone)
        for side, profile, rows, gone in zip(sides, profiles, found.rows, found.missing, strict=True)
    )
    if column.kind not in NUMBERS:
        levels = _levels(reading, column.name) if column.kind == "categorical" else None
        return replace(found, facts=level_facts(levels, profiles, missing), tables=reading.called)
    doubles = [_doubles(column_of(part, column.name)) for part in reading.samples]
    a, b = (_numbers(side, column.name, part) for side, part in zip(sides, doubles, strict=True))
    step = step_of(np.concatenate(doubles), dates=column.kind in ROUND)
    one, two = (
        number_facts(numbers, profile, own, column.kind, step)
        for numbers, profile, own in zip((a, b), profiles, missing, strict=True)
    )
    both = (a, b) if len(a.values) and len(b.values) else None
    return replace(found, numbers=both, facts=(one, two), step=step, tables=reading.called)


def _numbers(side: Survey, name: str, sample: Floats) -> WeightedNumbers:
    """All finite numbers of a column in one table: its rows where they are at hand, else bins."""
    return WeightedNumbers.of_values(sample) if side.whole else binned_numbers(side.moments[name], sample)


def _subject(reading: Reading, column: JointColumn, judge: Judge) -> Subject:
    rows = reading.a.rows, reading.b.rows
    if column.kind in NUMBERS:
        return _of_numbers(reading, column, rows, judge)
    if column.kind == "categorical":
        a, b = (side.counts[column.name] for side in (reading.a, reading.b))
        rows, missing = (a.present + a.missing, b.present + b.missing), (a.missing, b.missing)
        levels = _levels(reading, column.name)
        pair = levels.embedded() if min(levels.x.sum(), levels.y.sum()) >= 2 else None
        among = "sampled values" if levels.x.sum() + levels.y.sum() < a.present + b.present else "values"
        named = _label_views(levels, judge.level, among) if pair is not None else ()
        kernel = Categories()
        return Subject(column.name, column.kind, rows, missing, pair, kernel, levels=levels, views=named, among=among)
    missing = reading.a.profiles[column.name].missing, reading.b.profiles[column.name].missing
    texts = [_some(column_of(part, column.name).drop_nulls()) for part in reading.samples]
    one, two = (tuple(part.to_list()) for part in texts)
    pair = text_pair(one, two) if min(len(one), len(two)) >= 2 else None
    among = "sampled texts" if len(one) + len(two) < sum(rows) - sum(missing) else "values"
    looked = [] if pair is None else [replace(view, among=among) for view in Spelling.of(*texts).views(single=True)]
    views = tuple(usable(looked, judge.level))
    return Subject(column.name, column.kind, rows, missing, pair, Text(), texts=(one, two), views=views, among=among)


def _levels(reading: Reading, name: str) -> Levels:
    """Categories of all rows, or of the samples if there are too many to count."""
    a, b = (side.counts[name] for side in (reading.a, reading.b))
    if a.rest or b.rest:  # which ones were counted is a matter of each table; the samples have them all
        a, b = (_counts(column_of(part, name)) for part in reading.samples)
    return Levels.of(dict(a.values), dict(b.values))


def _label_views(levels: Levels, level: float, among: str) -> tuple[View, ...]:
    """Each category on its own, and how they are written."""
    import polars as pl

    spelling = Spelling(pl.Series("v", levels.labels, dtype=pl.String), levels.x, levels.y)
    each, written = list(levels_views(levels)), list(spelling.views(single=False))
    if len(levels.labels) <= FEW:  # "written in capitals" may just be one of them
        rows = {view.a + view.b for view in each}
        same = [bool({view.a + view.b, view.m + view.n - view.a - view.b} & rows) for view in written]
        written = [view for view, known in zip(written, same, strict=True) if view.family == "odd" or not known]
    return tuple(usable([replace(view, among=among) for view in (*each, *written)], level))


def _counts(series: pl.Series) -> CategoryCounts:
    """All categories of a sample."""
    found = series.drop_nulls().value_counts(name="rows")
    values = tuple((str(value), int(rows)) for value, rows in found.iter_rows())
    return CategoryCounts(series.name, values, 0, series.null_count())


def _of_numbers(reading: Reading, column: JointColumn, rows: tuple[int, int], judge: Judge) -> Subject:
    """The bandwidth is the median distance in the pooled bins, whether or not the rows are at hand."""
    a, b = _in_common_bins(*(side.moments[column.name] for side in (reading.a, reading.b)))
    line, pair, kernel, exact = None, None, Gaussian(1.0), False
    finer: tuple[Embedded, ...] = ()
    if min(a.rows, b.rows) >= 2:
        line = Line.of_bins(a, b)
        kernel = Gaussian(max(line.median_distance or 1.0, _TINY))
        relabelled = judge.null(a.rows + b.rows).resamples > 0
        exact = reading.whole and sum(rows) <= EXACT_ROWS
        if exact:
            ends = a.grid.edges[[0, -1]]
            x, y = (np.clip(_doubles(column_of(part, column.name)), *ends) for part in reading.samples)
            line = Line.of_values(x, y) if relabelled else Line.of_many_values(x, y, kernel.scale)
        pair = line.embedded(kernel.scale, rows=relabelled)
        if len(line.place) > FEW:
            widths = [width for width in FINER if width * min(a.rows, b.rows) >= _ROWS_WITHIN]
            finer = tuple(filter(judge.can_screen, map(line.on_ranks, widths)))
    rows = a.rows + a.missing, b.rows + b.missing
    looked = [] if line is None else _number_views(reading, column, line)
    words = word_views(reading, column.name)
    among = "numbers" if words else "values"
    views = tuple(usable([*(replace(view, among=among) for view in looked), *words], judge.level))
    gone = missing_rows(reading.a, column.name, a), missing_rows(reading.b, column.name, b)
    found = Subject(column.name, column.kind, rows, gone, pair, kernel, exact, line=line, views=views, finer=finer)
    return replace(found, among=among)


def common_bandwidth(reading: Reading, name: str) -> tuple[Gaussian, Floats]:
    """The kernel of a column of numbers, by the median distance in the pooled bins, and the range of these."""
    a, b = _in_common_bins(*(side.moments[name] for side in (reading.a, reading.b)))
    width = Line.of_bins(a, b).median_distance if min(a.rows, b.rows) else 1.0
    return Gaussian(max(width or 1.0, _TINY)), a.grid.edges[[0, -1]]


def _number_views(reading: Reading, column: JointColumn, line: Line) -> list[View]:
    """From all rows: as they are if they are at hand, or as they were counted; from samples where no one counted."""
    dates = column.kind in ROUND
    rows = [_doubles(column_of(part, column.name)) for part in reading.samples]
    kept = None if reading.whole else np.concatenate(rows)
    x, y = (side.singles.get(column.name) for side in (reading.a, reading.b))
    if kept is None or x is None or y is None:
        x, y = (SingleValues.of(part, dates=dates) for part in rows)
    if min(x.rows, y.rows) < 2:
        return []
    words = Words(float(line.values[-1] - line.values[0]), column.kind)
    found = list(counted_views(x, y, line, words, ROUND.get(column.kind, STEPS), kept))
    return [*found, *clock_views(x, y)] if column.kind == "datetime" else found


def _in_common_bins(a: BinnedColumn, b: BinnedColumn) -> list[BinnedColumn]:
    """Both in the same bins: those of a summary may be other ones, which cannot be made anew."""
    if (a.grid.unit, a.grid.start, a.grid.size) == (b.grid.unit, b.grid.start, b.grid.size):
        return [a, b]
    return comparable(a, b, 1 << 16)


def _doubles(series: pl.Series) -> Floats:
    return np.asarray((series.drop_nulls() if series.null_count() else series).to_numpy(), dtype=np.float64)


def _some(texts: pl.Series) -> pl.Series:
    """Texts from all over the sample."""
    return texts.gather_every(max(1, -(-len(texts) // TEXTS)))
