"""Single values, round numbers, hours and weekdays: against counting by definition, and in any parts and order."""

import datetime as dt
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from twosample.summaries import SingleTally, SingleValues
from twosample.summaries.singles import (
    BUCKETS,
    FIRST_YEAR,
    HOURS,
    STEPS,
    TIMES,
    WEEKDAYS,
    YEARS,
    _Near,
    bucket_of,
    multiple,
)

KINDS = {
    "few": lambda rng, n: rng.integers(-20, 20, n) / 4,
    "many": lambda rng, n: rng.normal(size=n),
    "spiked": lambda rng, n: np.where(rng.random(n) < 0.02, -999.0, rng.lognormal(size=n).round(3)),
    "border": lambda rng, n: np.resize(np.arange(4097.0), n),
    "odd": lambda rng, n: np.where(
        rng.random(n) < 0.1, rng.choice([np.inf, -np.inf, -0.0, 0.0, 1e300], n), rng.random(n)
    ),
}


def tallied(batches, dates=False):
    tally = SingleTally(dates)
    for batch in batches:
        tally.add(batch)
    return tally.result()


def same(a, b):
    arrays = [(one.values, one.counts, one.buckets, one.classes) for one in (a, b)]
    return a.dates == b.dates and all(
        (one is None and two is None) or np.array_equal(one, two) for one, two in zip(*arrays, strict=True)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dates", [False, True])
def test_any_split_in_any_order_gives_the_same(kind, dates):
    rng = np.random.default_rng(0)
    values = KINDS[kind](rng, 30_000) * (1e6 if dates and kind != "odd" else 1.0)
    whole = tallied([values], dates)
    for cuts in ([], [1], [0, 17_000, 17_001], range(100, 30_000, 100)):
        parts = [tallied([part[:50], part[50:]], dates) for part in np.split(rng.permutation(values), list(cuts))]
        order = rng.permutation(len(parts))
        found = parts[order[0]]
        for i in order[1:]:
            found = parts[i].merged(found) if i % 2 else found.merged(parts[i])
        assert same(found, whole)


@pytest.mark.parametrize("kind", KINDS)
def test_against_counting(kind):
    values = KINDS[kind](np.random.default_rng(1), 20_000)
    found, counts = np.unique(values + 0.0, return_counts=True)
    single = tallied(np.array_split(values, 7))
    assert single.rows == 20_000
    assert single.exact == (len(found) <= 4096)
    assert single.values[0] == found[0]
    assert single.values[-1] == found[-1]
    assert single.counts[0] == counts[0]
    assert single.counts[-1] == counts[-1]
    buckets = np.zeros(BUCKETS, dtype=int)
    for value, rows in zip(found, counts, strict=True):
        buckets[bucket_of(np.array([value]))[0]] += rows
    assert np.array_equal(single.hashed().buckets, buckets)
    for step, rows in zip(STEPS, single.classes, strict=True):
        assert rows == multiple(values, step).sum()


def test_counts_stand_for_rows():
    rng = np.random.default_rng(2)
    values, counts = rng.normal(size=5000).round(3), rng.integers(1, 9, 5000)
    weighted, plain = SingleTally(), tallied([np.repeat(values, counts)])
    for at in range(0, 5000, 900):
        weighted.add(values[at : at + 900], counts[at : at + 900])
    assert same(weighted.result(), plain)


@given(st.integers(-(10**13), 10**13), st.sampled_from([1, 2, 10, 100]))
def test_decimal_fractions_are_round(whole, parts):
    """The double next to a decimal fraction is a multiple of it, and of a coarser step if the fraction is."""
    value = np.array([whole / parts])
    exact = Fraction(whole, parts)
    for step, size in zip(STEPS, (1000, 100, 10, 5, 1, Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)), strict=True):
        if (exact / size).denominator == 1:
            assert multiple(value, step)[0]
        elif abs(whole) < 10**9:
            assert not multiple(value, step)[0]


def test_sums_of_decimal_fractions_are_round_and_others_are_not():
    assert multiple(np.array([0.1 + 0.2, 3 * 0.1, 1e-10, 1 - 1e-12]), 0.1).tolist() == [True, True, True, True]
    assert multiple(np.array([np.pi, 0.05, np.inf, -np.inf]), 0.1).tolist() == [False] * 4


