"""Contracts: learned, written, read, checked; against definitions in plain Python."""

import tomllib
from datetime import date, datetime, timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import twosample as ts
from twosample.report import html, junit
from twosample.sources import open_table
from twosample.tables import ColumnRules
from twosample.tables.toml_text import _string

ROWS = 500
RNG = np.random.default_rng(3)
DAYS = [date(2024, 1, 1) + timedelta(int(day)) for day in RNG.integers(0, 300, ROWS)]
TABLE = pl.DataFrame({
    "price": RNG.gamma(2, 10, ROWS), "n": RNG.poisson(9, ROWS), "city": RNG.choice(["Oslo", "Rome", "Bonn"], ROWS),
    "day": DAYS, "flag": RNG.random(ROWS) < 0.4, "key": [f"k{i}" for i in range(ROWS)],
    "gap": pl.Series(np.where(RNG.random(ROWS) < 0.1, np.nan, RNG.normal(size=ROWS))).fill_nan(None),
})  # fmt: skip


def broken(rules, values, **options):
    """The violations of one column beside one that is fine."""
    table = pl.DataFrame({"fine": np.arange(len(values)) % 7, "x": values}, strict=False)
    contract = ts.Contract({"x": ColumnRules(**rules)})
    return ts.compare(table, table, contract=contract, **options).violations


def test_what_is_learned():
    rules = ts.learn(TABLE).columns
    assert {name: rule.kind for name, rule in rules.items()} == {
        "price": "numeric", "n": "integer", "city": "categorical", "day": "datetime", "flag": "boolean",
        "key": "identifier", "gap": "numeric",
    }  # fmt: skip
    low, high = TABLE["price"].min(), TABLE["price"].max()
    assert 0 <= rules["price"].min <= low
    assert high + 0.1 * (high - low) <= rules["price"].max <= high + 0.12 * (high - low)
    assert isinstance(rules["n"].max, int)
    assert rules["city"].values == ("Bonn", "Oslo", "Rome")
    assert (rules["day"].min, rules["day"].max) == (None, None)
    assert ts.learn(TABLE).dates == {"day": (min(DAYS), max(DAYS))}
    assert rules["key"].unique
    assert TABLE["gap"].null_count() / ROWS < rules["gap"].missing < 0.25
    assert rules["price"].missing == 0


@pytest.mark.parametrize("slack", [0.0, 0.1])
def test_a_table_keeps_what_was_learned_from_it(slack):
    assert ts.compare(TABLE, TABLE, contract=ts.learn(TABLE, slack=slack)).violations == ()


def test_fresh_rows_of_the_same_source_keep_it():
    def table(seed):
        rng = np.random.default_rng(seed)
        names = np.array([f"c{i}" for i in range(60)])
        share = 1 / np.arange(1, 61) ** 2
        return pl.DataFrame({
            "x": rng.normal(size=3000), "c": rng.choice(names, 3000, p=share / share.sum()),
            "m": pl.Series(np.where(rng.random(3000) < 0.02, np.nan, 1.5 + rng.random(3000))).fill_nan(None),
        })  # fmt: skip

    found = [ts.compare(table(seed), table(seed + 1), contract=ts.learn(table(seed))).violations for seed in range(12)]
    assert sum(map(bool, found)) <= 2


def test_what_is_written_is_read(tmp_path):
    contract = ts.learn(TABLE)
    contract.save(tmp_path / "c.toml")
    text = (tmp_path / "c.toml").read_text(encoding="utf-8")
    assert "# min = 2024-01-01" in text
    assert text.startswith("# Learned from polars DataFrame by twosample")
    again = ts.Contract.load(tmp_path / "c.toml")
    assert dict(again.columns) == dict(contract.columns)
    assert ts.Contract.from_toml(again.to_toml()).columns == again.columns


def test_learned_dates_are_no_rules_and_written_ones_stay_rules(tmp_path):
    """The next table holds later dates: whether the contract went through a file does not matter."""
    later = TABLE.with_columns(day=pl.col("day") + timedelta(days=365))
    contract = ts.learn(TABLE)
    contract.save(tmp_path / "c.toml")
    for known in (contract, tmp_path / "c.toml"):
        assert ts.compare(TABLE, later, contract=known).violations == ()
    ruled = ts.Contract.from_toml("[columns.day]\nmax = 2024-12-31")
    assert ts.Contract.from_toml(ruled.to_toml()).columns["day"].max == date(2024, 12, 31)
    assert [broken.rule for broken in ts.compare(TABLE, later, contract=ruled).violations] == ["max"]


