"""What is said of a column: numbers as people write them, ends of ranges as round as they are true, shares of rows."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, Context
from math import inf, isfinite

import numpy as np

from .._numbers import Measure, duration, shares
from ..core.types import Floats
from .parts import Place

_DIGITS, _MOST_DIGITS = 6, 9  # of numbers, and of those that others are counted up to
_WHOLE = 1e15  # whole numbers below this are written in full
_SHOWN = {86_400 * 10**6: inf, 60 * 10**6: 86_400.0, 10**6: 500.0, 1000: 5.0}
"""Widths at which dates are written to the day, minute, second and millisecond, by these units in microseconds."""


class Words:
    """Numbers of a column as people write them, with as many digits as tell the width of what is shown apart.

    Ends of ranges are exact: their text is the number that rows were counted by.
    """

    def __init__(self, wide: float, kind: str) -> None:
        self.wide, self.kind = wide, kind

    def __call__(self, value: float) -> str:
        if self.kind == "datetime":
            exact = next((wide for unit, wide in _SHOWN.items() if round(1e6 * value) % unit == 0), 0.005)
            return Measure(min(self.wide, exact), dates=True).text(value)
        if self.kind == "duration":
            return duration(value)
        if self.kind == "boolean":
            return "true" if value else "false"
        whole = self.kind == "integer" or value == np.floor(value)
        return f"{value:.0f}" if whole and abs(value) < _WHOLE else f"{value:.{_DIGITS}g}"

    def alone(self, value: float, others: Floats) -> str:
        """A number with so many digits that none of its neighbours is written alike."""
        text = self(value)
        if self.kind == "numeric" and sum(self(other) == text for other in others.tolist()) > 1:
            return _in_full(value)
        return text

    def most(self, last: float, beyond: float) -> str:
        """Numbers up to the last one, and none from `beyond` on: as round as that allows."""
        bound = next((bound for bound in self._above(last) if bound < beyond), None)
        return f"below {self._exactly(beyond)}" if bound is None else f"at most {self._exactly(bound)}"

    def least(self, first: float, before: float) -> str:
        """Numbers from the first one on, and none up to `before`: as round as that allows."""
        bounds = (-bound for bound in self._above(-first))
        return f"at least {self._exactly(next((bound for bound in bounds if bound > before), first))}"

    def _above(self, value: float) -> Iterator[float]:
        """Numbers that are not below a value, the easiest to say first."""
        if self.kind == "integer":
            yield float(np.floor(value))  # whole numbers are: bins may end between them
        elif self.kind in ("datetime", "duration"):
            units = (86_400.0, *((3600.0,) if self.kind == "duration" else ()), 60.0, 1.0, 0.001, 1e-6)
            yield from (float(np.ceil(value / unit)) * unit for unit in units if unit < self.wide)
        elif isfinite(value) and (value != np.floor(value) or abs(value) >= _WHOLE):
            yield from [float(np.ceil(value))] if 10.0 ** (_DIGITS - 1) <= abs(value) < _WHOLE else []
            for digits in range(_DIGITS, _MOST_DIGITS + 1):
                yield float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(repr(value)))
        else:
            yield value

    def _exactly(self, value: float) -> str:
        """With more digits than others, if it needs them."""
        text = self(value)
        return _in_full(value) if self.kind == "numeric" and float(text) != value else text


def _in_full(value: float) -> str:
    """As few digits as no other double has."""
    return repr(value).removesuffix(".0")


def told(
    what: str,
    a: float,
    b: float,
    tables: tuple[str, str],
    low: float | None = None,
    high: float | None = None,
    label: str | None = None,
) -> Place:
    """What holds for these shares of two tables, in a sentence.

    >>> told("at least 64.4", 0.94, 0.0033, ("summer.csv", "winter.csv")).text
    'at least 64.4 in 94 % of summer.csv and in 0.33 % of winter.csv'
    """
    first, second = shares(a, b)
    text = f"{what} in {first} of {tables[0]} and in {second} of {tables[1]}"
    return Place(text, a, b, low, high, label, what)


def values_of(tables: tuple[str, str], missing: tuple[int, int], among: str = "values") -> tuple[str, str]:
    """What the values of a column are called in sentences: as its tables, if none is missing and all are looked at.

    >>> values_of(("A", "B"), (0, 0)), values_of(("A", "B"), (0, 7))
    (('A', 'B'), ('the values of A', 'those of B'))
    """
    some = any(missing) or among != "values"
    return (f"the {among} of {tables[0]}", f"those of {tables[1]}") if some else tables
