"""Words, signs and numbers that all screens share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from rich.table import Table
from rich.text import Text

from .. import _numbers
from .._shown import shown
from .terminal import console

NAME = 40  # characters of a column's name that are shown

_SIGNS = {"same": "=", "small difference": "≈", "no difference found": "?", "different": "≠", "undecided": "?"}
_STYLES = {
    "same": "green",
    "small difference": "yellow",
    "no difference found": "cyan",
    "different": "bold red",
    "undecided": "yellow",
}


def sign(kind: str) -> str:
    """The sign of a verdict, in characters that the terminal can write."""
    found = _SIGNS[kind]
    return found if _writes(found) else "~" if kind == "small difference" else "!="


def _writes(text: str) -> bool:
    """Whether the terminal can."""
    try:
        text.encode(console().encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def judged(kind: str, text: str) -> Text:
    """Words in the colour of a verdict, after its sign: colour is never the only difference."""
    return Text(f"{sign(kind)} {shown(text)}", style=_STYLES[kind])


def plain(text: str) -> Text:
    """A name of other people."""
    return Text(shown(text, NAME))


def name(text: str) -> Text:
    """The same, indented."""
    return Text(f"  {shown(text, NAME)}")


def bound(value: float, floor: float = 0.0, digits: int = 3) -> str:
    """A p-value, or a bound of it, in characters that the terminal can write."""
    text = _numbers.pvalue(value, floor, digits)
    return text if _writes(text) else text.replace("≤", "<=")


def pvalue(value: float) -> Text:
    """A p-value, with as many digits as matter."""
    return Text(bound(value))


def grid(rows: Iterable[tuple[str, str]]) -> Table:
    """Labels and texts side by side; long texts are folded."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, max_width=NAME, overflow="ellipsis")
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(Text(f"  {shown(label, NAME)}"), Text(shown(text, 300)))
    return table


def more(count: int, most: int, what: str, where: str = "") -> Iterator[Text]:
    """A line about what is not shown, if there is anything, and where it can be read."""
    if count > most:
        yield Text(f"  and {_numbers.counted(count - most, f'more {what}')}{where}", style="dim")


def remarks(notes: Sequence[str]) -> Iterator[Text | Table]:
    """Notes below everything else, after an empty line; nothing if there are none."""
    if notes:
        yield Text()
        yield grid(("note", note) for note in notes)


def listing(heads: Sequence[tuple[str, bool]], rows: Sequence[Sequence[Text]], folded: bool = False) -> Table:
    """A table of names and what is said of them; where room is short, words are cut, numbers never.

    `heads` says for each column its head, and whether it holds numbers; `folded` lets the last column go on in a new
    line instead.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    widths = [max([len(head), *(row[i].cell_len for row in rows)]) for i, (head, _) in enumerate(heads)]
    words = sorted((i for i, (_, number) in enumerate(heads) if not number), key=widths.__getitem__)
    room = console().width - 2 * len(heads) - sum(widths[i] for i, (_, number) in enumerate(heads) if number)
    for place, i in enumerate(words):  # the short ones first: what they leave is for the others
        widths[i] = min(widths[i], max(room // (len(words) - place), 8))
        room -= widths[i]
    last = len(heads) - 1 if folded else -1
    for i, ((head, number), width) in enumerate(zip(heads, widths, strict=True)):
        justify: Literal["right", "left"] = "right" if number else "left"
        table.add_column(
            Text(head), no_wrap=i != last, overflow="fold" if i == last else "ellipsis", justify=justify, width=width
        )
    for row in rows:
        table.add_row(*row)
    return table
