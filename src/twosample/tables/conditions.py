"""What rows are beside their values: strata, weights, groups or times, from columns that are not compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import Measure, counted, share
from .._shown import shown
from ..core.strata import Strata
from ..core.types import Floats
from ..embedding.dependence import GroupDesign, SeriesDesign
from ..embedding.designs import Design, StrataDesign, WeightedDesign, effective
from ..errors import InputError, OptionError, checked_names
from ..sources import Table
from ..sources.values import column_of, numbers, strings
from .parts import Finding
from .reading import Reading

if TYPE_CHECKING:
    import polars as pl

BINS = 10
"""Quantile bins of a number by which rows are put into strata."""

REPEATED = 8
"""Rows of both tables to a value, on average, from which on every number is a stratum of its own."""

_FEW = 5  # rows of a table below which a stratum says little by itself
_SHOWN = 3
MISSING = "(missing)"


@dataclass(frozen=True)
class Conditions:
    """The options: at most one of them.

    Parameters
    ----------
    by
        Columns whose values are strata.
    weights, groups, time
        The column of weights, of groups of rows, of times.
    """

    by: tuple[str, ...] = ()
    weights: str | None = None
    groups: str | None = None
    time: str | None = None

    @classmethod
    def of(cls, by: object, weights: object, groups: object, time: object) -> Conditions:
        """Check what was given."""
        names = (by,) if isinstance(by, str) else checked_names("by", by) or ()
        for option, name in (("weights", weights), ("groups", groups), ("time", time)):
            if name is not None and not isinstance(name, str):
                raise OptionError(f"{option}={shown(repr(name), 60)} must be the name of a column.")
        found = cls(names, weights, groups, time)  # type: ignore[arg-type]
        if len(found.given) > 1:
            first, second = list(found.given)[:2]
            raise OptionError(
                f"{first}= and {second}= together are not supported: rows would have to be relabelled by both at once. "
                "Give one of by, weights, groups and time."
            )
        if len(set(names)) < len(names):
            raise OptionError(f"by={list(names)!r} names a column twice.")
        return found

    @property
    def given(self) -> dict[str, tuple[str, ...]]:
        """The options that were given, with their columns."""
        single = {"weights": self.weights, "groups": self.groups, "time": self.time}
        found: dict[str, tuple[str, ...]] = {"by": self.by} if self.by else {}
        return found | {option: (name,) for option, name in single.items() if name is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, which are not compared."""
        return tuple(name for names in self.given.values() for name in names)

    def check(self, tables: Sequence[Table], select: Sequence[str] | None) -> None:
        """Refuse columns that a table does not have, or that are to be compared."""
        for option, names in self.given.items():
            for name in names:
                for table in tables:
                    if name not in {info.name for info in table.columns}:
                        known = ", ".join(repr(info.name) for info in table.columns[:20])
                        raise InputError(f"{option}: {table.name} has no column {name!r}. It has {known}.")
                if select is not None and name in select:
                    raise OptionError(f"select: column {name!r} cannot be compared and stand in {option} as well.")


@dataclass(frozen=True, eq=False)
class Plan:
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
    """

    design: Design
    order: NDArray[np.intp]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it changes nothing: one stratum, or equal weights."""
        design = self.design
        if isinstance(design, StrataDesign):
            return len(design.strata.names) == 1
        return isinstance(design, WeightedDesign) and bool((design.weights == 1).all())


def plan_of(reading: Reading, given: Conditions, kinds: Mapping[str, str], level: float) -> Plan | None:
    """The design that the options ask for; None if rows are exchangeable as they are."""
    if not given.given:
        return None
    sides = reading.a.sample, reading.b.sample
    order = np.arange(len(sides[0]) + len(sides[1]))
    if given.by:
        return _stratified(sides, given.by, order, kinds)
    if given.weights is not None:
        parts = [_weights(side, given.weights, name) for side, name in _named(reading)]
        return _weighted(parts, given.weights, order)
    if given.groups is not None:
        return _grouped([_labels(column_of(side, given.groups)) for side in sides], given.groups, order, level)
    assert given.time is not None
    return _timed(reading, given.time)


