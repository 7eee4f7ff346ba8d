"""Times of several things that are to be compared, taken in turns."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

Timed = Callable[[], object]


def seconds(work: Timed) -> float:
    """Wall time of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def interleaved(*works: Timed, rounds: int = 7, measure: Callable[[Timed], float] = seconds) -> list[float]:
    """The minimum over rounds for each callable; every round calls each of them once, after one call to warm up.

    Other people's load comes and goes in spells longer than a call. Hence the turns, and hence after `rounds` rounds it
    goes on, up to four times as many, until half of `rounds` have passed in which no minimum fell by more than 2 %.
    """
    for work in works:
        measure(work)
    best = [float("inf")] * len(works)
    quiet = done = 0
    while done < rounds or (quiet < rounds // 2 and done < 4 * rounds):
        taken = [measure(work) for work in works]
        quiet = 0 if any(new < 0.98 * old for new, old in zip(taken, best, strict=True)) else quiet + 1
        best = [min(new, old) for new, old in zip(taken, best, strict=True)]
        done += 1
    return best
