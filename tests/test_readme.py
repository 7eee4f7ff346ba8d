"""The Python examples of the README run. A block after a line `<!-- no-test -->` is left out."""

from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"


def blocks(text, opening="```python"):
    """Line numbers (of the line before the code, from 1) and text of the blocks that open so."""
    code, start, before, inside = None, 0, "", False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            if code is not None:
                yield start, "".join(code)
                code = None
            elif not inside and line == opening and "<!-- no-test -->" not in before:
                code, start = [], number
            inside = not inside
        elif code is not None:
            code.append(line + "\n")
        before = line


def test_blocks_are_found():
    text = (
        "a\n\n```python\nx = 1\n```\n\n<!-- no-test -->\n```python\nboom\n```\n```python\ny = 2\n```\n```sh\nls\n```\n"
    )
    assert list(blocks(text)) == [(3, "x = 1\n"), (11, "y = 2\n")]


@pytest.mark.skipif(not README.exists(), reason="no README.md yet")
def test_the_readme_runs(tmp_path, monkeypatch, capsys):
    """In one namespace, from top to bottom, in an empty folder."""
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "readme"}
    for line, code in blocks(README.read_text(encoding="utf-8")):
        exec(compile("\n" * line + code, str(README), "exec"), namespace)  # noqa: S102
    printed = capsys.readouterr().out
    shown = list(blocks(README.read_text(encoding="utf-8"), opening="```"))
    assert shown
    assert all(text in printed for _, text in shown)
    assert "None" not in printed.split()  # something that is not there is no example
    import matplotlib.pyplot as plt

    plt.close("all")
