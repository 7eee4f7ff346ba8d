"""The negative result of Section 3.2 runs as it stands in the documentation."""

import re
from math import comb, factorial
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "negative-result.md"


@pytest.fixture(scope="module")
def namespace():
    """Everything that the page defines, after running it from top to bottom."""
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "negative_result"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S))
    assert len(blocks) >= 5
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)  # noqa: S102
    return names


def test_the_page_runs_and_finds_nothing(namespace):
    assert namespace["detections"] < 0.2 * namespace["repetitions"]


@pytest.mark.parametrize("m", [2, 3, 9, 30])
def test_the_probability_is_the_formula_of_the_paper(namespace, m):
    exact = comb(m**2, m) * factorial(m) / m ** (2 * m)
    assert namespace["all_distinct"](m) == pytest.approx(exact, rel=1e-12)
