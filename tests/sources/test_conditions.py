"""Conditions of any size mean what they say, in every engine, and soon."""

import random
import sqlite3
import time

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.sources.test_databases import fill_duckdb, fill_postgres, fill_sqlite
from twosample.sources import conditions, open_table

FRAME = pl.DataFrame(
    {
        "x": np.arange(600) % 30,
        "y": [None if i % 7 == 0 else float(i % 11) for i in range(600)],
        "s": ["a", "it's OR b"] * 300,
    }
)
UNEVEN = ["((x < 1)", "x < 1))", "(" * 3000, ")" * 3000, "x < 1 OR " * 300, "'" * 3001, "()" * 500]
PIECES = ["x = {}", "y < {}", "x BETWEEN {} AND 25", "s = 'it''s OR b'", "y IS NULL", "x IN ({}, 3, 5)",
          "CASE WHEN x > {} AND y > 2 THEN 1 ELSE 0 END = 1", "abs(x - {}) < 2", "(x + 1) * 2 > {}"]  # fmt: skip


@pytest.fixture(params=["memory", "parquet", "sqlite", "duckdb", "postgresql"])
def source(request, tmp_path):
    """The same rows in every engine."""
    if request.param == "memory":
        return FRAME
    if request.param == "parquet":
        FRAME.write_parquet(tmp_path / "t.parquet")
        return tmp_path / "t.parquet"
    pytest.importorskip("sqlglot")
    if request.param == "postgresql":
        return fill_postgres(request.getfixturevalue("postgres_server"), FRAME, "conditions")
    return (fill_sqlite if request.param == "sqlite" else fill_duckdb)(tmp_path / "t.db", FRAME)


def random_condition(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(PIECES).format(rng.randrange(30))
    parts = [random_condition(rng, depth - 1) for _ in range(rng.randint(2, 4))]
    text = rng.choice([" OR ", " and ", "\nAND "]).join(parts)
    return rng.choice(["({})", "NOT ({})", "not  ( ({}) )", "{}"]).format(text)


def test_pieces_mean_what_the_whole_means(monkeypatch):
    """SQLite reads the whole; polars reads it cut into pieces."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x, y, s)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", FRAME.rows())
    monkeypatch.setattr(conditions, "_MANY", 0)
    rng = random.Random(4)
    sizes = set()
    for _ in range(150):
        where = random_condition(rng, 3)
        wanted = connection.execute(f"SELECT * FROM t WHERE {where}").fetchall()
        found = FRAME.lazy().filter(conditions.polars_condition(where)).collect().rows()
        assert found == wanted, where
        sizes.add(len(wanted))
    assert len(sizes) > 30
    connection.close()


def test_five_thousand_ors(source):
    where = " OR ".join(f"x = {i}" for i in range(10, 5010))
    started = time.process_time()
    assert open_table(source, where=where).row_count() == 400
    both = FRAME.filter(pl.col("x") < 10, pl.col("y") > 3)
    few = " OR ".join(f"x = {i}" for i in range(10, 210))
    assert open_table(source, where=f"NOT ({few}) AND (y > 3 OR {few})").row_count() == len(both)
    assert time.process_time() - started < 30


def test_three_thousand_parentheses(source):
    around = "(" * 3000 + "x < 10" + ")" * 3000
    assert open_table(source, where=around).row_count() == 200
    for where in ("(" * 3000 + "x" + ")" * 3000 + " < 10", "abs(" * 3000 + "x" + ")" * 3000 + " < 10",
                  "(x < 1 OR " * 300 + "x = 1" + ")" * 300, "NOT (" * 3000 + "x = 1" + ")" * 3000):  # fmt: skip
        with pytest.raises(ts.SourceError, match=r"where=.*nested too deeply") as caught:
            open_table(source, where=where).row_count()
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("where", UNEVEN, ids=range(len(UNEVEN)))
def test_what_does_not_come_out_even(source, where):
    with pytest.raises(ts.SourceError, match="where=") as caught:
        open_table(source, where=where).row_count()
    assert len(str(caught.value)) < 1200


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_queries_nested_too_deeply(tmp_path, scheme):
    pytest.importorskip("sqlglot")
    url = (fill_sqlite if scheme == "sqlite" else fill_duckdb)(tmp_path / "t.db", FRAME)
    query = "SELECT " + "(" * 3000 + "x" + ")" * 3000 + " FROM t"
    with pytest.raises(ts.SourceError, match=r"nested too deeply|stack overflow"):
        open_table(f"{url.rpartition('::')[0]}::{query}")


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ("x > 0", [0, 3]), ("NOT x <= 0", [0, 3]), ("x IS NULL", [1]), ("x IS NULL OR y > 3", [1, 3]),
        ("y < 3", [0, 1]),
        ("x > 0 AND y < 4", [0]), ("y > 1 AND x IS NULL", [1]), ("(x < 3) AND NOT x = 1", [2, 3]),
        ("x > 1 OR x < 0", [2, 3]),
        ('"x" >= -1e0 AND (x > 1 OR y = 3)', [2, 3]), ("x BETWEEN 0 AND 5 AND y > 1", [3]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lazy", [False, True])
def test_nan_is_missing_in_conditions(tmp_path, where, rows, lazy):
    """Polars has it above every number; frames of pandas have no other missing number."""
    frame = pl.DataFrame({"x": [1.0, np.nan, -1.0, 2.0], "y": [1, 2, 3, 4]})
    source = tmp_path / "rows.parquet" if lazy else frame
    if lazy:
        frame.write_parquet(source)
    assert open_table(source, where=where).collect()["y"].to_list() == [row + 1 for row in rows]


def test_parts_of_a_file_that_meet_no_condition_are_not_read(tmp_path):
    """Minima and maxima in a Parquet file say which parts have rows, for columns that may hold NaN as well."""
    pl.DataFrame({"x": np.arange(1e5), "y": np.arange(1e5)}).write_parquet(tmp_path / "a.parquet", row_group_size=100)
    frame = open_table(tmp_path / "a.parquet", where="x > 99990.5 AND (y IS NULL OR y > 99995)")._rows.frame
    scanned = frame.explain().partition("SELECTION")[2]
    assert "99990.5" in scanned
    assert frame.collect().height == 4
