"""Conditions of users, ``where="price > 10 OR city = 'Rome'"``: what they may hold, and long ones cut into pieces.

Parsers and engines climb a chain of ORs as a ladder, one step for each: polars needs minutes for 2,000, SQLite refuses
1,000, and some fifty parentheses within each other end the stack of most parsers. So a large condition is cut here at
AND, OR and NOT, each piece is read by the parser of its engine, and the results are put together as a tree of small
depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .._shown import shown
from ..errors import SourceError

if TYPE_CHECKING:
    import polars as pl

Value = TypeVar("Value")
_TOKENS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\w+|\s+|.", re.DOTALL)
_UNUSUAL = re.compile(r"\\|\$|--|/\*")
"""Escapes, dollar quotes and comments: where these are, tokens may not be what they seem."""
_READERS = re.compile(r"\bselect\b|\b(?:read|scan)_\w+[\"`]?\s*\(", re.IGNORECASE)
_MAYBE_READERS = re.compile(r"\bselect\b|\b(?:read|scan)_\w+", re.IGNORECASE)
_COMPARISON = re.compile(r"""(?:\w+|"(?:[^"]|"")+")\s*(?:[<>]=?|=)\s*[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?""", re.DOTALL)
"""A column against a number, such as ``price > 9.5``."""
_MANY = 100  # ANDs and ORs up to which a condition is left as it is
_DEEP = 20  # parentheses within each other that every parser takes


@dataclass(frozen=True)
class Junction:
    """Pieces of a condition and how they hang together."""

    word: str  # "and", "or", or "not" with a single part
    parts: tuple[Junction | str, ...]  # junctions, or texts to be read by the parser of an engine


def called(where: str) -> str:
    """A condition as errors show it."""
    return f"where={shown(where, 200)!r}"


def assembled(where: str, read: Callable[[str], Value], join: Callable[[str, Sequence[Value]], Value]) -> Value:
    """A condition as an engine takes it: pieces without long chains are read, then joined by "and", "or" and "not"."""

    def value(part: Junction | str) -> Value:
        return read(part) if isinstance(part, str) else join(part.word, [value(inner) for inner in part.parts])

    return value(_cut(where))


def sql_condition(where: str, read: Callable[[str], str]) -> str:
    """A condition as SQL; `read` checks a piece, and writes it as the engine wants it."""
    return assembled(where, read, _joined)


def _joined(word: str, parts: Sequence[str]) -> str:
    """Conditions put together in pairs, pairs of pairs, ..., so that engines find no long chain."""
    if word == "not":
        return f"NOT ({parts[0]})"
    level = list(parts)
    while len(level) > 1:
        level = [f" {word.upper()} ".join(f"({part})" for part in level[at : at + 2]) for at in range(0, len(level), 2)]
    return level[0]


def polars_condition(where: str) -> pl.Expr:
    """A condition on a polars frame. It cannot look at anything but the row: polars would open files for it."""
    import polars as pl

    unusual = _UNUSUAL.search(where) is not None
    bare = where if unusual else "".join(token if token[:1] != "'" else "''" for token in _TOKENS.findall(where))
    found = (_MAYBE_READERS if unusual else _READERS).search(re.sub(r'"select"', "", bare, flags=re.IGNORECASE))
    if found:
        raise SourceError(
            f"{called(where)}: {found[0].strip(' (')} is not for conditions, which see one row of one table. "
            "Filter the frame before, or give a database and a query."
        )

    def join(word: str, parts: Sequence[pl.Expr]) -> pl.Expr:
        return ~parts[0] if word == "not" else (pl.any_horizontal if word == "or" else pl.all_horizontal)(parts)

    return assembled(where, pl.sql_expr, join)


