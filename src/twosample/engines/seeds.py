"""Randomness of an engine that leaves that of the test alone."""

from __future__ import annotations

import numpy as np


def child(rng: np.random.Generator | None, seed: int) -> np.random.Generator:
    """A generator of its own, so that labellings are the same with every engine.

    Parameters
    ----------
    rng
        The generator of the test, whose own stream is not touched; None to start from the seed.
    seed
        A seed for when there is no generator.
    """
    if rng is None:
        return np.random.default_rng(int(seed))
    try:
        return rng.spawn(1)[0]
    except TypeError:  # it was made from a bare state, which has no children
        return np.random.default_rng(rng.integers(2**63))
