"""`twosample learn` and `compare --contract`."""

import polars as pl
import pytest


@pytest.fixture
def pair(tmp_path):
    a = pl.DataFrame({"price": [1.5, 2.25, 3.75, 4.5] * 100, "city": ["Oslo", "Rome"] * 200})
    a.write_csv(tmp_path / "a.csv")
    pl.concat([a, pl.DataFrame({"price": [99.0], "city": ["oslo"]})]).write_csv(tmp_path / "b.csv")
    return tmp_path / "a.csv", tmp_path / "b.csv"


def test_learn_edit_check(twosample, pair, tmp_path):
    a, b = pair
    rules = tmp_path / "contract.toml"
    done = twosample("learn", a, "-o", rules)
    assert (done.code, done.out, done.err) == (0, "rules for 2 columns\n", f"wrote {rules}\n")
    assert twosample("compare", a, a, "--margin", "0.3", "--contract", rules).code == 0
    done = twosample("compare", a, b, "--margin", "0.3", "--contract", rules)
    assert done.code == 1
    assert "'price' breaks max in 1 row, 'city' breaks values in 1 row" in done.out
    assert "such as '99' in row 400" in done.out
    rules.write_text(rules.read_text().replace("max", "# max").replace('"Rome"]', '"Rome", "oslo"]'))
    assert twosample("compare", a, b, "--margin", "0.3", "--contract", rules).code == 0


def test_to_standard_output(twosample, pair):
    done = twosample("learn", pair[0], "-o", "-", "--slack", "0")
    assert "max = 4.5" in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "rules.txt"), "call it rules.txt.toml"),
        (("-o", "/no/such/rules.toml"), "there is no folder"),
        (("-o", "-", "--slack", "-1"), "--slack -1.0 is a share"),
        ((), "Missing option"),
    ],
)
def test_wrong_words(twosample, pair, arguments, words):
    done = twosample("learn", pair[0], *arguments)
    assert done.code == 2
    assert words in done.err


def test_a_contract_is_never_replaced(twosample, pair, tmp_path):
    rules = tmp_path / "contract.toml"
    twosample("learn", pair[0], "-o", rules, "-q")
    before = rules.read_text()
    done = twosample("compare", *pair, "--contract", rules, "--json", rules)
    assert (done.code, rules.read_text()) == (2, before)
    assert twosample("compare", *pair, "--contract", tmp_path / "none.toml").code == 2
    assert twosample("learn", pair[0], "-o", pair[0]).code == 2


def test_an_error_leaves_the_old_file(twosample, pair, tmp_path):
    rules = tmp_path / "contract.toml"
    rules.write_text("old")
    assert twosample("learn", tmp_path / "none.csv", "-o", rules).code == 2
    assert rules.read_text() == "old"
