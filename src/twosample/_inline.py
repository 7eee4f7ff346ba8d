"""Small tables for notebooks: no style sheet, text in the colour of what is around it, so that light and dark do."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_BOX = "font-family:system-ui,sans-serif;font-size:14px;line-height:1.4;color:inherit"
_TABLE = "border-collapse:collapse;margin:0;font-size:inherit;background:none;color:inherit"
_CELL = (
    "padding:.3em .7em;text-align:left;vertical-align:middle;border:0;"
    "border-top:1px solid rgba(128,128,128,.3);background:none;color:inherit"
)
_TONES = {"different": "#b3123f", "same": "#1b7a49", "open": "#5c6168"}


def badge(words: str, tone: str) -> str:
    """A verdict in white on its colour: "different", "same" or "open"."""
    style = f"display:inline-block;background:{_TONES[tone]};color:#fff;border-radius:.35em;padding:.15em .6em"
    return f'<span style="{style};font-weight:600">{escape(words)}</span>'


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """Cells of text; the first of each row is its name."""
    top = "".join(f'<th style="{_CELL};border-top:0;opacity:.7">{escape(cell)}</th>' for cell in head)
    body = "".join(
        "<tr style='background:none'>"
        + "".join(
            f'<td style="{_CELL}{";font-weight:600" if place == 0 else ""}">{escape(cell)}</td>'
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
