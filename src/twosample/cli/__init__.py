"""The command line: one file per command, which parses, calls the public function, renders and gives an exit code.

Heavy libraries are imported inside the commands, so that ``twosample --help`` starts at once.
"""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """The program ``twosample``: runs the command of ``sys.argv`` and exits with its code.

    Examples
    --------
    >>> import pytest
    >>> from unittest import mock
    >>> with mock.patch("sys.argv", ["twosample", "--version"]), pytest.raises(SystemExit) as exit:
    ...     main()
    twosample ...
    >>> exit.value.code
    0
    """
    import sys

    from .interrupts import wait_for_imports

    wait_for_imports()
    try:
        from .run import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before or after the command
        sys.stderr.write("interrupted\n")
        code = 130
    sys.exit(code)
