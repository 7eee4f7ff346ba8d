"""Pairs by evidence: the objective against all ways to match, parts of it against their definitions, and drift."""

from itertools import permutations

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom

import twosample as ts
from tests.matching.people import people
from twosample.matching.columns import Column
from twosample.matching.costs import in_common
from twosample.matching.evidence import best_pairs, by_dependence, confidence, lead, related, sigmoid


def all_ways(s, t):
    """Every set of pairs of s and t columns."""
    if s > t:
        return [[(j, i) for i, j in way] for way in all_ways(t, s)]
    found = []
    for order in permutations(range(t), s):
        for chosen in range(2**s):
            found.append([(i, order[i]) for i in range(s) if chosen >> i & 1])
    return found


@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 4), (4, 3)])
@pytest.mark.parametrize("force", [False, True])
def test_no_other_way_has_more_evidence(shape, force):
    rng = np.random.default_rng(sum(shape))
    for _ in range(20):
        evidence = np.where(rng.random(shape) < 0.3, -np.inf, rng.normal(0, 3, shape))
        pairs = best_pairs(evidence, force)
        allowed = [way for way in all_ways(*shape) if all(np.isfinite(evidence[i, j]) for i, j in way)]
        if force:
            most = max(len(way) for way in allowed)
            allowed = [way for way in allowed if len(way) == most]
            assert len(pairs) == most
        best = max(sum(evidence[i, j] for i, j in way) for way in allowed)
        assert sum(evidence[i, j] for i, j in pairs) == pytest.approx(best)
        assert force or all(evidence[i, j] > 0 for i, j in pairs)


def test_lead_is_over_the_best_rival_in_row_and_column():
    rng = np.random.default_rng(0)
    likeness = np.where(rng.random((5, 4)) < 0.2, -np.inf, rng.normal(size=(5, 4)))
    found = lead(likeness, 0.7)
    for i, j in np.ndindex(5, 4):
        rivals = [*np.delete(likeness[i], j), *np.delete(likeness[:, j], i)]
        expected = np.clip(likeness[i, j] - max(rivals), -0.7, 0.7) if np.isfinite(likeness[i, j]) else 0.0
        assert found[i, j] == pytest.approx(expected)
    assert lead(np.array([[2.0]]), 1.0) == 0.0


def test_dependence_leaves_out_the_pair_itself():
    rng = np.random.default_rng(1)
    RA, RB = (np.corrcoef(rng.normal(size=(9, n))) for n in (30, 40))
    RA, RB = RA[:5, :5], RB[:6, :6]
    RB[2] = RB[:, 2] = np.nan  # text
    evidence = rng.normal(0, 2, (5, 6))
    pairs = [(i, j) for i, j in best_pairs(evidence) if j != 2]
    likeness = np.full((5, 6), -np.inf)
    for i, j in np.ndindex(5, 6):
        others = [(k, m) for k, m in pairs if k != i and m != j]
        weight = sigmoid(np.array([evidence[pair] for pair in others]))
        if j != 2 and weight.sum() > 0.5:
            squares = np.array([(RA[i, k] - RB[j, m]) ** 2 for k, m in others])
            likeness[i, j] = -np.log(weight @ squares / weight.sum() + 0.05)
    assert len(pairs) > 2
    np.testing.assert_allclose(by_dependence(evidence, RA, RB, 0.05), lead(likeness, 1.5), atol=1e-9)


@pytest.mark.parametrize("many", [False, True])
def test_values_in_common(many):
    rng = np.random.default_rng(2)
    sides = [[rng.integers(0, high, 80).astype(float) for high in (5, 20, 90) * (5 if many else 1)] for _ in range(2)]
    sides[1][0] = np.empty(0)
    columns = [[Column.of_numbers("", "numeric", "number", x) for x in side] for side in sides]
    expected = [[len({*x} & {*y}) / max(len({*x} | {*y}), 1) for y in sides[1]] for x in sides[0]]
    np.testing.assert_allclose(in_common(*columns, labels=False), expected)
    words = [[[f" Nr{int(v)}" if k else f"nr{int(v)}" for v in x] for x in side] for k, side in enumerate(sides)]
    columns = [[Column.of_words("", "text", "text", x) for x in side] for side in words]
    np.testing.assert_allclose(in_common(*columns, labels=True), expected)


