"""SQLite, DuckDB and PostgreSQL answer like the same rows in memory, are only read, and keep their passwords."""

import sqlite3
import traceback

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import BinGrid, infer_kinds, open_table

pytest.importorskip("sqlglot")
HOSTILE = [
    'quote"', "apo'strophe", "new\nline", "<script>", "x; DROP TABLE t; --", "ünï 😀", " ", "p", "b", "n", "a.b", "%s",
]  # fmt: skip
RNG = np.random.default_rng(3)
ROWS = 3000
FRAME = pl.DataFrame(
    {
        "x": np.where(np.arange(ROWS) % 10 == 3, None, RNG.normal(50, 4, ROWS)).astype(float),
        "i": RNG.integers(0, 30, ROWS),
        "s": [None if j % 11 == 0 else f"city {j % 13}" for j in range(ROWS)],
        "id": np.arange(ROWS),
    },
).with_columns(x=pl.col("x").fill_nan(None))


def literal(name):
    return '"' + name.replace('"', '""') + '"'


def fill_sqlite(path, frame, table="t"):
    connection = sqlite3.connect(path)
    names = ", ".join(map(literal, frame.columns))
    connection.execute(f"CREATE TABLE {literal(table)} ({names})")
    marks = ", ".join("?" * frame.width)
    connection.executemany(f"INSERT INTO {literal(table)} VALUES ({marks})", frame.rows())
    connection.commit()
    connection.close()
    return f"sqlite:///{path}::{table}"


def fill_duckdb(path, frame, table="t"):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.register("given", frame.to_arrow())
        connection.execute(f"CREATE TABLE {literal(table)} AS SELECT * FROM given")
    return f"duckdb:///{path}::{table}"


def fill_postgres(server, frame, table="t"):
    import psycopg

    forms = {pl.Int64: "bigint", pl.Float64: "double precision", pl.String: "text", pl.Boolean: "boolean"}
    forms |= {pl.Decimal: "numeric(10, 2)", pl.Date: "date", pl.Datetime: "timestamp"}
    zoned = {name for name, kind in frame.schema.items() if getattr(kind, "time_zone", None)}
    columns = ", ".join(
        f"{literal(n)} {'timestamptz' if n in zoned else forms[type(kind)]}" for n, kind in frame.schema.items()
    )
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"DROP TABLE IF EXISTS {literal(table)}")
        connection.execute(f"CREATE TABLE {literal(table)} ({columns})")
        with connection.cursor().copy(f"COPY {literal(table)} FROM STDIN") as copy:
            for row in frame.rows():
                copy.write_row(row)
    return server.url(table)


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def fill(request, tmp_path):
    """Writes a frame into a database, returns the URL."""
    if request.param == "postgresql":
        pytest.importorskip("ibis")
        server = request.getfixturevalue("postgres_server")
        return lambda frame, table="t": fill_postgres(server, frame, table)
    write = fill_sqlite if request.param == "sqlite" else fill_duckdb
    return lambda frame, table="t": write(tmp_path / "data.db", frame, table)


def test_the_same_answers_as_in_memory(fill):
    table, truth = open_table(fill(FRAME)), open_table(FRAME)
    assert [(c.name, c.family) for c in table.columns] == [(c.name, c.family) for c in truth.columns]
    assert table.row_count() == ROWS
    grids = {"x": BinGrid(-3, 320, 160), "i": BinGrid(0, 2, 20)}
    found, wanted = table.scan(grids, {"s": 5, "i": 3}), truth.scan(grids, {"s": 5, "i": 3})
    for one, two in zip(found.profile, wanted.profile, strict=True):
        assert (one.name, one.rows, one.missing, one.min, one.max, one.distinct) == (
            two.name, two.rows, two.missing, two.min, two.max, two.distinct)  # fmt: skip
        if two.mean is not None:
            assert (one.mean, one.std) == (pytest.approx(two.mean), pytest.approx(two.std))
    for name in grids:
        np.testing.assert_allclose(found.moments[name].moments, wanted.moments[name].moments, atol=1e-8)
        assert (found.moments[name].below, found.moments[name].above, found.moments[name].missing) == (
            wanted.moments[name].below, wanted.moments[name].above, wanted.moments[name].missing)  # fmt: skip
    assert found.counts == wanted.counts
    assert table.collect().sort("id").equals(FRAME)
    kinds = [[c.kind for c in infer_kinds(t, t.profile(), t.sample(1000))] for t in (table, truth)]
    assert kinds[0] == kinds[1] == ["numeric", "integer", "categorical", "identifier"]