@given(st.text(st.characters(codec="utf-8"), max_size=20), st.lists(st.text(st.characters(codec="utf-8")), max_size=4))
def test_any_name_and_any_value_survive(name, values):
    rules = ColumnRules(kind="categorical", values=tuple(values))
    contract = ts.Contract({name: rules}, "any")
    assert ts.Contract.from_toml(contract.to_toml()).columns == {name: rules}


def test_hostile_names_stay_names():
    names = ["a]\n[columns.b", 'x"', "\x1b[31m", "\u202e", "", "a.b", "*", "^.*$", "ключ"]
    table = pl.DataFrame({name: [1.5, 2.5, 9.0] * 20 for name in names})
    text = ts.learn(table).to_toml()
    assert list(tomllib.loads(text)["columns"]) == names
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert ts.compare(table, table, contract=ts.Contract.from_toml(text)).violations == ()
    assert _string("\ud800") == '"\\uFFFD"'


VALUES = [1.0, 2.5, -3.0, 400.0, None, 7.0] * 10


@pytest.mark.parametrize(
    ("rules", "values", "rule", "breaks"),
    [
        ({"min": 0}, VALUES, "min", lambda v: v is not None and v < 0),
        ({"max": 100.5}, VALUES, "max", lambda v: v is not None and v > 100.5),
        ({"kind": "integer"}, VALUES, "kind", lambda v: v is not None and v != int(v)),
        ({"kind": "numeric"}, ["1", " 2.5", "x", "", None] * 9, "kind", lambda v: v is not None and v in ("x", "")),
        ({"kind": "boolean"}, [0, 1, 2] * 9, "kind", lambda v: v == 2),
        ({"kind": "boolean"}, ["true", "False", "no"] * 9, "kind", lambda v: v == "no"),
        ({"kind": "datetime"}, ["2024-01-01", "never"] * 9, "kind", lambda v: v == "never"),
        ({"kind": "datetime"}, [1, 2, 3] * 9, "kind", lambda v: True),
        ({"kind": "numeric"}, [date(2024, 1, 1)] * 9, "kind", lambda v: True),
        ({"values": ("a", "b")}, ["a", "b", "A", None] * 9, "values", lambda v: v == "A"),
        ({"values": ("1", "2")}, [1.0, 2.0, 3.0] * 9, "values", lambda v: v == 3),
        ({"max": date(2024, 1, 5)}, [datetime(2024, 1, 5, 23), datetime(2024, 1, 6)] * 9, "max", lambda v: v.day == 6),
        ({"min": date(2024, 1, 5)}, ["2024-01-04", "2024-01-05"] * 9, "min", lambda v: v == "2024-01-04"),
        ({"min": datetime(2024, 1, 5, 12)}, [datetime(2024, 1, 5, 11), datetime(2024, 1, 5, 12)] * 9, "min",
         lambda v: v.hour == 11),
    ],
)  # fmt: skip
def test_rows_are_counted_as_a_loop_counts_them(rules, values, rule, breaks):
    found = broken(rules, values)
    assert [(part.column, part.rule) for part in found] == [("x", rule)]
    expected = [row for row, value in enumerate(values) if breaks(value)]
    assert found[0].rows == len(expected)
    assert found[0].row == expected[0]
    assert found[0].share == len(expected) / len(values)


def test_missing_and_unique_and_required():
    assert [(v.rule, v.rows) for v in broken({"missing": 0.1}, VALUES)] == [("missing", 10)]
    assert not broken({"missing": 0.2}, VALUES)
    assert [(v.rule, v.rows) for v in broken({"unique": True}, [*range(50), 3, 4])] == [("unique", 2)]
    contract = ts.Contract({"gone": ColumnRules(), "away": ColumnRules(required=False)})
    c = ts.compare(TABLE, TABLE, contract=contract)
    assert [(v.column, v.rule) for v in c.violations] == [("gone", "required")]
    assert c.verdict == "different"
    assert "Contract" in c.headline or "contract: 'gone' is not there" in c.headline


def test_other_values_may_have_a_share():
    values = ["a"] * 97 + ["b", "c", "d"]
    assert not broken({"values": ("a",), "other_values": 0.03}, values)
    found = broken({"values": ("a",), "other_values": 0.02}, values)
    assert (
        found[0].detail
        == "3 rows (3.0 %) have another value than 'a', such as 'b' in row 97 (counted from 0); 2.0 % may"
    )


def test_more_rows_than_the_sample(tmp_path):
    values = np.r_[np.random.default_rng(0).normal(size=30_000), 99.0]
    pl.DataFrame({"x": values}).write_parquet(tmp_path / "t.parquet")
    contract = ts.Contract({"x": ColumnRules(max=50)})
    found = ts.compare(values[:1000, None], values[:1000, None], contract=contract).violations
    assert [v.rule for v in found] == ["required"]
    path = str(tmp_path / "t.parquet")
    (found,) = ts.compare(path, path, contract=contract).violations
    assert (found.rows, found.row, found.example) == (1, 30_000, "99")
    summary = ts.summarize(path)
    (found,) = ts.compare(summary, summary, contract=contract).violations
    assert found.rule == "max"
    (found,) = ts.compare(path, path, contract=contract, where="x > -100").violations
    assert found.row is None


