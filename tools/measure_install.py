"""Install the wheel in empty environments, with no extra and with all, try it there, and write docs/install.md.

usage: python tools/measure_install.py
Needs an index (pip's own settings say which). Seconds are those of this machine and its index.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "install.md"
START, END = "<!-- measured: install -->\n", "<!-- measured: install -->"


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints; its failure is ours."""
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, cwd=cwd).stdout


def size(folder: Path) -> int:
    """Bytes of the files below a folder, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def measured(wheel: Path, extra: str, folder: Path) -> str:
    """A line of the table."""
    place = folder / (extra or "plain")
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    before, start = size(place), time.perf_counter()
    wanted = f"twosample[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    run(python, "-m", "pip", "install", "-q", "--no-cache-dir", "--disable-pip-version-check", wanted, cwd=folder)
    seconds = time.perf_counter() - start
    listed = run(python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check", cwd=folder)
    run(python, "-m", "twosample", "demo", "--quiet", "--report", folder / "demo.html", cwd=folder)
    run(python, "-m", "pip", "check", "--disable-pip-version-check", cwd=folder)
    named = f'"twosample[{extra}]"' if extra else "twosample"
    packages = len(json.loads(listed)) - 2  # pip and setuptools were there
    return f"| `pip install {named}` | {packages} | {(size(place) - before) / 1e6:,.0f} MB | {seconds:.0f} s |"


def main() -> int:
    """Measure, and put the table into the page."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert "all" in extras
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
        (wheel,) = folder.glob("*.whl")
        lines = [measured(wheel, extra, folder) for extra in ("", "all")]
        said = f"Our own wheel has {wheel.stat().st_size / 1e6:.1f} MB. Python {platform.python_version()}, "
        said += f"{platform.system()}, two environments that were empty, nothing cached; the demonstration ran in both."
    table = ["| command | packages | on disk | time |", "|---|---|---|---|", *lines, "", said]
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    PAGE.write_text(before + START + "\n".join(table) + "\n" + END + rest.partition(END)[2], encoding="utf-8")
    print(*table, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
