"""Threads do not survive a fork: in the child polars would wait for its own for ever. This module knows beforehand.

Loaded with the package, so that it sees forks that happen before anything else of the package is used; it imports
nothing that Python has not loaded by then.
"""

from __future__ import annotations

import os
import sys

_THREADS = ("polars-", "tokio-rt", "async-executor")
_IDLE = "polars-ooc"  # starts with the import, and is not waited for
_THREADS_OF_PROCESS = "/proc/self/task"
_state = {"running": False, "lost": False}


def check_threads() -> None:
    """Refuse to go on in a process that was forked from one in which polars had worked already."""
    from .errors import SourceError

    if _state["lost"]:
        raise SourceError(
            "This process was forked after polars had started its threads, which a fork does not copy: it cannot read "
            "tables. Start processes by multiprocessing.get_context('spawn') or 'forkserver', or fork before the first "
            "table is read."
        )


def _polars_works() -> bool:
    """Whether polars has threads in this process; where threads have no names, whether it is loaded."""
    if "polars" not in sys.modules:
        return False
    if not os.path.isdir(_THREADS_OF_PROCESS):  # noqa: PTH112 - see above
        return True
    names = map(_name, os.listdir(_THREADS_OF_PROCESS))  # noqa: PTH208
    return any(name.startswith(_THREADS) and not name.startswith(_IDLE) for name in names)


def _name(thread: str) -> str:
    """The name of a thread; nothing if it has ended meanwhile."""
    try:
        with open(f"{_THREADS_OF_PROCESS}/{thread}/comm", encoding="utf-8") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""


def _before() -> None:
    _state["running"] = _polars_works()


def _in_child() -> None:
    _state["lost"] = _state["lost"] or _state["running"]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_in_child)
