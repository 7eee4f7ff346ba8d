"""Files of every kind come out as the same table."""

import bz2
import gzip
import lzma

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.errors import SourceError
from twosample.sources import files, open_table

FRAME = pl.DataFrame(
    {
        "n": [1, 2, None, 4],
        "x": [0.5, -1.25, 3.0, None],
        "s": ["a", "b, c", None, 'd"e'],
        "d": pl.Series(["2020-01-01", "2020-02-01", None, "2021-01-01"]).str.to_date(),
        "b": [True, False, True, None],
    }
)
HOSTILE = [
    "quote\"'", "new\nline", "<b>&amp;</b>", "; DROP TABLE t; --", "=cmd|' /C calc'!A0", "ünïcødé 😀", " ", "row", "p",
]  # fmt: skip


def write(frame, path):
    name = path.name
    if name.endswith(".parquet"):
        frame.write_parquet(path)
    elif name.endswith((".arrow", ".feather")):
        frame.write_ipc(path)
    elif name.endswith(".jsonl"):
        frame.write_ndjson(path)
    elif name.endswith(".xlsx"):
        frame.write_excel(path)
    elif name.endswith(".stream.ipc"):
        frame.write_ipc_stream(path)
    else:
        text = frame.write_csv(separator="\t" if ".tsv" in name else ",").encode()
        pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(path.suffix, lambda data: data)
        path.write_bytes(pack(text))
    return path


@pytest.mark.parametrize(
    "name",
    ["t.csv", "t.tsv", "t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.parquet", "t.arrow", "t.feather", "t.stream.ipc",
     "t.jsonl", "t.xlsx", "T.CSV"],
)  # fmt: skip
def test_every_format(tmp_path, name):
    if name.endswith("xlsx"):
        pytest.importorskip("fastexcel")
        pytest.importorskip("xlsxwriter")
    table = open_table(write(FRAME, tmp_path / name))
    assert [info.name for info in table.columns] == FRAME.columns
    assert table.row_count() == 4
    families = [info.family for info in table.columns]
    assert families[:3] == ["integer", "number", "text"]
    assert families[4] == "boolean"
    assert families[3] == ("text" if "jsonl" in name else "date")
    found = {part.name: part for part in table.profile()}
    assert [found[c].missing for c in FRAME.columns] == [1, 1, 1, 1, 1]
    assert (found["n"].min, found["n"].max, found["n"].distinct) == (1.0, 4.0, 3)
    assert found["x"].mean == pytest.approx(2.25 / 3)
    assert found["x"].std == pytest.approx(np.std([0.5, -1.25, 3.0], ddof=1))
    assert (found["s"].min, found["s"].max) == ("a", 'd"e')


def test_zstandard(tmp_path):
    zstd = pytest.importorskip("pyarrow")
    path = tmp_path / "t.csv.zst"
    with zstd.CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(b"a,b\n1,2\n")
    assert open_table(path).collect().rows() == [(1, 2)]


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.csv.bz2", "t.tsv.xz"])
def test_leading_zeros_are_kept(tmp_path, name):
    rows = [(str(20_000 - v), v % 7, 0) for v in range(10_500)] + [("00123", 5, 0), (None, 0, 0)]
    frame = pl.DataFrame(rows, schema=["zip", "n", "zero"], orient="row")
    content = frame.write_csv(separator="\t" if ".tsv" in name else ",").encode()
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}.get(name.rpartition(".")[2], bytes)
    (tmp_path / name).write_bytes(pack(content))
    table = open_table(tmp_path / name)
    assert [info.family for info in table.columns] == ["text", "integer", "integer"]
    assert table.collect().equals(frame)


def test_codes_are_the_same_from_text_and_parquet(tmp_path, monkeypatch):

    frame = pl.DataFrame({"zip": ["00123", "00456", "10789"] * 300, "x": list(range(30)) * 30})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for small in (files._SMALL, 10):  # read at once, and in batches
        monkeypatch.setattr(files, "_SMALL", small)
        found = ts.compare(tmp_path / "t.csv", tmp_path / "t.parquet")
        assert (found["zip"].kind, found["zip"].effect) == ("categorical", 0.0)
        assert found.verdict != "different"


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_separators_are_recognised(tmp_path, mark):
    path = tmp_path / "t.csv"
    path.write_text(f"a{mark}b\n1{mark}2\n3{mark}4\n")
    assert open_table(path).collect().rows() == [(1, 2), (3, 4)]


