"""The numbers that people know, of either table: from bins, profiles and samples that are there already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from .._pictures import WeightedNumbers
from ..core.types import Floats
from ..sources import ColumnProfile
from .parts import ColumnFacts, Number

if TYPE_CHECKING:
    from ..embedding import Levels
    from ..summaries import BinnedColumn

QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
SHARES = 20  # categories of which shares are kept

_DAY = 86_400.0
_LONGEST = 8e13  # seconds of a duration that Python knows


def binned_numbers(column: BinnedColumn, sample: Floats) -> WeightedNumbers:
    """Bins of all rows; what lies beyond them is where the sample has it, or at their ends."""
    place, rows, deviation = replace(column, below=0, above=0).points()
    low, high = (float(edge) for edge in column.grid.edges[list(column.ends)])
    parts = [(place, rows, np.sqrt(3) * deviation)]
    sides = ((low, column.below, sample[sample < low]), (high, column.above, sample[sample >= high]))
    for end, count, outside in sides:
        known = np.sort(outside[np.isfinite(outside)])
        known = known if len(known) else np.array([end])  # no row beyond was drawn
        if count:
            parts.append((known, np.full(len(known), count / len(known)), np.zeros(len(known))))
    values, weights, reach = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(values, kind="stable")
    return WeightedNumbers(values[order], weights[order], reach[order])


def wasserstein(a: WeightedNumbers, b: WeightedNumbers) -> float:
    r"""The distance :math:`\int |F(t) - G(t)|\,dt` of two distribution functions."""
    places = np.concatenate([a.values, b.values])
    order = np.argsort(places, kind="stable")
    places = places[order]
    jumps = np.concatenate([a.rows / a.total, -b.rows / b.total])[order]
    return float(np.sum(np.abs(np.cumsum(jumps)[:-1]) * np.diff(places)))


def distance(numbers: tuple[WeightedNumbers, WeightedNumbers], kind: str) -> float:
    """The Wasserstein distance in the unit of a column, dates and durations in days."""
    return wasserstein(*numbers) / (_DAY if kind in ("datetime", "duration") else 1.0)


def number_facts(
    numbers: WeightedNumbers, profile: ColumnProfile, missing: tuple[int, int], kind: str, step: float
) -> ColumnFacts:
    """A column of numbers in one table; `missing`: its rows, and those without a value."""
    rows, gone = missing
    if not len(numbers.values):
        return ColumnFacts(rows, gone, distinct=profile.distinct, distinct_exact=profile.exact)
    ends = (float(numbers.values[0]), float(numbers.values[-1]))
    if isinstance(profile.min, int | float) and isinstance(profile.max, int | float):
        ends = (float(profile.min), float(profile.max))
    mean, sd = profile.mean, profile.std
    if mean is None or sd is None:  # not known, or the squares are beyond a double
        own = _moments(numbers)
        mean, sd = (own[0] if mean is None else mean), own[1]
    if kind == "boolean":
        share = 0.0 if mean is None else float(mean) * (1 - gone / max(rows, 1))
        shares = {"true": share, "false": 1 - gone / max(rows, 1) - share}
        return ColumnFacts(rows, gone, mean=mean, distinct=profile.distinct, shares=shares)
    dates, spans = kind == "datetime", kind == "duration"
    form = _Form(dates, dates and 0 <= ends[0] <= ends[1] <= _DAY, spans, kind == "integer")
    found = [form(value) for value in numbers.quantiles(np.array(QUANTILES), step).tolist()]
    return ColumnFacts(
        rows,
        gone,
        mean=replace(form, whole=False)(mean),
        sd=None if sd is None else sd / _DAY if dates or spans else sd,
        median=found[QUANTILES.index(0.5)],
        quantiles={share: value for share, value in zip(QUANTILES, found, strict=True) if share != 0.5},
        min=form(ends[0]),
        max=form(ends[1]),
        distinct=profile.distinct,
        distinct_exact=profile.exact,
    )


def level_facts(
    levels: Levels | None, profiles: tuple[ColumnProfile, ColumnProfile], missing: tuple[tuple[int, int], ...]
) -> tuple[ColumnFacts, ColumnFacts]:
    """A column of categories or texts in both tables."""
    shares: list[Mapping[str, float]] = [{}, {}]
    if levels is not None and len(levels.labels):
        parts = [
            counts / max(float(counts.sum()), 1.0) * (1 - gone / max(rows, 1))
            for counts, (rows, gone) in zip((levels.x, levels.y), missing, strict=True)
        ]
        top = np.argsort(-np.maximum(*parts), kind="stable")[:SHARES].tolist()
        shares = [{levels.labels[i]: float(part[i]) for i in top} for part in parts]
    first, second = (
        ColumnFacts(*own, distinct=profile.distinct, distinct_exact=profile.exact, shares=share)
        for own, profile, share in zip(missing, profiles, shares, strict=True)
    )
    return first, second


def _moments(numbers: WeightedNumbers) -> tuple[float | None, float | None]:
    """Mean and sample standard deviation."""
    total, scale = numbers.total, max(float(np.abs(numbers.values).max()), 2.0**-1000)
    values = numbers.values / scale
    mean = float(numbers.rows @ values) / total
    squares = float(numbers.rows @ ((values - mean) ** 2 + (numbers.reach / scale) ** 2 / 3))
    sd = scale * float(np.sqrt(squares / (total - 1))) if total > 1 else None
    return scale * mean, sd if sd is None or isfinite(sd) else None


@dataclass(frozen=True)
class _Form:
    """What doubles of a column are: seconds since 1970 or since midnight, durations in seconds, whole numbers."""

    dates: bool
    clock: bool
    spans: bool
    whole: bool

    def __call__(self, value: object) -> Number:
        if not isinstance(value, int | float) or not isfinite(value):
            return None
        if self.clock:
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
            return moment.time() if value < _DAY else time.max
        if self.spans and abs(value) < _LONGEST:
            return timedelta(seconds=value)
        if self.dates and -6.1e10 < value < 2.2e11:
            return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)).replace(tzinfo=None)
        return int(value) if self.whole and value == int(value) and abs(value) < 2**53 else float(value)
