"""Repetitions: in parallel, kept as they finish, the same numbers whatever the number of jobs."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

from experiments.data import ROOT

Outcome = dict[str, Any]
Work = Callable[[dict[str, Any], int], Outcome]
"""One repetition: takes the settings and its number, returns plain values. Must be a function of a module."""


@dataclass(frozen=True)
class Options:
    """What the command line says."""

    repetitions: int | None = None
    seed: int = 0
    jobs: int = 2
    quick: bool = False
    out: Path = ROOT / "docs" / "paper"
    store: Path = ROOT / "build" / "experiments"
    finished: bool = False

    def count(self, full: int, quick: int) -> int:
        """How many repetitions, unless said otherwise."""
        return self.repetitions or (quick if self.quick else full)


@dataclass(frozen=True)
class Run:
    """Outcomes in the order of their numbers, and what they cost."""

    outcomes: list[Outcome]
    seconds: float

    @property
    def count(self) -> int:
        """How many repetitions there are: all, or those that are finished if no others were asked for."""
        return len(self.outcomes)

    @property
    def cost(self) -> str:
        """The processor time in words."""
        return f"{self.seconds / 60:.1f} minutes" if self.seconds > 120 else f"{self.seconds:.1f} seconds"


def repeat(name: str, work: Work, settings: dict[str, Any], numbers: Sequence[int], options: Options) -> Run:
    """All outcomes. Finished ones are read from the store, where each new one is written at once."""
    settings = {**settings, "seed": options.seed}
    digest = hashlib.sha256(json.dumps([name, settings], sort_keys=True).encode()).hexdigest()[:12]
    store = options.store / f"{name}-{digest}.jsonl"
    store.parent.mkdir(parents=True, exist_ok=True)
    known = _finished(store)
    if options.finished:
        numbers = [i for i in numbers if i in known]
    left = [i for i in numbers if i not in known]
    with store.open("a") as kept:
        for number, outcome, seconds in _outcomes(work, settings, left, options.jobs, name):
            known[number] = (outcome, seconds)
            kept.write(json.dumps([number, outcome, seconds]) + "\n")
            kept.flush()
    return Run([known[i][0] for i in numbers], sum(known[i][1] for i in numbers))


def _finished(store: Path) -> dict[int, tuple[Outcome, float]]:
    known: dict[int, tuple[Outcome, float]] = {}
    if store.is_file():
        for line in store.read_text().splitlines():
            try:
                number, outcome, seconds = json.loads(line)
            except ValueError:  # the last line of a run that was cut off
                continue
            known[number] = (outcome, seconds)
    return known


def _timed(work: Work, settings: dict[str, Any], number: int) -> tuple[int, Outcome, float]:
    start = time.process_time()
    outcome = work(settings, number)
    return number, outcome, time.process_time() - start


@contextmanager
def _no_keyboard() -> Iterator[None]:
    """Processes started here do not hear Ctrl-C: this one does, and ends them."""
    known = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, known)


def _outcomes(work: Work, settings: dict[str, Any], left: list[int], jobs: int, name: str):
    show = _progress(name, len(left))
    if jobs == 1 or len(left) < 2:
        for done, number in enumerate(left, 1):
            yield _timed(work, settings, number)
            show(done)
        return
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: set[Future[tuple[int, Outcome, float]]] = set()
        queue, done = iter(left), 0
        try:
            while True:
                for number in queue:
                    with _no_keyboard():
                        waiting.add(pool.submit(_timed, work, settings, number))
                    if len(waiting) >= 4 * jobs:
                        break
                if not waiting:
                    return
                finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()
                    done += 1
                    show(done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in active_children():
                worker.terminate()
            raise


def _progress(name: str, total: int) -> Callable[[int], None]:
    start = time.monotonic()

    def show(done: int) -> None:
        if not sys.stderr.isatty() and done % max(1, total // 10):
            return
        left = (time.monotonic() - start) / done * (total - done)
        bar = "#" * (30 * done // total)
        end = "\n" if done == total or not sys.stderr.isatty() else "\r"
        print(f"{name:12} [{bar:<30}] {done}/{total}, {left:.0f} s left ", end=end, file=sys.stderr, flush=True)

    return show
