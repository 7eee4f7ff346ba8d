"""Pairs of samples under H0 on which every test must hold its level: not only Gaussians."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Sampler = Callable[[np.random.Generator], tuple[np.ndarray, np.ndarray]]


def _both(draw: Callable[[np.random.Generator, int], np.ndarray], m: int, n: int) -> Sampler:
    return lambda rng: (draw(rng, m), draw(rng, n))


PROBLEMS: dict[str, Sampler] = {
    "normal": _both(lambda rng, k: rng.normal(size=(k, 2)), 50, 50),
    "heavy tails": _both(lambda rng, k: rng.standard_t(1.5, size=(k, 2)), 50, 50),
    "ties": _both(lambda rng, k: rng.poisson(0.7, size=(k, 1)).astype(float), 50, 50),
    "bernoulli": _both(lambda rng, k: (rng.random((k, 1)) < 0.05).astype(float), 15, 15),
    "unequal": _both(lambda rng, k: rng.normal(size=(k, 2)), 30, 300),
    "high dimension": _both(lambda rng, k: rng.normal(size=(k, 200)), 25, 25),
}


def _mixed(rng: np.random.Generator, k: int) -> dict[str, list[object]]:
    """A table of numbers with gaps, categories and whole numbers."""
    numbers = rng.normal(size=k)
    return {
        "number": [None if gap else value for gap, value in zip(rng.random(k) < 0.2, numbers.tolist(), strict=True)],
        "category": rng.choice(["a", "b", "c"], size=k, p=[0.6, 0.3, 0.1]).tolist(),
        "count": rng.poisson(1.5, size=k).tolist(),
    }


MORE_PROBLEMS: dict[str, Callable[[np.random.Generator], tuple[object, object]]] = {
    "discrete, two columns": _both(lambda rng, k: rng.poisson(0.5, size=(k, 2)).astype(float), 50, 50),
    "cauchy": _both(lambda rng, k: rng.standard_cauchy(size=(k, 5)), 30, 60),
    "units and a constant": _both(
        lambda rng, k: np.column_stack([rng.normal(size=(k, 3)) * [1e-9, 1, 1e9], np.full(k, 7.0)]), 25, 50
    ),
    "one column": _both(lambda rng, k: rng.exponential(size=(k, 1)), 40, 40),
    "four modes": _both(lambda rng, k: 20 * rng.choice([-1, 1], size=(k, 2)) + rng.normal(size=(k, 2)), 60, 60),
    "mixed table": lambda rng: (_mixed(rng, 30), _mixed(rng, 40)),
}
"""More of the same, for tests that promise to be exact on anything."""
