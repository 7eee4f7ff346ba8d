"""Delta and Iceberg: the rows that count, and no others."""

import importlib.util
import json
import shutil

import polars as pl
import pytest

import twosample as ts
from tests.lakes import (
    delete_delta_rows,
    delete_iceberg_rows,
    delta_actions,
    delta_log,
    iceberg_table,
    numbers,
    protocol,
)
from twosample.sources import open_table

TWENTY = pl.DataFrame({"x": [0.0] * 10 + [5.0] * 10, "k": list("ab") * 10})


@pytest.fixture
def delta(tmp_path):
    """A Delta table whose rows were overwritten: 1,000 with mean 5 count, 1,000 with mean 0 do not."""
    pytest.importorskip("deltalake")
    folder = tmp_path / "my täble"  # neither polars nor every URL likes such names
    numbers(0).write_delta(folder)
    numbers(5).write_delta(folder, mode="overwrite")
    return folder


@pytest.fixture
def iceberg(tmp_path):
    """The same as an Iceberg table."""
    pytest.importorskip("pyiceberg")
    pytest.importorskip("sqlalchemy")
    table, folder = iceberg_table(tmp_path, numbers(0))
    table.overwrite(numbers(5).to_arrow())
    return folder


@pytest.fixture(params=["delta", "iceberg"])
def lake(request):
    return request.getfixturevalue(request.param)


def found(source):
    """Rows and mean of x, counted in three ways that must agree."""
    table = open_table(source)
    profile = {part.name: part for part in table.profile()}["x"]
    frame = table.collect(["x"])
    assert len(frame) == profile.rows == table.row_count() == len(table.sample(10**6))
    return profile.rows, profile.mean


def test_only_rows_that_count(lake):
    assert found(lake) == (1000, 5.0)
    assert found(f"{lake}/") == (1000, 5.0)
    assert found(f"{lake.parent}/*") == (1000, 5.0)
    assert open_table(lake, where="x < 5").row_count() == 0
    assert open_table(lake).sample(30, seed=3).equals(open_table(lake).sample(30, seed=3))


def test_folders_are_compared(lake):
    same = ts.compare(lake, lake, margin=0.3)
    assert (same.verdict, same.a.rows) == ("same", 1000)
    assert ts.compare(lake, numbers(5)).a.rows == 1000


def test_a_pattern_of_its_files_is_refused(lake):
    for text in (f"{lake}/**/*.parquet", f"{lake}/**", f"{lake.parent}/**/*.parquet"):
        with pytest.raises(ts.SourceError, match=r"files of the (Delta|Iceberg) table .* not all may count"):
            open_table(text)
    other = lake.parent / "other"
    other.mkdir()
    numbers(1).write_parquet(other / "a.parquet")
    (other / "table").symlink_to(lake)
    with pytest.raises(ts.SourceError, match="not all may count"):
        open_table(f"{other}/*")
    with pytest.raises(ts.SourceError, match=r"matches no files, but 2 folders"):
        open_table(f"{lake.parent}/*")


def test_a_single_file_may_be_named(lake):
    file = min(lake.rglob("*.parquet"))
    assert found(file)[0] == 1000
    (note,) = open_table(file).notes
    assert str(lake) in note
    assert note.endswith("may have deleted or replaced its rows: give that folder.")
    assert note in ts.compare(file, numbers(5)).notes
    alone = lake.parent / "alone.parquet"
    alone.write_bytes(file.read_bytes())
    assert not open_table(alone).notes


def test_a_folder_of_tables(lake):
    (lake.parent / "more").mkdir()
    with pytest.raises(ts.SourceError, match=r"holds no files, but 2 folders"):
        open_table(lake.parent)


def test_files_behind_a_table_are_known(lake):
    files = open_table(lake).files
    assert {str(place.resolve()) for place in lake.rglob("*.parquet")} <= set(files)


