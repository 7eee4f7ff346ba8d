"""Standard input and named pipes are read once, recognised by what comes, and leave nothing behind."""

import bz2
import gzip
import io
import lzma
import os
import sqlite3
import sys
import threading

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import files, open_table

RNG = np.random.default_rng(2)
FRAME = pl.DataFrame({"x": RNG.normal(size=500), "n": RNG.integers(0, 9, 500), "s": RNG.choice(["a", "b"], 500)})


def content(form):
    buffer = io.BytesIO()
    text = FRAME.write_csv().encode()
    if form in ("parquet", "ipc", "ipc_stream", "excel"):
        getattr(FRAME, f"write_{form}")(buffer)
        return buffer.getvalue()
    texts = {"csv": text, "tsv": FRAME.write_csv(separator="\t").encode(), "jsonl": FRAME.write_ndjson().encode(),
             "semicolon": FRAME.write_csv(separator=";").encode(), "gz": gzip.compress(text),
             "bom": b"\xef\xbb\xbf" + text, "bz2": bz2.compress(text), "xz": lzma.compress(text),
             "json": FRAME.write_json().encode(), "sixteen": text.decode().encode("utf-16"),
             "jsonl.gz": gzip.compress(FRAME.write_ndjson().encode())}  # fmt: skip
    return texts[form]


FORMS = ["csv", "tsv", "semicolon", "bom", "jsonl", "gz", "bz2", "xz", "jsonl.gz", "json", "sixteen", "parquet", "ipc",
         "ipc_stream", "excel"]  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Temporary files of this test go here."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    return place


@pytest.fixture
def stdin(monkeypatch):
    """Makes some bytes the standard input."""
    return lambda data: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def fed(path, data):
    """A named pipe that somebody writes to."""
    os.mkfifo(path)
    threading.Thread(target=lambda: path.write_bytes(data), daemon=True).start()
    return path


@pytest.mark.parametrize("form", FORMS)
def test_every_format_is_recognised(tmp_path, here, stdin, form):
    if form == "excel":
        pytest.importorskip("fastexcel")
        pytest.importorskip("xlsxwriter")
    data = content(form)
    stdin(data)
    table = open_table("-")
    assert table.name == "standard input"
    assert table.collect().select(pl.col("x").round(9), "n", "s").equals(FRAME.with_columns(pl.col("x").round(9)))
    pipe = open_table(fed(tmp_path / "pipe", data))
    assert pipe.profile()[0].rows == 500
    del table, pipe
    assert list(here.iterdir()) == []


def test_the_copy_lives_as_long_as_the_table(here, stdin, monkeypatch):
    monkeypatch.setattr(files, "_SMALL", 100)
    stdin(content("csv"))
    table = open_table("-", where="x > 0")
    assert len(list(here.iterdir())) == 1
    assert table.row_count() == (FRAME["x"] > 0).sum()
    assert table.sample(5).height == 5
    del table
    assert list(here.iterdir()) == []


def test_compare_from_standard_input(stdin, here):
    stdin(content("parquet"))
    assert ts.compare("-", FRAME).verdict != "different"
    assert list(here.iterdir()) == []


def test_a_summary_comes_through_a_pipe(tmp_path, here, stdin):
    whole, part = ts.summarize(FRAME), ts.summarize(FRAME, rows=50)
    for summary in (whole, part):
        stdin(summary.to_bytes())
        table = open_table("-")
        assert (table.name, table.row_count()) == ("standard input", 500)
        pipe = fed(tmp_path / "pipe", summary.to_bytes())
        assert ts.compare(pipe, FRAME).columns[0].pvalue == ts.compare(summary, FRAME).columns[0].pvalue
        pipe.unlink()
    stdin(whole.to_bytes())
    assert open_table("-", where="x > 0").row_count() == (FRAME["x"] > 0).sum()
    stdin(part.to_bytes())
    with pytest.raises(ts.InputError, match="standard input is a summary, whose rows are gone"):
        open_table("-", where="x > 0")
    stdin(part.to_bytes()[:-1])
    with pytest.raises(ts.InputError, match="standard input is not a summary that can be used: it was cut off"):
        open_table("-")
    assert list(here.iterdir()) == []


def test_standard_input_is_one_table_only(stdin, here):
    stdin(content("csv"))
    with pytest.raises(ts.SourceError, match="standard input is empty, or was read already"):
        ts.compare("-", "-")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "match"),
    [(b"", "empty"), (b"a,b\n1,2\n3,4,5,6\n", "more fields"), (b"PAR1 and no more", "damaged"),
     (b'[{"a": 1}, 2]', "JSON"),
     (b"a\x00,\x00b\x00\n\x00", "UTF-16"), (b"<!DOCTYPE html><html>", "a web page"),
     (b"\x1f\x8b\x08\x00no", "damaged"), (b"a\r1\r2\r", "CR alone")],
)  # fmt: skip
def test_what_cannot_be_read_is_called_standard_input(stdin, here, data, match):
    stdin(data)
    with pytest.raises(ts.SourceError, match=match) as caught:
        open_table("-")
    assert "standard input" in str(caught.value)
    assert "twosample-" not in str(caught.value)
    assert list(here.iterdir()) == []


def test_a_database_cannot_come_through_a_pipe(stdin, tmp_path):
    connection = sqlite3.connect(tmp_path / "d.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    stdin((tmp_path / "d.db").read_bytes())
    with pytest.raises(ts.SourceError, match="sqlite:///"):
        open_table("-")
    sys.stdin = None
    with pytest.raises(ts.SourceError, match="closed"):
        open_table("-")


def test_an_interrupt_removes_the_copy(here, monkeypatch):
    class Slow(io.RawIOBase):
        calls = 0

        def readable(self):
            return True

        def read1(self, size=-1):
            self.calls += 1
            if self.calls > 3:
                assert len(list(here.iterdir())) == 1
                raise KeyboardInterrupt
            return b"x,y\n" + b"1,2\n" * 1000

    class Input:
        buffer = Slow()

    monkeypatch.setattr(sys, "stdin", Input())
    with pytest.raises(KeyboardInterrupt):
        open_table("-")
    assert list(here.iterdir()) == []


def test_devices_lead_to_what_they_lead_to(tmp_path):
    (tmp_path / "t.csv").write_bytes(content("csv"))
    with (tmp_path / "t.csv").open() as file:
        if not os.path.exists(f"/dev/fd/{file.fileno()}"):  # noqa: PTH110
            pytest.skip("no /dev/fd")
        assert open_table(f"/dev/fd/{file.fileno()}").row_count() == 500
    with pytest.raises(ts.SourceError, match="empty"):
        open_table(os.devnull)
