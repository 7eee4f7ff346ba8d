"""How much a column explains of another: against the formula row by row, and numbers that are known."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.independence.explained import explained_shares, of_categories, of_numbers


def naive(groups, target, present):
    """1 - (W / (n - g)) / (T / (n - 1)), one group at a time."""
    kept = [i for i in range(len(groups)) if present[i]]
    t = np.array([target[i] for i in kept], dtype=float)
    labels = [groups[i] for i in kept]
    total = ((t - t.mean(axis=0)) ** 2).sum()
    within = 0.0
    for label in set(labels):
        part = t[[other == label for other in labels]]
        within += ((part - part.mean(axis=0)) ** 2).sum()
    n, g = len(kept), len(set(labels))
    return max(0.0, 1 - (within / (n - g)) / (total / (n - 1)))


def test_the_formula(monkeypatch):
    from scipy.stats import rankdata

    monkeypatch.setattr("twosample.independence.explained._ENTRIES", 200)  # several blocks
    rng = np.random.default_rng(0)
    x = rng.normal(size=90)
    die = rng.integers(0, 4, 90).astype(float) + (x > 1)
    gaps = np.where(x > 1.2, 0.0, x + rng.normal(size=90))
    present = x <= 1.2
    words = [None if v > 1 else "ab"[int(v > 0)] for v in x + rng.normal(size=90)]
    columns = [of_numbers(x, x < 9), of_numbers(die, x < 9), of_numbers(gaps, present), of_categories(pl.Series(words))]
    shares = explained_shares([*columns, None], [*columns, None])
    assert np.isnan(shares[4]).all()
    assert np.isnan(shares[:, 4]).all()
    ranks = np.zeros(90)
    ranks[present] = rankdata(gaps[present])
    onehot = [[word == level for level in ("a", "b", None)] for word in words]
    targets = [
        (rankdata(x)[:, None], x < 9),
        (rankdata(die)[:, None], x < 9),
        (ranks[:, None], present),
        (onehot, x < 9),
    ]
    groups = [np.searchsorted(np.quantile(x, [0.2, 0.4, 0.6, 0.8]), x, side="right"), die, None, words]
    for i, group in enumerate(groups):
        for j, (target, there) in enumerate(targets):
            if group is not None:
                assert shares[i, j] == pytest.approx(naive(list(group), target, there)), (i, j)


def test_numbers_that_are_known():
    """Normal pairs: the square of Spearman's correlation, (6/π asin(ρ/2))², but for what 20 groups lose of it."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    for rho in (0.3, 0.7):
        y = rho * x + np.sqrt(1 - rho**2) * rng.normal(size=20_000)
        pair = ts.independence_matrix({"x": x, "y": y}).pairs[0]
        expected = (6 / np.pi * np.arcsin(rho / 2)) ** 2
        assert pair.of_y == pytest.approx(expected, abs=0.02)
        assert pair.of_x == pytest.approx(expected, abs=0.02)
    pair = ts.independence_matrix({"x": x, "y": x**2}).pairs[0]
    assert pair.of_y > 0.97
    assert pair.of_x < 0.001
    assert pair.words == f"x explains {100 * pair.of_y:.0f} % of y"
    assert pair.word == "strong"
    noise = ts.independence_matrix({"x": x, "y": rng.normal(size=20_000)}).pairs[0]
    assert noise.explained < 0.003


def test_units_and_outliers_do_not_matter():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 500))
    plain = ts.independence_matrix({"x": x, "y": x + y}).table("explained")
    other = ts.independence_matrix({"x": np.exp(3 * x), "y": (x + y) ** 3}).table("explained")
    np.testing.assert_allclose(other, plain)
    assert plain[0, 1] != plain[1, 0]


def test_dependence_of_the_spread_explains_no_mean():
    rng = np.random.default_rng(3)
    x = rng.normal(size=2000)
    (pair,) = ts.independence_matrix({"x": x, "y": x * rng.normal(size=2000)}).dependent
    assert pair.word == "not in the mean"
    assert pair.words == "neither explains the mean of the other"


def test_texts_are_not_measured():
    rng = np.random.default_rng(4)
    words = [" ".join(rng.choice(list("abcdefgh"), 9)) for _ in range(200)]
    m = ts.independence_matrix({"x": rng.normal(size=200), "y": rng.normal(size=200), "text": words})
    pairs = {(pair.x, pair.y): pair for pair in m.pairs}
    assert pairs["x", "text"].explained is None
    assert pairs["x", "text"].word == "not measured"
    assert m.to_dict()["of_y"].count(None) == 2
    assert not any("rank" in note for note in m.notes)


def test_one_test_says_what_explains_most():
    rng = np.random.default_rng(5)
    x, z = rng.normal(size=(2, 400))
    table = {"x": x, "z": z, "sign": np.where(x > 0, "plus", "minus"), "xor": np.where(x * z > 0, "same", "other")}
    r = ts.independence_test(table, x=["x", "z"], y=["sign"], rng=0)
    assert (r.explained[0].x, r.explained[0].y) == ("x", "sign")
    assert r.strength == f"x explains {100 * r.explained[0].share:.0f} % of sign (strong)"
    assert r.strength in str(r)
    assert r.to_dict()["explained"][0]["of_y"] == r.explained[0].of_y
    r = ts.independence_test(table, x=["x", "z"], y=["xor"], rng=0)
    assert r.rejected
    assert r.strength == "no column of one side explains the mean of one of the other"
    assert ts.hsic_test(x, z, rng=0).strength == ""
