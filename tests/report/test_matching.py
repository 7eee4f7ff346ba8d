"""The page of a matching."""

from itertools import pairwise

import numpy as np
import pytest

from tests.report.synthetic import HOSTILE
from tests.report.test_page import ALLOWED, Page
from twosample.errors import OptionError
from twosample.matching.columns import Column, TableSample
from twosample.matching.results import Matching, Pair, Unmatched
from twosample.report import html, junit, markdown


def matching(columns=("age", "city", "note"), level=0.05, n=400, **changes):
    rng = np.random.default_rng(0)
    k = len(columns)

    def side(shift):
        parts = []
        for index, name in enumerate(columns):
            if index % 3 == 0:
                values = np.append(rng.normal(shift, 1, n - 1), np.nan)
                parts.append(Column.of_numbers(name, "numeric", "number", values))
            elif index % 3 == 1:
                words = tuple(rng.choice(["Oslo", "Rome", HOSTILE[0]], n))
                parts.append(Column.of_words(name, "categorical", "category", words))
            else:
                words = tuple(" ".join(rng.choice(["late", "good", "bad"], 2)) for _ in range(n))
                parts.append(Column.of_words(name, "text", "text", words))
        return TableSample("side", tuple(parts), n, False)

    mmd = 0.5 + rng.uniform(size=(k, k))
    np.fill_diagonal(mmd, 0.02)
    mmd[:1, -1:] = np.inf
    maps = [(1.5, 2.0), *[None] * (k - 1)]
    fields = {
        "pairs": tuple(
            Pair(name, name, "numeric", 0.93, False, 0.02, 0.4, 1.0, 0.3, 0.01, 0.0, map_, "because")
            for name, map_ in zip(columns, maps, strict=False)
        ),
        "unmatched_source": (Unmatched("extra", "nothing is like it", "age", 1e-9),),
        "unmatched_target": (),
        "sources": tuple(columns), "targets": tuple(columns), "confidence": np.eye(k), "costs": mmd**2, "mmd": mmd,
        "pvalues": np.full_like(mmd, np.nan),
        "distance": 0.25, "related": 0.9, "level": level,
        "names": ("a.csv", "b.csv"), "rows": (n, n), "notes": ("a note",),
        "sides": (side(0.0), side(1.0)),
    }  # fmt: skip
    return Matching(**{**fields, **changes})


def test_the_page_says_everything():
    page = Page(html(matching()))
    for words in (
        "◐ Partly matched", "1 without a partner", "a.csv", "b.csv", "age", "0.020", "0.300", "because",
        "B = 1.5 + 2 · A", "Columns of A", "nothing is like it", "●", "·",
        "0.25: the least sum", "a note", "Gretton", "Half of A lies between",
    ):  # fmt: skip
        assert words in page.text, words
    levels = [int(name[1]) for name, _ in page.elements if name in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.all("a")} <= set(ids)


def test_outcomes():
    assert "✓ All matched" in Page(html(matching(unmatched_source=()))).text
    nothing = Page(html(matching(pairs=(), level=None)))
    assert "≠ Nothing matches" in nothing.text
    assert "No column of A has a partner" in nothing.text
    assert "tests part no pairs" in nothing.text
    empty = matching((), pairs=(), mmd=np.empty((0, 0)), costs=np.empty((0, 0)), sides=None)
    assert "All distances" not in Page(html(empty)).text
    assert "figure" not in [name for name, _ in Page(html(matching(sides=None))).elements]


def test_hostile_names_and_size():
    names = tuple(dict.fromkeys((text + str(i) if i else "") for i, text in enumerate(HOSTILE * 40)))
    everything = " ".join(HOSTILE[:7])
    result = matching(
        names, n=20, names=(everything, HOSTILE[7]), notes=tuple(HOSTILE),
        unmatched_source=tuple(Unmatched(text, text, text) for text in HOSTILE * 50),
    )  # fmt: skip
    text = html(result)
    assert len(text.encode()) < 2_000_000
    page = Page(text)
    assert {name for name, _ in page.elements} <= ALLOWED
    assert "Only the first columns are shown" in page.text
    assert "further pairs" in page.text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_other_forms():
    text = markdown(matching([HOSTILE[0], "age"]))
    assert "<script" not in text
    assert "| `age` | `age` | 0.93 | no |" in text
    assert "column of A without a partner: `extra`" in text
    with pytest.raises(OptionError, match=r"pass what ts\.compare or ts\.compare_many returned"):
        junit(matching())
    with pytest.raises(OptionError, match=r"pass what ts\.compare, ts\.compare_many"):
        markdown(3)