def test_samples(fill):
    table = open_table(fill(FRAME))
    one = table.sample(200, seed=4)
    assert one.height == 200
    assert one["id"].n_unique() == 200
    assert one.equals(table.sample(200, seed=4))
    assert not one.equals(table.sample(200, seed=5))
    assert table.sample(10**6).height == ROWS
    ids = np.concatenate([table.sample(500, seed=seed)["id"].to_numpy() for seed in range(20)])
    counts = np.bincount(ids // 150, minlength=20)
    assert ((counts - 500) ** 2 / 500).sum() < 50  # 19 degrees of freedom


def test_nan_and_infinity(fill):
    if "sqlite" in fill(FRAME.head(1), "probe"):
        pytest.skip("SQLite turns NaN into NULL by itself")
    x = np.array([1.0, np.nan, np.inf, 3.0, -np.inf, 8.0, np.nan])
    part = open_table(fill(pl.DataFrame({"x": x, "y": np.arange(7.0)}), "odd")).profile()[0]
    assert (part.rows, part.missing, part.infinite, part.min, part.max) == (7, 2, 2, 1.0, 8.0)
    assert (part.mean, part.std) == (pytest.approx(4.0), pytest.approx(np.std([1, 3, 8], ddof=1)))


def test_nan_is_no_category(fill):
    x = [1.0] * 5 + [2.5] * 3 + [float("nan")] * 2 + [None]
    found = open_table(fill(pl.DataFrame({"x": x}), "codes")).category_counts(["x"])["x"]
    assert (found.values, found.rest, found.missing) == ((("1", 5), ("2.5", 3)), 0, 3)


def test_no_rows(fill):
    table = open_table(fill(FRAME.clear(), "nothing"))
    assert table.row_count() == 0
    assert table.sample(5).columns == table.collect().columns == FRAME.columns
    assert [part.rows for part in table.profile()] == [0] * 4
    kinds = infer_kinds(table, table.profile(), table.sample(5))
    assert {column.kind for column in kinds} == {"mostly missing"}
    assert table.binned_moments({"x": BinGrid(0, 0, 4)})["x"].rows == 0


def test_hostile_names_survive(fill):
    frame = pl.DataFrame({name: RNG.normal(size=40) for name in HOSTILE})
    table = open_table(fill(frame, "ta\"b'le; --"))
    assert [info.name for info in table.columns] == HOSTILE
    grids = dict.fromkeys(HOSTILE, BinGrid(-2, -16, 32))
    scan = table.scan(grids, dict.fromkeys(HOSTILE, 2))
    assert [part.name for part in scan.profile] == HOSTILE
    for name in HOSTILE:
        wanted = open_table(frame).binned_moments({name: grids[name]})[name]
        np.testing.assert_allclose(scan.moments[name].moments, wanted.moments, atol=1e-10)
    assert table.sample(7).columns == HOSTILE
    assert table.collect([HOSTILE[0]]).columns == [HOSTILE[0]]


def test_queries_and_conditions(fill):
    url = fill(FRAME).rpartition("::")[0]
    for target, where in (
        ("SELECT id, x AS y FROM t WHERE i < 10", None),
        ("with u as (select * from t) select id, x as y from u;", "id >= 0"),
        ("t", "i < 10 AND s IS NOT NULL"),
        ("t", "s = 'it''s' OR i < 10 -- a comment"),
    ):
        table = open_table(f"{url}::{target}", where=where)
        assert 0 < table.row_count() <= ROWS
        assert table.sample(50).height == 50
        assert table.profile()[0].rows == table.row_count()
    assert open_table(f"{url}::t", where="i < 10").row_count() == FRAME.filter(pl.col("i") < 10).height


@pytest.mark.parametrize(
    "wrong",
    ["SELECT 1; DROP TABLE t", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", "SELECT * INTO u FROM t",
     "select", "SELECT FROM WHERE", "SELECT * FROM t FOR UPDATE"],
)  # fmt: skip
def test_only_reading(fill, wrong):
    url = fill(FRAME).rpartition("::")[0]
    with pytest.raises(ts.SourceError):
        open_table(f"{url}::{wrong}").collect()
    assert open_table(f"{url}::t").row_count() == ROWS


@pytest.mark.parametrize(
    "wrong", ["i < 10; DROP TABLE t", "i < 10) UNION SELECT 1 --", "nope = 1", "", "i <", "1) OR (1=1", "SELECT 1"]
)
def test_conditions_stay_conditions(fill, wrong):
    url = fill(FRAME)
    with pytest.raises(ts.TwosampleError, match=r"where|t cannot be read"):
        open_table(url, where=wrong).profile()
    assert open_table(url).row_count() == ROWS


def test_the_connection_is_read_only(postgres_server, tmp_path):
    url = fill_postgres(postgres_server, FRAME)
    postgres_server.execute(
        "CREATE OR REPLACE FUNCTION sly() RETURNS bigint LANGUAGE sql AS 'DELETE FROM t RETURNING 1::bigint'"
    )
    base = url.rpartition("::")[0]
    with pytest.raises(ts.SourceError, match="read"):
        open_table(f"{base}::SELECT sly() AS a").collect()
    with pytest.raises(ts.SourceError, match="read"):
        open_table(f"{base}::SELECT sly() AS a").row_count()
    assert open_table(url).row_count() == ROWS


def test_tables_that_do_not_exist(fill):
    url = fill(FRAME).rpartition("::")[0]
    with pytest.raises(ts.SourceError, match="no table 'nope'"):
        open_table(f"{url}::nope")
    with pytest.raises(ts.SourceError):
        open_table(f"{url}::SELECT * FROM nope")


def test_the_only_table_needs_no_name(tmp_path):
    url = fill_sqlite(tmp_path / "one.db", FRAME).rpartition("::")[0]
    assert open_table(url).row_count() == ROWS
    fill_sqlite(tmp_path / "one.db", FRAME, "u")
    with pytest.raises(ts.SourceError, match=r"Say which table.*t, u"):
        open_table(url)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_files_that_are_not_databases(tmp_path, scheme):
    if scheme == "duckdb":
        pytest.importorskip("duckdb")
    with pytest.raises(ts.SourceError, match="no file"):
        open_table(f"{scheme}:///{tmp_path}/no.db::t")
    assert not (tmp_path / "no.db").exists()
    (tmp_path / "bad.db").write_bytes(b"this is not a database " * 1000)
    with pytest.raises(ts.SourceError, match=r"bad\.db"):
        open_table(f"{scheme}:///{tmp_path}/bad.db::t")
    with pytest.raises(ts.SourceError, match="names no file"):
        open_table(f"{scheme}://")


def test_sqlite_values_of_any_type(tmp_path):
    connection = sqlite3.connect(tmp_path / "d.db")
    connection.execute("CREATE TABLE t (a, b, c, d, e TEXT)")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?, ?, ?)",
        [(None, 1, 1, None, "2020-01-01")] * 2000
        + [(None, 2.5, "x", None, "2021-05-01 10:00:00"), (3, 1, b"q", None, None)],
    )
    connection.commit()
    connection.close()
    table = open_table(f"sqlite:///{tmp_path}/d.db::t")
    assert [info.family for info in table.columns] == ["integer", "number", "other", "empty", "text"]
    profile = table.profile()
    assert [part.missing for part in profile] == [2001, 0, 0, 2002, 1]
    assert [c.kind for c in infer_kinds(table, profile, table.sample(10**5))] == [
        "mostly missing", "numeric", "unsupported", "mostly missing", "datetime"]  # fmt: skip


