"""Streams: data here, messages there; colours only for terminals; hostile text does no harm."""

import json
import os
import pty
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

from twosample.cli.options import pairs, quoted, split
from twosample.cli.terminal import discreet

HOSTILE = ["\x1b[31mred\x1b[0m", "[bold]loud[/bold]", "new\nline", "bell\x07\x08", "=cmd|' /C calc'!A0",
           "<script>alert(1)</script>", "\u202egnp.exe", "'; DROP TABLE t; --", "$\\frac{", ":smile:"]  # fmt: skip


@pytest.fixture
def hostile(tmp_path):
    """Two tables whose names and values are as bad as can be."""
    for name, shift in (("a", 0), ("b", 30)):
        columns = {text: [i + shift + 0.5 for i in range(60)] for text in HOSTILE}
        columns["[red]cat\x1b[2J"] = [HOSTILE[(i * i + shift) % (len(HOSTILE) - shift // 6)] for i in range(60)]
        pl.DataFrame(columns).write_parquet(tmp_path / f"{name}.parquet")
    return tmp_path / "a.parquet", tmp_path / "b.parquet"


def clean(text):
    return all(character.isprintable() or character == "\n" for character in text)


def test_hostile_names_and_values(twosample, hostile):
    done = twosample("compare", *hostile)
    assert done.code == 1
    assert clean(done.out)
    assert "[bold]loud[/bold]" in done.out
    assert "␛[31mred␛[0m" in done.out
    assert "new␊line" in done.out
    assert ":smile:" in done.out
    found = json.loads(twosample("compare", *hostile, "--json", "-").out)
    assert {column["name"] for column in found["columns"]} >= set(HOSTILE)


def test_hostile_names_in_other_commands_and_errors(twosample, hostile, tmp_path):
    done = twosample("independence", hostile[0], "--plot", tmp_path / "p.svg")
    assert done.code == 1
    assert clean(done.out)
    assert (tmp_path / "p.svg").read_bytes().startswith(b"<?xml")
    for arguments in (
        ("compare", "\x1b[31m\nno[bold].csv", hostile[1]),
        ("compare", *hostile, "--select", "no\x1b[31m"),
        ("compare", *hostile, "--alpha", "\x1b[31m"),
        ("compare", *hostile, "--\x1b[31m"),
        ("\x1b[31m",),
    ):
        done = twosample(*arguments)
        assert done.code == 2
        assert clean(done.err)
        assert done.err.count("\n") == 1


def test_a_file_name_that_is_no_text(twosample, hostile, tmp_path):
    name = os.fsdecode(b"\xff\xfe.parquet")
    try:
        os.link(hostile[0], tmp_path / name)
    except OSError:
        pytest.skip("the file system takes no such name")
    done = twosample("compare", tmp_path / name, hostile[1])
    assert done.code in (1, 2)
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://ada:s3cret@host/db::t", "postgresql://***@host/db::t"),
        ("see postgresql://ada:a/b@c@host/db, please", "see postgresql://***@host/db, please"),
        ("postgresql://host/db?user=ada&password=x1&a=2", "postgresql://host/db?user=ada&password=***&a=2"),
        ("host=h password=x1 user=ada", "host=h password=*** user=ada"),
        ("nothing to hide: a@b.example", "nothing to hide: a@b.example"),
    ],
)
def test_credentials_are_cut_out(text, shown):
    assert discreet(text) == shown


def test_lists():
    assert split(None) is None
    assert split(["a, b", "c"]) == ["a", "b", "c"]
    assert split([quoted('a,"b'), "c"]) == ['a,"b', "c"]
    assert pairs("--kind", None) is None


def seen_by_a_terminal(arguments, env, cwd):
    """What a terminal of 100 characters shows, and the exit code; both streams lead to it."""
    master, slave = pty.openpty()
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "TERM": "xterm-256color", "COLUMNS": "100", **env}
    process = subprocess.Popen([sys.executable, "-m", "twosample", *map(str, arguments)], stdin=slave, stdout=slave,
                               stderr=slave, env=environment, cwd=cwd, start_new_session=True)  # fmt: skip
    os.close(slave)
    parts = []
    try:
        while part := os.read(master, 65536):
            parts.append(part)
    except OSError:  # the other end is closed
        pass
    os.close(master)
    return process.wait(60), b"".join(parts).decode("utf-8", "replace")


def test_a_terminal_gets_colours_and_progress_unless_told_otherwise(files, tmp_path):
    code, text = seen_by_a_terminal(["compare", files.one, files.other], {}, tmp_path)
    assert code == 1
    assert "\x1b[1;31m≠ Different" in text
    assert "0:00:0" in text  # the clock of the progress bar


