"""How often a comparison is wrong: different when it is not, same when it is at the margin."""

import datetime

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.embedding import Line, effect
from twosample.summaries import Scale


def table(rng, rows):
    """Dependent columns of several kinds, with missing values."""
    z = rng.normal(size=(rows, 3))
    income = np.exp(z[:, 0] + 0.5 * z[:, 1])
    return pl.DataFrame({
        "income": pl.Series(np.where(rng.random(rows) < 0.1, np.nan, income)).fill_nan(None),
        "visits": rng.poisson(np.exp(0.3 * z[:, 1] + 0.5)),
        "city": np.array(["Oslo", "Rome", "Bonn", "Kyiv"])[np.clip((z[:, 2] + 2).astype(int), 0, 3)],
        "member": z[:, 0] + z[:, 2] > 0.8,
    })  # fmt: skip


def different(pairs, **options):
    return [ts.compare(a, b, rng=i, **options).verdict == "different" for i, (a, b) in enumerate(pairs)]


def test_halves_of_one_table_are_seldom_different():
    rng = np.random.default_rng(0)
    assert sum(different((table(rng, 60), table(rng, 80)) for _ in range(40))) <= 6  # 1 in 300 at a level of 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "sample"), [(60, 20_000), (500, 20_000), (8000, 1000)])
def test_halves_of_a_made_up_table(rows, sample):
    rng = np.random.default_rng(rows)
    found = different(((table(rng, rows), table(rng, rows)) for _ in range(200)), sample=sample)
    assert np.mean(found) <= 0.085  # 1 in 50 at 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    ["cnum_census_income/census_income_full.parquet", "forest_covtype/covtype.parquet",
     "drift/nycflights13_flights.parquet", "drift/elec2.parquet"],
)  # fmt: skip
def test_halves_of_a_real_table(data_directory, file):
    rows = pl.read_parquet(data_directory / file)
    rng = np.random.default_rng(0)

    def halves():
        chosen = rng.permutation(len(rows))[:1600]
        return rows[chosen[:800]], rows[chosen[800:]]

    found = different(halves() for _ in range(200))
    assert np.mean(found) <= 0.085


_ALIKE = {"same", "small difference"}  # surely below the margin; many rows show what is there


@pytest.mark.slow
def test_real_tables_that_differ(data_directory):
    def verdicts(a, b):
        return {column.name: column.verdict for column in ts.compare(a, b).columns}

    census = pl.read_parquet(data_directory / "cnum_census_income/census_income_full.parquet")
    found = verdicts(*(census.filter(pl.col("year") == year).drop("year") for year in (94, 95)))
    assert found["migration_prev_res_in_sunbelt"] == "different"  # not asked in 1994
    assert {found["age"], found["sex"]} <= _ALIKE
    cover = pl.read_parquet(data_directory / "forest_covtype/covtype.parquet")
    area = pl.col("Wilderness_Area")
    assert set(verdicts(cover.filter(area == 1), cover.filter(area == 2)).values()) == {"different"}
    flights = pl.read_parquet(data_directory / "drift/nycflights13_flights.parquet")
    month = flights["time_hour"].dt.month()
    found = verdicts(flights.filter(month == 1), flights.filter(month == 7))
    assert found["dep_delay"] == "different"
    assert {found["origin"], found["distance"]} <= _ALIKE
    market = pl.read_parquet(data_directory / "drift/elec2.parquet")
    before = pl.col("timestamp") < datetime.datetime(1997, 5, 4)
    found = verdicts(market.filter(before), market.filter(~before))
    assert found["vicprice"] == found["transfer"] == "different"
    assert found["period"] in _ALIKE


@pytest.mark.slow
def test_random_halves_of_many_rows_are_the_same(data_directory):
    census = pl.read_parquet(data_directory / "cnum_census_income/census_income_full.parquet")
    order = np.random.default_rng(0).permutation(len(census))
    half = len(census) // 2
    assert ts.compare(census[order[:half]], census[order[half:]]).verdict == "same"


def at_the_margin(rng, rows, shift):
    x, y = rng.normal(size=rows), rng.normal(shift, size=rows)
    scale = Scale.of(np.concatenate([x, y]))
    return Line.of_values(scale.inside(x), scale.inside(y)).embedded(scale.width)


def test_tables_at_the_margin_are_seldom_called_the_same():
    rng = np.random.default_rng(0)
    shift = 0.1491
    truth = effect(at_the_margin(rng, 200_000, shift), 0.05).value
    assert truth == pytest.approx(0.05, abs=0.003)
    for rows in (300, 2000):
        same = [effect(at_the_margin(rng, rows, shift), 0.05).high < truth for _ in range(150)]
        assert np.mean(same) < 0.11  # 1 in 1000 at 0.05
