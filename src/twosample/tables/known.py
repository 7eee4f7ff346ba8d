"""The numbers of a column that people know, as text: one line for each, both tables side by side."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from math import floor, isfinite
from typing import TYPE_CHECKING

from .. import _numbers as numbers
from ..embedding.judge import JOINT
from .parts import ColumnComparison, ColumnFacts, Number

if TYPE_CHECKING:
    from .results import Comparison

Known = tuple[str, str, str]  # what it is, in the first table, in the second


def known_numbers(column: ColumnComparison) -> tuple[Known, ...]:
    """Rows, missing values, moments, quantiles, range and different values of both tables."""
    return tuple(_lines(column, column.a, column.b))


def distance_text(column: ColumnComparison) -> str:
    """The Wasserstein distance in the unit of the column; empty if there is none."""
    if column.wasserstein is None or column.kind == "boolean":
        return ""
    if column.kind == "duration":
        return _lasting(column.wasserstein)
    return numbers.days(column.wasserstein) if column.kind == "datetime" else f"{column.wasserstein:.3g}"


def floors(column: ColumnComparison, result: Comparison) -> tuple[float, float]:
    """The p-value and the adjusted p-value of a column where its tests could not give smaller ones; else 0."""
    least = 1 / (column.resamples + 1) if column.resamples else 0.0
    alone = column.pvalue if column.kernel_pvalue <= min(least * (1 + 1e-9), column.pvalue) else 0.0
    bound = alone or column.adjusted_pvalue == joint_floor(result) / JOINT
    return alone, column.adjusted_pvalue if bound else 0.0


def joint_floor(result: Comparison) -> float:
    """The p-value of the joint test if it is the smallest that it could give; else 0."""
    joint = result.joint
    return joint.pvalue if joint is not None and joint.pvalue <= joint.law.least * (1 + 1e-9) else 0.0


def _lines(column: ColumnComparison, a: ColumnFacts, b: ColumnFacts) -> Iterator[Known]:
    yield "rows", numbers.count(a.rows), numbers.count(b.rows)
    if a.missing or b.missing:
        yield "missing", _missing(a), _missing(b)
    if a.mean is not None and b.mean is not None and column.kind != "boolean":
        text = _Digits.of(column)
        yield "mean", text(a.mean, between=True), text(b.mean, between=True)
        yield "sd", text.width(a.sd), text.width(b.sd)
        yield "min", text(a.min), text(b.min)
        for share in (0.01, 0.05, 0.25):
            yield f"{share:.0%}".replace("%", " %"), text(a.quantiles.get(share)), text(b.quantiles.get(share))
        yield "median", text(a.median), text(b.median)
        for share in (0.75, 0.95, 0.99):
            yield f"{share:.0%}".replace("%", " %"), text(a.quantiles.get(share)), text(b.quantiles.get(share))
        yield "max", text(a.max), text(b.max)
    if a.distinct is not None or b.distinct is not None:
        yield "distinct", _distinct(a), _distinct(b)


def _missing(facts: ColumnFacts) -> str:
    return f"{numbers.count(facts.missing)} ({numbers.share(facts.missing / max(facts.rows, 1))})"


def _distinct(facts: ColumnFacts) -> str:
    if facts.distinct is None:
        return "–"
    return f"{'' if facts.distinct_exact else 'about '}{numbers.count(facts.distinct)}"


class _Digits:
    """Numbers of one column as text, with as many digits as tell its quantiles apart."""

    def __init__(self, measure: numbers.Measure) -> None:
        self.measure = measure

    @classmethod
    def of(cls, column: ColumnComparison) -> _Digits:
        """From the quantiles of both tables."""
        ends = [facts.quantiles.get(share) for facts in (column.a, column.b) for share in (0.05, 0.95)]
        places = [seconds(end) for end in ends if end is not None]
        wide = max(places, default=0.0) - min(places, default=0.0)
        step = 1.0 if column.kind == "integer" else 0.0
        return cls(numbers.Measure(wide, step, column.kind == "datetime", column.kind == "duration"))

    def __call__(self, value: Number, between: bool = False) -> str:
        if value is None:
            return "–"
        number = seconds(value)
        if self.measure.dates or self.measure.spans:
            return self.measure.text(number)
        if not between and isinstance(value, int):
            return str(value) if abs(value) < 1e15 else f"{value:.6g}"
        if self.measure.step and number != floor(number):
            return f"{number:.1f}" if not between and self.measure.wide > 1 else self.measure.text(number, True)
        return self.measure.text(number, between)

    def width(self, value: float | None) -> str:
        """A deviation."""
        if value is None or not isfinite(value):
            return "–"
        if self.measure.spans:
            return _lasting(value)
        return numbers.days(value) if self.measure.dates else self.measure.text(value, between=True)


def _lasting(days: float) -> str:
    """A width of durations, which is kept in days."""
    return numbers.Measure(86_400.0 * days, spans=True).text(86_400.0 * days)


def seconds(value: float | datetime | time | timedelta) -> float:
    """A number as a double: dates in seconds since 1970, times since midnight, durations in seconds."""
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC).timestamp()
    if isinstance(value, time):
        return value.hour * 3600.0 + value.minute * 60.0 + value.second + value.microsecond / 1e6
    return float(value)
