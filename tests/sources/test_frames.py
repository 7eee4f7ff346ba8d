"""Frames of every library are the same table. Workers of Dask and Spark: test_workers.py."""

from datetime import datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import BinGrid, infer_kinds, open_table, remote

RNG = np.random.default_rng(7)
COLUMNS = {
    "x": RNG.normal(size=400),
    "i": RNG.integers(0, 9, size=400),
    "s": [f"v{j % 5}" for j in range(400)],
    "b": RNG.random(400) < 0.3,
    "t": np.datetime64("2021-03-01T00:00:00", "us") + (np.arange(400) * 3_600_000_000).astype("m8[us]"),
}
FRAME = pl.DataFrame(COLUMNS)
TRUTH = open_table(FRAME)


def pandas():
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def pandas_arrow():
    pytest.importorskip("pyarrow")
    return pandas().convert_dtypes(dtype_backend="pyarrow")


def arrow():
    pytest.importorskip("pyarrow")
    return FRAME.to_arrow()


def duckdb():
    connection = pytest.importorskip("duckdb").connect()
    connection.register("f", FRAME.to_arrow())
    return connection.sql("SELECT * FROM f")


def ibis():
    pytest.importorskip("duckdb")
    library = pytest.importorskip("ibis")
    connection = library.duckdb.connect()
    connection.con.register("f", FRAME.to_arrow())
    return connection.table("f")


def dask():
    frame = pytest.importorskip("dask.dataframe")
    return frame.from_pandas(pandas(), npartitions=3)


def ibis_sqlite(folder):
    library = pytest.importorskip("ibis")
    import sqlite3

    with sqlite3.connect(folder / "f.db") as connection:
        connection.execute("CREATE TABLE f (x REAL, i INTEGER, s TEXT)")
        connection.executemany("INSERT INTO f VALUES (?, ?, ?)", FRAME.select("x", "i", "s").rows())
    connection.close()
    return library.sqlite.connect(folder / "f.db").table("f")


class Stream:
    """Something that speaks Arrow and nothing else."""

    def __arrow_c_stream__(self, requested_schema=None):
        return FRAME.__arrow_c_stream__(requested_schema)


MAKERS = {"dict": lambda: COLUMNS, "polars": lambda: FRAME, "lazy": FRAME.lazy, "pandas": pandas, "arrow": arrow,
          "pandas on arrow": pandas_arrow, "duckdb": duckdb, "ibis": ibis, "dask": dask, "stream": Stream,
          "records": FRAME.to_dicts}  # fmt: skip


@pytest.fixture(params=MAKERS)
def source(request):
    return MAKERS[request.param]()


def test_every_frame_is_the_same_table(source):
    table = open_table(source)
    assert [info.family for info in table.columns] == ["number", "integer", "text", "boolean", "date"]
    assert table.row_count() == 400
    grids = {"x": BinGrid(-3, -20, 40), "i": BinGrid(0, 0, 9), "b": BinGrid(-1, 0, 4), "t": BinGrid(14, 98_500, 200)}
    found, wanted = table.scan(grids, {"s": 3, "b": 2}), TRUTH.scan(grids, {"s": 3, "b": 2})
    for one, two in zip(found.profile, wanted.profile, strict=True):
        assert (one.name, one.rows, one.missing, one.distinct) == (two.name, two.rows, two.missing, two.distinct)
        if two.name != "b":
            assert (one.min, one.max) == (two.min, two.max)
    for name in grids:
        np.testing.assert_allclose(found.moments[name].moments, wanted.moments[name].moments, atol=1e-8)
    assert [found.counts[c].values for c in "s"] == [wanted.counts[c].values for c in "s"]
    assert {value.lower(): count for value, count in found.counts["b"].values} == dict(wanted.counts["b"].values)
    sample = table.sample(50, seed=2)
    assert sample.shape == (50, 5)
    assert sample.equals(table.sample(50, seed=2))
    assert table.collect(["i", "x"]).sort("x")["i"].to_list() == FRAME.sort("x")["i"].to_list()


