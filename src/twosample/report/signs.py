"""The four verdicts: a word, a symbol and a colour for each, so that none of them has to do it alone."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.parts import Verdict


@dataclass(frozen=True)
class Sign:
    """How a verdict looks."""

    colour: str  # the name of its colour in the style sheet
    word: str  # in a word or a few
    short: str  # the same where there is little room
    symbol: str  # in one character


SIGNS: dict[Verdict, Sign] = {
    "same": Sign("same", "Same", "Same", "="),
    "different": Sign("different", "Different", "Different", "≠"),
    "small difference": Sign("undecided", "Small difference", "Small", "≈"),
    "no difference found": Sign("open", "No difference found", "Not found", "?"),
}
ORDER: tuple[Verdict, ...] = ("different", "small difference", "no difference found", "same")
