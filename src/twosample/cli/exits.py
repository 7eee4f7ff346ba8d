"""What the exit codes mean."""

from __future__ import annotations

SAME = 0
DIFFERENT = 1
ERROR = 2
UNDECIDED = 3
INTERRUPTED = 130

VERDICTS = {"same": SAME, "different": DIFFERENT, "undecided": UNDECIDED}  # of `outliers` and `watch`


def compared(verdict: str, strict: bool) -> int:
    """The exit code of `compare`: 1 for different; with `strict`, 3 for all that is not shown to be the same.

    >>> compared("different", False), compared("no difference found", False), compared("no difference found", True)
    (1, 0, 3)
    """
    if verdict == "different":
        return DIFFERENT
    return UNDECIDED if strict and verdict != "same" else SAME
