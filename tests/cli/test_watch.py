"""``twosample watch``: every command, exit code and output."""

import json
import re
from datetime import datetime
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest


@pytest.fixture(scope="module")
def days(tmp_path_factory):
    """45 quiet days, then 5 with a higher price; `table.parquet` has all rows."""
    folder, rng, parts = tmp_path_factory.mktemp("days"), np.random.default_rng(0), []
    times = pl.datetime_range(datetime(2026, 9, 1), datetime(2026, 10, 20, 23), "1h", eager=True)
    for t, day in enumerate(times.dt.truncate("1d").unique(maintain_order=True)):
        at = times.filter(times.dt.truncate("1d") == day)
        at = pl.concat([at] * 6)
        price = rng.normal(rng.normal(0, 0.05) + (t >= 45), 1, len(at))
        parts.append(pl.DataFrame({"at": at, "price": price, "city": rng.choice(["Oslo", "Rome"], len(at))}))
        parts[-1].write_parquet(folder / f"{day:%Y-%m-%d}.parquet")
    pl.concat(parts).write_parquet(folder / "table.parquet")
    return folder


@pytest.fixture
def state(twosample, days, tmp_path):
    path = tmp_path / "shop.tsw"
    done = twosample("watch", "start", path, days / "2026-09-*.parquet", days / "2026-10-0*.parquet")
    assert done.code == 0, done.err
    assert done.out.startswith("= ready: 39 batches in the reference")
    return path


def test_quiet_alarm_accept(twosample, days, state, tmp_path):
    quiet = twosample("watch", "add", state, days / "2026-10-1[0-5].parquet")
    assert quiet.code == 0, quiet.out
    assert quiet.out.startswith("= quiet at 2026-10-15")
    assert "at most one false alarm in 1,000 batches" in quiet.out
    json_file, metrics, junit, page = (tmp_path / name for name in ("a.json", "a.prom", "a.xml", "a.html"))
    outputs = ["--json", json_file, "--prometheus", metrics, "--junit", junit, "--report", page]
    alarm = twosample("watch", "add", state, days / "2026-10-1[6-9].parquet", *outputs)
    assert alarm.code == 1
    assert alarm.out.startswith("≠ alarm at 2026-10-19: ")
    assert "since 2026-10-16" in alarm.out
    values = json.loads(json_file.read_text())
    assert values["alarm"] is True
    assert values["since"] == "2026-10-16"
    assert values["columns"][0]["name"] == "price"
    check_metrics(metrics.read_text())
    assert 'twosample_watch_alarm{watch="shop"} 1.0\n' in metrics.read_text()
    suites = ET.parse(junit).getroot()
    assert suites.get("tests") == str(len(suites.findall(".//testcase")))
    failed = [case.get("name") for case in suites.iter("testcase") if case.find("failure") is not None]
    assert failed[:2] == ["watch", "price"]
    assert "Columns over time" in page.read_text()
    assert twosample("watch", "show", state, "--quiet").code == 1
    accepted = twosample("watch", "accept", state)
    assert accepted.code == 0
    assert "the reference begins with 2026-10-16" in accepted.out
    assert twosample("watch", "show", state, "--quiet").code == 3
    again = twosample("watch", "accept", state)
    assert (again.code, again.err) == (
        2, "error: There is no alarm to accept. To begin with a certain batch, name it: --since BATCH.\n"
    )  # fmt: skip


def check_metrics(text):
    """The format of the textfile collector: HELP and TYPE before the samples of a metric, one value a line."""
    known = None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            known = line.split()[2]
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {known} gauge"
        else:
            found = re.fullmatch(r'(\w+)\{watch="[^"]*"(,column="(\\.|[^"\\])*")?\} [0-9.e-]+', line)
            assert found, line
            assert found[1] == known


def test_one_call_or_many_give_the_same_bytes(twosample, days, state, tmp_path):
    other = tmp_path / "other.tsw"
    other.write_bytes(state.read_bytes())
    assert twosample("watch", "add", state, days / "2026-10-1[0-2].parquet", "-q").code == 0
    for day in (10, 11, 12):
        assert twosample("watch", "add", other, days / f"2026-10-{day}.parquet", "-q").code == 0
    assert state.read_bytes() == other.read_bytes()


def test_a_batch_that_is_there(twosample, days, state):
    twosample("watch", "add", state, days / "2026-10-10.parquet")
    before = state.read_bytes()
    done = twosample("watch", "add", state, days / "2026-10-10.parquet")
    assert done.code == 2
    assert done.err == "refused: 2026-10-10 is there already: the same rows. --again adds it again.\n"
    assert state.read_bytes() == before
    done = twosample("watch", "add", state, days / "2026-10-1[0-1].parquet")
    assert done.code == 0
    assert "refused: 2026-10-10" in done.err
    assert "quiet at 2026-10-11" in done.out
    assert twosample("watch", "add", state, days / "2026-10-10.parquet", "--again").code == 0


