"""Columns that are lost, added, renamed or of another kind are part of the answer; guesses about kinds are not."""

import json
import sqlite3
from contextlib import closing
from datetime import date, datetime, timedelta
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.report import html, junit, markdown
from twosample.tables.schema import _bare, _renamed

ROWS = 400
RNG = np.random.default_rng(5)
DAYS = [date(2024, 1, 1) + timedelta(int(day)) for day in RNG.integers(0, 300, ROWS)]
BASE = pl.DataFrame({
    "temp": RNG.normal(20, 5, ROWS).round(2), "day": DAYS, "count": RNG.poisson(30, ROWS),
    "city": RNG.choice(["Oslo", "Rome"], ROWS), "flag": RNG.random(ROWS) < 0.5,
})  # fmt: skip


def compared(other, **options):
    return ts.compare(BASE, other, **options)


def test_the_same_columns_are_no_finding():
    c = compared(BASE)
    assert (c.schema.lost, c.schema.added, c.schema.changed, c.schema.renamed) == ((), (), {}, {})
    assert not c.schema.different
    assert c.verdict != "different"


def test_a_lost_column_makes_the_tables_different():
    c = compared(BASE.drop("temp"))
    assert c.verdict == "different"
    assert c.schema.lost == c.schema.broken == ("temp",)
    assert "'temp' is lost" in c.headline
    assert ("lost", "temp") in [(f.what, f.column) for f in c.findings]


def test_an_added_column_is_said_and_changes_nothing():
    c = compared(BASE.with_columns(extra=pl.lit(1.5)))
    assert c.verdict != "different"
    assert c.schema.added == ("extra",)
    assert c.headline.endswith("Schema: 'extra' is new.")
    assert "<failure" not in junit(c)


@pytest.mark.parametrize("name", ["Temp", " temp", "TEMP ", "te_mp", "ｔｅｍｐ", "\ufefftemp", "temps"])
def test_a_renamed_column_is_asked_about(name):
    c = compared(BASE.rename({"temp": name}))
    assert c.verdict == "different"
    assert dict(c.schema.renamed) == {"temp": name}
    assert "did you mean" in c.headline
    assert "is new" not in c.headline


@pytest.mark.parametrize(
    ("lost", "added", "expected"),
    [
        (["x1"], ["x2"], {}),
        (["price_2023"], ["price_2024"], {}),
        (["temperature"], ["pressure"], {}),
        (["customer_name"], ["customername"], {"customer_name": "customername"}),
        (["colour"], ["color"], {"colour": "color"}),
        (["a", "A"], ["Ａ"], {"a": "Ａ"}),
        (["%"], ["§"], {}),
        ([f"n{i}" for i in range(300)], [f"N{i}" for i in range(300)], {f"n{i}": f"N{i}" for i in range(300)}),
    ],
)  # fmt: skip
def test_which_names_may_be_one(lost, added, expected):
    assert _renamed(lost, added, lambda a, b: True) == expected


def test_names_alike_of_other_types_are_not_one():
    assert _renamed(["colour"], ["color"], lambda a, b: False) == {}
    assert _bare(" %") == "%"


