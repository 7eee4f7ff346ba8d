"""What the exit codes mean."""

from __future__ import annotations

SAME = 0
DIFFERENT = 1
ERROR = 2
UNDECIDED = 3
INTERRUPTED = 130

VERDICTS = {"same": SAME, "different": DIFFERENT, "undecided": UNDECIDED}
