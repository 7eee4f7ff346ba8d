"""Sums of frozen features over groups of rows."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from twosample.sources import BinGrid, convert, open_table
from twosample.sources.moments import _APART, GroupTally, feature_values, frozen
from twosample.sources.partial import GroupMoments
from twosample.sources.values import fingerprint
from twosample.summaries import CodedColumn, Scale
from twosample.tables.features import pooled_column

KINDS = {
    "x": "numeric", "count": "integer", "at": "datetime", "city": "categorical", "shop": "categorical", "word": "text"
}  # fmt: skip
SHOPS = 0.8 ** np.arange(40.0)


def table(rows, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": pl.Series(rng.normal(size=rows)).set(pl.Series(rng.random(rows) < 0.02), None),
            "count": rng.poisson(3, rows),
            "at": pl.Series(rng.integers(0, 10**15, rows)).cast(pl.Datetime("us")),
            "city": rng.choice(["Oslo", "Rome", "Lima", "Bonn"], rows, p=[0.5, 0.3, 0.15, 0.05]),
            "shop": rng.choice([f"s{i}" for i in range(40)], rows, p=SHOPS / SHOPS.sum()),
            "word": rng.choice([f"w{value} {'no' * (value % 3)}" for value in range(3000)], rows),
        }
    )


@pytest.fixture(scope="module")
def plan():
    return convert(table(3000, 1), KINDS)


@pytest.fixture(scope="module")
def features(plan):
    numbers = ("x", "count", "at")
    grids = {name: Scale.of(plan[name].drop_nulls().to_numpy()).grid for name in numbers}
    return frozen(plan, KINDS, grids)


@pytest.fixture(scope="module")
def task(features):
    return GroupMoments.of(open_table(table(10, 1)).columns, features)


def test_the_moments_are_those_of_the_definition(task):
    """Row by row: a group by its random number, features by a look at the tables, sums in whole numbers."""
    frame = table(3000, 5)
    found = task.read(task.part([frame], 4))
    seed = [_APART, 4, fingerprint(frame, frame.columns)]
    drawn = np.random.Generator(np.random.PCG64(seed)).random(3000) * 128
    Z = feature_values(task.features, frame).T.astype(np.int64)
    width = Z.shape[1]
    naive = np.zeros((128, width, width), dtype=np.int64)
    for place, row in zip(drawn, Z, strict=True):
        naive[int(place)] += np.outer(row, row)
    first, second = np.triu_indices(width)
    assert np.array_equal(found, naive[:, first, second])
    assert found[:, 0].sum() == 3000


def test_sums_are_exact_where_features_are_largest(task):
    """Single precision adds up no more rows than it can."""
    tall = tuple(replace(column, table=np.full_like(column.table, 127)) for column in task.features)
    tally = GroupTally(tall)
    tally.add(table(1, 3).sample(300_000, with_replacement=True))
    found = tally.result()
    assert found.moments[:, -1].tolist() == (found.rows * 127**2).tolist()


def test_many_features_have_sums_alone():
    rng = np.random.default_rng(0)
    wide = pl.DataFrame(rng.normal(size=(500, 70)), schema=[f"c{i}" for i in range(70)])
    grid = BinGrid(-4, -100, 200)
    features = frozen(wide, dict.fromkeys(wide.columns, "numeric"), dict.fromkeys(wide.columns, grid))
    tally = GroupTally(features)
    tally.add(wide)
    found = tally.result()
    assert found.moments.shape == (128, 71)
    assert not found.paired
    assert (
        found.moments[:, 1:].sum(axis=0).tolist() == feature_values(features, wide)[1:].astype(int).sum(axis=1).tolist()
    )


@pytest.mark.parametrize("cuts", [[0, 3000], [0, 1, 1, 700, 2999, 3000]])
def test_batches_do_not_matter(task, cuts):
    frame = table(3000, 5)
    parts = [frame[a:b] for a, b in pairwise(cuts)]
    assert task.part(parts, 2) == task.part([frame], 2)


@pytest.mark.parametrize("kind", ["numeric", "datetime"])
def test_text_is_read_value_by_value(kind):
    """Whatever most of a batch spell."""
    text = pl.Series("v", ["1.5", "2", "2024-05-01", "x"] * 25 + ["2023-01-01"] * 60 + ["7"] * 90)
    values = convert(text.to_frame(), {"v": kind})
    grid = Scale.of(values["v"].drop_nulls().to_numpy()).grid
    features = frozen(values, {"v": kind}, {"v": grid})
    tallies = GroupTally(features, first=0), GroupTally(features, first=0)
    tallies[0].add(text.to_frame())
    for a, b in pairwise([0, 3, 100, 160, 200, 250]):
        tallies[1].add(text[a:b].to_frame())
    found = [tally.result().moments for tally in tallies]
    assert np.array_equal(*found)
    assert found[0][:, 1:].any()


def test_merging_in_any_order(task):
    frames = [table(rows, seed) for seed, rows in enumerate((1, 500, 20, 900))]
    parts = [task.part([frame], place) for place, frame in enumerate(frames)]
    whole = task.merged(parts)
    assert task.merged([task.merged(parts[2:]), b"", *reversed(parts[:2])]) == whole
    assert task.merged([]) == b"" == task.part([], 0)


def test_parts_that_know_where_they_begin_are_the_whole(features):
    frame = table(3000, 5)
    whole = GroupTally(features, first=0)
    whole.add(frame)
    parts = []
    for a, b in pairwise([0, 7, 1000, 3000]):
        tally = GroupTally(features, first=a)
        tally.add(frame[a:b])
        parts.append(tally.result())
    found = parts[2].merged(parts[0]).merged(parts[1])
    assert np.array_equal(found.moments, whole.result().moments)
    assert found.merged(replace(parts[0], features=features[:1])) is None


def test_parts_draw_groups_of_their_own(features):
    """Else groups of many parts that are sorted alike would be too different."""
    drawn = [GroupTally(features, place)._drawn(table(500, seed)) for place, seed in ((0, 1), (0, 2), (1, 1), (0, 1))]
    assert np.array_equal(drawn[0], drawn[3])
    assert all((drawn[0] == other).mean() < 0.1 for other in drawn[1:3])


def test_totals_do_not_depend_on_parts(task):
    """Which group a row is in does; what all groups hold together does not."""
    frame = table(3000, 5)
    whole = task.read(task.part([frame], 0)).sum(axis=0)
    parts = [task.read(task.part([frame[a:b]], i)) for i, (a, b) in enumerate(pairwise([0, 7, 1000, 3000]))]
    assert np.array_equal(np.sum(parts, axis=0).sum(axis=0), whole)


def test_some_columns_of_the_sums(features):
    fewer = tuple(part for part in features if part.name in ("x", "city"))
    found = []
    for some in (features, fewer):
        tally = GroupTally(some, first=0)
        tally.add(table(2000, 4))
        found.append(tally.result())
    assert np.array_equal(found[0].of(fewer).moments, found[1].moments)
    assert found[1].of(features) is None


def test_coded_features_are_those_of_the_sample(features, plan):
    """Up to the width of a bin, and what stands in one unit of the code."""
    found, place = feature_values(features, plan)[1:].astype(float), 0
    assert {column.name for column in features} == set(KINDS)
    for column in features:
        width = column.table.shape[1]
        if column.kind == "categorical":  # which levels are looked at is another choice
            place += width
            continue
        scale = Scale.of(plan[column.name].drop_nulls().to_numpy()) if column.bins is not None else None
        part = pooled_column(column.name, plan[column.name], KINDS[column.name], scale, len(KINDS))[1]
        for own in found[place : place + width - (column.kind == "text")]:  # how much lengths spread is in none
            assert max(np.corrcoef(own, feature)[0, 1] for feature in part.values.T) > 0.98, column.name
        place += width


def levels_of(counts):
    """The levels that are looked at one by one, from how often each of some levels occurs."""
    values = [level for level, rows in counts.items() for _ in range(rows)]
    (column,) = CodedColumn.frozen(pl.Series("v", values), "categorical", None, 6)
    single = [k for k in range(column.width) if np.count_nonzero(column.table[:, k]) == 1]
    return [column.levels[int(column.table[:, k].argmax())] for k in single]


def test_large_levels_are_looked_at_one_by_one():
    many = {f"v{i}": 3 for i in range(300)}
    assert levels_of({"a": 400, "b": 150, **many}) == ["a", "b"]
    assert levels_of(many) == []
    assert set(levels_of({"a": 50, "b": 30, "c": 15, "d": 5})) == {"a", "b", "c", "d"}
    assert len(levels_of({"a": 60, "b": 40})) == 1


def test_levels_that_are_about_as_large_are_chosen_by_their_names():
    """Else the features would be of levels that happen to be frequent in the table that they were chosen from."""
    rng, chosen = np.random.default_rng(0), set()
    for _ in range(20):
        counts = rng.multinomial(2000, np.full(20, 0.05))
        chosen.add(tuple(sorted(levels_of({f"v{i}": int(rows) for i, rows in enumerate(counts)}))))
    assert len(chosen) <= 4  # of 20: the most frequent four are others in each draw


def test_values_that_the_sample_does_not_have():
    (column,) = CodedColumn.frozen(pl.Series("v", ["a", "b", "a", "c"] * 20), "categorical", None, 6)
    assert column.codes(pl.Series(["b", "new", None, "a"])).tolist() == [1, 3, 4, 0]
    assert not column.table[3].any()
    (column,) = CodedColumn.frozen(pl.Series("v", np.arange(100.0)), "numeric", BinGrid(0, 0, 100), 6)
    codes = column.codes(pl.Series([-np.inf, -5.0, 0.0, 99.5, 1e300, np.inf, None]))
    assert codes.tolist() == [0, 0, 1, 100, 101, 101, 103]
    assert column.table[0, 0] == column.table[1, 0] < column.table[50, 0] < column.table[100, 0] == column.table[101, 0]
    (column,) = CodedColumn.frozen(pl.Series("v", np.arange(100.0) / 100), "numeric", BinGrid(-7, 0, 100), 6)
    assert column.codes(pl.Series([1.7e308, -1.7e308])).tolist() == [101, 0]  # more than a double can hold in bins


@pytest.mark.parametrize(
    ("values", "kind"),
    [([1.0] * 9, "numeric"), ([None] * 9, "numeric"), (["a"] * 9, "categorical"), (["ab", "cd"], "text")],
)
def test_what_does_not_vary_has_no_features(values, kind):
    series = pl.Series("v", values, dtype=pl.Float64 if kind == "numeric" else pl.String)
    assert CodedColumn.frozen(series, kind, BinGrid(0, 0, 4) if kind == "numeric" else None, 6) == []


def test_two_values_or_one_and_gaps_say_one_thing():
    grid = BinGrid(0, 0, 4)
    for values, kind in (([0.0, 1.0] * 9, "boolean"), ([2.0, None] * 9, "numeric"), (["a", None] * 9, "categorical")):
        series = pl.Series("v", values, dtype=pl.String if kind == "categorical" else pl.Float64)
        (column,) = CodedColumn.frozen(series, kind, None if kind == "categorical" else grid, 6)
        assert column.width == 1
