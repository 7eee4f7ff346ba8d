"""`twosample compare`: verdicts, exit codes, options and what is written where."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

import twosample as ts

SAME = ("--margin", "0.3")  # 400 rows cannot show more than that


@pytest.mark.parametrize(
    ("second", "options", "code", "words"),
    [
        ("same", SAME, 0, "= Same"),
        ("other", (), 1, "≠ Different: 1 of 2 columns; most: age."),
        ("few", (), 0, "? No difference found: an effect of "),
        ("few", ("--strict",), 3, "? No difference found: an effect of "),
        ("other", ("--strict",), 1, "≠ Different: 1 of 2 columns; most: age."),
        ("one", ("--strict",), 0, "= Identical: the same 400 rows in both tables."),
    ],
)
def test_verdicts_and_exit_codes(twosample, files, second, options, code, words):
    done = twosample("compare", files.one, getattr(files, second), *options)
    assert done.code == code
    assert done.out.startswith(words)
    assert done.err == ""


def test_the_screen(twosample, files):
    out = twosample("compare", files.one, files.other).out
    lines = out.splitlines()
    assert len(lines) < 24
    assert f"{files.one}: 400 rows, 3 columns" in out
    age = next(line for line in lines if line.startswith("  age"))
    city = next(line for line in lines if line.startswith("  city"))
    assert lines.index(age) < lines.index(city)
    assert "numeric" in age
    assert "≠ different" in age
    assert "left out" in out
    assert "\x1b" not in out
    result = ts.compare(str(files.one), str(files.other))
    assert f"{result['age'].effect:.3f}" in age
    assert f"{result['age'].effect_low:.3f} to {result['age'].effect_high:.3f}" in age


def test_a_column_is_drawn(twosample, files, tmp_path):
    svg, png = tmp_path / "age.svg", tmp_path / "city.png"
    done = twosample("compare", files.one, files.other, "--picture", f"age={svg}", "--picture", f"city={png}")
    assert done.code == 1
    assert "age: different" in svg.read_text()
    assert png.read_bytes().startswith(b"\x89PNG")
    assert twosample("compare", files.one, files.other, "--picture", "age=age.txt").code == 2
    wrong = twosample("compare", files.one, files.other, "--picture", f"wage={tmp_path / 'w.svg'}")
    assert (wrong.code, wrong.out) == (2, "")  # refused before the work
    assert "has no column 'wage'. Did you mean 'age'?" in wrong.err
    assert "must look like column=price.svg" in twosample("compare", files.one, files.other, "--picture", "age").err


def test_two_columns_that_go_otherwise_with_each_other_are_drawn(twosample, tmp_path):
    x = np.random.default_rng(0).normal(size=(3, 1500))
    pl.DataFrame({"height": x[0], "weight": x[0] + x[1], "age": x[2]}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"height": x[2], "weight": x[1] + x[0], "age": x[1]}).write_csv(tmp_path / "b.csv")
    pair = tmp_path / "pair.svg"
    done = twosample("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--picture", f"together={pair}")
    assert done.code == 1
    assert "weight with age: per cent of the rows of A and of B" in pair.read_text()
    again = twosample("compare", tmp_path / "a.csv", tmp_path / "a.csv", "--picture", f"together={pair}")
    assert again.code == 0
    assert "No two columns were found to go otherwise" in pair.read_text()


def test_a_verdict_says_which_columns_it_does_not_speak_of(twosample, files):
    out = twosample("compare", files.one, files.same, *SAME).out
    assert out.splitlines()[0].startswith("= Same within the margin: all 2 columns, each and together. Not compared: '")


def test_the_same_seed_the_same_bytes(twosample, files):
    first, second = (twosample("compare", files.one, files.few, "--json", "-", "--seed", "7").out for _ in range(2))
    assert first == second
    assert json.loads(first)["seed"] == 7


def test_json_goes_to_standard_output_alone(twosample, files):
    done = twosample("compare", files.one, files.other, "--json", "-")
    found = json.loads(done.out)
    assert (done.code, found["schema"], found["verdict"]) == (1, 2, "different")
    assert done.err == ""


def test_all_files_are_written(twosample, files, tmp_path):
    names = {"--json": "r.json", "--junit": "r.xml", "--markdown": "r.md", "--report": "r.html"}
    options = [part for option, name in names.items() for part in (option, tmp_path / name)]
    done = twosample("compare", files.one, files.other, *options)
    assert done.code == 1
    assert done.out.startswith("≠ Different")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names.values())
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["verdict"] == "different"
    assert ElementTree.parse(tmp_path / "r.xml").getroot().tag in ("testsuites", "testsuite")
    assert "ifferent" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert (tmp_path / "r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [line.split()[0] for line in done.err.splitlines()] == ["wrote"] * 4


def test_markdown_on_standard_output(twosample, files):
    done = twosample("compare", files.one, files.other, "--markdown", "-")
    assert "age" in done.out
    assert not done.out.startswith("≠")


def test_quiet_leaves_the_exit_code(twosample, files, tmp_path):
    done = twosample("compare", files.one, files.other, "--quiet", "--json", tmp_path / "r.json")
    assert (done.code, done.out, done.err) == (1, "", "")
    assert (tmp_path / "r.json").exists()


def columns(done):
    return {column["name"]: column for column in json.loads(done.out)["columns"]}


def test_select_and_exclude(twosample, files):
    read = ("compare", files.one, files.other, "--json", "-")
    assert set(columns(twosample(*read, "--select", "age"))) == {"age"}
    assert set(columns(twosample(*read, "--select", "age,city"))) == {"age", "city"}
    assert set(columns(twosample(*read, "--select", "age", "--select", "city"))) == {"age", "city"}
    assert set(columns(twosample(*read, "--exclude", "age"))) == {"city"}


def test_a_name_with_a_comma_in_quotes(twosample, tmp_path):
    for name in ("a", "b"):
        pl.DataFrame({"x,y": list(range(40)), "z": [0.5, 1.5] * 20}).write_csv(tmp_path / f"{name}.csv")
    done = twosample("compare", tmp_path / "a.csv", tmp_path / "b.csv", "--select", '"x,y"', "--json", "-",
                     "--kind", '"x,y=numeric"')  # fmt: skip
    assert set(columns(done)) == {"x,y"}


def test_kind_where_alpha_margin_sample(twosample, files):
    read = ("compare", files.one, files.same, "--json", "-")
    assert columns(twosample(*read, "--kind", "id=integer"))["id"]["kind"] == "integer"
    assert json.loads(twosample(*read, "--where", "age > 40").out)["a"]["rows"] < 400
    found = json.loads(twosample(*read, "--alpha", "0.01", "--margin", "0.2", "--sample", "100").out)
    assert (found["level"], found["margin"], found["a"]["sampled"]) == (0.01, 0.2, 100)
    assert json.loads(twosample(*read, "--all").out)["a"]["sampled"] == 400


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alpha", "2"), "--alpha 2.0"),
        (("--margin", "-1"), "--margin -1"),
        (("--alpha", "x"), "alpha"),
        (("--sample", "0"), "sample"),
        (("--sample", "50", "--all"), "--sample and --all"),
        (("--select", "nope"), "--select: neither"),
        (("--kind", "age"), "column=categorical"),
        (("--kind", "age=colour"), "colour"),
        (("--where", "age >"), "age >"),
        (("--where", "1; DROP TABLE t"), "where"),
        (("--seed", "-1"), "--seed -1"),
        (("--json", "-", "--markdown", "-"), "standard output"),
        (("--nope",), "--nope"),
        (("more",), "more"),
    ],
)
def test_bad_options(twosample, files, options, message):
    done = twosample("compare", files.one, files.same, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1


def test_a_missing_argument_and_a_wrong_command(twosample, files):
    done = twosample("compare", files.one)
    assert done.code == 2
    assert done.err.lower().startswith("error: missing argument 'b': give two tables")
    assert "twosample compare --help" in done.err
    assert twosample("compere").code == 2


def test_debug_shows_the_traceback(twosample, files):
    assert "Traceback" not in twosample("compare", files.one, "nope.csv").err
    done = twosample("compare", files.one, "nope.csv", "--debug")
    assert done.code == 2
    assert "Traceback" in done.err
    assert done.err.splitlines()[-1].startswith("error: There is no file nope.csv")


def test_config(twosample, files, tmp_path):
    config = tmp_path / "drift.toml"
    config.write_text(
        'alpha = 0.01\nseed = 3\nselect = ["age", "city"]\nstrict = true\njson = "-"\n[kind]\nid = "integer"'
    )
    found = twosample("compare", files.one, files.few, "--config", config)
    read = json.loads(found.out)
    assert (found.code, read["verdict"], read["level"], read["seed"]) == (3, "no difference found", 0.01, 3)
    assert {column["name"] for column in read["columns"]} == {"age", "city"}
    read = json.loads(twosample("compare", files.one, files.few, "--config", config, "--alpha", "0.1").out)
    assert (read["level"], read["seed"]) == (0.1, 3)  # what is on the command line counts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alhpa = 0.01", "'alhpa'"),
        ("alpha = [1]", "alpha must be a single value"),
        ("alpha = 'x'", "alpha must be a number, not 'x'"),
        ("alpha = true", "alpha must be a number, not True"),
        ("alpha = 2024-01-01", "alpha must be a number"),
        ("sample = 1.5", "sample must be a whole number, not 1.5"),
        ("seed = '1'", "seed must be a whole number, not '1'"),
        ("quiet = 'yes'", "quiet must be true or false, not 'yes'"),
        ("all = 1", "all must be true or false, not 1"),
        ("report = 5", "report must be a text, not 5"),
        ("where = true", "where must be a text, not True"),
        ("select = 5", "select must be a text or a list of texts, not 5"),
        ("select = [1, 2]", "select must be a text or a list of texts, not 1"),
        ("kind = {age = 5}", "kind must be a text or a list of texts, not 5"),
        ("[alpha]\nx = 1", "alpha must be a single value"),
        ("select = [[1]]", "select must be"),
        ("alpha = ", "not TOML"),
        ("config = 'x'", "'config'"),
    ],
)
def test_bad_config(twosample, files, tmp_path, text, message):
    config = tmp_path / "drift.toml"
    config.write_text(text)
    done = twosample("compare", files.one, files.same, "--config", config)
    assert done.code == 2
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert twosample("compare", files.one, files.same, "--config", tmp_path / "nope.toml").code == 2


def test_demo(twosample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = twosample("demo")
    assert done.code == 0
    assert done.out.startswith("≠ Different: 3 of 5 columns")
    assert "ordered_at" in done.out.splitlines()[-1]
    assert done.err == "wrote twosample-demo.html\n"
    assert (tmp_path / "twosample-demo.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    done = twosample("demo", "--report", "-")
    assert done.out.startswith("<!DOCTYPE html>")
    assert done.err == ""
    done = twosample("demo", "--quiet", "--report", tmp_path / "page.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    ("text", "typed", "code"),
    [
        ("all = true", ("--sample", "50"), 50),
        ("sample = 50", ("--all",), 400),
        ("sample = 50", (), 50),
        ("all = true\nsample = 50", (), None),
        ("", ("--all", "--sample", "50"), None),
        ("all = true\nsample = 60", ("--sample", "50"), 50),
    ],
)
def test_the_command_line_wins_over_the_file_where_options_exclude_each_other(
    twosample, files, tmp_path, text, typed, code
):
    (tmp_path / "c.toml").write_text(text)
    done = twosample("compare", files.one, files.same, "--config", tmp_path / "c.toml", "--json", "-", *typed)
    if code is None:
        assert done.code == 2
        assert "exclude each other" in done.err
    else:
        assert json.loads(done.out)["a"]["sampled"] == code
    alone = twosample("independence", files.one, "--config", tmp_path / "c.toml", *typed)
    assert (alone.code == 2) == (code is None)


def test_messages_about_kinds(twosample, files):
    done = twosample("compare", files.one, files.same, "--kind", "nope=text")
    assert done.err.startswith("error: --kind: neither table has a column 'nope'.")
    done = twosample("compare", files.one, files.same, "--kind", "age=boolean")
    assert done.err == (
        "error: --kind: column 'age' has more than two different values, which are not boolean; say another kind, or "
        "none.\n"
    )


def test_a_finding_about_all_columns_has_no_empty_name(twosample, tmp_path):
    rng = np.random.default_rng(0)
    for name, shift in (("a", 0.0), ("b", 0.1)):
        table = pl.DataFrame({"x": rng.normal(size=20_000) + shift, "y": rng.normal(size=20_000) + shift})
        table.write_parquet(tmp_path / f"{name}.parquet")
    places = tmp_path / "a.parquet", tmp_path / "b.parquet"
    done = twosample("compare", *places, "--margin", "0.2", "--junit", tmp_path / "j.xml")
    assert "small  all columns together" in done.out
    assert "small: all columns together" in (tmp_path / "j.xml").read_text()
    assert "20,000 rows" in done.out
    assert "20,000 rows" in ts.compare(*places).summary()


def test_rows_that_would_settle_it_are_counted_with_commas(twosample, files):
    assert re.search(r"about \d,\d{3} rows in each table", twosample("compare", files.one, files.same).out)


def test_margins_of_single_columns(twosample, files, tmp_path):
    done = twosample("compare", files.one, files.other, "--margin", "0.9", "--margin", "age=0.95")
    assert done.code == 0
    assert done.out.startswith("≈ Small difference, below the margin: 1 of 2 columns; most: age.")
    config = tmp_path / "margins.toml"
    config.write_text('json = "-"\n[margin]\nage = 0.95\n"*" = 0.9')
    read = json.loads(twosample("compare", files.one, files.other, "--config", config).out)
    assert (read["verdict"], read["margin"], read["columns"][0]["margin"]) == ("small difference", 0.9, 0.95)
    config.write_text("margin = 0\nquiet = true")
    assert twosample("compare", files.one, files.other, "--config", config).code == 1
    assert "--margin age=x must be a number" in twosample("compare", files.one, files.few, "--margin", "age=x").err
