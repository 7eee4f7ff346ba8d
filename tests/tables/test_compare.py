"""ts.compare from end to end."""

import json
from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import open_table
from twosample.tables import NumberPicture, SharePicture, subjects

ROWS = 1000


def mixed(seed, rows=ROWS):
    """A table with a column of each kind."""
    rng = np.random.default_rng(seed)
    words = np.array(["red", "green", "blue", "large", "small", "old", "new"])
    return pl.DataFrame({
        "price": rng.lognormal(size=rows),
        "age": rng.poisson(30, rows),
        "city": rng.choice(["Oslo", "Rome", "Bonn"], rows, p=[0.5, 0.3, 0.2]),
        "member": rng.random(rows) < 0.4,
        "when": [datetime(2024, 1, 1) + timedelta(hours=int(h)) for h in rng.integers(0, 5000, rows)],
        "note": [" ".join(rng.choice(words, 5)) + f" {i}" for i in range(rows)],
        "score": pl.Series(np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows))).fill_nan(None),
        "row_id": np.arange(rows),
    })  # fmt: skip


A, B = mixed(1), mixed(2)


@pytest.fixture(scope="module")
def unchanged():
    return ts.compare(A, B)


def changed(**columns):
    return ts.compare(A, B.with_columns(**columns))


def test_two_tables_of_one_source_are_not_different(unchanged):
    assert unchanged.verdict in ("same", "no difference found")
    assert not any(column.rejected for column in unchanged.columns)
    assert {column.name: column.kind for column in unchanged.columns} == {
        "price": "numeric", "age": "integer", "city": "categorical", "member": "boolean", "when": "datetime",
        "note": "text", "score": "numeric",
    }  # fmt: skip
    assert [(f.what, f.column) for f in unchanged.findings] == [("left out", "row_id")]
    assert unchanged["score"].missing.verdict in ("same", "no difference found")
    assert unchanged["price"].missing is None
    assert unchanged.joint.m == unchanged.a.sampled == ROWS - ROWS % 6  # in groups of 6


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("price", 1.5 * B["price"]),
        ("age", B["age"] + 4),
        ("city", pl.Series(["Rome"] * 400 + B["city"][400:].to_list())),
        ("member", ~B["member"]),
        ("when", B["when"] + timedelta(days=40)),
        ("note", "shiny " + B["note"]),
        ("score", B["score"].fill_null(0.3)),
    ],
)
def test_the_column_that_changed_is_found(name, values):
    c = changed(**{name: values})
    assert c.verdict == "different"
    assert [column.name for column in c.columns if column.rejected] == [name]
    assert c.columns[0].name == name
    assert c.headline == f"Different: 1 of 7 columns; most: {name}."
    assert c.columns[0].where


def test_missing_values_are_a_line_of_their_own_and_a_view_of_the_column():
    c = changed(price=pl.when(pl.int_range(pl.len()) % 5 == 0).then(None).otherwise(pl.col("price")))
    column = c["price"]
    assert column.missing.verdict == column.verdict == "different"
    assert column.values_verdict != "different"  # what is present is as before
    assert column.kernel_pvalue > 0.01
    assert (column.effect, column.view) == (column.missing.effect, "missing in none of A and in 20 % of B")
    assert (column.missing_a, column.missing_b) == (0, 0.2)
    assert column.where[-1].text == "missing in none of A and in 20 % of B"
    c = ts.compare({"x": [None] * 100}, {"x": [1.5, 2.5] * 50})
    assert c.verdict == "different"
    assert c["x"].method.startswith("fewer than two values")


def test_a_difference_between_columns_alone_is_found_by_the_joint_test():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(2, 1000, 2))
    z[1, :, 1] = 0.9 * z[1, :, 0] + np.sqrt(1 - 0.81) * z[1, :, 1]
    c = ts.compare(z[0], z[1])
    assert c.verdict == c.joint_verdict == "different"
    assert c.headline == "Different: no single column of 2, but all of them together; most: c0 with c1."


def test_with_many_rows_a_tiny_difference_is_small_and_a_finding():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 100_000))
    c = ts.compare({"v": x[0]}, {"v": x[1] + 0.03})
    assert c.verdict == c["v"].verdict == "small difference"
    assert c.headline == "Small difference, below the margin: 1 of 1 column; most: v."
    assert c["v"].adjusted_pvalue < 0.01
    assert [f.what for f in c.findings] == ["small"]
    assert ts.compare({"v": x[0]}, {"v": x[1] + 0.03}, margin=0.005).verdict == "different"


