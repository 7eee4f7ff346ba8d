"""From two sources to what the tests need: samples, kinds, bins and counts; one or two passes over each table."""

from __future__ import annotations

import filecmp
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .._shown import shown
from ..core.threads import run
from ..core.types import Floats
from ..errors import InputError
from ..sources import (
    ColumnKind,
    Kind,
    SchemaComparison,
    Survey,
    Table,
    compare_schemas,
    convert,
    infer_kinds,
)
from ..sources.kinds import FLAGS, NUMBERS, TIMES
from ..sources.schemas import mostly_numbers
from ..sources.summarize import plan
from ..sources.survey import Plan
from ..sources.values import YES, as_truths, column_of, finite, truths
from ..summaries import Scale
from .options import Wanted

if TYPE_CHECKING:
    import polars as pl

Step = Callable[[str], None]  # called with what is done next
_LONG = 40  # characters of a name that a sentence can bear
_REPEATED = 0.001  # of all rows
COUNTED = 10_000  # categories of a table that are counted one by one; where there are more, samples are compared
_DAY_OR_MONTH = " In 03/04/2024 the day or the month may come first: write 2024-03-04, or parse such dates before."


@dataclass(frozen=True, eq=False)
class Reading:
    """Both tables, read."""

    a: Survey
    b: Survey
    schema: SchemaComparison  # what they have in common
    samples: tuple[pl.DataFrame, pl.DataFrame]  # the common columns as doubles and text, missing as null
    scales: Mapping[str, Scale]  # what columns of numbers are measured by
    respelled: tuple[str, ...] = ()  # columns of yes and no that are written in other words in either table

    @property
    def called(self) -> tuple[str, str]:
        """What the tables are called in sentences: the names of their files, or A and B if these say nothing."""
        one, two = (side.table.name.replace("\\", "/").rsplit("/", 1)[-1] for side in (self.a, self.b))
        told = one != two and all(side.table.files for side in (self.a, self.b)) and max(len(one), len(two)) <= _LONG
        return (shown(one), shown(two)) if told else ("A", "B")

    @property
    def whole(self) -> bool:
        """Whether both samples are the tables."""
        return self.a.whole and self.b.whole

    @property
    def identical(self) -> bool:
        """Whether both tables hold the same rows in the same order, as far as that is seen without another pass.

        Tables whose rows are all at hand are compared cell by cell, files byte by byte.
        """
        a, b = self.a, self.b
        if a.rows != b.rows:
            return False
        if a.at_hand and b.at_hand:
            one, two = a.sample, b.sample
            return one.schema == two.schema and "Object" not in map(str, one.dtypes) and one.equals(two)
        return _same_files(a.table, b.table)

    @cached_property
    def repeated(self) -> bool:
        """Whether some rows of both samples together occur more than once: then values do, in every column."""
        a, b = self.samples
        return a.width > 1 and int(a.vstack(b).is_duplicated().sum()) >= _REPEATED * (len(a) + len(b))

    @property
    def sampled(self) -> tuple[Survey, ...]:
        """The tables of which not all rows were looked at."""
        return tuple(side for side in (self.a, self.b) if side.looked_at < side.rows)


def no_rows(name: str, where: str | None, purpose: str) -> InputError:
    """The error for a table without rows, or without any that meet a condition."""
    met = "" if where is None else f" that meet where={where!r}"
    return InputError(f"{name} has no rows{met}: there is nothing to {purpose}.")


def read(
    tables: tuple[Table, Table],
    wanted: Wanted,
    sample: int,
    seeds: tuple[int, int],
    step: Step,
    every: bool = False,
) -> Reading:
    """Survey both tables, find out what they have in common, and ask for the bins and counts that are still missing.

    With `every`, bins come from all rows, however slow these are to read.
    """
    names = wanted.names(tables)
    surveys = _surveyed(list(zip(tables, seeds, strict=True)), partial(plan, said=wanted.kinds), sample, every, step)
    for table, survey in zip(tables, surveys, strict=True):
        if not len(survey.sample):
            raise no_rows(table.name, wanted.where, "compare")
    schema = _schema(surveys, wanted, names)
    found, scales = _converted(surveys, schema)
    step("placing both in the same bins")
    surveys = _completed(surveys, schema, scales)
    yes_no = _yes_or_no(surveys, schema)
    a, b = (_in_one_spelling(survey, yes_no) for survey in surveys)
    one, two = (part.with_columns([as_truths(column_of(part, name)).alias(name) for name in yes_no]) for part in found)
    return Reading(a, b, schema, (one, two), scales, tuple(yes_no))


def _surveyed(parts: Sequence[tuple[Table, int]], plan: Plan, sample: int, every: bool, step: Step) -> list[Survey]:
    """Tables, with their seeds, one after the other; those that a server gives at the same time."""

    def surveyed(part: tuple[Table, int], stop: object = None) -> Survey:
        return part[0].survey(sample, part[1], plan, every=every)

    found = []
    beside = all(table.is_served for table, _ in parts)
    for part in parts:
        step(f"reading {part[0].name}")
        found += [] if beside else [surveyed(part)]
    return run(parts, surveyed, len(parts)) if beside else found


