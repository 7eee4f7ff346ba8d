"""Whole databases: tables first, then columns."""

import json
import sqlite3

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.matching.people import people
from tests.report.test_page import ALLOWED, Page
from twosample.report import html, markdown


def test_a_table_without_values_says_so():
    rng = np.random.default_rng(0)
    x = {"t": {"a": rng.normal(size=90), "b": rng.gamma(2, size=90)}, "none": {"q": [None] * 5}}
    found = ts.match_databases(x, {"u": x["t"]}).unmatched_source
    assert [(one.name, one.reason) for one in found] == [("none", "no column has values that can be compared")]


def shop(n, seed):
    """Three tables that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    return {
        "people": people(n, seed).drop("note", "since"),
        "orders": pl.DataFrame(
            {
                "price": rng.lognormal(3, 0.6, n).round(2),
                "amount": rng.integers(1, 9, n),
                "paid": rng.choice(["card", "cash", "bill"], n, p=[0.6, 0.3, 0.1]),
            }
        ),
        "weather": pl.DataFrame(
            {
                "temperature": rng.normal(12, 7, n).round(1),
                "pressure": rng.normal(1013, 9, n).round(1),
                "wind": rng.weibull(2, n).round(2) * 5,
            }
        ),
    }


@pytest.fixture(scope="module")
def shops():
    second = shop(300, 2)
    return shop(400, 1), {"t3": second["weather"], "t1": second["people"], "t2": second["orders"]}


PARTNERS = {"people": "t1", "orders": "t2", "weather": "t3"}


def partners(m):
    return {pair.source: pair.target for pair in m.pairs}


def test_tables_find_their_partners_and_columns_are_those_of_match(shops):
    a, b = shops
    m = ts.match_databases(a, b)
    assert partners(m) == PARTNERS
    assert m.matched
    assert all(pair.confidence > 0.5 for pair in m.pairs)
    strange = [m.confidence[i, j] for i, s in enumerate(m.sources) for j, t in enumerate(m.targets) if PARTNERS[s] != t]
    assert max(strange) < 0.5
    for source, target in PARTNERS.items():
        alone = ts.match(a[source], b[target])  # one answer to one question
        assert [(p.source, p.target) for p in m[source].pairs] == [(p.source, p.target) for p in alone.pairs]
        assert [p.confidence for p in m[source].pairs] == pytest.approx([p.confidence for p in alone.pairs])
        assert m[source].related == pytest.approx(m.confidence[m.sources.index(source), m.targets.index(target)])
    with pytest.raises(ts.OptionError, match="nobody"):
        m["nobody"]


def test_the_order_of_tables_does_not_matter(shops):
    a, b = shops
    m = ts.match_databases(dict(reversed(a.items())), dict(reversed(b.items())))
    assert partners(m) == PARTNERS
    assert [pair.source for pair in m.pairs] == ["weather", "orders", "people"]


def test_a_table_without_a_partner_says_so(shops):
    a, b = shops
    m = ts.match_databases(a, {"t1": b["t1"]})
    assert partners(m) == {"people": "t1"}
    assert not m.matched
    assert [one.name for one in m.unmatched_source] == ["orders", "weather"]
    assert "t1" in m.unmatched_source[0].reason
    left = ts.match_databases(a, b, exclude=["t1", "people"])
    assert left.sources == ("orders", "weather")


def test_folders_sqlite_and_duckdb(shops, tmp_path):
    import duckdb

    a, b = shops
    folder = tmp_path / "a"
    folder.mkdir()
    a["people"].write_csv(folder / "people.csv")
    a["orders"].write_parquet(folder / "orders.parquet")
    (folder / "weather").mkdir()  # one table in two files
    a["weather"][:200].write_csv(folder / "weather" / "1.csv")
    a["weather"][200:].write_csv(folder / "weather" / "2.csv")
    (folder / "README.md").write_text("no table")
    (folder / "broken.parquet").write_text("no Parquet")
    (folder / "empty.csv").write_text("x,y\n")
    with sqlite3.connect(tmp_path / "b.db") as lite:
        for name, table in b.items():
            names = ", ".join(f'"{column}"' for column in table.columns)
            lite.execute(f'CREATE TABLE "{name}" ({names})')
            marks = ", ".join("?" * table.width)
            lite.executemany(f'INSERT INTO "{name}" VALUES ({marks})', table.rows())
    lite.close()
    with duckdb.connect(str(tmp_path / "b.duckdb")) as duck:
        for name, table in b.items():
            duck.register("held", table.to_arrow())
            duck.execute(f'CREATE TABLE "{name}" AS SELECT * FROM held')
    for target in (f"sqlite:///{tmp_path}/b.db", f"duckdb:///{tmp_path}/b.duckdb"):
        m = ts.match_databases(folder, target)
        assert partners(m) == PARTNERS
        assert len(m["weather"].pairs) == 3
        why = {one.name: one.reason for one in m.unmatched_source}
        assert why.keys() == {"broken", "empty"}
        assert "no rows" in why["empty"]
        assert str(folder / "people.csv") in m.read


def test_postgres(shops, postgres_server):
    a, b = shops
    kinds = {"Float64": "double precision", "Int64": "bigint", "String": "text", "Boolean": "boolean"}
    for name, table in b.items():
        columns = ", ".join(f'"{column}" {kinds[str(kind)]}' for column, kind in table.schema.items())
        rows = ", ".join(str(row) for row in table.rows())
        postgres_server.execute(f"CREATE TABLE shop_{name} ({columns})", f"INSERT INTO shop_{name} VALUES {rows}")
    m = ts.match_databases(a, postgres_server.url())
    assert partners(m).items() >= {source: f"shop_{target}" for source, target in PARTNERS.items()}.items()
    assert postgres_server.password not in m.to_json()


def test_all_forms(shops, tmp_path):
    a, b = shops
    nasty = {"<b>&|`x`": a["people"], "orders": a["orders"]}
    m = ts.match_databases(nasty, b)
    found = json.loads(m.to_json())
    assert found["schema"] == 1
    assert found["pairs"][0]["columns"]["pairs"]
    assert found["unmatched_target"][0]["name"] == "t3"
    page = html(m)
    assert {tag for tag, _ in Page(page).elements} <= ALLOWED
    assert "<b>&|" not in page
    assert "&lt;b&gt;" in page
    m.report(tmp_path / "m.html")
    text = markdown(m)
    assert "<b>" not in text
    assert "orders" in text
    assert "column of A" not in markdown(ts.match(a["people"], b["t1"]))
    assert m.to_frame().columns[:3] == ["source_table", "target_table", "tables_confidence"]
    assert "orders = t2" in str(m)
    alone = ts.match_databases({"x": a["people"]}, {"y": b["t3"]})
    assert not alone.pairs
    assert "No table of A has a partner" in html(alone)
    assert markdown(alone)


def test_names_of_tables_count_if_asked():
    rng = np.random.default_rng(0)
    one, two = ({"v": rng.normal(size=200)} for _ in range(2))
    a, b = {"jan": one, "feb": two}, {"feb": {"v": rng.normal(size=150)}, "jan": {"v": rng.normal(size=150)}}
    assert partners(ts.match_databases(a, b, use_names=True)) == {"jan": "jan", "feb": "feb"}


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ({"a": [1, 2], "b": [2, 3]}, {}, "mapping from names to tables"),
        ({"a": np.zeros(3)}, {}, "mapping from names to tables"),
        (3, {}, "give a folder"),
        ({}, {}, "no tables"),
        ("/nowhere/at/all", {}, "does not exist"),
        ({"t": {"v": [1.0, 2.0]}}, {"exclude": ["u"]}, "neither database has a table 'u'"),
        ({"t": {"v": [1.0, 2.0]}}, {"use_names": "yes"}, "use_names"),
        ({"t": {"v": []}}, {}, "no table that can be read"),
    ],
    ids=str,
)
def test_bad_input(source, options, message):
    with pytest.raises(ts.TwosampleError, match=message):
        ts.match_databases(source, {"t": {"v": [1.0, 2.0, 3.0]}}, **options)


def test_a_file_is_no_database(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(ts.SourceError, match="one table"):
        ts.match_databases(tmp_path / "t.csv", tmp_path)
    with pytest.raises(ts.SourceError, match="leave out '::t'"):
        ts.match_databases(f"sqlite:///{tmp_path}/none.db::t", tmp_path)
    with pytest.raises(ts.SourceError, match="there is no file"):
        ts.match_databases(f"sqlite:///{tmp_path}/none.db", tmp_path)


def test_a_table_that_is_unlike_a_taken_one_says_so():
    one, two = shop(400, 1), shop(300, 2)
    m = ts.match_databases({"people": one["people"], "weather": one["weather"]}, {"t1": two["people"]})
    assert partners(m) == {"people": "t1"}
    assert "'t1', is too unlike (confidence 0" in m.unmatched_source[0].reason
    assert not m.matched
