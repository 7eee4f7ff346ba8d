"""Views of a column: what was planted is different and named, and random halves are left alone."""

import numpy as np
import pytest

import twosample as ts

ROWS = 5000


def table(rng, rows=ROWS):
    return {
        "price": rng.lognormal(3, 0.6, rows),
        "age": rng.integers(18, 90, rows),
        "city": rng.choice(["a", "b", "c", "d"], rows),
    }


def planted(what, b):
    few = np.arange(ROWS)
    if what == "units":
        return {**b, "price": np.where(few < 100, 100 * b["price"], b["price"])}
    if what == "sentinel":
        return {**b, "age": np.where(few < 100, -999, b["age"])}
    if what == "category":
        return {**b, "city": np.where(few < 150, "new", b["city"])}
    if what == "cut":
        return {**b, "price": np.minimum(b["price"], np.quantile(b["price"], 0.95))}
    return {**b, "age": 5 * np.round(b["age"] / 5).astype(int)}


@pytest.mark.parametrize(
    ("what", "column", "words"),
    [
        ("units", "price", "at least "), ("sentinel", "age", " in none of A and in 2.0 % of B"),
        ("category", "city", "'new' in none of A and in 3.0 % of B"), ("cut", "price", " 5."),
        ("rounding", "age", " of A and in all of B"),
    ],
)  # fmt: skip
def test_planted_differences_are_different_and_named(what, column, words):
    rng = np.random.default_rng(0)
    c = ts.compare(table(rng), planted(what, table(rng)))
    found = c.columns[0]
    assert (c.verdict, found.name, found.verdict) == ("different", column, "different")
    assert words in found.view
    assert found.where[0].text == found.view
    assert found.effect_low > 0.05


def test_a_rare_flag_that_became_four_times_as_frequent():
    rng = np.random.default_rng(3)
    c = ts.compare({"flag": rng.random(ROWS) < 0.001}, {"flag": rng.random(ROWS) < 0.004})
    assert c.verdict in ("different", "small difference")


@pytest.mark.parametrize("sizes", [(60, 60), (400, 400), (30, 1500)])
def test_random_halves_are_not_different(sizes):
    rng, different = np.random.default_rng(5), 0
    draws = 60
    for _ in range(draws):
        a, b = (
            {
                "price": np.round(rng.lognormal(size=rows), 1), "rare": rng.random(rows) < 0.01,
                "kind": rng.choice([f"k{i}" for i in range(40)], rows), "age": rng.integers(0, 9, rows),
            }
            for rows in sizes
        )  # fmt: skip
        different += ts.compare(a, b).verdict == "different"
    assert different <= 8  # 5 % of 60 is 3; more than 8 has a chance of 0.2 %