def test_few_rows_decide_nothing():
    c = ts.compare(A.head(40), B.head(40))
    assert c.verdict == "no difference found"
    assert c.headline.startswith("No difference found: an effect of 0.")
    assert "of all columns together could hide; about " in c.headline


def test_margins_of_the_joint_test_and_its_result(unchanged):
    assert unchanged.joint_margin == unchanged.margin
    assert unchanged.joint_effect.low == 0 <= unchanged.joint_effect.value < unchanged.joint_effect.high
    assert unchanged.joint_effect.level == pytest.approx(0.9)
    assert unchanged.joint.notes
    assert "999" in repr(unchanged.joint.null)


def test_the_same_seed_gives_the_same_answer():
    one, two, three = (ts.compare(A, B, sample=500, rng=seed).to_json() for seed in (3, 3, 4))
    assert one == two != three


def test_scans_and_samples_say_what_the_rows_say(monkeypatch, unchanged):
    monkeypatch.setattr(subjects, "EXACT_ROWS", 0)
    binned = ts.compare(A, B)
    sampled = ts.compare(A, B, sample=700)
    for name in ("price", "age", "when", "score", "member", "city"):
        for other, near in ((binned, 0.03), (sampled, 0.05)):  # some views have the sampled rows only
            assert other[name].effect_high == pytest.approx(unchanged[name].effect_high, abs=near)
            assert other[name].statistic == pytest.approx(unchanged[name].statistic, abs=1e-3)
    assert sampled.a.sampled == 700
    assert sampled.a.rows == ROWS
    first = sampled.rows(1)[0]
    assert first.row == first.values["row_id"]
    assert unchanged.rows(1)[0].row == unchanged.rows(1)[0].position


def test_a_guess_that_the_whole_table_disproves_is_read_again():
    rng = np.random.default_rng(0)
    a, b = ({"code": [f"k{i}" for i in rng.integers(0, 1000, 12_000)]} for _ in range(2))
    assert ts.compare(open_table(a).sample(300), open_table(b).sample(300))["code"].kind == "text"
    column = ts.compare(a, b, sample=300)["code"]
    assert (column.kind, column.rows_a, column.verdict) == ("categorical", 12_000, "same")
    assert column.method == "delta kernel on 1000 categories; all rows; spectrum"


def test_files_frames_and_open_tables_are_one(tmp_path, unchanged):
    table = A.drop("when")
    table.write_csv(tmp_path / "a.csv")
    table.write_parquet(tmp_path / "a.parquet")
    one = ts.compare(tmp_path / "a.csv", tmp_path / "a.parquet")
    assert one.verdict in ("same", "no difference found")
    assert all(column.pvalue == 1 or column.effect == 0 for column in one.columns)
    two = ts.compare(A.to_pandas(), open_table(B.to_arrow()))
    assert two.verdict == unchanged.verdict
    np.testing.assert_allclose([c.pvalue for c in two.columns], [c.pvalue for c in unchanged.columns], rtol=1e-6)


def test_select_exclude_kinds_and_where():
    c = ts.compare(A, B, select=["price", "age", "row_id"], exclude=["age"])
    assert [column.name for column in c.columns] == ["price"]
    assert ts.compare(A, B, select=["age"], kinds={"age": "categorical"})["age"].kind == "categorical"
    assert ts.compare(A, B, select=["age"], where="city = 'Rome'").a.rows == int((A["city"] == "Rome").sum())


def test_progress_is_told():
    steps = []
    ts.compare(A, B, select=["age"], progress=lambda done, total, what: steps.append((done, total, what)))
    assert steps[0] == (0, 5, "reading polars DataFrame")
    assert steps[-1] == (5, 5, "done")
    assert [done for done, _, _ in steps] == list(range(6))


