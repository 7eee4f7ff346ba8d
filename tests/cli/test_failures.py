"""Every failure that a user can cause: one clear line on standard error, exit code 2, and nothing half-written."""

import os
import resource
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest


def failed(done, *words):
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err
    for word in words:
        assert word in done.err
    return True


def test_a_missing_file(twosample, files, tmp_path):
    assert failed(twosample("compare", files.one, tmp_path / "nope.csv"), "no file", "nope.csv")
    assert failed(twosample("compare", files.one, tmp_path / "*.parquet"), "No file matches")
    assert failed(twosample("compare", files.one, ""), "empty")
    assert failed(twosample("compare", files.one, tmp_path), "empty folder")


def test_an_unreadable_file(twosample, files, tmp_path):
    place = tmp_path / "secret.csv"
    place.write_text("age\n1\n")
    place.chmod(0)
    if os.access(place, os.R_OK):
        pytest.skip("root reads everything")
    assert failed(twosample("compare", files.one, place), "secret.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cut.parquet", b"PAR1 and no more"),
        ("no.parquet", b""),
        ("empty.csv", b""),
        ("latin.csv", b"age,city\n1,Z\xfcrich\n"),
        ("ragged.csv", b"age,city\n1,a\n2,b,c,d\n"),
        ("broken.csv.gz", b"\x1f\x8b\x08\x00no"),
        ("no.arrow", b"ARROW1"),
        ("no.jsonl", b'{"age": 1}\n{"age": '),
        ("no.xlsx", b"PK nothing"),
        ("data.xyz", b"age\n1\n"),
    ],
)
def test_a_damaged_file(twosample, files, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert failed(twosample("compare", files.one, tmp_path / name), name)


def test_a_truncated_parquet_file(twosample, files, tmp_path):
    whole = tmp_path / "whole.parquet"
    pl.read_csv(files.one).write_parquet(whole)
    (tmp_path / "cut.parquet").write_bytes(whole.read_bytes()[:-100])
    assert failed(twosample("compare", files.one, tmp_path / "cut.parquet"), "cut.parquet", "damaged")
    content = bytearray(whole.read_bytes())
    content[4:400] = b"\xff" * 396  # the footer is there, the pages are not
    (tmp_path / "torn.parquet").write_bytes(content)
    assert failed(twosample("compare", files.one, tmp_path / "torn.parquet"), "torn.parquet")


def test_databases(twosample, files, tmp_path):
    pytest.importorskip("sqlglot")
    base = tmp_path / "shop.db"
    with sqlite3.connect(base) as connection:
        connection.execute("CREATE TABLE orders (age REAL)")
    connection.close()
    assert failed(twosample("compare", files.one, f"sqlite:///{base}::nope"), "no table 'nope'", "orders")
    assert failed(twosample("compare", files.one, f"sqlite:///{tmp_path}/no.db::t"), "no file")
    assert failed(twosample("compare", files.one, f"sqlite:///{base}::DROP TABLE orders"), "no table")
    assert failed(twosample("compare", files.one, f"sqlite:///{base}::SELECT 1; DROP TABLE orders"), "SELECT")
    assert failed(twosample("compare", files.one, f"sqlite:///{base}::orders"), "no rows")
    assert failed(twosample("compare", files.one, "mysql://ada:hush@host/db::t"), "mysql")
    assert failed(twosample("compare", files.one, "https://ada:hush@host/a.csv"), "https")
    for url in ("mysql://ada:hush@host/db::t", "postgresql://ada:hush@localhost:1/db?password=hush::t"):
        for more in ((), ("--debug",), ("extra://ada:hush@host/",)):
            done = twosample("compare", files.one, url, *more)
            assert done.code == 2
            assert "hush" not in done.err


def test_no_common_column(twosample, files):
    assert failed(twosample("compare", files.one, files.apart), "no column that can be compared")


def test_zero_rows_and_one_row(twosample, files, tmp_path):
    (tmp_path / "zero.csv").write_text("age,city,id\n")
    assert failed(twosample("compare", files.one, tmp_path / "zero.csv"), "no rows")
    assert failed(twosample("compare", tmp_path / "zero.csv", tmp_path / "zero.csv"), "no rows")
    assert failed(
        twosample("compare", files.one, files.one, "--where", "age > 1000"), "no rows that meet where='age > 1000'"
    )
    (tmp_path / "one.csv").write_text("age,city,id\n40.5,Oslo,1\n")
    assert twosample("compare", files.one, tmp_path / "one.csv", "--strict").code == 3
    assert twosample("compare", tmp_path / "one.csv", tmp_path / "one.csv").code == 0  # identical


@pytest.mark.slow
def test_two_thousand_columns(twosample, tmp_path):
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        frame = pl.DataFrame({f"c{i}": rng.normal(size=60) for i in range(2000)})
        frame.write_parquet(tmp_path / f"{name}.parquet")
    done = twosample("compare", tmp_path / "a.parquet", tmp_path / "b.parquet", "--report", tmp_path / "r.html")
    assert done.code in (0, 3)
    assert len(done.out.splitlines()) < 40
    assert "and 1,985 more columns" in done.out
    assert (tmp_path / "r.html").stat().st_size < 2_000_000


def test_places_that_cannot_be_written(twosample, files, tmp_path):
    compare = ("compare", files.one, files.same)
    assert failed(twosample(*compare, "--report", tmp_path / "no" / "r.html"), "no folder")
    assert failed(twosample(*compare, "--json", tmp_path), "folder")
    assert failed(twosample(*compare, "--json", ""), "--json")
    assert failed(twosample(*compare, "--json", files.one), "would replace")
    assert failed(twosample("independence", files.one, "--plot", tmp_path / "p.doc"), ".svg")
    if os.geteuid():
        tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
        assert failed(twosample(*compare, "--json", tmp_path / "r.json"), "permission")


@pytest.mark.parametrize("source", ["sqlite:///{}::t", "sqlite:///{}", "{}/../*.db", "{}/.."])
def test_data_of_databases_patterns_and_folders_are_not_replaced(twosample, files, tmp_path, source):
    place = tmp_path / "k" / "s.db"
    place.parent.mkdir()
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE TABLE t (x DOUBLE)")
    before = place.read_bytes()
    named = source.format(place).replace("s.db/../", "").replace("/s.db/..", "")
    assert failed(twosample("compare", named, files.one, "--json", place), "would replace")
    assert place.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")  # noqa: PTH110
def test_standard_error_that_cannot_be_written_changes_no_exit_code(files, tmp_path):
    for arguments, code in (([files.one, files.same], (0, 3)), (["nope.csv", files.one], (2,)), (["--bogus"], (2,))):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            done = subprocess.run(
                [sys.executable, "-m", "twosample", "compare", *map(str, arguments)], cwd=tmp_path, stderr=full,
                stdout=subprocess.DEVNULL, check=False, timeout=60,
            )  # fmt: skip
        assert done.returncode in code


def test_dates_beyond_all_bounds_end_in_a_verdict(twosample, tmp_path):
    for name, seed in (("a", 0), ("b", 1)):
        steps = np.random.default_rng(seed).integers(0, 10**15, 500)
        steps[:150] = 2**63 - 1
        pl.DataFrame({"t": pl.Series(steps).cast(pl.Datetime("us"))}).write_parquet(tmp_path / f"{name}.parquet")
    done = twosample("compare", tmp_path / "a.parquet", tmp_path / "b.parquet", "--report", tmp_path / "r.html")
    assert done.code in (0, 3)


def test_the_data_are_not_replaced_through_a_link(twosample, files, tmp_path):
    (tmp_path / "link.csv").symlink_to(files.one)
    before = files.one.read_bytes()
    assert failed(twosample("compare", files.one, files.same, "--json", tmp_path / "link.csv"), "would replace")
    assert files.one.read_bytes() == before


@pytest.mark.parametrize(("command", "tables"), [("compare", 2), ("match", 2), ("independence", 1), ("outliers", 2)])
def test_a_file_of_options_does_not_replace_itself(twosample, files, tmp_path, command, tables):
    place = tmp_path / "c.toml"
    place.write_text(f'json = "{place.as_posix()}"')
    before = place.read_bytes()
    assert failed(twosample(command, *[files.one, files.same][:tables], "--config", place), "--json", "would replace")
    assert place.read_bytes() == before


def test_a_full_disk(twosample, files, tmp_path, real):
    if Path("/dev/full").exists():
        done = twosample("compare", files.one, files.other, "--json", "/dev/full")
        assert done.code == 2
        assert "full" in done.err
        with Path("/dev/full").open("w") as full:
            done = real("compare", files.one, files.other, stdout=full)
        assert done.code == 2
        assert done.err == (
            "error: Cannot write to standard output: No space left on device. "
            "The disk is full: free some space, or choose another place.\n"
        )
        with Path("/dev/full").open("w") as full:
            done = real("compare", "--help", stdout=full)
        assert done.code == 2
        assert "The disk is full" in done.err
    (tmp_path / "old.json").write_text("old")
    for target in ("old.json", "new.json"):
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
        try:
            done = twosample("compare", files.one, files.other, "--json", tmp_path / target)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert done.code == 2
        assert target in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
    assert (tmp_path / "old.json").read_text() == "old"


def test_a_mistake_of_ours_is_no_verdict(twosample, files, monkeypatch):
    """Python exits with 1 after an exception, which would mean 'different'."""

    def boom(*arguments, **options):
        raise ZeroDivisionError("postgresql://ada:hush@host/ division")

    monkeypatch.setattr("twosample.tables.compare", boom)
    done = twosample("compare", files.one, files.same)
    assert done.code == 2
    assert "mistake in twosample: ZeroDivisionError" in done.err
    assert "hush" not in done.err

    def hungry(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("twosample.tables.compare", hungry)
    assert failed(twosample("compare", files.one, files.same), "out of memory", "--sample")


def test_a_missing_extra_names_the_line_that_installs_it(twosample, files, monkeypatch):
    from twosample.sources import databases

    find = databases._installed
    monkeypatch.setattr(databases, "_installed", lambda name: name != "sqlglot" and find(name))
    assert failed(twosample("compare", files.one, "duckdb:///x.db::t"), 'pip install "twosample[db]"')


def test_postgresql(twosample, files, postgres_server, monkeypatch):
    from twosample.sources import Table, remote

    postgres_server.execute(
        "DROP TABLE IF EXISTS cli", "CREATE TABLE cli AS SELECT i * 0.5 AS age FROM generate_series(1, 300) AS i"
    )
    url = postgres_server.url("cli")
    done = twosample("compare", files.one, url, "--quiet")
    assert (done.code, done.err) == (1, "")
    secret = "hush:/@x"
    assert failed(twosample("compare", files.one, postgres_server.url("cli", password=secret)), "user and password")
    done = twosample("compare", files.one, postgres_server.url("cli", password=secret), "--debug")
    assert "hush" not in done.err
    assert postgres_server.password not in done.err
    assert failed(twosample("compare", files.one, postgres_server.url("nope")), "no table 'nope'")
    assert failed(twosample("compare", files.one, url.replace(str(postgres_server.port), "1")), "host and port")
    survey = Table.survey

    def lost(table, *args, **options):
        postgres_server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        return survey(table, *args, **options)

    monkeypatch.setattr(Table, "survey", lost)
    monkeypatch.setattr(remote, "HELD_ROWS", 20)  # a large table: the server is asked
    done = twosample("compare", url, files.one, "--sample", "20")
    assert failed(done, "connection was lost")
    assert postgres_server.password not in done.err


def test_two_outputs_in_one_file(twosample, files, tmp_path):
    place = tmp_path / "out"
    assert failed(twosample("compare", files.one, files.two, "--json", place, "--markdown", place), "one file")
    assert not place.exists()


def test_no_column_named(twosample, files):
    assert failed(twosample("independence", files.one, "--x", "", "--y", "age"), "--x: no column is named")
