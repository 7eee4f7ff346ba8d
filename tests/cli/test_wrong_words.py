"""Words of Python, of other programs, or misspelt: one line that says which word it is here."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--level", "0.1"), "error: there is no option --level. Did you mean --alpha? Try 'twosample compare --h"),
        (("--rng", "1"), "there is no option --rng. Did you mean --seed?"),
        (("--random-state", "1"), "there is no option --random-state. Did you mean --seed?"),
        (("--reprot", "r.html"), "there is no option --reprot. Did you mean --report?"),
        (("--zzz",), "there is no option --zzz. Try"),
        (("--kind", "age=number"), "error: --kind age=number is not known. Choose one of 'boolean', 'categorical', "
         "'datetime', 'duration', 'identifier', 'integer', 'numeric', 'text'. Did you mean 'numeric'?\n"),
        (("--kind", "city=category"), "--kind city=category is not known"),
        (("--kind", "age"), "--kind age must look like column=categorical"),
        (("--alpha", "2"), "--alpha 2.0 must be"),
    ],
)  # fmt: skip
def test_wrong_words(twosample, files, arguments, message):
    done = twosample("compare", files.one, files.same, *arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_arguments_are_not_proposed_as_options(twosample, files):
    done = twosample("watch", "start", files.one, "--state", "w.tsw")
    assert done.err == "error: there is no option --state. Did you mean --strata? Try 'twosample watch start --help'.\n"


@pytest.mark.parametrize(("key", "meant"), [("level", "alpha"), ("rng", "seed"), ("exlude", "exclude")])
def test_wrong_words_in_a_file_of_options(twosample, files, tmp_path, key, meant):
    (tmp_path / "options.toml").write_text(f"{key} = 1\n")
    done = twosample("compare", files.one, files.same, "--config", tmp_path / "options.toml")
    assert done.code == 2
    assert f"there is no option '{key}'. Did you mean '{meant}'?" in done.err


@pytest.mark.parametrize("command", ["compare", "match", "demo"])
def test_a_report_is_a_page(twosample, files, tmp_path, command):
    """And no other format: that is said before the work, and nothing is written."""
    tables = () if command == "demo" else (files.one, files.same)
    done = twosample(command, *tables, "--report", tmp_path / "r.pdf")
    assert (done.code, done.out) == (2, "")
    assert f"--report {tmp_path}/r.pdf: a report is an HTML page. Write {tmp_path}/r.html, and print" in done.err
    assert twosample(command, *tables, "--report", tmp_path / "r.PNG").code == 2
    assert list(tmp_path.iterdir()) == []
    for name in ("r.html", "page", "drift.2024-05"):
        assert twosample(command, *tables, "--quiet", "--report", tmp_path / name).code in (0, 1, 3)
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_report_from_python_is_a_page_too(tmp_path):
    import twosample as ts

    c = ts.compare({"a": [0.5, 2.5] * 50}, {"a": [0.5, 2.5] * 50})
    with pytest.raises(ts.OptionError, match=r"path=.*r\.pdf: a report is an HTML page\. Write .*r\.html, and print"):
        c.report(tmp_path / "r.pdf")
    assert list(tmp_path.iterdir()) == []
