"""Columns whose names polars would take for patterns: * stands for all columns, ^...$ for those that match."""

from __future__ import annotations

import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table

NAMES = ["*", "^k.*$", "ka", "^.*$", "kb", "^d"]


def frame(seed, rows=1200):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    x[::7] = np.nan
    when = np.datetime64("2024-01-01", "us") + rng.integers(0, 10**12, size=rows).astype("m8[us]")
    return pl.DataFrame(
        {
            "*": x,
            "^k.*$": rng.integers(0, 5, rows),
            "ka": rng.choice(["a", "b", None], rows).tolist(),
            "^.*$": [f"word {v} of {w}" for v, w in rng.integers(0, 10**6, (rows, 2))],
            "kb": rng.random(rows) < 0.3,
            "^d": when,
        }
    )


def sqlite(rows, place):
    with sqlite3.connect(place) as connection:
        rows.with_columns(pl.col("^d$|^.d$").cast(pl.String)).to_pandas().to_sql("t", connection, index=False)
    connection.close()
    return f"sqlite:///{place}::t"


def duckdb_file(rows, place):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(place)) as connection:
        connection.register("given", rows.to_arrow())
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return f"duckdb:///{place}::t"


def written(method, ending):
    def write(rows, place):
        place = place.with_suffix(ending)
        getattr(rows, method)(place)
        return place

    return write


SOURCES = {
    "polars": lambda rows, place: rows,
    "lazy": lambda rows, place: rows.lazy(),
    "pandas": lambda rows, place: rows.to_pandas(),
    "arrow": lambda rows, place: rows.to_arrow(),
    "csv": written("write_csv", ".csv"),
    "parquet": written("write_parquet", ".parquet"),
    "ndjson": written("write_ndjson", ".jsonl"),
    "ipc": written("write_ipc", ".arrow"),
    "sqlite": sqlite,
    "duckdb": duckdb_file,
}


@pytest.fixture(params=SOURCES)
def pair(request, tmp_path):
    write = SOURCES[request.param]
    return write(frame(0), tmp_path / "a"), write(frame(1), tmp_path / "b")


@pytest.mark.parametrize("rows", [300, 5000], ids=["sample", "all"])
def test_compared(pair, rows, tmp_path):
    found = ts.compare(*pair, sample=rows, select=NAMES)
    assert {column.name for column in found.columns} == set(NAMES)
    assert found.columns[0].pvalue > 0
    assert all(column.verdict != "different" for column in found.columns)
    assert set(found.rows(3)[0].values) == set(NAMES)
    found.report(tmp_path / "report.html")
    assert len(found.to_frame()) >= len(NAMES)


def test_one_is_not_all(pair):
    """Taken as a pattern, * would select every column."""
    found = ts.compare(*pair, select=["*"])
    assert [column.name for column in found.columns] == ["*"]
    found = ts.compare(*pair, exclude=["^k.*$"])
    assert {column.name for column in found.columns} == set(NAMES) - {"^k.*$"}


def test_kinds_of_one(pair):
    found = ts.compare(*pair, kinds={"^k.*$": "categorical"})
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds["^k.*$"] == "categorical"
    assert kinds["*"] == "numeric"


def test_matched(pair):
    found = ts.match(*pair)
    assert {(one.source, one.target) for one in found.pairs} >= {("*", "*"), ("^k.*$", "^k.*$")}


def test_collected(pair):
    table = open_table(pair[0])
    assert table.collect(["*"]).columns == ["*"]
    assert table.collect(["^k.*$", "ka"]).columns == ["^k.*$", "ka"]


def test_constants():
    one = pd.DataFrame({"^c.*$": [1.0] * 50, "cd": range(50)})
    two = pd.DataFrame({"^c.*$": [2.0] * 50, "cd": range(50)})
    assert "^c.*$" in str(ts.compare(one, two))


@pytest.mark.parametrize("where", ['"^k.*$" > 2', "`^k.*$` > 2", '"*" > 0'])
def test_a_condition_on_such_a_column_is_refused_where_polars_would_look_at_others(where, tmp_path):
    table = pl.DataFrame({"^k.*$": [1, 2, 3, 4], "ka": [9, 9, 9, 9], "*": [0, 1, 0, 1]})
    table.write_parquet(tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet"):
        with pytest.raises(ts.SourceError, match="pattern"):
            open_table(source, where=where)
        assert open_table(source, where="ka > 0 AND ka <> 8").row_count() == 4
