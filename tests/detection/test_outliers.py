"""ts.outliers: any source, any kind of column, few false alarms, and what is odd about a row."""

import json
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.detection.outliers import rows_apart


def usual(rows=400, seed=0):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "x": rng.normal(size=rows),
            "colour": rng.choice(["red", "blue"], rows),
            "day": [date(2024, 1, 1) + timedelta(days=int(d)) for d in rng.integers(0, 90, rows)],
            "note": [f"parcel {word} delivered on time" for word in rng.choice(["one", "two", "three"], rows)],
            "gap": np.where(rng.random(rows) < 0.3, np.nan, rng.normal(size=rows)),
        }
    )


@pytest.fixture(scope="module")
def strange():
    return usual(20, 1).with_columns(x=pl.Series([30.0, *usual(19, 2)["x"]]))


def test_every_source_gives_the_same(tmp_path, strange):
    frame = usual()
    expected = ts.outliers(frame, strange)
    assert expected.rows[0].row == 0
    assert expected.rows[0].columns == ("x",)
    frame.write_parquet(tmp_path / "r.parquet")
    strange.write_parquet(tmp_path / "n.parquet")
    sources = [
        (tmp_path / "r.parquet", str(tmp_path / "n.parquet")),
        (frame.lazy(), strange.to_dict(as_series=False)),
        (frame.to_pandas(), strange.to_arrow()),
        (ts.summarize(frame), strange),
    ]
    for reference, new in sources:
        found = ts.outliers(reference, new)
        np.testing.assert_allclose(found.scores, expected.scores)
        assert [one.row for one in found.rows] == [one.row for one in expected.rows]


def test_pvalues_are_shares_of_the_reference_rows_by_definition():
    """The mean kernel of a row with all n + 1 rows, ranked among those of all n + 1, one row at a time."""
    rng = np.random.default_rng(3)
    reference, new = rng.normal(size=(75, 1)), rng.normal(size=(9, 1)) * 2
    found = ts.outliers(reference, new, level=0.1)
    scaling, ranked = (reference[rows] for rows in rows_apart(75, np.random.default_rng(0)))
    assert (len(scaling), len(ranked)) == (15, 60)
    unit = np.median(np.abs(scaling - scaling.T)[np.triu_indices(15, 1)])
    width = found.kernel.bandwidth * unit
    for row, p in zip(new, found.pvalues, strict=True):
        pooled = np.concatenate([ranked, row[None]])
        means = np.exp(-((pooled - pooled.T) ** 2) / (2 * width**2)).mean(axis=1)
        assert p == pytest.approx(np.mean(means <= means[-1] + 1e-12))
    np.testing.assert_array_equal(found.flagged, found.pvalues <= 0.1)


def test_false_alarms_where_units_fit_their_own_rows_best():
    """60 rows of 100 columns: with units from the rows that are ranked, 8.6 % instead of 5 %."""
    rates = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        found = ts.outliers(rng.normal(size=(60, 100)), rng.normal(size=(200, 100)), level=0.05)
        rates.append(found.flagged.mean())
    assert np.mean(rates) < 0.05 + 3 * np.std(rates) / np.sqrt(len(rates))
    assert np.mean(rates) < 0.065


@pytest.mark.parametrize("level", [0.01, 0.1])
def test_false_alarms(level):
    """Over 40 references of 300 rows and 100 new rows each: at most the level, and not much less."""
    rates = [ts.outliers(usual(300, seed), usual(100, 1000 + seed), level=level).flagged.mean() for seed in range(40)]
    error = np.std(rates) / np.sqrt(len(rates))
    assert level / 2 < np.mean(rates) < level + 3 * error


def test_a_value_that_is_odd_by_itself_is_named_and_others_are_not(strange):
    reference = usual(1000)
    base = {"x": 0.0, "colour": "red", "day": date(2024, 2, 1), "note": "parcel one delivered on time", "gap": 0.1}
    rows = [base, {**base, "x": -9.0}, {**base, "day": date(2031, 1, 1)}, {**base, "x": 8.0, "gap": 50.0}]
    found = ts.outliers(reference, rows)
    assert {one.row: set(one.columns) for one in found.rows} == {1: {"x"}, 2: {"day"}, 3: {"x", "gap"}}
    assert found.rows[0].values["day"] in {one["day"] for one in rows}


def test_values_that_are_odd_together_are_named_together():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    reference = {"x": x, "y": -x + 0.2 * rng.normal(size=1500), "z": rng.normal(size=1500)}
    found = ts.outliers(reference, {"x": [1.9], "y": [1.9], "z": [0.1]}, level=0.05)
    assert set(found.rows[0].columns) == {"x", "y"}
    alone = [ts.outliers({name: reference[name]}, {name: [1.9]}, level=0.05).rows for name in ("x", "y")]
    assert alone == [(), ()]


