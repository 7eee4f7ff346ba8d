"""The three verdicts: a word, a symbol and a colour for each, so that none of them has to do it alone."""

from __future__ import annotations

from dataclasses import dataclass

from ..tables.parts import Verdict


@dataclass(frozen=True)
class Sign:
    """How a verdict looks.

    Parameters
    ----------
    verdict
        The verdict, which is the name of its colour in the style sheet too.
    word
        In a word or a few.
    short
        The same where there is little room.
    symbol
        In one character.
    """

    verdict: Verdict
    word: str
    short: str
    symbol: str


SIGNS: dict[Verdict, Sign] = {
    "same": Sign("same", "Same", "Same", "="),
    "different": Sign("different", "Different", "Different", "≠"),
    "undecided": Sign("undecided", "Too few rows to tell", "Too few rows", "?"),
}
ORDER: tuple[Verdict, ...] = ("different", "undecided", "same")
