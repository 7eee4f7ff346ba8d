"""Power on the toy problems of Section 8.1 at m = 250: the procedures rank as the paper says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import twosample as ts

M = 250

PROCEDURES = {
    "MMD_b": ("biased", "mcdiarmid"),
    "MMD²_u H": ("unbiased", "hoeffding"),
    "MMD²_u B": ("unbiased", ts.Permutation(n=199)),
    "MMD²_u M": ("unbiased", "pearson"),
    "MMD²_l": ("linear", "normal"),
}


def _mean_shift(rng: np.random.Generator, d: int, distance: float) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(M, d)), rng.normal(size=(M, d)) + distance / np.sqrt(d)


def _other_variance(rng: np.random.Generator, d: int, sigma: float) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(M, d)), sigma * rng.normal(size=(M, d))


def _power(draw, values: Sequence[float], d: int, repetitions: int) -> dict[str, float]:
    """Share of rejections at 0.05, averaged over the sizes of the difference as in the paper's Figure 4."""
    rejected = dict.fromkeys(PROCEDURES, 0)
    for value in values:
        for repetition in range(repetitions):
            seed = [repetition, int(1000 * value), d]
            x, y = draw(np.random.default_rng(seed), d, value)
            for name, (statistic, null) in PROCEDURES.items():
                rejected[name] += ts.mmd_test(x, y, statistic=statistic, null=null, rng=seed).rejected
    return {name: count / (len(values) * repetitions) for name, count in rejected.items()}


def _check_order(power: dict[str, float], slack: float) -> None:
    assert power["MMD²_u M"] == pytest.approx(power["MMD²_u B"], abs=slack)
    assert power["MMD²_u B"] >= power["MMD²_l"] - slack / 2
    assert power["MMD²_u B"] > power["MMD_b"]
    assert power["MMD_b"] >= power["MMD²_u H"]
    assert power["MMD²_l"] > power["MMD²_u H"]


@pytest.mark.parametrize(
    ("draw", "values", "d"), [(_mean_shift, (0.5, 1.5, 4.0), 10), (_other_variance, (1.1, 1.5, 4.0), 100)]
)
def test_order_small(draw, values, d):
    _check_order(_power(draw, values, d, repetitions=3), slack=0.25)


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 50, 500])
def test_order_of_means(d):
    _check_order(_power(_mean_shift, np.geomspace(0.05, 50, 10), d, repetitions=10), slack=0.06)


@pytest.mark.slow
@pytest.mark.parametrize("d", [2, 50, 500])
def test_order_of_variances(d):
    power = _power(_other_variance, np.geomspace(10**0.01, 10, 10), d, repetitions=10)
    _check_order(power, slack=0.06)