def test_no_color(twosample, files, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[1;31m≠ Different" in twosample("compare", files.one, files.other).out
    monkeypatch.setenv("NO_COLOR", "1")
    out = twosample("compare", files.one, files.other).out
    assert not any(code in out for code in ("\x1b[31m", "\x1b[1;31m", "\x1b[32m"))


def test_nobody_reads_any_more(start, files):
    """``twosample compare ... | head -0``: no complaint, and the code is the verdict."""
    process = start("compare", files.one, files.other, "--json", "-")
    process.stdout.close()
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (1, "")


def test_an_old_locale(real, files):
    done = real("compare", files.one, files.other, env={"PYTHONIOENCODING": "ascii", "COLUMNS": "60"})
    assert done.code == 1
    assert done.out.startswith("!= Different")
    assert done.err == ""
    assert max(map(len, done.out.splitlines())) <= 60


@pytest.mark.parametrize("width", [50, 60, 80, 200])
def test_widths(twosample, files, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    done = twosample("compare", files.one, files.other)
    assert max(map(len, done.out.splitlines())) <= width
    assert "≠ different" in done.out


LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told its background jobs to ignore it
from twosample.cli import main
"""
INTERRUPTED = """
import sys, time
import {module}
def wait(*arguments, **options):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(60)
{module}.{name} = wait
main()
"""


@pytest.mark.parametrize(("module", "name"), [("twosample.tables", "compare"), ("os", "fsync")])
def test_control_c(start, files, tmp_path, module, name):
    """While it computes, and while it writes: exit code 130, and nothing half-written."""
    arguments = ("compare", files.one, files.few, "--json", tmp_path / "r.json", "--quiet")
    process = start(*arguments, code=LISTENING + INTERRUPTED.format(module=module, name=name))
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert list(tmp_path.iterdir()) == []


SLOWLY = """
class Slow:
    def find_spec(self, name, *where):
        if name == {name!r}:
            import time
            print("ready", file=sys.stderr, flush=True)
            time.sleep(1)
            print("over", file=sys.stderr, flush=True)
import sys
sys.meta_path.insert(0, Slow())
"""


def test_control_c_is_minded_before_anything_large_is_loaded(start):
    """Until then an interrupt prints a traceback: of what is not Python's own, only this package's first modules."""
    code = """
import signal, sys
found = signal.signal
def seen(*what):
    signal.signal = found
    print(*sorted(name for name in sys.modules if name == "threading" or name.startswith("twosample")))
    sys.exit()
signal.signal = seen
signal.getsignal = lambda number: signal.default_int_handler
from twosample.cli import main
main()
"""
    out, err = start(code=code).communicate(timeout=60)
    assert (out, err) == ("twosample twosample._forks twosample._version twosample.cli twosample.cli.interrupts\n", "")


@pytest.mark.parametrize("module", ["typer", "numpy", "polars", "twosample.tables"])
def test_control_c_waits_for_imports(start, files, tmp_path, module):
    code = LISTENING.replace("from", SLOWLY.format(name=module) + "from") + "main()"
    process = start("compare", files.one, files.few, "--json", tmp_path / "r.json", code=code)
    assert process.stderr.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "over\ninterrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_control_c_while_standard_input_is_copied(start, files, tmp_path):
    (tmp_path / "kept").mkdir()
    process = start("compare", "-", files.one, code=f"{LISTENING}main()", stdin=subprocess.PIPE,
                    env={"TMPDIR": str(tmp_path / "kept")})  # fmt: skip
    process.stdin.write("age,city\n" + "1,a\n" * 500_000)
    process.stdin.flush()
    for _ in range(600):
        if list((tmp_path / "kept").iterdir()):
            break
        time.sleep(0.1)
    assert len(list((tmp_path / "kept").iterdir())) == 1
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    assert process.stderr.read() == "interrupted\n"
    assert list((tmp_path / "kept").iterdir()) == []


@pytest.mark.slow
def test_control_c_in_the_middle_of_real_work(start, tmp_path):
    import numpy as np

    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        pl.DataFrame({f"c{i}": rng.normal(size=300) for i in range(2000)}).write_parquet(tmp_path / f"{name}.parquet")
    for delay in (0.05, 0.4, 1.5, 3.0, 6.0):
        process = start("compare", "a.parquet", "b.parquet", "--report", "r.html", code=f"{LISTENING}main()")
        time.sleep(delay)
        if delay > 1.5 and process.poll() is not None:  # a fast machine
            process.communicate()
            break
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        if delay > 1:  # before, Python itself may still be starting
            assert (process.returncode, err) == (130, "interrupted\n")
        assert process.returncode in (130, -signal.SIGINT)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_the_cost_of_a_long_run_is_said_before(twosample, files, tmp_path, monkeypatch):
    from twosample.cli import cost

    assert cost.forecast([str(files.one), "postgresql://host/db::t", "no/such/*.csv"]) is None
    for name in ("a.parquet", "b.csv"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(3_000_000_000)  # takes no space
    said = cost.forecast([str(tmp_path / "a.parquet"), str(tmp_path / "*.csv")])
    assert said == "reading 3 GB and 3 GB; this takes about 85 s"
    assert "hours" in cost.forecast([str(tmp_path)] * 100)
    monkeypatch.setattr(cost, "_LONG", 0.0)
    assert twosample("compare", files.one, files.few).err.startswith("reading ")
    assert twosample("compare", files.one, files.few, "--quiet").err == ""