def test_schema_differences_are_findings():
    a = {"x": [1.5, 2.5] * 50, "gone": [1, 2] * 50, "code": ["1", "2"] * 50, "same": ["k"] * 100, "bad": [[1]] * 100}
    b = {"x": [1.5, 2.5] * 50, "new": [1, 2] * 50, "code": [1, 2] * 50, "same": ["k"] * 100, "bad": [[1]] * 100}
    c = ts.compare(a, b)
    assert {(f.what, f.column) for f in c.findings} == {
        ("lost", "gone"), ("added", "new"), ("changed", "code"), ("constant", "same"), ("left out", "bad"),
    }  # fmt: skip
    assert {column.name for column in c.columns} == {"x", "code"}


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        ({"x": [1.5, 2]}, {"y": [1.5, 2]}, "have no column that can be compared. x: only in the first table"),
        ({"x": range(100)}, {"x": range(100)}, "x: identifier"),
        (pl.DataFrame({"x": []}, schema={"x": pl.Float64}), {"x": [1.5, 2]}, "has no rows"),
    ],
)
def test_what_cannot_be_compared_is_refused(a, b, words):
    with pytest.raises(ts.InputError, match=words):
        ts.compare(a, b)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"margin": 1.5}, "margin"), ({"margin": -0.1}, "margin"), ({"level": 2}, "level"), ({"sample": 2}, "sample"),
        ({"rng": "x"}, "rng"), ({"select": "price"}, "list of names"), ({"select": ["nope"]}, "'nope'"),
        ({"kinds": {"age": "colour"}}, "kinds"), ({"exclude": ["nope"]}, "'nope'"),
    ],
)  # fmt: skip
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ts.TwosampleError, match=words):
        ts.compare(A, B, **options)


@pytest.mark.parametrize("rows", [1, 2, 3, 4])
def test_next_to_no_rows(rows):
    c = ts.compare(A.head(rows), B)
    assert c.verdict == "no difference found"
    assert (c.joint is None) == (rows == 1)
    assert c.joint_effect is None or rows == 4
    c.to_json(), c.summary()


def test_rows_that_speak_for_the_difference():
    c = changed(age=B["age"] + 15)
    rows = c.rows(6)
    assert len(rows) == 6
    assert [abs(row.score) for row in rows] == sorted((abs(row.score) for row in c.rows(6)), reverse=True)
    for row in c.rows(200):
        source = A if row.table == "a" else B.with_columns(age=pl.col("age") + 15)
        assert (row.score > 0) == (row.table == "a")
        assert source["age"][row.row] == row.values["age"]
    old = np.mean([row.values["age"] for row in c.rows(200) if row.table == "a"])
    new = np.mean([row.values["age"] for row in c.rows(200) if row.table == "b"])
    assert new - old > 12


def test_pictures(unchanged):
    drawn = unchanged["price"].picture
    assert isinstance(drawn, NumberPicture)
    inside = np.diff(drawn.edges) @ np.array(drawn.density_a)
    assert inside + sum(drawn.beyond_a) == pytest.approx(1, abs=1e-4)
    assert len(drawn.grid) == len(drawn.witness)
    w = ts.witness(A["price"].to_numpy(), B["price"].to_numpy(), kernel=ts.Gaussian(bandwidth_of(unchanged["price"])))
    np.testing.assert_allclose(drawn.witness, w(np.array(drawn.grid)), atol=2e-3)
    assert unchanged["when"].picture.dates
    shares = unchanged["city"].picture
    assert isinstance(shares, SharePicture)
    for side in ("a", "b"):
        total = sum(getattr(shares, f"shares_{side}")) + getattr(shares, f"other_{side}")
        assert total + getattr(shares, f"missing_{side}") == pytest.approx(1, abs=1e-4)
    assert set(unchanged["member"].picture.labels) == {"true", "false"}
    assert unchanged["note"].picture.words


def bandwidth_of(column):
    return float(column.method.split("bandwidth ")[1].split(";")[0])


def test_plain_values_text_frame_and_html(unchanged):
    found = json.loads(unchanged.to_json())
    assert found["schema"] == 2
    assert found["verdict"] == unchanged.verdict
    assert len(found["columns"]) == 7
    assert found["columns"][0]["name"] == unchanged.columns[0].name
    assert found["joint"]["pvalue"] == unchanged.joint.pvalue
    assert unchanged.to_frame()["column"].to_list() == [column.name for column in unchanged.columns]
    assert unchanged.summary().startswith(unchanged.headline)
    assert str(unchanged) == unchanged.summary()
    with pytest.raises(ts.OptionError, match="nothing"):
        unchanged["nothing"]


def test_a_line_of_values_has_its_own_verdict():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, 4000))
    x[1, :1500] = np.nan
    c = ts.compare({"x": x[0]}, {"x": x[1]})
    assert (c.columns[0].verdict, c.columns[0].missing.verdict) == ("different", "different")
    assert c.columns[0].values_verdict != "different"


