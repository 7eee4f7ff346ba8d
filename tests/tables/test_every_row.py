"""All columns together on every row: moments of features in groups of rows."""

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.core.groups import RowGroups
from twosample.embedding import Judge
from twosample.sources import open_table
from twosample.tables import every_row
from twosample.tables.every_row import CodedColumn, GroupMoments
from twosample.tables.features import column_features
from twosample.tables.joint import joint_sample
from twosample.tables.reading import Wanted, read


def table(rows, seed, rho=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=rows)
    gaps = rng.random(rows) < 0.02
    return pl.DataFrame(
        {
            "x": pl.Series(x).set(pl.Series(gaps), None),
            "y": rho * x + np.sqrt(1 - rho**2) * rng.normal(size=rows),
            "count": rng.poisson(3, rows),
            "at": pl.Series(rng.integers(0, 10**15, rows)).cast(pl.Datetime("us")),
            "city": pl.Series(rng.choice(["Oslo", "Rome", "Lima", "Bonn"], rows, p=[0.5, 0.3, 0.15, 0.05])),
            "word": pl.Series(rng.choice([f"w{value} {'no' * (value % 3)}" for value in range(3000)], rows)),
        }
    )


@pytest.fixture
def few(monkeypatch):
    """Every table is a large one."""
    monkeypatch.setattr(sys.modules["twosample.tables.compare"], "HELD", 2000)
    monkeypatch.setattr(every_row, "LEAST_ROWS", 1000)


def prepared(a, b, size=2000):
    tables = open_table(a), open_table(b)
    reading = read(tables, Wanted(None, (), {}), size, (1, 2), lambda what: None)
    judge = Judge(0.05, 10, np.random.default_rng(3))
    joint = joint_sample(reading, list(reading.schema.common), judge.rng)
    return reading, joint, judge


@pytest.fixture(scope="module")
def setting():
    return prepared(table(3000, 1), table(3000, 2))


@pytest.fixture(scope="module")
def task(setting):
    reading, joint, _ = setting
    features = every_row._frozen(reading, joint)
    return every_row._task(reading.a.table, features, 40, 50.0, 7)


def test_the_moments_are_those_of_the_definition(task):
    """Row by row: a group by its random number, features by a look at the tables, sums in whole numbers."""
    frame = table(3000, 5)
    found = task.read(task.part([frame], 4))
    drawn = np.random.default_rng([7, 4]).random(3000) * 50.0
    Z = task.values(frame).T.astype(np.int64)
    width = Z.shape[1]
    naive = np.zeros((40, width, width), dtype=np.int64)
    for place, row in zip(drawn, Z, strict=True):
        if place < 40:
            naive[int(place)] += np.outer(row, row)
    first, second = np.triu_indices(width)
    assert np.array_equal(found, naive[:, first, second])
    assert found[:, 0].sum() == (drawn < 40).sum()


@pytest.mark.parametrize("cuts", [[0, 3000], [0, 1, 1, 700, 2999, 3000]])
def test_batches_do_not_matter(task, cuts):
    frame = table(3000, 5)
    parts = [frame[a:b] for a, b in pairwise(cuts)]
    assert task.part(parts, 2) == task.part([frame], 2)


def test_merging_in_any_order(task):
    frames = [table(rows, seed) for seed, rows in enumerate((1, 500, 20, 900))]
    parts = [task.part([frame], place) for place, frame in enumerate(frames)]
    whole = task.merged(parts)
    assert task.merged([task.merged(parts[2:]), b"", *reversed(parts[:2])]) == whole
    assert task.merged([]) == b"" == task.part([], 0)


def test_totals_do_not_depend_on_parts(task):
    """Which group a row is in does; what all groups hold together does not."""
    frame, task = table(3000, 5), replace(task, places=40.0)
    whole = task.read(task.part([frame], 0)).sum(axis=0)
    parts = [task.read(task.part([frame[a:b]], i)) for i, (a, b) in enumerate(pairwise([0, 7, 1000, 3000]))]
    assert np.array_equal(np.sum(parts, axis=0).sum(axis=0), whole)


def test_coded_features_are_those_of_the_sample(task, setting):
    """Up to the width of a bin, and what stands in one unit of the code."""
    reading, joint, _ = setting
    pooled = reading.samples[0][joint.chosen[0]].vstack(reading.samples[1][joint.chosen[1]])
    found, place = task.values(pooled)[1:].T * every_row._UNIT, 0
    exact = {part.name: part for part in joint.features}
    for column in task.features:
        width = column.table.shape[1]
        part = exact[column.name]
        wanted = [i for i, (meaning, _) in enumerate(part.meanings) if (meaning == "hour") == column.clock]
        wanted = [i for i in wanted if part.meanings[i][0] != "letters"][:width]
        for own, feature in zip(found[:, place : place + width].T, part.values[:, wanted].T, strict=True):
            assert np.corrcoef(own, feature)[0, 1] > 0.98
        place += width
    assert {column.name for column in task.features} == {"x", "y", "count", "at", "city", "word"}