def test_the_thousand_oddest_rows_are_explained():
    rng = np.random.default_rng(0)
    found = ts.outliers(rng.normal(size=200), rng.normal(50, 1, 1200), level=0.05)
    assert len(found.rows) == 1200
    assert sum(bool(one.columns) for one in found.rows) == 1000


def test_the_result_as_text_values_and_frame(strange):
    found = ts.outliers(usual(), strange, level=0.02)
    text = str(found)
    assert text.startswith(f"polars DataFrame: {found.headline}\n")
    assert found.headline.startswith(f"{len(found.rows)} of 20 rows are outliers, ")
    assert "; about 0.4 would be by chance)" in found.headline
    assert f"row 0: p = {1 / 321:.3g}  x = 30 (usually -2." in text
    values = json.loads(found.to_json())
    assert values["schema"] == 2
    assert values["pvalue"] == found.pvalue
    assert values["headline"] == found.headline
    assert values["outliers"][0]["why"] == found.rows[0].why
    assert values["outliers"][0]["values"]["day"] == str(strange["day"][0])
    assert values["outliers"][0]["columns"] == ["x"]
    frame = found.to_frame()
    assert frame["row"].to_list() == list(range(20))
    assert frame["outlier"].to_list() == found.flagged.tolist()
    assert frame["columns"][0].to_list() == ["x"]
    with pytest.raises(AttributeError):
        found.level = 0.5


def test_too_few_reference_rows_are_told():
    found = ts.outliers(np.arange(20.0) / 3, [[99.0]], level=0.01)
    assert found.verdict == "undecided"
    assert not found.flagged.any()
    assert "at least 123 are needed. Collect more" in found.notes[0]
    found = ts.outliers(np.arange(120.0) % 7, [[99.0]], sample=50)
    assert "Learn from more of its 120 rows (sample)" in found.notes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 2}, "level=2"),
        ({"select": "x"}, "select='x' must be a list"),
        ({"select": ["nope"]}, "select: polars DataFrame has no column 'nope'"),
        ({"exclude": ["nope"]}, "exclude: polars DataFrame has no column 'nope'"),
        ({"kinds": "text"}, "kinds='text' must be a dictionary"),
        ({"kinds": {"x": "number"}}, "kinds"),
        ({"sample": 0}, "sample=0"),
        ({"rng": -1}, "rng=-1"),
        ({"where": "x > 1000"}, "no rows for which"),
        ({"alpha": 0.1}, "level"),
    ],
)
def test_what_is_refused(options, message, strange):
    with pytest.raises((ts.TwosampleError, TypeError), match=message):
        ts.outliers(usual(50), strange, **options)


def test_columns_that_say_nothing_are_left_out_and_told():
    frame = usual().with_row_index("id")
    found = ts.outliers(frame, frame[:5])
    assert "id" not in found.columns
    assert found.notes == ("id left out: identifier",)
    assert ts.outliers(frame, frame[:5], exclude=["id"]).notes == ()


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ts.InputError, match="no column in common"):
        ts.outliers({"a": np.arange(30.0)}, {"b": np.arange(30.0)})
    with pytest.raises(ts.InputError, match="has 1 row; a reference needs at least 4"):
        ts.outliers({"a": [1.5]}, {"a": [1.5]})
    with pytest.raises(ts.InputError, match="select: dict has no column 'a'"):
        ts.outliers({"a": np.arange(30.0) / 7}, {"b": [1.5]}, select=["a"])


@pytest.mark.parametrize("known", [0, 3, 400])
def test_infinite_numbers_are_far_away_values(known):
    rng = np.random.default_rng(6)
    a = np.concatenate([rng.normal(size=1000), np.full(known, np.inf)])
    b = np.concatenate([rng.normal(size=200), [np.inf, -np.inf]])
    reference, new = {"a": a, "b": rng.normal(size=len(a))}, {"a": b, "b": np.zeros(len(b))}
    found = {one.row: one for one in ts.outliers(reference, new).rows}
    assert found[201].columns == ("a",)  # the reference has none below all others
    assert found[201].values["a"] == -np.inf
    assert (200 in found) == (known < 400)  # what a third of the reference has is not odd
    alone = ts.outliers(reference, {name: values[-1:] for name, values in new.items()})
    assert alone.pvalues[0] == found[201].pvalue


