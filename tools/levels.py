"""Measure the level of every test on every problem of the level suite and write docs/levels.md.

usage: python tools/levels.py [REPETITIONS] [JOBS]
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.level.measure import COMBINATIONS, LEVELS, Case, cases, limits, pvalues  # noqa: E402
from tests.level.problems import PROBLEMS  # noqa: E402

HEAD = """# Measured levels

For whoever wants to know whether a p-value can be believed. How often each test rejects when both samples have one
distribution, in percent, over {repetitions} seeded repetitions (`python tools/levels.py`,
default kernel and bandwidth). A test at its level lies in the binomial 99 % interval: {intervals}. **Bold**: above
it (rejects too often). *Italic*: below it (conservative). Permutation is exact, so it can only be conservative, and is
so where ties make many labellings alike.

Problems: normal, 50 + 50 rows of 2 columns; heavy tails, Student t with 1.5 degrees of freedom, the same sizes; ties,
Poisson(0.7), 50 + 50 rows of 1 column; bernoulli, Bernoulli(0.05), 15 + 15; unequal, normal, 30 + 300 rows of 2
columns; high dimension, normal, 25 + 25 rows of 200 columns.

Where they do not hold. **bootstrap** in high dimension never rejects: points drawn twice meet themselves (the paper saw
99.1 % accepted on its Subtype data). **normal** is a law for many terms, and here the linear statistic has 7 to 25 of
them and the block statistic 3 to 7: it rejects up to 8.4 % at 0.05 and 3.9 % at 0.01; a result with fewer than 30 terms
says so in its notes, and `null="permutation"` is exact for both. On **bernoulli** almost every pool has at most two
ones, and no test can do anything with that.
"""


def rate(job: tuple[Case, int]) -> tuple[Case, list[float]]:
    """Rejection rates of one case at all levels."""
    case, repetitions = job
    p = pvalues(case, repetitions)
    return case, [float((p <= level).mean()) for level in LEVELS]


def cell(value: float | None, low: float, high: float) -> str:
    """One rate in percent, marked when it is outside the interval."""
    if value is None:
        return "–"
    text = f"{100 * value:.1f}"
    return f"**{text}**" if value > high else f"*{text}*" if value < low else text


def main() -> None:
    """Measure and write."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with ProcessPoolExecutor(jobs) as pool:
        rates = dict(pool.map(rate, [(case, repetitions) for case in cases()]))
    intervals = [limits(level, repetitions) for level in LEVELS]
    said = ", ".join(
        f"{100 * low:.1f} to {100 * high:.1f} at {100 * level:g} %"
        for level, (low, high) in zip(LEVELS, intervals, strict=True)
    )
    lines = [HEAD.format(repetitions=repetitions, intervals=said)]
    for k, level in enumerate(LEVELS):
        lines += [f"## Level {level:g}", "", f"| statistic | null | {' | '.join(PROBLEMS)} |"]
        lines.append("|---|---|" + "---|" * len(PROBLEMS))
        for statistic, null in COMBINATIONS:
            found = (rates.get(Case(statistic, null, problem)) for problem in PROBLEMS)
            cells = " | ".join(cell(None if r is None else r[k], *intervals[k]) for r in found)
            lines.append(f"| {statistic} | {null} | {cells} |")
        lines.append("")
    lines.append("Where next: [which test when](which-test.md), [measured power](adaptive.md#power).")
    (ROOT / "docs" / "levels.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