def test_values_that_the_sample_does_not_have():
    series = pl.Series("v", ["a", "b", "a", "c"] * 20)
    part = column_features(series, type("Column", (), {"kind": "categorical", "name": "v"})(), 1)
    column = CodedColumn.frozen(part, series, None, False, 6)
    assert column.codes(pl.Series(["b", "new", None, "a"])).tolist() == [1, 3, 4, 0]
    assert not column.table[3].any()
    numbers = pl.Series("v", np.arange(100.0))
    part = column_features(numbers, type("Column", (), {"kind": "numeric", "name": "v"})(), 1)
    column = CodedColumn.frozen(part, numbers, ts.sources.BinGrid(0, 0, 100), False, 6)
    codes = column.codes(pl.Series([-np.inf, -5.0, 0.0, 99.5, 1e300, np.inf, None]))
    assert codes.tolist() == [0, 0, 1, 100, 101, 101, 103]
    assert column.table[0, 0] == column.table[1, 0] < column.table[50, 0] < column.table[100, 0] == column.table[101, 0]


def test_groups_of_tables_of_any_size():
    rng = np.random.default_rng(0)
    for m, n in ((10**6, 10**6), (10**6, 10**6 + 4321), (30_000, 10**8), (3 * 10**6, 2 * 10**6)):
        groups = RowGroups.of_large(m, n, 128, 19, rng)
        few, many = sorted(((m, groups.m), (n, groups.n)))
        assert 128 <= few[1] < 256
        assert many[1] == 4 * few[1] or abs(many[0] / many[1] / (few[0] / few[1]) - 1) < 2e-3


def test_compare_rests_on_every_row(few):
    a, b = table(40_000, 1), table(40_000, 2, rho=0.05)
    sampled, every = ts.compare(a, b, sample=2000), ts.compare(a, b, sample=None)
    assert sampled.joint.pvalue > 10 * every.joint.pvalue
    assert every.joint.pvalue < 0.01
    assert (every.joint.m, every.joint.n) == (every.a.sampled, every.b.sampled) == (40_000, 40_000)
    assert "Joint test on all rows: 40,000 and 40,000" in " ".join(every.joint.notes)
    assert [{*part.columns} for part in every.findings if part.what == "together"] == [{"x", "y"}]
    again = ts.compare(a.lazy(), b.lazy(), sample=None)
    assert again.joint.pvalue == every.joint.pvalue
    assert again.joint.statistic == every.joint.statistic
    assert every.joint_effect.low > sampled.joint_effect.low


def test_repeated_rows_are_still_seen(few):
    a = table(6000, 1)
    found = ts.compare(a, a[:3000].vstack(table(3000, 9)[:1].sample(3000, with_replacement=True)), sample=None)
    assert found.verdict == "different"


def test_tables_of_very_different_sizes(few):
    """Of the larger one as many rows as say something, drawn at random."""
    a, b = table(4000, 1), table(30_000, 2, rho=0.2)
    found = ts.compare(a, b, sample=None)
    assert found.a.sampled == 4000
    assert 15_000 < found.b.sampled < 17_000
    assert found.joint.rejected


def test_many_columns_have_means_only(few):
    rng = np.random.default_rng(0)
    a, b = ({f"c{i}": rng.normal(size=2500) for i in range(65)} for _ in range(2))
    assert ts.compare(a, b, sample=None).joint.pvalue > 0.001


def test_small_tables_are_as_before():
    a, b = table(300, 1), table(300, 2)
    assert ts.compare(a, b, sample=None).to_dict() == ts.compare(a, b).to_dict()


def discrete(rng, rows):
    """Ties, a rare level, a heavy tail, and two columns that go together."""
    count = rng.poisson(0.3, rows)
    return pl.DataFrame(
        {
            "count": count,
            "heavy": np.exp(2 * rng.normal(size=rows)) * (1 + count),
            "rare": rng.choice(["a", "b", "c"], rows, p=[0.98, 0.015, 0.005]),
        }
    )


SIZES = [(3000, 3000), (2500, 6001), (1500, 15_000)]


@pytest.mark.parametrize("sizes", SIZES[1:2])
def test_level_in_a_few_runs(sizes):
    """Of groups of rows, given features that were frozen before."""
    reading, joint, judge = prepared(*(discrete(np.random.default_rng(seed), 1000) for seed in (1, 2)), 500)
    features, pooled = every_row._frozen(reading, joint), reading.samples[0].vstack(reading.samples[1])
    found = []
    for seed in range(25):
        rng = np.random.default_rng([seed, 5])
        tables = tuple(open_table(discrete(rng, rows)) for rows in sizes)
        groups = RowGroups.of_large(*sizes, 64, 99, judge.rng)
        moments = every_row._moments(tables, sizes, features, pooled, groups, judge)
        found.append(moments.tested(groups, joint, 0.05).judged.pvalue)
    assert np.mean(np.array(found) <= 0.05) <= 0.2  # P(more) = 0.001 at the level
    assert 0.3 < np.mean(found) < 0.7


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES)
def test_level(few, sizes):
    """Of the whole procedure."""
    found = []
    for seed in range(400):
        rng = np.random.default_rng([seed, 5])
        reading, joint, judge = prepared(discrete(rng, sizes[0]), discrete(rng, sizes[1]), 500)
        found.append(every_row.every_row(reading, joint, judge)[0].judged.pvalue)
    for level in (0.01, 0.05, 0.2):
        assert np.mean(np.array(found) <= level) <= level + 3.3 * np.sqrt(level * (1 - level) / 400)


def test_the_task_reads_what_it_needs(task):
    assert [info.name for info in task.columns] == ["x", "y", "count", "at", "city", "word"]
    assert isinstance(task, GroupMoments)
