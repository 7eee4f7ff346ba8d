"""SQLite files are read by what Python brings, and nothing that a user writes leaves its place in a query."""

import sqlite3
import subprocess
import sys

import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table

ROWS = [(i, i / 8, f"city {i % 3}", "it's" if i % 5 == 0 else "(;--") for i in range(200)]


@pytest.fixture
def url(tmp_path):
    with sqlite3.connect(tmp_path / "shop.db") as connection:
        connection.execute('CREATE TABLE orders (id INTEGER, price REAL, "the city" TEXT, note TEXT)')
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", ROWS)
    connection.close()
    return f"sqlite:///{tmp_path}/shop.db::"


def test_nothing_is_loaded_but_what_python_brings(url):
    code = """
import sys
from twosample.sources import open_table
assert open_table(sys.argv[1] + "orders", where="price > 10").row_count() == 119
assert open_table(sys.argv[1] + "SELECT price FROM orders").row_count() == 200
assert not {"sqlglot", "ibis", "duckdb", "pyarrow", "pandas"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code, url], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("price > 10", 119),
        ("note = '(;--'", 160),
        ("note = 'it''s' -- those with ( an apostrophe ;", 40),
        ("note /* ) ; */ = 'it''s'", 40),
        ("(id < 5) OR (id >= 195)", 10),
        ("[the city] = 'city 1' and `id` < 10", 3),
        ("\"the city\" in ('city 0', 'city 1') AND orders.id < 6", 4),
        ("id IN (SELECT max(id) FROM orders)", 1),
    ],
)
def test_conditions(url, where, rows):
    assert open_table(url + "orders", where=where).row_count() == rows


@pytest.mark.parametrize(
    "where",
    ["1) UNION SELECT * FROM orders WHERE (1", "1) OR (1=1", "id < 10; DELETE FROM orders", "note = 'open", '"open',
     "`open", "[open", "/* open", "id < (10", "id) < (10", "with a as (select 1) select 1", "values (1)", "id\0 < 10"],
)  # fmt: skip
def test_conditions_cannot_leave_their_place(url, where):
    with pytest.raises(ts.SourceError, match="is not one condition"):
        open_table(url + "orders", where=where)


@pytest.mark.parametrize(
    "query", ["SELECT 1) AS t, (SELECT 2", "SELECT 1; DELETE FROM orders", "SELECT 'open", "SELECT (1"]
)
def test_queries_cannot_leave_their_place(url, query):
    with pytest.raises(ts.SourceError, match="single SELECT"):
        open_table(url + query)


@pytest.mark.parametrize("query", ["with a as (delete from orders returning *) select * from a", "SELECT nope FROM x"])
def test_queries_that_sqlite_refuses(url, query):
    with pytest.raises(ts.SourceError, match=r"shop\.db"):
        open_table(url + query)
    assert open_table(url + "orders").row_count() == len(ROWS)


def test_columns_of_a_query(url):
    """Names that come twice or not at all are those that SQLite gives them."""
    table = open_table(url + "SELECT a.id, b.id, max(a.price), a.id || '' FROM orders a, orders b GROUP BY a.id;")
    assert table.schema() == {"id": "Int64", "id:1": "Int64", "max(a.price)": "Float64", "a.id || ''": "String"}
    frame = table.collect()
    assert frame["a.id || ''"].to_list() == [str(i) for i in frame["id"]]


def test_a_file_with_an_odd_name(tmp_path):
    place = tmp_path / "100% ?mode=rwc#.db"
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    connection.close()
    assert open_table(f"sqlite:///{place}::t").collect().equals(pl.DataFrame({"a": [1]}))
    assert [found.name for found in tmp_path.iterdir()] == [place.name]
