"""The Python examples of the README run. A block after a line `<!-- no-test -->` is left out."""

from pathlib import Path

import pytest

README = Path(__file__).resolve().parent.parent / "README.md"


def blocks(text):
    """Line numbers (of the line before the code, from 1) and code of the blocks that are to be run."""
    code, start, before = None, 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if code is not None and line.startswith("```"):
            yield start, "".join(code)
            code = None
        elif code is not None:
            code.append(line + "\n")
        elif line.startswith("```python") and "<!-- no-test -->" not in before:
            code, start = [], number
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
    import matplotlib.pyplot as plt

    plt.close("all")
