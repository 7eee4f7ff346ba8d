"""``python -m benchmarks power --set scales``: what narrow kernels add to ``compare`` of tables of one column."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import twosample as ts
from twosample.tables import subjects

Column = Callable[[np.random.Generator, int, float], np.ndarray]
"""Draws so many numbers with a difference of a size from 0 to 1."""


def normal(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    return rng.normal(size=rows) + 0.25 * size


def wide(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    return rng.normal(size=rows) * (1 + 0.2 * size)


def modes(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    """Four modes far apart, of which one is wider."""
    mode = rng.integers(4, size=rows)
    return 20.0 * mode + rng.normal(size=rows) * np.where(mode == 0, 1 + 1.2 * size, 1.0)


def peaked(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    """Some rows are Laplace instead of normal, with the same variance."""
    return np.where(rng.random(rows) < size, rng.laplace(size=rows) / np.sqrt(2), rng.normal(size=rows))


def claw(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    """Some rows lie at five narrow peaks."""
    peaks = rng.integers(5, size=rows) / 2 - 1 + 0.1 * rng.normal(size=rows)
    return np.where(rng.random(rows) < 0.5 * size, peaks, rng.normal(size=rows))


def waves(count: int) -> Column:
    """Uniform, with so many waves on its density."""

    def draw(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
        kept: list[float] = []
        while len(kept) < rows:
            u = rng.random(4 * rows)
            kept.extend(u[rng.random(4 * rows) * (1 + 0.5 * size) < 1 + 0.5 * size * np.sin(2 * np.pi * count * u)])
        return np.array(kept[:rows])

    return draw


def ties(rng: np.random.Generator, rows: int, size: float) -> np.ndarray:
    del size
    return np.where(rng.random(rows) < 0.5, 0.0, np.round(rng.exponential(size=rows), 2))


PROBLEMS: dict[str, Column] = {
    "shift": normal,
    "spread": wide,
    "sharper peak": peaked,
    "one of four modes": modes,
    "five narrow peaks": claw,
    **{f"{count} waves": waves(count) for count in (2, 4, 8, 16)},
    "nothing, half zeros": ties,
}
SIZES = (500,)


def share(problem: Column, rows: int, repetitions: int, seed: int) -> float:
    """Of tables that are found different at level 0.05; the difference shrinks with the root of the rows."""
    size, found = np.sqrt(500 / rows), 0
    for i in range(repetitions):
        rng = np.random.default_rng([seed, i])
        x, y = problem(rng, rows // 2, 0.0), problem(rng, rows // 2, size)
        found += ts.compare({"v": x}, {"v": y}, rng=i)["v"].adjusted_pvalue <= 0.05
    return found / repetitions


def table(repetitions: int, seed: int) -> str:
    """A Markdown table: with the kernel at the median distance and all views, and with the narrow kernels too."""
    heads = [f"{rows:,} rows, {what}" for rows in SIZES for what in ("without", "with")]
    lines = [
        f"Share of tables of one column that are found different at level 0.05: {repetitions} repetitions (standard "
        f"error at most {0.5 / np.sqrt(repetitions):.3f}), seed {seed}.\n",
        f"| difference | {' | '.join(heads)} |",
        "|---|" + "---|" * len(heads),
    ]
    finer = subjects.FINER
    for name, problem in PROBLEMS.items():
        shares = []
        for rows in SIZES:
            for subjects.FINER in ((), finer):
                shares.append(share(problem, rows, repetitions, seed))
        lines.append(f"| {name} | " + " | ".join(f"{value:.2f}" for value in shares) + " |")
    return "\n".join(lines)
