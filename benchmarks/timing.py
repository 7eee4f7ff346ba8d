"""Times of several things that are to be compared, taken in turns."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter, process_time
from typing import TypeVar

from benchmarks.neighbours import CALM, Neighbours

Timed = Callable[[], object]
Work = TypeVar("Work")


def seconds(work: Timed) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def processor_seconds(work: Timed) -> float:
    """Processor time of one call, on all cores."""
    start = process_time()
    work()
    return process_time() - start


def interleaved(*works: Timed, rounds: int = 7, patience: int = 4) -> list[float]:
    """The shortest time of each callable; see :func:`taking_turns`."""
    return taking_turns(seconds, works, rounds, patience)


def taking_turns(measure: Callable[[Work], float], works: tuple[Work, ...], rounds: int, patience: int) -> list[float]:
    """The minimum over rounds for each piece of work; every round measures each once, after one time to warm up.

    Other people's load comes and goes in spells longer than a call. Hence the turns, and hence it goes on until there
    were `rounds` rounds in which others left the machine alone, or `patience` times as many in all.
    """
    for work in works:
        measure(work)
    best = [float("inf")] * len(works)
    neighbours = Neighbours()
    calm = done = 0
    while calm < rounds and done < patience * rounds:
        best = [min(old, measure(work)) for old, work in zip(best, works, strict=True)]
        share = neighbours.share()
        calm += share is None or share < CALM
        done += 1
    return best
