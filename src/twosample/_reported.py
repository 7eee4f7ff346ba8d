"""What every result can do once it has a summary and plain values: print, JSON, a page, a small table in a notebook.

Those tables have no style sheet, and text in the colour of what is around it, so that light and dark do.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from os import PathLike
from typing import Any

from ._shown import shown
from .errors import whole_number

_CELL = 160  # characters of a value in a notebook
_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.4;color:inherit"
_TABLE = "border-collapse:collapse;margin:0;font-size:inherit;background:none;color:inherit"
_CELL_STYLE = (
    "padding:.3em .7em;text-align:left;vertical-align:middle;border:0;"
    "border-top:1px solid rgba(128,128,128,.3);background:none;color:inherit"
)
_TONES = {"different": "#b3123f", "same": "#1b7a49", "open": "#5c6168"}


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
        if type(self).__str__ is not object.__str__:
            return _headed(str(self))
        known: Any = self
        rows = [(one.name, _cell(getattr(self, one.name))) for one in fields(known) if one.repr]
        return box(f"<b>{escape(type(self).__name__)}</b>", table(rows))


def _headed(text: str) -> str:
    """Text for a notebook: its first line as a heading."""
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


def plain(record: Any, *names: str) -> dict[str, Any]:
    """Fields or properties of a record, all fields if none is named, as JSON has them: tuples as lists, records too."""
    return {name: _as_json(getattr(record, name)) for name in names or [one.name for one in fields(record)]}


def _as_json(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_as_json(part) for part in value]
    if isinstance(value, Mapping):
        return {name: _as_json(part) for name, part in value.items()}
    return plain(value) if is_dataclass(value) else value


def badge(words: str, tone: str) -> str:
    """A verdict in white on its colour: "different", "same" or "open"."""
    style = f"display:inline-block;background:{_TONES[tone]};color:#fff;border-radius:.35em;padding:.15em .6em"
    return f'<span style="{style};font-weight:600">{escape(words)}</span>'


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Cells of text; the first of each row is its name."""
    top = "".join(f'<th style="{_CELL_STYLE};border-top:0;opacity:.7">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr style='background:none'>"
        + "".join(
            f'<td style="{_CELL_STYLE}{";font-weight:600" if place == 0 else ""}">{escape(cell)}</td>'
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return f'<table style="{_TABLE}">{f"<thead><tr>{top}</tr></thead>" if top else ""}<tbody>{body}</tbody></table>'


def lines(text: str) -> str:
    """Lines of text whose columns stay below each other; long ones are broken."""
    style = "margin:0;padding:0;border:0;background:none;color:inherit;white-space:pre-wrap;font-size:13px"
    return f'<pre style="{style}">{escape(text.strip(chr(10)))}</pre>'


def box(heading: str, *parts: str) -> str:
    """Parts of HTML below a heading of HTML."""
    return f'<div style="{_BOX}"><div style="margin:.2em 0 .5em">{heading}</div>{"".join(parts)}</div>'
