"""Views of how texts are written, and of clocks: their counts against counting by hand, and what they find."""

from datetime import datetime, timedelta

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.summaries import SingleValues
from twosample.tables.clocks import clock_views
from twosample.tables.spelling import Spelling

X = ["Oslo", "oslo", "Bergen ", "N/A", "Bergen", "Tromsø", "", "Oslo"]
Y = ["OSLO", "TromsÃ¸", "Bergen", "Ås", "Bergen", "zone 9", "B?rgen", "-"]


def counted(text):
    views = Spelling.of(pl.Series(X), pl.Series(Y)).views(single=True)
    return next((view.a, view.b) for view in views if view.text == text)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("empty", (1, 0)), ("written with blanks at an end", (1, 0)), ("written with digits", (0, 1)),
        ("written with letters beyond ASCII", (1, 2)), ("written in capitals", (1, 1)),
        ("written without capitals", (1, 1)), ("written with 'Ã'", (0, 1)), ("written with '?'", (0, 1)),
        ("a word for nothing, such as n/a", (1, 1)), ("written with damaged letters", (0, 2)),
        ("another spelling of a value, but for case, blanks and marks", (2, 2)), ("'Oslo'", (2, 0)),
        ("a text that occurs once", (5, 6)),
    ],
)  # fmt: skip
def test_counts_are_those_by_hand(text, counts):
    assert counted(text) == counts


@pytest.mark.parametrize("read_as", ["latin-1", "cp1252"])
def test_letters_are_damaged_where_utf8_was_read_as_something_else(read_as):
    words = ["Białystok", "Mayagüez", "Château", "Čapek", "Ærø", "Łódź", "Škoda", "Þór", "naïve"]
    damaged = [word.encode().decode(read_as, errors="replace") for word in words]
    found = {view.text: view for view in Spelling.of(pl.Series(words), pl.Series(damaged)).views(single=False)}
    view = found["written with damaged letters"]
    assert (view.a, view.b) == (0, len(words))


def test_the_rarest_values_together():
    x, y = ["a"] * 70 + ["b"] * 20 + ["c"] * 5 + ["d"], ["a"] * 80 + ["b"] * 18 + ["d", "e", "e"]
    views = Spelling.of(pl.Series(x), pl.Series(y)).views(single=True)
    rare = [(view.text, view.a, view.b) for view in views if "rows of both" in view.text]
    assert rare == [("a value that at most 5 rows of both tables have", 6, 3)]  # 4.6 %: c, d and e


def test_labels_that_are_misspelled_in_many_ways_are_found():
    rng = np.random.default_rng(5)
    names = np.array([f"place {i:03}" for i in range(200)])
    a, b = (names[(200 * rng.random(4000) ** 3).astype(int)] for _ in "ab")
    wrong = [name[:-2] + name[-1] + name[-2] + "x" if rng.random() < 0.03 else name for name in b.tolist()]
    c = ts.compare({"at": a.tolist()}, {"at": wrong}, kinds={"at": "categorical"})
    assert (c.verdict, c["at"].verdict) == ("different", "different")


def test_views_look_at_the_pool_alone():
    one, two = (list(Spelling.of(pl.Series(a), pl.Series(b)).views(single=True)) for a, b in ((X, Y), (Y, X)))
    assert {(v.text, v.a, v.b) for v in one} == {(v.text, v.b, v.a) for v in two}


def names(rng, rows):
    parts = ["ka", "lø", "mi", "né", "ro", "sü", "ta", "vi", "wo", "zå"]
    return ["".join(rng.choice(parts, rng.integers(2, 5))).capitalize() for _ in range(rows)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda name: name.encode().decode("latin-1"), "written with "),
        (lambda name: name.encode("ascii", "replace").decode(), "written with "),
        (lambda name: name[:5], "letters long"),
        (lambda name: name.upper() if name < "L" else name, "written in capitals"),
        (lambda name: name + " " if name < "L" else name, "written with blanks at an end"),
    ],
)
def test_damaged_texts_are_different_and_said(change, words):
    rng = np.random.default_rng(1)
    a, b = names(rng, 1500), names(rng, 1500)
    c = ts.compare({"name": a}, {"name": [change(name) for name in b]}, kinds={"name": "text"})
    assert c.verdict == "different"
    assert any(words in place.text for place in c["name"].where)


def test_clocks_by_hand():
    start = datetime(2024, 1, 1)  # a Monday
    x = np.array([(start + timedelta(hours=h) - datetime(1970, 1, 1)).total_seconds() for h in (0, 1, 25, 49)])
    y = np.array([(start + timedelta(days=d, hours=5) - datetime(1970, 1, 1)).total_seconds() for d in (0, 6, 366)])
    both = [SingleValues.of(part, dates=True) for part in (x, y)]
    found = {view.text: (view.a, view.b) for view in clock_views(*both)}
    assert found["between 1:00 and 1:59"] == (3, 0)
    assert found["between 5:00 and 5:59"] == (0, 3)
    assert (found["a Monday"], found["a Tuesday"], found["a Sunday"]) == ((2, 1), (1, 0), (0, 1))
    assert found["in 2024"] == (4, 2)
    assert found["on day 1 of a month"] == (2, 2)  # day 366 of 2024 is 31 December, and one later the first of 2025
    assert found["on day 7 of a month"] == (0, 1)
    old = [SingleValues.of(part - 80 * 366 * 86_400.0, dates=True) for part in (x, y)]
    assert sum(view.family == "calendar" for view in clock_views(*old)) > 2  # before 1970 there were months, too
    for view in clock_views(*both):
        assert (int(view.holds(x).sum()), int(view.holds(y).sum())) == (view.a, view.b)


def test_a_shifted_clock_names_the_hour():
    rng = np.random.default_rng(2)
    start = datetime(2024, 1, 1)
    when = [
        [start + timedelta(days=int(rng.integers(300)), hours=int(rng.integers(7, 19))) for _ in range(1500)]
        for _ in range(2)
    ]
    c = ts.compare({"when": when[0]}, {"when": [moment + timedelta(hours=1) for moment in when[1]]})
    assert (c.verdict, c["when"].verdict) == ("different", "different")
    assert "between 7:00 and 7:59 in none of B" in c["when"].where[0].text or "19:00" in c["when"].where[0].text


def test_shares_of_sampled_texts_are_called_so():
    """'In none of A' would not be true of all rows."""
    rng = np.random.default_rng(0)
    a, b = ({"t": [f"k{i}" for i in rng.zipf(power, 60_000) % 50_000]} for power in (1.1, 1.2))
    column = ts.compare(a, b)["t"]
    assert (column.kind, column.rows_a) == ("text", 5000)
    assert all(
        place.text.endswith("of those of B") and "of the sampled texts of A" in place.text for place in column.where
    )
    assert "of the sampled texts of A" in column.view
    few = ts.compare({"t": a["t"][:3000]}, {"t": b["t"][:3000]})["t"]
    assert all("sampled" not in place.text for place in few.where)