def drifted_tables(seed, rows=400):
    """Two years of one table: everything has moved a little, and the columns stand in another order."""
    rng = np.random.default_rng(seed)

    def year(shift):
        size = rng.normal(0, 1, rows)
        return {
            "height": np.round(170 + 4 * shift + 8 * size, 1),
            "weight": np.round(70 + 3 * shift + 9 * size + rng.normal(0, 6, rows), 1),
            "visits": rng.poisson(2 + shift, rows),
            "paid": np.round(rng.gamma(2, 30 + 12 * shift, rows), 2),
            "city": rng.choice(["Oslo", "Rome", "Bonn"], rows, p=[0.5 - 0.2 * shift, 0.3 + 0.2 * shift, 0.2]),
        }

    second = year(1.0)
    return year(0.0), {f"{name}_": second[name] for name in rng.permutation(list(second))}


def test_partners_are_found_under_drift_and_called_drifted():
    for seed in range(5):
        a, b = drifted_tables(seed)
        m = ts.match(a, b)
        assert {(p.source, p.target) for p in m.pairs} == {(name, f"{name}_") for name in a}
        assert sum(p.drifted for p in m.pairs) >= 4
        assert all(0.5 < p.confidence < 1 for p in m.pairs)
        assert len(ts.match(a, b, level=0.05).pairs) <= 1


def test_level_of_drifted():
    rng, tables = np.random.default_rng(5), 60
    laws = (lambda n: rng.normal(size=n), lambda n: rng.poisson(2.0, n), lambda n: rng.choice(["x", "y", "z"], n))
    found = [ts.match(*({str(k): law(n) for k, law in enumerate(laws)} for n in (90, 140))) for _ in range(tables)]
    assert all(len(m.pairs) == 3 for m in found)
    assert sum(any(p.drifted for p in m.pairs) for m in found) <= binom.ppf(0.999, tables, 0.05)


def test_the_order_of_columns_does_not_matter():
    rng = np.random.default_rng(6)
    a, b = people(300, 0), people(250, 1)
    a = a.with_columns(twin=pl.col("age"), none=pl.lit(None, dtype=pl.Float64))  # ties, and nothing at all
    b = b.with_columns(twin=pl.col("age"), day=pl.col("since"))
    expected = ts.match(a, b)
    pairs = {(p.source, p.target): p.confidence for p in expected.pairs}
    for _ in range(4):
        m = ts.match(a.select(rng.permutation(a.columns)), b.select(rng.permutation(b.columns)))
        found = {(p.source, p.target): p.confidence for p in m.pairs}
        assert found.keys() == pairs.keys()
        assert all(found[pair] == pytest.approx(pairs[pair]) for pair in pairs)
        at = np.ix_([m.sources.index(n) for n in a.columns], [m.targets.index(n) for n in b.columns])
        np.testing.assert_allclose(m.confidence[at], expected.confidence, atol=1e-12)
        np.testing.assert_allclose(m.mmd[at], expected.mmd)


def test_names_pair_what_cannot_be_compared():
    rng = np.random.default_rng(7)
    x = rng.normal(size=(400, 3))
    a = {"height": x[:200, 0], "weight": 5 + x[:200, 1], "remark": [None] * 200, "joined": ["2020-01-02"] * 200}
    b = {"weight": 5 + x[200:, 1], "height": x[200:, 0], "joined": rng.integers(0, 9, 200), "remark": ["a b"] * 200}
    assert {p.source for p in ts.match(a, b).pairs} == {"height", "weight"}
    m = ts.match(a, b, use_names=True)
    assert {(p.source, p.target) for p in m.pairs} == {(name, name) for name in a}
    assert m["remark"].drifted is None
    assert np.isnan(m["remark"].pvalue)
    assert "names" in m["remark"].evidence
    assert "remark" in str(m)
    assert m.to_json()
    assert ts.match(a, b, use_names=True, level=0.05)["remark"].target == "remark"