@pytest.mark.parametrize("mark", [";", "|", "\t"])
def test_decimal_commas(tmp_path, mark):
    rows = [("a", "x"), ("1,5", "2,25"), ('"-3,75"', "7"), (",5", "NA")]
    path = tmp_path / "t.csv"
    path.write_text("".join(f"{a}{mark}{b}\n" for a, b in rows))
    assert open_table(path).collect().rows() == [(1.5, 2.25), (-3.75, 7.0), (0.5, None)]
    path.write_text("".join(f"{a}{mark}{b}\n" for a, b in [*rows, ("2.5", "8")]))  # whose commas are these?
    assert open_table(path).collect()["a"].to_list() == ["1,5", "-3,75", ",5", "2.5"]


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        (["2,5"], [2.5]),
        (["1", "1,234", "0,123"], [1.0, 1.234, 0.123]),
        (["944", "1,097"], ["944", "1,097"]),  # thousands, or not: nobody knows
        (["1,234", "2,345,678"], ["1,234", "2,345,678"]),
        (["1,5", "1,234.56"], ["1,5", "1,234.56"]),
        (["1,5", "1.5E+03"], ["1,5", "1.5E+03"]),
        (["1,5", "2."], ["1,5", "2."]),
    ],
)
def test_which_commas_are_decimal(tmp_path, fields, wanted):
    path = tmp_path / "t.csv"
    for text in ("a;b", *(f"{field};1" for field in fields)), ("b;a", *(f"1;{field}" for field in fields)):
        path.write_text("\n".join(text))  # no newline at the end
        assert open_table(path).collect()["a"].to_list() == wanted


@pytest.mark.parametrize("dates", [["01/02/2024", "03/04/2024"], ["01.02.2024", "03.04.2024"], ["01-02-2024"]])
def test_only_iso_dates_are_dates(tmp_path, dates):
    path = tmp_path / "t.csv"
    path.write_text("d,x\n" + "".join(f"{date},1\n" for date in dates))
    assert open_table(path).collect()["d"].to_list() == dates
    path.write_text("d,x\n2024-02-01,1\n2024-03-01,2\n")
    assert open_table(path).columns[0].family == "date"


@pytest.mark.parametrize(
    ("clock", "kind"),
    [
        ("{}:{:02d}:00", "duration"),
        ("{:02d}:{:02d}", "duration"),
        ("3{}:{:02d}:00", "duration"),
        ("{}:{}", "categorical"),
    ],
)
def test_clocks_of_text_files_are_what_they_are_in_memory(tmp_path, clock, kind):
    times = [clock.format(i % 5, i % 7) for i in range(200)]
    path = tmp_path / "t.csv"
    path.write_text("t,x\n" + "".join(f"{time},1\n" for time in times))
    found, memory = ts.compare(path, path)["t"], ts.compare({"t": times}, {"t": times})["t"]
    assert found.kind == memory.kind == kind
    assert open_table(path).collect()["t"].to_list() == times


def test_marks_of_packed_files(tmp_path):
    path = tmp_path / "t.csv.zst"
    with pytest.importorskip("pyarrow").CompressedOutputStream(str(path), "zstd") as stream:
        stream.write(b'a;"b,c,d"\n1,5;x\n2,25;y\n')
    assert open_table(path).collect().rows() == [(1.5, "x"), (2.25, "y")]


@pytest.mark.parametrize("header", ["price, EUR;b;c", '"price, EUR";b;c', '"a,b,c,d";b;c'])
def test_names_with_commas(tmp_path, header):
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n1;2;3\n")
    assert open_table(path).collect().rows() == [(1, 2, 3)]
    path.write_text('"a;b;c",d\n1,2\n')
    assert open_table(path).collect().rows() == [(1, 2)]


