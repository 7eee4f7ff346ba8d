"""Whole tables matched, and every pair tested."""

import numpy as np
import pytest

import twosample as ts
from twosample.matching.naive import TESTS


def groups(count, rows, seed):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rows, 3)) * [1, 1, 1 + k] + [k, 0, 0] for k in range(count)]


def test_tables_of_numbers():
    A, B = groups(4, 60, 0), groups(4, 50, 1)
    m = ts.match_tables(A, B[::-1])
    assert [p.target for p in m.pairs] == ["3", "2", "1", "0"]
    assert m.matched
    pool = np.concatenate([A[1], B[3]])
    width = float(ts.Median().bandwidths(pool, "euclidean", np.random.default_rng(0))[0])
    assert m.costs[1, 0] == pytest.approx(ts.mmd(A[1], B[3], kernel=ts.Gaussian(width)))
    assert m.mmd[1, 0] == pytest.approx(ts.mmd(A[1], B[3], kernel=ts.Gaussian(width), statistic="biased"))


def test_tables_with_names_and_strangers():
    A, B = groups(3, 80, 0), groups(3, 80, 1)
    m = ts.match_tables({"x": A[0], "y": A[1]}, {"p": B[2], "q": B[0], "r": B[1]})
    assert {p.source: p.target for p in m.pairs} == {"x": "q", "y": "r"}
    assert [one.name for one in m.unmatched_target] == ["p"]
    assert "another partner" in m.unmatched_target[0].reason
    lonely = ts.match_tables([A[0]], [B[2]])
    assert not lonely.pairs
    assert "another distribution" in lonely.unmatched_source[0].reason
    assert len(ts.match_tables([A[0]], [B[2]], level=None).pairs) == 1


def test_tables_of_objects():
    rng = np.random.default_rng(0)
    letters = [["".join(rng.choice(list(pool), 8)) for _ in range(40)] for pool in ("ab", "abc", "xyz")]
    A, B = [part[:20] for part in letters], [part[20:] for part in letters]
    m = ts.match_tables(A, B[::-1], kernel=ts.strings.Spectrum(2))
    assert [p.target for p in m.pairs] == ["2", "1", "0"]
    every = [one for part in (*A, *B) for one in part]
    K = ts.Precomputed.of(ts.strings.Spectrum(2), every)
    rows = np.arange(120).reshape(6, 20)
    given = ts.match_tables(list(rows[:3]), list(rows[3:][::-1]), kernel=K)
    np.testing.assert_allclose(given.costs, m.costs)


@pytest.mark.parametrize("value", [[], "abc", 3])
def test_bad_lists(value):
    with pytest.raises(ts.InputError, match="a "):
        ts.match_tables(value, [[1.0, 2.0]])


@pytest.mark.parametrize("test", sorted(TESTS))
def test_every_test_accepts_and_rejects(test):
    rng = np.random.default_rng(0)
    a = {"x": rng.normal(size=60), "y": rng.normal(6, 1, size=60)}
    b = {"y": rng.normal(6, 1, size=60), "x": rng.normal(size=60)}
    found = ts.matching.naive(a, b, test=test, level=0.01)
    assert found.accepted[0, 1]
    assert found.accepted[1, 0]
    assert not found.accepted[0, 0] or test in ("mmd-hoeffding", "hall", "biau")  # those need more rows
    assert found.test == test


def test_naive_values_and_adjustment():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(50, 3)), rng.normal(size=(40, 3))
    plain = ts.matching.naive(A, B, test="ks")
    assert plain.pvalues[1, 2] == ts.rivals.ks_test(A[:, 1], B[:, 2]).pvalue
    held = ts.matching.naive(A, B, test=ts.rivals.ks_test, adjust="holm")
    assert (held.adjusted >= plain.pvalues).all()
    assert held.adjusted.max() <= 1
    assert held.to_frame().height == 9
    assert set(held.pairs[0][:2]) <= {"c0", "c1", "c2"}


def test_naive_on_tables_and_options():
    A, B = groups(2, 40, 0), groups(2, 40, 1)
    found = ts.matching.naive(A, B, test="mmd-spectrum", kernel=ts.Gaussian(2.0))
    assert found.pvalues[0, 0] == ts.mmd_test(A[0], B[0], null="spectrum", kernel=ts.Gaussian(2.0)).pvalue


@pytest.mark.parametrize(
    ("options", "message"),
    [({"test": "nothing"}, "test='nothing'"), ({"adjust": "twice"}, "adjust='twice'"), ({"test": 3}, "test=3")],
)
def test_bad_options(options, message):
    with pytest.raises(ts.OptionError, match=message):
        ts.matching.naive([[1.0, 2.0]], [[1.0, 2.0]], **options)


def test_tables_without_a_partner_are_tested_against_the_nearest():
    rng = np.random.default_rng(0)
    near, far, small = rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 5, rng.normal(size=(40, 2))
    other, away = rng.normal(size=(50, 2)), rng.normal(size=(60, 2)) - 5
    m = ts.match_tables([near, far, small], [other, away])
    assert [(pair.source, pair.target) for pair in m.pairs] == [("0", "0")]
    one, two = m.unmatched_source
    assert (one.candidate, one.pvalue, one.reason) == (
        "1",
        0.001,
        "the nearest, '1', has another distribution (p = 0.001)",
    )
    assert (two.candidate, m.pvalues[2, 0]) == ("0", two.pvalue)
    assert two.pvalue > 0.05
    assert "has another partner" in two.reason
    assert "Tables of the source without a partner" in str(m)


def test_text_is_no_sample():
    import polars as pl

    with pytest.raises(ts.InputError, match="does not hold numbers"):
        ts.matching.naive(pl.DataFrame({"a": ["u v", "w x"] * 5}), np.zeros((4, 1)))


@pytest.mark.parametrize("call", [ts.match_tables, ts.matching.naive])
@pytest.mark.parametrize("empty", [{}, []])
def test_no_samples(call, empty):
    x = np.random.default_rng(0).normal(size=(20, 1))
    for a, b in ((empty, [x]), ([x], empty), (empty, empty)):
        with pytest.raises(ts.InputError, match="has no samples"):
            call(a, b)


def test_options_that_the_test_does_not_take():
    x = np.random.default_rng(0).normal(size=(20, 1))
    with pytest.raises(ts.OptionError, match="no option foo="):
        ts.matching.naive(x, x, test="ks", foo=1)


def test_names_that_utf8_cannot_hold():
    x = np.random.default_rng(0).normal(size=(20, 1))
    m = ts.match_tables({"\ud800": x}, {"b": x})
    assert m.to_json().encode()
    assert "é" in ts.match_tables({"é": x}, {"b": x}).to_json()


def test_a_single_number_is_no_list_of_samples():
    with pytest.raises(ts.InputError, match="a is ndarray; give a list of samples"):
        ts.match_tables(np.array(3.0), [np.ones(5)])
