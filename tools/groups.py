"""Measure level and power of permuting groups of rows against permuting rows, and write docs/groups.md.

usage: python tools/groups.py [REPETITIONS]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import reduce
from math import sqrt
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import twosample as ts

ROOT = Path(__file__).resolve().parents[1]

HEAD = """# Permuting groups instead of rows

For whoever uses sketches of several columns and asks what they give up.

A sketch of several columns keeps sums of features over groups of rows, not the rows, and its p-value permutes the
groups. Under H0 groups of the same size are exchangeable, so the level holds exactly; where sizes differ (m ≠ n, merged
shards) random rotations take the place of permutations, which is right for sums of many rows. What is lost is a little
power, because the sums hide the spread inside a group. Measured over {repetitions} seeded
repetitions at level 0.05 (`python tools/groups.py`; a rate has a standard error of at most {error:.3f}).

"""

Draw = Callable[[np.random.Generator, int], np.ndarray]
SAMES: dict[str, Draw] = {
    "normal, 3 columns": lambda rng, k: rng.normal(size=(k, 3)),
    "Poisson(0.7), 2 columns (ties)": lambda rng, k: rng.poisson(0.7, size=(k, 2)).astype(float),
    "Student t(2), 3 columns": lambda rng, k: rng.standard_t(2, size=(k, 3)),
}
CHANGES: dict[str, tuple[Draw, Draw]] = {
    "mean shifted by 0.15 in 3 columns": (lambda r, k: r.normal(size=(k, 3)), lambda r, k: r.normal(0.15, 1, (k, 3))),
    "scale 1.15 in 3 columns": (lambda r, k: r.normal(size=(k, 3)), lambda r, k: r.normal(0, 1.15, (k, 3))),
    "normal against Laplace, 2 columns": (
        lambda r, k: r.normal(size=(k, 2)),
        lambda r, k: r.laplace(scale=sqrt(0.5), size=(k, 2)),
    ),
}
SIZES = [(500, 500, 1), (500, 200, 1), (640, 64, 1), (1000, 1000, 20)]


def by_groups(x: np.ndarray, y: np.ndarray, shards: int, seed: int) -> bool:
    """Sketch both, the second in shards that are merged, and test."""
    a = ts.Sketch.fit(x)
    b = reduce(ts.Sketch.merge, [ts.Sketch.fit(part, like=a) for part in np.array_split(y, shards)])
    return ts.mmd_test(a, b, null=ts.Permutation(n=199), rng=seed).rejected


def level(draw: Draw, m: int, n: int, shards: int, repetitions: int) -> float:
    """The share of rejections under H0."""
    found = 0
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, m, n])
        found += by_groups(draw(rng, m), draw(rng, n), shards, seed)
    return found / repetitions


def power(draws: tuple[Draw, Draw], m: int, n: int, repetitions: int) -> tuple[float, float]:
    """The share of rejections by groups and by rows."""
    found = np.zeros(2)
    for seed in range(repetitions):
        rng = np.random.default_rng([seed, m, n])
        x, y = draws[0](rng, m), draws[1](rng, n)
        found += by_groups(x, y, 1, seed), ts.mmd_test(x, y, null=ts.Permutation(n=199), rng=seed).rejected
    return float(found[0]) / repetitions, float(found[1]) / repetitions


def main() -> None:
    """Measure and write."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    lines = [HEAD.format(repetitions=repetitions, error=sqrt(0.25 / repetitions)).rstrip() + "\n", "## Level", ""]
    heads = " | ".join(f"{m} + {n}" + (f" in {s} shards" if s > 1 else "") for m, n, s in SIZES)
    lines += [f"| data | {heads} |", "|---|" + "---|" * len(SIZES)]
    for name, draw in SAMES.items():
        rates = " | ".join(f"{level(draw, m, n, s, repetitions):.3f}" for m, n, s in SIZES)
        lines.append(f"| {name} | {rates} |")
    lines += ["", "## Power", "", "| difference | rows | by groups | by rows |", "|---|---|---|---|"]
    for name, draws in CHANGES.items():
        for m, n in ((300, 300), (400, 200)):
            groups, rows = power(draws, m, n, repetitions)
            lines.append(f"| {name} | {m} + {n} | {groups:.3f} | {rows:.3f} |")
    lines += ["", "Where next: [engines](engines.md#sketches), [measured levels](levels.md)."]
    (ROOT / "docs" / "groups.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
