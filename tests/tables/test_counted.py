"""Views of single values, round numbers and clocks from counts of all rows, against the rows."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.embedding import Line
from twosample.summaries import SingleTally, SingleValues
from twosample.tables.clocks import ROUND, clock_views
from twosample.tables.number_views import STEPS, counted_views, values
from twosample.tables.sentences import Words

ROWS = 30_000


def amounts(seed, spike, cents=0.0, n=ROWS):
    rng = np.random.default_rng(seed)
    found = rng.lognormal(3, 1, n)
    found = np.where(rng.random(n) < cents, found.round(1), found)
    return np.where(rng.random(n) < spike, 999.25, found)


def gathered(rows, dates=False):
    tally = SingleTally(dates)
    tally.add(rows)
    return tally.result()


def views_of(x, y):
    line = Line.of_values(x[:2000], y[:2000])
    found = counted_views(gathered(x), gathered(y), line, Words(1.0, "numeric"), STEPS, x[:3000])
    return {(view.family, view.text): view for view in found if view.family in ("value", "round")}


def test_hashed_values_against_the_rows():
    x, y = amounts(1, 0.01, 0.05), amounts(2, 0.004, 0.2)
    assert not gathered(x).exact
    found = views_of(x, y)
    spike = found["value", "999.25"]
    for count, rows in ((spike.a, x), (spike.b, y)):
        assert 0 <= count - (rows == 999.25).sum() <= 5 * ROWS / 8192
    assert (spike.m, spike.n) == (ROWS, ROWS)
    assert spike.holds(np.array([999.25, 999.0])).tolist() == [True, False]
    wanted = {view.text: (view.a, view.b) for view in values(x, y, Words(1.0, "numeric")) if view.family == "round"}
    for (family, text), view in found.items():
        if family == "round":
            assert (view.a, view.b) == wanted[text]
            assert view.holds(x).sum() == view.a


def test_few_values_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 50, 5000) / 2, rng.integers(0, 60, 4000) / 2
    line = Line.of_values(x, y)
    here = [(v.family, v.text, v.a, v.b, v.m, v.n) for v in values(x, y, Words(1.0, "numeric"))]
    for kept, wanted in ((None, here), (x, [view for view in here if "occurs" not in view[1]])):
        there = counted_views(gathered(x), gathered(y), line, Words(1.0, "numeric"), STEPS, kept)
        assert [(v.family, v.text, v.a, v.b, v.m, v.n) for v in there] == wanted


def test_dates_by_the_clock():
    rng = np.random.default_rng(1)
    x, y = (np.where(rng.random(9000) < 0.3, 0, rng.integers(0, 86_400, 9000)) + 1.7e9 // 86_400 * 86_400 for _ in "ab")
    many, rows = ([make(part, dates=True) for part in (x, y)] for make in (gathered, SingleValues.of))
    assert not many[0].exact
    known, every = ([(v.text, v.a, v.b) for v in clock_views(*parts) if v.family == "clock"] for parts in (many, rows))
    assert known == every
    line = Line.of_values(x, y)
    found = {v.text: v.a for v in counted_views(*many, line, Words(1.0, "datetime"), ROUND["datetime"], x)}
    assert found["at midnight"] == (x % 86_400 == 0).sum()


def test_planted_single_values_and_round_numbers_are_named():
    a = {"amount": amounts(1, 0.002), "price": amounts(3, 0, 0.02)}
    b = {"amount": amounts(2, 0.006), "price": amounts(4, 0, 0.05)}
    found = ts.compare(a, b, sample=2000)
    assert {found["amount"].verdict, found["price"].verdict} <= {"different", "small difference"}
    assert "999.25" in " ".join(place.text for place in found["amount"].where)
    assert "multiple of 0.1" in " ".join(place.text for place in found["price"].where)


@pytest.mark.parametrize("sample", [500, 4000])
def test_a_table_and_its_summary_are_one(sample):
    rng = np.random.default_rng(5)
    sides = [
        pl.DataFrame(
            {
                "amount": amounts(seed, 0.002 * seed, n=9000),
                "count": rng.poisson(4, 9000),
                "at": pl.Series(rng.integers(0, 10**9, 9000)).cast(pl.Datetime("ms")),
                "digits": [str(v) for v in rng.integers(0, 10**5, 9000)],
                "day": pl.Series(rng.integers(0, 900, 9000)).cast(pl.Date).cast(pl.String),
                "word": [f"w{v}" for v in rng.integers(0, 3000, 9000)],
            }
        )
        for seed in (1, 2)
    ]
    here = ts.compare(*sides, sample=sample)
    kept = [ts.summarize(side, rows=sample) for side in sides]
    cut = [ts.summarize(part, like=kept[0]) for part in (sides[0][:2000], sides[0][2000:])]
    for there in (
        ts.compare(*kept, sample=sample),
        ts.compare(kept[0], sides[1], sample=sample),
        ts.compare(cut[0].merge(cut[1]), kept[1], sample=sample),
    ):
        for part in here.columns:
            if part.kind != "text":
                assert there[part.name].pvalue == pytest.approx(part.pvalue, abs=0.01)  # bandwidths are of samples
                assert there[part.name].effect == pytest.approx(part.effect, abs=0.002)
                assert there[part.name].where == part.where


def test_the_level_holds_where_values_are_hashed():
    """Single values, round numbers and clocks alone; 0.05 of 120 runs are 6."""
    lows = 0
    for seed in range(120):
        x, y = amounts(seed, 0.01, 0.1, 6000), amounts(1000 + seed, 0.01, 0.1, 5000)
        found = views_of(x, y).values()
        lows += min(view.pvalue for view in found) * len(found) <= 0.05
    assert lows <= 12


def _column(found, name):
    return next(column for column in found.columns if column.name == name)


@pytest.mark.parametrize("words", [("yes", "no"), ("1", "0")])
def test_truths_of_a_summary_are_counted_on_all_rows(words):
    """Against other words for them; the rows that were kept are a few."""
    first, second = (np.random.default_rng(seed).random(ROWS) < 0.3 for seed in (1, 2))
    summary = ts.summarize({"seen": first, "row": np.arange(ROWS) % 7}, rows=100)
    table = {"seen": np.where(second, *words), "row": np.arange(ROWS) % 7}
    for pair in ((summary, table), (table, summary), (summary, ts.summarize(table, rows=100))):
        column = _column(ts.compare(*pair), "seen")
        assert column.verdict == "same"
        assert "all rows" in column.method
    other = ts.compare(summary, table | {"seen": np.where(~second, *words)})
    assert _column(other, "seen").verdict == "different"


@pytest.mark.parametrize("unit", [1, 0.25, np.float32(1 / 3)])
def test_numbers_of_a_summary_as_categories(unit):
    """From the counts of single values, as from the rows; beyond 2^53 and beyond 4096 values from those kept."""
    first, second = (np.random.default_rng(seed).integers(0, 5, ROWS) * unit for seed in (1, 2))
    said = {"code": "categorical"}
    summary = ts.summarize({"code": first}, rows=100)
    found = _column(ts.compare(summary, {"code": second}, kinds=said), "code")
    rows = _column(ts.compare({"code": first}, {"code": second}, kinds=said), "code")
    assert (found.statistic, found.method) == (rows.statistic, rows.method)


@pytest.mark.parametrize("codes", [np.arange(ROWS) % 5 + 2**60, np.arange(ROWS) % 5000])
def test_numbers_that_were_not_counted_one_by_one(codes):
    found = ts.compare(ts.summarize({"code": codes}, rows=100), {"code": codes}, kinds={"code": "categorical"})
    assert "random samples of 100 and" in _column(found, "code").method