# --- PostgreSQL -----------------------------------------------------------------------------------------------


def test_postgres_types(postgres_server):
    postgres_server.execute(
        "DROP TABLE IF EXISTS kinds", "DROP TYPE IF EXISTS mood", "CREATE TYPE mood AS ENUM ('sad', 'glad')",
        "CREATE TABLE kinds (a smallint, b numeric(12, 3), c real, d date, e timestamptz, f timestamp, g interval, "
        "h uuid, i mood, j jsonb, k int[], l bytea, m boolean, n varchar(9), o char(3), p time, q inet)",
        "INSERT INTO kinds SELECT n, n / 8.0, 'NaN', date '2020-01-01' + n, "
        "'2020-01-01'::timestamptz + n * interval '1 h', '2020-01-01'::timestamp + n * interval '1 s', "
        "n * interval '1 min', gen_random_uuid(), (CASE WHEN n % 2 = 0 THEN 'sad' ELSE 'glad' END)::mood, "
        "'{}', ARRAY[n], '\\x00', "
        "n % 3 = 0, 'v' || n % 4, 'c', '10:00'::time + n * interval '1 s', '10.0.0.1' FROM generate_series(1, 500) n",
    )  # fmt: skip
    table = open_table(postgres_server.url("kinds"))
    families = "".join(info.family[0] for info in table.columns)
    assert families == "innddd" + "n" + "tt" + "ooo" + "b" + "tt" + "t" + "t"
    sample = table.sample(100)
    assert sample.shape == (100, 17)
    profile = {part.name: part for part in table.profile()}
    assert (profile["a"].min, profile["b"].max, profile["g"].max) == (1.0, 62.5, 30000.0)
    assert profile["c"].missing == 500
    assert profile["d"].min == 1577836800.0 + 86400
    assert profile["e"].max == profile["d"].min - 86400 + 500 * 3600
    kinds = [c.kind for c in infer_kinds(table, tuple(profile.values()), sample)]
    assert kinds[-5:] == ["boolean", "categorical", "constant", "datetime", "constant"]
    moments = table.binned_moments({"d": BinGrid(16, 24_000, 1000), "m": BinGrid(-1, -2, 8)})
    assert (moments["d"].rows, moments["m"].rows) == (500, 500)


