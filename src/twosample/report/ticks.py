"""Round numbers and dates for an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil, floor, isfinite, log10

from .. import _numbers as numbers

_DAY = 86_400.0
_SHORT = 14  # labels of two digits that an axis has room for
_DATES_UP_TO = 220_000_000_000.0  # seconds since 1970: year 8941
_DATES_FROM = -61_000_000_000.0  # year 36
_SECONDS = (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000)


@dataclass(frozen=True)
class Tick:
    """A place on an axis."""

    at: float  # per cent of the way from the low end to the high end
    label: str  # what stands there


def ticks(
    low: float, high: float, most: int = 5, dates: bool = False, step: float = 0.0, spans: bool = False
) -> tuple[Tick, ...]:
    """At most so many round places between two finite ends, all of them multiples of `step`."""
    if not (isfinite(low) and isfinite(high) and high > low and isfinite(high - low)):
        return ()
    if spans:
        places = [(at, numbers.duration(at)) for at in numbers.round_durations(low, high, most)]
    elif dates and low > _DATES_FROM and high < _DATES_UP_TO and high - low > 2:
        places = list(_dates(low, high, most))
    else:
        places = list(_numbers(low, high, most, step))
    return tuple(Tick(round(100 * (at - low) / (high - low), 2), label) for at, label in places)


def date_text(seconds: float, span: float) -> str:
    """Seconds since 1970 as a date, as exact as the span of an axis needs."""
    if not _DATES_FROM < seconds < _DATES_UP_TO:
        return numbers.value(seconds)
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    if 0 <= seconds <= _DAY and span <= _DAY:  # the time of day
        return "24:00" if seconds == _DAY else moment.strftime("%H:%M" if span > 600 else "%H:%M:%S")
    if span > 3 * _DAY:
        return moment.strftime("%Y-%m-%d")
    return moment.strftime("%m-%d %H:%M" if span > 600 else "%H:%M:%S")


def _numbers(low: float, high: float, most: int, least: float) -> Iterator[tuple[float, str]]:
    if least and (high - low) / least <= (_SHORT if max(abs(low), abs(high)) < 100 else _SHORT // 2):
        most = _SHORT  # each value has its own
    rough = max((high - low) / most, least)
    decade = 10.0 ** floor(log10(rough) + 1e-9)
    steps = [factor * decade for factor in (1, 2, 2.5, 5, 10) if factor * decade >= rough * (1 - 1e-9)]
    step = next((step for step in steps if not least or abs(step / least - round(step / least)) < 1e-9), steps[0])
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    for index in range(first, min(last, first + 2 * most) + 1):
        at = index * step
        yield at, _label(at, step, max(abs(low), abs(high)))


def _label(at: float, step: float, largest: float) -> str:
    if at == 0:
        return "0"
    if largest >= 1e9 or largest < 1e-3:
        return numbers.power(at, max(0, floor(log10(abs(at))) - floor(log10(step)) + 1)).replace("-", "−", 1)
    unit, sign = (1e6, "M") if largest >= 2e6 else (1e3, "k") if largest >= 2e4 else (1.0, "")
    digits = 1 if f"{step:.1e}".startswith("2.5") else 0
    decimals = max(0, digits - floor(log10(step / unit) + 1e-9))
    return f"{at / unit:,.{decimals}f}{sign}".replace("-", "−")


def _dates(low: float, high: float, most: int) -> Iterator[tuple[float, str]]:
    span = high - low
    for step in (*_SECONDS, *(days * _DAY for days in _DAYS)):
        if span / step <= most:
            for index in range(ceil(low / step), floor(high / step) + 1):
                yield index * step, date_text(index * step, span)
            return
    months = next((m for m in _MONTHS if span / (m * 30.4 * _DAY) <= most), _MONTHS[-1])
    first = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=low)
    index = ceil((first.year * 12 + first.month - 1) / months) * months
    while True:
        start = datetime(max(index // 12, 1), index % 12 + 1, 1, tzinfo=UTC)
        at = (start - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
        if at > high:
            return
        if at >= low:
            yield at, start.strftime("%Y" if months % 12 == 0 else "%Y-%m")
        index += months
