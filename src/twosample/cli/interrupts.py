"""Ctrl-C at a time when it does no harm.

In the middle of an import an exception leaves half of a module behind, or is swallowed and printed by whoever was
called last. So an interrupt that comes then waits until the import is over, which is soon.
"""

from __future__ import annotations

import atexit
import signal
import time
from _thread import get_ident, start_new_thread  # an interrupt could come into the import of threading
from types import FrameType

_AGAIN = 0.03  # seconds
_state = {"seen": False, "waiting": False, "raised": -1.0}


def wait_for_imports() -> None:
    """Let interrupts wait for imports from now on, if this process listens to them in Python's usual way."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    try:
        signal.signal(signal.SIGINT, _interrupted)
    except ValueError:  # not the main thread, which alone is interrupted
        return
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # Python is leaving anyway


def was_interrupted() -> bool:
    """Whether there was an interrupt: what fails after it fails because of it."""
    return bool(_state["seen"])


def _interrupted(number: int, frame: FrameType | None) -> None:
    _state["seen"] = True
    if time.monotonic() - _state["raised"] < 2 * _AGAIN:  # the repetition of one that has been raised
        return
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            if not _state["waiting"]:
                _state["waiting"] = True
                start_new_thread(_repeat, (number, get_ident()))
            return
        frame = frame.f_back
    _state["waiting"] = False
    _state["raised"] = time.monotonic()
    raise KeyboardInterrupt


def _repeat(number: int, main: int) -> None:
    """Send the interrupt again until it has been raised: polars, while it works, may take one and say nothing."""
    while _state["waiting"]:
        time.sleep(_AGAIN)
        if not _state["waiting"]:
            return
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(main, number)
        else:
            signal.raise_signal(number)
