"""Adjusted p-values and the verdict of four words."""

import numpy as np
import pytest

import twosample as ts
from twosample.core.adjust import holm
from twosample.embedding import Effect, Judge, Judged, adjusted
from twosample.embedding.judge import JOINT
from twosample.errors import InputError, OptionError
from twosample.nulls import Permutation, Spectrum
from twosample.tables.options import Margins
from twosample.tables.verdicts import judged_by, overall


def found_by_the_steps(pvalues, joint, level):
    """The procedure as it is described: the joint test first, then Holm at what level is left."""
    left = level if joint <= level / 3 else 2 * level / 3
    return holm(pvalues) <= left


def test_adjusted_pvalues_are_those_of_the_procedure():
    rng = np.random.default_rng(0)
    for _ in range(300):
        pvalues, joint = rng.random(rng.integers(1, 8)) ** 4, float(rng.random() ** 3)
        ours = adjusted(pvalues, joint)
        for level in (0.01, 0.05, 0.2):
            np.testing.assert_array_equal(ours <= level, found_by_the_steps(pvalues, joint, level))
    np.testing.assert_array_equal(adjusted([0.01, 0.5], None), holm([0.01, 0.5]))


def test_any_false_finding_is_as_rare_as_promised():
    rng = np.random.default_rng(1)
    worst = 0.0
    for joint_false in (False, True):
        errors = 0
        for _ in range(4000):
            columns = rng.random(5)
            joint = 1e-9 if joint_false else float(rng.random())
            errors += bool((adjusted(columns, joint) <= 0.05).any() or (not joint_false and joint / JOINT <= 0.05))
        worst = max(worst, errors / 4000)
    assert worst < 0.062


def judged(value, low, high, n=100):
    return Judged(0.0, 0.5, Effect(value, low, high, 0.0, 1.0), Spectrum(), None, n, n)


def test_four_words():
    assert judged_by(0.03, 1e-9, 0.05, 0.05) == "small difference"
    assert judged_by(0.06, 1e-9, 0.05, 0.05) == "different"
    assert judged_by(0.06, 0.3, 0.05, 0.05) == "no difference found"
    assert judged_by(0.05, 1.0, 0.05, 0.05) == "no difference found"
    assert judged_by(0.04, 0.06, 0.05, 0.05) == "same"
    assert judged_by(0.001, 0.05, 0.05, 0.0) == "different"  # a margin of 0 is a test of significance
    assert judged_by(0.0, 1.0, 0.05, 0.0) == "no difference found"


def test_the_gravest_word_counts():
    words = ["same", "no difference found", "small difference", "different"]
    for last in range(4):
        assert overall(words[: last + 1]) == words[last]


def test_margins_by_column_and_kind():
    margins = Margins.of({"price": 0.02, "text": 0.2, "*": 0.1})
    assert [margins.at(*pair) for pair in [("price", "text"), ("note", "text"), ("age", "integer")]] == [0.02, 0.2, 0.1]
    assert Margins.of(0).at("x", "numeric") == 0
    assert Margins.of({"x": 0.3}).default == 0.05
    for wrong in (-0.1, 1, "a", None, {"x": 2}, {"x": "a"}, {1: 0.1}):
        with pytest.raises(OptionError, match="margin"):
            Margins.of(wrong)
    with pytest.raises(InputError, match=r"has a column 'prize', and it is no kind\. Did you mean 'price'"):
        Margins.of({"prize": 0.1}).check(["price", "size"])


def test_rows_needed():
    assert judged(0.0, 0.0, 0.1).rows_needed(0.05) == 400
    assert judged(0.06, 0.0, 0.1).rows_needed(0.05) == 400  # it may be 0
    assert judged(0.03, 0.01, 0.07).rows_needed(0.05) == 400
    assert judged(0.06, 0.01, 0.1).rows_needed(0.05) is None
    assert judged(0.0, 0.0, 1.0).rows_needed(0.05) is None


@pytest.mark.parametrize(
    ("tests", "rows", "kind", "resamples"),
    [(1, 500, Permutation, 999), (12, 9000, Permutation, 999), (60, 900, Permutation, 9999), (60, 5000, Spectrum, 0),
     (2000, 100, Spectrum, 0), (1, 20_000, Spectrum, 0)],
)  # fmt: skip
def test_rows_are_relabelled_where_that_is_fine_enough_and_cheap(tests, rows, kind, resamples):
    null = Judge(0.05, tests, np.random.default_rng(0)).null(rows)
    assert isinstance(null, kind)
    assert null.resamples == resamples


@pytest.mark.parametrize("shift", [0.0, 0.1, 0.2, 0.4, 2.0])
def test_one_pvalue_says_whether_anything_is_significant(shift):
    rng = np.random.default_rng(round(10 * shift))
    a, b = ({f"c{j}": rng.normal(move, size=300) for j in range(4)} for move in (0.0, shift))
    b["c0"][:30] = np.nan
    for gone in (a, {**a, "c0": b["c0"]}):
        c = ts.compare(gone, b, level=0.03)
        assert (c.pvalue <= c.level) == (c.verdict in ("different", "small difference"))
        assert c.to_dict()["pvalue"] == c.pvalue