def comparison(frame, rows):
    """A comparison with a part held, and no more than that ever collected."""
    c = ts.compare(frame, FRAME.select(open_table(frame).schema().keys()), sample=rows)
    assert c.verdict == "no difference found"
    assert c.a.rows == 400
    return c


def without_workers():
    """A frame of Dask whose workers run nothing but Dask's own queries."""
    table = open_table(dask())
    table._rows.workers = None
    return table


@pytest.mark.parametrize("maker", [ibis, without_workers])
def test_frames_of_engines_are_compared(maker, monkeypatch):
    frame = maker()
    whole = comparison(frame, 100)
    assert "on all rows" in whole.notes[0]
    monkeypatch.setattr(remote, "HELD_ROWS", 150)
    part = comparison(frame, 100)
    assert "150 of 400 rows" in part.notes[0]
    assert part["x"].rows_a == 150
    assert part.to_dict() == comparison(frame, 100).to_dict()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Ibis, about pandas
def test_sqlite_through_ibis(tmp_path, monkeypatch):
    frame = ibis_sqlite(tmp_path)
    assert [part.distinct for part in open_table(frame).profile()][1:] == [9, 5]
    assert comparison(frame, 100)["x"].rows_a == 400
    monkeypatch.setattr(remote, "HELD_ROWS", 150)
    assert comparison(frame, 100)["x"].rows_a == 150


def test_inputs_are_not_changed():
    frame = pandas()
    copy = frame.copy()
    open_table(frame).scan({"x": BinGrid(0, -5, 10)}, {"s": 2})
    assert frame.equals(copy)


def test_polars_frames_are_not_copied():
    frame = pl.DataFrame({"a": np.arange(1000.0)})
    assert open_table(frame)._rows.frame is frame
    assert open_table(frame).sample(5000) is frame


def test_arrays():
    assert open_table(np.zeros(3)).schema() == {"c0": "Float64"}
    assert open_table(np.zeros((3, 2), dtype=np.int8)).schema() == {"c0": "Int8", "c1": "Int8"}
    assert open_table(np.array([(1, 2.0)], dtype=[("a", int), ("b", float)])).schema() == {"a": "Int64", "b": "Float64"}
    assert open_table(np.array([["a", 1], ["b", None]], dtype=object)).columns[0].family == "text"
    assert open_table([[1, 2], [3, 4]]).collect().rows() == [(1, 2), (3, 4)]
    for wrong in (np.zeros((2, 2, 2)), np.zeros((2, 2), dtype=complex), np.array(3.0)):
        with pytest.raises(ts.SourceError, match=r"shape|type"):
            open_table(wrong)


@pytest.mark.parametrize("wrong", [None, 3, object(), {}, {1, 2}, lambda: 0])
def test_what_is_not_a_table(wrong):
    with pytest.raises(ts.SourceError, match=r"^(None|A value of type \w+) is not a table|no columns"):
        open_table(wrong)


def test_columns_of_different_lengths():
    with pytest.raises(ts.SourceError, match="dict"):
        open_table({"a": [1, 2], "b": [1]})


def test_pandas_oddities():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame([[1, "a", 1.5, None], [2, 3, None, None]], columns=["a", "a", 7, None])
    table = open_table(frame)
    assert [info.name for info in table.columns] == ["a", "a_duplicated_0", "7", str(frame.columns[3])]
    assert table.collect().rows()[1][:2] == (2, "3")
    assert [part.missing for part in table.profile()] == [0, 0, 1, 2]
    nullable = pd.DataFrame({"i": pd.array([1, None], dtype="Int64"), "c": pd.Categorical(["u", "v"])}, index=[5, 5])
    assert [info.family for info in open_table(nullable).columns] == ["integer", "category"]
    assert open_table(pd.Series([1.0, 2.0], name="q")).schema() == {"q": "Float64"}
    own = pd.DataFrame({"month": pd.PeriodIndex(["2024-01", None], freq="M"), "cut": pd.cut([0.5, np.nan], [0, 1, 2])})
    own["span"] = pd.IntervalIndex.from_tuples([None, (0, 1)])
    assert open_table(own).collect().rows() == [(datetime(2024, 1, 1), "(0, 1]", None), (None, None, "(0.0, 1.0]")]


