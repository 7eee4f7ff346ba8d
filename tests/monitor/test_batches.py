"""What a batch is: a table split by its times or by a column, and strata."""

from datetime import datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.monitor.streams import day
from twosample.monitor.batches import BatchRule


def test_one_table_split_by_its_times():
    rng = np.random.default_rng(18)
    hours = pl.datetime_range(datetime(2026, 1, 1), datetime(2026, 3, 1), "1h", closed="left", eager=True)
    weekend = (hours.dt.weekday() >= 6).to_numpy()
    table = pl.DataFrame({"at": hours, "load": rng.normal(size=len(hours)) + 3 * weekend})
    m = ts.Monitor(table, batches="day", strata="weekday")
    names = [batch["name"] for batch in m.to_dict()["batches"]]
    assert names[0] == "2026-01-01"
    assert len(names) == 59
    assert {batch["stratum"] for batch in m.to_dict()["batches"][:7]} == {
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"
    }  # fmt: skip
    assert [column.name for column in m.columns] == []
    more = pl.DataFrame({"at": hours, "load": rng.normal(size=len(hours))})
    more = more.with_columns(at=pl.col("at") + pl.duration(days=59))
    more = more.with_columns(load=pl.col("load") + 3 * (pl.col("at").dt.weekday() >= 6))
    m.update(more[: 24 * 7])
    assert len(m.looks) == 7
    assert not any(look.alarm for look in m.looks)


def test_strata_by_a_column_and_by_a_function(tmp_path):
    rng = np.random.default_rng(19)
    frames = [day(rng, region=["north" if t % 2 else "south"] * 150) for t in range(30)]
    m = ts.Monitor(frames, strata="region")
    assert {batch["stratum"] for batch in m.to_dict()["batches"]} == {"north", "south"}
    assert "region" not in str(m.to_dict()["columns"])
    with pytest.raises(ts.InputError, match="several values"):
        m.update(day(rng, region=["north", "south"] * 75))
    named = [ts.summarize(frame, name=f"2026-01-{d + 1:02d}") for d, frame in enumerate(frames)]
    m = ts.Monitor(named, strata=lambda time: time.day % 3)
    m.save(tmp_path / "m.tsw")
    with pytest.raises(ts.OptionError, match="strata="):
        ts.Monitor.load(tmp_path / "m.tsw").update(ts.summarize(day(rng, region=["x"] * 150), name="2026-02-01"))
    again = ts.Monitor.load(tmp_path / "m.tsw", strata=lambda time: time.day % 3)
    assert again.update(ts.summarize(day(rng, region=["x"] * 150), name="2026-02-01")).status == "quiet"
    with pytest.raises(ts.InputError, match="needs the time of batch"):
        ts.Monitor(frames, strata="weekday")


def test_splitting_refuses_what_it_cannot_do():
    frame = pl.DataFrame({"a": [1.0, 2.0], "b": ["x", None]})
    for rule, message in (
        (BatchRule(by="b"), "1 rows have no b"),
        (BatchRule(by="c"), "no such column, and periods are hour"),
        (BatchRule(by="day"), "no column of times"),
        (BatchRule(by="day", time="t"), "no such column"),
    ):
        with pytest.raises(ts.TwosampleError, match=message):
            list(rule.parts(frame))


def test_a_period_is_a_period_though_a_column_is_called_like_it():
    hours = pl.datetime_range(datetime(2026, 1, 1), datetime(2026, 3, 1), "1h", closed="left", eager=True)
    frame = pl.DataFrame({"at": hours, "day": hours.dt.day()})
    parts = list(BatchRule(by="day", time="at").parts(frame))
    assert [part.name for part in parts[:2]] == ["2026-01-01", "2026-01-02"]
    assert len(parts) == 59
    assert len(list(BatchRule(by="day").parts(frame))) == 31


def test_tables_in_the_place_of_a_rule_are_sent_to_the_reference():
    frame = pl.DataFrame({"a": [1.0, 2.0]})
    with pytest.raises(ts.TwosampleError, match=r"batches must say .* got list\. .*ts\.Monitor\(\[a, b, \.\.\.\]\)"):
        ts.Monitor(frame, batches=[frame, frame])
