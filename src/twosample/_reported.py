"""What every result can do once it has a summary and plain values: print, JSON, a page."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import fields
from html import escape
from os import PathLike
from typing import Any

from ._shown import shown
from .errors import whole_number

_CELL = 160  # characters of a value in a notebook


class Printed(ABC):
    """A result with a summary and plain values."""

    @abstractmethod
    def summary(self) -> str:
        """The result as text for a terminal."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The result as plain values that JSON can hold."""

    def to_json(self, indent: int | None = 2) -> str:
        """The result as JSON, in characters that UTF-8 can hold.

        Parameters
        ----------
        indent
            Spaces for each level; None for one line.
        """
        values = self.to_dict()
        indent = None if indent is None else whole_number("indent", indent, 0)
        text = json.dumps(values, indent=indent, ensure_ascii=False, allow_nan=False)
        alone = any("\ud800" <= character <= "\udfff" for character in text) if not text.isascii() else False
        return json.dumps(values, indent=indent, allow_nan=False) if alone else text

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """The summary in the type and colours of the notebook: its first line as a heading."""
        return _headed(self.summary())


class Tabled:
    """A part of a result, or a small one: a dataclass that notebooks show by its text, or as a table of its fields."""

    def _repr_html_(self) -> str:
        """The text if there is one of its own, else the fields that its ``repr`` has."""
        from ._inline import box, table

        if type(self).__str__ is not object.__str__:
            return _headed(str(self))
        known: Any = self
        rows = [(one.name, _cell(getattr(self, one.name))) for one in fields(known) if one.repr]
        return box(f"<b>{escape(type(self).__name__)}</b>", table(rows))


def _headed(text: str) -> str:
    """Text for a notebook: its first line as a heading."""
    from ._inline import box, lines

    heading, _, rest = text.partition("\n")
    return box(f"<b>{escape(heading)}</b>", lines(rest) if rest else "")


def _cell(value: object) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else value if isinstance(value, str) else repr(value)
    return shown(text if isinstance(value, str) else " ".join(text.split()), _CELL)


class Reported(Printed):
    """A result that is also a page."""

    def report(
        self, path: str | PathLike[str], *, title: str = "", date: str = "", notes: str | Iterable[str] = ()
    ) -> None:
        """Write the result as one self-contained HTML page.

        Parameters
        ----------
        path
            Where to.
        title, date, notes
            What to write above it: a title, a date as it is to be shown ("today" for that of today), and one or more
            paragraphs. None of them is there unless it is given, so that the same result gives the same bytes.
        """
        from importlib import import_module

        import_module("twosample.report").write_html(self, path, title=title, date=date, notes=notes)
