"""Quantiles of the distances on a line, against all pairs written down: rows, counts and bins follow one rule."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from twosample.core.line_distances import WeightedLine, line_quantiles, typical_distance

RNG = np.random.default_rng(0)
LEVELS = np.array([0.05, 0.5, 0.9])


def by_pairs(rows, level):
    lengths = pdist(rows[:, None], "cityblock")
    value = np.quantile(lengths, level)
    return value if value > 0 else np.quantile(lengths[lengths > 0], level)


@pytest.mark.parametrize(
    "rows",
    [
        RNG.normal(size=300),
        RNG.integers(0, 4, size=200).astype(float),
        np.r_[np.zeros(90), RNG.normal(size=10)],
        np.array([1.0, 1.0, 5.0]),
        1e9 + RNG.normal(size=100),
        1e-300 * RNG.normal(size=100),
        RNG.standard_cauchy(size=1500),
        RNG.poisson(1e4, size=2000).astype(float),
        0.1 * np.arange(800),
        np.r_[np.zeros(1500), RNG.normal(size=500)],
    ],
    ids=["normal", "integers", "ties", "three", "offset", "tiny", "cauchy", "poisson", "even", "many-ties"],
)
def test_rows_and_counts_give_the_quantile_of_all_pairs(rows):
    place, mass = np.unique(rows, return_counts=True)
    counted = WeightedLine(place, mass.astype(float))
    for level, found in zip(LEVELS, line_quantiles(np.sort(rows), LEVELS), strict=True):
        expected = by_pairs(rows, level)
        assert found == pytest.approx(expected, rel=1e-12)
        assert counted.quantile(level) == pytest.approx(expected, rel=1e-12)
    assert counted.quantile(0.0) == pytest.approx(by_pairs(rows, 0.0), rel=1e-12)
    assert counted.quantile(1.0) == pytest.approx(by_pairs(rows, 1.0), rel=1e-12)


def test_rows_in_bins_are_taken_to_be_spread():
    rows = RNG.normal(size=20_000)
    width = 1 / 32
    place, mass = np.unique(np.floor(rows / width), return_counts=True)
    binned = WeightedLine((place + 0.5) * width, mass.astype(float), blur=width)
    exact = line_quantiles(np.sort(rows), LEVELS)
    for level, expected in zip(LEVELS, exact, strict=True):
        assert binned.quantile(level) == pytest.approx(expected, rel=2e-3)


def test_a_quantile_within_one_bin_is_that_of_rows_in_different_bins():
    assert WeightedLine(np.array([0.0, 7.0]), np.array([99.0, 1.0]), blur=1.0).quantile(0.5) == pytest.approx(7, abs=1)
    assert WeightedLine(np.array([0.0]), np.array([99.0]), blur=1.0).quantile(0.5) == 0


def test_typical_distance():
    x = np.sort(RNG.normal(size=60))
    assert typical_distance(x, 65) == pytest.approx(by_pairs(x, 0.5), rel=0.02)
    y = np.sort(RNG.normal(size=6000))
    assert typical_distance(y, 65) == pytest.approx(line_quantiles(y, np.array([0.5]))[0], rel=0.1)
    assert typical_distance(np.sort(np.r_[np.zeros(5000), 3.0]), 65) == 3.0
    assert typical_distance(np.zeros(5), 65) == 0