def test_a_constant_reference_knows_infinite_numbers_as_others():
    found = ts.outliers({"a": np.full(300, 2.0), "b": np.arange(300.0) / 7}, {"a": [2.0, np.inf], "b": [20.0, 20.0]})
    assert found.pvalues[1] < found.pvalues[0]


def test_row_numbers_are_those_of_the_file(tmp_path):
    """Row 0 is the first after the header; a condition keeps the numbers of the rows that it keeps."""
    usual(500).write_csv(tmp_path / "reference.csv")
    rows = usual(40, 5).with_columns(x=pl.Series([0.0] * 30 + [50.0] + [0.0] * 9), colour=pl.lit("red"))
    rows = rows.with_columns(colour=pl.when(pl.int_range(40) < 20).then(pl.lit("blue")).otherwise("colour"))
    rows.write_csv(tmp_path / "new.csv")
    for where in (None, "colour = 'red'"):
        for new in (tmp_path / "new.csv", rows, rows.lazy()):
            found = ts.outliers(tmp_path / "reference.csv", new, where=where)
            assert found.rows[0].row == 30
            frame = found.to_frame()
            assert frame["row"].to_list() == list(range(0 if where is None else 20, 40))
            assert frame.filter(pl.col("row") == 30)["outlier"].item()


def test_missing_where_none_was_is_odd():
    """A table that lost its values is no usual one; where some are missing in the reference, missing is usual."""
    rng = np.random.default_rng(0)
    reference = {"a": rng.normal(size=400), "b": rng.normal(size=400), "c": rng.normal(size=400)}
    rows = [{"a": 0.0, "b": 0.1, "c": 0.0}, {"a": None, "b": 0.1, "c": 0.0}, {"a": None, "b": None, "c": None}]
    found = ts.outliers(reference, pl.DataFrame(rows, schema=dict.fromkeys("abc", pl.Float64)))
    assert {one.row: set(one.columns) for one in found.rows} == {1: {"a"}, 2: {"a", "b", "c"}}
    gaps = {name: np.where(rng.random(400) < 0.2, np.nan, values) for name, values in reference.items()}
    assert not ts.outliers(gaps, pl.DataFrame(rows[:2], schema=dict.fromkeys("abc", pl.Float64))).rows


def test_what_is_odd_in_words():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    reference = {"x": x, "y": -x + 0.2 * rng.normal(size=1500), "g": rng.choice(["a", "b"], 1500)}
    found = ts.outliers(reference, {"x": [1.8, 9.0, 0.0], "y": [1.8, -9.0, 0.0], "g": ["a", "b", "a"]}, level=0.05)
    words = {one.row: one.why for one in found.rows}
    assert words[0] in {"x = 1.8 and y = 1.8 together", "y = 1.8 and x = 1.8 together"}
    assert "x = 9 (usually -2." in words[1]
    assert "y = -9 (usually -2." in words[1]
    assert found.usual["g"] in {f"{a} ({p} %), {b} ({100 - p} %)" for a, b in ("ab", "ba") for p in range(50, 53)}


def test_few_wild_rows_and_many_odd_ones_are_more_than_chance_explains():
    rng = np.random.default_rng(1)
    reference = rng.normal(size=(2000, 2))
    calm = rng.normal(size=(1000, 2))
    wild, shifted = calm.copy(), calm.copy()
    wild[:8] = 40.0
    shifted[:80] *= 2.5
    assert ts.outliers(reference, calm).verdict == "same"
    assert ts.outliers(reference, calm).rows
    assert ts.outliers(reference, wild).verdict == "different"
    assert ts.outliers(reference, shifted).pvalue < 1e-6
    assert ts.outliers(reference, [[40.0, 40.0]]).verdict == "different"
    assert ts.outliers(reference, calm[:1] * 0).pvalue == 1.0


def test_names_in_the_picture_cover_no_other_outlier():
    pytest.importorskip("matplotlib")
    usual, rng = {"v": np.random.default_rng(0).normal(size=2000)}, np.random.default_rng(1)
    v = rng.normal(size=1000)
    v[100], v[500:600] = 9.0, rng.normal(7, 1, 100)
    found = ts.outliers(usual, {"v": v})
    ax = found.plot()
    figure = ax.get_figure()
    figure.canvas.draw()
    outliers = next(line for line in ax.lines if line.get_marker() == "D")
    assert outliers.get_alpha() < 1  # many: what lies on top of each other is darker
    places = ax.transData.transform(outliers.get_xydata())
    boxes = [text.get_window_extent() for text in ax.texts]
    assert boxes
    for k, box in enumerate(boxes):
        assert not any(box.contains(*place) for place in places)
        assert not any(box.overlaps(other) for other in boxes[:k])
