"""From two sources to what the tests need: samples, kinds, bins and counts; one or two passes over each table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..core.types import Floats
from ..errors import InputError
from ..sources import (
    ColumnProfile,
    Kind,
    Scan,
    SchemaComparison,
    Table,
    compare_schemas,
    convert,
    infer_kinds,
    open_table,
)
from .atoms import COUNTED, Scale

if TYPE_CHECKING:
    import polars as pl

NUMBERS: tuple[Kind, ...] = ("numeric", "integer", "boolean", "datetime")
Step = Callable[[str], None]
"""Called with what is done next."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Which columns, and what the user says of them.

    Parameters
    ----------
    select, exclude
        Names; None for all, and for none.
    kinds
        Kinds by name.
    """

    select: tuple[str, ...] | None
    exclude: tuple[str, ...]
    kinds: Mapping[str, str]

    def names(self, tables: Iterable[Table]) -> list[list[str]]:
        """The columns of each table that are wanted; refuses names that no table has."""
        known = [[info.name for info in table.columns] for table in tables]
        for option, names in (("select", self.select or ()), ("exclude", self.exclude), ("kinds", self.kinds)):
            for name in names:
                if not any(name in columns for columns in known):
                    shown = ", ".join(map(repr, known[0][:20]))
                    raise InputError(f"{option}: neither table has a column {name!r}. The first one has {shown}.")
        return [
            [name for name in columns if name not in self.exclude and (self.select is None or name in self.select)]
            for columns in known
        ]


@dataclass(frozen=True, eq=False)
class Side:
    """One table, read.

    Parameters
    ----------
    table
        The table.
    sample
        A uniform random sample of its rows.
    scan
        What was found in all rows.
    """

    table: Table
    sample: pl.DataFrame
    scan: Scan

    @property
    def whole(self) -> bool:
        """Whether the sample is the table."""
        return len(self.sample) == self.scan.rows

    @cached_property
    def profile(self) -> dict[str, ColumnProfile]:
        """The profile of each column."""
        return {part.name: part for part in self.scan.profile}


@dataclass(frozen=True, eq=False)
class Reading:
    """Both tables, read.

    Parameters
    ----------
    a, b
        The tables.
    schema
        What they have in common.
    samples
        The common columns of both samples as doubles and text, missing as null.
    scales
        What columns of numbers are measured by.
    """

    a: Side
    b: Side
    schema: SchemaComparison
    samples: tuple[pl.DataFrame, pl.DataFrame]
    scales: Mapping[str, Scale]


def read(tables: tuple[Table, Table], wanted: Wanted, sample: int, seeds: tuple[int, int], step: Step) -> Reading:
    """Sample, guess the kinds, scan with bins and counts for them, and scan once more where a guess was wrong."""
    names = wanted.names(tables)
    samples = []
    for table, seed in zip(tables, seeds, strict=True):
        step(f"sampling {table.name}")
        samples.append(table.sample(sample, seed))
        if not len(samples[-1]):
            raise InputError(f"{table.name} has no rows (after `where`, if given): there is nothing to compare.")
    small = [open_table(part, name=table.name) for part, table in zip(samples, tables, strict=True)]
    schema = _schema(small, [part.profile() for part in small], samples, wanted, names)
    found, scales = _converted(samples, schema, {})
    sides = []
    for table, part, inner in zip(tables, samples, small, strict=True):
        step(f"reading {table.name}")
        sides.append(Side(table, part, _scan(inner if len(part) < sample else table, schema, scales)))
    if not all(side.whole for side in sides):
        schema = _schema(tables, [side.scan.profile for side in sides], samples, wanted, names)
        found, scales = _converted(samples, schema, scales)
        sides = [_completed(side, schema, scales) for side in sides]
    return Reading(sides[0], sides[1], schema, found, scales)


def _schema(
    tables: Sequence[Table],
    profiles: Sequence[Sequence[ColumnProfile]],
    samples: Sequence[pl.DataFrame],
    wanted: Wanted,
    names: Sequence[Sequence[str]],
) -> SchemaComparison:
    kinds = []
    for table, profile, sample, columns in zip(tables, profiles, samples, names, strict=True):
        known = {info.name for info in table.columns}
        said = {name: kind for name, kind in wanted.kinds.items() if name in known}
        chosen = set(columns)
        kinds.append([kind for kind in infer_kinds(table, profile, sample, said) if kind.name in chosen])
    return compare_schemas(*kinds)


def _converted(
    samples: Sequence[pl.DataFrame], schema: SchemaComparison, known: Mapping[str, Scale]
) -> tuple[tuple[pl.DataFrame, pl.DataFrame], dict[str, Scale]]:
    """The samples as doubles and text, and scales of the numbers."""
    kinds = {column.name: column.kind for column in schema.common}
    a, b = (convert(sample, kinds) for sample in samples)
    for part, sample in zip((a, b), samples, strict=True):
        for name, kind in kinds.items():
            if part[name].null_count() == len(part) > sample[name].null_count():
                raise InputError(f"kinds: no value of column {name!r} can be read as {kind}; say another, or none.")
    scales = {}
    for name, kind in kinds.items():
        if kind in NUMBERS:
            scales[name] = known.get(name) or Scale.of(np.concatenate([finite(a[name]), finite(b[name])]))
    return (a, b), scales


def finite(series: pl.Series) -> Floats:
    """The finite numbers of a column of doubles."""
    values = np.asarray(series.drop_nulls().to_numpy(), dtype=np.float64)
    return values[np.isfinite(values)]


def _scan(table: Table, schema: SchemaComparison, scales: Mapping[str, Scale]) -> Scan:
    counts = {column.name: COUNTED for column in schema.common if column.kind == "categorical"}
    return table.scan({name: scale.grid for name, scale in scales.items()}, counts)


def _completed(side: Side, schema: SchemaComparison, scales: Mapping[str, Scale]) -> Side:
    """With bins and counts of the columns whose kind was not what the sample made one think."""
    grids = {name: scale.grid for name, scale in scales.items() if name not in side.scan.moments}
    categories = [column.name for column in schema.common if column.kind == "categorical"]
    counts = {name: COUNTED for name in categories if name not in side.scan.counts}
    if not grids and not counts:
        return side
    more = side.table.scan(grids, counts)
    scan = replace(side.scan, moments={**side.scan.moments, **more.moments}, counts={**side.scan.counts, **more.counts})
    return replace(side, scan=scan)
