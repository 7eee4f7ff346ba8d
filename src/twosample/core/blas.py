"""The threads of BLAS, which cost more than they save where matrices are small, or where threads of our own work."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class _SingleThreadedBlas(AbstractContextManager[None]):
    """The first to come sets the limit, the last to leave takes it away, in whatever threads they are."""

    def __init__(self) -> None:
        self._lock, self._inside, self._limit = Lock(), 0, ExitStack()

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._limit.enter_context(_blas().limit(limits=1, user_api="blas"))
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._limit.close()


_single = _SingleThreadedBlas()


def single_threaded_blas() -> AbstractContextManager[None]:
    """While this context is open the process's BLAS uses one thread per call; one within another costs nothing."""
    return _single
