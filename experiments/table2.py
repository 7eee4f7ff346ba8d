"""Table 2: naive attribute matching, every attribute against every other, by nine tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from experiments import factored, original, page
from experiments.matching import QUICK, SETS, generator
from experiments.procedures import LEVEL, PROCEDURES, Pair, published_width
from experiments.runner import Options, Run, repeat

REPETITIONS = 100
KERNEL = ["MMD_b", "MMD²_u H", "MMD²_u B", "MMD²_u M"]
TESTS = [*KERNEL, "t-test", "Wolf", "Smir", "Hall", "Biau", "t-test, ridge", "Smir, ours", "Biau, ours"]
"""The paper's nine in its order, and three of ours that differ from them."""
SLOW = {"Smir, ours": 6, "Hall": 7}
"""Tests that relabel each pair of columns by themselves, and their seeds."""
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


Counts = dict[str, dict[str, list[int]]]
"""How many pairs of the same and of different attributes each test accepts, and of how many."""


def work(settings: dict[str, Any], number: int) -> Counts:
    """One repetition of all that is quick: the kernel tests by our rules and by those of 2007, and the rivals."""

    def tests(a: np.ndarray, b: np.ndarray, seed: list[int]) -> dict[str, bool]:
        pair, m = Pair.of(a, b), len(a)
        z = np.concatenate([pair.x, pair.y])
        width = published_width(a, b, np.random.default_rng(seed))
        found = factored.accepted(z, m, width, factored.worlds(m, len(b), 199, number))
        found |= {f"{name}, 2007": value for name, value in original.accepted(z, m, number).items()}
        for i, name in enumerate(("t-test", "t-test, ridge", "Wolf", "Smir", "Biau", "Biau, ours")):
            found[name] = PROCEDURES[name](pair, np.random.default_rng([*seed, i])) > LEVEL
        return found

    return _all_pairs(settings, number, tests)


def slow_work(settings: dict[str, Any], number: int) -> Counts:
    """The same repetition for the tests that take longer than all others together."""

    def tests(a: np.ndarray, b: np.ndarray, seed: list[int]) -> dict[str, bool]:
        pair = Pair.of(a, b)
        return {name: PROCEDURES[name](pair, np.random.default_rng([*seed, i])) > LEVEL for name, i in SLOW.items()}

    return _all_pairs(settings, number, tests)


def _all_pairs(
    settings: dict[str, Any], number: int, tests: Callable[[np.ndarray, np.ndarray, list[int]], dict[str, bool]]
) -> Counts:
    """The tests for each attribute of A and each of B."""
    name = settings["name"]
    seed = generator(settings["seed"], 172, name, number)
    A, B = (QUICK if settings["quick"] else SETS)[name].halves(np.random.default_rng(seed))
    found: Counts = {"same": {}, "different": {}}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            for test, yes in tests(a, b, [*seed, i, j]).items():
                counts = found["same" if i == j else "different"].setdefault(test, [0, 0])
                counts[0] += bool(yes)
                counts[1] += 1
    return found


def rates(done: Run, kind: str) -> dict[str, tuple[float, int]]:
    """The percentage of pairs that each test accepts, and the number of pairs."""
    names = done.outcomes[0][kind] if done.outcomes else ()
    sums = {test: np.sum([outcome[kind][test] for outcome in done.outcomes], axis=0) for test in names}
    return {test: (100 * accepted / trials, int(trials)) for test, (accepted, trials) in sums.items()}


def run(options: Options) -> None:
    """The table, ours above the paper's."""
    rows, marks, facts = [], [], []
    repetitions = options.count(REPETITIONS, 1)
    for name in QUICK if options.quick else SETS:
        settings = {"name": name, "quick": options.quick}
        quick = repeat("table2-quick", work, settings, range(repetitions), options)
        slow = repeat("table2-slow", slow_work, settings, range(repetitions), options)
        facts.append([name, str(quick.count), quick.cost, str(slow.count)])
        for kind in ("same", "different"):
            found = rates(quick, kind) | rates(slow, kind)
            rows.append([f"**{name}**, ours", kind, *(_shown(found, test) for test in TESTS)])
            old = [_shown(found, f"{test}, 2007") for test in KERNEL]
            rows.append([f"{name}, code of 2007", kind, *old, *[""] * (len(TESTS) - len(old))])
            if (name, kind) in PAPER:
                there = dict(zip(TESTS, PAPER[name, kind], strict=False))
                rows.append([f"{name}, paper", kind, *(f"{rate:.1f}" for rate in there.values()), "", "", ""])
                marks += _differences(name, kind, found, there)
    page.write(options.out, "table2", "Table 2: naive attribute matching", [
        f"H0 accepted, %, pooled over attributes, at level {LEVEL}. The first nine columns are the tests of the "
        "paper's table, the last three other forms of them.",
        page.table(["data", "attributes", *TESTS], rows),
        f"Repetitions ({REPETITIONS} in the paper); \"slow\" are {' and '.join(SLOW)}:",
        page.table(["data", "repetitions", "processor time", "repetitions, slow"], facts),
        "Where our rate and the paper's differ by more than their binomial 95 % intervals (pairs taken as independent, "
        "which makes the intervals too short):",
        page.explained(marks, WHY),
        COMMENT,
        f"Seed {options.seed}, on draws that no choice was made on: f12 to f17, the rules of the kernel tests and the "
        "grid were found on others.",
    ])  # fmt: skip


