"""Several tables side by side: their rows in coordinates of all columns, and one test of all tables at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .._numbers import counted
from .._shown import few, shown
from ..core.types import Floats
from ..engines import LowRank
from ..errors import InputError
from ..homogeneity import KSampleResult, ksample_test
from ..sources import ColumnKind
from ..sources.kinds import NUMBERS
from ..sources.values import column_of, columns_of, numbers, stacked
from ..structured.coordinates import TableRows, coordinates, read_rows
from ..structured.levels import LARGEST
from .designing import covariate, weights_of
from .joint import RANK
from .options import Conditions

if TYPE_CHECKING:
    import polars as pl

ROWS = 5_000
"""Rows of all tables together that are tested at once."""


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Rows of several tables in coordinates: numbers in units of their median distance in all, as far apart as words.

    Kinds, levels and scales come from the rows of all tables, without a look at which row is of which.
    """

    columns: Mapping[str, tuple[Floats, ...]]  # (rows, c) of every table, by column
    notes: tuple[str, ...]  # what was left out

    @classmethod
    def of(
        cls,
        frames: Mapping[str, pl.DataFrame],
        kinds: Mapping[str, str] | None = None,
        select: Sequence[str] | None = None,
        exclude: Sequence[str] = (),
    ) -> SideBySide:
        """The columns that all tables have and that can be compared; names are those of the tables in messages."""
        wanted, shared = _wanted(frames, kinds or {}, select, exclude)
        said = {name: kind for name, kind in (kinds or {}).items() if name in shared}
        parts = [columns_of(frame, shared) for frame in frames.values()]
        rows, alone = _read(stacked(parts), said), [_read(part, said).kinds for part in parts]
        used = rows.usable(None, None)
        endless = {name: _beyond(rows.frame, name) for name, kind in used.items() if kind.base in NUMBERS}
        numbered = set.intersection(*({kind.name for kind in of if kind.kind == "identifier"} for of in alone))
        why = {
            **dict.fromkeys(wanted, "not in every table"),
            **dict.fromkeys(shared, ""),
            **{kind.name: kind.kind for kind in rows.kinds if kind.name not in used},
            **{name: why for name, why in endless.items() if why},
            **dict.fromkeys(numbered, "identifier"),
        }
        lost = [f"{shown(name, 60)} left out: {reason}" for name, reason in why.items() if reason]
        used = {name: kind for name, kind in used.items() if not why[name]}
        if not used:
            why_not = few(lost, 5)
            raise InputError(f"No column can be compared: {why_not}. Say what they mean with kinds={{...}}.")
        held = [{kind.name: _numbers(kind, part) for kind in of} for of, part in zip(alone, parts, strict=True)]
        odd = {name for name in used if {True, False} <= {of[name] for of in held}}
        lost += [
            f"{shown(name, 60)} holds numbers in some tables and others not: compared as {kind.kind}"
            for name, kind in used.items()
            if name in odd
        ]
        stops = np.cumsum([len(frame) for frame in parts])[:-1]
        found = coordinates(rows.frame, used, units=False)
        return cls({name: tuple(np.split(part, stops)) for name, part in found.items()}, tuple(lost))

    @property
    def rows(self) -> list[Floats]:
        """``(rows, c)`` all coordinates of each table."""
        return [np.concatenate(parts, axis=1) for parts in zip(*self.columns.values(), strict=True)]


def _wanted(
    frames: Mapping[str, pl.DataFrame], kinds: Mapping[str, str], select: Sequence[str] | None, exclude: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The columns that are asked for, and those of them that all tables have; refuses names that no table has."""
    every = list(dict.fromkeys(name for frame in frames.values() for name in frame.columns))
    for option, names in (("select", select or ()), ("exclude", exclude), ("kinds", kinds)):
        for name in names:
            if name not in every:
                known = ", ".join(map(repr, every[:20]))
                raise InputError(f"{option}: no table has a column {name!r}. They have {known}.")
    wanted = [name for name in (select or every) if name not in exclude]
    shared = [name for name in wanted if all(name in frame.columns for frame in frames.values())]
    if not shared:
        raise InputError(f"{', '.join(map(shown, frames))} have no column in common that is to be compared.")
    return wanted, shared


def _read(frame: pl.DataFrame, kinds: Mapping[str, str]) -> TableRows:
    return read_rows(frame, sample=None, seed=0, where=None, kinds=kinds)


def _numbers(kind: ColumnKind, frame: pl.DataFrame) -> bool | None:
    """Whether a column holds numbers, those that tell rows apart too; None if it has nothing to compare."""
    if kind.base is None:
        return None
    return kind.base in NUMBERS or kind.from_text or column_of(frame, kind.name).dtype.is_numeric()


def _beyond(frame: pl.DataFrame, name: str) -> str:
    """Why there are numbers that cannot be measured; empty if there are none."""
    values = np.abs(numbers(column_of(frame, name)).to_numpy())
    if np.isinf(values).any():
        return "infinite values"
    return f"numbers beyond {LARGEST:g}" if (values >= LARGEST).any() else ""


def all_at_once(
    frames: Mapping[str, pl.DataFrame],
    given: Conditions,
    kinds: Mapping[str, str] | None,
    select: Sequence[str] | None,
    exclude: Sequence[str],
    level: float,
    seed: int,
) -> tuple[KSampleResult | None, tuple[str, ...]]:
    """One test of all tables, on some rows of each; None where rows depend on each other or were sampled by design."""
    if given.groups or given.design_weights or given.time:
        option = next(name for name in given.given if name not in ("by", "weights"))
        return None, (f"There is no test of all tables at once with {option}=.",)
    try:
        return _at_once(frames, given, kinds or {}, select, exclude, level, seed)
    except InputError as error:  # pairs have columns in common that not all tables have, and the like
        return None, (f"All tables at once were not tested: {error}",)


def _at_once(
    frames: Mapping[str, pl.DataFrame],
    given: Conditions,
    kinds: Mapping[str, str],
    select: Sequence[str] | None,
    exclude: Sequence[str],
    level: float,
    seed: int,
) -> tuple[KSampleResult, tuple[str, ...]]:
    most, rng = ROWS // len(frames), np.random.default_rng(seed)
    part = {
        name: frame if len(frame) <= most else frame[np.sort(rng.permutation(len(frame))[:most])]
        for name, frame in frames.items()
    }
    side = SideBySide.of(part, kinds, select, [*exclude, *given.names])
    options: dict[str, object] = {}
    if given.by:
        parts = list(part.values())
        values = [covariate([column_of(one, name) for one in parts], kinds.get(name))[0] for name in given.by]
        labels = np.array([" ".join(map(repr, row)) for row in zip(*values, strict=True)])
        options["by"] = np.split(labels, np.cumsum([len(one) for one in parts])[:-1])
    if given.weights:
        options["weights"] = [weights_of(frame, given.weights, name, given) for name, frame in part.items()]
    result = ksample_test(side.rows, pairs=False, level=level, engine=LowRank(max_rank=RANK), rng=seed, **options)  # type: ignore[arg-type]
    many = sum(map(len, frames.values()))
    looked = f"{sum(result.sizes):,} of {counted(many, 'row')}" if sum(result.sizes) < many else counted(many, "row")
    columns = counted(len(side.columns), "column")
    note = f"All tables at once: {looked}, {columns}, relabelled among all tables (ksample_test)."
    return result, (note, *side.notes)
