"""Profiles, bins, counts and samples against their definitions."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.homogeneity.sketches.bins import Bins
from twosample.sources import BinGrid, convert, open_table
from twosample.sources.distinct import KEPT
from twosample.sources.sampling import chosen_rows
from twosample.sources.values import strings

RNG = np.random.default_rng(1)


def naive_bins(values, grid):
    """From the definition, one row after another."""
    width = 2.0**grid.unit
    moments, low, high = np.zeros((3, grid.size)), 0, 0
    for value in values:
        place = int(np.floor(value / width)) if np.isfinite(value) else (10**9 if value > 0 else -(10**9))
        if place < grid.start:
            low += 1
        elif place >= grid.start + grid.size:
            high += 1
        else:
            u = value / width - place - 0.5
            moments[:, place - grid.start] += [1, u, u * u]
    return moments, low, high


@pytest.fixture(scope="module")
def frame():
    size = 5000
    x = RNG.normal(100.0, 3.0, size=size)
    x[::50], x[7], x[8], x[9] = np.nan, np.inf, -np.inf, 1e9
    whole = RNG.integers(-50, 50, size=size)
    when = np.datetime64("2020-01-01", "us") + RNG.integers(0, 10**13, size=size).astype("m8[us]")
    return pl.DataFrame(
        {
            "x": x,
            "i": pl.Series(whole).cast(pl.Int16),
            "t": when,
            "f": x.astype(np.float32),
            "s": [f"{value}" if value % 7 else None for value in whole],
            "b": whole > 0,
            "k": [f"key {j}" for j in range(size)],
        }
    ).with_columns(i=pl.when(pl.col("i") == 3).then(None).otherwise(pl.col("i")))


def sources(frame, tmp_path):
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=777)
    frame.write_csv(tmp_path / "t.csv")
    return [frame, frame.lazy(), tmp_path / "t.parquet", tmp_path / "t.csv"]


def test_profiles(frame, tmp_path):
    x = frame["x"].to_numpy()
    finite = x[np.isfinite(x)]
    for source in sources(frame, tmp_path):
        found = {part.name: part for part in open_table(source).profile()}
        assert (found["x"].missing, found["x"].infinite) == (100, 2)
        assert (found["x"].min, found["x"].max) == (finite.min(), finite.max())
        assert found["x"].mean == pytest.approx(finite.mean(), rel=1e-12)
        assert found["x"].std == pytest.approx(finite.std(ddof=1), rel=1e-12)
        assert found["i"].missing == frame["i"].null_count()
        assert found["i"].distinct == frame["i"].n_unique() - 1
        assert found["i"].exact
        assert found["s"].distinct == frame["s"].n_unique() - 1
        assert found["b"].distinct == 2
        assert found["t"].min == pytest.approx(frame["t"].dt.epoch("us").min() / 1e6, abs=1e-5)
        assert not found["k"].exact
        assert found["k"].distinct == pytest.approx(5000, rel=0.06)
        assert (found["k"].min, found["k"].mean) == ("key 0", None)


def test_distinct_counts_of_patterns():
    """Numbers with a pattern too: multiples of Fibonacci numbers suit the golden ratio that bits are multiplied by."""
    size = 200_000
    for values in (np.arange(size), np.arange(size) << 20, np.arange(size) * 1000 - 7, RNG.permutation(size) ** 2,
                   np.arange(size) * 433494437, np.arange(size) * 2971215073, np.arange(size) * 956722026041,
                   RNG.integers(0, 10**5, size), [f"key {j // 2}" for j in range(size)]):  # fmt: skip
        part = open_table({"a": values}).profile()[0]
        assert not part.exact
        assert part.distinct == pytest.approx(len(set(np.asarray(values).tolist())), rel=0.08)
    for values in (np.arange(KEPT - 1), RNG.integers(0, 100, 10**5) * 0.25, np.arange(KEPT - 1) / 7):
        part = open_table({"a": np.concatenate([values, values, -0.0 * values])}).profile()[0]
        assert part.exact
        assert part.distinct == len(np.unique(values))
    assert open_table({"a": RNG.normal(size=5000)}).profile()[0].distinct is None


def test_offsets_do_not_cost_digits():
    values = 1e9 + RNG.normal(size=300_000)
    part = open_table({"a": values}).profile()[0]
    assert part.mean == pytest.approx(values.mean(), rel=1e-15)
    assert part.std == pytest.approx(values.std(ddof=1), rel=1e-9)


def test_numbers_beyond_reach():
    values = np.array([1e200, -1e200, np.inf, 3.0])
    part = open_table({"a": values}).profile()[0]
    assert (part.min, part.max, part.infinite) == (-1e200, 1e200, 1)
    assert abs(part.mean) < 1e190
    assert part.std is None or part.std == pytest.approx(1e200)


def test_bins(frame, tmp_path):
    grids = {"x": BinGrid(-2, 380, 60), "i": BinGrid(0, -30, 64), "s": BinGrid(1, -20, 64), "b": BinGrid(-3, -8, 64),
             "t": BinGrid(14, 96_000, 500), "f": BinGrid(-1, 190, 20)}  # fmt: skip
    seconds = frame["t"].dt.epoch("us").to_numpy() / 1e6
    truth = {"x": frame["x"].drop_nans(), "i": frame["i"].drop_nulls(), "s": frame["s"].drop_nulls().cast(pl.Float64),
             "b": frame["b"].cast(pl.Float64), "t": seconds, "f": frame["f"].drop_nans().cast(pl.Float64)}  # fmt: skip
    for source in sources(frame, tmp_path):
        found = open_table(source).binned_moments(grids)
        for name, grid in grids.items():
            moments, low, high = naive_bins(np.asarray(truth[name], dtype=float), grid)
            if name == "f" and str(source).endswith("csv"):
                continue  # as text the single-precision number is another one
            np.testing.assert_allclose(found[name].moments, moments, atol=1e-6)
            assert (found[name].below, found[name].above) == (low, high)
            assert found[name].rows + found[name].missing == 5000


def test_bins_are_those_of_a_sketch():
    values = RNG.normal(size=(20_000, 1))
    blank = ts.BinnedMoments().state(values[:2000])
    grid = blank.column.grid
    found = open_table(values).binned_moments({"c0": grid})["c0"]
    state = blank.added(values)
    assert isinstance(state, Bins)
    assert (found.sums == state.column.sums).all()
    assert (found.below, found.above) == (state.column.below, state.column.above)
    assert np.array_equal(grid.edges[:2], [grid.start * 2.0**grid.unit, (grid.start + 1) * 2.0**grid.unit])


def test_counts(frame, tmp_path):
    for source in sources(frame, tmp_path):
        found = open_table(source).category_counts(["s", "b", "i"], limit=5)
        for name in ("s", "i"):
            values = frame[name].drop_nulls().cast(pl.String).to_list()
            counted = sorted({v: values.count(v) for v in set(values)}.items(), key=lambda pair: (-pair[1], pair[0]))
            assert list(found[name].values) == counted[:5]
            assert found[name].rest == sum(n for _, n in counted[5:])
            assert found[name].missing == frame[name].null_count()
        assert dict(found["b"].values) == {"true": frame["b"].sum(), "false": (~frame["b"]).sum()}


def test_one_scan_gives_all(frame):
    scan = open_table(frame).scan({"x": BinGrid(0, 90, 20)}, {"s": 3})
    assert scan.rows == 5000
    assert len(scan.profile) == 7
    assert (list(scan.moments), list(scan.counts)) == (["x"], ["s"])


# --- Samples --------------------------------------------------------------------------------------------------


def test_samples_are_the_same_everywhere(frame, tmp_path, monkeypatch):
    from twosample.sources import files, local

    numbered = frame.with_row_index("r")
    whole = open_table(numbered).sample(300, seed=5)["r"].to_list()
    assert whole == sorted(set(whole))
    assert len(whole) == 300
    monkeypatch.setattr(files, "_SMALL", 10)
    for source in sources(numbered, tmp_path):
        for rows in (1 << 17, 100):
            monkeypatch.setattr(local, "_ROWS", rows)
            assert open_table(source).sample(300, seed=5)["r"].to_list() == whole
    assert open_table(numbered).sample(300, seed=6)["r"].to_list() != whole
    assert open_table(numbered).sample(10**6)["r"].to_list() == list(range(5000))


def test_samples_are_uniform():
    """Every row and every pair of rows equally often, by a chi-square bound that fails once in ten thousand."""
    rows, size, times = 40, 10, 4000
    hits = np.zeros(rows)
    pairs = 0
    for seed in range(times):
        chosen = chosen_rows(rows, size, seed)
        hits[chosen] += 1
        pairs += int(np.isin([0, 1], chosen).all())
    chi = float(((hits - times * size / rows) ** 2 / (times * size / rows)).sum()) / (1 - size / rows)
    assert chi < 82.1  # 39 degrees of freedom
    expected = times * size * (size - 1) / rows / (rows - 1)
    assert abs(pairs - expected) < 4 * np.sqrt(expected)


def test_the_sample_is_that_of_its_definition():
    keys = np.random.default_rng(11).random(300_000)
    assert np.array_equal(chosen_rows(300_000, 50, 11), np.sort(np.argsort(keys)[:50]))


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "many", True])
def test_sample_sizes(wrong):
    with pytest.raises(ts.OptionError, match="rows="):
        open_table({"a": [1, 2]}).sample(wrong)


def test_wide_tables():
    table = open_table(np.arange(4000.0).reshape(2, 2000))
    assert len(table.profile()) == 2000
    assert table.sample(1).shape == (1, 2000)


def test_numbers_as_categories_are_written_one_by_one():
    values = [1.0, 2.0, 2.5, -0.0, float("inf"), float("nan"), None]
    wanted = ["1", "2", "2.5", "0", "inf", None, None]
    assert strings(pl.Series("^v.*$", values)).to_list() == wanted
    assert [strings(pl.Series([value], dtype=pl.Float64))[0] for value in values] == wanted  # whatever the batch

    rows = [1.0] * 200_000 + [2.5]  # two batches
    assert open_table({"code": rows}).category_counts(["code"])["code"].values == (("1", 200_000), ("2.5", 1))


def test_one_odd_number_does_not_rename_the_others():
    old, new = {"code": [1.0, 2.0, 3.0] * 1000}, {"code": [1.0, 2.0, 3.0] * 999 + [1.0, 2.0, 2.5]}
    assert ts.compare(old, new, kinds={"code": "categorical"}).verdict != "different"


def test_names_that_look_like_patterns():
    frame = pl.DataFrame({"^a.*$": [1.5, None, float("nan")], "ab": [1.0, 2.0, 3.0], "^t$": ["1", "2", "x"]})
    table = open_table(frame)
    assert table.collect(["^t$", "^a.*$"]).columns == ["^t$", "^a.*$"]
    found = table.binned_moments({"^a.*$": BinGrid(0, 0, 4)})
    assert (found["^a.*$"].rows, found["^a.*$"].missing) == (1, 2)
    rows = convert(frame, {"^a.*$": "numeric", "^t$": "integer"})
    assert rows.to_dict(as_series=False) == {"^a.*$": [1.5, None, None], "^t$": [1.0, 2.0, None]}
