"""The four verdicts: a word, a symbol and a colour for each, so that none of them has to do it alone."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.parts import Verdict


@dataclass(frozen=True)
class Sign:
    """How a verdict looks.

    Parameters
    ----------
    colour
        The name of its colour in the style sheet.
    word
        In a word or a few.
    short
        The same where there is little room.
    symbol
        In one character.
    """

    colour: str
    word: str
    short: str
    symbol: str


SIGNS: dict[Verdict, Sign] = {
    "same": Sign("same", "Same", "Same", "="),
    "different": Sign("different", "Different", "Different", "≠"),
    "small difference": Sign("undecided", "Small difference", "Small", "≈"),
    "no difference found": Sign("open", "No difference found", "Not found", "?"),
}
ORDER: tuple[Verdict, ...] = ("different", "small difference", "no difference found", "same")