def test_columns_that_are_left_out_are_not_checked():
    assert broken({"max": 1}, VALUES, exclude=["x"]) == ()


def test_a_table_says_whether_it_can_be_walked_through():
    table = open_table(TABLE)
    assert sum(len(batch) for batch in table.batches(["n", "day"])) == ROWS
    assert open_table(ts.summarize(TABLE, rows=100)).batches(["n"]) is None
    with pytest.raises(ts.InputError, match="no column"):
        table.batches(["nope"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = ", "is not TOML"),
        ("a = 1", "no key 'a'"),
        ("version = 2\n[columns]", "has version 2"),
        ("version = 1", "has no columns"),
        ("columns = 3", "has no columns"),
        ("[columns]\nprice = 3", r"columns\.price must be a table of rules, not 3"),
        ("[columns.price]\nmaximum = 3", r"no key 'columns\.price\.maximum'"),
        ("[columns.price]\nkind = 'number'", r"columns\.price\.kind is 'number'; .* Did you mean 'numeric'"),
        ("[columns.price]\nmin = 'a'", r"columns\.price\.min must be a number or a date"),
        ("[columns.price]\nmin = nan", "must be a number or a date"),
        ("[columns.price]\nmin = true", "must be a number or a date"),
        ("[columns.price]\nmin = 3\nmax = 2", "min is larger than max"),
        ("[columns.price]\nmin = 3\nmax = 2024-01-01", "both be numbers, or both dates"),
        ("[columns.price]\nmissing = 3", r"columns\.price\.missing must be a share from 0 to 1, not 3"),
        ("[columns.price]\nvalues = 'a'", r"columns\.price\.values must be a list"),
        ("[columns.price]\nvalues = [[1]]", r"columns\.price\.values must be a list"),
        ("[columns.price]\nrequired = 1", r"columns\.price\.required must be true or false, not 1"),
    ],
)
def test_errors_name_the_key(text, words):
    with pytest.raises(ts.InputError, match=words):
        ts.Contract.from_toml(text)


def test_values_of_other_types_are_text():
    rules = ts.Contract.from_toml("[columns.x]\nvalues = [1, 2.0, 2.5, true, 2024-01-01, 'a']").columns["x"]
    assert rules.values == ("1", "2", "2.5", "true", "2024-01-01", "a")


def test_wrong_arguments(tmp_path):
    with pytest.raises(ts.InputError, match="cannot be read: No such file"):
        ts.compare(TABLE, TABLE, contract=tmp_path / "none.toml")
    with pytest.raises(ts.OptionError, match="contract must be the path of a TOML file or a Contract, not int"):
        ts.compare(TABLE, TABLE, contract=3)
    with pytest.raises(ts.OptionError, match="slack"):
        ts.learn(TABLE, slack=-1)
    with pytest.raises(ts.InputError, match="has no rows"):
        ts.learn(TABLE, where="n < 0")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ts.InputError, match="not text in UTF-8"):
        ts.Contract.load(tmp_path / "b.toml")


def test_every_output_has_it():
    hostile = "<script>alert(1)</script>"
    c = ts.compare(
        {"x": ["a"] * 60}, {"x": ["a"] * 59 + [hostile]}, contract=ts.Contract({"x": ColumnRules(values=("a",))})
    )
    assert c.verdict == "different"
    assert "contract: 'x' breaks values in 1 row" in c.headline.lower()
    assert c.to_dict()["violations"][0]["example"] == hostile
    page = html(c)
    assert "Breaks the contract" in page
    assert "<script>alert" not in page
    assert 'name="x: values"' in junit(c)
    assert "contract: x: 1 row" in c.summary()


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_a_table_keeps_the_contract_that_was_learned_from_it(odd):
    rng = np.random.default_rng(0)
    table = {"x": np.where(rng.random(800) < 0.2, odd, rng.normal(size=800)), "n": np.arange(800.0) % 7}
    assert ts.compare(table, table, contract=ts.learn(table)).violations == ()


def test_nan_is_in_no_range_and_no_other_value():
    rules = '[columns.x]\nkind = "integer"\nmin = 0\nmax = 9\nvalues = ["1", "2"]\nother_values = 0.0\n'
    table = {"x": np.array([1.0, 2.0, np.nan] * 20)}
    assert ts.compare(table, table, contract=ts.Contract.from_toml(rules)).violations == ()
