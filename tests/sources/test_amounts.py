"""Money and percentages that are stored as text are numbers, whichever way the table comes in."""

import sqlite3

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources.values import spelled


def test_each_value_is_read_by_itself():
    text = [
        "$14.00",
        "7,20 €",
        "1.234,50 €",
        "$1,250",
        "12 %",
        "-3%",
        "$-5",
        "0.5%",
        "€ 3",
        "1,250 €",
        " 7 ",
        "1,250",
        None,
    ]
    assert spelled(pl.Series(text))[0].to_list() == pytest.approx(
        [14.0, 7.2, 1234.5, 1250.0, 0.12, -0.03, -5.0, 0.005, 3.0, 1250.0, 7.0, 1250.0, None]
    )
    for word in ("$", "%", "5$5", "1,2,3", "a%", "$1,25,0", "100 % wool", "$$3"):
        assert spelled(pl.Series([word]))[0].to_list() == [None], word


def shop(seed, pay=15_000.0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "pay": [f"${v:,.2f}" for v in rng.normal(pay, 900, 400)],
            "cut": [f"{v:.0f} %" for v in rng.uniform(0, 50, 400)],
        }
    )


def in_sqlite(table, path):
    with sqlite3.connect(path) as base:
        base.execute("create table t (pay text, cut text)")
        base.executemany("insert into t values (?, ?)", table.rows())
    return f"sqlite:///{path}::t"


@pytest.mark.parametrize("way", ["frame", "csv", "parquet", "summary", "sqlite", "duckdb", "pandas"])
def test_from_every_door(way, tmp_path):
    tables = [shop(0), shop(1, 15_600.0)]
    sides = []
    for number, table in enumerate(tables):
        place = tmp_path / f"{number}.{way}"
        if way in ("csv", "parquet"):
            getattr(table, f"write_{way}")(place)
            sides.append(place)
        elif way == "duckdb":
            duckdb = pytest.importorskip("duckdb")
            pytest.importorskip("pyarrow")
            arrow = table.to_arrow()
            sides.append(duckdb.connect().from_arrow(arrow))
        else:
            make = {"frame": lambda t: t, "summary": ts.summarize, "pandas": lambda t: t.to_pandas()}
            sides.append(in_sqlite(table, place) if way == "sqlite" else make[way](table))
    found = ts.compare(*sides)
    assert (found["pay"].kind, found["cut"].kind) == ("numeric", "numeric")
    assert found["pay"].verdict == "different"
    assert found["cut"].verdict != "different"
    assert found["pay"].a.mean == pytest.approx(15_000, rel=0.01)
    assert found["pay"].missing is None
