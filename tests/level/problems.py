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