def _shown(found: dict[str, tuple[float, int]], test: str) -> str:
    return f"{found[test][0]:.1f}" if test in found else "–"


def _differences(
    name: str, kind: str, found: dict[str, tuple[float, int]], there: dict[str, float]
) -> list[page.Difference]:
    """Of our rates and the paper's, for the tests that were run."""
    marks = []
    for test in (test for test in there if test in found):
        rate, trials = found[test]
        pairs = REPETITIONS * PAIRS[name][kind == "different"]
        marks += page.differences(name, kind, {test: rate}, [there[test]], trials, pairs)
    return marks


PAIRS = {"BIO": (6, 30), "FOREST": (10, 90), "CNUM": (13, 156), "FOREST10D": (2, 2)}
"""Pairs of the same and of different attributes in one repetition of the paper's."""

HALL = "not known; see below"
TIES = "the order of ties: see table2-variants.md"
WIDTH = "the bandwidth: by the rules of 2007, in the row below, it agrees"

WHY: dict[tuple[str, str], str] = {
    ("BIO", "MMD²_u H"): WIDTH, ("FOREST", "Hall"): HALL, ("CNUM", "Hall"): HALL, ("FOREST10D", "Hall"): HALL,
    ("FOREST", "Wolf"): TIES, ("CNUM", "Wolf"): TIES, ("BIO", "Wolf"): TIES,
    ("FOREST", "Smir"): "not known: no law that we know accepts that many of the same pairs",
    ("FOREST", "t-test"): "not known; in one column the test is Student's",
    ("CNUM", "t-test"): "not known; the thirteen columns are an inference",
    ("FOREST10D", "t-test"): "the paper's has a ridge: see the column \"t-test, ridge\"",
}  # fmt: skip

COMMENT = """**BIO is f12 to f17, which is an inference.** The paper has six of its 74 features and does not name them.
All 69 windows of six consecutive features were compared with the paper's row by five tests; f12 to f17 came closest,
and tests that had no part in the search (Wolf, Hall, Biau) agree as well. [The variants](table2-variants.md) have the
search on other draws than those of this table. It is the best of 69, so some agreement is owed to the choice; that of
the tests left out is not. "BIO random" draws six of the 74 anew in every repetition and has no counterpart in the
paper. Samples have ⌊√(N/2)⌋ rows with N the rows of the whole file: 377 for BIO (N = 285,409 with its test part, of
which we have a random 60,000 of the 145,751 training rows), 386 for CNUM, 538 for FOREST.

The kernel tests, first row of each data set: σ² is half the median of the squared distances that are not 0, of 100
random points of both samples, and MMD²_u M has the kurtosis 2 (skew² + 1); both are rules of code that the paper's
authors have published, where it differs from their prose. MMD²_u keeps k(x_i, y_i) (the minimum-variance form), and
MMD²_u B permutes labels, 199 times. Second row, "code of 2007": what an older program of theirs does, as
`experiments/original.py` describes it: bandwidth from the distances between the samples, the paired statistic, plug-in
moments, 150 draws with replacement. That the paper's tables were made with it is an inference too.

The rivals: "t-test" is Hotelling's T² with the F law; "t-test, ridge" has the ridge of Section 8.1 with the same law,
which is what the paper did as far as its numbers tell, and differs from it only in several columns (in one column
there is no ridge). On FOREST10D it accepts all of the same pairs as the paper's does, but rejects the different ones
only if the columns are brought to one scale, of which the paper says nothing: see the variants. "Smir" in one column
is the classical Kolmogorov-Smirnov statistic with Smirnov's limit law, which Section 8.3 says of Figure 5 and we infer
for this table; in several columns that of Friedman and Rafsky, by permutation, and so is "Smir, ours" everywhere.
"Biau" has cells of equal width, all of them counted, as the paper's numbers ask for; "Biau, ours" cuts at quantiles
and counts the cells that hold points. On FOREST10D the first has 2^10 cells for 1000 points, and its threshold, 1.97,
is next to the largest value there is, 2. Hall has 99 permutations, Wolf and Smir 199.

Hall is not explained on CNUM, FOREST and FOREST10D: nothing that we tried gives the paper's numbers, while on BIO, and
on Health status of Table 1, the same code is close to them. On CNUM the paper's test rejects 8.8 % of the same pairs,
so its law is not that of permutations.

CNUM: the thirteen numeric columns of the file, an inference from their number. FOREST10D: the two most frequent cover
types. The kernel tests are computed from a low-rank factor of the Gram matrix, exact to 1e-7 of a kernel value (1e-4
in ten columns), with relabellings that all pairs of a repetition share."""
