"""What the README shows works without any extra: libraries that a plain install does not bring cannot be imported here.

A library counts as brought if it is a dependency of pyproject.toml, or of one of those, without extras.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires

import pytest

from tests.docs.pages import README, ROOT, blocks, commands, write_samples
from twosample._public import __all__ as public

requirements = pytest.importorskip("packaging.requirements")
EXTRAS = ["sklearn", "sqlglot", "ibis", "duckdb", "pyarrow", "pandas", "fastexcel", "ot", "rustworkx", "networkx",
          "finufft"]  # fmt: skip
BLOCK = """
import json, sys
from importlib.machinery import PathFinder
blocked = set(json.loads(sys.argv.pop(1)))
class Plain(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in blocked else super().find_spec(name, path, target)
sys.meta_path = [Plain if finder is PathFinder else finder for finder in sys.meta_path]
"""


def brought():
    """The names of the distributions that `pip install .` brings."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found, waiting = set(), list(project["dependencies"])
    while waiting:
        one = requirements.Requirement(waiting.pop())
        name = plain(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        try:
            waiting += requires(one.name) or []
        except PackageNotFoundError:
            continue
    return found


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_an_index_would_have_something_to_show():
    """`make package` asks twine, which complains about less than this."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (ROOT / project["readme"]).samefile(README)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert all(url in citation for url in project["urls"].values())  # no address that nobody has stated
    assert project["classifiers"] == sorted(set(project["classifiers"]))


@pytest.fixture(scope="module")
def blocked():
    here = brought() | {"twosample"}
    return sorted(module for module, owners in packages_distributions().items() if not here & set(map(plain, owners)))


@pytest.fixture
def alone(blocked, tmp_path):
    """Runs code in a new Python that has what a plain install has, in an empty folder."""

    def run(code, *arguments, **more):
        command = [sys.executable, "-c", BLOCK + code, json.dumps(blocked), *map(str, arguments)]
        environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT / "src")}
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path, env=environment, **more
        )

    return run


def test_extras_are_out_of_reach(alone, blocked):
    code = "from importlib.util import find_spec\nsys.exit(' '.join(n for n in sys.argv[1:] if find_spec(n)))"
    done = alone(code, *EXTRAS)
    assert done.stderr.strip() == ""
    assert not {"numpy", "scipy", "polars", "matplotlib", "jinja2", "rich", "typer"} & set(blocked)


def test_the_readme_runs(alone):
    """Every block of Python, in one namespace, as tests/docs does it; what it shows is printed."""
    code = """
names = {"__name__": "readme"}
for line, text in json.load(sys.stdin):
    exec(compile(chr(10) * line + text, "README.md", "exec"), names)
"""
    done = alone(code, input=json.dumps(list(blocks(README.read_text(encoding="utf-8")))))
    assert done.returncode == 0, done.stderr
    assert "None" not in done.stdout.split()


def test_the_commands_of_the_readme_run(alone, tmp_path):
    write_samples(tmp_path)
    lines = [
        words for words in commands(README.read_text(encoding="utf-8")) if not words[1:] or "postgresql" not in words[1]
    ]
    assert [words[0] for words in lines] == [
        "compare", "summarize", "compare", "match", "independence", "outliers", "relative", "demo",
    ]  # fmt: skip
    code = """
from twosample.cli.run import run
for line in sys.argv[1:]:
    print(run(json.loads(line)), flush=True)
"""
    done = alone(code, *(json.dumps([*words, "--quiet"]) for words in lines))
    assert done.stderr == ""
    codes = [int(code) for code in done.stdout.split()]
    assert len(codes) == len(lines)
    assert set(codes) <= {0, 1, 3}
    assert {"drift.html", "match.html"} <= {place.name for place in tmp_path.iterdir()}


def test_every_public_name_but_one_is_there(alone):
    code = """
import twosample as ts
missing = []
for name in sys.argv[1:]:
    try:
        getattr(ts, name)
    except ts.MissingExtraError as error:
        missing.append(f"{name}: {error}")
print("|".join(missing), end="")
"""
    done = alone(code, *public)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r'MeanEmbeddingOutlierDetector: .*: pip install "twosample\[learn\]".*', done.stdout)


def test_what_needs_an_extra_names_both_lines_that_install_it(alone, tmp_path):
    (tmp_path / "book.xlsx").write_bytes(b"PK")
    code = """
import numpy as np, twosample as ts
x, y = np.random.default_rng(0).normal(size=(2, 200, 2))
for call in (
    lambda: ts.compare("book.xlsx", x),
    lambda: ts.compare("duckdb:///a.db::t", x),
    lambda: ts.compare("postgresql://localhost/db::t", x),
    lambda: ts.metrics.wasserstein(x, y),
    lambda: ts.rivals.cross_match_test(x, y),
    lambda: ts.rivals.classifier_test(x, y, classifier="any"),
    lambda: ts.MeanEmbeddingOutlierDetector,
):
    try:
        call()
    except ts.MissingExtraError as error:
        print(error)
"""
    done = alone(code)
    assert (done.returncode, done.stderr) == (0, "")
    extras = re.findall(r'pip install "twosample\[(\w+)\]", or in a clone pip install "\.\[(\w+)\]"\.\n', done.stdout)
    assert [one for one, _ in extras] == ["excel", "db", "db", "transport", "matching", "learn", "learn"]
    assert all(one == two for one, two in extras)
