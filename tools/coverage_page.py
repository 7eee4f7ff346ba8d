"""Write docs/coverage.md from what `coverage` has measured: ``make coverage`` runs the tests and then this."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """# Coverage

For contributors: which share of the lines of each room the tests run. `make coverage` runs the quick tests and
doctests and writes this page. Not in it: the statistical suites, Spark, and tests that need a browser or a library that
is not installed.

**{total:.1f} %** of {lines:,} lines, with Python {python}. A line that was run is not a line that was checked: what
counts in a change is that every fast path is compared with a slow one from the definition.

| room | lines | run |
|---|---|---|
"""
FOOT = """
## The files with the most lines left out

| file | lines left out |
|---|---|
"""
NEXT = "\nWhere next: [contributing](contributing.md), [how the house is built](design.md).\n"


def room(path: str) -> str:
    """The first folder below the package, or the package itself."""
    inside = path.replace("\\", "/").partition("twosample/")[2].split("/")
    return inside[0] if len(inside) > 1 else "(files of the package)"


def page(files: dict[str, dict[str, int]], python: str) -> str:
    """The page, from lines and lines run of each file."""
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for path, counts in files.items():
        for place, name in enumerate(("num_statements", "covered_lines")):
            rooms[room(path)][place] += counts[name]
    lines, run = (sum(counts[place] for counts in rooms.values()) for place in (0, 1))
    text = HEAD.format(total=100 * run / lines, lines=lines, python=python)
    text += "".join(
        f"| {name} | {all_:,} | {100 * some / all_:.1f} % |\n" for name, (all_, some) in sorted(rooms.items())
    )
    worst = sorted(files.items(), key=lambda item: (-item[1]["missing_lines"], item[0]))[:10]
    rows = "".join(f"| `{path.replace(chr(92), '/')}` | {counts['missing_lines']:,} |\n" for path, counts in worst)
    return text + FOOT + rows + NEXT


def main() -> int:
    """Read the data of `coverage` and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "coverage.json"
        subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(target)], cwd=ROOT, check=True)
        found = json.loads(target.read_text(encoding="utf-8"))["files"]
    files = {path: one["summary"] for path, one in found.items() if one["summary"]["num_statements"]}
    (ROOT / "docs" / "coverage.md").write_text(page(files, platform.python_version()), encoding="utf-8")
    print(f"docs/coverage.md: {len(files)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
