"""The Python examples of docs/graphs.md run."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "graphs.md"


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    for code in blocks:
        exec(compile(code, str(PAGE), "exec"), namespace)  # noqa: S102
    assert len(blocks) == 2
    assert "0.001" in capsys.readouterr().out
