"""ts.Monitor: learning, alarms, acceptance, and odd batches."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.monitor.streams import day, days
from twosample.monitor import DuplicateBatchError


def test_quiet_then_alarm_then_accepted(monitor):
    assert not monitor.alarm
    assert not monitor.learning
    assert monitor.pvalue is None
    for batch in days(1, 3):
        assert monitor.update(batch).status == "quiet"
    for batch in days(2, 6, shift=1.0):
        look = monitor.update(batch)
        if look.alarm:
            break
    assert monitor.alarm
    assert monitor.drift_detected
    assert monitor.pvalue <= 0.001
    assert monitor.since == "batch 49"
    assert look.since_earliest in ("batch 47", "batch 48", "batch 49")
    top = monitor.columns[0]
    assert top.name == "price"
    assert top.effect_low > 0.05
    assert "→" in top.where[0]
    assert "price changed" in look.reasons[0]
    monitor.accept()
    assert not monitor.alarm
    assert monitor.learning
    assert monitor.update(day(np.random.default_rng(3), shift=1.0)).status == "learning"
    with pytest.raises(ts.OptionError, match="no alarm to accept"):
        monitor.accept()
    with pytest.raises(ts.OptionError, match="no batch of that name"):
        monitor.accept(since="batch 1000")
    monitor.accept(since="batch 1")
    assert not monitor.learning


def test_an_alarm_that_later_batches_do_not_repeat_is_still_told(monitor):
    for batch in days(2, 3, shift=1.0):
        monitor.update(batch)
    assert monitor.alarm
    odd, rng = monitor.looks[-1], np.random.default_rng(4)
    while monitor.alarm:
        monitor.update(day(rng))
    alarms = [look for look in monitor.looks if look.alarm]
    assert str(monitor).startswith(
        f"quiet at {monitor.looks[-1].batch}, after {len(alarms)} alarms, the last at {alarms[-1].batch}: "
    )
    assert alarms[-1].number >= odd.number
    assert alarms[-1].reasons[0] in monitor.to_dict()["headline"]
    monitor.accept(since="batch 1")
    assert str(monitor).startswith("the change was accepted: the reference begins with batch 1")
    monitor.update(day(rng))
    assert "after" not in str(monitor).splitlines()[0]


def test_what_changed_is_named():
    rng = np.random.default_rng(5)
    m = ts.Monitor(days(0, 45))
    while not m.alarm:
        m.update(day(rng).with_columns(city=pl.Series(rng.choice(["Oslo", "Rome"], 150))))
    assert m.columns[0].name == "city"
    assert "Lima" in m.columns[0].where[0]
    m = ts.Monitor(days(0, 45))
    while not m.alarm:
        m.update(day(rng).with_columns(pl.when(pl.int_range(150) < 20).then(None).otherwise("items").alias("items")))
    assert m.columns[0].name == "items"
    assert any(said.startswith("missing: 0.0 %") for said in m.columns[0].where)


def test_dependence_alone_is_seen():
    rng = np.random.default_rng(6)

    def pair(rho):
        x, e = rng.normal(size=(2, 300))
        return {"x": x, "y": rho * x + np.sqrt(1 - rho**2) * e}

    m = ts.Monitor([pair(0.0) for _ in range(40)])
    while not m.alarm:
        m.update(pair(0.7))
    assert m.columns[0].name == "pairs of columns"
    assert m.columns[0].where == ("most: x with y",)
    assert len(m.looks) <= 4


def test_a_change_below_the_margin_is_no_alarm(reference):
    strict, relaxed = ts.Monitor(reference, margin=0), ts.Monitor(reference, margin=0.5)
    for batch in days(8, 6, shift=1.0):
        one, two = strict.update(batch), relaxed.update(batch)
        assert one.pvalue == two.pvalue
        assert two.status == "quiet"
    assert one.alarm
    assert "no effect is surely above the margin" in two.notes[0]


def test_few_batches_rows_are_units():
    m = ts.Monitor(days(10, 5, vary=0.0))
    look = m.update(day(np.random.default_rng(11), vary=0.0))
    assert (look.status, look.units) == ("learning", "rows")
    assert "assumes that batches do not differ" in look.notes[0]
    look = m.update(day(np.random.default_rng(12), shift=1.0))
    assert look.alarm
    assert look.pvalue <= 0.001


def test_few_batches_that_differ_by_themselves_raise_no_alarm():
    rng = np.random.default_rng(13)
    m = ts.Monitor([day(rng, vary=1.0) for _ in range(8)])
    looks = [m.update(day(rng, vary=1.0)) for _ in range(6)]
    assert {look.status for look in looks} == {"learning"}
    assert "batches differ by themselves (in price" in looks[-1].notes[0]


def test_a_batch_that_comes_twice(monitor):
    batch = days(14, 1)[0]
    monitor.update(batch, name="today")
    before = monitor.to_bytes()
    with pytest.raises(DuplicateBatchError, match="today is there already: the same rows"):
        monitor.update(batch, name="today")
    with pytest.raises(DuplicateBatchError, match="there already, as today"):
        monitor.update(batch, name="tomorrow")
    with pytest.raises(DuplicateBatchError, match="a batch today with other rows"):
        monitor.update(days(15, 1)[0], name="today")
    assert monitor.to_bytes() == before
    assert monitor.update(batch, name="today", again=True).number == 47


def test_late_and_missing_batches():
    rng = np.random.default_rng(16)
    names = [f"2026-01-{d:02d}" for d in range(1, 29)]
    frames = {name: ts.summarize(day(rng), name=name) for name in names}
    m = ts.Monitor([frames[name] for name in names[:24]])
    look = m.update(frames["2026-01-27"])
    assert look.notes == ("batches seem to be missing between 2026-01-24 and 2026-01-27",)
    look = m.update(frames["2026-01-25"])
    assert look.notes == ("late: it belongs before 2026-01-27",)
    order = [batch["name"] for batch in m.to_dict()["batches"]]
    assert order == sorted(order)
    assert m.update(frames["2026-01-28"]).notes == ()


def test_empty_batches_and_other_columns(monitor):
    empty = monitor.update(day(np.random.default_rng(0))[:0], name="nothing")
    assert empty.alarm
    assert empty.reasons == ("the batch has no rows",)
    rng = np.random.default_rng(17)
    look = monitor.update(day(rng).drop("items"))
    assert look.alarm
    assert look.reasons == ("column items is not there",)
    look = monitor.update(day(rng, colour=["red"] * 150))
    assert look.status == "quiet"
    assert look.notes == ("column colour is new: it is not watched",)
    look = monitor.update(day(rng).with_columns(price=pl.lit("n/a")))
    assert look.reasons == ("column price holds no numbers",)
    look = monitor.update(day(rng).with_columns(price=pl.lit(None, pl.Float64)))
    assert look.reasons == ()
    assert [batch["role"] for batch in monitor.to_dict()["batches"]].count("empty") == 1


def test_infinite_numbers_are_told(monitor):
    rng = np.random.default_rng(18)
    look = monitor.update(day(rng).with_columns(price=pl.lit(float("inf"))))
    assert look.alarm
    assert look.reasons[0] == "column price holds infinite values only"
    again = ts.Monitor.from_bytes(monitor.to_bytes())
    some = day(rng).with_columns(price=pl.when(pl.int_range(150) < 30).then(float("-inf")).otherwise("price"))
    said = "column price: 30 of 150 rows are infinite, and none were in the batches that chose the features"
    assert again.update(some).notes == monitor.update(some).notes == (said,)


def test_infinite_numbers_of_the_reference_are_no_news():
    rng = np.random.default_rng(19)
    batches = [day(rng).with_columns(price=pl.when(pl.int_range(150) < 9).then(float("inf")).otherwise("price"))
               for _ in range(31)]  # fmt: skip
    monitor = ts.Monitor(batches[:-1])
    assert ts.Monitor.from_bytes(monitor.to_bytes()).update(batches[-1]).notes == ()


def test_text_of_which_only_the_missing_share_is_watched_is_named():
    rng = np.random.default_rng(20)
    monitor = ts.Monitor([day(rng, note=[f"order {v:.9f} came" for v in rng.normal(size=150)]) for _ in range(5)])
    said = "column note: text with mostly different values; only its missing share is watched"
    assert said in monitor.notes
    assert said in monitor.summary()


def test_seasons_are_told():
    t = np.arange(60)
    rng = np.random.default_rng(20)
    season = [{"x": rng.normal(2 * np.sin(2 * np.pi * i / 60), 1, 100)} for i in t]
    assert any("neighbouring batches" in note for note in ts.Monitor(season).notes)
    mixed = [season[i] for i in rng.permutation(60)]
    assert not any("neighbouring batches" in note for note in ts.Monitor(mixed).notes)


def test_json_and_text(monitor):
    monitor.update(days(21, 1)[0])
    values = json.loads(monitor.to_json())
    assert values["schema"] == 1
    assert values["looks"][0]["columns"][0]["name"] == "price"
    assert "at most one false alarm in 1,000 batches" in values["guarantee"]
    assert str(monitor).startswith("quiet at batch 46")
    assert repr(monitor) == "Monitor(46 batches, 1 looks, quiet)"


def test_options_are_checked(reference):
    with pytest.raises(ts.OptionError, match="false_alarms=2"):
        ts.Monitor(reference, false_alarms=2)
    with pytest.raises(ts.OptionError, match="margin=-1"):
        ts.Monitor(reference, margin=-1)
    with pytest.raises(ts.InputError, match="there is no batch"):
        ts.Monitor([])
    with pytest.raises(ts.InputError, match="no rows"):
        ts.Monitor([reference[0][:0]])
    with pytest.raises(ts.OptionError, match="names of their own"):
        ts.Monitor(reference).update(reference[:2], name="x")


def test_numbers_beyond_the_first_batch_are_told_apart():
    """The first batch is narrow: bins that only reached over it would count most rows as beyond their end."""
    rng = np.random.default_rng(23)
    batches = [{"x": np.abs(rng.normal(0, 0.2 if t < 6 else 10, 60))} for t in range(60)]
    m = ts.Monitor(batches[:40])
    (column,) = m._history.plan.columns
    truth = np.concatenate([batch["x"] for batch in batches[5:40:10]])
    assert column.deviation == pytest.approx(truth.std(), rel=0.02)
    found = ts.summarize(batches[50], like=m._like).columns[0].bins
    assert found.above <= 0.02 * 60


@pytest.mark.parametrize("constant", [0.0035, -4e7])
def test_a_constant_that_comes_to_life_is_a_large_effect_in_any_unit(constant):
    rng = np.random.default_rng(30)

    def batch(spread):
        return {"x": rng.normal(size=100), "fixed": constant * (1 + spread * rng.normal(size=100))}

    m = ts.Monitor([batch(0.0) for _ in range(45)])
    looks = [m.update(batch(0.3)) for _ in range(4)]
    assert looks[-1].alarm
    fixed = next(column for column in m.columns if column.name == "fixed")
    assert fixed.adjusted_pvalue <= 0.001
    assert fixed.effect > 0.5
    assert fixed.where


def test_an_alarm_among_several_batches_is_what_update_returns(monitor):
    rng = np.random.default_rng(31)
    odd = day(rng).drop("items")
    look = monitor.update([day(rng), odd, day(rng)])
    assert look.alarm
    assert look is not monitor.looks[-1]
    assert [look.alarm for look in monitor.looks[-3:]] == [False, True, False]
