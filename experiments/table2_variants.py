"""Variants of Table 2: how BIO was found, and what other rules give. ``python -m experiments table2 --variants``."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from scipy.stats import norm

import twosample as ts
from experiments import factored, original, page, stars
from experiments.data import bio
from experiments.matching import SETS, generator
from experiments.original import cross_width
from experiments.procedures import LEVEL, PROCEDURES, Pair, published_width
from experiments.runner import Options, Outcome, repeat
from experiments.table2 import KERNEL, PAPER, TESTS

REPETITIONS = 10
SEARCHED = ["MMD_b", "MMD²_u H", "MMD²_u M", "t-test", "Smir"]
"""The tests that the windows of BIO are compared by."""
LEFT_OUT = ["Wolf", "Hall", "Biau"]
"""Tests that have no part in the search."""
RULES = ["median of the pool (the prose)", "100 random points of the pool (Table 2)", "all points of the pool",
         "first 100 of x", "distances between x and y (2007)"]  # fmt: skip
NEIGHBOURS = [1, 3, 10, 30, 100]


def search(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of BIO: H0 accepted, %, of different pairs in each of the 69 windows of six consecutive features."""
    rng = np.random.default_rng(generator(settings["seed"], 174, "BIO windows", number))
    table, m = bio(), 377
    chosen = rng.choice(len(table), 2 * m, replace=False)
    A, B = table[chosen[:m]].T, table[chosen[m:]].T
    found: dict[tuple[int, int], dict[str, bool]] = {}
    for i in range(74):
        for j in range(max(0, i - 5), min(74, i + 6)):
            if i != j:
                found[i, j] = _searched(np.concatenate([A[i], B[j]])[:, None], m)
    windows = {}
    for start in range(69):
        inside = [one for (i, j), one in found.items() if start <= min(i, j) and max(i, j) < start + 6]
        rates = [100 * float(np.mean([one[test] for one in inside])) for test in SEARCHED]
        windows[f"f{start + 1:02d} to f{start + 6:02d}"] = rates
    return windows


def _searched(z: np.ndarray, m: int) -> dict[str, bool]:
    """The tests of the search, the kernel tests by the rules of 2007."""
    pair = Pair(z[:m], z[m:])
    found = original.accepted(z, m, 0)
    for name in ("t-test", "Smir"):
        found[name] = PROCEDURES[name](pair, np.random.default_rng(0)) > LEVEL
    return found


