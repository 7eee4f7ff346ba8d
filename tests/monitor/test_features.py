"""Features of batches against their definition on the rows, and effects against those of the rows."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.monitor.columns import ColumnPlan, bounded, shares_below
from twosample.monitor.effects import change_of, column_effect, largest_effect, pair_effect, shares, where
from twosample.monitor.features import blank, plan_features


def table(rng, rows=400, shift=0.0, **more):
    price = rng.gamma(2, 10, rows) + shift
    return pl.DataFrame(
        {
            "price": pl.Series(price).set(pl.Series(rng.random(rows) < 0.1), None),
            "items": rng.integers(0, 6, rows),
            "city": rng.choice(["Oslo", "Rome", "Lima", "Bonn"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "note": [f"free text number {i} of {rng.random():.6f} and more" for i in range(rows)],
            "fixed": np.full(rows, 0.125),
            **more,
        }
    )


@pytest.fixture(scope="module")
def stream():
    rng = np.random.default_rng(0)
    frames = [
        table(rng, clock=rng.random(400) + 1000 * t, day=np.full(400, np.datetime64("2026-01-01") + t))
        for t in range(6)
    ]
    first = ts.summarize(frames[0])
    batches = [first, *(ts.summarize(frame, like=first) for frame in frames[1:])]
    return frames, batches, plan_features(batches)


def features_of(plan, batch, name):
    at = [column.name for column in plan.columns].index(name)
    return plan.columns[at], plan.features(batch)[plan.part(at)]


def test_features_of_numbers_are_those_of_the_rows(stream):
    frames, batches, plan = stream
    for frame, batch in zip(frames, batches, strict=True):
        column, found = features_of(plan, batch, "price")
        values = frame["price"].drop_nulls().to_numpy()
        score = bounded((values - column.centre) / column.scale)
        assert found[0] == pytest.approx(score.mean(), abs=1e-3)
        assert found[1] == pytest.approx((score**2).mean(), abs=1e-3)
        assert found[2] == pytest.approx(frame["price"].null_count() / 400)
        np.testing.assert_allclose(found[3:], [(values < edge).mean() for edge in column.edges], atol=1e-12)


def test_each_of_few_values_is_a_cell(stream):
    frames, batches, plan = stream
    column, found = features_of(plan, batches[1], "items")
    shares = column.cells(found)
    counts = frames[1]["items"].value_counts().sort("items")["count"].to_numpy() / 400
    np.testing.assert_allclose(shares[shares > 0], counts)


def test_categories_and_text(stream):
    frames, batches, plan = stream
    column, found = features_of(plan, batches[2], "city")
    assert set(column.levels) == {"Oslo", "Rome", "Lima", "Bonn"}
    shares = [(frames[2]["city"] == level).mean() for level in column.levels]
    np.testing.assert_allclose(found, [0.0, *shares, 0.0])  # none missing, no new value
    assert features_of(plan, batches[2], "note")[0].form == "text"


def test_columns_that_tell_the_time_are_left_out(stream):
    left = dict(stream[2].left_out)
    assert set(left) == {"clock", "day"}
    assert "clock" in left["clock"]


def test_they_are_watched_if_selected(stream):
    plan = plan_features(stream[1], select=["clock", "price"])
    assert [column.name for column in plan.columns] == ["price", "clock"]
    with pytest.raises(ts.InputError, match="no column 'cost'"):
        plan_features(stream[1], exclude=["cost"])
    with pytest.raises(ts.InputError, match="no column to watch"):
        plan_features(stream[1], exclude=[column.info.name for column in stream[1][0].columns])


def test_products_are_those_of_the_kept_rows(stream):
    frames, batches, plan = stream
    rows = plan.features(batches[3])[plan.starts[-1] :]
    names = [(plan.columns[i].name, plan.columns[j].name) for i, j in plan.pairs]
    at = names.index(("price", "items"))
    both = frames[3].drop_nulls("price")
    one, two = (
        bounded((both[name].to_numpy() - column.centre) / column.scale)
        for name, column in ((name, features_of(plan, batches[3], name)[0]) for name in ("price", "items"))
    )
    assert rows[at] == pytest.approx((one * two).mean())


def test_a_batch_without_a_column_says_nothing_about_it(stream):
    frames, _, plan = stream
    found = plan.features(ts.summarize(frames[0].drop("price")))
    assert np.isnan(found[plan.part(0)]).all()
    assert np.isfinite(found[plan.part(1)]).all()
    empty = plan.features(ts.summarize(frames[0].with_columns(price=pl.lit(None, pl.Float64))))
    assert empty[2] == 1.0
    assert np.isnan(empty[3:5]).all()


def test_a_constant_that_moves_a_little_is_seen(stream):
    frames, batches, plan = stream
    usual = features_of(plan, batches[0], "fixed")[1]
    moved = ts.summarize(frames[0].with_columns(fixed=pl.lit(0.1251)), like=blank(batches[0]))
    assert usual[0] == features_of(plan, batches[4], "fixed")[1][0]
    assert features_of(plan, moved, "fixed")[1][0] != usual[0]


def test_other_bins_give_nearly_the_same_features(stream):
    frames, batches, plan = stream
    own = plan.features(ts.summarize(frames[5]))
    np.testing.assert_allclose(own, plan.features(batches[5]), atol=0.01)
    like = plan.features(ts.summarize(frames[5], like=blank(batches[0])))
    np.testing.assert_array_equal(like, plan.features(batches[5]))


def test_rows_beyond_the_bins_are_counted():
    rng = np.random.default_rng(1)
    first = ts.summarize({"x": rng.normal(size=500)})
    far = ts.summarize({"x": np.array([-1e9, 0.0, 1e9, np.inf])}, like=first)
    np.testing.assert_allclose(shares_below(far.columns[0].bins, [-4.0, 0.5, 4.0]), [0.25, 0.5, 0.5])


def test_cells_are_shares_of_all_rows(stream):
    _, batches, plan = stream
    rows = np.array([plan.features(batch) for batch in batches])
    for at, column in enumerate(plan.columns):
        cells = column.cells(rows[:, plan.part(at)])
        np.testing.assert_allclose(cells.sum(axis=1), 1.0)
        assert cells.min() > -1e-12
        assert len(column.cell_names()) == cells.shape[1] == len(column.kernel())


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("vary", [0.0, 0.15])
def test_the_effect_is_that_of_the_rows(shift, vary):
    rng = np.random.default_rng(3)
    values = [rng.normal(rng.normal(0, vary) + shift * (t >= 40), 1, 1500) for t in range(46)]
    first = ts.summarize({"x": values[0]})
    batches = [ts.summarize({"x": x}, like=first) for x in values]
    plan = plan_features(batches[:4])
    rows = np.array([plan.features(batch) for batch in batches])
    found = column_effect(plan.columns[0], rows, np.zeros(46, dtype=int), 6)
    expected = ts.effect_size(np.concatenate(values[:40]), np.concatenate(values[40:]))
    assert found.value == pytest.approx(expected.value, abs=0.02)
    assert found.low <= found.value <= found.high
    assert (found.low > 0.05) == (shift > 0)


def test_an_interval_over_batches_covers():
    """The 90 % interval covers the effect of the distributions that batches vary around in about as many cases."""
    rng, covered = np.random.default_rng(5), 0
    plan = ColumnPlan("x", "categorical", levels=("a",))
    truth = column_effect(
        plan, np.column_stack([np.zeros(2000), np.repeat([0.3, 0.5], 1000)]), np.zeros(2000, int), 1000
    )
    for _ in range(300):
        shares = np.where(np.arange(60) < 50, 0.3, 0.5) + rng.normal(0, 0.08, 60)
        found = column_effect(plan, np.column_stack([np.zeros(60), shares]), np.zeros(60, int), 10)
        covered += found.low <= truth.value <= found.high
    assert 0.84 <= covered / 300 <= 0.96


@pytest.mark.parametrize("gone", ["missing", "a new level"])
def test_a_share_is_as_large_as_in_compare(gone):
    """From none to 5 %: other cells of the column do not dilute it."""
    rng = np.random.default_rng(8)
    frames = [{"city": rng.choice(["Oslo", "Rome", "Lima"], 400).tolist()} for _ in range(46)]
    for frame in frames[40:]:
        frame["city"][:20] = [None if gone == "missing" else "Bonn"] * 20
    first = ts.summarize(frames[0])
    batches = [ts.summarize(frame, like=first) for frame in frames]
    plan = plan_features(batches[:4])
    found = column_effect(plan.columns[0], np.array([plan.features(b) for b in batches]), np.zeros(46, dtype=int), 6)
    before, after = ([value for frame in part for value in frame["city"]] for part in (frames[:40], frames[40:]))
    expected = ts.compare({"city": before}, {"city": after})["city"].effect
    assert found.value == pytest.approx(expected, abs=0.01)
    assert found.low > 0.05


def test_durations_are_said_in_minutes():
    rng = np.random.default_rng(9)
    seconds = [rng.gamma(3, 2000, 500) for _ in range(4)]
    frames = [{"trip": (1000 * part).astype("timedelta64[ms]")} for part in seconds]
    plan = plan_features([ts.summarize(frame) for frame in frames])
    assert plan.columns[0].spans
    assert all(
        name == "missing" or " h" in name or " min" in name or " s" in name for name in plan.columns[0].cell_names()
    )


def test_strata_are_compared_with_themselves():
    shares = np.array([0.2, 0.6] * 20 + [0.2])[:, None]  # the last is of the first kind: nothing has changed
    found = change_of(shares, np.array([0, 1] * 20 + [0]), 1)
    assert found.after == pytest.approx(found.before)
    assert change_of(shares[:3], np.array([0, 1, 2]), 1) is None


def test_where_and_pairs():
    rng = np.random.default_rng(7)
    frames = []
    for t in range(30):
        x = rng.normal(size=800) + (t >= 25)
        frames.append({"x": x, "y": rng.normal(size=800) + (0.8 * x if t >= 25 else 0.0)})
    first = ts.summarize(frames[0])
    batches = [ts.summarize(frame, like=first) for frame in frames]
    plan = plan_features(batches[:4])
    rows, strata = np.array([plan.features(batch) for batch in batches]), np.zeros(30, dtype=int)
    said = where(shares(plan.columns[0], rows[:, plan.part(0)], strata, 5))
    assert said[0].startswith("2 to 4: ")  # from 2 to 17 %: farther than from 14 to 34 %, by the roots
    assert any(text.startswith("1 to 2: ") for text in said)
    assert "→" in said[0]
    effect, pair = pair_effect(plan, rows, strata, 5)
    assert pair == 0
    assert effect.low > 0.1


def test_cells_of_single_values_are_called_by_them():
    rng = np.random.default_rng(12)
    plan = plan_features([ts.summarize({"up": rng.integers(0, 2, 500), "x": rng.normal(size=500)}) for _ in range(2)])
    names = {column.name: column.cell_names() for column in plan.columns}
    assert names["up"] == ["below 0", "0 to 1", "1", "1.01562 and more", "missing"]
    assert sum(" to " in name for name in names["x"]) > 10


def test_batches_before_a_change_among_the_last_ones_do_not_hide_it():
    rng = np.random.default_rng(0)
    gone = np.concatenate([np.full(41, 0.2), np.full(12, 0.3)]) + rng.normal(0, 0.02, 53)
    cells = np.column_stack([np.tile((1 - gone)[:, None] / 10, 10), gone])  # ten ranges, and missing
    found = largest_effect(change_of(cells, np.zeros(53, dtype=int), 13), np.eye(11), range(11))
    p, q = gone[:40].mean(), gone[40:].mean()
    assert found.value == pytest.approx((q - p) / np.sqrt((p + q) * (2 - p - q)), abs=0.003)
    assert found.low > 0.085


def test_shares_that_never_varied_have_the_noise_of_the_last_batches_alone():
    new = np.array([0.02, 0.04, 0.02, 0.04])
    cells = np.concatenate([np.zeros(20), new])
    change = change_of(np.column_stack([1 - cells, cells]), np.zeros(24, dtype=int), 4)
    assert change.covariance[1, 1] == 0
    assert change.late[1, 1] == pytest.approx(0.02**2 / 2)
    assert change.recent == pytest.approx(1 / 4)
    assert change.factor == pytest.approx(1 / 4 + 1 / 20)


def categories(rng, count, extra=0):
    names = [f"c{number}" for number in range(count)]
    return {"city": rng.choice(names, 300 - extra).tolist() + ["Bonn"] * extra}


@pytest.mark.parametrize("count", [5, 30])
def test_new_categories_are_noticed_among_many(count):
    rng = np.random.default_rng(10)
    monitor = ts.Monitor([categories(rng, count) for _ in range(40)])
    assert not any(monitor.update(categories(rng, count)).alarm for _ in range(5))
    looks = [monitor.update(categories(rng, count, 18)) for _ in range(6)]
    assert looks[-1].alarm
    assert monitor.columns[0].where[0].startswith("new values: 0.")


def test_shares_of_categories_add_up():
    rng = np.random.default_rng(11)
    first = ts.summarize(categories(rng, 30))
    plan = plan_features([first]).columns[0]
    batch = ts.summarize(categories(rng, 30, 60), like=first)
    features = plan.features(batch.columns[0], 300)
    cells = dict(zip(plan.cell_names(), plan.cells(features), strict=True))
    assert cells["new values"] == pytest.approx(0.2)
    assert sum(cells.values()) == pytest.approx(1)
    assert features[-1] == pytest.approx(0.2)
    many = replace(plan, known=())  # as in states that were saved before
    assert many.features(batch.columns[0], 300) == pytest.approx(features[:-1])
    assert dict(zip(many.cell_names(), many.cells(features[:-1]), strict=True))["all others"] >= 0.2
