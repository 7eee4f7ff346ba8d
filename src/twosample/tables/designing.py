"""What rows are beside their values, as a design: from the options, and the columns that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._door import scale_notes
from .._numbers import Measure, counted, share
from .._shown import few, shown
from ..core.strata import Strata
from ..core.types import Floats
from ..embedding.dependence import SeriesDesign
from ..embedding.designs import Design, effective
from ..embedding.relabelled import RelabelledDesign
from ..embedding.sampled import SampledDesign
from ..errors import InputError
from ..sources.values import column_of, numbers, strings
from .options import Conditions
from .parts import Finding
from .reading import Reading

if TYPE_CHECKING:
    import polars as pl

BINS = 10  # quantile bins of a number by which rows are put into strata
REPEATED = 8  # rows of both tables to a value, on average, from which on every number is a stratum of its own

_FEW = 5  # rows of a table below which a stratum says little by itself
_SHOWN = 3
MISSING = "(missing)"


@dataclass(frozen=True, eq=False)
class RowPlan:
    """A design for the sampled rows of two tables.

    Parameters
    ----------
    design
        What follows for tests.
    order
        ``(N,)`` which pooled row is at which place of the design; those of the first table come first.
    findings
        What is worth knowing: the mix, strata that cannot be compared, effective sizes.
    notes
        How it was done.
    groups
        How many groups of rows the two tables have; empty if rows stand for themselves.
    """

    design: Design
    order: NDArray[np.intp]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()

    @property
    def least(self) -> float:
        """The smallest p-value that relabelling can give; 0 where nothing is relabelled."""
        return self.design.units.floor() if isinstance(self.design, RelabelledDesign) else 0.0

    @property
    def plain(self) -> bool:
        """Whether it changes nothing: one stratum, or equal weights."""
        design = self.design
        return isinstance(design, RelabelledDesign) and design.plain and len(design.strata.names) == 1


def plan_of(reading: Reading, given: Conditions, kinds: Mapping[str, str]) -> RowPlan:
    """The design that the options ask for."""
    if given.time is not None:
        return _timed(reading, given.time)
    sides = reading.a.sample, reading.b.sample
    m, n = map(len, sides)
    column = given.weights or given.design_weights
    parts = [] if column is None else [weights_of(side, column, name, given) for side, name in _named(reading)]
    weights = None if all((part == part[0]).all() for part in parts) else np.concatenate(parts)
    sampled = given.design_weights is not None and weights is not None
    strata = Strata.one(m, n)
    notes: list[str] = []
    findings: list[Finding] = []
    counts: tuple[int, ...] = ()
    if given.by:
        strata, notes, findings = _stratified(sides, given.by, kinds, _ONE_MIX if sampled else _WITHIN)
    if column is not None:
        findings.append(_effective(parts, column))
        notes += _weighing(parts, column, given, weights is not None)
    if sampled and weights is not None:
        design: Design = SampledDesign(m, n, weights, strata if len(strata.names) > 1 else None)
    elif given.groups is None:
        design = RelabelledDesign.of(strata, weights)
    else:
        groups = _groups([_labels(column_of(side, given.groups)) for side in sides], given.groups, given.called)
        if given.by:
            _check_nested(groups, strata, given)
        design = RelabelledDesign.of(strata, weights, groups)
        counts = tuple(len(np.unique(part)) for part in (groups[:m], groups[m:]))
        notes.append(_group_note(counts, given.groups, m, n))
    return RowPlan(design, np.arange(m + n), tuple(findings), tuple(notes), counts)


def _weighing(parts: list[Floats], column: str, given: Conditions, counts: bool) -> list[str]:
    """How rows were weighed; `counts`: whether weights differ."""
    if not counts:
        same = f"All weights of a table are the same in {column}: they weigh nothing, and are left out."
        return [same] if parts[0][0] != parts[1][0] else []
    if given.design_weights:
        return [_STAYING.format(column)]
    whose = f"Weights in {column}: those of the first table"
    return [_MOVING.format(column), *scale_notes(parts[0], parts[1], whose, "`design_weights`")]


def _named(reading: Reading) -> list[tuple[pl.DataFrame, str]]:
    return [(side.sample, side.table.name) for side in (reading.a, reading.b)]


# -- strata


_WITHIN = (
    "Compared within {} strata of {}: rows were relabelled inside each. Effects are within strata, in units of their "
    "spread; pictures are of both tables with the same mix."
)
_ONE_MIX = (
    "{} strata of {}: weights were changed so that each counts as much in both tables; tests, effects and pictures are "
    "of tables with the same mix. Differences that point in opposite directions in two strata cancel."
)


def _stratified(
    sides: tuple[pl.DataFrame, pl.DataFrame], by: tuple[str, ...], kinds: Mapping[str, str], how: str
) -> tuple[Strata, list[str], list[Finding]]:
    """The strata, how they were made, and what is worth knowing of them."""
    columns, cut = [], []
    for name in by:
        labels, binned = covariate([column_of(side, name) for side in sides], kinds.get(name))
        columns.append(labels)
        cut += [name] * binned
    m = len(sides[0])
    pooled = columns[0] if len(by) == 1 else [", ".join(parts) for parts in zip(*columns, strict=True)]
    strata = Strata.of(pooled[:m], pooled[m:])
    named = ", ".join(by)
    if len(strata.names) == 1:
        said = f"all rows of both tables are in one stratum, {_name(strata.names[0])}: compared as without `by`"
        return strata, [], [Finding("strata", named, said)]
    if not len(strata.compared):
        raise InputError(
            f"by: no value of {named} has rows of both tables, so that nothing can be compared. The first table has "
            f"{_few(list(dict.fromkeys(pooled[:m])))}; the second has {_few(list(dict.fromkeys(pooled[m:])))}."
        )
    notes = [
        how.format(len(strata.compared), named),
        *(
            f"{name} was cut into {BINS} quantile bins of the pooled rows: what it changes within a bin is still "
            "there, an approximation."
            for name in cut
        ),
    ]
    return strata, notes, _strata_findings(strata, named)


def covariate(sides: Sequence[pl.Series], kind: str | None) -> tuple[list[str], bool]:
    """The stratum of every pooled row by one column of all tables, and whether numbers were cut into bins."""
    plain = all(side.dtype.is_numeric() or side.dtype.is_temporal() for side in sides)
    if not plain or kind in ("categorical", "text", "identifier"):
        return [label for side in sides for label in _labels(side)], False
    values = np.concatenate([numbers(side).fill_null(np.nan).to_numpy() for side in sides])
    present = values[~np.isnan(values)]
    if len(np.unique(present)) * REPEATED <= len(present):
        return [label for side in sides for label in _labels(side)], False
    edges = np.unique(np.quantile(present, np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf"))
    bins = np.searchsorted(edges, values, side="left")
    texts = [_text(edge, sides[0]) for edge in edges]
    ends = [f"up to {texts[0]}", *(f"{low} to {high}" for low, high in pairwise(texts))]
    ends.append(f"above {texts[-1]}")
    return [MISSING if np.isnan(v) else ends[i] for v, i in zip(values.tolist(), bins.tolist(), strict=True)], True


def _text(edge: float, like: pl.Series) -> str:
    """A number as it is written in its column."""
    if not like.dtype.is_temporal():
        return f"{edge:.6g}"
    return Measure(20 * 86_400.0, dates=True).text(float(edge))


def _labels(series: pl.Series) -> list[str]:
    """Values as text; what is missing has a name of its own."""
    found = series.fill_nan(None) if series.dtype.is_float() else series
    return [str(value) for value in strings(found).fill_null(MISSING).to_list()]


def _strata_findings(strata: Strata, named: str) -> list[Finding]:
    """Strata that only one table has, and those with few rows."""
    found = []
    for own, other, table in ((strata.x, strata.y, "first"), (strata.y, strata.x, "second")):
        alone = np.flatnonzero((own > 0) & (other == 0))
        if len(alone):
            rows = int(own[alone].sum())
            size = f"{counted(rows, 'row')} ({share(rows / own.sum())} of the table)"
            names = _few([strata.names[i] for i in alone[np.argsort(-own[alone], kind="stable")]])
            count = "1 stratum" if len(alone) == 1 else f"{len(alone)} strata"
            said = f"{count} only in the {table} table, {size}, not compared: {names}"
            found.append(Finding("strata", named, said))
    few = np.minimum(strata.x, strata.y)[strata.compared] < _FEW
    if few.any():
        rows = int((strata.x + strata.y)[strata.compared][few].sum())
        have = f"{int(few.sum())} of {len(few)} strata have fewer than {_FEW} rows of a table"
        said = f"{have} ({counted(rows, 'row')} in all)"
        found.append(Finding("strata", named, f"{said}: they count in what all strata share, and say little alone"))
    return found


# -- weights, groups, time


def weights_of(side: pl.DataFrame, column: str, table: str, given: Conditions) -> Floats:
    """The weights of the rows of one table, checked."""
    option = "weights" if given.weights is not None else "design_weights"
    series = column_of(side, column)
    present = numbers(series) if series.dtype.is_numeric() else None
    if present is None:
        raise InputError(f"{option}: column {column!r} of {table} holds {series.dtype}; weights are numbers.")
    values = np.asarray(present.fill_null(np.nan).to_numpy(), dtype=np.float64)
    for wrong, what in (
        (np.isnan(values), "missing"), (np.isinf(values), "infinite"), (values < 0, "negative"),
    ):  # fmt: skip
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"{option}: column {column!r} of {table} has {int(wrong.sum())} {what} weight(s), the first in sampled "
                f"row {row}. Leave such rows out with `where`."
            )
    if not values.any():
        raise InputError(f"{option}: all weights of {table} in column {column!r} are 0.")
    return values


_SHARES = (
    "Shares of rows are compared by the normal law over relabellings; of few rows, by an exact bound of their number."
)
_MOVING = (
    "Rows count by their weight in {}, among the rows of their table; rows and weights were relabelled together. "
    f"{_SHARES}"
)
_STAYING = (
    "Rows count by their weight in {}, which is that of a design: one over the chance of being taken. Nothing was "
    "relabelled; p-values are those of the wild bootstrap with independent rows, by the variance of each table or by "
    "one for both, whichever gives the larger one: right for large samples. Shares of rows are compared by Student's "
    "law; of few rows, by no less than Fisher's p-value of what they are worth."
)


def _effective(parts: list[Floats], column: str) -> Finding:
    worth = [effective(part) for part in parts]
    said = " and ".join(f"{len(part):,} rows are worth {own:,}" for part, own in zip(parts, worth, strict=True))
    return Finding("weights", column, f"effective sample sizes (Kish): {said} of equal weight")


def _groups(parts: list[list[str]], column: str, option: str) -> NDArray[np.intp]:
    """``(N,)`` the group of every row, those of the first table first."""
    a, b = ({*part} for part in parts)
    if MISSING in a | b:
        raise InputError(f"{option}: column {column!r} has missing values; every row needs a group. Use `where`.")
    both = sorted(a & b)
    if both:
        raise InputError(
            f"{option}: {len(both)} group(s) of {column!r} occur in both tables, such as {_few(both)}. Rows of a group "
            f"move together, so it belongs to one table. For units that were measured in both, use by={column!r}."
        )
    if min(len(a), len(b)) < 2:
        have = f"not {len(a)} and {len(b)}"
        raise InputError(f"{option}: column {column!r} needs at least 2 groups in each table, {have}.")
    code = {name: i for i, name in enumerate([*dict.fromkeys(parts[0]), *dict.fromkeys(parts[1])])}
    return np.array([code[name] for part in parts for name in part], dtype=np.intp)


def _check_nested(groups: NDArray[np.intp], strata: Strata, given: Conditions) -> None:
    """Refuse groups with rows of several strata: they cannot be relabelled within one."""
    pairs = np.unique(np.stack([groups, strata.of_row], axis=1), axis=0)
    several = np.flatnonzero(np.bincount(pairs[:, 0]) > 1)
    if len(several):
        names = [strata.names[s] for s in pairs[pairs[:, 0] == several[0], 1].tolist()]
        raise InputError(
            f"by= and {given.called}=: {len(several)} group(s) of {given.groups!r} have rows in several strata of "
            f"{', '.join(given.by)}; the first is in {_few(names)}. Groups are relabelled as a whole within strata, so "
            "a group belongs to one stratum. Give one of the two options."
        )


def _group_note(counts: tuple[int, ...], column: str, m: int, n: int) -> str:
    return (
        f"Whole groups of {column} were relabelled: {counts[0]:,} and {counts[1]:,} groups of {m:,} and {n:,} rows. "
        f"{_SHARES}"
    )


def _timed(reading: Reading, column: str) -> RowPlan:
    orders = []
    for side, name in _named(reading):
        times = numbers(column_of(side, column)).fill_null(np.nan).to_numpy()
        if len(times) and np.isnan(times).all():
            raise InputError(f"time: column {column!r} of {name} holds neither dates nor numbers. Name one that does.")
        if np.isnan(times).any():
            raise InputError(
                f"time: column {column!r} of {name} has {int(np.isnan(times).sum())} value(s) that are missing, or "
                "neither dates nor numbers; every row needs a time. Leave such rows out with `where`."
            )
        orders.append(np.argsort(times, kind="stable"))
    m = len(orders[0])
    thin = [f"{len(side.sample):,} of {side.rows:,}" for side in (reading.a, reading.b) if not side.whole]
    sampled = f" Of long series a random sample was taken: {' and '.join(thin)} rows." if thin else ""
    note = (
        f"Rows in the order of {column}, by the wild bootstrap: neighbours may be alike. Where one variance for both "
        "tables gives a larger p-value, it is that. Approximate; remove trends and seasons first. "
        f"Shares of rows are compared by Student's law with the long-run variance.{sampled}"
    )
    return RowPlan(SeriesDesign(m, len(orders[1])), np.concatenate([orders[0], m + orders[1]]), (), (note,))


def _name(stratum: Any) -> str:
    return shown(repr(stratum), 40)


def _few(names: Sequence[Any]) -> str:
    return few(names, _SHOWN, _name)
