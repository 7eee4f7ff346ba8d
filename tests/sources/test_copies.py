"""Rows kept in temporary files: those that came, or none where the disk has no room."""

import errno
import os
import shutil
from collections import namedtuple

import polars as pl
import pytest

from twosample import _files
from twosample.sources import remote
from twosample.sources.remote import CopiedRows

FRAMES = [pl.DataFrame({"x": range(k * 100, k * 100 + 100), "s": ["a"] * 100}) for k in range(5)]
Usage = namedtuple("Usage", "total used free")
FULL = {
    "written": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "written otherwise": pl.exceptions.ComputeError("full"),
    "made": OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    "looked at": OSError(errno.EACCES, os.strerror(errno.EACCES)),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where copies are, each batch in a file of its own."""
    monkeypatch.setattr(remote, "_PART", 1)
    monkeypatch.setattr(_files, "roomy_folder", lambda: str(tmp_path))
    monkeypatch.setattr(remote, "roomy_folder", lambda: str(tmp_path))
    return tmp_path


def through(copy):
    """What comes out of a pass that is kept: always all rows."""
    found = list(copy.keeping(iter(FRAMES)))
    assert pl.concat(found).equals(pl.concat(FRAMES))


def test_the_same_rows_again_and_files_that_go(folder):
    copy = CopiedRows()
    through(copy)
    assert copy.whole
    assert len(list(folder.iterdir())) == 5
    assert pl.concat(copy.batches(["x"])).equals(pl.concat(FRAMES).select("x"))
    del copy
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize("where", FULL)
def test_a_full_disk_stops_nothing(folder, monkeypatch, where, after):
    calls = []

    def fails(real):
        def step(*given, **options):
            calls.append(given)
            if len(calls) > after:
                raise FULL[where]
            return real(*given, **options)

        return step

    owner, name = {
        "written": (pl.DataFrame, "write_ipc"), "written otherwise": (pl.DataFrame, "write_ipc"),
        "made": (_files.tempfile, "mkstemp"), "looked at": (shutil, "disk_usage"),
    }[where]  # fmt: skip
    monkeypatch.setattr(owner, name, fails(getattr(owner, name)))
    copy = CopiedRows()
    through(copy)
    assert not copy.whole
    assert len(calls) == after + 1  # given up at once
    assert list(folder.iterdir()) == []


def test_room_is_looked_at_before_a_file_is_written(folder, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(10, 10, 100))
    monkeypatch.setattr(remote, "TemporaryCopy", lambda *given: pytest.fail("written"))
    copy = CopiedRows()
    through(copy)
    assert not copy.whole


def test_tables_share_the_room(folder, monkeypatch):
    one, two = CopiedRows(), CopiedRows()
    through(one)
    size = sum(path.stat().st_size for path in folder.iterdir())
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0, 0, 4 * (size + size // 2)))
    through(two)  # either would fit
    assert one.whole
    assert not two.whole
    assert len(list(folder.iterdir())) == 5
    del one
    through(two := CopiedRows())
    assert two.whole