def test_hours_weekdays_and_years_by_the_calendar():
    rng = np.random.default_rng(3)
    days = [
        dt.datetime(1890, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 8 * 10**9, 6000)
    ]
    seconds = np.array([day.timestamp() for day in days])
    many = tallied([seconds], dates=True)
    assert not many.exact
    few = SingleValues.of(seconds, dates=True)
    assert np.array_equal(few.classes, many.classes)
    assert many.classes[HOURS].tolist() == [sum(day.hour == hour for day in days) for hour in range(24)]
    assert many.classes[WEEKDAYS].tolist() == [sum(day.weekday() == k for day in days) for k in range(7)]
    years = np.clip([day.year - FIRST_YEAR for day in days], 0, 199)
    assert many.classes[YEARS].tolist() == np.bincount(years, minlength=200).tolist()
    assert many.classes[: len(TIMES)].tolist() == [sum(s % step == 0 for s in seconds) for step in TIMES]


def test_nothing_and_far_dates():
    nothing = tallied([np.empty(0)])
    assert nothing.rows == 0
    assert nothing.classes.tolist() == [0] * len(STEPS)
    assert nothing.hashed().buckets.sum() == 0
    one = tallied([np.array([3.0])])
    assert same(nothing.merged(one), one)
    assert same(one.merged(nothing), one)
    odd = SingleValues.of(np.array([1e300, -1e300, np.inf, -np.inf]), dates=True)
    assert odd.classes[YEARS].sum() == 2


def test_summaries_keep_them_and_older_files_have_none():
    rng = np.random.default_rng(4)
    rows = {
        "a": rng.normal(size=9000),
        "b": rng.integers(0, 9, 9000),
        "c": [str(v) for v in rng.integers(0, 10**6, 9000)],
    }
    found = ts.summarize(rows, rows=100)
    again = ts.TableSummary.from_bytes(found.to_bytes())
    for one, two in zip(found.columns, again.columns, strict=True):
        assert same(one.singles, two.singles)
    assert [column.singles.exact for column in found.columns] == [False, True, False]
    assert found.columns[2].date_singles.rows == 0
    older = replace(found, columns=tuple(replace(part, singles=None, date_singles=None) for part in found.columns))
    content = older.to_bytes().replace(b'"version": 3', b'"version": 1', 1)
    old = ts.TableSummary.from_bytes(content)
    assert all(column.singles is None for column in old.columns)
    assert old.merge(found).columns[0].singles is None
    assert ts.compare(old, found).verdict != "different"


def test_damaged_files():
    found = ts.summarize({"a": np.arange(9000.0)}, rows=100)
    column = found.columns[0]
    for bad in (
        replace(column.singles, buckets=column.singles.buckets[1:]),
        replace(column.singles, values=column.singles.values[::-1]),
        replace(column.singles, counts=-column.singles.counts),
        replace(column.singles, dates=True),
        SingleValues(np.arange(5000.0), np.ones(5000, dtype=np.int64)),
    ):
        with pytest.raises(ts.InputError, match="single values"):
            ts.TableSummary.from_bytes(replace(found, columns=(replace(column, singles=bad),)).to_bytes())


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e3, 1e5, 1e6, 1e8])
def test_nearly_round_numbers_count_alone_as_among_others(scale):
    """Sums of decimal fractions are a little off, and few among numbers that are not round at all."""
    rng = np.random.default_rng(5)
    values = rng.uniform(-scale, scale, size=100_000)
    odd = np.array([0.1 + 0.2, 3 + 5e-10, 7 - 5e-10, -0.5, 40.07, 12_345_678.91, 5e9 + 0.25, 1e15, 1e300, -0.0])
    for near in odd:
        values[77_777] = near
        whole = tallied([values])
        for step, rows in zip(STEPS, whole.classes, strict=True):
            assert rows == (multiple(values, 1.0) & (step < 1) | multiple(values, step)).sum()
        assert np.array_equal(whole.buckets, np.bincount(bucket_of(values), minlength=BUCKETS))
    assert same(tallied(np.array_split(rng.permutation(values), 3)), whole)


def test_no_round_number_is_overlooked():
    """A single one, of any size, at the edge of what counts as round; and others are told quickly."""
    rng = np.random.default_rng(6)
    for power in range(-6, 60):
        largest, room = 2.0**power, np.empty(1)
        near = _Near.of(largest)
        steps = rng.choice(STEPS, 300)
        whole = np.rint(rng.uniform(-largest, largest, 300) / steps) * steps
        values = np.concatenate([whole, whole + rng.choice([-1e-9, 1e-9], 300) * steps, np.rint(whole / 0.01) / 100])
        values = np.append(values[np.abs(values) <= largest], [largest, -largest, 0.0])
        round_ = multiple(values, 1.0) | multiple(values, 0.01)
        assert round_.any()
        assert near is None or all(near.any(np.array([value]), room) for value in values[round_])
    for largest in (1.0, 1e3, 1e6):
        values = rng.uniform(-largest, largest, 20_000)
        quick = _Near.of(largest)
        assert quick is not None
        assert np.mean([quick.any(part, np.empty(200)) for part in values.reshape(-1, 200)]) < 0.05
    assert _Near.of(np.inf) is None
