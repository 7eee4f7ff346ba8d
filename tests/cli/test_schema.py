"""`twosample compare` on tables whose columns are not the same."""

import polars as pl
import pytest


@pytest.fixture
def pair(tmp_path):
    a = pl.DataFrame({"temp": [1.5, 2.25, 3.75, 4.5] * 100, "n": [1, 2, 3, 4] * 100})
    a.write_csv(tmp_path / "a.csv")
    a.rename({"temp": " Temp"}).write_csv(tmp_path / "b.csv")
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 1),
        (("--schema", "fail"), 1),
        (("--schema", "warn"), 0),
        (("--schema", "ignore"), 0),
        (("--columns-may-be-lost", "temp"), 0),
        (("--columns-may-be-lost", "n"), 1),
    ],
)
def test_exit_codes(twosample, pair, options, code):
    assert twosample("compare", *pair, "--margin", "0.3", *options).code == code


def test_the_headline_and_the_findings(twosample, pair):
    out = twosample("compare", *pair, "--margin", "0.3").out
    assert out.startswith("≠ Different: schema: 'temp' is lost (did you mean ' Temp'?). Columns in common: ")
    assert "lost" in out
    assert "added" in out


def test_a_file_of_options(twosample, pair, tmp_path):
    settings = tmp_path / "s.toml"
    settings.write_text('margin = 0.3\ncolumns-may-be-lost = ["temp"]\n')
    assert twosample("compare", *pair, "--config", settings).code == 0
    settings.write_text('margin = 0.3\nschema = "warn"\n')
    assert twosample("compare", *pair, "--config", settings).code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--schema", "strict"), "--schema 'strict' is not known"),
        (("--columns-may-be-lost", "tem"), "--columns-may-be-lost: "),
    ],
)
def test_wrong_words(twosample, pair, options, words):
    done = twosample("compare", *pair, *options)
    assert done.code == 2
    assert words in done.err
