"""What tables may hold and where they may lie when their columns are matched, and what is refused."""

import json

import numpy as np
import pytest

import twosample as ts
from tests.matching.people import people
from twosample.matching.match import MOST_PAIRS


def test_numbers_written_as_text():
    rng = np.random.default_rng(0)
    a = {"n": rng.normal(5, 1, 300), "k": rng.normal(50, 1, 300)}
    b = {"t": [f"{v:.3f}" for v in rng.normal(50, 1, 300)], "s": [f" {v:.2f}" for v in rng.normal(5, 1, 300)]}
    assert {p.source: p.target for p in ts.match(a, b).pairs} == {"n": "s", "k": "t"}


def test_whole_numbers_and_codes():
    rng = np.random.default_rng(0)
    a = {"code": rng.choice([3, 7, 9], 300, p=[0.6, 0.3, 0.1])}
    b = {"label": rng.choice(["3", "7", "9x"], 300, p=[0.6, 0.3, 0.1])}
    m = ts.match(a, b, kinds={"label": "categorical"}, force=True)
    assert (m.pairs[0].target, m.pairs[0].kind) == ("label", "categorical")
    assert m.costs[0, 0] < 0.3


def test_missing_values():
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    holes = np.where(rng.random(1000) < 0.97, np.nan, x[:1000])
    gaps = [None if k % 3 else float(v) for k, v in enumerate(x[1000:])]
    m = ts.match({"a": holes, "void": [None] * 1000}, {"b": gaps, "far": 50 + x[1000:]})
    assert [(p.source, p.target) for p in m.pairs] == [("a", "b")]
    assert "missing" in m.pairs[0].evidence
    assert m.unmatched_source[0].reason == "all values are missing"


def test_kinds_that_no_value_has():
    m = ts.match({"a": ["q", "w"] * 9}, {"b": np.arange(18.0)}, kinds={"a": "numeric"})
    assert m.unmatched_source[0].reason == "no value can be read as numeric"


HOSTILE = ['a"b', "c'd; DROP TABLE x", "<script>alert(1)</script>", "new\nline", "\u202ered", "$x^2$", " ", "%s{0}"]


def test_hostile_names():
    from matplotlib import pyplot

    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 8)) * 3.0 ** np.arange(8)
    a = dict(zip(HOSTILE, x[:100].T, strict=True))
    b = dict(zip([name + "'" for name in HOSTILE], x[100:].T, strict=True))
    m = ts.match(a, b, use_names=True)
    assert [p.target for p in m.pairs] == [name + "'" for name in HOSTILE]
    assert "new␊line" in str(m)
    assert "<script>" not in m._repr_html_()
    assert json.loads(m.to_json())["pairs"][3]["source"] == "new\nline"
    m.plot().figure.canvas.draw()
    pyplot.close("all")


def test_nothing_to_compare():
    m = ts.match({"a": [1.0, 2.0, 3.0]}, {"b": ["x y z", "u v w", "p q r"]}, kinds={"b": "text"})
    assert not m.pairs
    assert "compared" in m.unmatched_source[0].reason
    assert m.distance == pytest.approx(np.sqrt(2))
    assert np.isnan(ts.match({"a": [None] * 3}, {"b": [1.0, 2.0, 3.0]}).distance)
    assert json.loads(m.to_json())["costs"] == [[None]]
    assert m.candidates("a") == ()


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        (None, {"a": [1, 2]}, {}, "a is None"),
        ({"a": [1, 2]}, {"b": []}, {}, "no rows"),
        ([[1.0, 2.0], 5], {"b": [1, 2]}, {}, "column 1 of the list is int"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"select": ["c"]}, "select: neither table"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"exclude": ["a"]}, "No column of a"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"kinds": {"z": "text"}}, "kinds: neither table"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"select": "a"}, "list of names"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"level": 2}, "level=2"),
        ({"a": [1, 2]}, {"b": [1, 2]}, {"sample": 0}, "sample=0"),
    ],
)
def test_bad_input(a, b, options, message):
    with pytest.raises(ts.TwosampleError, match=message):
        ts.match(a, b, **options)


def test_very_wide_tables_are_refused_at_once_or_served():
    wide = np.zeros((3, 4000))
    assert MOST_PAIRS < 4000**2
    with pytest.raises(ts.InputError, match="pairs"):
        ts.match(wide, wide)
    m = ts.match(np.random.default_rng(0).normal(size=(5, 300)), np.zeros((4, 2)), force=True)
    assert len(m.pairs) == 2
    m = ts.match(np.random.default_rng(0).normal(size=(5, 10_000)), np.zeros((4, 1)), force=True)
    assert len(m.unmatched_source) == 9_999


