"""Python processes that know this twosample and nothing else of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import twosample

SOURCE = str(Path(twosample.__file__).parents[1])


def python(*arguments: str) -> str:
    """What a fresh interpreter prints. It keeps compiled modules, as those of installed packages are."""
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run([sys.executable, *arguments], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout
