"""Many tails at once against one careful inversion each."""

import numpy as np
import pytest

from twosample.core.chisquare import WeightedChiSquare
from twosample.core.tails import weighted_tails


def laws(decay, width, rng, count=60):
    ladder = decay ** np.arange(width)
    products = np.sort(np.multiply.outer(ladder, ladder).ravel())[::-1][:width]
    return products * np.exp(0.3 * rng.normal(size=(count, width)))


@pytest.mark.parametrize("decay", [0.05, 0.4, 0.8, 0.99])
@pytest.mark.parametrize("width", [2, 5, 25])
@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e12])
def test_agrees_with_the_careful_inversion_in_both_tails(decay, width, unit):
    rng = np.random.default_rng(0)
    weights = unit * laws(decay, width, rng)
    mean, spread = weights.sum(axis=1), np.sqrt(2 * (weights**2).sum(axis=1))
    places = np.maximum(mean + spread * rng.uniform(-1.5, 30, len(mean)), 1e-3 * mean)
    found = weighted_tails(weights, np.ones_like(weights), places)
    expected = [WeightedChiSquare(w).sf(t) for w, t in zip(weights, places, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_degrees_of_freedom_and_weights_of_either_sign_and_zero():
    weights = np.array([[1.0, -0.5, 0.0, 0.25], [2.0, 1.0, 0.5, 0.0]])
    counts = np.array([[1.0, 2.0, 1.0, 3.0], [1.0, 1.0, 4.0, 1.0]])
    for t in (-2.0, 0.3, 1.2, 9.0, 60.0):
        expected = [WeightedChiSquare(np.repeat(w, k.astype(int))).sf(t) for w, k in zip(weights, counts, strict=True)]
        np.testing.assert_allclose(weighted_tails(weights, counts, np.full(2, t)), expected, rtol=1e-5)


def test_a_single_weight_and_tails_beyond_the_range_of_doubles():
    single = np.array([[1.0, 0.0]])
    np.testing.assert_allclose(weighted_tails(single, np.ones((1, 2)), np.array([3.84145882])), 0.05, rtol=1e-6)
    assert weighted_tails(single, np.ones((1, 2)), np.array([1e5]))[0] < 1e-300
    assert weighted_tails(np.array([[1.0, 0.5]]), np.ones((1, 2)), np.array([-1.0]))[0] == 1.0