def _named(reading: Reading) -> list[tuple[pl.DataFrame, str]]:
    return [(side.sample, side.table.name) for side in (reading.a, reading.b)]


# -- strata


def _stratified(
    sides: tuple[pl.DataFrame, pl.DataFrame], by: tuple[str, ...], order: NDArray[np.intp], kinds: Mapping[str, str]
) -> Plan | None:
    columns, cut = [], []
    for name in by:
        a, b = (column_of(side, name) for side in sides)
        labels, binned = _covariate(a, b, kinds.get(name))
        columns.append(labels)
        cut += [name] * binned
    m = len(sides[0])
    pooled = columns[0] if len(by) == 1 else [", ".join(parts) for parts in zip(*columns, strict=True)]
    strata = Strata.of(pooled[:m], pooled[m:])
    named = ", ".join(by)
    if len(strata.names) == 1:
        said = f"all rows of both tables are in one stratum, {_name(strata.names[0])}: compared as without `by`"
        return Plan(StrataDesign.of(strata), order, (Finding("strata", named, said),))
    if not len(strata.compared):
        raise InputError(
            f"by: no value of {named} has rows of both tables, so that nothing can be compared. The first table has "
            f"{_few(list(dict.fromkeys(pooled[:m])))}; the second has {_few(list(dict.fromkeys(pooled[m:])))}."
        )
    notes = [
        f"Compared within {len(strata.compared)} strata of {named}: rows were relabelled inside each. Effects are "
        "within strata, in units of their spread; pictures are of both tables with the same mix.",
        *(
            f"{name} was cut into {BINS} quantile bins of the pooled rows: what it changes within a bin is still "
            "there, an approximation."
            for name in cut
        ),
    ]
    return Plan(StrataDesign.of(strata), order, tuple(_strata_findings(strata, named)), tuple(notes))


def _covariate(a: pl.Series, b: pl.Series, kind: str | None) -> tuple[list[str], bool]:
    """The stratum of every pooled row by one column, and whether numbers were cut into bins."""
    plain = all(side.dtype.is_numeric() or side.dtype.is_temporal() for side in (a, b))
    if not plain or kind in ("categorical", "text", "identifier"):
        return [*_labels(a), *_labels(b)], False
    values = np.concatenate([numbers(side).fill_null(np.nan).to_numpy() for side in (a, b)])
    present = values[~np.isnan(values)]
    if len(np.unique(present)) * REPEATED <= len(present):
        return [*_labels(a), *_labels(b)], False
    edges = np.unique(np.quantile(present, np.linspace(0, 1, BINS + 1)[1:-1], method="inverted_cdf"))
    bins = np.searchsorted(edges, values, side="left")
    texts = [_text(edge, a) for edge in edges]
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


def _weights(side: pl.DataFrame, column: str, table: str) -> Floats:
    series = column_of(side, column)
    present = numbers(series) if series.dtype.is_numeric() else None
    if present is None:
        raise InputError(f"weights: column {column!r} of {table} holds {series.dtype}; weights are numbers.")
    values = np.asarray(present.fill_null(np.nan).to_numpy(), dtype=np.float64)
    for wrong, what in (
        (np.isnan(values), "missing"), (np.isinf(values), "infinite"), (values < 0, "negative"),
    ):  # fmt: skip
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise InputError(
                f"weights: column {column!r} of {table} has {int(wrong.sum())} {what} weight(s), the first in sampled "
                f"row {row}. Leave such rows out with `where`."
            )
    if not values.any():
        raise InputError(f"weights: all weights of {table} in column {column!r} are 0.")
    _check_even(values / values.max(), column, table)
    return values


def _check_even(weights: Floats, column: str, table: str) -> None:
    """Refuse weights by which several rows are worth fewer than two; the largest is 1."""
    worth = float(weights.sum()) ** 2 / float(weights @ weights)
    if len(weights) > 1 and worth < 2 - 1e-9:
        raise InputError(
            f"weights: by column {column!r} the {len(weights):,} rows of {table} are worth only {worth:.3g} of equal "
            f"weight (Kish's effective sample size); a test needs 2 or more. The largest weight is "
            f"{share(1 / float(weights.sum()))} of their sum. Check the weights, cap the largest, or leave such rows "
            "out with `where`."
        )