def test_missing_values_of_text_files(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\nNA,N/A\n3,\nnull,nan\n")
    table = open_table(path)
    assert [part.missing for part in table.profile()] == [2, 3]
    assert table.columns[0].family == "integer"


def test_patterns_and_folders(tmp_path):
    for name in ("b", "a"):
        write(FRAME.with_columns(s=pl.lit(name)), tmp_path / f"{name}.parquet")
    for source in (tmp_path / "*.parquet", tmp_path):
        assert open_table(source).collect(["s"])["s"].to_list() == ["a"] * 4 + ["b"] * 4
    write(FRAME, tmp_path / "c.csv")
    with pytest.raises(ts.SourceError, match="different formats"):
        open_table(tmp_path / "*")


def test_patterns_widen_types_and_fill_columns(tmp_path):
    pl.DataFrame({"a": [1], "b": ["x"]}).write_parquet(tmp_path / "1.parquet")
    pl.DataFrame({"a": [2.5], "c": [True]}).write_parquet(tmp_path / "2.parquet")
    table = open_table(tmp_path / "*.parquet")
    assert table.collect().rows() == [(1.0, "x", None), (2.5, None, True)]


def test_a_name_with_brackets_is_a_name(tmp_path):
    path = write(FRAME, tmp_path / "t[1].parquet")
    assert open_table(path).row_count() == 4


def test_sheets(tmp_path):
    pytest.importorskip("fastexcel")
    xlsxwriter = pytest.importorskip("xlsxwriter")
    with xlsxwriter.Workbook(str(tmp_path / "w.xlsx")) as book:
        for sheet, value in (("one", 1), ("two", 2)):
            page = book.add_worksheet(sheet)
            page.write_row(0, 0, ["a"])
            page.write_row(1, 0, [value])
    assert open_table(f"{tmp_path}/w.xlsx::two").collect().item() == 2
    with pytest.raises(ts.SourceError, match="three"):
        open_table(f"{tmp_path}/w.xlsx::three")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow", "t.jsonl"])
def test_hostile_names_survive(tmp_path, name):
    rng = np.random.default_rng(0)
    names = HOSTILE if name.endswith("jsonl") else [*HOSTILE, ""]
    frame = pl.DataFrame({column: rng.normal(size=50) for column in names})
    table = open_table(write(frame, tmp_path / name))
    assert [info.name for info in table.columns] == names
    assert table.sample(10, 1).columns == names
    assert [part.name for part in table.profile()] == names
    assert set(table.category_counts(names, 3)) == set(names)
    with pytest.raises(ts.InputError, match="has no column"):
        table.category_counts(["nope"])


def test_duplicate_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,a,b,a\n1,2,3,4\n")
    assert [info.name for info in open_table(path).columns] == ["a", "a_duplicated_0", "b", "a_duplicated_1"]


def test_a_type_that_changes_far_down(tmp_path, monkeypatch):

    monkeypatch.setattr(files, "_SMALL", 10)
    monkeypatch.setattr(files, "_FIRST", 5)
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 100 + "x,3\n")
    for ask in (lambda t: t.profile(), lambda t: t.sample(5), lambda t: t.collect()):
        table = open_table(path)
        assert table.columns[0].family == "integer"
        ask(table)
        assert table.columns[0].family == "text"
        assert table.profile()[0].distinct == 2


# --- What can go wrong ----------------------------------------------------------------------------------------


