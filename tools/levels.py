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

For whoever wants to know whether a p-value can be believed. The tables say how often each test rejects, in percent,
although both samples come from one distribution. At level 0.05 that should be 5 %.

{repetitions} seeded repetitions, default kernel and bandwidth. A test that keeps its level has, 99 times in 100,
a rate of {intervals}. **Bold**: above that, so it rejects
too often. *Italic*: below, so it is careful and misses more.

## What to take from it

- **permutation** is exact: it can only err on the careful side, and does so where ties make many labellings alike.
- **bootstrap** never rejects in high dimension, because points that are drawn twice meet themselves. (The paper saw
  99.1 % accepted on its Subtype data.)
- **normal** is a law for many terms. Here the linear statistic has 7 to 25 of them and the block statistic 3 to 7, and
  it rejects up to {worst}. A result with fewer than 30 terms says so in its notes;
  `null="permutation"` is exact for both.
- On **bernoulli** almost every pool has at most two ones, and no test can do anything with that.

The problems: normal, 50 + 50 rows of 2 columns; heavy tails, Student t with 1.5 degrees of freedom, the same sizes;
ties, Poisson(0.7), 50 + 50 rows of 1 column; bernoulli, Bernoulli(0.05), 15 + 15; unequal, normal, 30 + 300 rows of 2
columns; high dimension, normal, 25 + 25 rows of 200 columns.

`python tools/levels.py {repetitions}` makes this page.
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


def page(rates: dict[Case, list[float]], repetitions: int) -> str:
    """The page: what was measured, in words and in a table for each level."""
    intervals = [limits(level, repetitions) for level in LEVELS]
    said = " and ".join(
        f"{100 * low:.1f} to {100 * high:.1f} at level {level:g}"
        for level, (low, high) in zip(LEVELS, intervals, strict=True)
    )
    normal = [found for case, found in rates.items() if case.null == "normal"]
    worst = " and ".join(f"{100 * max(one[k] for one in normal):.1f} % at {level:g}" for k, level in enumerate(LEVELS))
    lines = [HEAD.format(repetitions=repetitions, intervals=said, worst=worst)]
    for k, level in enumerate(LEVELS):
        lines += [f"## Level {level:g}", "", f"| statistic | null | {' | '.join(PROBLEMS)} |"]
        lines.append("|---|---|" + "---|" * len(PROBLEMS))
        for statistic, null in COMBINATIONS:
            found = (rates.get(Case(statistic, null, problem)) for problem in PROBLEMS)
            cells = " | ".join(cell(None if r is None else r[k], *intervals[k]) for r in found)
            lines.append(f"| {statistic} | {null} | {cells} |")
        lines.append("")
    lines.append(
        "Where next: [which test when](which-test.md), [strata, weights and series](fair-levels.md), "
        "[measured power](adaptive.md#power)."
    )
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Measure and write."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    jobs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with ProcessPoolExecutor(jobs) as pool:
        rates = dict(pool.map(rate, [(case, repetitions) for case in cases()]))
    (ROOT / "docs" / "levels.md").write_text(page(rates, repetitions), "utf-8")


if __name__ == "__main__":
    main()
