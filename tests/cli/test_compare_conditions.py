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
    assert "by:" in done.err
    assert "nothing" in done.err
