"""Folders named key=value give their files columns, as Hive, Spark and polars write them."""

import datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table

FRAME = pl.DataFrame({"x": [1.0, 2.0, 3.0]})
WRITERS = {
    "a.parquet": pl.DataFrame.write_parquet, "a.csv": pl.DataFrame.write_csv, "a.arrow": pl.DataFrame.write_ipc,
    "a.jsonl": pl.DataFrame.write_ndjson,
}  # fmt: skip


def put(folder, *parts, name="a.parquet", frame=FRAME):
    place = folder.joinpath(*parts)
    place.mkdir(parents=True, exist_ok=True)
    WRITERS[name](frame, place / name)
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_has_keys(tmp_path, name):
    for year in (2023, 2024):
        for month in ("07", "11"):
            put(tmp_path, f"year={year}", f"month={month}", name=name)
    table = open_table(tmp_path)
    assert table.schema() == {"x": "Float64", "year": "Int64", "month": "Int64"}
    rows = table.collect().rows()
    assert rows == [(x, year, month) for year in (2023, 2024) for month in (7, 11) for x in (1.0, 2.0, 3.0)]
    assert [part.distinct for part in table.profile()] == [3, 2, 2]
    assert open_table(tmp_path, where="year = 2024 AND month > 8").row_count() == 3
    assert table.sample(5, seed=1).width == 3


def test_workbooks_have_keys(tmp_path):
    pytest.importorskip("fastexcel")
    pytest.importorskip("xlsxwriter")
    for part in "ab":
        (tmp_path / f"part={part}").mkdir()
        FRAME.write_excel(tmp_path / f"part={part}" / "b.xlsx")
    assert open_table(tmp_path).collect()["part"].to_list() == list("aaabbb")


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        (["1", "02", "-3"], pl.Int64, [1, 2, -3]),
        (["1", "2.5", "1e3"], pl.Float64, [1.0, 2.5, 1000.0]),
        (["2024-02-29", "2023-01-01"], pl.Date, [datetime.date(2024, 2, 29), datetime.date(2023, 1, 1)]),
        (["2024-02-29 12%3A30%3A00"], pl.Datetime("us"), [datetime.datetime(2024, 2, 29, 12, 30)]),
        (["2024-02-30", "2023-01-01"], pl.String, ["2024-02-30", "2023-01-01"]),
        (["1", "x"], pl.String, ["1", "x"]),
        (["nan", "1"], pl.String, ["nan", "1"]),
        (["99999999999999999999999", "1"], pl.Float64, [1e23, 1.0]),
        (["1", "__HIVE_DEFAULT_PARTITION__"], pl.Int64, [1, None]),
        (["__HIVE_DEFAULT_PARTITION__"], pl.String, [None]),
        (["", "x"], pl.String, [None, "x"]),
        (["a b", "c%2Fd", "e=f", "100%25", "ü", "%F0%9F%98%80"], pl.String, ["a b", "c/d", "e=f", "100%", "ü", "😀"]),
    ],
)
def test_values_of_keys(tmp_path, values, kind, wanted):
    for place, value in enumerate(values):
        put(tmp_path, f"k={value}", frame=pl.DataFrame({"x": [place]}))
    frame = open_table(tmp_path).collect().sort("x")
    assert frame.schema["k"] == kind
    assert frame["k"].to_list() == wanted


def test_as_polars_writes_them(tmp_path):
    """Also as it reads them."""
    rng = np.random.default_rng(3)
    text = rng.choice(["u v", "w/x", "=%"], 600)
    frame = pl.DataFrame({"x": rng.normal(size=600), "i": rng.integers(0, 4, 600), "s": text})
    frame.write_parquet(tmp_path / "t", partition_by=["i", "s"], mkdir=True)
    found = open_table(tmp_path / "t").collect().select(frame.columns)
    assert found.sort("x").equals(frame.sort("x"))
    result = ts.compare(tmp_path / "t", frame)
    assert result.a.rows == 600
    assert {column.name for column in result.columns} == {"x", "i", "s"}


def test_names_of_keys(tmp_path):
    """Any name is one: patterns of polars, hidden ones with a value, and that of a column, which gives way."""
    put(tmp_path / "a", "*=1", "_id=7", "^x.*$=2", "x=5")
    assert open_table(tmp_path / "a").collect().rows(named=True)[0] == {"x": 5, "*": 1, "_id": 7, "^x.*$": 2}
    put(tmp_path / "b", "a%3Db=1")
    assert "a=b" in open_table(tmp_path / "b").schema()


