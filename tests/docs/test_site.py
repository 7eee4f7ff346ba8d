"""The checker of the built site finds what it is there for. The site itself is built by `make docs`."""

import importlib.util
import re
import sys

import pytest

from tests.docs.pages import ROOT
from tools import levels

GOOD = '<link rel="canonical" href="https://example.org/"><h1 id="top">A</h1><a href="b.html#c">b</a><img src="p.png">'


@pytest.fixture
def check():
    spec = importlib.util.spec_from_file_location("check_site", ROOT / "tools" / "check_site.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.main


@pytest.fixture
def site(tmp_path):
    (tmp_path / "a.html").write_text(GOOD)
    (tmp_path / "b.html").write_text('<p id="c"><a href="a.html">a</a> <a href="https://example.org">out</a>')
    (tmp_path / "p.png").write_bytes(b"")
    return tmp_path


def test_a_whole_site_passes(check, site):
    assert check(site) == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ('<a href="gone.html">x</a>', "gone.html is not there"),
        ('<a href="b.html#gone">x</a>', "no such anchor"),
        ('<img src="gone.png">', "gone.png is not there"),
        ('<script src="https://cdn.example.org/x.js"></script>', "from the net"),
        ('<link rel="stylesheet" href="//fonts.example.org/x.css">', "from the net"),
    ],
)
def test_what_is_wrong_is_found(check, site, capsys, wrong, said):
    (site / "a.html").write_text(GOOD + wrong)
    assert check(site) == 1
    assert said in capsys.readouterr().out


def test_no_pages_are_no_success(check, tmp_path):
    assert check(tmp_path) == 1


@pytest.fixture(scope="module")
def reference():
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "_ext" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_reference_has_every_public_name(reference):
    import twosample as ts

    named = [name for names in reference.themes().values() for name in names]
    assert sorted(named) == sorted(ts.__all__)


def test_the_reference_has_every_command(reference):
    page = reference.commands()
    for words in ("compare", "watch add", "help"):
        assert f"\ntwosample {words}\n---" in page
    assert "--columns-may-be-lost COLUMNS" in page


def test_the_page_of_coverage_adds_up():
    spec = importlib.util.spec_from_file_location("coverage_page", ROOT / "tools" / "coverage_page.py")
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    lines = {
        "src/twosample/core/a.py": (80, 72),
        "src/twosample/core/b.py": (20, 8),
        "src/twosample/errors.py": (100, 100),
    }
    files = {
        path: {"num_statements": n, "covered_lines": run, "missing_lines": n - run} for path, (n, run) in lines.items()
    }
    page = maker.page(files, "3.11.7")
    assert "**90.0 %** of 200 lines" in page
    assert "| core | 100 | 80.0 % |" in page
    assert "| (files of the package) | 100 | 100.0 % |" in page
    assert page.index("core/b.py` | 12 |") < page.index("core/a.py` | 8 |")


def test_the_page_of_levels_is_what_its_tool_writes():
    """Words and tables agree: the page made from the rates in its own tables is the page."""
    text = (ROOT / "docs" / "levels.md").read_text("utf-8")
    rates: dict[levels.Case, list[float]] = {}
    for level in levels.LEVELS:
        table = text.split(f"## Level {level:g}\n\n")[1].split("\n\n")[0]
        for line in table.splitlines()[2:]:
            statistic, null, *cells = (cell.strip(" *") for cell in line.strip("|").split("|"))
            for problem, cell in zip(levels.PROBLEMS, cells, strict=True):
                if cell != "–":
                    rates.setdefault(levels.Case(statistic, null, problem), []).append(float(cell) / 100)
    repetitions = int(re.search(r"python tools/levels.py (\d+)", text)[1])
    assert levels.page(rates, repetitions) == text
