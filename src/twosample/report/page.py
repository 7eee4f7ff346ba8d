"""The page: jinja2 is imported here and nowhere else. Every text is escaped, and shows its control characters."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _numbers as numbers
from .._shown import shown

if TYPE_CHECKING:
    from jinja2 import Environment


def render(template: str, page: object) -> str:
    """Fill a template with a page.

    Parameters
    ----------
    template
        Its file name.
    page
        What it reads.
    """
    return _environment().get_template(template).render(page=page)


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
        loader=FileSystemLoader(Path(__file__).parent / "templates", encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=visible,
        auto_reload=False,
    )
    environment.filters.update(
        breakable=breakable,
        count=numbers.count,
        counted=numbers.counted,
        percent=numbers.percent,
        points=numbers.points,
        shown=shown,
    )
    return environment
