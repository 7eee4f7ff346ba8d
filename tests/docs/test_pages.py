"""Every page runs as it stands: its Python from top to bottom, its commands, and what it shows is what is printed."""

import re
from math import comb, factorial

import matplotlib as mpl
import numpy as np
import pytest

import twosample as ts
from tests.docs.pages import ROOT, blocks, commands, pages, run, write_samples
from twosample.cli.run import run as run_command

PAGES = pages()
WITH_PYTHON = [name for name, page in PAGES.items() if any(blocks(page.read_text(encoding="utf-8")))]
WITH_COMMANDS = [name for name, page in PAGES.items() if any(commands(page.read_text(encoding="utf-8")))]
NEEDS = {"scale": "dask.dataframe", "graphs": "networkx", "structured": "sklearn", "outliers": "sklearn"} | {
    "recipes/airflow": "airflow.sdk",
    "recipes/dbt": "duckdb",
    "recipes/great-expectations": "great_expectations",
    "recipes/mlflow": "mlflow",
}
PRINTED = {
    "dependent": ["WildBootstrap(block="],
    "graphs": ["0.001"],
    "independence": ["the variables are dependent"],
    "matching": ["pay     salary", "[('0', '1'), ('1', '0')]"],
    "outliers": ["1 0.0", "('height', 'width')", "('width',)", "[-1  1  1]"],
    "planning": ["alike up to the margin"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    write_samples(folder)
    return folder


@pytest.fixture(scope="module")
def ran(folder):
    """What a page defines and prints, by its name; each page runs once."""
    known = {}

    def result(name):
        if name not in known:
            pytest.importorskip(NEEDS.get(name, "numpy"))
            mpl.use("Agg")
            from matplotlib import pyplot

            with pytest.MonkeyPatch.context() as patch:
                patch.chdir(folder)
                known[name] = run(PAGES[name])
            pyplot.close("all")
        return known[name]

    return result


def test_blocks_and_commands_are_found():
    text = (
        "a\n\n```python\nx = 1\n```\n\n<!-- no-test -->\n```python\nboom\n```\n```python\ny = 2\n```\n"
        '```sh\nls\ntwosample demo "a b" || echo  # why\n```\n'
    )
    assert list(blocks(text)) == [(3, "x = 1\n"), (11, "y = 2\n")]
    assert list(commands(text)) == [["demo", "a b"]]
    assert {"README", "compare", "report", "sources", "summaries"} <= set(WITH_PYTHON)
    assert {"README", "cli", "summaries"} <= set(WITH_COMMANDS)


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_page_runs(name, ran):
    printed = ran(name).printed
    shown = [text for _, text in blocks(PAGES[name].read_text(encoding="utf-8"), language="")]
    assert [text for text in [*shown, *PRINTED.get(name, ())] if text not in printed] == []
    assert "None" not in printed.split()  # something that is not there is no example


def test_the_readme_shows_what_it_prints():
    assert list(blocks(PAGES["README"].read_text(encoding="utf-8"), language=""))


@pytest.mark.parametrize("name", WITH_COMMANDS)
def test_the_commands_run(name, tmp_path, monkeypatch):
    folder = tmp_path
    write_samples(folder)
    monkeypatch.chdir(folder)
    page = PAGES[name].read_text(encoding="utf-8")
    for _, text in blocks(page, "toml"):
        (folder / "drift.toml").write_text(text, encoding="utf-8")
    for words in commands(page):
        if not any(word.startswith("postgresql:") for word in words):
            assert run_command([*words, *(["--quiet"] if "--quiet" not in words else [])]) in {0, 1, 3}, words


INCLUDED = {"changelog", "contributing"}  # other files
FOR_WHOM = re.compile(r"^(#{1,2} .*\n+|!\[.*\n+|\*\*.*\n+)*(For |Welcome)")


@pytest.mark.parametrize("name", [name for name in PAGES if name not in {*INCLUDED, "README", "index"}])
def test_the_page_says_for_whom_it_is_and_where_to_go_next(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert FOR_WHOM.match(text), "the first paragraph says for whom the page is: 'For whoever ...'"
    end = text.rpartition("here next")[2]  # the last words of the page, or its last section
    assert end != text, "the page ends with 'Where next: ...'"
    assert "](" in end
    assert "\n#" not in end


def test_links_between_pages_lead_somewhere():
    made = ("reference/", "gallery/")  # by `make docs`, which checks them
    for page in [*PAGES.values(), *(ROOT / "docs" / "paper").glob("*.md")]:
        for place in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert place.removeprefix("../").startswith(made) or (page.parent / place).exists(), f"{page.name}: {place}"


def test_independence_finds_the_pair_and_where_it_depends(ran):
    names = ran("independence").names
    assert {(pair.x, pair.y) for pair in names["m"].dependent} == {("x", "y"), ("x", "sign")}
    above, below = names["w"]([0.0, 0.0], [0.0, 6.0])
    assert above > 0 > below


def test_structured_objects_behave_as_the_comments_say(ran):
    printed = ran("structured").printed.splitlines()
    assert printed[1:3] == ["False", "True"]  # bags
    assert float(printed[3]) > 0.9  # classification
    assert printed[5] == "True"  # walks and noise differ


def test_the_negative_result_finds_nothing(ran):
    names = ran("negative-result").names
    assert names["detections"] < 0.2 * names["repetitions"]


@pytest.mark.parametrize("m", [2, 3, 9, 30])
def test_the_probability_of_the_negative_result_is_the_formula_of_the_paper(ran, m):
    exact = comb(m**2, m) * factorial(m) / m ** (2 * m)
    assert ran("negative-result").names["all_distinct"](m) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("shift", "said"), [(0.35, "p = 0.64"), (0.4, "p = 0.5")], ids=["plot_02_null", "plot_07_power"]
)
def test_the_gallery_tells_what_the_smaller_sample_showed(shift, said, request):
    """The sizes of two examples were chosen after looking, and the pages say so: 150 rows show nothing."""
    name = request.node.callspec.id
    source = (ROOT / "docs" / "gallery_src" / f"{name}.py").read_text(encoding="utf-8")
    rng = np.random.default_rng(0)
    r = ts.mmd_test(rng.normal(size=150), rng.normal(shift, size=150), rng=0)
    assert said in source
    assert "default_rng(0)" in source
    assert float(f"{r.pvalue:.2g}") == float(said.removeprefix("p = "))
