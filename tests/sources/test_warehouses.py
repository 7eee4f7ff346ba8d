"""Databases by URL through Ibis: DuckDB in their place, their SQL as recorded, real servers where there are."""

import os

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import BinGrid, databases, infer_kinds, open_table
from twosample.sources.databases import Target, check_query
from twosample.sources.pushdown import Pushdown
from twosample.summaries import ColumnInfo

ibis = pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")
SECRET = "hunter2"
RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "x": [None if j % 7 == 0 else float(v) for j, v in enumerate(RNG.normal(size=3000))],
        "i": RNG.integers(0, 30, 3000),
        "s": [f"city {j % 5}" for j in range(3000)],
        'quo"te`': np.arange(3000.0),
    }
)
GRIDS = {"x": BinGrid(-2, -20, 40), "i": BinGrid(0, 0, 25), 'quo"te`': BinGrid(6, 0, 40)}


@pytest.mark.parametrize("scheme", databases.WAREHOUSES)
def test_what_is_missing_is_said_with_the_line_that_installs_it(scheme, monkeypatch):
    monkeypatch.setattr(databases, "_installed", lambda name: name in ("ibis", "sqlglot"))
    backend = "mysql" if scheme == "mariadb" else scheme
    with pytest.raises(ts.MissingExtraError, match=rf'pip install "ibis-framework\[{backend}\]"') as caught:
        open_table(f"{scheme}://ada:{SECRET}@db.example/shop::t")
    assert SECRET not in str(caught.value)
    assert not databases._installed("no.such.package")


@pytest.fixture
def trino(monkeypatch):
    """DuckDB, to which whoever asks for Trino is connected."""
    own = duckdb.connect()
    own.register("given", FRAME.to_arrow())
    own.execute("CREATE TABLE t AS SELECT * FROM given; CREATE SCHEMA other")
    own.execute("CREATE TABLE other.u AS SELECT 1 AS a UNION ALL SELECT 2")
    own.unregister("given")
    connection = ibis.duckdb.from_connection(own)
    urls = []
    monkeypatch.setattr(databases, "_installed", lambda name: True)
    monkeypatch.setattr(ibis, "connect", lambda url: urls.append(url) or connection)
    return urls


URL = f"trino://ada:{SECRET}@db.example:8080/shop"


def test_tables_queries_and_conditions(trino):
    table, truth = open_table(f"{URL}::t"), open_table(FRAME)
    assert trino == [URL]
    assert table.name == "trino://db.example:8080/shop::t"
    found, wanted = table.scan(GRIDS, {"s": 3}), truth.scan(GRIDS, {"s": 3})
    assert found.counts == wanted.counts
    for name in GRIDS:
        np.testing.assert_allclose(found.moments[name].moments, wanted.moments[name].moments, atol=1e-8)
        assert found.moments[name].missing == wanted.moments[name].missing
    assert open_table(f"{URL}::t", where="i < 10 AND s = 'city 1'").row_count() == len(
        FRAME.filter((pl.col("i") < 10) & (pl.col("s") == "city 1"))
    )
    assert open_table(f"{URL}::SELECT x FROM t WHERE i > 5").row_count() == (FRAME["i"] > 5).sum()
    assert open_table(f"{URL}::other.u").row_count() == 2
    assert ts.compare(table, FRAME).verdict == "same"


def test_bins_come_by_one_query(trino, monkeypatch):
    table, asked = open_table(f"{URL}::t"), []
    pull = table._rows._pulled
    monkeypatch.setattr(table._rows, "_pulled", lambda frame: asked.append(frame) or pull(frame))
    table.binned_moments(GRIDS)
    assert len(asked) == 3  # profiles, different values, bins of three columns


def test_many_different_values_are_estimated(trino, monkeypatch):
    monkeypatch.setattr("twosample.sources.pushdown.COUNTED_ROWS", 1000)
    table = open_table(f"{URL}::t")
    found = {part.name: part for part in table.profile()}
    assert not any(part.exact for part in found.values())
    kinds = [part.kind for part in infer_kinds(table, table.profile(), table.sample(1000))]
    assert kinds == ["numeric", "integer", "categorical", "identifier"]
    assert found["i"].distinct == pytest.approx(30, abs=3)
    assert found["s"].distinct == pytest.approx(5, abs=1)
    assert found['quo"te`'].distinct is None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("none", "There is no table 'none'"),
        ("SELECT nothing FROM t", "cannot be read"),
        ("SELECT 1 AS a; DROP TABLE t", "single SELECT"),
        ("WITH a AS (SELECT 1) DELETE FROM t", "SELECT"),
    ],
)
def test_errors_are_ours(trino, text, match):
    with pytest.raises(ts.SourceError, match=match) as caught:
        open_table(f"{URL}::{text}").profile()
    assert SECRET not in str(caught.value)
    assert caught.value.__context__ is None


