"""Files are written whole or not at all, and errors say what to do."""

import errno
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import twosample as ts
from twosample._files import whole_file, write_whole
from twosample.errors import OptionError, OutputError, TwosampleError
from twosample.report import write_html
from twosample.sources import open_table


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_file_is_written_in_utf8_and_replaced(tmp_path):
    place = tmp_path / "a.html"
    write_whole(place, "straße ≠ \ud800")
    assert place.read_text("utf-8") == "straße ≠ ?"
    write_whole(str(place), "short")
    assert place.read_bytes() == b"short"
    assert names(tmp_path) == ["a.html"]


def test_permissions_are_those_of_any_new_file_or_of_the_old_one(tmp_path):
    (tmp_path / "plain").write_text("x")
    write_whole(tmp_path / "new", "x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    (tmp_path / "new").chmod(0o640)
    write_whole(tmp_path / "new", "y")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_devices_are_written_to_and_not_replaced():
    write_whole("/dev/null", "x" * 100)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    code = "from twosample._files import write_whole; write_whole('/dev/stdout', 'hello')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "hello"


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("missing/a.html", "no such folder"),
        (".", "is a folder"),
        ("file/a.html", "no folder"),
        ("x" * 300, "shorter"),
        ("a\0b", "another place"),
    ],
)
def test_places_that_cannot_be_written(tmp_path, monkeypatch, place, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=words) as caught:
        write_whole(place, "text")
    assert isinstance(caught.value, OSError)
    assert isinstance(caught.value, TwosampleError)
    assert "\0" not in str(caught.value)
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_for_real(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="no permission"):
        write_whole(tmp_path / "a", "text")
    tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EACCES, "no permission"),
        (errno.EROFS, "only be read"),
        (errno.EIO, "I/O"),
    ],
)
def test_a_failure_on_the_way_leaves_the_old_file(tmp_path, monkeypatch, number, words):
    place = tmp_path / "a.html"
    place.write_text("old")

    def fail(_):
        raise OSError(number, os.strerror(number).replace("Input/output", "I/O"))

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OutputError, match=words):
        write_whole(place, "new")
    assert place.read_text() == "old"
    assert names(tmp_path) == ["a.html"]


def test_a_disk_that_takes_no_more_for_real(tmp_path):
    code = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, {resource.getrlimit(resource.RLIMIT_FSIZE)[1]}))
from twosample._files import write_whole
from twosample.errors import OutputError
try:
    write_whole({str(tmp_path / "big.html")!r}, "x" * 100_000)
except OutputError as error:
    assert "not allowed" in str(error), error
else:
    raise SystemExit("no error")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert names(tmp_path) == []


def test_an_interrupt_leaves_nothing(tmp_path):
    def interrupted():
        with whole_file(tmp_path / "a") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == []


def test_other_errors_keep_their_type(tmp_path):
    def broken():
        with whole_file(tmp_path / "a"):
            raise ValueError("NaN is not allowed")

    with pytest.raises(ValueError, match="NaN"):
        broken()
    assert names(tmp_path) == []


@pytest.mark.parametrize("make", [ts.compare, ts.match])
def test_a_page_never_replaces_the_data_behind_it(tmp_path, monkeypatch, make):
    rows = "x,y\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(60))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(rows)
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    result = make("a.csv", open_table(tmp_path / "b.csv", where="x >= 0", name="another name"))
    monkeypatch.chdir(tmp_path / "elsewhere")
    for place in (tmp_path / "a.csv", "../b.csv", str(tmp_path / "link.csv")):
        with pytest.raises(OptionError, match=r"path=.*csv would replace what is read"):
            result.report(place)
        with pytest.raises(OptionError, match="would replace"):
            write_html(result, place)
    assert (tmp_path / "a.csv").read_text() == (tmp_path / "b.csv").read_text() == rows
    result.report("a.csv")  # another folder's
    assert names(tmp_path / "elsewhere") == ["a.csv"]