def _weighted(parts: list[Floats], column: str, order: NDArray[np.intp]) -> Plan | None:
    worth = [effective(part) for part in parts]
    said = " and ".join(f"{len(part):,} rows are worth {own:,}" for part, own in zip(parts, worth, strict=True))
    finding = Finding("weights", column, f"effective sample sizes (Kish): {said} of equal weight")
    note = (
        f"Rows count by their weight in {column}, among the rows of their table; rows and weights were relabelled "
        "together. Shares of rows are compared by the normal law, with the variance over relabellings."
    )
    design = WeightedDesign.of(np.concatenate(parts), len(parts[0]))
    return Plan(design, order, (finding,), (note,))


def _grouped(parts: list[list[str]], column: str, order: NDArray[np.intp], level: float) -> Plan:
    a, b = ({*part} for part in parts)
    if MISSING in a | b:
        raise InputError(f"groups: column {column!r} has missing values; every row needs a group. Use `where`.")
    both = sorted(a & b)
    if both:
        raise InputError(
            f"groups: {len(both)} group(s) of {column!r} occur in both tables, such as {_few(both)}. Rows of a group "
            f"move together, so it belongs to one table. For units that were measured in both, use by={column!r}."
        )
    if min(len(a), len(b)) < 2:
        raise InputError(f"groups: column {column!r} needs at least 2 groups in each table, not {len(a)} and {len(b)}.")
    code = {name: i for i, name in enumerate([*dict.fromkeys(parts[0]), *dict.fromkeys(parts[1])])}
    groups = np.array([code[name] for part in parts for name in part], dtype=np.intp)
    note = (
        f"Whole groups of {column} were relabelled: {len(a):,} and {len(b):,} groups of {len(parts[0]):,} and "
        f"{len(parts[1]):,} rows. Shares of rows are compared by the normal law, with the variance over relabellings."
    )
    design = GroupDesign(len(parts[0]), len(parts[1]), groups)
    return Plan(design, order, _few_groups(design, column, level), (note,))


def _few_groups(design: GroupDesign, column: str, level: float) -> tuple[Finding, ...]:
    """That no difference can be shown, where even the smallest p-value, doubled for the joint test, is too large."""
    if 2 * design.least <= level:
        return ()
    a, b = design.counts
    said = (
        f"{a} and {b} groups can be relabelled in {comb(a + b, a)} ways only: the smallest possible p-value is "
        f"{design.least:.2g} ({2 * design.least:.2g} adjusted), so no difference of values can be shown at level "
        f"{level:g}, however large. More groups are needed"
    )
    return (Finding("groups", column, said),)


def _timed(reading: Reading, column: str) -> Plan:
    orders = []
    for side, name in _named(reading):
        times = numbers(column_of(side, column)).fill_null(np.nan).to_numpy()
        if np.isnan(times).any():
            raise InputError(
                f"time: column {column!r} of {name} has {int(np.isnan(times).sum())} value(s) that are missing, or "
                "neither dates nor numbers; every row needs a time. Leave such rows out with `where`."
            )
        orders.append(np.argsort(times, kind="stable"))
    m = len(orders[0])
    thin = [f"{len(side.sample):,} of {side.scan.rows:,}" for side in (reading.a, reading.b) if not side.whole]
    sampled = f" Of long series a random sample was taken: {' and '.join(thin)} rows." if thin else ""
    note = (
        f"Rows in the order of {column}, by the wild bootstrap: neighbours may be alike. Approximate; remove trends "
        f"and seasons first. Shares of rows are compared by Student's law with the long-run variance.{sampled}"
    )
    return Plan(SeriesDesign(m, len(orders[1])), np.concatenate([orders[0], m + orders[1]]), (), (note,))


def _name(stratum: Any) -> str:
    return shown(repr(stratum), 40)


def _few(names: Sequence[Any]) -> str:
    """Some names in quotes, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(_name, names[:_SHOWN])) + more
