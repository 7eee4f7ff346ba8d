"""A column is its different values and the code of each row: what follows from these, against the values themselves."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from twosample.matching.columns import Column, TableSample

RNG = np.random.default_rng(0)
NUMBERS = np.where(RNG.random(300) < 0.2, np.nan, np.round(RNG.normal(size=300), 1))
WORDS = [
    None if gone else str(word) for gone, word in zip(RNG.random(300) < 0.1, RNG.choice(list("cab"), 300), strict=True)
]


def numbers(values, family="number"):
    return Column.of_numbers("x", "numeric", family, np.asarray(values, dtype=float))


def words(values, family="category"):
    return Column.of_words("x", family, family, values)


def test_numbers_come_back_in_the_order_of_the_rows():
    column = numbers(NUMBERS)
    there = NUMBERS[np.isfinite(NUMBERS)]
    np.testing.assert_array_equal(column.values, there)
    np.testing.assert_array_equal(column.ascending, np.sort(there))
    assert (column.rows, column.present, column.missing) == (300, len(there), 300 - len(there))
    assert dict(zip(column.numbers.tolist(), column.counts.tolist(), strict=True)) == Counter(there.tolist())
    assert column.points.mass @ column.points.place == pytest.approx(there.mean())


@pytest.mark.parametrize("family", ["category", "text"])
def test_words_come_back_in_the_order_of_the_rows(family):
    column = words(WORDS, family)
    there = [word for word in WORDS if word is not None]
    assert column.texts == there
    assert column.label_counts == Counter(there)
    assert family == "text" or column.words == ("a", "b", "c")


def test_ranks_are_those_of_scipy_less_their_mean():
    at = np.arange(0, 300, 2)
    for column, values in (
        (numbers(NUMBERS), NUMBERS),
        (words(WORDS), [np.nan if w is None else ord(w) for w in WORDS]),
    ):
        chosen = np.asarray(values, dtype=float)[at]
        there = np.isfinite(chosen)
        expected = np.zeros(len(at))
        expected[there] = 2 * (rankdata(chosen[there]) - np.mean(rankdata(chosen[there])))
        np.testing.assert_allclose(column.ranks(at), expected)
    assert np.isnan(words(WORDS, "text").ranks(at)).all()


def test_correlations_of_a_table_are_spearmans():
    x = RNG.normal(size=(200, 3)) @ RNG.normal(size=(3, 3))
    table = TableSample("t", tuple(numbers(part) for part in np.round(x, 1).T), 200, False)
    np.testing.assert_allclose(table.correlations, spearmanr(np.round(x, 1)).statistic, atol=1e-12)


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        (numbers([3, 1, 3, np.nan]), ("1", "3")),
        (numbers([0.5, 1, 1]), ()),
        (numbers(np.arange(101)), ()),
        (numbers([1, 2, 2], "date"), ()),
        (Column.of_numbers("x", "boolean", "number", np.array([0.0, 1.0, 1.0])), ("false", "true")),
    ],
    ids=["whole", "fractions", "too many", "dates", "truths"],
)
def test_whole_numbers_of_few_values_have_labels(column, labels):
    assert column.labels == labels


def test_values_seen_in_some_rows():
    column = numbers([5, 1, 4, 1, np.nan, 3])
    assert column.numbers[column.seen(10)].tolist() == [1, 3, 4, 5]
    assert column.numbers[column.seen(3)].tolist() == [3, 4, 5]  # every second of those that are there


@pytest.mark.parametrize("column", [numbers([np.nan, np.inf, 2.0]), words([None, "a"])], ids=["numbers", "words"])
def test_a_single_value_cannot_be_matched(column):
    assert (column.family, column.reason, column.present) == ("none", "only one value is there", 0)