@pytest.mark.parametrize(("format", "library", "extra"), [
    ("_delta_log/0.json", "deltalake", "delta"), ("metadata/v1.metadata.json", "pyiceberg", "iceberg"),
])  # fmt: skip
def test_a_missing_library_is_named(tmp_path, monkeypatch, format, library, extra):
    place = tmp_path / "t" / format
    place.parent.mkdir(parents=True)
    place.write_text("{}", encoding="utf-8")
    real = importlib.util.find_spec
    monkeypatch.setattr("twosample.sources.lakes.find_spec", lambda name: None if name == library else real(name))
    with pytest.raises(ts.MissingExtraError, match=rf'pip install "twosample\[{extra}\]"'):
        open_table(tmp_path / "t")


def test_hudi_is_refused(tmp_path):
    (tmp_path / "t" / ".hoodie").mkdir(parents=True)
    numbers(1).write_parquet(tmp_path / "t" / "a.parquet")
    with pytest.raises(ts.SourceError, match=r"Hudi table.*Spark"):
        open_table(tmp_path / "t")


def test_deleted_rows_of_delta(tmp_path):
    pytest.importorskip("deltalake")
    for name, options in (("plain", {}), ("in täbles", {"partition_by": ["k"]})):
        folder, frame = tmp_path / name, TWENTY.with_columns(k=pl.lit("a b/c%"))
        frame.write_delta(folder, delta_write_options=options)
        delete_delta_rows(folder, range(10))
        assert found(folder) == (10, 5.0)
        assert open_table(folder).collect(["k"])["k"].unique().to_list() == ["a b/c%"]
        assert open_table(folder).sample(4).height == 4


def test_keys_of_delta_come_from_its_log(tmp_path):
    """Folders need not be named after them: with random prefixes they are not, and polars would read null."""
    pytest.importorskip("deltalake")
    frame = pl.DataFrame({"k": ["a b", "c/d", "e=f", "g%h", None], "n": [1, 2, 3, None, 5], "x": [1.0, 2, 3, 4, 5]})
    frame.write_delta(tmp_path / "t", delta_write_options={"partition_by": ["k", "n"]})
    assert open_table(tmp_path / "t").collect().sort("x").equals(frame)
    actions = delta_actions(tmp_path / "t")
    for number, add in enumerate(action["add"] for action in actions if "add" in action):
        from urllib.parse import unquote

        (tmp_path / "t" / unquote(add["path"])).rename(tmp_path / "t" / f"{number}.parquet")
        add["path"] = f"{number}.parquet"
    delta_log(tmp_path / "t", 0, *actions)
    assert open_table(tmp_path / "t").collect().sort("x").equals(frame)


def test_columns_of_delta_that_came_later(tmp_path):
    pytest.importorskip("deltalake")
    from datetime import UTC, datetime

    one = pl.DataFrame({"x": [1.0], "t": [datetime(2024, 5, 4, tzinfo=UTC)]})
    one.write_delta(tmp_path / "t")
    two = one.with_columns(new=pl.lit(7))
    two.write_delta(tmp_path / "t", mode="append", delta_write_options={"schema_mode": "merge"})
    assert open_table(tmp_path / "t").collect(["x", "t", "new"]).sort("new").rows() == [
        (*one.row(0), None), (*one.row(0), 7)
    ]  # fmt: skip


def test_what_delta_may_ask_for(tmp_path):
    pytest.importorskip("deltalake")
    numbers(1).write_delta(tmp_path / "t")
    delta_log(tmp_path / "t", 1, protocol("timestampNtz", "v2Checkpoint"))
    assert found(tmp_path / "t") == (1000, 1.0)
    meta = next(action for action in delta_actions(tmp_path / "t") if "metaData" in action)
    meta["metaData"]["configuration"] = {"delta.columnMapping.mode": "name"}
    delta_log(tmp_path / "t", 2, protocol(version=2), meta)
    with pytest.raises(ts.SourceError, match=r"columnMapping|column mapping"):
        open_table(tmp_path / "t")
    numbers(1).write_delta(tmp_path / "u")
    delta_log(tmp_path / "u", 1, protocol("somethingNew"))
    with pytest.raises(ts.SourceError, match=r"somethingNew"):
        open_table(tmp_path / "u")
    numbers(1).write_delta(tmp_path / "v")
    add = next(action for action in delta_actions(tmp_path / "v") if "add" in action)
    add["add"]["path"] = (tmp_path / "u" / add["add"]["path"]).as_uri()
    delta_log(tmp_path / "v", 1, add)
    with pytest.raises(ts.SourceError, match=r"files elsewhere"):
        open_table(tmp_path / "v")


