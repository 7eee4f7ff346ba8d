"""A watch on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.text import Text

from .screen import grid, judged, listing, more, name, pvalue

if TYPE_CHECKING:
    from ..monitor import Monitor, WatchedColumn

_MOST_COLUMNS = 15


def screen(monitor: Monitor) -> Iterator[Any]:
    """Headline, the columns by rank, notes, and what is promised."""
    from ..monitor.words import headline

    kind = "different" if monitor.alarm else "undecided" if monitor.learning else "same"
    yield judged(kind, headline(monitor))
    columns = monitor.columns
    if columns:
        yield Text()
        heads = [("  column", False), ("effect", True), ("90 % interval", False), ("adjusted p", True), ("most", False)]
        yield listing(heads, [_line(column) for column in columns[:_MOST_COLUMNS]])
        yield from more(len(columns), _MOST_COLUMNS, "column", "; --report and --json have all")
    said = [("note", note) for note in (*(monitor.looks[-1].notes if monitor.looks else ()), *monitor.notes)]
    yield Text()
    yield grid([*said, ("promise", monitor.guarantee)])


def _line(column: WatchedColumn) -> list[Text]:
    known = column.effect is not None
    return [
        name(column.name),
        Text(f"{column.effect:.3f}" if known else ""),
        Text(f"{column.effect_low:.3f} to {column.effect_high:.3f}" if known else ""),
        pvalue(column.adjusted_pvalue),
        Text(column.where[0] if column.where else "", style="dim"),
    ]
