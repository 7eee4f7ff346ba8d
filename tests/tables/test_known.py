"""The numbers that people know, against NumPy, pandas' way and SciPy; from rows, from bins and from summaries."""

from datetime import datetime, time

import numpy as np
import polars as pl
import pytest
from scipy.stats import wasserstein_distance

import twosample as ts
from twosample._pictures import WeightedNumbers
from twosample.tables.describing import wasserstein
from twosample.tables.known import distance_text, known_numbers
from twosample.tables.sentences import told, values_of

SHARES = (0.01, 0.05, 0.25, 0.75, 0.95, 0.99)


def tables(rows, seed=0):
    rng = np.random.default_rng(seed)
    start = np.datetime64("2024-01-01", "ms")
    return [
        pl.DataFrame({
            "price": rng.lognormal(3, 0.8 + shift, rows),
            "age": rng.integers(18, 90 - int(20 * shift), rows),
            "day": start + rng.integers(0, 300 + int(100 * shift), rows) * np.timedelta64(86_400_000, "ms"),
            "city": rng.choice(["Oslo", "Rome", "Bonn"], rows, p=[0.5 - shift / 2, 0.3 + shift / 2, 0.2]),
            "flag": rng.random(rows) < 0.3 + shift / 2,
        }).with_columns(pl.when(pl.int_range(rows) % 10 < 2).then(None).otherwise(pl.col("price")).alias("price"))
        for shift in (0.0, 0.2)
    ]  # fmt: skip


@pytest.mark.parametrize(("rows", "sample"), [(3000, 20_000), (3000, 500)])
def test_rows_and_bins_give_what_numpy_gives(rows, sample):
    both = tables(rows)
    c = ts.compare(*both, sample=sample)
    for side, table in zip("ab", both, strict=True):
        for name in ("price", "age"):
            facts, values = getattr(c[name], side), table[name].drop_nulls().to_numpy()
            spread = values.std() / 60 if sample < rows else 1e-9  # a bin
            assert (facts.rows, facts.missing) == (rows, table[name].null_count())
            assert facts.mean == pytest.approx(values.mean())
            assert facts.sd == pytest.approx(values.std(ddof=1))
            assert (facts.min, facts.max) == (values.min(), values.max())
            assert facts.median == pytest.approx(np.median(values), abs=spread)
            found = [facts.quantiles[share] for share in SHARES]
            tail = 0.25 * values.std() if sample < rows else 0.0  # beyond the bins only the sample knows
            wanted = np.quantile(values, SHARES)
            assert found[:-1] == pytest.approx(wanted[:-1], abs=spread + 1e-9)
            assert found[-1] == pytest.approx(wanted[-1], abs=spread + tail)
        assert getattr(c["age"], side).distinct == table["age"].n_unique()
        shares = dict(table["city"].value_counts(normalize=True).iter_rows())
        assert getattr(c["city"], side).shares == pytest.approx(shares)
        assert getattr(c["flag"], side).shares["true"] == pytest.approx(table["flag"].mean())
    for name, slack in (("price", 0.03), ("age", 0.01)):
        one, two = (table[name].drop_nulls().to_numpy() for table in both)
        assert c[name].wasserstein == pytest.approx(
            wasserstein_distance(one, two), rel=1e-9 if sample > rows else slack
        )


def test_whole_numbers_and_dates_are_what_they_are():
    both = tables(2000)
    c = ts.compare(*both, sample=300)
    assert all(isinstance(c["age"].a.quantiles[share], int) for share in SHARES)
    assert isinstance(c["age"].a.min, int)
    day = c["day"].b
    assert day.min == datetime(2024, 1, 1)
    assert day.median == pytest.approx(both[1]["day"].median(), abs=np.timedelta64(4 * 86_400, "s").item())
    assert (day.median.hour, day.median.minute) in {(0, 0), (12, 0)}  # days, or between two of them
    assert day.sd == pytest.approx((both[1]["day"].dt.epoch("s") / 86_400).std())
    texts = {what: (a, b) for what, a, b in known_numbers(c["day"])}
    assert texts["min"] == ("2024-01-01", "2024-01-01")
    assert texts["sd"][0].endswith(" days")
    assert distance_text(c["day"]).endswith(" days")
    clock = pl.DataFrame({"at": [time(hour, 30) for hour in (8, 9, 10, 11)] * 30})
    c = ts.compare(clock, clock.with_columns(pl.col("at").shuffle(seed=1)), kinds={"at": "datetime"})
    assert (c["at"].a.min, c["at"].a.max) == (time(8, 30), time(11, 30))
    assert {what: a for what, a, _ in known_numbers(c["at"])}["median"] == "10:00"