def test_where_on_frames():
    for make in (lambda: COLUMNS, pandas, arrow, duckdb):
        table = open_table(make(), where="i < 3 AND s = 'v1'")
        wanted = FRAME.filter((pl.col("i") < 3) & (pl.col("s") == "v1")).height
        assert table.row_count() == wanted
        assert table.profile()[0].rows == wanted
    with pytest.raises(ts.InputError, match="filter it before"):
        open_table(ibis(), where="i < 3")
    with pytest.raises(ts.SourceError, match="where"):
        open_table(duckdb(), where="i < 3; DROP TABLE f")


def test_a_table_stays_a_table():
    assert open_table(TRUTH) is TRUTH
    assert open_table(TRUTH, name="other").name == "other"
    assert open_table(TRUTH, where="i < 3").row_count() == TRUTH.collect().filter(pl.col("i") < 3).height
    with pytest.raises(ts.InputError, match="summary, whose rows are gone"):
        open_table(open_table(ts.summarize(TRUTH, rows=10)), where="i < 3")


def test_nothing_heavy_at_import():
    import subprocess
    import sys

    heavy = "polars", "narwhals", "duckdb", "ibis", "pyarrow", "sqlglot"
    code = f"import sys, twosample, twosample.sources; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_pandas_without_pyarrow_gives_the_same(monkeypatch):
    """Polars takes columns of pandas' own types from Arrow; a plain install has to read them by itself."""
    pd = pytest.importorskip("pandas")
    days = pd.Series(pd.date_range("2024-03-30 12:00", periods=6))
    frame = pd.DataFrame(
        {
            "str": pd.Series(["a", None, "b", "", "d", "ü"], dtype="str"),
            "string": pd.Series(["a", None, "b", "", "d", "ü"], dtype="string"),
            "Int64": pd.Series([1, None, 3, 4, 5, 2**60], dtype="Int64"),
            "Float64": pd.Series([1, None, 3, 4, 5.5, 6], dtype="Float64"),
            "boolean": pd.Series([True, None, False] * 2, dtype="boolean"),
            "category": pd.Categorical(["x", "y", None, "x", "y", "z"]),
            "numbers": pd.Categorical([3, 1, None, 3, 1, 2]),
            "dates": pd.Categorical(days.where(days.index % 2 == 0)),
            "empty": pd.Categorical([None] * 6),
            **{unit: days.astype(f"datetime64[{unit}]") for unit in ("s", "ms", "us", "ns")},
            "gaps": days.where(days.index > 2),
            "zone": days.dt.tz_localize("Europe/Rome"),
            "offset": days.dt.tz_localize("+05:30"),
            "span": pd.to_timedelta([1, 2, 3, None, 5, 6], unit="h"),
            "period": days.dt.to_period("D"),
            "interval": pd.interval_range(0, 6),
            "cut": pd.cut([1, 2, 3, np.nan, 5, 6], 2),
        }
    )
    one = open_table(frame)
    monkeypatch.setattr("twosample.sources.frames.find_spec", lambda name: None)
    two = open_table(frame)
    assert [info.family for info in one.columns] == [info.family for info in two.columns]
    zoned = [pl.col(name).dt.convert_time_zone("UTC") for name in ("zone", "offset")]
    assert two.collect().equals(one.collect().with_columns(zoned))
    assert [part.missing for part in two.profile()] == [part.missing for part in one.profile()]


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "25s", "ms", "us", "ns", "ps"])
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_dates_and_durations_of_numpy_in_all_units(kind, unit):
    values = np.array([3, 1, "NaT", 2, 1000], dtype=f"{kind}[{unit}]")
    for array in (values, np.array(values, dtype=[("c0", values.dtype)]), {"c0": values}):
        rows = open_table(array).sample(5, 0)
        assert rows["c0"].null_count() == 1
        expected = values.astype(f"{kind}[{unit if unit in ('us', 'ns') else 'ns' if unit == 'ps' else 'ms'}]")
        found = rows["c0"].to_numpy().astype(expected.dtype)
        np.testing.assert_array_equal(np.sort(found), np.sort(expected))


