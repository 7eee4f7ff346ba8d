"""The page: jinja2 is imported here and nowhere else. Every text is escaped, and shows its control characters."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _numbers as numbers
from .._shown import shown
from .._version import __version__
from .signs import Sign

if TYPE_CHECKING:
    from jinja2 import Environment


_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Heading:
    """What the user writes above a page."""

    title: str = ""  # instead of the question that the page answers
    date: str = ""  # a date, as it is to be shown
    notes: tuple[str, ...] = ()  # paragraphs below the verdict


@dataclass(frozen=True, kw_only=True)
class Page:
    """What the templates of all pages read: text and geometry, nothing left to decide. Each adds what it has beside."""

    title: str  # the outcome: in the window's title, as a sign, and in words
    sign: Sign
    lead: str
    method: tuple[tuple[str, str | tuple[str, ...]], ...]  # how it was done, label by label
    notes: tuple[str, ...]  # what the user should know
    citation: str  # what to cite, and who wrote the page
    version: str = __version__


def named(name: str, limit: int = 80) -> str:
    """A name that can be seen."""
    return shown(name, limit) if name.strip() else "(no name)"


def noted(notes: Iterable[str], most: int | None = 40) -> tuple[str, ...]:
    """The first notes, or all of them, none endless."""
    return tuple(shown(note, 600) for note in islice(notes, most))


def render(template: str, page: object, heading: Heading | None = None, **more: object) -> str:
    """A template, by its file name, filled with a page and what the user writes above it."""
    return _environment().get_template(template).render(page=page, heading=heading or Heading(), **more)


def as_attribute(page: str) -> str:
    """A whole page as the value of an attribute, in which control characters were made visible already."""
    from markupsafe import escape

    return escape(page)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup, escape

    def breakable(text: object) -> Markup:
        """A name that may go on in the next line after an underscore."""
        return Markup("_<wbr>").join(escape(part) for part in shown(str(text)).split("_"))

    def visible(value: object) -> object:
        return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=visible,
        auto_reload=False,
    )
    script = (_TEMPLATES / "index.js").read_text("utf-8")
    digest = b64encode(sha256(script.encode()).digest()).decode()  # the one script that the page may run
    environment.globals.update(script=Markup(script), script_hash=Markup(f"'sha256-{digest}'"))
    environment.filters.update(
        breakable=breakable,
        count=numbers.count,
        counted=numbers.counted,
        percent=numbers.percent,
        points=numbers.points,
        shown=shown,
    )
    return environment
