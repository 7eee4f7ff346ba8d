"""Names and values of other people, made fit to be shown: nothing hidden, nothing that commands a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from unicodedata import category

_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_JOINERS = "\u200c\u200d"  # scripts and emoji need them, and they do no harm


def shown(text: str, limit: int | None = None) -> str:
    r"""The text with every control character as a symbol, and beyond `limit` characters without its middle.

    Control characters become their pictures (``\x1b`` is shown as ␛, a newline as ␊); characters that are invisible,
    that turn the direction of writing, or that no file can hold become their code, as in ⟨U+202E⟩. The result is
    one line that UTF-8 and XML can hold, and says how much was left out. It still has to be escaped for HTML, XML or
    Markdown. Showing twice changes nothing.

    Examples
    --------
    >>> shown("price\t\x1b[31m")
    'price␉␛[31m'
    >>> shown("a" * 10_000, limit=20)
    'aaaaaaaaaaaaaaaa…aaaa (10,000 characters)'
    """
    if limit is not None and len(text) > limit:
        tail = limit // 5
        return f"{shown(text[: limit - tail])}…{shown(text[-tail:] if tail else '')} ({len(text):,} characters)"
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_symbol, text))


def quoted(text: str, limit: int = 60) -> str:
    """A name in quotes, which show a blank in front."""
    return f"'{shown(text, limit)}'"


def few(items: Sequence[Any], most: int = 3, write: Callable[[Any], str] = str) -> str:
    """The first of some items as text, and how many more there are.

    >>> few(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return ", ".join(map(write, items[:most])) + more


def _symbol(character: str) -> str:
    code = ord(character)
    if code < 32:
        return chr(0x2400 + code)
    if code == 127:
        return "␡"
    if (category(character) in _HIDDEN and character not in _JOINERS) or code & 0xFFFE == 0xFFFE:
        return f"⟨U+{code:04X}⟩"
    return character
