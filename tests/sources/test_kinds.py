"""What columns mean, and which of two tables can be compared."""

import datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import BinGrid, ColumnKind, compare_schemas, convert, infer_kinds, open_table

RNG = np.random.default_rng(5)
N = 1000
WORDS = ["red", "green", "blue", "sky", "tree", "house", "river", "cloud", "stone", "bird"]


def kinds_of(columns, kinds=None):
    table = open_table(columns)
    return {c.name: c for c in infer_kinds(table, table.profile(), table.sample(500, seed=0), kinds)}


CASES = {
    "numeric": RNG.normal(size=N),
    "numeric with gaps": pl.Series(RNG.normal(size=N)).set(pl.Series(RNG.random(N) < 0.5), None),
    "integer": RNG.integers(0, 10**6, size=N),
    "integer small": RNG.integers(0, 5, size=N),
    "integer as float": RNG.integers(0, 50, size=N).astype(float),
    "integer as text": [str(v) for v in RNG.integers(-50, 50, size=N)],
    "integer of microseconds": RNG.choice(10**12, size=N),
    "numeric as text": [f" {v:.3f}" for v in RNG.normal(size=N)],
    "boolean": RNG.random(N) < 0.5,
    "boolean as 0/1": RNG.integers(0, 2, size=N),
    "datetime": [datetime.date(2020, 1, 1) + datetime.timedelta(days=int(v)) for v in RNG.integers(0, 99, N)],
    "datetime exact": [datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=int(v)) for v in RNG.choice(9**9, N)],
    "datetime of day": [datetime.time(v % 24, v % 60) for v in range(N)],
    "duration": [datetime.timedelta(seconds=int(v)) for v in RNG.integers(0, 9999, N)],
    "datetime as text": [f"2020-01-{v:02d}T10:00:00" for v in RNG.integers(1, 28, size=N)],
    "datetime as text with gaps": [f"2020-01-{v:02d}" if v < 28 else "unknown" for v in RNG.integers(1, 29, size=N)],
    "categorical": RNG.choice(WORDS, size=N).tolist(),
    "categorical codes": [f"{v:05d}" for v in RNG.integers(0, 50, size=N)],
    "categorical type": pl.Series(RNG.choice(WORDS, size=N).tolist(), dtype=pl.Categorical),
    "text": [" ".join(RNG.choice(WORDS, size=8)) for _ in range(N)],
    "text without spaces": ["".join(RNG.choice(["日本", "語で", "答え", "คำตอบ"], size=9)) for _ in range(N)],
    "text repeated": [" ".join(RNG.choice(WORDS, size=3)) for _ in range(N)],
    "identifier": np.arange(N),
    "identifier shuffled": RNG.permutation(N) + 5000,
    "identifier of tokens": [f"u-{v:x}" for v in RNG.permutation(10**6)[:N]],
    "identifier of names": [f"{a}{b}{i}" for i, (a, b) in enumerate(RNG.choice(["王", "李", "明"], size=(N, 2)))],
    "customer_id": RNG.permutation(10**6)[:N] * 1009,
    "constant": np.full(N, 3.5),
    "constant text": ["same"] * N,
    "mostly missing": [None] * (N - 10) + [1.5] * 10,
    "mostly missing all": pl.Series([None] * N),
    "unsupported": [[1, 2]] * N,
    "unsupported struct": [{"a": 1}] * N,
}


@pytest.mark.parametrize("name", CASES)
def test_kinds(name):
    found = kinds_of({name: CASES[name]})[name]
    wanted = {"customer_id": "identifier"}.get(name) or next(
        kind for kind in ("mostly missing", name.split()[0]) if name.startswith(kind)
    )
    assert found.kind == wanted, found
    assert found.reason
    assert found.from_text == ("as text" in name)


