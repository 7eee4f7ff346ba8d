"""The pages on planning, dependent rows and outliers run as they stand."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("page", "said"),
    [("planning", "alike up to the margin"), ("dependent", "WildBootstrap(block="), ("outliers", "[-1  1  1]")],
)
def test_the_page_runs(page, said, capsys):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    names = {}
    for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], page, "exec"), names)  # noqa: S102
    assert said in capsys.readouterr().out
