"""Damaged Parquet files are refused where they have checksums; how many bytes that is about is measured here."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import checksums, open_table

pq = pytest.importorskip("pyarrow.parquet")
RNG = np.random.default_rng(0)
FRAME = pl.DataFrame(
    {
        "x": RNG.normal(size=20_000),
        "i": RNG.integers(0, 1000, 20_000),
        "s": RNG.choice(["Oslo", "Rome", "Bern"], 20_000),
        "t": [f"word {k}" for k in RNG.integers(0, 5000, 20_000)],
    }
)
FORMS = [{}, {"compression": "none"}, {"compression": "zstd", "data_page_version": "2.0"}, {"row_group_size": 900},
         {"use_dictionary": False, "compression": "gzip"}, {"data_page_size": 1000}]  # fmt: skip


def written(path, checksum=True, frame=FRAME, **options):
    pq.write_table(frame.to_arrow(), path, write_page_checksum=checksum, **options)
    return path


def pages(content):
    """Where the data of each page are."""
    view = memoryview(content)
    for start, end in checksums._chunks(view):
        at = start
        while at < end:
            reader = checksums._Thrift(view, at)
            size = reader.struct()[checksums._STORED]
            yield reader.at, reader.at + size
            at = reader.at + size


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_files_with_checksums_are_read(tmp_path, form):
    path = written(tmp_path / "t.parquet", **form)
    found = list(pages(path.read_bytes()))
    assert len(found) >= 4
    table = open_table(path)
    assert table.collect().equals(FRAME)
    assert table.profile()[0].rows == 20_000


@pytest.mark.parametrize("form", FORMS[:3], ids=str)
def test_one_changed_byte_in_any_page_is_seen(tmp_path, form):
    whole = written(tmp_path / "t.parquet", **form).read_bytes()
    for number, (start, end) in enumerate(pages(whole)):
        content = bytearray(whole)
        content[(start + end) // 2] ^= 1
        path = tmp_path / f"bad{number}.parquet"
        path.write_bytes(content)
        for read in (lambda t: t.collect(["i"]), lambda t: t.profile(), lambda t: t.sample(10),
                     lambda t: t.survey(10, 0, lambda frame: ({}, {}))):  # fmt: skip
            with pytest.raises(ts.SourceError, match=rf"bad{number}.parquet is damaged.*checksum"):
                read(open_table(path))
        with pytest.raises(ts.SourceError, match="is damaged"):
            open_table(path, where="i > 5").row_count()
        with pytest.raises(ts.SourceError, match="is damaged"):
            ts.compare(path, FRAME)


@pytest.mark.parametrize("checksum", [True, False])
def test_five_random_bytes(tmp_path, checksum):
    """With checksums no damage goes unseen; without, much does: nothing in such a file could tell."""
    whole, wrong = written(tmp_path / "t.parquet", checksum).read_bytes(), 0
    for seed in range(12):
        rng, content = np.random.default_rng(seed), bytearray(whole)
        for at in rng.integers(0, len(whole), 5):
            content[at] = (content[at] + int(rng.integers(1, 256))) % 256
        (tmp_path / "bad.parquet").write_bytes(content)
        try:
            wrong += not open_table(tmp_path / "bad.parquet").collect().equals(FRAME)
        except ts.SourceError:
            continue
    assert (wrong == 0) if checksum else (wrong > 2)


def test_one_damaged_file_among_many(tmp_path):
    for number in range(3):
        written(tmp_path / f"{number}.parquet")
    content = bytearray((tmp_path / "1.parquet").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "1.parquet").write_bytes(content)
    with pytest.raises(ts.SourceError, match=r"1\.parquet is damaged"):
        open_table(tmp_path).profile()


def test_any_bytes_in_the_places_that_say_where_pages_are(tmp_path):
    """Our own reader of headers and metadata ends well, whatever it finds."""
    whole = written(tmp_path / "t.parquet", frame=FRAME[:500]).read_bytes()
    data = np.zeros(len(whole), bool)
    for start, end in pages(whole):
        data[start:end] = True
    path, rng = tmp_path / "bad.parquet", np.random.default_rng(1)
    places = np.flatnonzero(~data)
    refused = 0
    for _ in range(600):
        content = bytearray(whole)
        for at in rng.choice(places, rng.integers(1, 4)):
            content[at] = int(rng.integers(0, 256))
        path.write_bytes(content)
        try:
            checksums.verify([path])
        except ts.SourceError:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff" * 100 + b"PAR1", b"no", b"PAR1\x00" * 9])
def test_files_that_are_no_parquet(tmp_path, content):
    (tmp_path / "t.parquet").write_bytes(content)
    checksums.verify([tmp_path / "t.parquet"])  # polars has the better words for these
    with pytest.raises(ts.SourceError, match=r"t\.parquet"):
        open_table(tmp_path / "t.parquet")


def test_files_without_checksums_are_not_run_through(tmp_path, monkeypatch):
    monkeypatch.setattr(checksums, "_verify", lambda *given: pytest.fail("it was run through"))
    FRAME.write_parquet(tmp_path / "polars.parquet")
    for path in (tmp_path / "polars.parquet", written(tmp_path / "arrow.parquet", checksum=False)):
        assert open_table(path).collect().equals(FRAME)