def test_names_that_mislead_do_not_win_over_content():
    rng = np.random.default_rng(8)
    x = rng.normal(size=(600, 3)) * [1, 1, 5] + [0, 40, 900]
    a = dict(zip(["p1", "p2", "p3"], x[:300].T, strict=True))
    b = dict(zip(["zeta", "eta", "theta"], x[300:].T, strict=True))
    found = ts.match(a, b, use_names=True)
    assert [p.target for p in found.pairs] == ["zeta", "eta", "theta"]


def test_unrelated_tables_are_not_paired_with_confidence():
    rng = np.random.default_rng(9)
    sure = 0
    for _ in range(30):
        a = {"a": rng.gamma(1, 20, 300), "b": rng.choice(["AA", "UA"], 300), "c": rng.normal(-40, 3, 300)}
        b = {"d": rng.normal(13, 1, 200), "e": rng.choice(["red", "white"], 200), "f": rng.uniform(5e3, 6e3, 200)}
        m = ts.match(a, b)
        sure += sum(p.confidence > 0.5 for p in m.pairs)
        assert m.related < 0.5
        assert "nothing to do with each other" in str(m)
    assert sure == 0


def test_tables_that_belong_together_are_said_to():
    m = ts.match(people(300, 0), people(200, 1))
    assert m.related > 0.9
    assert "nothing to do" not in str(m)
    assert m.to_dict()["related"] == m.related


def test_likely_tables_and_pairs_from_the_definition():
    evidence = np.array([[3.0, -1.0, -np.inf], [0.5, 2.0, -np.inf]])
    odds = 2.5 * np.log(6) + 5 * (sigmoid(3.0) + sigmoid(2.0)) / 2 - 7.5
    assert related(evidence) == pytest.approx(odds)
    expected = sigmoid(odds) * sigmoid(0.75 * evidence - 0.6)
    np.testing.assert_allclose(confidence(evidence, related(evidence)), expected, atol=1e-12)
    assert related(np.full((2, 2), -np.inf)) == -7.5


def test_equal_names_count_even_if_few_are_alike():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 4)) * [1, 1, 3, 9]
    moved = x[200:] + np.array([8, -8, 0, 0])  # the first two look like none of the others, and names must tell
    a = dict(zip(["height", "weight", "p", "q"], x[:200].T, strict=True))
    b = dict(zip(["weight", "height", "zz1", "zz2"], moved[:, [1, 0, 2, 3]].T, strict=True))
    m = ts.match(a, b, use_names=True)
    assert {p.source: p.target for p in m.pairs} == {"height": "height", "weight": "weight", "p": "zz1", "q": "zz2"}


def test_bad_options():
    with pytest.raises(ts.OptionError, match="force"):
        ts.match({"a": [1, 2]}, {"b": [1, 2]}, force="yes")


def answers(rng, loadings, shares, rows):
    """Yes and no to some questions, by a trait that people have."""
    trait = rng.normal(size=(rows, 1)) @ loadings[None] + rng.normal(size=(rows, len(shares)))
    return {f"q{i}": (column < np.quantile(column, shares[i])).astype(int) for i, column in enumerate(trait.T)}


def test_tables_of_yes_and_no_are_related_only_if_they_are():
    rng = np.random.default_rng(0)
    strangers, relatives = [], []
    for _ in range(5):
        one, two = (rng.normal(size=8), rng.uniform(0.05, 0.95, 8)), (rng.normal(size=8), rng.uniform(0.05, 0.95, 8))
        first = answers(rng, *one, 500)
        strangers.append(ts.match(first, answers(rng, *two, 500)).related)
        relatives.append(ts.match(first, answers(rng, *one, 500)).related)
    assert max(strangers) < min(relatives)
    assert np.median(strangers) < 0.4
    assert min(relatives) > 0.6
