"""Pieces of work on all cores, with BLAS on one thread in each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total)."""


def run(
    pieces: Sequence[Piece], work: Callable[[Piece], Result], threads: int | None, progress: Progress | None
) -> list[Result]:
    """The results of `work` in the order of the pieces. NumPy and SciPy let other threads run while they compute."""
    from threadpoolctl import threadpool_limits

    results = []
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(threads or _cores()) as pool:
        try:
            for done, result in enumerate(pool.map(work, pieces), start=1):
                results.append(result)
                if progress is not None:
                    progress(done, len(pieces))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)  # an error or Ctrl-C does not wait for what has not begun
    return results


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
