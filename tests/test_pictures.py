"""Pictures as data: densities, witness, shares and words, against their definitions."""

import numpy as np
import pytest

import twosample as ts
from twosample._pictures import SHOWN, WeightedNumbers, number_picture, share_picture, word_picture


@pytest.mark.parametrize("size", [30, 3000])
def test_densities_and_witness_are_those_of_the_rows(size):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=size), rng.normal(0.5, size=size)
    drawn = number_picture(WeightedNumbers.of_values(x), WeightedNumbers.of_values(y), 0.7)
    edges = np.array(drawn.edges)
    for rows, density in ((x, drawn.density_a), (y, drawn.density_b)):
        expected = np.histogram(rows, bins=edges)[0] / size / np.diff(edges)
        np.testing.assert_allclose(density, expected, atol=1e-5 * expected.max())
        assert np.sum(density) * (edges[1] - edges[0]) == pytest.approx(1.0, abs=1e-4)  # no tail is cut off here
    witness = ts.witness(x, y, kernel=ts.Gaussian(0.7))(np.array(drawn.grid))
    np.testing.assert_allclose(drawn.witness, witness, atol=3e-3)  # points stand for rows: as fine as a line is


def test_a_constant_and_a_tiny_range_can_be_drawn():
    for values in ([5.0], [0.0, 1e-310]):
        numbers = WeightedNumbers.of_values(np.array(values))
        drawn = number_picture(numbers, numbers, 1.0)
        assert np.isfinite(drawn.density_a).all()
        assert np.sum(drawn.density_b) > 0
        assert drawn.density_a == drawn.density_b


def test_shares_are_of_all_rows_and_the_rest_is_counted():
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 50, (2, 30)).astype(float)
    labels = [f"c{i}" for i in range(30)]
    drawn = share_picture(labels, a, b, (0.1, 0.0))
    one, two = 0.9 * a / a.sum(), b / b.sum()
    order = sorted(range(30), key=lambda i: -abs(one[i] - two[i]))[:SHOWN]
    assert drawn.labels == tuple(labels[i] for i in order)
    np.testing.assert_allclose(drawn.shares_a, one[order], atol=1e-6)
    np.testing.assert_allclose(drawn.differences, (two - one)[order], atol=2e-6)
    assert sum(drawn.shares_a) + drawn.other_a + drawn.missing_a == pytest.approx(1.0, abs=1e-5)
    assert sum(drawn.shares_b) + drawn.other_b == pytest.approx(1.0, abs=1e-5)


def test_words_count_once_for_each_text():
    drawn = word_picture(["no, no, no!", "yes"], ["No way", "no", "maybe not"], (0.0, 0.25))
    shares = dict(zip(drawn.labels, zip(drawn.shares_a, drawn.shares_b, strict=True), strict=True))
    assert shares["no"] == (0.5, pytest.approx(2 / 3))
    assert shares["yes"] == (0.5, 0.0)
    assert (drawn.words, drawn.other_a, drawn.missing_b) == (True, None, 0.25)


def test_a_matching_gives_the_picture_of_each_pair():
    rng = np.random.default_rng(0)
    a = {"inch": rng.normal(68, 3, 400), "town": rng.choice(["Oslo", "Rome"], 400)}
    b = {"cm": 2.54 * rng.normal(68, 3, 300), "city": rng.choice(["Oslo", "Rome"], 300)}
    m = ts.match(a, b, rescale=True)
    numbers, shares = m.picture(m["inch"]), m.picture(m["town"])
    assert 120 < numbers.edges[0] < numbers.edges[-1] < 230  # in centimetres, both
    assert set(shares.labels) == {"Oslo", "Rome"}
    assert sum(shares.shares_a) == pytest.approx(1.0)