def test_broken_logs(delta):
    log = delta / "_delta_log"
    for text in ("", "{", "[]", '{"add": 3}', "\x00\xff"):
        for place in log.iterdir():
            place.write_text(text, encoding="utf-8")
        with pytest.raises(ts.SourceError):
            open_table(delta)
    shutil.rmtree(log)
    log.mkdir()
    with pytest.raises(ts.SourceError):
        open_table(delta)


def test_a_file_that_is_gone(lake):
    for place in lake.rglob("*.parquet"):
        place.unlink()
    with pytest.raises(ts.SourceError):
        open_table(lake).profile()


@pytest.mark.parametrize("planner", ["plugin", "pyiceberg"])
def test_deleted_rows_of_iceberg(tmp_path, monkeypatch, planner):
    pytest.importorskip("pyiceberg")
    pytest.importorskip("sqlalchemy")
    if planner == "plugin":
        pytest.importorskip("polars_iceberg")
    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", planner)
    table, folder = iceberg_table(tmp_path / "p", TWENTY)
    delete_iceberg_rows(table, folder, list(range(10)))
    assert found(folder) == (10, 5.0)
    table, folder = iceberg_table(tmp_path / "e", TWENTY)
    delete_iceberg_rows(table, folder, [0.0], by_value=True)
    with pytest.raises(ts.SourceError, match="equality"):
        open_table(folder)


def test_versions_of_iceberg(iceberg):
    """The newest counts; another one can be named; of two newest ones one must be."""
    metadata = sorted((iceberg / "metadata").glob("*.metadata.json"))
    assert found(metadata[-1]) == (1000, 5.0)
    assert found(metadata[1]) == (1000, 0.0)
    shutil.copy(metadata[1], iceberg / "metadata" / "v7.metadata.json")
    assert found(iceberg) == (1000, 0.0)
    shutil.copy(metadata[-1], iceberg / "metadata" / "00007-other.metadata.json")
    with pytest.raises(ts.SourceError, match=r"several newest versions: 00007-other"):
        open_table(iceberg)


def test_columns_of_iceberg_that_changed(tmp_path):
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("pyiceberg")
    from pyiceberg.types import LongType

    table, folder = iceberg_table(tmp_path, TWENTY)
    with table.update_schema() as change:
        change.rename_column("k", "key")
        change.add_column("n", LongType())
    table.append(pl.DataFrame({"x": [7.0], "key": ["c"], "n": [3]}).to_arrow())
    frame = open_table(folder).collect().sort("x")
    assert frame.columns == ["x", "key", "n"]
    assert frame.rows()[-1] == (7.0, "c", 3)
    assert (frame["key"].null_count(), frame["n"].null_count()) == (0, 20)


def test_iceberg_elsewhere_and_broken(iceberg, tmp_path):
    newest = max((iceberg / "metadata").glob("*.metadata.json"))
    text = newest.read_text(encoding="utf-8")
    for part in ("location", "manifest-list"):
        metadata = json.loads(text)
        for holder in (metadata, *metadata["snapshots"]):
            if part in holder:
                holder[part] = holder[part].replace("file://", "s3://bucket")
        newest.write_text(json.dumps(metadata), encoding="utf-8")
        with pytest.raises(ts.SourceError, match=r"s3://bucket.*not on this machine"):
            open_table(iceberg)
    newer = text.replace('"format-version":2', '"format-version":9')
    for broken in ("", "{", "[]", "{}", text[: len(text) // 2], newer):
        newest.write_text(broken, encoding="utf-8")
        with pytest.raises(ts.SourceError):
            open_table(iceberg)
    newest.write_text(text, encoding="utf-8")
    iceberg.rename(tmp_path / "moved")
    with pytest.raises(ts.SourceError, match="was written at"):
        open_table(tmp_path / "moved")


def test_an_empty_table(tmp_path):
    pytest.importorskip("deltalake")
    TWENTY.clear().write_delta(tmp_path / "t")
    table = open_table(tmp_path / "t")
    assert (table.row_count(), table.schema()) == (0, {"x": "Float64", "k": "String"})
