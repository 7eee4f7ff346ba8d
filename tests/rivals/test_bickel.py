"""Bickel's test against its definition, Smirnov's test and what it promises."""

from itertools import combinations, product

import numpy as np
import pytest

import twosample as ts
from twosample.rivals import bickel_test, ks_test


def by_hand(x, y, places):
    """The largest difference between the joint distribution functions at some places."""
    return max(abs((x <= t).all(axis=1).mean() - (y <= t).all(axis=1).mean()) for t in places)


def lattice(z):
    return [np.array(t) for t in product(*(np.unique(column) for column in z.T))]


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("ties", [False, True])
def test_the_statistic_is_the_definition(columns, ties):
    rng = np.random.default_rng(columns)
    x, y = rng.normal(size=(9, columns)), rng.normal(0.4, 1.0, size=(7, columns))
    if ties:
        x, y = np.round(x), np.round(y)
    z = np.concatenate([x, y])
    everywhere, points = (bickel_test(x, y, at=at, null=ts.Permutation(n=19), rng=0) for at in ("everywhere", "points"))
    assert everywhere.statistic == pytest.approx(by_hand(x, y, lattice(z)), abs=1e-15)
    assert points.statistic == pytest.approx(by_hand(x, y, z), abs=1e-15)
    assert points.statistic <= everywhere.statistic
    assert "only" in points.notes[0]
    assert "all" in everywhere.notes[0]


@pytest.mark.parametrize("at", ["everywhere", "points"])
def test_all_relabellings_by_hand(at):
    rng = np.random.default_rng(0)
    z = rng.integers(0, 4, size=(8, 2)).astype(float)
    x, y = z[:3], z[3:]
    places = lattice(z) if at == "everywhere" else z
    values = [
        by_hand(z[list(chosen)], z[[i for i in range(8) if i not in chosen]], places)
        for chosen in combinations(range(8), 3)
    ]
    share = np.mean(np.array(values) >= by_hand(x, y, places) - 1e-12)
    assert bickel_test(x, y, at=at).pvalue == pytest.approx(share)


def test_one_column_is_smirnovs_test():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=40), rng.normal(0.7, 1.0, size=30)
    for at in ("everywhere", "points"):
        ours = bickel_test(x, y, at=at, null=ts.Permutation(n=199), rng=3)
        known = ks_test(x, y, null=ts.Permutation(n=199), rng=3)
        assert ours.statistic == pytest.approx(known.statistic)
        assert ours.pvalue == known.pvalue


def test_only_the_order_within_columns_matters():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(25, 2)) * [1.0, 3.0]
    one = bickel_test(x, y, null=ts.Permutation(n=99), rng=0)
    other = bickel_test(*(np.column_stack([np.exp(z[:, 0]), 1e9 + 1e9 * z[:, 1]]) for z in (x, y)),
                        null=ts.Permutation(n=99), rng=0)  # fmt: skip
    assert (one.statistic, one.pvalue) == (other.statistic, other.pvalue)
    close = 1e16 + np.arange(4.0) * 2  # differences that subtracting a middle must not lose
    assert bickel_test(close[:2], close[2:], level=0.5).statistic == 1


def test_chunks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 9, size=(20, 2)), rng.integers(0, 9, size=(15, 2))
    whole = [bickel_test(x, y, at=at, null=ts.Permutation(n=99), rng=0).law.values for at in ("everywhere", "points")]
    monkeypatch.setattr("twosample.rivals.bickel._BLOCK", 100)
    monkeypatch.setattr("twosample.rivals.bickel.columns_at_once", lambda cells: 7)
    parts = [bickel_test(x, y, at=at, null=ts.Permutation(n=99), rng=0).law.values for at in ("everywhere", "points")]
    np.testing.assert_array_equal(whole, parts)


def test_where_auto_looks(monkeypatch):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    assert "all 3,600" in bickel_test(x, y, rng=0).notes[0]
    monkeypatch.setattr("twosample.rivals.bickel.AUTO_WORK", 3600 * 999)
    assert "points only" in bickel_test(x, y, rng=0).notes[0]


def test_dependence_with_the_same_margins():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 2))
    y = rng.multivariate_normal([0, 0], [[1, -0.9], [-0.9, 1]], size=120)
    assert bickel_test(x, y, null=ts.Permutation(n=99), rng=0).rejected
    assert all(not ks_test(x[:, j], y[:, j]).rejected for j in range(2))


def test_refusals():
    x = np.random.default_rng(0).normal(size=(300, 4))
    with pytest.raises(ts.InputError, match="at='points'"):
        bickel_test(x, x + 1, at="everywhere")
    assert bickel_test(x, x + 1, null=ts.Permutation(n=19), level=0.1, rng=0).rejected
    with pytest.raises(ts.OptionError, match="at='here'"):
        bickel_test(x, x, at="here")
    with pytest.raises(ts.OptionError, match="at=3"):
        bickel_test(x, x, at=3)
