"""Ctrl-C at a time when it does no harm.

In the middle of an import an exception leaves half of a module behind, or is swallowed and printed by whoever was
called last. So an interrupt that comes then waits until the import is over, which is soon.
"""

from __future__ import annotations

import atexit
import signal
import threading
from types import FrameType

_AGAIN = 0.03  # seconds
_state = {"seen": False}


def wait_for_imports() -> None:
    """Let interrupts wait for imports from now on, if this process listens to them in Python's usual way."""
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupted)
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # Python is leaving anyway


def was_interrupted() -> bool:
    """Whether there was an interrupt: what fails after it fails because of it."""
    return _state["seen"]


def _interrupted(number: int, frame: FrameType | None) -> None:
    _state["seen"] = True
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            later = threading.Timer(_AGAIN, _once_more, [number])
            later.daemon = True
            later.start()
            return
        frame = frame.f_back
    raise KeyboardInterrupt


def _once_more(number: int) -> None:
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, number)
    else:
        signal.raise_signal(number)