def test_what_is_no_data(tmp_path):
    put(tmp_path, "k=1")
    put(tmp_path, "k=2", "deeper")
    put(tmp_path, "_temporary", "k=3")
    put(tmp_path, ".hidden")
    put(tmp_path, "archive")
    for name in ("_SUCCESS", ".a.crc", "k=1/_metadata", "k=1/.a.parquet.crc"):
        (tmp_path / name).write_text("", encoding="utf-8")
    assert open_table(tmp_path).collect()["k"].to_list() == [1, 1, 1, 2, 2, 2]


def test_patterns_have_the_keys_that_they_leave_open(tmp_path, monkeypatch):
    for k in (1, 2):
        for j in (3, 4):
            put(tmp_path / "t", f"k={k}", f"j={j}")
    monkeypatch.chdir(tmp_path)
    for base in (f"{tmp_path}/t", "t", "./t"):
        assert open_table(f"{base}/**/*.parquet").schema().keys() == {"x", "k", "j"}
        assert open_table(f"{base}/k=*/j=3/a.parquet").collect()["k"].to_list() == [1, 1, 1, 2, 2, 2]
        assert open_table(f"{base}/k=1/*/*.parquet").schema().keys() == {"x", "j"}
        assert open_table(f"{base}/k=1/j=3/*.parquet").schema().keys() == {"x"}
        assert open_table(f"{base}/k=1").schema().keys() == {"x", "j"}
    monkeypatch.chdir(tmp_path / "t")
    assert open_table("*/*/*.parquet").schema().keys() == {"x", "k", "j"}
    assert open_table(".").row_count() == 12


def test_keys_that_differ_are_refused(tmp_path):
    put(tmp_path, "k=1")
    put(tmp_path, "j=1")
    with pytest.raises(ts.SourceError, match=r"j=1.a.parquet lies in folders with j, .* with k.*same keys"):
        open_table(tmp_path)
    put(tmp_path / "loose", "k=1")
    put(tmp_path / "loose", ".")
    with pytest.raises(ts.SourceError, match="with no key"):
        open_table(tmp_path / "loose")
    assert open_table(f"{tmp_path}/loose/*.parquet").row_count() == 3


def test_rows_never_count_twice(tmp_path):
    put(tmp_path / "t", "k=1")
    (tmp_path / "t" / "k=2").symlink_to(tmp_path / "t")
    with pytest.raises(ts.SourceError, match="count twice"):
        open_table(tmp_path / "t")


def test_folders_without_files(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ts.SourceError, match="empty folder"):
        open_table(tmp_path / "empty")
    (tmp_path / "k=1").mkdir()
    with pytest.raises(ts.SourceError, match=r"holds no files, but 2 folders \(empty, k=1\)"):
        open_table(tmp_path)
    with pytest.raises(ts.SourceError, match=r"matches no files, but 2 folders"):
        open_table(f"{tmp_path}/*")


def test_many_folders(tmp_path):
    for day in range(300):
        put(tmp_path, f"day={day}")
    table = open_table(tmp_path)
    assert table.row_count() == 900
    assert table.profile()[1].distinct == 300


def test_foreign_files_are_skipped_with_a_note(tmp_path):
    """A folder of tables often holds a README, checksums, pictures; a pattern says what it means."""
    rng = np.random.default_rng(0)
    for side in "ab":
        folder = put(tmp_path / side, frame=pl.DataFrame({"x": rng.normal(size=200)}))
        (folder / "README.md").write_text("about")
        (folder / "notes.txt").write_text("about")
        (folder / "a.parquet.crc").write_bytes(b"1234")
    table = open_table(tmp_path / "a")
    assert table.row_count() == 200
    (note,) = table.notes
    assert "3 files not read" in note
    assert "README.md, a.parquet.crc, notes.txt" in note
    notes = ts.compare(str(tmp_path / "a"), str(tmp_path / "b")).notes
    assert [note for note in notes if "3 files not read" in note] == [*table.notes, *open_table(tmp_path / "b").notes]
    with pytest.raises(ts.SourceError, match=r"extension '\.md'"):
        open_table(str(tmp_path / "a" / "*"))
    put(tmp_path / "a", name="a.csv")
    with pytest.raises(ts.SourceError, match="different formats"):
        open_table(tmp_path / "a")


def test_folders_without_any_table_say_why(tmp_path):
    (tmp_path / "README.md").write_text("about")
    with pytest.raises(ts.SourceError, match=r"extension '\.md'"):
        open_table(tmp_path)
    (tmp_path / "data.txt").write_text("x\n1\n2\n")
    assert open_table(tmp_path).row_count() == 2
