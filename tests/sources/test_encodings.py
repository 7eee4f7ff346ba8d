"""Text files in other encodings than UTF-8: read as said, and asked for where nothing is said."""

import gzip

import polars as pl
import pytest

import twosample as ts
from twosample.sources import files, open_table, packed


def test_encodings(tmp_path):
    text = "a,b\n1,ä\n2,ö\n"
    (tmp_path / "bom.csv").write_bytes(text.encode("utf-8-sig"))
    assert open_table(tmp_path / "bom.csv").schema() == {"a": "Int64", "b": "String"}
    expected = open_table(tmp_path / "bom.csv").collect()
    for code in ("latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "UTF-8", "cp437"):
        path = tmp_path / "coded.csv"
        path.write_bytes(text.encode(code))
        assert open_table(path, encoding=code).collect().equals(expected), code
        (tmp_path / "coded.csv.gz").write_bytes(gzip.compress(text.encode(code)))
        assert open_table(tmp_path / "coded.csv.gz", encoding=code).collect().equals(expected), code
    for code in ("utf-16", "utf-32"):  # a mark at the beginning says so
        path.write_bytes(text.encode(code))
        assert open_table(path).collect().equals(expected)
    (tmp_path / "coded.jsonl").write_bytes('{"a": 1, "b": "ä"}\n{"a": 2, "b": "ö"}\n'.encode("latin-1"))
    assert open_table(tmp_path / "coded.jsonl", encoding="latin1").collect().equals(expected)


def test_an_encoding_that_is_not_said_is_asked_for(tmp_path):
    text = "a,b\n1,ä\n2,ö\n"
    path = tmp_path / "coded.csv"
    for code, hint in (("latin-1", r"not in UTF-8: .*encoding='latin-1'"), ("utf-16-le", "encoding='utf-16-le'")):
        path.write_bytes(text.encode(code))
        with pytest.raises(ts.SourceError, match=hint) as caught:
            open_table(path)
        assert str(path) in str(caught.value)
    path.write_bytes(b"a,b\n1,\x81\n")
    with pytest.raises(ts.SourceError, match=r"coded\.csv is not in the encoding cp1252 \(near byte 6\)"):
        open_table(path, encoding="cp1252")
    for wrong in ("klingon", "hex", "", 8):
        with pytest.raises(ts.OptionError, match="encoding="):
            open_table(path, encoding=wrong)


def test_large_files_in_another_encoding_are_decoded_in_parts(tmp_path, monkeypatch):
    """Characters of several bytes may lie across the parts; errors name the file and not the copy."""
    monkeypatch.setattr(packed, "_CHUNK", 7)
    monkeypatch.setattr(files, "_SMALL", 100)
    frame = pl.DataFrame({"n": range(300), "s": ["ä€😀x"] * 300})
    path = tmp_path / "long.csv"
    path.write_bytes(frame.write_csv().encode("utf-16"))
    table = open_table(path)
    assert table.collect().equals(frame)
    assert table.sample(10, seed=1).height == 10
    path.write_bytes("a\r1\r2\r".encode("utf-16"))
    with pytest.raises(ts.SourceError, match=r"long\.csv ends its lines with CR alone"):
        open_table(path)
