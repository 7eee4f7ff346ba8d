"""The distance between tables is the paper's semi-metric: the same both ways, 0 for the same tables, never negative."""

from itertools import permutations

import numpy as np
import pytest

import twosample as ts
from twosample.core.line_distances import typical_distance
from twosample.matching.lines import rounded

WORDS = ["oslo", "rome", "bergen", "milan", "turin", "narvik"]


def table(seed, rows, shift=0.0):
    """Numbers of many shapes, codes, dates, categories and text, in an order of their own."""
    rng = np.random.default_rng(seed)
    columns = {
        "normal": rng.normal(shift, 1.0, rows),
        "wide": rng.normal(3.0, 5.0 + shift, rows),
        "skewed": rng.lognormal(shift, 1.5, rows),
        "often zero": np.where(rng.random(rows) < 0.7, 0.0, rng.lognormal(2.0, 1.0, rows)),
        "whole": rng.integers(0, 6, rows),
        "city": rng.choice(WORDS[:4], rows),
        "street": [" ".join(rng.choice(WORDS, 3)) + f" {k}" for k in rng.integers(900, size=rows)],
        "day": np.datetime64("2020-01-01") + rng.integers(0, 300, rows).astype("timedelta64[D]"),
    }
    order = rng.permutation(list(columns))
    return {f"{seed} {name}": columns[name] for name in order}


def numbers(seed, rows, columns=3):
    rng = np.random.default_rng(seed)
    scales, spots = rng.uniform(0.3, 3.0, columns), rng.normal(size=columns)
    return [spot + scale * rng.normal(size=rows) for spot, scale in zip(spots, scales, strict=True)]


def lists(seed, rows, count=3):
    """Tables of two columns."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rows, 2)) * rng.uniform(0.3, 3.0) + rng.normal(size=2) for _ in range(count)]


PAIRS = [(numbers(1, 90), numbers(2, 60)), (numbers(3, 80, 4), numbers(4, 80, 2)), (table(5, 150), table(6, 110, 0.8))]


@pytest.mark.parametrize(("a", "b"), PAIRS, ids=["equally wide", "one wider", "all kinds"])
@pytest.mark.parametrize("options", [{}, {"level": None}, {"rescale": True}, {"sample": 40}], ids=str)
def test_the_same_both_ways(a, b, options):
    one, two = ts.match(a, b, **options), ts.match(b, a, **options)
    assert one.distance == pytest.approx(two.distance, rel=1e-9)
    assert one.distance > 0
    np.testing.assert_allclose(one.mmd, two.mmd.T, rtol=1e-7)
    np.testing.assert_allclose(one.costs, two.costs.T, rtol=1e-7, atol=1e-9)
    if "rescale" not in options:  # the search over maps is a heuristic
        assert {(p.source, p.target) for p in one.pairs} == {(p.target, p.source) for p in two.pairs}


@pytest.mark.parametrize("make", [lambda: numbers(1, 90), lambda: table(5, 150), lambda: [np.zeros(9), np.arange(9.0)]])
def test_zero_for_the_same_rows_and_columns_in_any_order(make):
    a = make()
    values = list(a.values()) if isinstance(a, dict) else a
    rng = np.random.default_rng(0)
    b = {f"b{k}": np.asarray(values[k])[rng.permutation(len(values[k]))] for k in rng.permutation(len(values))}
    assert ts.match(a, b).distance == 0
    assert ts.match(a, b, rescale=True).distance == 0


def test_the_least_sum_over_all_ways_to_match():
    a, b = numbers(7, 70), numbers(8, 50)

    def mmd(x, y):
        widths = [float(rounded(np.array([typical_distance(np.sort(z), 65)]))[0]) for z in (x, y)]
        return ts.mmd(x, y, kernel=0.5 * (ts.Gaussian(widths[0]) + ts.Gaussian(widths[1])), statistic="biased")

    least = min(sum(mmd(a[i], b[j]) for i, j in enumerate(order)) for order in permutations(range(3)))
    assert ts.match(a, b).distance == pytest.approx(least, abs=1e-6)


@pytest.mark.parametrize("kernel", ["gaussian", "laplace", ts.Gaussian(1.0)], ids=str)
@pytest.mark.parametrize("rows", [(40, 25), (1500, 900)], ids=str)
def test_lists_of_tables(kernel, rows):
    a, b = lists(1, rows[0], 2), lists(2, rows[1], 2)
    one, two = (ts.match_tables(*sides, kernel=kernel, level=None) for sides in ((a, b), (b, a)))
    assert one.distance == pytest.approx(two.distance, rel=1e-12)
    assert one.distance > 0
    np.testing.assert_allclose(one.costs, two.costs.T, rtol=1e-9)
    same = ts.match_tables(a, [part[::-1] for part in a[::-1]], kernel=kernel, level=None)
    assert 0 <= same.distance < 1e-6


def test_one_kernel_gives_the_triangle_inequality():
    tables = [lists(seed, 30) for seed in range(5)]
    between = np.array(
        [[ts.match_tables(a, b, kernel=ts.Gaussian(1.0), level=None).distance for b in tables] for a in tables]
    )
    for i, j, k in permutations(range(5), 3):
        assert between[i, k] <= between[i, j] + between[j, k] + 1e-9


def test_costs_of_tables_are_those_of_the_test():
    a, b = lists(3, 60), lists(4, 50)
    found = ts.match_tables(a, b, level=None)
    for pair in found.pairs:
        i, j = int(pair.source), int(pair.target)
        assert pair.statistic == pytest.approx(pair.cost)
        assert pair.cost == pytest.approx(ts.mmd(a[i], b[j]))
        assert pair.mmd == pytest.approx(ts.mmd(a[i], b[j], statistic="biased"))
