"""docs/structured.md runs as it stands, from top to bottom."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "structured.md"


def test_the_page_runs(capsys):
    pytest.importorskip("sklearn")
    text = PAGE.read_text(encoding="utf-8")
    blocks = list(re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S))
    assert len(blocks) == 5
    names = {"__name__": "structured"}
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)  # noqa: S102
    printed = capsys.readouterr().out.splitlines()
    assert printed[1:3] == ["False", "True"]  # as the comments on bags say
    assert float(printed[3]) > 0.9  # and on classification
    assert printed[5] == "True"  # walks and noise differ