def test_errors_of_drivers_are_ours(monkeypatch):
    def refused(url):
        raise RuntimeError(f"401 for {url}")

    monkeypatch.setattr(databases, "_installed", lambda name: True)
    monkeypatch.setattr(ibis, "connect", refused)
    with pytest.raises(ts.SourceError, match="RuntimeError: 401") as caught:
        open_table(f"snowflake://ada:{SECRET}@account/db::t")
    assert SECRET not in str(caught.value)


def recorded(dialect):
    """The questions about a table as the SQL of a dialect."""
    import narwhals as nw

    table = ibis.table({"x": "float64", "i": "int64", "s": "string", "at": "timestamp", 'quo"te`': "float64"}, name="t")
    infos = [("x", "Float64", "number"), ("i", "Int64", "integer"), ("s", "String", "text"),
             ("at", "Datetime", "date"), ('quo"te`', "Float64", "number")]  # fmt: skip
    asked = []

    def pull(frame):
        asked.append(str(ibis.to_sql(nw.to_native(frame), dialect=dialect)))
        raise LookupError

    engine = Pushdown(nw.from_native(table), tuple(ColumnInfo(*info) for info in infos), "t", pull)
    questions = [
        engine.profiles,
        lambda: engine._distinct(engine.columns, about=dialect not in ("mysql",)),
        lambda: engine.bins(GRIDS | {"at": BinGrid(20, 1500, 100)}, 10),
        lambda: engine.counts("s", 5, None),
    ]
    for question in questions:
        with pytest.raises(LookupError):
            question()
    return asked


@pytest.mark.parametrize("dialect", sorted({backend for backend, _ in databases.WAREHOUSES.values()}))
def test_recorded_queries(dialect, monkeypatch):
    """Each is one SELECT that its dialect can read again, with names that are quoted."""
    import sqlglot

    monkeypatch.setattr(Pushdown, "_backend", dialect)
    asked = recorded(dialect)
    assert len(asked) == 4
    for text in asked:
        (tree,) = sqlglot.parse(text, read=dialect)
        assert isinstance(tree, sqlglot.exp.Query)
    if dialect != "bigquery":  # it has no such names
        assert 'quo"te' in asked[2].replace('""', '"').replace('\\"', '"')
    assert asked[2].upper().count("GROUP BY") == 4
    shown = Target(dialect, None, "t", where="i < 5").select()
    assert check_query(shown, dialect) == shown


def test_recorded_queries_of_clickhouse_run(monkeypatch, tmp_path):
    chdb = pytest.importorskip("chdb", reason="pip install chdb to run ClickHouse's SQL")
    monkeypatch.setattr(Pushdown, "_backend", "clickhouse")
    FRAME.with_columns(at=pl.lit("2024-01-01 10:00:00").str.to_datetime()).write_parquet(tmp_path / "t.parquet")
    for text in recorded("clickhouse"):
        query = text.replace('FROM "t"', f"FROM file('{tmp_path}/t.parquet')")
        assert query != text
        assert len(str(chdb.query(query, "CSV"))) > 0


@pytest.fixture
def mysql():
    """The URL of a database that may be written to, user and password included."""
    url = os.environ.get("TWOSAMPLE_TEST_MYSQL")
    if not url:
        pytest.skip("TWOSAMPLE_TEST_MYSQL=mysql://user:password@host:port/database names no server")
    pytest.importorskip("MySQLdb")
    from urllib.parse import urlsplit

    import MySQLdb

    parts = urlsplit(url)
    connection = MySQLdb.connect(
        host=parts.hostname, port=parts.port or 3306, user=parts.username, password=parts.password or "",
        database=parts.path[1:]
    )  # fmt: skip
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS t")
    cursor.execute('CREATE TABLE t (x double, i bigint, s varchar(20), `quo"te``` double)')
    cursor.executemany("INSERT INTO t VALUES (%s, %s, %s, %s)", FRAME.rows())
    connection.commit()
    yield url
    connection.close()


def test_a_server_of_mysql(mysql):
    table, truth = open_table(f"{mysql}::t"), open_table(FRAME)
    found, wanted = table.scan(GRIDS, {"s": 3}), truth.scan(GRIDS, {"s": 3})
    assert found.counts == wanted.counts
    for name in GRIDS:
        np.testing.assert_allclose(found.moments[name].moments, wanted.moments[name].moments, atol=1e-8)
    for one, two in zip(found.profile, wanted.profile, strict=True):
        assert (one.rows, one.missing, one.min, one.max, one.distinct) == (
            two.rows,
            two.missing,
            two.min,
            two.max,
            two.distinct,
        )
    assert open_table(f"{mysql}::t", where="i < 10").row_count() == (FRAME["i"] < 10).sum()
    assert ts.compare(f"{mysql}::t", FRAME).verdict == "same"
    with pytest.raises(ts.SourceError, match="cannot be read"):
        open_table(f"{mysql}::SELECT nothing FROM t")
