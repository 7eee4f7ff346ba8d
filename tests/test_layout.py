"""The folders of tests mirror the source, and no test passes without having looked at anything."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE, TESTS = ROOT / "src" / "twosample", ROOT / "tests"
ELSEWHERE = ("docs", "experiments", "level", "fuzz")
"""Folders of tests that mirror no room."""


@pytest.mark.parametrize(
    "folder", sorted({file.parent for file in TESTS.rglob("test_*.py")}), ids=lambda place: place.name
)
def test_a_folder_of_tests_mirrors_a_room(folder):
    """`tests/core/test_pvalue.py` tests `core/pvalue.py`."""
    place = folder.relative_to(TESTS)
    assert place.parts[:1] in {(name,) for name in ELSEWHERE} or any((SOURCE / place).glob("*.py")), f"no room {place}"


@pytest.mark.parametrize("file", sorted(TESTS.rglob("test_*.py")), ids=lambda file: str(file.relative_to(TESTS)))
def test_no_test_passes_by_leaving(file):
    """A return before anything was checked counts as a pass: skip with a reason, or choose other parameters."""
    for test in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            inner = [part for part in ast.walk(test) if isinstance(part, ast.FunctionDef) and part is not test]
            theirs = {id(part) for function in inner for part in ast.walk(function)}
            for branch in (part for part in ast.walk(test) if isinstance(part, ast.If) and id(part) not in theirs):
                for block in (branch.body, branch.orelse):
                    leaves = bool(block) and isinstance(block[-1], ast.Return) and block[-1].value is None
                    looked = any(isinstance(part, ast.Assert | ast.With) for part in block)
                    assert looked or not leaves, f"{test.name} returns in line {block[-1].lineno}"


def test_no_page_or_docstring_names_a_file_that_is_not_there():
    """Markdown files are named as they are; those that a user writes are in examples."""
    known = {place.name for place in ROOT.rglob("*.md") if ".venv" not in place.parts}
    for folder in (TESTS, SOURCE, ROOT / "docs", ROOT / "benchmarks", ROOT / "experiments", ROOT / "tools"):
        for place in folder.rglob("*"):
            if place.suffix in (".py", ".md"):
                named = set(re.findall(r"\b[A-Z]{3,}\.md\b", place.read_text(encoding="utf-8")))
                assert named <= known, f"{place.relative_to(ROOT)} names {named - known}"
