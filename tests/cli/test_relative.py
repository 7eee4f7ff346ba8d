"""`twosample relative A B --reference R`."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts


@pytest.fixture
def paths(tmp_path):
    rng = np.random.default_rng(0)
    found = {}
    for name, mean in (("near", 0.1), ("far", 1.0), ("real", 0.0)):
        frame = pl.DataFrame({"price": rng.normal(mean, size=200), "kind": rng.choice(["A", "B"], 200)})
        frame.write_csv(tmp_path / f"{name}.csv")
        found[name] = str(tmp_path / f"{name}.csv")
    return found


def test_it_is_the_function(twosample, paths):
    done = twosample("relative", paths["near"], paths["far"], "--reference", paths["real"], "--json", "-")
    assert done.code == 1
    assert json.loads(done.out) == ts.compare_relative(paths["near"], paths["far"], paths["real"]).to_dict()


def test_the_screen_and_the_exit_code(twosample, paths, tmp_path):
    options = "--reference", paths["real"]
    done = twosample("relative", paths["near"], paths["far"], *options, "--plot", str(tmp_path / "law.svg"))
    assert done.code == 1
    assert f"{ts.compare_relative(*paths.values()).headline}" in done.out.replace("\n", " ")
    assert "price" in done.out
    assert (tmp_path / "law.svg").exists()
    done = twosample("relative", paths["near"], paths["far"], *options, "--select", "kind", "--quiet")
    assert (done.code, done.out) == (0, "")


def test_errors(twosample, paths):
    near, far, real = paths.values()
    for arguments, said in (
        ((near, far), "Missing option '--reference'"),
        ((near, far, "--reference", real, "--exclude", "no"), "--exclude: no table has a column 'no'"),
        ((near, far, "--reference", real, "--json", real), "would replace what is read"),
        ((near, far, "--reference", real, "--sample", "2"), "--sample 2 must be"),
        ((near, far, "--reference", real, "--kind", "no=numeric"), "--kind: no table has a column 'no'"),
    ):
        done = twosample("relative", *arguments)
        assert done.code == 2
        assert said in done.err
