"""The page on independence runs as it stands."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "independence.md"


def test_the_page_runs(capsys):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    text = PAGE.read_text(encoding="utf-8")
    names = {}
    for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], str(PAGE), "exec"), names)  # noqa: S102
    pyplot.close("all")
    assert "the variables are dependent" in capsys.readouterr().out
    assert [(pair.x, pair.y) for pair in names["m"].dependent] == [("x", "y")]
    above, below = names["w"]([0.0, 0.0], [0.0, 6.0])
    assert above > 0 > below
