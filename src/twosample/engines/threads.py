"""Threads over independent pieces of work, with single-threaded BLAS inside each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from threading import Event
from typing import TYPE_CHECKING, TypeVar, cast

from .base import Progress

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _blas() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def single_threaded_blas() -> AbstractContextManager[object]:
    """While this context is open the process's BLAS uses one thread per call."""
    return cast(AbstractContextManager[object], _blas().limit(limits=1, user_api="blas"))


def run(
    pieces: Sequence[Piece],
    work: Callable[[Piece, Event], Result],
    threads: int,
    progress: Progress | None = None,
) -> list[Result]:
    """The results of `work` for all pieces, in their order, whatever the number of threads.

    Pieces are started in order, so put long ones first. `work` should look at the event it is given now and then and
    return early once it is set: that is how an exception or Ctrl-C ends the other threads before it is passed on.
    """
    stop = Event()
    done = 0
    with single_threaded_blas(), ThreadPoolExecutor(max_workers=threads) as pool:
        try:
            futures = [pool.submit(work, piece, stop) for piece in pieces]
            pending = set(futures)
            while pending:
                finished, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                done += len(finished)
                if progress is not None:
                    progress(done, len(futures))
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return [future.result() for future in futures]