def test_select_and_exclude():
    a, b = people(100, 0), people(100, 1)
    m = ts.match(a, b, select=["age", "pay", "city"], exclude=["city"])
    assert m.sources == m.targets == ("age", "pay")


NAMES = ("alter_", "lohn", "punkte", "kinder", "ort", "notiz")


def in_sqlite(frame, folder, request):
    import sqlite3

    with sqlite3.connect(folder / "b.db") as base:
        base.execute("CREATE TABLE people (alter_ REAL, lohn REAL, punkte REAL, kinder INTEGER, ort TEXT, notiz TEXT)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", frame.rows())
    base.close()
    return f"sqlite:///{folder / 'b.db'}::people"


def in_duckdb(frame, folder, request):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(folder / "b.duckdb") as base:
        base.execute("CREATE TABLE people AS SELECT * FROM frame")
    return f"duckdb:///{folder / 'b.duckdb'}::people"


def in_postgres(frame, folder, request):
    server = request.getfixturevalue("postgres_server")
    import psycopg

    server.execute("CREATE TABLE people (alter_ float8, lohn float8, punkte float8, kinder int, ort text, notiz text)")
    with psycopg.connect(server.url()) as base, base.cursor() as cursor:
        cursor.executemany("INSERT INTO people VALUES (%s, %s, %s, %s, %s, %s)", frame.rows())
    return server.url("people")


def in_file(frame, folder, request):
    frame.write_parquet(folder / "b.parquet")
    return folder / "b.parquet"


@pytest.mark.parametrize(
    "place",
    [in_sqlite, in_duckdb, in_postgres, in_file, lambda f, *_: f.to_pandas(), lambda f, *_: f.to_arrow(),
     lambda f, *_: f],
    ids=["sqlite", "duckdb", "postgresql", "parquet", "pandas", "arrow", "polars"],
)  # fmt: skip
def test_files_frames_and_databases(place, tmp_path, request):
    a, b = people(200, 0).drop("since", "happy"), people(200, 1).drop("since", "happy")
    a.write_csv(tmp_path / "a.csv")
    b = b.rename(dict(zip(b.columns, NAMES, strict=True)))
    m = ts.match(tmp_path / "a.csv", place(b, tmp_path, request))
    assert {p.source: p.target for p in m.pairs} == dict(zip(a.columns, NAMES, strict=True))


def test_ragged_lists_of_columns():
    m = ts.match([[1, None, 3, 4, 5], ["a", "b", "a"]], [["a", "b", "b", "a", "a", "b"], [1.0, 2, 3]], force=True)
    assert [(p.source, p.target) for p in m.pairs] == [("c0", "c1"), ("c1", "c0")]


def test_all_of_a_table_is_no_sample():
    x = np.random.default_rng(0).normal(size=(300, 1))
    assert ts.match(x, x, sample=300).notes == ()
    assert "random sample" in ts.match(x, x, sample=299).notes[0]


def test_all_rows_the_same():
    m = ts.match({"a": [1.0] * 20}, {"b": [1.0] * 15, "c": [2.0] * 15})
    assert [(p.source, p.target) for p in m.pairs] == [("a", "b")]
    assert m.pairs[0].pvalue == 1


@pytest.mark.parametrize("words", [("true", "false"), ("True", "False"), ("TRUE", "FALSE")])
def test_booleans_find_those_that_are_written_as_text(words):
    rng = np.random.default_rng(0)
    flags = {"rare": rng.random(600) < 0.2, "often": rng.random(600) < 0.7}
    texts = {"b": np.where(rng.random(500) < 0.7, *words), "a": np.where(rng.random(500) < 0.2, *words).tolist()}
    texts["a"][7] = None
    for one, two in ((flags, texts), (texts, flags)):
        pairs = {frozenset((pair.source, pair.target)) for pair in ts.match(one, two).pairs}
        assert pairs == {frozenset(("rare", "a")), frozenset(("often", "b"))}


@pytest.mark.parametrize("stored", [True, False])
def test_true_and_false_find_a_column_that_has_a_third_word_too(stored):
    rng = np.random.default_rng(1)
    active = rng.random(400) < 0.5
    one = {"active": active if stored else np.where(active, "True", "False"), "v": rng.normal(size=400)}
    two = {"on": rng.choice(["TRUE", "FALSE", "unknown"], 400, p=[0.49, 0.49, 0.02]), "w": rng.normal(size=400)}
    assert {(pair.source, pair.target) for pair in ts.match(one, two).pairs} == {("active", "on"), ("v", "w")}


def test_nothing_that_can_be_compared_is_said_in_words():
    lines = str(ts.match({"a": [1]}, {"b": [1]})).splitlines()
    assert "  distance of the tables: unknown, no columns can be compared" in lines
    assert "Columns of the source without a partner in dict" in lines
    assert "Columns of the target without a partner in dict" in lines