def test_few_rows():
    found = kinds_of({"a": [1, 2, 3], "s": ["x", "y", "z"], "c": [1, 1, 1]})
    assert [c.kind for c in found.values()] == ["integer", "categorical", "constant"]
    assert found["c"].base == "boolean"
    none = kinds_of({"a": pl.Series([], dtype=pl.Int64), "s": pl.Series([], dtype=pl.String)})
    assert [c.kind for c in none.values()] == ["mostly missing", "mostly missing"]


def test_the_user_knows_better():
    columns = {"zip": CASES["integer small"], "t": CASES["numeric as text"]}
    found = kinds_of(columns, {"zip": "categorical", "t": "text"})
    assert [(c.kind, c.reason) for c in found.values()] == [("categorical", "as you said"), ("text", "as you said")]
    with pytest.raises(ts.OptionError, match=r"kinds\['zip'\]='nonsense' is not known"):
        kinds_of({"zip": [1, 2]}, {"zip": "nonsense"})
    with pytest.raises(ts.OptionError, match="is not known"):
        kinds_of({"zip": [1, 2]}, {"zip": "constant"})
    with pytest.raises(ts.InputError, match="no column 'zap'"):
        kinds_of({"zip": [1, 2]}, {"zap": "numeric"})


def column(kind, storage="S", base="same", from_text=False):
    return ColumnKind("c", kind, kind if base == "same" else base, storage, "why", from_text)


@pytest.mark.parametrize(
    ("left", "right", "joint", "what"),
    [
        (column("numeric"), column("numeric"), "numeric", None),
        (column("integer"), column("numeric"), "numeric", "retyped"),
        (column("boolean"), column("integer"), "integer", "retyped"),
        (column("integer"), column("categorical"), "categorical", "retyped"),
        (column("categorical"), column("text"), "text", "retyped"),
        (column("numeric"), column("text"), None, "retyped"),
        (column("datetime"), column("numeric"), None, "retyped"),
        (column("numeric"), column("numeric", from_text=True), "numeric", "retyped"),
        (column("identifier"), column("identifier"), None, "left out"),
        (column("identifier"), column("integer"), None, "left out"),
        (column("unsupported", base=None), column("unsupported", base=None), None, "left out"),
        (column("constant", base="numeric"), column("numeric"), "numeric", None),
        (column("constant", base="integer"), column("constant", base="integer"), "integer", None),
        (column("mostly missing", base=None), column("text"), "text", "retyped"),
        (column("mostly missing", base="numeric"), column("numeric"), "numeric", "retyped"),
        (column("mostly missing", base=None), column("mostly missing", base=None), None, "left out"),
    ],
)
def test_joint_kinds(left, right, joint, what):
    for one, two in ((left, right), (right, left)):
        both = compare_schemas([one], [two])
        assert [c.kind for c in both.common] == ([joint] if joint else [])
        assert [f.what for f in both.findings] == ([what] if what else [])


def test_missing_and_added():
    a, b = (ColumnKind(n, "numeric", "numeric", "Float64", "") for n in "ab")
    both = compare_schemas([a], [b])
    assert [(f.what, f.column) for f in both.findings] == [("lost", "a"), ("added", "b")]
    assert both.common == ()


def test_converted():
    frame = pl.DataFrame(
        {
            "n": ["1", " 2.5", "x", None],
            "d": ["2020-01-01", "2020-01-02T00:00:10", None, "2020-01-03 00:00:00"],
            "c": [1.0, 2.0, float("nan"), None],
            "b": [True, False, None, True],
            "f": [1.5, float("nan"), None, 2.0],
            "day": pl.Series(["1970-01-02", None, None, "1970-01-03"]).str.to_date(),
        }
    )
    kinds = {"n": "numeric", "d": "datetime", "c": "categorical", "b": "boolean", "f": "numeric", "day": "datetime"}
    found = convert(frame, kinds)
    assert found.columns == list(kinds)
    assert found["n"].to_list() == [1.0, 2.5, None, None]
    assert found["d"].to_list() == [1577836800.0, 1577923210.0, None, 1578009600.0]
    assert found["c"].to_list() == ["1", "2", None, None]
    assert found["b"].to_list() == [1.0, 0.0, None, 1.0]
    assert found["f"].to_list() == [1.5, None, None, 2.0]
    assert found["day"].to_list() == [86400.0, None, None, 172800.0]


