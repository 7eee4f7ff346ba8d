"""Samples that the tests of sketches share, and when two answers are the same."""

import numpy as np
import pytest

DRAWS = {
    "normal": lambda rng, k: rng.normal(size=k),
    "uniform": lambda rng, k: rng.random(k),
    "exponential": lambda rng, k: rng.exponential(size=k),
    "two clouds": lambda rng, k: rng.normal(size=k) + 20 * rng.integers(0, 2, k),
    "poisson": lambda rng, k: rng.poisson(3.0, k).astype(float),
    "mostly zero": lambda rng, k: np.where(rng.random(k) < 0.8, 0.0, rng.normal(size=k)),
    "offset": lambda rng, k: 1e9 + rng.normal(size=k),
    "tiny": lambda rng, k: 1e-200 * rng.normal(size=k),
    "huge": lambda rng, k: 1e250 * rng.normal(size=k),
}


def pair(name, m=800, n=600, seed=0):
    rng = np.random.default_rng(seed)
    return DRAWS[name](rng, m), DRAWS[name](rng, n)


def rows_for(columns, seed=0, size=700):
    rng = np.random.default_rng(seed)
    return rng.standard_t(3, size=size) if columns == 1 else rng.normal(size=(size, columns))


def assert_same_answer(one, other):
    assert other.statistic == pytest.approx(one.statistic, rel=1e-9, abs=1e-12)
    assert other.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    assert (one.m, one.n) == (other.m, other.n)
