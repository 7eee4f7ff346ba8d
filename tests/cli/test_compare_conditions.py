"""`twosample compare` with --by, --weights, --group and --time."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts


@pytest.fixture
def paths(tmp_path):
    rng = np.random.default_rng(0)
    found = []
    for name, share, first in (("a", 0.2, 0), ("b", 0.7, 100)):
        weekend = rng.random(300) < share
        frame = pl.DataFrame({
            "weekend": weekend, "w": np.where(weekend, 0.5, 2.0), "patient": first + np.arange(300) // 10,
            "day": np.arange(300), "sales": rng.normal(size=300) + 2 * weekend,
        })  # fmt: skip
        frame.write_csv(tmp_path / f"{name}.csv")
        found.append(str(tmp_path / f"{name}.csv"))
    return found


@pytest.mark.parametrize(
    ("flags", "options"),
    [
        (["--by", "weekend"], {"by": "weekend"}),
        (["--weights", "w"], {"weights": "w"}),
        (["--group", "patient"], {"groups": "patient"}),
        (["--time", "day"], {"time": "day"}),
    ],
)
def test_flags_are_options(twosample, paths, flags, options):
    done = twosample("compare", *paths, "--select", "sales", *flags, "--json", "-")
    found = json.loads(done.out)
    c = ts.compare(*paths, select=["sales"], **options)
    assert found["columns"][0]["pvalue"] == c.columns[0].pvalue
    assert found["verdict"] == c.verdict
    assert done.code == (c.verdict == "different")


def test_the_mix_is_on_the_screen_and_not_in_the_exit_code(twosample, paths):
    done = twosample("compare", *paths, "--by", "weekend", "--select", "sales")
    assert done.code == 0
    assert "mix" in done.out
    assert "the mix differs" in done.out


def test_errors_name_the_option(twosample, paths):
    done = twosample("compare", *paths, "--by", "nothing")
    assert done.code == 2
    assert "--by:" in done.err
    assert "nothing" in done.err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--design-weights", "w", "--group", "patient"], "--design-weights and --group together are not supported"),
        (["--time", "day", "--group", "patient"], "--time and --group together are not supported"),
        (["--group", "weekend"], "use --by weekend."),
        (["--weights", "nothing"], "--weights: "),
        (["--by", "weekend", "--select", "weekend"], "stand in --by as well"),
        (["--by", "weekend,weekend"], "--by, --weights or --group name a column twice"),
    ],
)
def test_errors_speak_the_language_of_the_shell(twosample, paths, flags, message):
    done = twosample("compare", *paths, *flags)
    assert done.code == 2
    assert message in done.err


@pytest.fixture
def parts(tmp_path):
    rng = np.random.default_rng(1)
    whole = pl.DataFrame(
        {"site": np.repeat(["a", "b", "c"], 200), "v": rng.normal(size=600) + np.repeat([0, 0, 1], 200)}
    )
    for name in "abc":
        whole.filter(pl.col("site") == name).drop("site").write_csv(tmp_path / f"{name}.csv")
    whole.write_parquet(tmp_path / "all.parquet")
    return tmp_path


def test_several_tables(twosample, parts):
    paths = [str(parts / f"{name}.csv") for name in "abc"]
    done = twosample("compare", *paths, "--report", str(parts / "many.html"))
    assert done.code == 1
    assert "Different: 2 of 3 pairs" in done.out
    assert (parts / "many.html").exists()


def test_documents_of_several_tables(twosample, parts):
    paths = [str(parts / f"{name}.csv") for name in "abc"]
    assert twosample("learn", paths[0], "--output", str(parts / "a.toml")).code == 0
    files = "--junit", str(parts / "x.xml"), "--contract", str(parts / "a.toml")
    done = twosample("compare", *paths, *files, "--markdown", "-")
    assert done.code == 1
    assert done.out.startswith("### ")
    assert done.out.count("\n| ") == 4  # the head and three pairs
    assert (parts / "x.xml").read_text(encoding="utf-8").count("<testcase") >= 3


def test_groups_of_one_table(twosample, parts):
    done = twosample("compare", str(parts / "all.parquet"), "--groups", "site", "--json", "-")
    assert done.code == 1
    assert json.loads(done.out)["apart"] == ["c"]


def test_errors_of_several_tables_tell_samples_from_groups_of_rows(twosample, parts):
    for flags, said in (
        (("--groups", "nothing"), "--groups: "),
        (("--groups", "site", "--group", "nothing"), "--group: "),
        (("--groups", "site", "--group", "v", "--time", "v"), "--time and --group together"),
    ):
        done = twosample("compare", str(parts / "all.parquet"), *flags)
        assert done.code == 2
        assert f"error: {said}" in done.err


def test_what_only_two_tables_have(twosample, parts):
    paths = [str(parts / f"{name}.csv") for name in "abc"]
    for arguments, said in (
        ((*paths, "--picture", "v=v.svg"), "--picture is for two tables"),
        ((*paths, "--groups", "site"), "--groups takes one table"),
        ((paths[0],), "Missing argument 'B'"),
    ):
        done = twosample("compare", *arguments)
        assert done.code == 2
        assert said in done.err
