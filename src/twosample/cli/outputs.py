"""Files that a command writes: checked before the work begins, written whole or not at all when it is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .._files import check_page, keep_inputs
from .._shown import shown
from ..errors import OptionError, OutputError
from . import terminal
from .interrupts import was_interrupted
from .terminal import ended

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Result = TypeVar("Result")
STDOUT = "-"


@dataclass(frozen=True)
class Output(Generic[Result]):
    """One option that asks for a file."""

    option: str  # as the user writes it
    target: str | None  # a path, "-" for standard output, or None for nothing
    content: Callable[[Result], str | bytes]  # what is written


class Outputs(Generic[Result]):
    """All files that a command was asked for; options without a target are left out.

    `inputs` is what the command reads, tables and a file of options, which no output may replace; None for nothing.
    """

    def __init__(self, wanted: Sequence[Output[Result]], inputs: Iterable[str | None] = ()) -> None:
        self._wanted = [output for output in wanted if output.target is not None]
        to_stdout = [output.option for output in self._wanted if output.target == STDOUT]
        if len(to_stdout) > 1:
            raise OptionError(f"{' and '.join(to_stdout)} cannot both go to standard output: give one a file.")
        self.speaks = bool(to_stdout)  # whether standard output is taken, so that nothing else may be printed there
        places: dict[str, str] = {}
        for output in self._wanted:
            if output.target != STDOUT:
                place = os.path.realpath(str(output.target))
                if place in places:
                    raise OptionError(f"{places[place]} and {output.option} name one file, {output.target}: give two.")
                places[place] = output.option
        from ..sources.folders import files_of

        read = {place for source in inputs if source is not None for place in files_of(source)}
        for output in self._wanted:
            if output.target != STDOUT:
                _check(output.option, str(output.target), read)

    def deliver(self, result: Result, screen: Callable[[Result], Iterable[object]], *, quiet: bool) -> None:
        """Show the result on a screen of rich objects, unless data go where it would be; then write all files."""
        if not quiet and not self.speaks:
            terminal.write(terminal.rendered(*screen(result)))
        self.write(result, quiet=quiet)

    def write(self, result: Result, *, quiet: bool = False) -> None:
        """Write all of them; files first, and where they are goes to standard error."""
        from .._files import whole_file

        if was_interrupted():  # an interrupt that a library swallowed counts before anything is written
            raise KeyboardInterrupt

        for output in sorted(self._wanted, key=lambda output: output.target == STDOUT):
            content = output.content(result)
            if output.target == STDOUT:
                terminal.write(content)
                continue
            with whole_file(str(output.target)) as file:
                file.write(content if isinstance(content, bytes) else ended(content).encode("utf-8", errors="replace"))
            if not quiet:
                terminal.say(f"wrote {output.target}")


def page(result: Any, **heading: Any) -> str:
    """The result as one HTML page, with what the user writes above it."""
    from ..report import html

    return html(result, **heading)


def summary(result: Any) -> str:
    """The result in Markdown."""
    from ..report import markdown

    return markdown(result)


def to_json(result: Any) -> str:
    """The result as JSON."""
    return str(result.to_json())


def picture_format(target: str | None, option: str = "--plot") -> str:
    """The format of a picture, from its file's extension; `option`: what asked for it."""
    form = "svg" if target in (None, STDOUT) else Path(str(target)).suffix.lower().lstrip(".")
    if form not in ("svg", "png", "pdf"):
        raise OptionError(f"{option} {target}: the extension must be .svg, .png or .pdf.")
    return form


def picture(draw: Callable[[Axes], object], form: str) -> bytes:
    """What is drawn on axes, in one of the formats of :func:`picture_format`; the same result gives the same bytes."""
    from io import BytesIO
    from warnings import catch_warnings, simplefilter

    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    buffer = BytesIO()
    with catch_warnings(), rc_context({"text.parse_math": False, "svg.hashsalt": "twosample"}):  # names may hold $
        simplefilter("ignore", UserWarning)  # glyphs that no font has
        draw(figure.subplots())
        figure.savefig(buffer, format=form, metadata={"Date": None} if form == "svg" else None)
    return buffer.getvalue()


def _check(option: str, target: str, read: Collection[str]) -> None:
    """Refuse before the work begins what would fail after it, or do harm."""
    path = Path(target)
    if not target:
        raise OptionError(f"{option} needs a file name.")
    if option == "--report":
        check_page(f"{option} ", target)
    keep_inputs(f"{option} ", target, read)
    if path.is_dir():
        raise OutputError(f"{option} {shown(target)} is a folder: add a file name.")
    folder = path.parent
    if not folder.is_dir():
        said = shown(target.removesuffix(path.name).rstrip("/"))  # as it came: a URL stays one, and hides its password
        raise OutputError(f"{option} {shown(target)}: there is no folder {said}. Make it first.")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise OutputError(f"{option} {shown(target)}: there is no permission to write there. Choose another place.")