def left_out(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of one window: H0 accepted, %, of different pairs by the tests that had no part in the search."""
    start = settings["window"]
    rng = np.random.default_rng(generator(settings["seed"], 175, "BIO", number))
    table, m = bio(), 377
    chosen = rng.choice(len(table), 2 * m, replace=False)
    A, B = (table[part, start : start + 6].T for part in (chosen[:m], chosen[m:]))
    yes = [
        [PROCEDURES[test](Pair.of(A[i], B[j]), np.random.default_rng([number, i, j])) > LEVEL for test in LEFT_OUT]
        for i in range(6) for j in range(6) if i != j
    ]  # fmt: skip
    return dict(zip(LEFT_OUT, 100 * np.mean(yes, axis=0), strict=True))


def rules(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of all different pairs: what the kernel tests accept, %, by each rule for the bandwidth."""
    seed = generator(settings["seed"], 176, settings["name"], number)
    A, B = SETS[settings["name"]].halves(np.random.default_rng(seed))
    found: dict[str, list[list[bool]]] = {rule: [] for rule in RULES}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            if i == j:
                continue
            z, m = np.concatenate([a, b])[:, None], len(a)
            labels = factored.worlds(m, m, 199, number)
            for rule, width in zip(RULES, _widths(z, m, np.random.default_rng([*seed, i, j])), strict=True):
                found[rule].append(list(factored.accepted(z, m, width, labels, prose=True).values()))
    return {rule: list(100 * np.mean(yes, axis=0)) for rule, yes in found.items()}


def _widths(z: np.ndarray, m: int, rng: np.random.Generator) -> list[float]:
    """σ by each of the rules."""
    first = pdist(z[:100], "sqeuclidean")
    square = pdist(z, "sqeuclidean")
    return [
        float(ts.Median().bandwidths(z, "euclidean", rng)[0]),
        published_width(z[:m], z[m:], rng),
        sqrt(np.median(square[square > 0]) / 2),
        sqrt(np.median(first[first > 0] if first.any() else square[square > 0]) / 2),
        cross_width(z, m),
    ]


def ties(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of CNUM: the runs test in one column accepts, %, by the order of equal values."""
    seed = generator(settings["seed"], 177, "CNUM", number)
    A, B = SETS["CNUM"].halves(np.random.default_rng(seed))
    orders = ["at random", "x and y in turn", "x first"]
    found: dict[str, dict[str, list[bool]]] = {order: {"same": [], "different": []} for order in orders}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            rank = {
                "at random": np.random.default_rng([*seed, i, j]).permutation(len(a) + len(b)),
                "x and y in turn": np.concatenate([_places(a), _places(b)]),
                "x first": np.arange(len(a) + len(b)),
            }
            for order, key in rank.items():
                kept = found[order]["same" if i == j else "different"]
                kept.append(runs_pvalue(np.concatenate([a, b]), len(a), key) > LEVEL)
    return {f"{order}, {kind}": 100 * float(np.mean(yes)) for order in orders for kind, yes in found[order].items()}


def _places(a: np.ndarray) -> np.ndarray:
    """The place of each value among those equal to it."""
    order = np.argsort(a, kind="stable")
    starts = np.flatnonzero(np.diff(a[order], prepend=np.nan) != 0)
    places = np.empty(len(a), dtype=int)
    places[order] = np.arange(len(a)) - np.repeat(starts, np.diff(starts, append=len(a)))
    return places


def runs_pvalue(z: np.ndarray, m: int, rank: np.ndarray) -> float:
    """Of few runs in the sorted pool, by the normal law of Wald and Wolfowitz; `rank` orders equal values."""
    N, n = len(z), len(z) - m
    labels = (np.arange(N) < m)[np.lexsort([rank, z])]
    runs = 1 + np.count_nonzero(np.diff(labels))
    mean = 2 * m * n / N + 1
    return float(norm.cdf((runs - mean) / sqrt((mean - 1) * (mean - 2) / (N - 1))))


def hall(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of different pairs: Hall with few neighbours, or with ten points a sample, accepts, %."""
    seed = generator(settings["seed"], 178, settings["name"], number)
    A, B = SETS[settings["name"]].halves(np.random.default_rng(seed))
    found: dict[str, list[bool]] = {}
    null = ts.Permutation(n=39)
    for i, a in enumerate(A):
        for j in {(i + 1) % len(B), (i + 4) % len(B)} - {i}:
            b = B[j]
            for k in NEIGHBOURS:
                p = ts.rivals.hall_tajvidi_test(a, b, null=null, gamma=1, weights=[1.0] * k, rng=[*seed, i, j]).pvalue
                found.setdefault(f"{k} neighbours", []).append(p > LEVEL)
            p = ts.rivals.hall_tajvidi_test(a[:10], b[:10], null=null, rng=[*seed, i, j]).pvalue
            found.setdefault("10 points a sample", []).append(p > LEVEL)
    return {name: 100 * float(np.mean(yes)) for name, yes in found.items()}


def ridge(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of FOREST10D: whether T² with a ridge and the F law accepts its pairs, by the scale of the columns."""
    A, B = SETS["FOREST10D"].halves(np.random.default_rng(generator(settings["seed"], 183, "FOREST10D", number)))
    found: dict[str, list[bool]] = {}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            pool = np.concatenate([a, b])
            for scale, unit in (("as they are", 1.0), ("of unit variance", pool.std(axis=0)),
                                ("of unit range", np.ptp(pool, axis=0))):  # fmt: skip
                p = ts.rivals.hotelling_test(a / unit, b / unit, ridge=True, null="f").pvalue
                found.setdefault(f"{scale}, {'same' if i == j else 'different'}", []).append(bool(p > LEVEL))
    return found


def run(options: Options) -> None:
    """The page."""
    count = options.count(REPETITIONS, 1)
    parts, cost = [], 0.0
    for title, section in (
        ("## BIO: which six features", _search_section), ("## The bandwidth", _rules_section),
        ("## Wolf and the order of equal values", _ties_section), ("## Wolf with stars", stars.section),
        ("## Hall", _hall_section),
        ("## The t-test with a ridge on FOREST10D", _ridge_section),
    ):  # fmt: skip
        text, seconds = section(count, options)
        parts += [title, *text]
        cost += seconds
    page.write(options.out, "table2-variants", "Table 2: variants", [
        *parts, f"Seed {options.seed}, other draws than those of Table 2; {cost / 60:.1f} minutes of processor time."
    ])  # fmt: skip


def _mean(done: list[Outcome], key: str) -> Any:
    return np.mean([outcome[key] for outcome in done], axis=0)


def _search_section(count: int, options: Options) -> tuple[list[str], float]:
    draws = max(1, count // 5)
    done = repeat("table2-search", search, {}, range(draws), options)
    there = dict(zip(TESTS, PAPER["BIO", "different"], strict=False))
    target = np.array([there[test] for test in SEARCHED])
    found = {window: _mean(done.outcomes, window) for window in done.outcomes[0]}
    ranked = sorted(found, key=lambda window: float(np.abs(found[window] - target).max()))
    rows, cost = [], done.seconds
    for window in [*ranked[:5], *({"f01 to f06"} - set(ranked[:5]))]:
        more = repeat("table2-left-out", left_out, {"window": int(window[1:3]) - 1}, range(draws), options)
        cost += more.seconds
        worst = float(np.abs(found[window] - target).max())
        values = [*found[window], *(_mean(more.outcomes, test) for test in LEFT_OUT)]
        rows.append([window, *(f"{value:.1f}" for value in values), f"{worst:.1f}"])
    rows.append(["paper", *(f"{there[test]:.1f}" for test in [*SEARCHED, *LEFT_OUT]), ""])
    return [
        f"H0 accepted, %, of the pairs of different features, in all 69 windows of six consecutive features "
        f"({done.count} draws), by five tests: the kernel tests by the rules of 2007. The five windows whose largest "
        f"difference from the paper's row is smallest, and f01 to f06. {', '.join(LEFT_OUT)} had no part in that order "
        f"({draws} other draws).",
        page.table(["features", *SEARCHED, *LEFT_OUT, "largest difference in the search"], rows),
    ], cost


def _rules_section(count: int, options: Options) -> tuple[list[str], float]:
    parts, cost = [], 0.0
    sets = {"BIO": count} if options.quick else {"CNUM": count, "BIO": count, "FOREST": max(1, count // 2)}
    for name, draws in sets.items():
        done = repeat("table2-rules", rules, {"name": name}, range(draws), options)
        cost += done.seconds
        rows = [[rule, *(f"{value:.1f}" for value in _mean(done.outcomes, rule))] for rule in RULES]
        there = PAPER[name, "different"][:4]
        rows.append(["paper", *(f"{value:.1f}" for value in there), f"{there[3]:.1f}"])
        head = [f"{name}, {done.count} draws: bandwidth from", *KERNEL[:3], "MMD²_u M, kurtosis of the code",
                "MMD²_u M, of the prose"]  # fmt: skip
        parts.append(page.table(head, rows))
    return [
        "H0 accepted, %, of the pairs of different attributes. The prose has the median distance, the others σ² = half "
        "the median of the squared distances that are not 0. The statistic keeps k(x_i, y_i), and B permutes labels.",
        *parts,
    ], cost


def _ties_section(count: int, options: Options) -> tuple[list[str], float]:
    done = repeat("table2-ties", ties, {}, range(count), options)
    rows = [[key, f"{_mean(done.outcomes, key):.1f}"] for key in done.outcomes[0]]
    paper = [f"{PAPER['CNUM', kind][TESTS.index('Wolf')]:.1f} ({kind})" for kind in ("same", "different")]
    return [
        "Most values of CNUM occur many times, and equal values can join the tree in any order; as a path, in these "
        "ways. The runs test of Wald "
        f"and Wolfowitz, which is Wolf in one column, accepts, % ({done.count} draws; paper: {', '.join(paper)}, its "
        "rule is not stated):",
        page.table(["order of equal values, attributes", "H0 accepted"], rows),
    ], done.seconds


def _hall_section(count: int, options: Options) -> tuple[list[str], float]:
    rows, cost = [], 0.0
    for name in ("CNUM", "FOREST"):
        done = repeat("table2-hall", hall, {"name": name}, range(max(1, count // 5)), options)
        cost += done.seconds
        there = PAPER[name, "different"][TESTS.index("Hall")]
        rates = [f"{_mean(done.outcomes, key):.1f}" for key in done.outcomes[0]]
        rows.append([name, str(done.count), *rates, f"{there:.1f}"])
    head = ["data", "draws", *(f"{k} neighbours" for k in NEIGHBOURS), "10 points a sample", "paper"]
    return [
        "H0 accepted, %, of two different pairs for each attribute, with equal weights up to so many neighbours or "
        "with few points, 39 permutations. Nothing here gives the paper's numbers.",
        page.table(head, rows),
    ], cost


def _ridge_section(count: int, options: Options) -> tuple[list[str], float]:
    done = repeat("table2-ridge", ridge, {}, range(count), options)
    rows = [[key, f"{100 * np.mean([outcome[key] for outcome in done.outcomes]):.1f}"] for key in done.outcomes[0]]
    paper = [f"{PAPER['FOREST10D', kind][TESTS.index('t-test')]:.1f} ({kind})" for kind in ("same", "different")]
    return [
        f"H0 accepted, %, over {done.count} draws; the paper has {', '.join(paper)}. A ridge depends on the units of "
        "the columns, and the paper does not say whether they were changed.",
        page.table(["columns, tables", "H0 accepted"], rows),
    ], done.seconds
