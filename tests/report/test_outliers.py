"""The page of outliers."""

from itertools import pairwise

import numpy as np
import pytest

import twosample as ts
from tests.report.synthetic import HOSTILE
from tests.report.test_page import ALLOWED, Page
from twosample.report import html

TEXTS = [text.encode(errors="ignore").decode() for text in HOSTILE]
"""Those that a table can hold."""


@pytest.fixture(scope="module")
def reference():
    rng = np.random.default_rng(0)
    return {"age": rng.normal(40, 9, 600), "city": rng.choice(["Oslo", "Rome"], 600)}


def test_the_page_says_everything(reference):
    found = ts.outliers(reference, {"age": [41.0, 99.0, 38.0], "city": ["Oslo", "Rome", "Rome"]})
    page = Page(html(found))
    for words in (
        "≠ More outliers than chance explains", "1 of 3 rows are outliers", "600", "Row 0 is the first row of data",
        found.rows[0].why, "age", "city", "99", "Usual in the reference", "Histogram of the p-values",
        "Gaussian(", "Section 7.5", "a header is not counted",
    ):  # fmt: skip
        assert words in page.text, words
    levels = [int(name[1]) for name, _ in page.elements if name in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.all("a")} <= set(ids)


def test_outcomes(reference):
    calm = {"age": [40.0], "city": ["Oslo"]}
    page = Page(html(ts.outliers(reference, calm)))
    assert "= No more outliers than chance explains" in page.text
    assert "No row is an outlier" in page.text
    few = {name: values[:50] for name, values in reference.items()}
    assert "? Too few reference rows to tell" in Page(html(ts.outliers(few, calm))).text


def test_hostile_names_and_values():
    rng = np.random.default_rng(0)
    names = dict.fromkeys(f"{i} {text}" for i, text in enumerate(TEXTS))
    reference = {name: rng.choice(["a", "b"], 300) for name in names} | {"x": rng.normal(size=300)}
    new = {name: [TEXTS[i % len(TEXTS)] for i in range(400)] for name in names} | {"x": rng.normal(50, 1, 400)}
    text = html(ts.outliers(reference, new, level=0.05))
    assert len(text.encode()) < 2_000_000
    page = Page(text)
    assert {name for name, _ in page.elements} <= ALLOWED
    assert "further rows" in page.text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_file_that_was_read_is_not_replaced(tmp_path, reference):
    import polars as pl

    pl.DataFrame(reference).write_csv(tmp_path / "r.html.csv")
    (tmp_path / "r.html").symlink_to(tmp_path / "r.html.csv")
    found = ts.outliers(str(tmp_path / "r.html.csv"), {"age": [40.0], "city": ["Oslo"]})
    with pytest.raises(ts.OptionError):
        found.report(tmp_path / "r.html")
    found.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
