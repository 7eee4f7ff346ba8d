"""``twosample demo``: a comparison of two small tables that are made up on the spot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from . import options, terminal
from .exits import SAME
from .outputs import Output, Outputs, page

_PAGE = "twosample-demo.html"
_EXCLUDED = "  excluded  ordered_at: two months share no date (on your tables: --exclude ordered_at)"


def command(
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help=f"Where to write the page.  [default: {_PAGE}, here]"),
    ] = None,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Compare two small tables that are made up on the spot, and write a report. No network, no files needed.

    The exit code is 0 unless something fails.
    """
    del debug
    outputs = Outputs([Output("--report", report or _default_page(), page)])
    with terminal.working("comparing", quiet=quiet) as progress:
        from ..demo import tables
        from ..sources import open_table
        from ..tables import compare

        january, february = tables()
        result = compare(
            open_table(january, name="orders of January"),
            open_table(february, name="orders of February"),
            exclude=["ordered_at"],
            progress=progress,
        )
    if not quiet and not outputs.speaks:
        from .comparison import screen

        terminal.write(terminal.rendered(*screen(result), _EXCLUDED))
    outputs.write(result, quiet=quiet)
    return SAME


def _default_page() -> str:
    """In the current folder, or in a new one if that cannot be written to."""
    if os.access(Path.cwd(), os.W_OK):
        return _PAGE
    from tempfile import mkdtemp

    return str(Path(mkdtemp(prefix="twosample-")) / _PAGE)
