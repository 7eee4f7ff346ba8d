"""Standard output and standard error: what may be written there, and how.

Data go to standard output, everything else to standard error. Text of other people (column names, cells, file names)
passes `shown` before it is printed, and rich gets it as `Text` or with markup off, so that it can neither command the
terminal nor speak rich's markup. Colours only where a terminal reads, and never with NO_COLOR.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from .._files import explained
from .._shown import shown
from ..errors import OutputError
from .interrupts import was_interrupted

if TYPE_CHECKING:
    from rich.console import Console

Progress = Callable[[int, int, str], None]  # called with steps done, steps in all, and what is next

WIDTH = 120  # where no terminal says how wide it is
_LOGIN = re.compile(r"(?<=://)\S*@")
_PASSWORD = re.compile(r"(?i)([?&;\s][^=\s&;]*pass[^=\s&;]*=)[^&\s;]+")


def prepare_streams() -> None:
    """Characters that the locale cannot write become escapes instead of errors; closed streams lead nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def discreet(text: str) -> str:
    """The text without the credentials of URLs.

    >>> discreet("no 'postgresql://ada:s3cret@host/db?password=x1&a=b' here")
    "no 'postgresql://***@host/db?password=***&a=b' here"
    """
    return _PASSWORD.sub(r"\1***", _LOGIN.sub("***@", text))


def complain(message: str, *, lines: bool = False) -> None:
    """One line on standard error, or several if `lines`; clean and without credentials.

    If it cannot be written, the exit code is left to say what happened.
    """
    parts = discreet(message).splitlines()
    text = "\n".join(map(shown, parts)) if lines else shown(" ".join(part.strip() for part in parts))
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)  # noqa: T201


def say(message: str) -> None:
    """A message for people, on standard error."""
    complain(message)


def announce(message: str | None, *, quiet: bool) -> None:
    """A message if there is one, and somebody who waits for it."""
    if message is not None and not quiet:
        say(message)


def ended(text: str) -> str:
    """The text with a newline at its end."""
    return text if text.endswith("\n") else text + "\n"


def write(content: str | bytes) -> None:
    """Data for standard output. If nobody reads them any more (``| head``), that is no error."""
    if was_interrupted():  # an interrupt that a library swallowed
        raise KeyboardInterrupt
    with _to_standard_output():
        if isinstance(content, bytes):
            sys.stdout.buffer.write(content)
        else:
            sys.stdout.write(ended(content))
    flush()


def flush() -> None:
    """What is left in the buffers; a full disk is noticed here at the latest."""
    with _to_standard_output():
        sys.stdout.flush()


@contextmanager
def _to_standard_output() -> Iterator[None]:
    """What to do when standard output takes no more: nothing if nobody reads it."""
    try:
        yield
    except OSError as error:
        _stop_writing()
        if not isinstance(error, BrokenPipeError):
            raise OutputError(f"Cannot write to standard output: {explained(error)}") from error


def _stop_writing() -> None:
    """Standard output leads nowhere from now on, so that Python does not complain when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file: a test
        return


def console(stream: TextIO | None = None) -> Console:
    """A rich console that takes no markup, guesses no highlights, and knows its width."""
    from rich.console import Console

    stream = stream or sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDTH
    return Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=False, width=width)


def rendered(*parts: object) -> str:
    """Rich objects as text for standard output: with colours if a terminal reads it."""
    draft = _Draft()
    screen = console(draft)
    for part in parts:
        screen.print(part)
    return "\n".join(line.rstrip() for line in draft.getvalue().splitlines()) + "\n"


class _Draft(StringIO):
    """A text in memory that is written as standard output would be, without touching it."""

    encoding = property(lambda self: sys.stdout.encoding)

    def isatty(self) -> bool:
        """Whether a terminal reads standard output."""
        return sys.stdout.isatty()


@contextmanager
def working(message: str, *, quiet: bool = False) -> Iterator[Progress | None]:
    """A progress bar on standard error while a block runs, if a terminal reads it; gives what moves it, or None."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (SpinnerColumn(), BarColumn(20), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=console(sys.stderr), transient=True) as bar:
        task = bar.add_task(message, total=None)

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=shown(discreet(what), 60))

        yield step
