"""Threads over independent pieces of work, with single-threaded BLAS inside each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

from .blas import single_threaded_blas

Progress = Callable[[int, int], None]  # called with (steps done, steps in all) from the thread that called the test

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def available_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    results: dict[int, Result] = {}
    news: SimpleQueue[BaseException | None] = SimpleQueue()  # None for a finished piece, or what went wrong
    waiting: SimpleQueue[int] = SimpleQueue()
    for i in range(len(pieces)):
        waiting.put(i)

    def serve() -> None:
        try:
            for i in _taken_from(waiting, stop):
                results[i] = work(pieces[i], stop)
                news.put(None)
        except BaseException as error:  # noqa: BLE001 - handed over to the thread that waits, whatever it is
            news.put(error)

    workers = [Thread(target=serve, daemon=True) for _ in range(min(int(threads), len(pieces)))]
    with single_threaded_blas():
        try:
            for thread in workers:
                thread.start()
            for done in range(1, len(pieces) + 1):
                error = news.get()
                if error is not None:
                    raise error
                if progress is not None:
                    progress(done, len(pieces))
        finally:
            stop.set()
            _join(workers)
    return [results[i] for i in range(len(pieces))]


class Crew(AbstractContextManager["Crew"]):
    """Threads that stay for work that comes again and again: what each keeps in memory is made once.

    Parameters
    ----------
    threads
        How many there are, with the one that asks for work. Others start with the first work, and end with the context.
    """

    def __init__(self, threads: int) -> None:
        self._others = threads - 1
        self._pool = ThreadPoolExecutor(max(self._others, 1))

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def each(self, pieces: Sequence[Piece], work: Callable[[Piece], object]) -> None:
        """Do the work on all pieces; returns when it is done. After an exception no further piece is begun."""
        waiting, stop = iter(pieces), Event()

        def some() -> None:
            try:
                for piece in waiting:
                    if stop.is_set():
                        return
                    work(piece)
            except BaseException:
                stop.set()
                raise

        with single_threaded_blas():
            others = [self._pool.submit(some) for _ in range(min(self._others, len(pieces) - 1))]
            try:
                some()
            finally:
                wait(others)
            for other in others:
                other.result()


def _taken_from(waiting: SimpleQueue[int], stop: Event) -> Iterator[int]:
    """Pieces that are still waiting, one at a time, until there are none or it is time to stop."""
    while not stop.is_set():
        try:
            i = waiting.get_nowait()
        except Empty:
            return
        yield i


def _join(workers: list[Thread]) -> None:
    """Wait for those threads that were started."""
    for thread in workers:
        if thread.ident is not None:
            thread.join()
