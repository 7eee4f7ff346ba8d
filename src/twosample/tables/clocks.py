"""Dates and times by the clock and the calendar: hours, weekdays, years, months and days of these, round times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats, Wholes
from ..summaries import SingleValues
from ..summaries.singles import FIRST_YEAR, HOURS, WEEKDAYS, YEARS
from .views import View

_DAY = 86_400.0
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = "a Monday", "a Tuesday", "a Wednesday", "a Thursday", "a Friday", "a Saturday", "a Sunday"
_YEARS = 60  # different ones that are looked at one by one
_FAR = 8e12  # seconds from 1970 that calendars know

ROUND: Mapping[str, Mapping[float, str]] = {
    "datetime": {_DAY: "at midnight", 3600.0: "on the hour", 60.0: "on the minute", 1.0: "on the second"},
    "duration": {_DAY: "of whole days", 3600.0: "of whole hours", 60.0: "of whole minutes", 1.0: "of whole seconds"},
}
"""Round times and durations, in seconds, by the kind of a column."""

Codes = NDArray[np.int64]


def clock_views(x: SingleValues, y: SingleValues) -> Iterator[View]:
    """Hours of the day, days of the week, years, months and days of these; seconds since 1970, or since midnight.

    Months and days of a month are looked at where every value is known.
    """
    ends = [end for part in (x, y) for end in part.values[[0, -1]].tolist()] if x.rows and y.rows else [np.inf]
    if not x.dates or not y.dates or not np.isfinite(ends).all() or np.abs(ends).max() > _FAR:
        return
    counted = partial(_counted, x, y)
    hours = {hour: f"between {hour}:00 and {hour}:59" for hour in range(24)}
    yield from _each("clock", _hours, x.classes[HOURS], y.classes[HOURS], hours)
    yield from _before(x.classes[HOURS], y.classes[HOURS])
    yield from _each("clock", _weekdays, x.classes[WEEKDAYS], y.classes[WEEKDAYS], dict(enumerate(_DAYS)))
    if x.exact and y.exact and not 0 <= min(ends) <= max(ends) < _DAY:  # not the time of day alone
        months = {month: f"in {name}" for month, name in enumerate(_MONTHS)}
        yield from _each("calendar", _months, *counted(_months, 12), months)
        days = {day: f"on day {day + 1} of a month" for day in range(31)}
        yield from _each("calendar", _monthdays, *counted(_monthdays, 31), days)
    first, last = (int(_years(np.array([end]))[0]) for end in (min(ends), max(ends)))
    start = FIRST_YEAR, FIRST_YEAR + YEARS.stop - YEARS.start
    if last - first < _YEARS and start[0] <= first <= last < start[1]:
        years = {year: f"in {year}" for year in range(*start)}
        yield from _each("clock", _years, x.classes[YEARS], y.classes[YEARS], years)


def _each(
    family: str, codes: Callable[[Floats], Codes], first: Wholes, second: Wholes, names: Mapping[int, str]
) -> Iterator[View]:
    """A view of each code, if there are several; of two, one."""
    start, rows = min(names), (int(first.sum()), int(second.sum()))
    used = np.flatnonzero(first + second)
    for place in used[: len(used) if len(used) > 2 else len(used) - 1].tolist():
        both = int(first[place]), int(second[place])
        yield View(family, names[place + start], *both, *rows, holds=partial(_is, codes, place + start))


def _before(first: Wholes, second: Wholes) -> Iterator[View]:
    """Times before about a quarter, half and three quarters of all: a shift, as of a time zone, moves them all."""
    rows, sums = (int(first.sum()), int(second.sum())), np.cumsum(first + second)
    ends = {int(np.argmin(np.abs(sums[:-1] - share * sums[-1]))) for share in (0.25, 0.5, 0.75)}
    for hour in sorted(ends):
        both = int(first[: hour + 1].sum()), int(second[: hour + 1].sum())
        if 0 < sum(both) < sum(rows):
            yield View("clock", f"before {hour + 1}:00", *both, *rows, holds=partial(_up_to, hour))


def _up_to(hour: int, seconds: Floats) -> NDArray[np.bool_]:
    return np.asarray(_hours(seconds) <= hour)


def _counted(x: SingleValues, y: SingleValues, codes: Callable[[Floats], Codes], size: int) -> tuple[Wholes, Wholes]:
    """Rows of either table with each code."""
    first, second = (np.bincount(codes(part.values), part.counts, minlength=size).astype(np.int64) for part in (x, y))
    return first, second


def _is(codes: Callable[[Floats], Codes], code: int, seconds: Floats) -> NDArray[np.bool_]:
    return np.asarray(codes(seconds) == code)


def _days(seconds: Floats) -> Codes:
    return np.floor(seconds / _DAY).astype(np.int64)


def _hours(seconds: Floats) -> Codes:
    return np.floor(seconds % _DAY / 3600.0).astype(np.int64)


def _weekdays(seconds: Floats) -> Codes:
    return (_days(seconds) + 3) % 7


def _months(seconds: Floats) -> Codes:
    return _days(seconds).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12


def _monthdays(seconds: Floats) -> Codes:
    days = _days(seconds).astype("datetime64[D]")
    return np.asarray((days - days.astype("datetime64[M]").astype("datetime64[D]")).astype(np.int64))


def _years(seconds: Floats) -> Codes:
    return _days(seconds).astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970
