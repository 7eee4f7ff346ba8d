"""Measure level and power of fair comparisons and of dependent rows, and write docs/fair-levels.md.

usage: python tools/fair.py [REPETITIONS] [COMPARISONS] [JOBS]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import twosample as ts  # noqa: E402
from tests.level import test_compare_conditions as tables  # noqa: E402
from tests.level.fair import CASES, LENGTHS, LONG, MEMORIES, MISUSED, N, pvalues, timed  # noqa: E402
from tests.level.measure import LEVELS, limits  # noqa: E402

EVERY = (*CASES, *LONG, *MISUSED)
SERIES = [(phi, size) for size in LENGTHS for phi in MEMORIES]

HEAD = """# Measured levels of fair comparisons

For whoever wants to know whether a p-value within strata, with weights, of several samples or of series can be
believed. The tables say how often each test rejects at level 0.05 and 0.01, in percent, although H0 is true; where it
says *power*, there is a difference.

{repetitions} seeded runs, each with {resamples} resamples. A test that keeps its level has, 99 times in 100, a rate of
{five} at level 0.05 and {one} at level 0.01. **Bold**: above that.

## What to take from it

- **Strata, groups, and weights that move with their rows** are relabelled: exact, whatever the sizes of strata.
- **wild** (`null="wild"`) is a law for large samples. It takes the larger p-value of two, by the variance of each
  sample and by one for both, so that a small sample that is mostly one value is no difference; where samples are of
  unequal size it rejects less often than its level.
- **Which of two is closer**: careful where all three distributions are alike, as a note on the result says.
- **Weights of a design that are relabelled** lose the level; so do series with memory whose rows are relabelled.

The problems are in `tests/level/fair.py`. `python tools/fair.py {repetitions} {comparisons}` makes this page.
"""

WITH_MEMORY = """
## Series with memory

Two autoregressions of one law, or the second shifted by 0.7 standard deviations; level 0.05, Gaussian kernel of
bandwidth 1, {runs} runs. A hundred rows with memory 0.9 are worth five independent ones.

| memory | rows of each | permutation of rows | wild | power of wild |
|---|---|---|---|---|"""

OF_TABLES = """
## Tables

`ts.compare` of tables of numbers, counts and categories, {runs} runs at level 0.05: how often the verdict is
*different*, how often the joint test of all columns rejects, and how often the kernel on a column does.

| problem | different | joint test | kernel on a column |
|---|---|---|---|"""

NEXT = (
    "Where next: [fair comparisons](fair.md), [rows that depend on each other](dependent.md), "
    "[measured levels](levels.md)."
)


def rates(job: tuple[int, int]) -> list[float]:
    """How often a case rejects at either level."""
    p = pvalues(EVERY[job[0]].pvalue, job[1])
    return [float((p <= level).mean()) for level in LEVELS]


def memory(job: tuple[int, int]) -> list[float]:
    """Rejections of relabelled rows, of the wild bootstrap, and its power."""
    (phi, size), repetitions = SERIES[job[0]], job[1]
    wild = ts.WildBootstrap(n=N)
    tests = timed(phi, size, ts.Permutation(N)), timed(phi, size, wild), timed(phi, size, wild, 0.7)
    return [float((pvalues(test, repetitions) <= 0.05).mean()) for test in tests]


def compared(job: tuple[str, int]) -> list[float]:
    """Verdicts, joint tests and columns of one problem of tables."""
    different, joint, kernels = tables.measured(*job)
    return [different / job[1], float((joint <= 0.05).mean()), float((kernels <= 0.05).mean())]


def row(*cells: object) -> str:
    """A line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def percent(rate: float, most: float = 1.0) -> str:
    """In percent, bold if it is above the interval."""
    return f"**{100 * rate:.1f}**" if rate > most else f"{100 * rate:.1f}"


def page(
    found: Sequence[list[float]],
    remembered: Sequence[list[float]],
    judged: Sequence[list[float]],
    repetitions: int,
    comparisons: int,
) -> str:
    """The page, from the rates of all cases, of all series, and of all problems of tables."""
    bounds = [limits(level, repetitions) for level in LEVELS]
    five, one = (f"{100 * low:.1f} to {100 * high:.1f}" for low, high in bounds)
    lines = [HEAD.format(repetitions=repetitions, comparisons=comparisons, resamples=N, five=five, one=one)]
    for section in dict.fromkeys(case.section for case in EVERY):
        lines += [f"## {section}", "", row("problem", *LEVELS), "|---|---|---|"]
        for case, own in zip(EVERY, found, strict=True):
            if case.section == section:
                cells = (
                    percent(rate, 1.0 if case.differs else high) for rate, (_, high) in zip(own, bounds, strict=True)
                )
                lines.append(row(f"{'power: ' if case.differs else ''}{case.problem}", *cells))
        lines.append("")
    lines[-1] = WITH_MEMORY.format(runs=repetitions)
    high = bounds[0][1]
    for (phi, size), (plain, wild, power) in zip(SERIES, remembered, strict=True):
        lines.append(row(f"{phi:g}", size, percent(plain, high), percent(wild, high), percent(power)))
    lines.append(OF_TABLES.format(runs=comparisons))
    most = limits(0.05, comparisons)[1]
    for problem, (different, joint, kernels) in zip(tables.PROBLEMS, judged, strict=True):
        lines.append(row(problem, percent(different, most), percent(joint, most), percent(kernels, most)))
    return "\n".join([*lines, "", NEXT]) + "\n"


def main() -> None:
    """Measure and write."""
    repetitions, comparisons, jobs = map(int, (*sys.argv[1:], *("1000", "100", "2")[len(sys.argv) - 1 :]))
    with ProcessPoolExecutor(jobs) as pool:
        found = list(pool.map(rates, [(i, repetitions) for i in range(len(EVERY))]))
        remembered = list(pool.map(memory, [(i, repetitions) for i in range(len(SERIES))]))
        judged = list(pool.map(compared, [(problem, comparisons) for problem in tables.PROBLEMS]))
    text = page(found, remembered, judged, repetitions, comparisons)
    (ROOT / "docs" / "fair-levels.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
