"""The effect size of a view."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.adaptive.pooled import pooled_numbers
from twosample.adaptive.results import effect_of
from twosample.adaptive.views import FineWaves, MiddleWaves


def _mean(x, y):
    return ts.two_sample_test(x, y, n=19, rng=0).views[0].effect


def test_a_shift_of_one_column_has_the_usual_correlation():
    rng = np.random.default_rng(0)
    for rows in (400, 4000):
        x, y = rng.normal(size=(2, rows, 1))
        found = _mean(x, y + 1.0)
        assert found.value == pytest.approx(1 / np.sqrt(5), abs=0.06)
        assert found.low < 1 / np.sqrt(5) < found.high
        assert found.high - found.low == pytest.approx(2 * 1.96 * (1 - 0.2) / np.sqrt(rows), rel=0.2)


def test_no_difference_has_no_effect_in_any_view():
    x, y = np.random.default_rng(1).normal(size=(2, 300, 5))
    for view in ts.two_sample_test(x, y, n=19, rng=0).views:
        assert view.effect.value < 0.12
        assert view.effect.low == 0


def test_the_order_of_rows_changes_no_effect_that_alternates():
    x, y = {"a": ["p", "q"] * 20}, {"a": ["p", "r"] * 20}
    shuffled = {"a": ["p"] * 20 + ["q"] * 20}
    for first in (x, shuffled):
        (column,) = (view for view in ts.two_sample_test(first, y, rng=0).views if view.name == "column")
        assert column.effect.value == pytest.approx(1 / np.sqrt(3), abs=0.1)  # q and r: +1 and -1 in half of the rows


def test_samples_without_a_common_value_have_the_largest_effect():
    r = ts.two_sample_test({"a": ["p"] * 10}, {"a": ["q"] * 10}, rng=0)
    assert r.strongest.effect.value == 1
    assert r.strongest.effect.low > 0.9


def test_the_interval_covers():
    """Of a shift of half a deviation in each of two columns: d² = 1/2 along their mean."""
    truth = np.sqrt(0.5 / (0.5 + 4))
    hits = 0
    for i in range(60):
        x, y = np.random.default_rng([2, i]).normal(size=(2, 150, 2))
        found = _mean(x, y + 0.5)
        hits += found.low <= truth <= found.high
    assert hits >= 50


def test_few_rows_have_none():
    x, y = np.random.default_rng(3).normal(size=(2, 7, 2))
    r = ts.two_sample_test(x, y + 3, n=99, rng=0)
    assert r.views[0].effect is None
    assert "effect" not in r.explain()
    assert "effect r = " in ts.two_sample_test(np.arange(30.0), np.arange(20.0, 50.0), n=99, rng=0).explain()


def test_an_effect_that_cannot_be_estimated_is_not_said_to_be_none():
    from twosample.adaptive.results import ViewEffect, _size

    class Seen:
        effect = ViewEffect(0.0, 0.0, 0.123)

    assert _size(Seen) == ", effect r at most 0.12"
    Seen.effect = ViewEffect(0.2, 0.1, 0.3)
    assert _size(Seen) == ", effect r = 0.20, 0.10 to 0.30"


def test_intervals_of_narrow_kernels_cover_what_their_witness_is_worth():
    """A wave of one column: the mean effect of so many rows, and it scatters no more than they say."""
    rows, found = 250, []
    for i in range(100):
        rng = np.random.default_rng([5, i])
        tried = rng.random(2000)
        wave = tried[rng.random(2000) * 1.7 < 1 + 0.7 * np.cos(8 * np.pi * tried)][:rows]
        pool = pooled_numbers(np.concatenate([rng.random(rows), wave])[:, None], ("a",), rows)
        found.append([effect_of(view(pool)) for view in (FineWaves, MiddleWaves)])
    values, low, high = np.moveaxis(np.array(found), 2, 0)
    truth = values.mean(axis=0)
    assert np.all((truth > 0.1) & (truth < 0.25))
    assert np.all(((low <= truth) & (truth <= high)).mean(axis=0) >= 0.93)
    assert np.all(np.arctanh(values).std(axis=0) * np.sqrt(rows - 3) < 1.05)
