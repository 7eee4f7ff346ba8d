"""The page on matching runs as it stands."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "matching.md"


def test_the_page_runs(capsys):
    names = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        exec(code, names)  # noqa: S102
    shown = capsys.readouterr().out
    assert "pay     salary" in shown
    assert "[('0', '1'), ('1', '0')]" in shown
