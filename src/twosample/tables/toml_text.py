"""A contract as TOML: what the standard library reads but does not write. Names and values are data, and stay so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from math import isinf
from typing import Any

from .._shown import shown
from .._version import __version__

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDE = 100  # characters of a line of values
_HEAD = """\
# What a table must look like. Edit it, and check it: twosample compare REFERENCE NEW --contract THIS_FILE
#
# Each column has a table [columns.NAME] with any of these keys; delete the lines that should not count.
#   kind          numeric, integer, boolean, datetime: what every value must be; other kinds take anything
#   required      false if the column need not be there
#   missing       the largest share of rows without a value: 0.01 is 1 %
#   min, max      the range: numbers, or dates such as 2024-01-31 without quotes
#   values        the values that are allowed
#   other_values  the share of rows that may have another value all the same
#   unique        true if no value may come twice
"""


def contract_text(
    name: str, columns: Mapping[str, Mapping[str, Any]], dates: Mapping[str, tuple[object, object]]
) -> str:
    """The text of a contract; ranges of dates that were only learned are comments."""
    learned = f"# Learned from {shown(name, 200)} by twosample {__version__}.\n" if name else ""
    parts = [learned + _HEAD + "\nversion = 1\n"]
    for column, rules in columns.items():
        lines = [f"[columns.{_key(column)}]", *(f"{key} = {_value(value)}" for key, value in rules.items())]
        lines += [f"# {key} = {_value(end)}" for key, end in zip(("min", "max"), dates.get(column, ()), strict=False)]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts) if columns else parts[0] + "\n[columns]\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, tuple):
        parts = [_string(part) for part in value]
        line = ", ".join(parts)
        return f"[{line}]" if len(line) < _WIDE else "[\n" + "".join(f"  {part},\n" for part in parts) + "]"
    if isinstance(value, float):
        return ("inf" if value > 0 else "-inf") if isinf(value) else repr(value)
    return value.isoformat() if isinstance(value, date) else str(value)


def _string(text: str) -> str:
    r"""A basic string: everything that TOML forbids or that would not be seen is written by its number.

    >>> print(_string('a "b"' + chr(10)))
    "a \"b\"\u000A"
    """
    return '"' + "".join(_characters(text)) + '"'


def _characters(text: str) -> Iterator[str]:
    for character in text:
        code = ord(character)
        if character in '"\\':
            yield "\\" + character
        elif 0xD800 <= code < 0xE000:  # no file can hold it
            yield "\\uFFFD"
        elif shown(character) == character:
            yield character
        else:
            yield f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