CHANGES = {
    "dates became text": ("day", pl.Series([str(day) for day in DAYS])),
    "dates became other text": ("day", pl.Series([day.strftime("%d.%m.%Y") for day in DAYS])),
    "numbers became text": ("temp", BASE["temp"].cast(pl.String)),
    "numbers became words": ("count", pl.Series(["many", "few"] * (ROWS // 2))),
    "dates became seconds": ("day", BASE["day"].cast(pl.Int32)),
    "flags became words": ("flag", pl.Series(["yes", "no"] * (ROWS // 2))),
    "fractions were rounded": ("temp", BASE["temp"].round(0)),
    "counts became flags": ("count", (BASE["count"] > 30).cast(pl.Int64)),
    "codes lost their zeros": ("code", BASE["count"]),
    "numbers became lists": ("temp", pl.Series([[1.0]] * ROWS)),
}


@pytest.mark.parametrize("what", CHANGES)
def test_another_kind_makes_the_tables_different(what):
    name, values = CHANGES[what]
    a = BASE.with_columns(code=BASE["count"].cast(pl.String).str.zfill(5))
    b = a.with_columns(values.alias(name))
    for one, two in ((a, b), (b, a)):
        c = ts.compare(one, two)
        assert list(c.schema.changed) == [name]
        assert c.verdict == "different"
        assert f"'{name}' was" in c.headline
        assert ("changed", name) in [(f.what, f.column) for f in c.findings]


STRAYS = {
    "a word among numbers": ("temp", pl.Series([*BASE["temp"].cast(pl.String)[:-1], "unknown"])),
    "a word among dates": ("day", pl.Series([*map(str, DAYS[:-1]), "never"])),
    "one fraction": ("count", pl.Series([*BASE["count"][:-1], 2.5], dtype=pl.Float64)),
    "whole numbers as doubles": ("count", BASE["count"].cast(pl.Float64)),
    "whole numbers in fewer bits": ("count", BASE["count"].cast(pl.Int16)),
    "dates with a time": ("day", BASE["day"].cast(pl.Datetime)),
    "categories": ("city", BASE["city"].cast(pl.Categorical)),
    "nothing left": ("temp", pl.Series([None] * ROWS, dtype=pl.Float64)),
    "nothing left, of no type": ("temp", pl.Series([None] * ROWS, dtype=pl.Null)),
}


@pytest.mark.parametrize("what", STRAYS)
def test_strays_and_other_ways_of_storing_are_no_other_kind(what):
    name, values = STRAYS[what]
    for one, two in ((BASE, BASE.with_columns(values.alias(name))), (BASE.with_columns(values.alias(name)), BASE)):
        c = ts.compare(one, two)
        assert not c.schema.changed
        assert not c.schema.different


def test_a_rare_two_among_zeros_and_ones_is_no_other_kind():
    a = pl.DataFrame({"n": [0, 1] * 200})
    c = ts.compare(a, pl.DataFrame({"n": [0, 1] * 199 + [0, 2]}))
    assert [(f.what, f.column) for f in c.findings] == [("retyped", "n")]
    assert c.verdict != "different"


def test_what_the_user_says_is_believed():
    b = BASE.with_columns(BASE["count"].cast(pl.String))
    assert not compared(b, kinds={"count": "categorical"}).schema.changed


def test_warn_and_ignore():
    b = BASE.rename({"temp": "Temp"})
    warned, ignored = (compared(b, schema=policy) for policy in ("warn", "ignore"))
    assert warned.verdict == ignored.verdict != "different"
    assert "Schema: 'temp' is lost (did you mean 'Temp'?)" in warned.headline
    assert "Schema" not in ignored.headline
    assert [f.what for f in warned.findings] == ["lost", "added"]
    assert not ignored.findings
    assert ignored.schema.lost == warned.schema.lost == ("temp",)
    assert "<failure" not in junit(warned)


def test_columns_that_may_be_lost():
    c = compared(BASE.drop("temp"), columns_may_be_lost=["temp", "city"])
    assert c.verdict != "different"
    assert c.schema.lost == ("temp",)
    assert "as you said" in c.findings[0].detail
    assert compared(BASE.drop("temp", "day"), columns_may_be_lost=["temp"]).verdict == "different"
    with pytest.raises(ts.InputError, match=r"has no column 'tmp'\. Did you mean 'temp'"):
        compared(BASE, columns_may_be_lost=["tmp"])
    with pytest.raises(ts.OptionError, match="columns_may_be_lost"):
        compared(BASE, columns_may_be_lost="temp")


def test_excluded_columns_are_not_lost():
    assert not compared(BASE.drop("temp"), exclude=["temp"]).schema.lost
    assert compared(BASE.drop("temp"), select=["temp", "day"]).schema.lost == ("temp",)


def test_an_unknown_policy_is_refused():
    with pytest.raises(ts.OptionError, match=r"schema='strict' is not known\. Choose one of 'fail', 'ignore', 'warn'"):
        compared(BASE, schema="strict")


def test_every_output_has_it():
    hostile = '<script>alert("x")</script>'
    a = BASE.with_columns(BASE["count"].alias(hostile))
    c = ts.compare(a, BASE.rename({"temp": "Temp"}))
    assert json.loads(c.to_json())["table_schema"]["renamed"] == {"temp": "Temp"}
    page = html(c)
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert "did you mean" in page
    assert "<script>alert" not in markdown(c)
    cases = ET.fromstring(junit(c)).findall(".//testcase[@classname='twosample.compare.schema']")
    assert [case.get("name") for case in cases] == ["temp", hostile]
    assert "did you mean 'Temp'?" in cases[0].find("failure").get("message")
    assert "lost: temp" in c.summary()


def test_guesses_about_the_same_text_are_no_finding():
    rng = np.random.default_rng(0)
    few, many = (pl.DataFrame({"word": [f"w{i}" for i in rng.integers(0, count, 1000)]}) for count in (99, 250))
    assert "retyped" not in {finding.what for finding in ts.compare(few, many).findings}
    part = np.where(np.arange(1000) < 45, "x", None), np.where(np.arange(1000) < 55, "x", None)
    one, two = (pl.DataFrame({"word": list(values), "x": rng.normal(size=1000)}) for values in part)
    assert "retyped" not in {finding.what for finding in ts.compare(one, two).findings}


def test_a_lost_time_zone_is_a_finding_and_no_failure():
    times = pl.Series(np.arange(200) * 3_600_000_000).cast(pl.Datetime("us"))
    c = ts.compare({"t": times.dt.replace_time_zone("UTC")}, {"t": times})
    assert not c.schema.changed
    (finding,) = [finding for finding in c.findings if finding.column == "t"]
    assert finding.detail.startswith("in the time zone UTC in the first table, without a time zone in the second")
    assert not ts.compare({"t": times}, {"t": times.clone()}).findings


def test_yes_in_a_text_file_and_true_in_another_are_one_kind(tmp_path):
    flags = np.random.default_rng(2).random((2, ROWS)) < 0.4
    for name, words, column in (("a", ("no", "yes"), flags[0]), ("b", ("false", "true"), flags[1])):
        pl.DataFrame({"flag": np.array(words)[column.astype(int)]}).write_csv(tmp_path / f"{name}.csv")
    for one, two in (("a", "b"), ("b", "a")):
        c = ts.compare(tmp_path / f"{one}.csv", tmp_path / f"{two}.csv")
        assert (c.verdict, dict(c.schema.changed)) == ("no difference found", {})
        assert [(found.what, found.column) for found in c.findings] == [("retyped", "flag")]
    typed = pl.DataFrame({"flag": flags[1]})  # there somebody said so
    assert list(ts.compare(tmp_path / "a.csv", typed).schema.changed) == ["flag"]


@pytest.mark.parametrize("stored", [pl.String, pl.Float64])
@pytest.mark.parametrize("shift", [0.0, 9.0])
def test_numbers_are_compared_with_numbers_among_words(stored, shift):
    rng = np.random.default_rng(1)
    values = rng.normal(50, 9, (2, 4 * ROWS)).round(2)
    words = np.where(rng.random(4 * ROWS) < 0.1, "unknown", (values[1] + shift).astype(str))
    a, b = pl.DataFrame({"v": values[0].astype(str)}).cast(stored), pl.DataFrame({"v": words})
    share = np.mean(words == "unknown")
    for one, two in ((a, b), (b, a)):
        c = ts.compare(one, two)
        assert c.verdict == "different"
        assert c["v"].kind == "numeric"
        assert (c["v"].kernel_pvalue < 0.01) == (shift > 0)
        word = next(place for place in c["v"].where if place.label == "unknown")
        assert sorted((word.share_a, word.share_b)) == [0, share]
        assert c["v"].missing is None  # a word is a value
        assert f"the other {share:.1%} are words" in c.findings[0].detail


def test_text_that_is_mostly_words_is_not_compared_with_numbers():
    a, b = {"v": RNG.normal(size=ROWS)}, {"v": [*map(str, range(ROWS // 4)), *["none"] * (ROWS - ROWS // 4)]}
    c = ts.compare({**a, "x": [1, 2] * (ROWS // 2)}, {**b, "x": [1, 2] * (ROWS // 2)})
    assert list(c.schema.changed) == ["v"]
    assert c.verdict == "different"
    assert "not compared" in c.findings[0].detail


@pytest.mark.parametrize("form", ["a.jsonl", "a.json", "sqlite:///a.db::t"])
def test_dates_are_text_where_they_can_be_nothing_else(tmp_path, monkeypatch, form):
    """The same rows in Parquet and in JSON or SQLite, which have no dates, are the same."""
    monkeypatch.chdir(tmp_path)
    start, rng = datetime(2024, 1, 1), np.random.default_rng(11)
    days = [start + timedelta(seconds=int(second)) for second in rng.integers(0, 10**7, 400)]
    frame = pl.DataFrame({"at": days, "day": [moment.date() for moment in days], "x": rng.normal(size=400)})
    frame.write_parquet("a.parquet")
    frame.write_ndjson("a.jsonl")
    frame.write_json("a.json")
    with closing(sqlite3.connect("a.db")) as base:
        base.execute("CREATE TABLE t (at, day, x)")
        base.executemany("INSERT INTO t VALUES (?, ?, ?)", [(str(a), str(day), x) for a, day, x in frame.rows()])
        base.commit()
    for pair in (("a.parquet", form), (form, "a.parquet")):
        c = ts.compare(*pair)
        assert not c.schema.changed
        assert c.verdict != "different"
        assert [(found.what, found.column) for found in c.findings] == [("retyped", "at"), ("retyped", "day")]
        assert c["at"].kind == c["day"].kind == "datetime"
        assert c["at"].a.min == c["at"].b.min == min(days)
    texts = frame.with_columns(at=pl.col("at").cast(pl.String))
    assert set(ts.compare(frame, texts).schema.changed) == {"at"}  # a frame could hold dates


def test_a_file_without_header_is_told(tmp_path):
    rows = np.random.default_rng(3).normal(size=(60, 2)).round(2)
    pl.DataFrame(rows, schema=["x", "y"]).write_csv(tmp_path / "a.csv")
    pl.DataFrame(rows, schema=["x", "y"]).write_csv(tmp_path / "b.csv", include_header=False)
    with pytest.raises(ts.InputError, match=r"b\.csv seems to have no header: its first line"):
        ts.compare(tmp_path / "a.csv", tmp_path / "b.csv")
    with pytest.raises(ts.InputError, match="no column that can be compared") as error:
        ts.compare(tmp_path / "a.csv", {"z": [1.5, 2.5] * 20})
    assert "no header" not in str(error.value)


def test_dates_with_a_time_zone_are_said_to_be_told_in_utc():
    pd = pytest.importorskip("pandas")
    times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="7h"))
    there = {zone: pd.DataFrame({"at": times.dt.tz_localize(zone)}) for zone in ("Europe/Berlin", "UTC")}
    said = "Dates, hours and weekdays of 'at' are told in UTC, not in their time zone."
    assert said in ts.compare(there["Europe/Berlin"], there["UTC"]).notes
    assert said not in ts.compare(there["UTC"], there["UTC"]).notes
