"""Pictures as data: bars of whole numbers, tails, the band of chance around the witness."""

from itertools import pairwise

import numpy as np
import pytest

from twosample._pictures import WeightedNumbers, number_picture, step_of


def drawn(x, y, **options):
    return number_picture(WeightedNumbers.of_values(x), WeightedNumbers.of_values(y), 1.0, **options)


def naive_shares(edges, values):
    last = np.append(edges[:-1], np.nextafter(edges[-1], np.inf))
    return [np.mean((values >= low) & (values < high)) for low, high in pairwise(last)]


def test_shares_of_bars_and_tails_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    x, y = rng.lognormal(0, 2, 3000), rng.lognormal(0.2, 2, 2000)
    picture = drawn(x, y)
    wide = picture.edges[1] - picture.edges[0]
    for values, density, beyond in ((x, picture.density_a, picture.beyond_a), (y, picture.density_b, picture.beyond_b)):
        assert np.array(density) * wide == pytest.approx(naive_shares(picture.edges, values), abs=1e-5)
        assert beyond == pytest.approx((np.mean(values < picture.edges[0]), np.mean(values > picture.edges[-1])))
        assert sum(density) * wide + sum(beyond) == pytest.approx(1, abs=1e-4)
    assert picture.beyond_a[1] > 0.02
    assert picture.edges[-1] < np.quantile(x, 0.99)


def test_values_that_are_not_far_have_no_tail():
    rng = np.random.default_rng(0)
    picture = drawn(rng.normal(size=5000), rng.normal(size=5000))
    assert picture.beyond_a == picture.beyond_b == (0.0, 0.0)


def test_whole_numbers_have_a_bar_each_or_bars_of_as_many():
    rng = np.random.default_rng(0)
    months = rng.integers(1, 13, 500).astype(float)
    picture = drawn(months, months, step=1.0)
    assert picture.edges == tuple(np.arange(0.5, 13))
    many = rng.integers(0, 1000, 5000).astype(float)
    edges = np.array(drawn(many, many, step=1.0).edges)
    assert len({np.sum((np.arange(2000) >= low) & (np.arange(2000) < high)) for low, high in pairwise(edges)}) == 1
    tenths = rng.integers(0, 50, 500) / 10
    assert np.diff(drawn(tenths, tenths, step=0.1).edges) == pytest.approx(0.1)


def test_few_values_at_even_distances_have_a_bar_each():
    values = np.round(np.arange(48) / 47, 6)
    rng = np.random.default_rng(0)
    picture = drawn(rng.choice(values, 900), np.concatenate([values, rng.choice(values, 900)]))
    assert len(picture.edges) == 49
    assert all(np.sum((values >= low) & (values < high)) == 1 for low, high in pairwise(picture.edges))
    uneven = np.array([0.0, 1.0, 1.618, 30.0])
    assert len(drawn(uneven, uneven).edges) == 41


def test_steps():
    assert step_of(np.array([1.0, 2.0, 7.0])) == 1
    assert step_of(np.array([0.1, 0.3], dtype=np.float32).astype(float)) == 0.1
    assert step_of(np.array([0.123456, 1.0])) == 0
    assert step_of(np.array([0.0, 7200.0]), dates=True) == 3600
    assert step_of(np.array([86_400.0, 0.0]), dates=True) == 86_400
    assert step_of(np.array([])) == 0


def naive_witness(x, y, bandwidth, at):
    return [
        np.exp(-0.5 * ((t - x) / bandwidth) ** 2).mean() - np.exp(-0.5 * ((t - y) / bandwidth) ** 2).mean() for t in at
    ]


def test_the_witness_against_its_definition():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=400), rng.normal(0.5, 2, 300)
    picture = number_picture(WeightedNumbers.of_values(x), WeightedNumbers.of_values(y), 0.7)
    assert picture.witness == pytest.approx(naive_witness(x, y, 0.7, picture.grid), abs=2e-3)


@pytest.mark.parametrize("kind", ["normal", "lognormal", "few values"])
def test_chance_leaves_the_band_no_more_often_than_it_says(kind):
    rng = np.random.default_rng(5)
    draw = {
        "normal": lambda n: rng.normal(size=n),
        "lognormal": lambda n: rng.lognormal(0, 1.5, n),
        "few values": lambda n: rng.integers(0, 4, n).astype(float),
    }[kind]
    runs, left = 400, 0
    for _ in range(runs):
        picture = drawn(draw(150), draw(250))
        left += bool((np.abs(picture.witness) > np.array(picture.band) + 1e-9).any())
    assert left / runs < 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    assert left > 0  # nor is it so wide that nothing could
