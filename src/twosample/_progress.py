"""A progress bar for everything that takes ``progress=``."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TextIO

from ._shown import shown

_WIDTH = 30
_PAUSE = 0.1  # seconds between two drawings on a terminal


class ProgressBar:
    """A progress bar on standard error, for everything that takes ``progress=``.

    On a terminal or in a notebook one line is drawn over and over; a file or a pipe gets a line for each tenth of the
    work. It hides no cursor and starts no thread, so nothing is left behind when work is interrupted. One bar may serve
    several pieces of work, one after the other.

    Parameters
    ----------
    label
        A word before the bar.
    file
        Where to draw; None for standard error.

    Notes
    -----
    Not needed on the command line, which draws its own.

    Examples
    --------
    >>> import sys, twosample as ts
    >>> bar = ts.ProgressBar("walks", file=sys.stdout)
    >>> bar(3, 3)
    walks [##############################] 3/3, 0:00
    >>> engine, walks = ts.Tiled(progress=ts.ProgressBar()), ts.graphs.RandomWalk(progress=ts.ProgressBar())
    """

    def __init__(self, label: str = "", file: TextIO | None = None) -> None:
        self.label = shown(label, 40)
        self._file = file
        self._begun = self._drawn = monotonic()
        self._done = self._tenth = 0

    def __repr__(self) -> str:
        return f"ProgressBar({self.label!r})"

    def __call__(self, done: int, total: int, what: str = "") -> None:
        """Draw how far the work is: `done` of `total` steps, and what comes next."""
        now = monotonic()
        if done <= self._done:  # other work, or its beginning
            self._begun, self._tenth = now, 0
        self._done = done
        out = self._file or sys.stderr
        over = done >= total
        if out.isatty() or _in_notebook():
            if over or now - self._drawn >= _PAUSE:
                self._drawn = now
                out.write("\r" + self._line(done, total, what, now).ljust(79) + ("\n" if over else ""))
                out.flush()
            return
        if over or 10 * done // max(total, 1) > self._tenth:
            self._tenth = 10 * done // max(total, 1)
            out.write(self._line(done, total, what, now) + "\n")
            out.flush()

    def _line(self, done: int, total: int, what: str, now: float) -> str:
        share = min(1.0, done / total) if total > 0 else 1.0
        passed = now - self._begun
        words = [f"{done}/{total}", _clock(passed)]
        if 0 < done < total:
            words.append(f"{_clock(passed / done * (total - done))} left")
        if what:
            words.append(shown(what, 30))
        bar = "#" * int(_WIDTH * share)
        return f"{self.label} [{bar:<{_WIDTH}}] {', '.join(words)}".lstrip()


def _clock(seconds: float) -> str:
    """Minutes and seconds.

    >>> _clock(83.4)
    '1:23'
    """
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"


def _in_notebook() -> bool:
    """Whether standard error is a notebook's, where a carriage return draws over a line too."""
    return "ipykernel" in sys.modules
