"""Delays that the planner predicts: the planted shift is that of shifted rows, and the prediction holds."""

import numpy as np
import pytest

import twosample as ts
from twosample.monitor.features import plan_features
from twosample.monitor.planner import Delay, PlantedChange, planted, shifted


def batch(rng, shift=0.0, vary=0.3, rows=100):
    return {"x": rng.normal(rng.normal(0, vary) + shift, 1, rows), "y": rng.normal(rng.normal(0, vary), 1, rows)}


def test_shifted_features_are_those_of_shifted_rows():
    rng = np.random.default_rng(0)
    frames = [batch(rng, rows=4000) for _ in range(4)]
    first = ts.summarize(frames[0])
    plan = plan_features([first, *(ts.summarize(frame, like=first) for frame in frames[1:])])
    for size in (-0.4, 0.3, 1.0):
        row = shifted(plan, plan.features(ts.summarize(frames[2], like=first)), 0, size)
        truth = plan.features(ts.summarize({**frames[2], "x": frames[2]["x"] + size}, like=first))
        np.testing.assert_allclose(row, truth, atol=0.02)


def test_a_delay_in_words():
    found = Delay("x", 0.5, (3, 4, 4, 5, 9), 20)
    assert found.median == 4
    assert found.within(0.8) == 5
    assert str(found) == "found within 9 batches with 90 %, half of the time within 4"
    late = Delay("x", 0.5, (3, None, None), 20)
    assert late.within(0.9) is None
    assert late.median == np.inf
    assert str(late) == "found within 20 batches in 1 of 3 runs"


def test_larger_shifts_are_found_sooner_and_seeds_repeat():
    rng = np.random.default_rng(1)
    m = ts.Monitor([batch(rng) for _ in range(45)])
    small, large = (m.delay("x", size, runs=4, most=40) for size in ("0.6sd", "2sd"))
    assert large.median < small.median
    assert m.delay("x", "2sd", runs=4, most=40) == large
    for arguments in (("z", 1.0), ("x", "much"), ("x", float("inf"))):
        with pytest.raises(ts.OptionError):
            m.delay(*arguments)
    with pytest.raises(ts.InputError, match="still learning"):
        ts.Monitor([batch(rng) for _ in range(5)]).delay("x", 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "vary"), [(0.6, 0.3), (0.4, 0.15)])
def test_the_prediction_is_within_a_quarter_of_the_truth(shift, vary):
    measured, predicted = [], []
    for run in range(40):
        rng = np.random.default_rng([2, run])
        m = ts.Monitor([batch(rng, vary=vary) for _ in range(66)], rng=run)
        if run % 5 == 0:
            sizes = m.delay("x", shift, runs=8, most=60, rng=run).delays
            predicted += [61 if size is None else size for size in sizes]
        while not m.alarm and len(m.looks) < 60:
            m.update(batch(rng, shift, vary=vary))
        measured.append(len(m.looks) if m.alarm else 61)
    assert np.mean(predicted) == pytest.approx(np.mean(measured), rel=0.25)


def test_a_constant_has_no_standard_deviation():
    rng = np.random.default_rng(5)
    m = ts.Monitor([{**batch(rng), "fixed": np.full(100, 7.0)} for _ in range(30)])
    with pytest.raises(ts.OptionError, match="'fixed' is constant in the reference; give the shift in its units"):
        m.delay("fixed", "1sd", runs=1)


def shop(rng, rome=0.3, gone=0.0, rows=200):
    share = rome + rng.normal(0, 0.02)
    city = rng.choice(["Rome", "Oslo", "Lima"], rows, p=[share, 0.7 - share, 0.3]).astype(object)
    city[rng.random(rows) < gone] = None
    return {"city": city, "price": rng.normal(size=rows)}


def test_planted_shares_are_those_of_changed_rows():
    """Rows of other cities, drawn at random, become Romans, citizens of a new city, or gaps."""
    rng = np.random.default_rng(6)
    frames = [shop(rng, rows=50_000) for _ in range(4)]
    first = ts.summarize(frames[0])
    plan = plan_features([first, *(ts.summarize(frame, like=first) for frame in frames[1:])])
    number = [part.name for part in plan.columns].index("city")
    row, city = plan.features(ts.summarize(frames[2], like=first)), frames[2]["city"]
    rest = 1 - (city == "Rome").mean()
    changes = {"Rome": (city != "Rome") & (rng.random(50_000) < 0.05 / rest)}
    changes["Paris"] = changes["missing"] = rng.random(50_000) < 0.05
    for level, moved in changes.items():
        new = city.copy()
        new[moved] = None if level == "missing" else level
        truth = plan.features(ts.summarize({**frames[2], "city": new}, like=first))
        found = planted(plan, row, PlantedChange(number, 0.05, level))
        np.testing.assert_allclose(found[plan.part(number)], truth[plan.part(number)], atol=0.006)
        assert not np.allclose(row[plan.part(number)], truth[plan.part(number)], atol=0.006)


def test_shares_that_grow_are_found():
    rng = np.random.default_rng(7)
    m = ts.Monitor([shop(rng) for _ in range(50)])
    assert m.watched == ("city", "price")
    small, large = (m.delay("city", size, level="Rome", runs=4, most=40) for size in ("5%", 0.2))
    assert large.median < small.median
    assert (large.level, large.shift) == ("Rome", 0.2)
    assert m.delay("city", "20%", level="Rome", runs=4, most=40) == large
    assert m.delay("city", "20%", level="Paris", runs=2, most=20).median <= 3
    assert m.delay("price", "30%", level="missing", runs=2, most=20).median <= 3


@pytest.mark.parametrize(
    ("arguments", "level", "match"),
    [
        (("city", "5%"), None, "Name the category"),
        (("price", "5%"), None, "a share of what"),
        (("price", "5%"), "Rome", "has no categories"),
        (("city", "1sd"), "Rome", "by a part of the rows"),
        (("city", 2.0), "Rome", "by a part of the rows"),
        (("town", "5%"), "Rome", "no column 'town' is watched"),
    ],
)
def test_changes_that_cannot_be(arguments, level, match):
    rng = np.random.default_rng(8)
    m = ts.Monitor([shop(rng, rows=50) for _ in range(25)])
    with pytest.raises(ts.OptionError, match=match):
        m.delay(*arguments, level=level, runs=1)
