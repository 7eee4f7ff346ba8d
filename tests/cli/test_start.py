"""Help, version, completion, and how little is loaded for them."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import typer

import twosample as ts
from twosample.cli.app import make_app
from twosample.cli.run import run

COMMANDS = [name for name in typer.main.get_command(make_app()).commands if name != "help"]


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


def test_help_as_a_command(twosample):
    assert twosample("help").out == twosample("--help").out
    for words in (["compare"], ["watch"], ["watch", "add"]):
        assert twosample("help", *words).out == twosample(*words, "--help").out
    wrong = twosample("help", "compere")
    assert (wrong.code, wrong.out) == (2, "")
    assert "compare" in wrong.err


@pytest.mark.parametrize(
    ("shell", "given"),
    [
        ("bash", {"COMP_WORDS": "twosample {}", "COMP_CWORD": "{n}"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "twosample {}"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "twosample {}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
@pytest.mark.parametrize(
    ("typed", "meant"), [("comp", "compare"), ("watch ad", "add"), ("compare a b --rep", "--report")]
)
def test_completion(capsys, monkeypatch, shell, given, typed, meant):
    monkeypatch.setenv("_TWOSAMPLE_COMPLETE", f"complete_{shell}")
    for name, value in given.items():
        monkeypatch.setenv(name, value.format(typed, n=len(typed.split())))
    assert run([]) == 0
    assert re.findall(r"[\w-]+", capsys.readouterr().out.replace("_arguments", ""))[0] == meant


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_what_is_typed(tmp_path):
    program = tmp_path / "twosample"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m twosample "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = (
        'eval "$(_TWOSAMPLE_COMPLETE=source_bash twosample)"\n'
        "complete -p twosample > /dev/null || exit 9\n"
        "COMP_WORDS=(twosample comp) COMP_CWORD=1\n_twosample_completion twosample\necho ${COMPREPLY[*]}"
    )
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=60, check=False, env=os.environ | {"PATH": path}
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "compare", "")


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
