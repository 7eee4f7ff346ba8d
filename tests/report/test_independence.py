"""The page of dependent columns."""

from itertools import pairwise

import numpy as np
import pytest

import twosample as ts
from tests.report.synthetic import HOSTILE
from tests.report.test_page import ALLOWED, Page
from twosample.report import html


def table(rows=400):
    rng = np.random.default_rng(0)
    temp = rng.normal(size=rows)
    zone = np.where(temp > 0, "warm", "cold")
    return {"temp": temp, "power": temp**2 + 0.3 * rng.normal(size=rows), "zone": zone, "noise": rng.normal(size=rows)}


def check(page):
    levels = [int(name[1]) for name, _ in page.elements if name in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.all("a")} <= set(ids)


def test_the_page_of_all_pairs():
    m = ts.independence_matrix(table())
    page = Page(html(m))
    assert len(m.dependent) == 2
    for words in (
        "≠ Dependent", "2 of 6 pairs of columns depend", "temp", "noise", m.pairs[0].words, "strong", "●",
        "no dependence found", "Holm", "25 % and more is strong",
    ):  # fmt: skip
        assert words in page.text, words
    check(page)


def test_the_page_of_one_test():
    r = ts.independence_test(table(), x=["temp", "noise"], y=["zone"], rng=0)
    page = Page(html(r))
    for words in ("≠ Dependent", r.strength, "HSIC_u", "Permutation("):
        assert words in page.text, words
    check(page)
    r = ts.independence_test(table(), x=["noise"], y=["zone"], rng=0)
    assert "? No dependence found" in Page(html(r)).text
    with pytest.raises(ts.OptionError, match="independence_test returned"):
        html(ts.hsic_test(np.arange(20.0), np.arange(20.0), rng=0))


def test_hostile_names_and_size(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"{text.encode(errors='ignore').decode()} {i}" for i, text in enumerate(HOSTILE * 3)]
    m = ts.independence_matrix({name: rng.normal(size=60) for name in names})
    text = html(m)
    assert len(text.encode()) < 2_000_000
    page = Page(text)
    assert {name for name, _ in page.elements} <= ALLOWED | {"script", "button", "input", "label"}
    assert "Not all columns are shown" in page.text
    assert "further pairs" in page.text
    assert "\x1b" not in text
    assert "\u202e" not in text
    m.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == text
