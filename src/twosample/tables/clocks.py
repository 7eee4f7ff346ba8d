"""Dates and times by the clock and the calendar: hours, weekdays, years, and round times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from ..summaries import SingleValues
from ..summaries.singles import FIRST_YEAR, HOURS, WEEKDAYS, YEARS
from .views import View

_DAY = 86_400.0
_DAYS = "a Monday", "a Tuesday", "a Wednesday", "a Thursday", "a Friday", "a Saturday", "a Sunday"
_YEARS = 60  # different ones that are looked at one by one
_FAR = 8e12  # seconds from 1970 that calendars know

ROUND = {_DAY: "at midnight", 3600.0: "on the hour", 60.0: "on the minute", 1.0: "on the second"}
"""Round times, in seconds."""

Codes = NDArray[np.int64]


def clock_views(x: SingleValues, y: SingleValues) -> Iterator[View]:
    """Hours of the day, days of the week and years, each on its own; seconds since 1970, or since midnight."""
    ends = [end for part in (x, y) for end in part.values[[0, -1]].tolist()] if x.rows and y.rows else [np.inf]
    if not x.dates or not y.dates or not np.isfinite(ends).all() or np.abs(ends).max() > _FAR:
        return
    yield from _each(_hours, HOURS, x, y, {hour: f"between {hour}:00 and {hour}:59" for hour in range(24)})
    yield from _each(_weekdays, WEEKDAYS, x, y, dict(enumerate(_DAYS)))
    first, last = (int(_years(np.array([end]))[0]) for end in (min(ends), max(ends)))
    start = FIRST_YEAR, FIRST_YEAR + YEARS.stop - YEARS.start
    if last - first < _YEARS and start[0] <= first <= last < start[1]:
        yield from _each(_years, YEARS, x, y, {year: f"in {year}" for year in range(*start)})


def _each(
    codes: Callable[[Floats], Codes], part: slice, x: SingleValues, y: SingleValues, names: Mapping[int, str]
) -> Iterator[View]:
    """A view of each code, if there are several; of two, one."""
    first, second = x.classes[part], y.classes[part]
    start = min(names)
    used = np.flatnonzero(first + second)
    for place in used[: len(used) if len(used) > 2 else len(used) - 1].tolist():
        both = int(first[place]), int(second[place])
        holds = partial(_is, codes, place + start)
        yield View("clock", names[place + start], *both, x.rows, y.rows, holds=holds)


def _is(codes: Callable[[Floats], Codes], code: int, seconds: Floats) -> NDArray[np.bool_]:
    return np.asarray(codes(seconds) == code)


def _days(seconds: Floats) -> Codes:
    return np.floor(seconds / _DAY).astype(np.int64)


def _hours(seconds: Floats) -> Codes:
    return np.floor(seconds % _DAY / 3600.0).astype(np.int64)


def _weekdays(seconds: Floats) -> Codes:
    return (_days(seconds) + 3) % 7


def _years(seconds: Floats) -> Codes:
    return _days(seconds).astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