def test_summaries_know_the_same_numbers():
    both = tables(30_000)
    kept = [ts.summarize(table, rows=1000) for table in both]
    c, known = ts.compare(*kept), ts.compare(*both)
    for name in ("price", "age", "day"):
        assert c[name].a.mean == known[name].a.mean or c[name].a.mean == pytest.approx(known[name].a.mean, rel=1e-6)
        assert c[name].wasserstein == pytest.approx(known[name].wasserstein, rel=0.05)
    assert c["price"].b.missing == 6000
    assert c["age"].b.quantiles == known["age"].b.quantiles


def test_json_and_frames_have_them():
    both = tables(500)
    c = ts.compare(*both)
    column = next(part for part in c.to_dict()["columns"] if part["name"] == "day")
    assert column["a"]["min"].startswith("2024-01-01T00:00:00")
    assert set(column["a"]["quantiles"]) == {str(share) for share in SHARES}
    frame = c.to_frame()
    age = frame.row(by_predicate=pl.col("column") == "age", named=True)
    assert age["mean_a"] == both[0]["age"].mean()
    assert age["q95_b"] == c["age"].b.quantiles[0.95]
    assert age["wasserstein"] == c["age"].wasserstein
    assert frame.row(by_predicate=pl.col("column") == "city", named=True)["mean_a"] is None
    assert frame.schema["mean_a"] == frame.schema["distinct_b"] == pl.Float64


@pytest.mark.parametrize("seed", range(5))
def test_the_distance_against_scipy(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, 50 + seed).astype(float), rng.normal(4, 3, 70)
    found = wasserstein(WeightedNumbers.of_values(x), WeightedNumbers.of_values(y))
    assert found == pytest.approx(wasserstein_distance(x, y))


def test_shares_below_edges_cut_through_bins():
    bins = WeightedNumbers(np.array([0.5, 2.0]), np.array([3.0, 1.0]), np.array([0.5, 0.0]))
    assert bins.below(np.array([0.0, 0.25, 1.0, 2.0, 2.1])) == pytest.approx([0.0, 3 / 16, 0.75, 0.75, 1.0])
    assert bins.quantiles(np.array([0.0, 0.5, 1.0])) == pytest.approx([1 / 6, 2 / 3, 2.0])


def test_sentences_name_the_files_and_their_shares_are_true(tmp_path):
    both = tables(4000)
    for name, table in zip(("summer.csv", "winter.csv"), both, strict=True):
        table.write_csv(tmp_path / name)
    c = ts.compare(str(tmp_path / "summer.csv"), str(tmp_path / "winter.csv"))
    for name in ("age", "price"):
        for place in c[name].where:
            if place.low is None and place.high is None:
                continue
            called = values_of(("summer.csv", "winter.csv"), (c[name].a.missing, c[name].b.missing))
            assert place.text == told(place.what, place.share_a, place.share_b, called).text
            low, high = place.low if place.low is not None else -np.inf, np.inf if place.high is None else place.high
            assert name != "age" or all(end is None or end == round(end) for end in (place.low, place.high))
            for table, share in zip(both, (place.share_a, place.share_b), strict=True):
                values = table[name].drop_nulls().to_numpy()
                assert share == pytest.approx(np.mean((values >= low) & (values <= high)), abs=1e-9)
    assert any(place.low is not None or place.high is not None for name in ("age", "price") for place in c[name].where)


def test_sampled_rows_lead_back_to_the_table(tmp_path):
    rng = np.random.default_rng(1)
    one = pl.DataFrame({"row": np.arange(5000), "x": rng.normal(size=5000)})
    two = pl.DataFrame({"row": np.arange(5000), "x": rng.normal(1, 1, 5000)})
    one.write_csv(tmp_path / "one.csv")
    two.write_parquet(tmp_path / "two.parquet")
    c = ts.compare(str(tmp_path / "one.csv"), str(tmp_path / "two.parquet"), sample=400, kinds={"row": "identifier"})
    assert c.a.sampled < 500
    rows = c.speaking
    assert {row.table for row in rows} == {"a", "b"}
    for row in rows:
        assert row.row == row.values["row"]
        assert (one if row.table == "a" else two)["x"][row.row] == row.values["x"]
