"""Check the types as a user sees them: the Python of the README as one script, under ``mypy --strict``, from outside.

The script lies in a folder of its own, none of our settings are read, and `twosample` is found as an installed package
(`py.typed`). Prints what mypy says; the exit code is its own.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.docs.pages import README, blocks  # noqa: E402

CACHE = ROOT / ".mypy_cache" / "outside"


def check(script: str) -> int:
    """The exit code of mypy on a script."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.py").write_text(script, encoding="utf-8")
        command = [sys.executable, "-m", "mypy", "--config-file=", "--strict", f"--cache-dir={CACHE}", "script.py"]
        return subprocess.run(command, cwd=folder, check=False).returncode


if __name__ == "__main__":
    sys.exit(check("\n".join(code for _, code in blocks(README.read_text(encoding="utf-8")))))
