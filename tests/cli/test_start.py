"""Help, version, completion, and how little is loaded for them."""

import subprocess
import sys

import pytest

import twosample as ts
from twosample.cli.run import run

COMMANDS = ["compare", "demo", "match", "independence", "outliers", "watch"]


def test_help(twosample):
    done = twosample("--help")
    assert (done.code, done.err) == (0, "")
    for command in COMMANDS:
        assert command in done.out
    assert twosample().out == done.out
    assert twosample("-h").out == done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(twosample, command):
    done = twosample(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert "xit code" in done.out
    assert "\x1b" not in done.out


def test_version(twosample):
    assert twosample("--version").out == f"twosample {ts.__version__}\n"


def test_python_m(real):
    done = real("--version")
    assert (done.code, done.out, done.err) == (0, f"twosample {ts.__version__}\n", "")


def test_completion(capsys, monkeypatch):
    monkeypatch.setenv("_TWOSAMPLE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "twosample comp")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run([]) == 0
    assert "compare" in capsys.readouterr().out.split()
    monkeypatch.delenv("_TWOSAMPLE_COMPLETE")
    monkeypatch.setenv("SHELL", "/bin/bash")
    assert run(["--show-completion"]) in (0, 1, 2)


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['twosample', 'compare', '--help']\n"
        "from twosample.cli import main\n"
        "try:\n    main()\nexcept SystemExit as exit:\n    assert exit.code == 0\n"
        "heavy = {'numpy', 'scipy', 'polars', 'matplotlib', 'rich.markdown', 'jinja2', 'sklearn', 'narwhals'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr.strip() == ""


def test_the_entry_point():
    import tomllib
    from importlib import import_module
    from pathlib import Path

    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    module, _, name = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["scripts"]["twosample"].partition(
        ":"
    )
    assert callable(getattr(import_module(module), name))


def test_the_page_names_options_that_exist(twosample):
    import re
    from pathlib import Path

    page = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    known = twosample("--help").out + "".join(twosample(command, "--help").out for command in COMMANDS)
    known += twosample("watch", "add", "--help").out
    assert set(re.findall(r"--[a-z][a-z-]*", page)) - set(re.findall(r"--[a-z][a-z-]*", known)) == set()
    for option in set(re.findall(r"--[a-z][a-z-]*", twosample("compare", "--help").out)) - {"--help"}:
        assert option in page
