"""Ranks, and cosines of them, against their definition."""

import numpy as np
import pytest

from twosample.core.ranks import cosines, rank_features, top_frequency


def test_cosines_by_definition():
    u = np.random.default_rng(0).random(20)
    found = cosines(u, 90)
    assert found[0] == pytest.approx(np.ones(20))
    for f in (1, 2, 17, 90):
        assert found[f] == pytest.approx(np.sqrt(2) * np.cos(np.pi * f * u), abs=1e-11)


def test_features_are_means_over_the_piece_of_each_point():
    rows = np.array([1.0, 5.0, 2.0, 12.0])
    found, ends = rank_features(rows, 0.1), np.cumsum(rows) / 20
    assert found.shape == (4, top_frequency(0.1))
    for i, (low, high) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        u = low + (high - low) * (np.arange(4000) + 0.5) / 4000
        for f in range(1, found.shape[1] + 1):
            mean = np.exp(-((np.pi * 0.1 * f) ** 2) / 4) * np.sqrt(2) * np.cos(np.pi * f * u).mean()
            assert found[i, f - 1] == pytest.approx(mean, abs=1e-6)


def test_the_kernel_is_gaussian_between_walls():
    """Far from the walls, up to the constant that a mean of zero takes away and what the last features would add."""
    features = rank_features(np.ones(400), 0.05)
    row = features @ features[200]
    u = (np.arange(400) + 0.5) / 400
    expected = np.exp(-((u - u[200]) ** 2) / (2 * 0.05**2)) / (0.05 * np.sqrt(2 * np.pi)) - 1
    assert np.abs(row - expected).max() < 0.02 * expected.max()