def test_views_are_sampled_too(postgres_server):
    fill_postgres(postgres_server, FRAME)
    postgres_server.execute("CREATE OR REPLACE VIEW v AS SELECT id, x FROM t ORDER BY id")
    table = open_table(postgres_server.url("v"))
    assert table.sample(100, seed=1).equals(table.sample(100, seed=1))
    postgres_server.execute("DROP VIEW v")


def everything(error):
    """All that a traceback could show of an error: text, chain, arguments."""
    chain, parts = error, []
    while chain is not None:
        parts += [str(chain), repr(chain), repr(chain.args)]
        chain = chain.__cause__ or chain.__context__
    return " ".join(parts) + "".join(traceback.format_exception(error))


def test_passwords_stay_secret(postgres_server):
    secret = "hush/:@%41 ?#"
    cases = [
        (postgres_server.url("t", password=secret), "user and password"),
        (postgres_server.url("t", user="nobody", password=secret), "user and password"),
        (postgres_server.url("t", database="nope"), "nope"),
        (postgres_server.url("t").replace(str(postgres_server.port), "1"), "host and port"),
        (postgres_server.url("t").replace("localhost", "no-such-host.invalid"), "host and port"),
        (f"postgresql://localhost:{postgres_server.port}/postgres?user=ada&password=hush1::t", "user and password"),
        (postgres_server.url("nope"), "no table"),
        (postgres_server.url("SELECT nope FROM pg_class"), "nope"),
    ]
    for url, message in cases:
        with pytest.raises(ts.SourceError, match=message) as caught:
            open_table(url)
        shown = everything(caught.value).replace(__file__, "")
        shown = "".join(line for line in shown.splitlines() if "open_table(url)" not in line)
        for text in (secret, "hush", postgres_server.password, "s3cret"):
            assert text not in shown, (message, text)
    fill_postgres(postgres_server, FRAME)
    table = open_table(postgres_server.url("t"))
    assert postgres_server.password not in f"{table!r} {table.name} {table._rows!r}"
    assert "ada" not in table.name


def test_a_dropped_connection(postgres_server):
    fill_postgres(postgres_server, FRAME)
    table = open_table(postgres_server.url("t"))
    postgres_server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    with pytest.raises(ts.SourceError, match="connection was lost"):
        table.profile()


def test_large_tables_of_a_server_are_sampled_uniformly(postgres_server, monkeypatch):
    """Profiles are of all rows; bins, counts and the joint sample of a part, and the notes say so."""
    pytest.importorskip("ibis")
    from twosample.sources import remote

    url = fill_postgres(postgres_server, FRAME, "large")
    monkeypatch.setattr(remote, "HELD_ROWS", 1000)
    table = open_table(url)
    found = table.survey(100, 3, lambda head: ({}, {}))
    assert found.held is not None
    assert (found.rows, len(found.held), len(found.sample)) == (ROWS, 1000, 100)
    assert set(found.sample["id"]) < set(found.held["id"])
    assert found.held.equals(table.survey(100, 3, lambda head: ({}, {})).held)
    assert [part.missing for part in found.profile] == [FRAME[name].null_count() for name in FRAME.columns]
    c = ts.compare(url, FRAME, sample=500)
    assert c.verdict != "different"
    assert "1,000 of 3,000 rows of postgresql://" in c.notes[0]
    assert (c["i"].rows_a, c["i"].rows_b) == (1000, ROWS)
    assert "on all rows" in ts.compare(url, FRAME, sample=5000).notes[0]


def test_infinite_dates_of_postgres_are_missing(postgres_server):
    server = postgres_server
    server.execute("CREATE TABLE endless (d date, t timestamp, z timestamptz, x float8)")
    columns = ", ".join(
        f"CASE i % 10 WHEN 0 THEN '{end}' ELSE ({kind} '2020-01-01' + i * interval '1 day')::{kind} END"
        for kind, end in (("date", "infinity"), ("timestamp", "-infinity"), ("timestamptz", "infinity"))
    )
    server.execute(f"INSERT INTO endless SELECT {columns}, i % 7 FROM generate_series(1, 300) i")
    table = open_table(server.url("endless"))
    facts = {part.name: part for part in table.profile()}
    sample = table.sample(300)
    for name in "dtz":
        assert facts[name].missing == sample[name].null_count() == 30
        assert 1.5e9 < facts[name].min < facts[name].max < 1.7e9
        assert sample[name].dt.year().min() == 2020
    assert ts.compare(table, table).verdict != "different"
