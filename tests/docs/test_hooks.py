"""What users call from pre-commit and from a workflow: the files parse, and the command lines that they hold run."""

import json
import shlex
import string

import pytest

from tests.docs.pages import ROOT, blocks, write_samples
from twosample.cli.run import run as run_command

yaml = pytest.importorskip("yaml")
HOOKS, ACTION = ROOT / ".pre-commit-hooks.yaml", ROOT / "action.yml"
RECIPES = ROOT / "docs" / "recipes"


def read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def page(name):
    ((_, text),) = blocks((RECIPES / f"{name}.md").read_text(encoding="utf-8"), "yaml")
    return yaml.safe_load(text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(words):
    assert words[0] == "twosample"
    return run_command(words[1:])


def test_the_hook_of_the_page_runs(folder):
    (hook,) = read(HOOKS)
    assert hook["language"] == "python"
    assert hook["pass_filenames"] is False  # pre-commit would add the names of changed files
    (repo,) = page("pre-commit")["repos"]
    (used,) = repo["hooks"]
    assert used["id"] == hook["id"]
    assert compare([*shlex.split(hook["entry"]), *used["args"]]) == 0
    assert compare([*shlex.split(hook["entry"]), *used["args"], "--no-such-option"]) == 2


@pytest.mark.parametrize(("shift", "code"), [(0, 0), (30, 1)])
def test_the_action_of_the_page_runs(folder, shift, code):
    import polars as pl

    action = read(ACTION)
    used = page("github-action")["jobs"]["drift"]["steps"][-1]
    assert set(used["with"]) <= set(action["inputs"])
    required = {name for name, one in action["inputs"].items() if one.get("required")}
    assert required <= set(used["with"])
    given = {name: one.get("default") for name, one in action["inputs"].items()} | used["with"]
    pl.read_parquet(given["table"]).with_columns(pl.col("age") + shift).write_parquet(given["table"])
    step = action["runs"]["steps"][-1]
    assert "${{" not in step["run"]  # inputs go through the environment, never into the command
    values = {name: value.replace("${{ inputs.", "").replace(" }}", "") for name, value in step["env"].items()}
    values = {name: given[key] for name, key in values.items()} | {"GITHUB_STEP_SUMMARY": "summary.md"}
    words = [string.Template(word).substitute(values) for word in shlex.split(step["run"])]
    assert compare(words) == code
    assert (folder / "summary.md").stat().st_size
    assert (folder / "twosample.xml").stat().st_size


def test_every_step_of_the_action_can_run():
    action = read(ACTION)
    assert action["runs"]["using"] == "composite"
    for step in action["runs"]["steps"]:
        assert "uses" in step or step["shell"] == "bash", json.dumps(step)