def comparisons(where: str) -> list[str]:
    """The parts ``column > number`` of a condition which every row must meet that meets the condition.

    >>> comparisons("x > 2 AND (y < 1 OR z = 3) AND z <= -1e5"), comparisons("x > 2 OR y < 1"), comparisons("NOT x > 2")
    (['x > 2', 'z <= -1e5'], [], [])
    """
    tokens = _TOKENS.findall(where)
    partners = _partners(tokens)
    if partners is None or _UNUSUAL.search(where):
        return []
    cutter = _Cutter(where, tokens, partners)
    start, stop = cutter._inside(0, len(tokens))
    if any(True for _ in cutter._marks(start, stop, "or")):
        return []
    marks = list(cutter._marks(start, stop, "and"))
    edges = zip([start, *(mark + 1 for mark in marks)], [*marks, stop], strict=True)
    parts = ("".join(tokens[slice(*cutter._inside(*edge))]) for edge in edges)
    return [part for part in parts if _COMPARISON.fullmatch(part)]


def _cut(where: str) -> Junction | str:
    """A large condition as a tree of pieces; any other as it is."""
    tokens = _TOKENS.findall(where)
    chained = sum(token.lower() in ("and", "or") for token in tokens)
    partners = _partners(tokens)
    if partners is None or _UNUSUAL.search(where) or (chained <= _MANY and _depth(tokens) <= _DEEP):
        return where
    return _Cutter(where, tokens, partners).junction(0, len(tokens))


def _depth(tokens: Sequence[str]) -> int:
    """The most parentheses that are open at once."""
    most = now = 0
    for token in tokens:
        now += (token == "(") - (token == ")")
        most = max(most, now)
    return most


def _partners(tokens: Sequence[str]) -> dict[int, int] | None:
    """Where each parenthesis is closed; None if that does not come out even."""
    opened: list[int] = []
    partners = {}
    for place, token in enumerate(tokens):
        if token == "(":
            opened.append(place)
        elif token == ")":
            if not opened:
                return None
            partners[opened.pop()] = place
    return None if opened else partners


@dataclass(frozen=True)
class _Cutter:
    """Cuts a range of tokens, ``start`` to before ``stop``."""

    where: str
    tokens: Sequence[str]
    partners: dict[int, int]

    def junction(self, start: int, stop: int, depth: int = 0) -> Junction | str:
        """The pieces of a range; OR binds less than AND, and AND less than NOT."""
        if depth > _DEEP:
            raise self._too_deep()
        start, stop = self._inside(start, stop)
        for word in ("or", "and"):
            marks = list(self._marks(start, stop, word))
            if marks:
                edges = zip([start, *(mark + 1 for mark in marks)], [*marks, stop], strict=True)
                return Junction(word, tuple(self.junction(*edge, depth + 1) for edge in edges))
        after, end = self._trimmed(start + 1, stop)
        if start < stop and self.tokens[start].lower() == "not" and self.partners.get(after) == end - 1:
            return Junction("not", (self.junction(after, end, depth + 1),))
        if _depth(self.tokens[start:stop]) > _DEEP:
            raise self._too_deep()
        return "".join(self.tokens[start:stop])

    def _too_deep(self) -> SourceError:
        return SourceError(f"{called(self.where)} is nested too deeply: use at most {_DEEP} parentheses in each other.")

    def _trimmed(self, start: int, stop: int) -> tuple[int, int]:
        """The range without white space at its ends."""
        while start < stop and self.tokens[start].isspace():
            start += 1
        while start < stop and self.tokens[stop - 1].isspace():
            stop -= 1
        return start, stop

    def _inside(self, start: int, stop: int) -> tuple[int, int]:
        """The range without parentheses around all of it."""
        start, stop = self._trimmed(start, stop)
        while start < stop and self.partners.get(start) == stop - 1:
            start, stop = self._trimmed(start + 1, stop - 1)
        return start, stop

    def _marks(self, start: int, stop: int, word: str) -> Iterator[int]:
        """Where a word joins conditions of this range; not the AND of BETWEEN, and nothing inside CASE ... END."""
        place, cases, between = start, 0, 0
        while place < stop:
            token = self.tokens[place].lower()
            cases += (token == "case") - (token == "end")
            between += token == "between"
            if token == "and" and between:
                between -= 1
            elif token == word and not cases:
                yield place
            place = self.partners.get(place, place) + 1
