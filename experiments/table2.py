"""Table 2: naive attribute matching, every attribute against every other, by nine tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments import page
from experiments.matching import QUICK, SETS, generator
from experiments.procedures import LEVEL, published_width, pvalues
from experiments.runner import Options, repeat

TESTS = ["MMD_b", "MMD²_u H", "MMD²_u B", "MMD²_u M", "t-test", "Wolf", "Smir", "Hall", "Biau"]
AS_PUBLISHED = {"MMD²_u M": "MMD²_u M, as published"}
PAPER = {
    ("BIO", "same"): [100.0, 100.0, 93.8, 94.8, 95.2, 90.3, 95.8, 95.3, 99.3],
    ("BIO", "different"): [20.0, 52.6, 17.2, 17.6, 36.2, 17.2, 18.6, 17.9, 42.1],
    ("FOREST", "same"): [100.0, 100.0, 96.4, 96.0, 97.4, 94.6, 99.8, 95.5, 100.0],
    ("FOREST", "different"): [3.9, 11.0, 0.0, 0.0, 0.2, 3.8, 0.0, 50.1, 0.0],
    ("CNUM", "same"): [100.0, 100.0, 94.5, 93.8, 94.0, 98.4, 97.5, 91.2, 98.5],
    ("CNUM", "different"): [14.9, 52.7, 2.7, 2.5, 19.17, 22.5, 11.6, 79.1, 50.5],
    ("FOREST10D", "same"): [100.0, 100.0, 94.0, 94.0, 100.0, 93.5, 96.5, 97.0, 100.0],
    ("FOREST10D", "different"): [86.6, 100.0, 0.0, 0.0, 0.0, 0.0, 1.0, 72.0, 100.0],
}


def work(settings: dict[str, Any], number: int) -> dict[str, dict[str, list[int]]]:
    """One repetition: how many of the pairs each test accepts, and of how many."""
    name = settings["name"]
    seed = generator(settings["seed"], 22, name, number)
    A, B = (QUICK if settings["quick"] else SETS)[name].halves(np.random.default_rng(seed))
    procedures = [AS_PUBLISHED.get(test, test) for test in TESTS]
    found = {kind: {test: [0, 0] for test in TESTS} for kind in ("same", "different")}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            counts = found["same" if i == j else "different"]
            width = published_width(a, b, np.random.default_rng([*seed, i, j]))
            found_here = pvalues(a, b, procedures, [*seed, i, j], width)
            for test, p in zip(TESTS, found_here.values(), strict=True):
                counts[test][0] += p > LEVEL
                counts[test][1] += 1
    return found


def run(options: Options) -> None:
    """The table, ours above the paper's."""
    rows, marks, cost, facts = [], [], 0.0, []
    repetitions = options.count(100, 1)
    for name in QUICK if options.quick else SETS:
        done = repeat("table2-published", work, {"name": name, "quick": options.quick}, range(repetitions), options)
        cost += done.seconds
        facts.append(f"{name} {done.cost}")
        for kind in ("same", "different"):
            sums = {test: np.sum([o[kind][test] for o in done.outcomes], axis=0) for test in TESTS}
            rates = {test: 100 * accepted / trials for test, (accepted, trials) in sums.items()}
            trials = int(next(iter(sums.values()))[1])
            rows.append([f"**{name}**, ours", kind, *(f"{rate:.1f}" for rate in rates.values())])
            rows.append([f"{name}, paper", kind, *(f"{value:.1f}" for value in PAPER[name, kind])])
            marks += page.differences(name, kind, rates, PAPER[name, kind], trials, trials * 100 // repetitions)
    page.write(options.out, "table2", "Table 2: naive attribute matching", [
        f"H0 accepted, %, pooled over attributes, at level {LEVEL}; {repetitions} repetitions (100 in the paper).",
        page.table(["data", "attributes", *TESTS], rows),
        "Where our rate and the paper's differ by more than their binomial 95 % intervals (pairs taken as independent, "
        "which makes the intervals too short):",
        page.explained(marks, WHY),
        COMMENT,
        f"Seed {options.seed}; {cost / 60:.0f} minutes of processor time ({', '.join(facts)}).",
    ])  # fmt: skip


HALL = "not known; see below"
GRID = "the grid: see below"
TIES = "the order of ties: see below"
LAW = "the law under H0: ours is by permutation and exact; the paper's is not stated, and accepts more than 95 %"

WHY: dict[tuple[str, str], str] = {
    ("BIO", ""): "other features: the paper's six of 74 are not known",
    ("FOREST", "Hall"): HALL, ("CNUM", "Hall"): HALL, ("FOREST10D", "Hall"): HALL,
    ("FOREST", "Biau"): GRID, ("CNUM", "Biau"): GRID, ("FOREST10D", "Biau"): GRID,
    ("FOREST", "Wolf"): TIES, ("CNUM", "Wolf"): TIES, ("FOREST", "Smir"): LAW, ("CNUM", "Smir"): LAW,
    ("FOREST", "t-test"): "not known; in one column the test is Student's, and Welch's accepts as often",
    ("FOREST10D", "t-test"): "the paper's t-test has a ridge and accepts everything; ours needs none here",
    ("CNUM", "t-test"): "not known; Welch's form accepts as often; the thirteen columns are an inference",
}  # fmt: skip

COMMENT = """The MMD columns follow code that the paper's authors have published, where it differs from their prose:

- Bandwidth: the prose has the median distance; the code σ² = half the median of the squared distances that are not 0,
  of 100 points. The code takes the first 100 of x and y one after the other, here all of x; we take 100 random points
  of both, as the prose says ("the aggregate sample").
- MMD²_u M: the prose sets the kurtosis, as the excess, to skew² + 1; the code sets it, not as the excess, to
  2 (skew² + 1).

By the prose the same draws gave, H0 accepted in %:

| data | attributes | MMD_b | MMD²_u H | MMD²_u B | MMD²_u M |
|---|---|---|---|---|---|
| BIO | same | 100.0 | 100.0 | 94.7 | 95.8 |
| BIO | different | 6.5 | 6.7 | 0.0 | 0.0 |
| FOREST | same | 100.0 | 100.0 | 96.1 | 96.0 |
| FOREST | different | 4.0 | 13.2 | 0.0 | 0.0 |
| CNUM | same | 100.0 | 100.0 | 95.2 | 95.8 |
| CNUM | different | 14.7 | 51.4 | 2.8 | 2.9 |
| FOREST10D | same | 100.0 | 100.0 | 94.0 | 95.0 |
| FOREST10D | different | 99.5 | 100.0 | 0.0 | 0.0 |

The rules were compared, and these chosen, on other draws than those of the table. Different attributes of CNUM, with
the number of draws in parentheses:

| bandwidth | MMD_b | MMD²_u H | MMD²_u B | MMD²_u M, prose | MMD²_u M, code |
|---|---|---|---|---|---|
| the prose's | 14.7 (30) | 51.4 (30) | 2.8 (100) | 2.9 (190) | 2.7 (90) |
| the code's, 100 random points (here) | 15.1 (30) | 52.5 (30) | 2.6 (130) | 2.7 (190) | 2.4 (90) |
| the code's, all points | 14.9 (30) | 52.5 (30) | 2.3 (30) | 2.4 (30) | 2.2 (30) |
| the code's, first 100 of x | 32.1 (30) | 60.3 (30) | 3.3 (100) | 3.2 (190) | 3.0 (90) |
| paper | 14.9 | 52.7 | 2.7 | 2.5 | 2.5 |

This speaks against the first 100 of x in the paper; so does FOREST, where MMD²_u H then accepts 17.0 % (15 draws), with
random points 10.4 %, in the paper 11.0 %. Table 1 and Figure 4 keep to the prose in both rules.

Variants of the other tests, each on a few repetitions of the same data, that show where differences come from:

- **Biau**: with cells of equal width, all of them counted, the test accepts 49.8 % of the different pairs of CNUM,
  0.0 % of FOREST and all of FOREST10D (2^10 cells for 1000 points: its threshold is 1.97, and T is at most 2), which
  are the paper's numbers. Ours cuts at quantiles and counts the cells that hold points: a column that is nearly
  always 0 falls into one cell of equal width.
- **Wolf** and ties: most values of CNUM occur many times, and equal values can join the tree in any order. At random,
  as here, the test accepts 7 to 8 %; taking x and y in turn among equal values, 42 % (and 97 % of the same pairs); in
  the order of the rows, x first, 0 % (and 5 % of the same pairs). The paper's 22.5 % lies between; its rule is not
  stated.
- **Hall**: neither few neighbours (1, 3, 10, 30, 100: at most 42 % on CNUM and 3 % on FOREST) nor few points (10 of
  each sample: 44 % on CNUM, 11 % on FOREST, 3 of 4 pairs on FOREST10D) give the paper's 79 and 50 % on the first two.
  Hall and Tajvidi themselves had tens of points, which may be behind the 72 % on FOREST10D; on the others nothing that
  we tried is. On CNUM the paper's test rejects 8.8 % of the same pairs, so its law is not that of permutations.

BIO: here f01 to f06; its rows are not a reproduction. CNUM: the thirteen numeric columns of the file, an inference
from their number. FOREST10D: the two most frequent cover types. "MMD²_u B" permutes labels (199 worlds, Hall 99); the
paper resampled with replacement. The kernel tests use the engine `lowrank`, whose p-values are those of the dense one
but for some ten-thousandths."""