def days(rows, seed):
    """Dates as text."""
    found = np.datetime64("2020-01-01") + np.random.default_rng(seed).integers(0, 700, size=rows)
    return found.astype(str).tolist()


@pytest.mark.parametrize("odd", ["0", "unknown", "nan", "", "2020-13-01"])
@pytest.mark.parametrize("at", [0, 50, 500])
def test_text_is_read_value_by_value(odd, at):
    dates = days(1000, 1)
    parsed = pl.DataFrame({"v": pl.Series(dates).str.to_date()})
    truth = convert(parsed, {"v": "datetime"})["v"].to_list()
    dates[at], truth[at] = odd, None
    assert convert(pl.DataFrame({"v": dates}), {"v": "datetime"})["v"].to_list() == truth
    assert kinds_of({"v": dates})["v"].kind == "datetime"

    values = [str(v) for v in range(1000)]
    values[at] = "2020-01-01"
    assert convert(pl.DataFrame({"v": values}), {"v": "numeric"})["v"].to_list() == [
        None if v == at else float(v) for v in range(1000)
    ]


def test_a_zero_for_never():
    found = convert(pl.DataFrame({"v": ["0"] * 60 + ["1970-01-02"] * 40}), {"v": "datetime"})["v"]
    assert found.to_list() == [None] * 60 + [86400.0] * 40


@pytest.mark.parametrize("said", [None, {"d": "datetime"}])
@pytest.mark.parametrize(("rows", "at"), [(3_000, 50), (3_000, 500), (140_000, 100_000), (140_000, 139_999)])
def test_one_odd_date_is_a_value_of_its_own(rows, at, said):
    old, new = days(rows, 1), days(rows, 2)
    new[at] = "0"
    column = ts.compare({"d": old}, {"d": new}, kinds=said)["d"]
    assert (column.kind, column.rows_a, column.rows_b, column.missing) == ("datetime", rows, rows - 1, None)


def test_all_rows_decide_how_text_is_read(monkeypatch):
    monkeypatch.setattr("twosample.sources.local._ROWS", 1024)
    dates = ["0"] * 1024 + days(40_000, 1) + ["0"]  # the first batch has numbers only
    seconds = convert(pl.DataFrame({"d": dates}), {"d": "datetime"})["d"].drop_nulls().to_numpy()
    grid = BinGrid(20, 1500, 150)
    found = open_table({"d": dates}).binned_moments({"d": grid})["d"]
    assert (found.missing, found.below, found.above) == (1025, 0, 0)
    np.testing.assert_array_equal(found.moments[0], np.histogram(seconds, grid.edges)[0])


@pytest.mark.parametrize("rows", [300, 30_000])
def test_a_column_that_is_said_to_be_of_dates_is_one_however_few_there_are(rows):
    rng = np.random.default_rng(0)

    def table(month):
        days = [f"2020-{month:02d}-{day:02d}" for day in rng.integers(1, 20, rows // 50)]
        return {"seen": days + ["0"] * (rows - len(days)), "x": rng.normal(size=rows)}

    c = ts.compare(table(1), table(7), kinds={"seen": "datetime"})
    assert (c["seen"].rows_a, c["seen"].missing_a) == (rows // 50, 0.0)  # 0 is a value, and no date
    assert c["seen"].pvalue < 0.05
    assert c["seen"].picture.edges[0] > 1.5e9
    seconds = {"seen": [str(1_577_836_800 + int(step)) for step in rng.integers(0, 10**6, 100)]}
    assert ts.compare(seconds, seconds, kinds={"seen": "datetime"})["seen"].rows_a == 100
