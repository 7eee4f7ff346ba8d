"""The columns that make a row odd, against the rule written out one column at a time."""

import numpy as np
import pytest

from twosample import Gaussian
from twosample.detection.conformal import ConformalRanks
from twosample.detection.oddity import odd_columns


def pvalue(bandwidth, reference, row):
    """The share of all n + 1 rows whose mean kernel with all of them is as small as the row's."""
    pooled = np.concatenate([reference, row[None]])
    squares = ((pooled[:, None] - pooled) ** 2).sum(axis=2)
    means = np.exp(-squares / (2 * bandwidth**2)).mean(axis=1)
    return np.mean(means <= means[-1] + 1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_columns_without_which_a_row_is_usual(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(150, 1))
    reference = {"a": a, "b": a + 0.2 * rng.normal(size=(150, 1)), "c": rng.normal(size=(150, 2))}
    rows = {"a": np.array([[1.5]]), "b": np.array([[-1.5]]), "c": np.array([[0.2, -0.1]])}
    [(found, together)] = odd_columns(reference, rows, Gaussian(1.2), 0.05, rng)
    assert together
    pooled = [np.concatenate([side[name] for name in "abc"], axis=1) for side in (reference, rows)]
    own = pvalue(1.2, pooled[0], pooled[1][0])
    without = {}
    for name in "abc":
        others = [np.concatenate([side[o] for o in "abc" if o != name], axis=1) for side in (reference, rows)]
        without[name] = pvalue(1.2, others[0], others[1][0])
    least = max(0.05, np.sqrt(own * max(without.values())))
    assert set(found) == {name for name, p in without.items() if p >= least}
    assert {"a", "b"} <= set(found)


def test_a_value_that_is_odd_by_itself_is_named_alone_and_the_oddest_first():
    rng = np.random.default_rng(0)
    reference = {name: rng.normal(size=(300, 1)) for name in "abc"}
    rows = {"a": np.array([[0.0], [5.0]]), "b": np.array([[9.0], [30.0]]), "c": np.array([[0.1], [0.1]])}
    assert odd_columns(reference, rows, Gaussian(1.0), 0.02, rng) == [(("b",), False), (("b", "a"), False)]


def test_long_references_are_looked_at_in_part():
    """1000 rows, or as many as the level needs; the same seed gives the same rows."""
    sizes = []

    class Spy(Gaussian):
        def block(self, x, y):
            sizes.append(len(y))
            return super().block(x, y)

    rng = np.random.default_rng(0)
    reference = {"a": rng.normal(size=(5000, 1)), "b": rng.normal(size=(5000, 1))}
    rows = {"a": np.zeros((1, 1)), "b": np.zeros((1, 1))}
    odd_columns(reference, rows, Spy(1.0), 0.05, np.random.default_rng(1))
    assert set(sizes) == {1000}
    sizes.clear()
    odd_columns(reference, rows, Spy(1.0), 0.001, np.random.default_rng(1))
    assert set(sizes) == {2000}


def test_pvalues_of_scores_are_whole_shares():
    rng = np.random.default_rng(0)
    ranks = ConformalRanks.fit(Gaussian(0.7), rng.normal(size=(80, 2)))
    new = rng.normal(size=(30, 2)) * 2
    pvalues = ranks.pvalues(ranks.scores(new))
    np.testing.assert_allclose(pvalues, [pvalue(0.7, ranks.rows, row) for row in new])
    for level in (0.02, 0.1, 0.5):
        np.testing.assert_array_equal(pvalues <= level, ranks.scores(new) < ranks.threshold(level))
