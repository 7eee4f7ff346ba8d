"""Dates and times by the clock and the calendar: hours, weekdays, years, and round times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..core.types import Floats
from .views import View

_DAY = 86_400.0
_DAYS = "a Monday", "a Tuesday", "a Wednesday", "a Thursday", "a Friday", "a Saturday", "a Sunday"
_YEARS = 60  # different ones that are looked at one by one
_FAR = 8e12  # seconds from 1970 that calendars know

ROUND = {_DAY: "at midnight", 3600.0: "on the hour", 60.0: "on the minute", 1.0: "on the second"}
"""Round times, in seconds."""

Codes = NDArray[np.int64]


def clock_views(x: Floats, y: Floats) -> Iterator[View]:
    """Hours of the day, days of the week and years, each on its own; seconds since 1970, or since midnight."""
    pooled = np.concatenate([x, y])
    if not len(pooled) or not np.isfinite(pooled).all() or np.abs(pooled).max() > _FAR:
        return
    yield from _each(_hours, pooled, len(x), {hour: f"between {hour}:00 and {hour}:59" for hour in range(24)})
    yield from _each(_weekdays, pooled, len(x), dict(enumerate(_DAYS)))
    first, last = (int(_years(np.array([end]))[0]) for end in (pooled.min(), pooled.max()))
    if last - first < _YEARS:
        yield from _each(_years, pooled, len(x), {year: f"in {year}" for year in range(first, last + 1)})


def _each(codes: Callable[[Floats], Codes], pooled: Floats, m: int, names: Mapping[int, str]) -> Iterator[View]:
    """A view of each code, if there are several; of two, one."""
    found = codes(pooled)
    start = min(names)
    both = [np.bincount(part - start, minlength=len(names)) for part in (found[:m], found[m:])]
    used = np.flatnonzero(both[0] + both[1]) + start
    for code in used[: len(used) if len(used) > 2 else len(used) - 1].tolist():
        a, b = (int(part[code - start]) for part in both)
        yield View("clock", names[code], a, b, m, len(pooled) - m, holds=partial(_is, codes, code))


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
