"""Single values of a column of numbers, round numbers, hours and weekdays: how many rows have them, over all rows.

Up to 4096 different values are counted one by one. Of more, rows are counted by 13 binary digits of a hash of their
value: a value that many rows share stands out, together with about one of 8192 of the other rows. Everything is a whole
number, and depends on the rows alone, not on how they come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, frexp

import numpy as np
from numpy.typing import NDArray

from ..core.scatter import add_by_group, grouped
from ..core.scratch import CHUNK, scratch
from ..core.types import Floats, Wholes

STEPS = 1000.0, 100.0, 10.0, 5.0, 1.0, 0.5, 0.1, 0.01
"""Numbers are round if they are multiples of these; what is one of the first is one of all that follow."""

TIMES = 86_400.0, 3600.0, 60.0, 1.0
"""The same of dates and times, in seconds."""

HOURS, WEEKDAYS, YEARS = slice(4, 28), slice(28, 35), slice(35, 235)
"""Where rows by the hour, by the day of the week (Monday first) and by the year are among the classes of dates."""

FIRST_YEAR = 1900
"""Rows of years before it are counted in it, those of years after 2099 in that."""

MOST_VALUES = 4096
"""Different values that are counted one by one."""

BUCKETS = 1 << 13
"""Groups of values, by their hashes, that are counted where there are more."""

_ODD, _OTHER, _HALF, _TOP = (  # arrays: NumPy takes them faster than numbers
    np.array(number, dtype=np.uint64) for number in (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 32, 64 - 13)
)
_HUNDRED = np.array(100.0)
_NEAR = 1e-9  # of a step, that sums of decimal fractions may be off
_DIGITS = 2.0**22  # up to here the nearest double to a decimal fraction is within that
_DAYS = 1 << 16  # 179 years
_FAR = 8e12  # seconds from 1970 that calendars know

Hashes = NDArray[np.uint64]
Ends = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SingleValues:
    """How many rows have each number, and how many numbers are round: never changed, only replaced."""

    values: Floats  # ascending, and rows of each. Of more than 4096 different values only the least and the largest
    counts: Wholes
    dates: bool = False  # whether they are dates or times, in seconds
    buckets: Wholes | None = None  # (8192,) rows by the hash of their value; None if all values are here
    parts: Wholes | None = None  # (8,) or, of dates, (235,): see `classes`; None if all values are here

    @classmethod
    def of(cls, values: Floats, counts: Wholes | None = None, dates: bool = False) -> SingleValues:
        """``(n,)`` numbers without NaN, and how often each is there; all are told apart, however many there are."""
        return cls(*grouped(values + 0.0, counts), dates)  # + 0.0: one zero only

    @property
    def exact(self) -> bool:
        """Whether every value is here."""
        return self.buckets is None

    @property
    def rows(self) -> int:
        """Numbers."""
        return int((self.counts if self.buckets is None else self.buckets).sum())

    @cached_property
    def classes(self) -> Wholes:
        """Rows that are multiples of each of the steps; of dates, then those of each hour, weekday and year."""
        return _classes(self.values, self.counts, self.dates) if self.parts is None else self.parts

    def hashed(self) -> SingleValues:
        """By hashes, whether or not all values are here."""
        if self.buckets is not None:
            return self
        buckets = np.zeros(BUCKETS, dtype=np.int64)
        np.add.at(buckets, bucket_of(self.values), self.counts)
        ends = [0, -1] if len(self.values) > 1 else slice(None)
        return SingleValues(self.values[ends], self.counts[ends], self.dates, buckets, self.classes)

    def merged(self, other: SingleValues) -> SingleValues:
        """The rows of both."""
        if not self.rows or not other.rows:
            return (self if self.rows else other).compact()
        if self.exact and other.exact:
            return SingleValues(*_pooled(self, other), self.dates).compact()
        a, b = self.hashed(), other.hashed()
        assert a.buckets is not None
        assert b.buckets is not None
        values, counts = _pooled(a, b)
        ends = [0, -1]
        return SingleValues(values[ends], counts[ends], a.dates, a.buckets + b.buckets, a.classes + b.classes)

    def compact(self) -> SingleValues:
        """By hashes if there are too many values."""
        return self.hashed() if self.exact and len(self.values) > MOST_VALUES else self


class SingleTally:
    """Gathers :class:`SingleValues` of numbers that come in batches.

    Parameters
    ----------
    dates
        Whether they are dates or times, in seconds.
    """

    def __init__(self, dates: bool = False) -> None:
        self._found = SingleValues(np.empty(0), np.empty(0, dtype=np.int64), dates)

    def add(self, values: Floats, counts: Wholes | None = None, ends: Ends | None = None) -> None:
        """Take in numbers without NaN, how often each is there, and the least and largest, if they are known."""
        start, dates = 0, self._found.dates
        if counts is None and self._found.exact and len(values) > 4 * MOST_VALUES:  # so many soon tell whether all fit
            self._found = self._found.merged(SingleValues.of(values[: 4 * MOST_VALUES], None, dates))
            start = 4 * MOST_VALUES
        rest = values[start:]
        if len(rest) and counts is None and not self._found.exact:
            self._add_many(rest, ends or (float(rest.min()), float(rest.max())))
        elif len(rest):
            self._found = self._found.merged(SingleValues.of(rest, counts, dates))

    def _add_many(self, values: Floats, between: Ends) -> None:
        """Take in numbers by their hashes, quickly: what was found is changed in place. None lies beyond two ends."""
        found = self._found
        assert found.buckets is not None
        assert found.parts is not None
        low, high = between[0] + 0.0, between[1] + 0.0
        _add_hashed(values, max(high, -low), found.dates, found.buckets, found.parts)
        ends = [*{end for end, new in ((low, low <= found.values[0]), (high, high >= found.values[-1])) if new}]
        if ends:  # counted only if they are the least or the largest so far
            many = np.array([np.count_nonzero(values == end) for end in ends])
            known, rows = grouped(np.append(found.values, ends), np.append(found.counts, many))
            self._found = replace(found, values=known[[0, -1]], counts=rows[[0, -1]])

    def result(self) -> SingleValues:
        """All that came."""
        found = self._found
        if found.buckets is None or found.parts is None:
            return found
        return replace(found, buckets=found.buckets.copy(), parts=found.parts.copy())


def bucket_of(values: Floats) -> NDArray[np.intp]:
    """``(n,)`` the bucket of each number."""
    bits = mixed((values + 0.0).view(np.uint64))
    bits >>= _TOP
    return bits.view(np.int64).astype(np.intp, copy=False)


def mixed(bits: Hashes) -> Hashes:
    """64 binary digits of each of some numbers, well mixed; equal for equal ones. Made in place."""
    bits *= _ODD
    bits ^= bits >> _HALF  # whole numbers in regular steps would stay regular
    bits *= _OTHER
    return bits


def multiple(values: Floats, step: float) -> NDArray[np.bool_]:
    """``(n,)`` whether numbers are multiples of a step, up to 1e-9 of it."""
    parts = round(1 / step)  # fractions of a whole number are not exact
    with np.errstate(invalid="ignore", over="ignore"):  # infinite numbers
        scaled = values / step if step >= 1 else values * parts
        whole = np.rint(scaled)
        scaled -= whole
        found = np.abs(scaled, out=scaled) <= _NEAR
        if step < 1 and len(whole) and max(whole.max(), -whole.min()) > _DIGITS:
            found |= ((whole / parts == values) | np.isinf(whole)) & np.isfinite(values)
    return np.asarray(found)


def _classes(values: Floats, counts: Wholes | None, dates: bool) -> Wholes:
    found = _no_classes(dates)
    if dates:
        _add_clock(values, counts, found)
    _add_round(values, counts, TIMES if dates else STEPS, found)
    return found


def _no_classes(dates: bool) -> Wholes:
    return np.zeros(YEARS.stop if dates else len(STEPS), dtype=np.int64)


def _add_round(values: Floats, counts: Wholes | None, steps: tuple[float, ...], found: Wholes) -> None:
    """Count the multiples of each step among those of the next finer one; whole numbers are some of every part of 1."""
    whole = multiple(values, 1.0)
    for place in range(len(steps) - 1, -1, -1):
        chosen = whole if steps[place] <= 1 else multiple(values, steps[place])
        if steps[place] < 1 and not whole.all():
            chosen = whole | multiple(values, steps[place])
        if not chosen.all():
            places = np.flatnonzero(chosen)
            whole, values, counts = whole.take(places), values.take(places), _taken(counts, places)
        found[place] += len(values) if counts is None else counts.sum()


def _taken(counts: Wholes | None, places: NDArray[np.intp]) -> Wholes | None:
    return None if counts is None else counts.take(places)


def _add_clock(values: Floats, counts: Wholes | None, found: Wholes) -> None:
    """Count finite dates, in seconds since 1970 or since midnight, by the hour, the weekday and the year."""
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < len(values):
        values, counts = values.take(known), _taken(counts, known)
    if not len(values):
        return
    rows = np.ones(len(values), dtype=np.int64) if counts is None else counts
    days = np.floor(np.clip(values, -_FAR, _FAR) / TIMES[0])
    hours = np.clip(np.floor((values - days * TIMES[0]) / TIMES[1]), 0, 23).astype(np.intp)
    np.add.at(found[HOURS], hours, rows)
    days = days.astype(np.int64)
    first = int(days.min())
    if int(days.max()) - first < _DAYS:  # each day once: what year it is in takes a while
        each = np.zeros(_DAYS, dtype=np.int64)
        np.add.at(each, days - first, rows)
        days, rows = np.flatnonzero(each) + first, each[each > 0]
    years = days.astype("datetime64[D]").astype("datetime64[Y]").astype(np.int64) + 1970 - FIRST_YEAR
    np.add.at(found[WEEKDAYS], (days + 3) % 7, rows)
    np.add.at(found[YEARS], np.clip(years, 0, YEARS.stop - YEARS.start - 1), rows)


def _add_hashed(values: Floats, largest: float, dates: bool, buckets: Wholes, parts: Wholes) -> None:
    """Add numbers, of at most so large a size, to the counts by hash and of round ones."""
    steps, near, mostly = TIMES if dates else STEPS, _Near.of(largest), dates
    numbers, others, _ = scratch()
    for at in range(0, len(values), CHUNK):
        part = values[at : at + CHUNK]
        number, other = numbers[: len(part)], others[: len(part)]
        bits, half = number.view(np.uint64), other.view(np.uint64)
        if mostly or near is None or near.any(part, number):
            before = parts[len(steps) - 1]
            _add_round(part, None, steps, parts)
            mostly = dates or 2 * (parts[len(steps) - 1] - before) > len(part)
            part = np.add(part, 0.0, out=number)  # as in bucket_of: a zero is a round number
        np.multiply(part.view(np.uint64), _ODD, bits)
        np.right_shift(bits, _HALF, half)
        np.bitwise_xor(bits, half, bits)
        np.multiply(bits, _OTHER, bits)
        np.right_shift(bits, _TOP, bits)
        add_by_group(buckets, bits.view(np.int64), checked=True)  # 13 digits
    if dates:
        _add_clock(values, None, parts)


@dataclass(frozen=True)
class _Near:
    """Tells quickly that no number is round.

    A hundred times a round number is within 1e-7 of a whole one, or as near as doubles of that size are to each other.
    With 1.5 * 2**20 added the last 32 binary digits of a double are those behind the point; with a larger power they
    are so when moved to the left.
    """

    shifted: Floats  # what is added to a hundred times a number
    digits: np.uint64  # by how many binary digits the sum is moved to the left
    most: int  # the last 32 digits of what may be round, at most

    @classmethod
    def of(cls, largest: float) -> _Near | None:
        """For numbers of at most that size; None if they are too large to tell."""
        if not largest < _DIGITS * 2.0**10:
            return None
        power = max(20, frexp(100.0 * largest + 1.0)[1] + 1)
        unit = 2.0 ** (power - 52)  # what the sum is rounded to
        near = (ceil(110 * max(_NEAR, largest * 2.0**-51) / unit) + 1) * unit
        return cls(np.array(1.5 * 2.0**power + near), np.uint64(power - 20), int(2.0**33 * near))

    def any(self, values: Floats, room: Floats) -> bool:
        """Whether any number may be round; `room` is for what is made on the way."""
        np.multiply(values, _HUNDRED, room)
        np.add(room, self.shifted, room)
        if self.digits:
            bits = room.view(np.uint64)
            bits <<= self.digits
        return bool(np.minimum.reduce(room.view(np.uint32)) <= self.most)


def _pooled(a: SingleValues, b: SingleValues) -> tuple[Floats, Wholes]:
    return grouped(np.concatenate([a.values, b.values]), np.concatenate([a.counts, b.counts]))
