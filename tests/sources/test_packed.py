"""Packed text is read with bounded memory, and files that are made to do harm are refused."""

import bz2
import gzip
import lzma
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import files, open_table, packed

OPEN = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}


def write(path, parts):
    if path.suffix == ".zst":
        pyarrow = pytest.importorskip("pyarrow")
        stream = pyarrow.CompressedOutputStream(str(path), "zstd")
    else:
        stream = OPEN[path.suffix[1:]](path, "wb")
    with stream:
        for part in parts:
            stream.write(part)
    return path


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Temporary files of this test go here."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    return place


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_large_files_are_the_same_as_small_ones(tmp_path, here, monkeypatch, packing, form):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"x": rng.normal(size=4000), "s": rng.choice(["a", "b"], 4000)})
    text = (frame.write_csv() if form == "csv" else frame.write_ndjson()).encode()
    path = write(tmp_path / f"t.{form}.{packing}", [text])
    assert open_table(path).collect().equals(frame)
    assert list(here.iterdir()) == []
    monkeypatch.setattr(files, "_SMALL", 1000)
    table = open_table(path)
    assert len(list(here.iterdir())) == (packing in ("bz2", "xz"))
    assert table.collect().equals(frame)
    assert table.profile()[0].mean == pytest.approx(frame["x"].mean())
    filtered = open_table(table.name, where="x > 0")
    del table
    assert filtered.row_count() == (frame["x"] > 0).sum()  # its copy lives as long as it does
    del filtered
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zst"])
def test_a_file_that_unpacks_to_too_much(tmp_path, here, monkeypatch, packing):
    monkeypatch.setattr(packed, "_LARGE", 1 << 21)
    bomb = write(tmp_path / f"bomb.csv.{packing}", [b"x,y\n", b"1,2\n" * 1_000_000])
    assert bomb.stat().st_size * 300 < 4_000_000
    with pytest.raises(ts.SourceError, match=r"bomb\.csv.* more than 300 times its size.* unpack it first"):
        open_table(bomb)
    assert list(here.iterdir()) == []
    monkeypatch.setattr(packed, "_LARGE", 1 << 30)  # up to that, any file is welcome
    assert open_table(bomb).row_count() == 1_000_000


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz", "zst"])
def test_a_line_without_end(tmp_path, here, monkeypatch, packing):
    """polars keeps a line in memory as a whole: 1.5 MB of such a file took 4.3 GB."""
    monkeypatch.setattr(packed, "_LONGEST_LINE", 1 << 22)
    line = write(tmp_path / f"line.csv.{packing}", [b"x,s\n1,", *[b"a" * (1 << 20)] * 6, b"\n2,b\n"])
    with pytest.raises(ts.SourceError, match=r"line\.csv.* a line of more than 4 MB"):
        open_table(line)
    assert list(here.iterdir()) == []


def test_memory_does_not_grow_with_what_is_unpacked(tmp_path):
    """400 MB of text in a file of 2 MB, a bomb below the limits: all of it was kept in memory."""
    path = write(tmp_path / "bomb.csv.gz", [b"x,s\n", *[(b"1," + b"a" * 1000 + b"\n") * 1000] * 400])
    code = (
        "import resource, sys\n"
        "from twosample.sources import open_table\n"
        "open_table({'x': [1, 2]}).profile()\n"
        "start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "rows = open_table(sys.argv[1]).profile()[0].rows\n"
        "print(rows, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) // 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True, timeout=200)
    rows, megabytes = map(int, done.stdout.split())
    assert rows == 400_000
    assert megabytes < 300


def test_a_full_disk_is_no_riddle(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_SMALL", 1000)
    monkeypatch.setattr("twosample._files.os.fdopen", lambda *given: open("/dev/full", "wb", buffering=0))  # noqa: PTH123, SIM115
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    path = write(tmp_path / "t.csv.xz", [b"x\n", b"1\n" * 10_000])
    with pytest.raises(ts.OutputError, match=r"Cannot keep a copy in .*No space left.*TMPDIR"):
        open_table(path)