def test_assert_same_distribution():
    assert ts.testing.assert_same_distribution(A, B, select=["age", "city"]).verdict != "different"
    with pytest.raises(AssertionError, match="Different: 1 of 2 columns; most: age"):
        ts.testing.assert_same_distribution(A, B.with_columns(age=pl.col("age") + 5), select=["age", "city"])
    with pytest.raises(AssertionError, match="No difference found"):
        ts.testing.assert_same_distribution(A.head(30), B.head(30), select=["age"], strict=True)


def test_polars_and_narwhals_are_loaded_on_use_only():
    import subprocess
    import sys

    code = "import sys, twosample as ts; ts.compare; sys.exit('polars' in sys.modules or 'narwhals' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


@pytest.mark.parametrize(
    ("one", "two"), [(1234567890123456789, 1234567890123456788), (200 * "x" + "A", 200 * "x" + "B"), (1, 7)]
)
def test_constants_that_are_not_the_same(one, two):
    x, y = np.random.default_rng(0).normal(size=(2, 2000))
    c = ts.compare({"k": [one] * 2000, "v": x}, {"k": [two] * 2000, "v": y})
    assert c.verdict == "different"
    assert c["k"].verdict == "different"
    assert not c.findings
    assert ts.compare({"k": [one] * 2000, "v": x}, {"k": [one] * 2000, "v": y}).findings[0].what == "constant"


def test_a_column_that_is_left_out_says_why():
    x, y = np.random.default_rng(0).normal(size=(2, 3000))
    a, b = {"u": ["k1", "k2", "k3"] * 1000, "v": x}, {"u": [f"token{i}" for i in range(3000)], "v": y}
    finding = ts.compare(a, b).findings[0]
    assert "categorical (String) in the first table, identifier (String) in the second" in finding.detail


def test_identical_tables_are_called_identical(tmp_path):
    rng = np.random.default_rng(0)
    few = {"x": rng.normal(size=9), "y": ["a", None, "b"] * 3}
    c = ts.compare(few, few)
    assert (c.verdict, c.headline) == ("same", "Identical: the same 9 rows in both tables.")
    assert {column.verdict for column in c.columns} == {"same"}
    assert ts.compare(few, {**few, "x": few["x"][::-1]}).verdict == "no difference found"  # another order
    many = pl.DataFrame({"x": rng.normal(size=400)})
    many.write_csv(tmp_path / "a.csv")
    many.write_csv(tmp_path / "b.csv")
    many.reverse().write_csv(tmp_path / "c.csv")
    assert ts.compare(tmp_path / "a.csv", tmp_path / "b.csv", sample=50).headline.startswith("Identical: the same 400")
    assert ts.compare(tmp_path / "a.csv", tmp_path / "c.csv", sample=50).headline.startswith("No difference found")


def test_random_halves_of_a_hundred_rows_are_not_called_the_same():
    x = np.random.default_rng(1).normal(size=(2, 50))
    c = ts.compare({"x": x[0]}, {"x": x[1]})
    assert c.verdict == "no difference found"
    assert c.headline.startswith(
        f"No difference found: an effect of {c['x'].effect_high:.2g} could hide in so few rows"
    )


def test_the_column_in_which_most_could_hide_is_named():
    x = np.random.default_rng(4).normal(size=(2, 500))
    sparse = np.where(np.arange(500) < 40, x, np.nan)
    c = ts.compare({"x": x[0], "rare": sparse[0]}, {"x": x[1], "rare": sparse[1]})
    assert c.verdict == "no difference found"
    assert c["rare"].effect_high > c["x"].effect_high
    assert f"an effect of {c['rare'].effect_high:.2g} in 'rare' could hide in so few rows" in c.headline


def test_columns_have_margins_of_their_own():
    x = np.random.default_rng(2).normal(size=(2, 4000))
    a, b = {"x": x[0], "y": x[0]}, {"x": x[1] + 0.3, "y": x[1] + 0.3}
    c = ts.compare(a, b, margin={"x": 0.3})
    assert [(c[name].verdict, c[name].margin) for name in "xy"] == [("small difference", 0.3), ("different", 0.05)]
    assert ts.compare(a, b, margin={"numeric": 0.3, "*": 0.9}).columns[0].verdict == "small difference"
    assert ts.compare(a, {"x": x[1] + 0.05, "y": x[1]}, margin=0).verdict in ("different", "no difference found")
    with pytest.raises(ts.TwosampleError, match="'z'"):
        ts.compare(a, b, margin={"z": 0.1})