def test_killed_in_the_middle_the_old_state_stands(twosample, days, state, monkeypatch):
    before = state.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = twosample("watch", "add", state, days / "2026-10-10.parquet")
    assert done.code == 2
    assert state.read_bytes() == before
    assert sorted(path.name for path in state.parent.iterdir()) == ["shop.tsw"]


def test_learning(twosample, days, tmp_path):
    state = tmp_path / "new.tsw"
    done = twosample("watch", "start", state, days / "2026-09-0[1-5].parquet")
    assert done.code == 3
    assert done.out.startswith("? still learning")
    done = twosample("watch", "add", state, days / "2026-09-06.parquet")
    assert done.code == 3
    assert "assumes that batches do not differ by" in done.out


def test_split_then_start_with_strata(twosample, days, tmp_path):
    command = ["watch", "split", days / "table.parquet", "--by", "at", "--every", "day", "-o", tmp_path / "parts"]
    done = twosample(*command)
    assert (done.code, done.out) == (0, f"50 batches in {tmp_path / 'parts'}\n")
    one = pl.read_parquet(tmp_path / "parts" / "2026-09-03.parquet")
    assert one.sort("at", "price").equals(pl.read_parquet(days / "2026-09-03.parquet").sort("at", "price"))
    assert twosample(*command).code == 2
    done = twosample("watch", "start", tmp_path / "w.tsw", tmp_path / "parts" / "*.parquet", "--strata", "weekday")
    assert done.code == 0
    values = json.loads(twosample("watch", "show", tmp_path / "w.tsw", "--json", "-").out)
    assert len({batch["stratum"] for batch in values["batches"]}) == 7


def test_one_table_by_its_times(twosample, days, tmp_path):
    table = days / "table.parquet"
    done = twosample("watch", "start", tmp_path / "t.tsw", table, "--batch", "day", "--where", "price < 9")
    assert done.code == 0
    assert "50 batches" in done.out


def test_plan(twosample, state):
    done = twosample("watch", "plan", state, "--shift", "price=1sd", "--runs", 3, "--most", 10)
    assert done.code == 0
    assert re.match(r"price=1sd: found within \d+ batches with 90 %, half of the time within \d", done.out)
    wrong = (("cost=1", "no column 'cost' is watched"), ("city=1", "holds no numbers"), ("x", "price=0.3sd"))
    for shift, message in wrong:
        done = twosample("watch", "plan", state, "--shift", shift)
        assert done.code == 2
        assert message in done.err


def test_mistakes(twosample, days, state, tmp_path):
    batch = days / "2026-10-10.parquet"
    for arguments, message in (
        (("start", state, batch), "is there already"),
        (("start", tmp_path / "x.json", batch), "call it"),
        (("start", tmp_path / "x.tsw", batch, "--false-alarms", "often"), "such as 1/1000"),
        (("start", tmp_path / "x.tsw", tmp_path / "none-*.parquet"), "none-"),
        (("add", tmp_path / "no.tsw", batch), "there is no such file"),
        (("add", batch, batch), "not the state of a watch"),
        (("add", state, tmp_path / "no.parquet"), "no.parquet"),
        (("add", state, batch, "--json", state), "would replace what is read"),
        (("accept", state, "--since", "never"), "no batch of that name"),
        (("split", batch, "--by", "at", "--every", "minute", "-o", tmp_path / "p"), "--every minute"),
    ):
        done = twosample("watch", *arguments)
        assert done.code == 2, arguments
        assert message in done.err, done.err
    assert not (tmp_path / "x.tsw").exists()


def test_batches_of_text_in_another_encoding(twosample, tmp_path):
    rng = np.random.default_rng(1)
    for day in range(1, 31):
        rows = "".join(f"{city},{rng.normal()}\n" for city in rng.choice(["Köln", "Rom"], 50))
        (tmp_path / f"2026-09-{day:02d}.csv").write_bytes(f"city,price\n{rows}".encode("latin-1"))
    state, named = tmp_path / "shop.tsw", ["--encoding", "latin-1"]
    assert twosample("watch", "start", state, tmp_path / "2026-09-[012]?.csv", *named).out.startswith("= ready: 2")
    found = twosample("watch", "add", state, tmp_path / "2026-09-30.csv", *named, "--json", "-")
    assert found.code == 0, found.err
    assert json.loads(found.out)["looks"][-1]["batch"] == "2026-09-30"
    again = twosample("watch", "add", state, tmp_path / "2026-09-30.csv", *named)
    assert "refused" in again.err