def _yes_or_no(surveys: Sequence[Survey], schema: SchemaComparison) -> list[str]:
    """Columns of nothing but yes and no, written in other words, or as 1 and 0, in one of the tables.

    Words that differ in their case alone are those of other categories.
    """
    found = []
    for column in schema.common:
        flags = {column.left.base, column.right.base} == {"boolean", "categorical"}
        if column.kind == "categorical" and (flags or column.left.reason == column.right.reason == FLAGS):
            counts = [survey.counts[column.name] for survey in surveys]
            one, two = ({value.strip().lower() for value, _ in part.values} for part in counts)
            known = truths(one | two) and not any(part.rest for part in counts)
            found += [column.name] if known and (flags or not one & two) else []
    return found


def _in_one_spelling(survey: Survey, names: Sequence[str]) -> Survey:
    """With the counts of these columns in values that say yes as "true", the others as "false"."""
    counts = dict(survey.counts)
    for name in names:
        yes = sum(rows for value, rows in counts[name].values if value.strip().lower() in YES)
        both = (("true", yes), ("false", counts[name].present - yes))
        values = tuple(sorted((part for part in both if part[1]), key=lambda part: -part[1]))
        counts[name] = replace(counts[name], values=values)
    return replace(survey, counts=counts)


def _schema(surveys: Sequence[Survey], wanted: Wanted, names: Sequence[Sequence[str]]) -> SchemaComparison:
    kinds = []
    for survey, columns in zip(surveys, names, strict=True):
        said = {name: kind for name, kind in wanted.kinds.items() if name in survey.profiles}
        found, chosen = infer_kinds(survey.table, survey.profile, survey.sample, said), set(columns)
        kinds.append([_told(survey, kind) for kind in found if kind.name in chosen])
    sides = zip(surveys, kinds, strict=True)
    unread = {kind.name for survey, known in sides for kind in known if _unread(survey, kind)}
    return compare_schemas(*([_as_text(kind) if kind.name in unread else kind for kind in known] for known in kinds))


def _unread(survey: Survey, kind: ColumnKind) -> bool:
    """Whether text spells times of which a summary, made before they were read, knows none."""
    if not survey.summarized or not kind.from_text or kind.base not in TIMES or kind.reason == "as you said":
        return False
    known = survey.points(kind.name, True) or survey.moments.get(kind.name)
    return known is None or not known.rows


def _as_text(kind: ColumnKind) -> ColumnKind:
    return replace(kind, kind="text", base="text", from_text=False) if kind.from_text else kind


def _told(survey: Survey, kind: ColumnKind) -> ColumnKind:
    """The kind of a column; a summary that has no bins of the numbers among its words knows them as text only."""
    known = not survey.summarized or kind.name in survey.moments or survey.points(kind.name, False) is not None
    return kind if known or not mostly_numbers(kind) else replace(kind, spelled=0.0)


def _converted(
    surveys: Sequence[Survey], schema: SchemaComparison
) -> tuple[tuple[pl.DataFrame, pl.DataFrame], dict[str, Scale]]:
    """The samples as doubles and text, and scales of the numbers."""
    samples = [survey.sample for survey in surveys]
    kinds = {column.name: column.kind for column in schema.common}
    a, b = (convert(sample, kinds) for sample in samples)
    for part, sample in zip((a, b), samples, strict=True):
        for name, kind in kinds.items():
            if part[name].null_count() == len(part) > _missing(column_of(sample, name)):
                said = _DAY_OR_MONTH if kind == "datetime" else ""
                raise InputError(
                    f"kinds: no value of column {name!r} can be read as {kind}; say another, or none.{said}"
                )
    scales = {}
    for name, kind in kinds.items():
        if kind in NUMBERS:
            sides = zip(surveys, (a, b), strict=True)
            scales[name] = Scale.of(
                np.concatenate([_some(survey, column_of(part, name), name, kind) for survey, part in sides])
            )
    return (a, b), scales


def _some(survey: Survey, sample: pl.Series, name: str, kind: Kind) -> Floats:
    """Finite numbers of a column: as many as were sampled, from all rows if those are known."""
    points = survey.points(name, kind in TIMES)
    return finite(sample) if points is None else points.evenly(len(sample))


def _missing(series: pl.Series) -> int:
    """Values that are not there; NaN is one of them."""
    return series.null_count() + (int(series.is_nan().sum()) if series.dtype.is_float() else 0)


def _completed(surveys: Sequence[Survey], schema: SchemaComparison, scales: Mapping[str, Scale]) -> list[Survey]:
    """With the bins and counts that the comparison takes."""
    dates = {column.name for column in schema.common if column.kind in TIMES}
    grids = {name: replace(scale.grid, dates=name in dates) for name, scale in scales.items()}
    counts = {column.name: COUNTED for column in schema.common if column.kind == "categorical"}
    return [survey.completed(grids, counts) for survey in surveys]


def _same_files(a: Table, b: Table) -> bool:
    """Whether they are read from files of equal content."""
    if not a.files or len(a.files) != len(b.files) or a.schema() != b.schema():
        return False
    paths = [(Path(one), Path(two)) for one, two in zip(a.files, b.files, strict=True)]
    try:
        return all(one.stat().st_size == two.stat().st_size for one, two in paths) and all(
            filecmp.cmp(one, two, shallow=False) for one, two in paths
        )
    except OSError:  # a folder, or a file that is gone by now: nothing is claimed
        return False
