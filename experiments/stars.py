"""Wolf when equal values form stars in the spanning tree: the rule that gives the paper's numbers.

Kruskal's algorithm takes edges of equal length in the order of the rows, so that all rows with one value hang on the
first of them. Such a tree has nodes of many edges, the variance of the number of runs grows with those, and the test
loses power as equal values become more frequent with the size of the samples.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
from scipy.stats import norm

from experiments import data, page
from experiments.matching import SETS, generator
from experiments.procedures import LEVEL
from experiments.runner import Options, Outcome, repeat
from experiments.table2 import PAPER, TESTS

SIZES = [25, 50, 100, 200, 400, 800, 1600]


def runs_pvalue(x: np.ndarray, y: np.ndarray) -> float:
    """Of few runs on the tree of one column, by the normal law of Friedman and Rafsky given the tree."""
    m, n = len(x), len(y)
    N, product = m + n, 2 * m * n
    labels = np.arange(N) < m
    values, first, place, count = np.unique(
        np.concatenate([x, y]), return_index=True, return_inverse=True, return_counts=True
    )
    degrees = np.ones(N)  # rows hang on the first one with their value, and these on each other
    degrees[first] = count - 1 + (np.arange(len(values)) > 0) + (np.arange(len(values)) < len(values) - 1)
    across = np.count_nonzero(labels != labels[first[place]]) + np.count_nonzero(np.diff(labels[first]))
    pairs = float((degrees * (degrees - 1) / 2).sum())
    shape = (pairs - N + 2) * (N * (N - 1) - 2 * product + 2) / ((N - 2) * (N - 3))
    deviation = sqrt(product / (N * (N - 1)) * ((product - N) / N + shape))
    return float(norm.cdf((across - product / N) / deviation))


def table_work(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of Table 2: H0 accepted, %, of the same and of different attributes."""
    A, B = SETS[settings["name"]].halves(
        np.random.default_rng(generator(settings["seed"], 191, settings["name"], number))
    )
    found: dict[str, list[bool]] = {"same": [], "different": []}
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            found["same" if i == j else "different"].append(runs_pvalue(a, b) > LEVEL)
    return {kind: 100 * float(np.mean(yes)) for kind, yes in found.items()}


def size_work(settings: dict[str, Any], number: int) -> Outcome:
    """One draw of Figure 5 on FOREST at each size: whether H0 is accepted of two different attributes."""
    rng = np.random.default_rng(generator(settings["seed"], 192, "FOREST", number))
    table, found = data.forest(), {}
    for size in SIZES:
        i, j = rng.choice(table.shape[1], 2, replace=False)
        rows = rng.choice(len(table), 2 * size, replace=False)
        found[str(size)] = float(runs_pvalue(table[rows[:size], i], table[rows[size:], j]) > LEVEL)
    return found


def section(count: int, options: Options) -> tuple[list[str], float]:
    """Both studies, and their processor time."""
    rows, cost = [], 0.0
    for name in ("CNUM", "FOREST"):
        paper = [PAPER[name, kind][TESTS.index("Wolf")] for kind in ("same", "different")]
        done = repeat("table2-stars", table_work, {"name": name}, range(2 * count), options)
        cost += done.seconds
        values = [f"{np.mean([one[kind] for one in done.outcomes]):.1f}" for kind in ("same", "different")]
        rows.append([name, str(done.count), *values, *(f"{value:.1f}" for value in paper)])
    sizes = repeat("figure5-stars", size_work, {}, range(20 * count), options)
    curve = [f"{100 * np.mean([one[str(size)] for one in sizes.outcomes]):.1f}" for size in SIZES]
    return [
        "All rows of one value hanging on the first of them, as Kruskal's algorithm joins them if it takes equal "
        "distances in the order of the rows; the normal law given the tree. H0 accepted, %:",
        page.table(["data", "draws", "same", "different", "paper, same", "paper, different"], rows),
        "The paper remarks that Wolf worsens on FOREST as samples grow (Figure 5). With this tree it does: different "
        f"attributes of FOREST accepted, %, over {sizes.count} draws, by the points in each sample.",
        page.table(["points", *map(str, SIZES)], [["H0 accepted", *curve]]),
        "That the authors' program joined equal values in this way is an inference from these numbers.",
    ], cost + sizes.seconds
