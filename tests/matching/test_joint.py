"""Near ties decided by joint counts, and strangers: parts against their definitions, and both on made tables."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import chi2_contingency

import twosample as ts
from twosample.matching.counts import JointCounts, misfit
from twosample.matching.evidence import ColumnPairs, best_pairs
from twosample.matching.joint import near_ties, settled
from twosample.matching.reading import open_side, read


def side(frame):
    table = open_side(frame, "a", None)
    return read(table, "a", table.columns, 10_000, 0, {})


def settle(evidence, a, b, names=None):
    return settled(replace(ColumnPairs.of(a, b, use_names=False), names=names), evidence)


def test_misfit_is_the_sum_of_likelihood_ratio_tests():
    rng = np.random.default_rng(0)
    A, B = (rng.integers(0, 9, (4, 3, 5)).astype(float) for _ in range(2))
    A[1, 2] = 0.0  # a level that one table lacks says nothing
    A[2, :, 3] = B[2, :, 3] = 0.0  # and a level of the other column that neither has
    found = misfit(A, B)
    for k in range(4):
        G = freedom = 0.0
        for a, b in zip(A[k], B[k], strict=True):
            rows = np.array([a, b])[:, (a + b) > 0]
            if rows.sum(axis=1).all():
                one = chi2_contingency(rows, correction=False, lambda_="log-likelihood")
                G, freedom = G + one.statistic, freedom + one.dof
        assert (found.G[k], found.freedom[k]) == pytest.approx((G, freedom))


def test_columns_are_counted_by_one_vocabulary():
    a = {"x": [0, 0, 0, 0, 0, 0, 1, 5], "w": list("ppppqqrs")}
    b = {"y": [0, 0, 0, 0, 0, 0, 0, 9], "v": list("pqqqqttt")}
    tables = JointCounts(side(a), side(b))
    numbers = tables.coded([0], [0], 3, 3)
    zero, rest = numbers.left[0][0], numbers.left[0][6]
    assert zero != rest  # a value that fills more than one bin has its own
    assert numbers.left[0].tolist() == [zero] * 6 + [rest] * 2
    assert numbers.right[0].tolist() == [zero] * 7 + [rest]
    words = tables.coded([1], [1], 12, 3)  # q and p, then the rest
    assert words.left[0].tolist() == [1, 1, 1, 1, 0, 0, 2, 2]
    assert words.right[0].tolist() == [1, 0, 0, 0, 0, 2, 2, 2]
    again = JointCounts(side(a), side(a))
    counts = again.coded([0], [0], 3, 3).counts(again.beside([(1, 1)]), 0, 0)
    assert counts[0].sum() == 8
    assert (counts[0] == counts[1]).all()


def test_near_ties_are_all_cheap_exchanges():
    rng = np.random.default_rng(3)
    for shape in ((4, 4), (3, 5), (5, 3)):
        evidence = rng.normal(2, 2, shape)
        pairs = best_pairs(evidence)
        found = {(tie.lefts, tie.rights): tie.gap for tie in near_ties(evidence, pairs)}
        total = sum(evidence[pair] for pair in pairs)
        for (lefts, rights), gap in found.items():
            kept = [pair for pair in pairs if pair[0] not in lefts and pair[1] not in rights]
            new = [(lefts[i], rights[j]) for i, j in ([(0, 1), (1, 0)] if len(lefts) == len(rights) else [(-1, -1)])]
            assert gap == pytest.approx(total - sum(evidence[pair] for pair in kept + new))
            assert gap < 3.0
        for i, j in pairs:
            for k, h in pairs:
                if i > k and evidence[i, j] + evidence[k, h] - evidence[i, h] - evidence[k, j] < 3.0:
                    assert ((i, k), (j, h)) in found or ((k, i), (h, j)) in found


def parents(rows, seed):
    """Father and mother have one distribution and no rank correlation with any column, but go with town otherwise."""
    rng = np.random.default_rng(seed)
    town = rng.integers(0, 4, rows)
    outer = np.isin(town, (0, 3))

    def born(apart):
        return np.array(list("abcd"))[np.where(apart, rng.choice([0, 3], rows), rng.choice([1, 2], rows))]

    lost = rng.random(rows) < 0.5
    age = rng.normal(50, 9, rows)
    return pl.DataFrame(
        {
            "father": born(outer ^ lost & (rng.random(rows) < 0.5)),
            "mother": born(~outer ^ lost & (rng.random(rows) < 0.5)),
            "town": np.array(list("uvwx"))[town],
            "age": age,
            "size": age + rng.gamma(2, 9, rows),
        }
    )


@pytest.mark.parametrize(("gap", "exchanged"), [(0.5, True), (-0.5, False), (5.0, False)])
def test_near_ties_are_decided_by_what_goes_with_the_columns(gap, exchanged):
    a, b = side(parents(1500, 0)), side(parents(1500, 1))
    evidence = np.where(np.eye(5, dtype=bool), 9.0, -5.0)  # father, mother, town, age, size
    evidence[:2, :2] = [[2.0, 2.0 + gap / 2], [2.0 + gap / 2, 2.0]]
    found = settle(evidence, a, b)
    assert sorted(best_pairs(found)) == [(k, k) for k in range(5)] or not exchanged
    assert (best_pairs(evidence) != best_pairs(found)) == exchanged
    assert sorted(found.ravel()) == pytest.approx(sorted(evidence.ravel()))  # exchanged, not changed
    names = np.zeros((5, 5))
    names[[0, 1], [1, 0]] = 1.0
    assert gap < 0 or best_pairs(settle(evidence, a, b, names)) == best_pairs(evidence)  # names decide


def test_an_exchange_does_not_ask_which_table_comes_first():
    a, b = side(parents(1500, 0)), side(parents(1500, 1))
    evidence = np.where(np.eye(5, dtype=bool), 9.0, -5.0)
    evidence[:2, :2] = [[2.0, 2.4], [2.7, 1.9]]  # two pairs trade partners
    there, back = settle(evidence, a, b), settle(evidence.T, b, a).T
    assert best_pairs(there) != best_pairs(evidence)
    np.testing.assert_allclose(there, back)
    assert there.sum() == pytest.approx(evidence.sum())


def test_a_column_that_is_alone_takes_the_place_of_a_look_alike():
    a, b = side(parents(1500, 0)), side(parents(1500, 1).drop("mother"))
    evidence = np.delete(np.where(np.eye(5, dtype=bool), 3.0, -5.0), 1, axis=1)
    evidence[1, 0] = 3.5  # mother with father, who is left alone
    for one, two, given in ((a, b, evidence), (b, a, evidence.T)):
        assert best_pairs(given)[0] != (0, 0)
        assert best_pairs(settle(given, one, two))[0] == (0, 0)


def sizes(rows, seed):
    """Five lengths of one body, and the height of somebody else."""
    rng = np.random.default_rng(seed)
    body, other = rng.normal(size=(2, rows))
    parts = {f"part{k}": body + 0.5 * rng.normal(size=rows) + 3 * k for k in range(5)}
    return pl.DataFrame({**parts, "own": body + 0.1 * rng.normal(size=rows), "other": other})


def test_look_alikes_without_partners_are_strangers_unless_the_tables_drift():
    a, b = sizes(1500, 0).drop("other"), sizes(1500, 1).drop("own")
    evidence = np.where(np.eye(6, dtype=bool), 3.0, -5.0)  # five parts, and own with other
    found = settle(evidence, side(a), side(b))
    assert best_pairs(found) == [(k, k) for k in range(5)]
    assert (found[:5, :5] == evidence[:5, :5]).all()
    drifted = b.with_columns(pl.exclude("other") * pl.exclude("other").abs())
    assert len(best_pairs(settle(evidence, side(a), side(drifted)))) == 6


def test_the_answer_does_not_depend_on_names_or_sides():
    a, b = parents(900, 1), parents(800, 2)
    new = {"father": "z", "mother": "f", "town": "b", "age": "a", "size": "m"}
    for one, two in ((a, b.rename(new)), (a.rename(new), b)):
        assert {new.get(p.source, p.source): new.get(p.target, p.target) for p in ts.match(one, two).pairs} == {
            name: name for name in new.values()
        }
    there, back = ts.match(a, b.rename(new)), ts.match(b.rename(new), a)
    assert {(p.source, p.target) for p in there.pairs} == {(p.target, p.source) for p in back.pairs}
