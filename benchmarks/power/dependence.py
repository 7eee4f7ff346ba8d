"""``python -m benchmarks power --set dependence``: how often HSIC at one scale and at several sees a dependence."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import twosample as ts

Pairs = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]
ROWS = 100
KERNELS = {"median bandwidth": "gaussian", "adaptive": "adaptive"}


def line(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x, noise = rng.normal(size=(2, ROWS))
    return x, 0.3 * x + noise


def parabola(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x, noise = rng.normal(size=(2, ROWS))
    return x, 0.35 * x**2 + noise


def waves(count: int, noise: float) -> Pairs:
    """So many periods of a sine."""

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x = rng.random(ROWS)
        return x, np.sin(2 * np.pi * count * x) + noise * rng.normal(size=ROWS)

    return draw


def circle(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    angle = rng.uniform(0, 2 * np.pi, size=ROWS)
    x, y = np.array([np.cos(angle), np.sin(angle)]) + 0.5 * rng.normal(size=(2, ROWS))
    return x, y


def none(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x, y = rng.normal(size=(2, ROWS))
    return x, y


PROBLEMS: dict[str, Pairs] = {
    "line, correlation 0.29": line,
    "parabola": parabola,
    "two waves": waves(2, 1.2),
    "four waves": waves(4, 0.7),
    "noisy circle": circle,
    "independent": none,
}


def table(repetitions: int, resamples: int, seed: int) -> str:
    """A Markdown table of the shares of rejections at level 0.05."""
    error = 0.5 / np.sqrt(repetitions)
    lines = [
        f"Share of rejections at 0.05 with {ROWS} rows: {repetitions} repetitions (standard error at most "
        f"{error:.3f}), {resamples} permutations, seed {seed}.\n",
        f"| dependence | {' | '.join(KERNELS)} |",
        "|---|" + "---|" * len(KERNELS),
    ]
    for name, problem in PROBLEMS.items():
        counts = dict.fromkeys(KERNELS, 0)
        for i in range(repetitions):
            x, y = problem(np.random.default_rng([seed, i]))
            for kernel, option in KERNELS.items():
                counts[kernel] += ts.hsic_test(x, y, kernel=option, null=ts.Permutation(resamples), rng=i).rejected
        lines.append(f"| {name} | " + " | ".join(f"{count / repetitions:.2f}" for count in counts.values()) + " |")
    return "\n".join(lines)
