"""``python -m twosample`` is the command ``twosample``."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    main()
