"""Durations are durations: in text, JSON, reports, pictures and matches, and never dates of 1970."""

import json
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample._numbers import Measure, duration, round_durations

RNG = np.random.default_rng(0)


def trips(mean, rows=2000):
    seconds = np.exp(RNG.normal(np.log(mean), 0.5, rows))
    return pl.DataFrame({"trip": [timedelta(seconds=round(value)) for value in seconds.tolist()]})


@pytest.fixture(scope="module")
def found():
    return ts.compare(trips(7500), trips(9500))


def test_they_are_a_kind_of_their_own_and_said_in_hours_and_minutes(found):
    column = found["trip"]
    assert (column.kind, column.verdict) == ("duration", "different")
    assert isinstance(column.a.median, timedelta)
    assert column.a.min < column.a.median < column.a.max
    said = [column.view, *(place.text for place in column.where), str(found)]
    assert any(" h " in text and " min" in text for text in said)


def test_no_page_has_a_date_of_1970(found, tmp_path):
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    record = json.dumps(found.to_dict()["columns"][0])
    assert "1970" not in page + record + str(found)
    assert json.loads(record)["a"]["median"] == duration(found["trip"].a.median.total_seconds())
    assert found["trip"].picture.spans
    assert not found["trip"].picture.dates
    labels = [label.get_text() for label in found["trip"].plot().figure.axes[-1].get_xticklabels()]
    assert all(label.endswith(" h") for label in labels)


def test_round_durations_are_seen():
    rounded = trips(7500).with_columns(trip=pl.col("trip").dt.total_minutes().mul(60_000).cast(pl.Duration("ms")))
    assert ts.compare(trips(7500), rounded)["trip"].view.startswith("of whole minutes in ")


def test_weeks_and_hours_say_nothing_of_a_duration(found):
    """Three trips in a row of two hours are none on a Thursday, nor in January."""
    said = " ".join(place.text for place in found["trip"].where)
    assert not any(word in said for word in ("day", "January", ":"))


def test_they_are_matched_and_learned_as_such():
    a, b = trips(7500), trips(8000)
    assert [pair.kind for pair in ts.match(a, b).pairs] == ["duration"]
    assert ts.learn(a).columns["trip"].kind == "duration"
    minute = a.with_columns(trip=pl.Series([60_000] * 2000).cast(pl.Duration("ms")))
    assert ts.compare(a, minute).verdict == "different"


@pytest.mark.parametrize(
    ("wide", "text"), [(4e7, "9 d"), (4e5, "9 d 2 h"), (2e4, "9 d 2 h 3 min"), (2.0, "9 d 2 h 3 min 4.56 s")]
)
def test_as_many_digits_as_the_width_needs(wide, text):
    assert Measure(wide, spans=True).text(9 * 86_400 + 2 * 3600 + 3 * 60 + 4.56) == text


@pytest.mark.parametrize(("low", "high"), [(0, 1e-6), (-30, 90), (0, 4e4), (1e6, 3e9), (5, 5.001)])
def test_round_places_are_few_and_inside(low, high):
    places = round_durations(low, high, 4)
    assert 1 <= len(places) <= 6
    slack = 1e-9 * (high - low)
    assert low - slack <= places[0] <= places[-1] <= high + slack
    assert len({duration(place) for place in places}) == len(places)


def test_outliers_say_how_long():
    odd = pl.concat([trips(7500, 100), pl.DataFrame({"trip": [timedelta(days=4)]})])
    found = ts.outliers(trips(7500), odd)
    assert "trip = 4 d (usually " in str(found)
    assert " h " in str(found).split("(usually ")[1]