def broken(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_errors_name_the_file(tmp_path):
    whole = write(FRAME, tmp_path / "whole.parquet").read_bytes()
    cases = [
        (tmp_path / "no.csv", "There is no file .*no.csv"),
        (tmp_path / "no*.csv", "No file matches"),
        (broken(tmp_path, "e.csv", b""), "e.csv.*empty"),
        (broken(tmp_path, "e.parquet", b""), "e.parquet.*damaged"),
        (broken(tmp_path, "t.parquet", whole[:-20]), "t.parquet.*damaged"),
        (broken(tmp_path, "h.parquet", whole[: len(whole) // 2]), "h.parquet.*damaged"),
        (broken(tmp_path, "e.jsonl", b""), "e.jsonl.*empty"),
        (broken(tmp_path, "x.arrow", b"ARROW1 nonsense"), "x.arrow"),
        (broken(tmp_path, "x.xlsx", b"nonsense"), "x.xlsx"),
        (broken(tmp_path, "l.csv", "a,b\né,1\n".encode("latin-1")), "l.csv.*UTF-8"),
        (broken(tmp_path, "r.csv", b"a,b\n1,2\n1,2,3\n"), "r.csv.*more fields"),
        (broken(tmp_path, "g.csv.gz", b"nonsense, not gzip"), "g.csv.gz"),
        (broken(tmp_path, "u.dat", b"1,2"), r"'.dat' of 'u.dat' is not known"),
        (broken(tmp_path, "u.parquet.gz", b"1,2"), "compressed parquet"),
        (broken(tmp_path, "none", b"1,2"), "not known"),
        ("", "empty"),
        ("oracle://u:geheim@h/db::t", "oracle.*not known"),
        ("ftp://u:geheim@h/t.csv", "ftp.*not known"),
    ]
    for path, message in cases:
        with pytest.raises(ts.SourceError, match=f"(?s){message}") as caught:
            open_table(path).profile()
        assert caught.value.__context__ is None, path
        assert "geheim" not in str(caught.value)


def test_unreadable(tmp_path):
    import os

    path = write(FRAME, tmp_path / "t.csv")
    path.chmod(0)
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    with pytest.raises(ts.SourceError, match="who may read"):
        open_table(path)


def test_header_only_and_no_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n")
    table = open_table(path)
    assert table.row_count() == 0
    assert [part.rows for part in table.profile()] == [0, 0]
    assert table.sample(5).shape == (0, 2)


# --- Conditions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_where(tmp_path, name):
    path = write(FRAME, tmp_path / name)
    table = open_table(path, where="n >= 2 AND s IS NOT NULL")
    assert table.collect(["n"])["n"].to_list() == [2, 4]
    assert table.row_count() == 2
    assert table.sample(1, seed=3).height == 1
    for wrong in ("n >", "n; DROP TABLE x", "nope > 1", "n + 1", "read_csv('x')"):
        with pytest.raises(ts.SourceError, match="where="):
            open_table(path, where=wrong).collect()
    for wrong in ("", "  ", 3):
        with pytest.raises(ts.OptionError, match="where="):
            open_table(path, where=wrong)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("d < '2020-06-01'", "DATE '1997-05-04'"),
        ("d IN ('2020-06-01')", "DATE '1997-05-04'"),
        ("x < '3'", "numbers without"),
        ("s < 3", "texts in quotes"),
    ],
)
def test_a_condition_of_the_wrong_type_says_what_to_write(tmp_path, suffix, where, words):
    write(FRAME, tmp_path / f"a.{suffix}")
    with pytest.raises(SourceError) as failure:
        open_table(tmp_path / f"a.{suffix}", where=where)
    said = str(failure.value)
    assert said.startswith("where=")
    assert words in said
    assert "native python" not in said
    assert "expression" not in said
    assert open_table(tmp_path / f"a.{suffix}", where="d < DATE '2020-06-01'").row_count() == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "more fields than the first"),
        ("apple.csv", b"a,b\r1,2\r3,4\r", "CR alone"),
        ("no.csv.xz", b"not packed", "damaged"),
        ("no.csv.bz2", b"not packed", "Invalid data stream"),
        ("quote.csv", b'a,b\n1,"x\n2,y\n', "quote is not closed"),
    ],
)
def test_messages_are_ours_and_without_arguments_of_polars(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=words) as failure:
        open_table(tmp_path / name)
    assert "truncate_ragged_lines" not in str(failure.value)


@pytest.mark.parametrize("source", ["~nobody-here/x.csv", "sqlite:///~nobody-here/x.db::t", "a" * 5000])
def test_places_that_cannot_be(source):
    """Looking for them raised RuntimeError and OSError."""
    with pytest.raises(SourceError, match=r"no file|too long"):
        open_table(source)
