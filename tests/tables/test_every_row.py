"""All columns together on every row: moments of features in groups of rows."""

import sys

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.embedding import Judge
from twosample.sources import open_table
from twosample.tables import every_row
from twosample.tables.joint import joint_sample
from twosample.tables.options import Wanted
from twosample.tables.reading import read


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
    """All rows of both, however many more one has."""
    a, b = table(4000, 1), table(30_000, 2, rho=0.2)
    found = ts.compare(a, b, sample=None)
    assert (found.a.sampled, found.b.sampled) == (4000, 30_000)
    assert found.joint.rejected


def test_other_words_for_yes_and_no_are_no_difference(few):
    rng = np.random.default_rng(3)
    a, b = (
        {"x": rng.normal(size=4000), "paid": rng.choice(words, 4000)} for words in (["yes", "no"], ["true", "false"])
    )
    found = ts.compare(a, b, sample=None)
    assert "Joint test on all rows" in " ".join(found.joint.notes)
    assert found.joint.pvalue > 0.01


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
    features = every_row._frozen(reading, {part.name: part.kind for part in joint.features})
    found = []
    for seed in range(25):
        rng = np.random.default_rng([seed, 5])
        sums = every_row._gathered([open_table(discrete(rng, rows)) for rows in sizes], features)
        found.append(every_row.tested(sums, reading, joint, judge).judged.pvalue)
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
