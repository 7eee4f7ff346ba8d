"""A comparison inside a notebook: its table in the colours of the notebook, and the whole page folded below it."""

from __future__ import annotations

from ..tables.results import Comparison
from .comparison import comparison_page
from .page import as_attribute, render

MOST_LINES = 30
MOST_BYTES = 600_000  # of the whole page; larger ones would make notebooks slow


def comparison_inline(result: Comparison) -> str:
    """The comparison as a piece of HTML that needs no style sheet and no script.

    Text has the colour of whatever is around it, so that it is read in light and in dark; the whole page is in a frame
    that may ask for nothing.
    """
    page = comparison_page(result)
    whole = render("comparison.html", page)
    lines = [line for line in page.lines if not (line.missing and line.sign.colour == "same")]
    return render(
        "inline.html",
        page,
        lines=lines[:MOST_LINES],
        left=len(lines) - len(lines[:MOST_LINES]),
        whole=as_attribute(whole) if len(whole.encode()) <= MOST_BYTES else "",
    )
