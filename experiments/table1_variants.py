"""Variants of Table 1: Health status by other bandwidths, scales of the arrays, and the procedure of 2007."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from experiments import factored, original, page
from experiments.procedures import Pair
from experiments.runner import Options, Outcome, repeat
from experiments.table1 import PAPER, TESTS, draw, two_sets

REPETITIONS = 100
FACTORS = [1.0, 0.5**0.5, 0.5, 0.25]
SCALES = ["values as they are", "logarithms of values, at least 1", "standardised genes", "standardised arrays"]
SHOWN = ["MMD²_u B", "MMD²_u M", "MMD²_u M, prose"]


@cache
def scaled(scale: str) -> tuple[np.ndarray, np.ndarray]:
    """Tumours and normal tissue after the change."""
    A, B = two_sets("Health status")
    both = np.concatenate([A, B])
    if scale.startswith("logarithms"):
        both = np.log(np.maximum(both, 1.0))
    elif scale == "standardised genes":
        both = (both - both.mean(axis=0)) / np.maximum(both.std(axis=0), 1e-12)
    elif scale == "standardised arrays":
        both = (both - both.mean(axis=1, keepdims=True)) / both.std(axis=1, keepdims=True)
    return both[: len(A)], both[len(A) :]


def work(settings: dict[str, Any], number: int) -> Outcome:
    """One draw: which kernel tests accept, by scale and bandwidth, for samples of one set and of both."""
    found: Outcome = {}
    for scale in SCALES:
        A, B = scaled(scale)
        rng = np.random.default_rng([settings["seed"], 179, number])
        for kind, pair in zip(("same", "different"), draw(A, B, 25, number, rng), strict=True):
            narrow = Pair.of(*pair)
            z = np.concatenate([narrow.x, narrow.y])
            middle = float(np.median(pdist(z)))
            for part in FACTORS if scale == SCALES[0] else FACTORS[:1]:
                labels = factored.worlds(25, 25, 199, number)
                tests = factored.accepted(z, 25, part * middle, labels, prose=True)
                found[f"{scale}, median × {part:.2g}, {kind}"] = [tests[test] for test in SHOWN]
            tests = original.accepted(z, 25, number)
            found[f"{scale}, 2007, {kind}"] = [tests[test] for test in SHOWN[:2]]
    return found


def run(options: Options) -> None:
    """The page."""
    done = repeat("table1-variants", work, {}, range(options.count(REPETITIONS, 2)), options)
    rows = []
    for key in done.outcomes[0]:
        rates = 100 * np.mean([outcome[key] for outcome in done.outcomes], axis=0)
        rows.append([*key.rsplit(", ", 2), *(f"{rate:.1f}" for rate in rates), *["–"] * (len(SHOWN) - len(rates))])
    for kind in ("same", "different"):
        there = dict(zip(TESTS, PAPER["Health status", kind], strict=False))
        rows.append(["**paper**", "", kind, *(f"{there.get(test):.1f}" if test in there else "–" for test in SHOWN)])
    page.write(options.out, "table1-variants", "Table 1: variants of Health status", [
        f"H0 accepted, %, over {done.count} draws that are not those of Table 1. \"Median × c\": our tests with the "
        "kernel Gaussian(c × median distance of the pool), 0.71 being half the median of the squares; \"MMD²_u M\" "
        "with the kurtosis of the authors' published code, and of the prose. \"2007\": the procedure of "
        "`experiments/original.py`, all of it.",
        page.table(["arrays", "rules", "attributes", *SHOWN], rows),
        "What was done to the arrays before the tests is not known, and matters more than any rule for the bandwidth.",
        f"Seed {options.seed}; {done.cost} of processor time.",
    ])  # fmt: skip