def test_dates_that_no_unit_can_hold():
    with pytest.raises(ts.SourceError, match="too far away"):
        open_table(np.array([2**62, 5], dtype="datetime64[s]"))
    with pytest.raises(ts.SourceError, match="without a unit"):
        open_table(np.array([2, 5], dtype="timedelta64"))


def test_arrays_of_objects_are_as_in_pandas():
    pd = pytest.importorskip("pandas")
    for values in (
        [None, "a", "b"],
        ["a", np.nan, "b"],
        [np.nan, "a", None],
        [None, True, False],
        [None, 1.5, np.nan],
        [pd.NaT, pd.Timestamp("2020-01-01"), None],
        [pd.NA, 1, 2],
        [1, "a", None],
    ):
        array = np.array(values, dtype=object)
        found = open_table({"v": array}).collect()
        assert found.equals(open_table(pd.DataFrame({"v": array})).collect())
        assert found["v"].dtype != pl.Object
        assert found["v"].null_count() == pd.isna(array).sum()
        assert open_table(array[:, None]).collect()["c0"].equals(found["v"])


@pytest.mark.parametrize("form", [list, lambda values: np.array(values, dtype=object), "pandas"])
def test_objects_are_the_text_that_they_have(form):
    places = [Path("a/b"), None, Path("c")] * 20
    if form == "pandas":
        form = pytest.importorskip("pandas").Series
    table = open_table({"v": form(places)})
    assert table.collect()["v"].to_list() == [None if place is None else str(place) for place in places]
    assert infer_kinds(table, table.profile(), table.sample(60))[0].kind == "categorical"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1 + 2j, "complex numbers cannot be compared; give real and imaginary part as two columns"),
        ({"a", "b"}, "Python objects of type set cannot be compared; give numbers or text"),
        (object(), "Python objects of type object cannot be compared; give numbers or text"),
    ],
)
def test_objects_without_a_text_of_their_own_are_left_out_with_their_type(value, said):
    table = open_table({"v": [None, *[value] * 5]})
    assert infer_kinds(table, table.profile(), table.sample(6))[0].reason == said


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_a_matrix_and_a_masked_array():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    assert open_table({"c": masked}).sample(3, 0)["c"].to_list() == [1.0, None, 3.0]
    assert open_table(np.matrix([[1.0, 2.0], [3.0, 4.0]])).sample(2, 0)["c1"].to_list() == [2.0, 4.0]
    masked = np.ma.masked_array([[1, 2], [3, 4], [5, 6]], mask=[[0, 1], [0, 0], [1, 0]])
    assert open_table(masked).sample(3, 0).to_dict(as_series=False) == {"c0": [1, 3, None], "c1": [None, 4, 6]}


def test_arrow_tables_and_batches_with_a_name_twice():
    pa = pytest.importorskip("pyarrow")
    table = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array(["u", "v"])], names=["a", "a"])
    for source in (table, table.to_batches()[0]):
        assert open_table(source).schema() == {"a": "Float64", "a_duplicated_0": "String"}


def test_whatever_a_foreign_object_raises_is_a_source_error():
    class Rude:
        def __array__(self, *arguments, **options):
            raise RuntimeError("no")

    with pytest.raises(ts.SourceError, match="Rude cannot be read: RuntimeError: no"):
        open_table(Rude())


def test_wide_whole_numbers():
    values = np.random.default_rng(0).integers(0, 9, 5000).tolist()
    for kind in ("Int128", "UInt128"):
        frame = pl.DataFrame({"v": pl.Series(values, dtype=getattr(pl, kind))})
        assert ts.match(frame, frame).matched
        assert ts.compare(frame, frame).verdict != "different"
