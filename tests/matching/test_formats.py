"""Money, percentages, yes and no are read as numbers."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.matching.formats import written_numbers, written_truths


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (["$14.00", "$1,250.50", None, "$ 3", "-$2"], [14.0, 1250.5, None, 3.0, -2.0]),
        (["7,20 €", "1.250,00 €", "-3 €", "0,5€"], [7.2, 1250.0, -3.0, 0.5]),
        (["12 %", "3.5%", "0%"], [0.12, 0.035, 0.0]),
        (["1,234", "5,678,901", "12"], [1234.0, 5678901.0, 12.0]),
        (["USD 5", "7.5 eur"], [5.0, 7.5]),
        (["1 234,5", "12\u00a0345,25", "3,1"], [1234.5, 12345.25, 3.1]),
        ([*["£5"] * 39, "unknown"], [*[5.0] * 39, None]),
    ],
)
def test_numbers(text, numbers):
    found = written_numbers(pl.Series("a", text, dtype=pl.String)).to_list()
    assert [value is None for value in found] == [value is None for value in numbers]
    assert [v for v in found if v is not None] == pytest.approx([v for v in numbers if v is not None])


@pytest.mark.parametrize(
    "text",
    [["00123", "00456"], ["12.05.2020", "13.06.2021"], ["310/246-1501"], ["$", ""], ["a", "$5"], [None], [],
     ["1.2.3", "4.5.6"], ["10,20,30"], ["12:30"], ["1e5x"], ["(5)"], ["٣", "٤"]],
    ids=str,
)  # fmt: skip
def test_no_numbers(text):
    assert written_numbers(pl.Series("a", text, dtype=pl.String)) is None


def test_yes_and_no():
    found = written_truths(pl.Series("a", ["Yes", "no", None, " YES "]))
    assert found.to_list() == [1.0, 0.0, None, 1.0]
    assert written_truths(pl.Series("a", ["no", "no"])).to_list() == [0.0, 0.0]
    assert written_truths(pl.Series("a", ["f", "f"])) is None  # a code
    assert written_truths(pl.Series("a", ["f", "t"])).to_list() == [0.0, 1.0]
    assert written_truths(pl.Series("a", ["yes", "maybe"])) is None


def test_partners_in_other_formats():
    rng = np.random.default_rng(0)

    def table(n):
        return rng.gamma(3, 20, n).round(2), rng.beta(2, 8, n).round(3), rng.random(n) < 0.3, rng.random(n) < 0.8

    price, share, member, old = table(400)
    a = {
        "price": [f"${v:,.2f}" for v in price],
        "share": [f"{100 * v:.1f} %" for v in share],
        "member": np.where(member, "yes", "no"),
        "old": np.where(old, "Y", "N"),
    }
    amount, part, joined, aged = table(300)
    b = {
        "alt": aged.astype(int),
        "mitglied": joined.astype(int),
        "anteil": part,
        "preis": [f"{v:.2f} €".replace(".", ",") for v in amount],
    }
    m = ts.match(a, b)
    expected = {"price": "preis", "share": "anteil", "member": "mitglied", "old": "alt"}
    assert {p.source: p.target for p in m.pairs} == expected
    assert not any(p.drifted for p in m.pairs)
    assert ts.match(a, b, kinds={"price": "text"}).candidates("price") == ()  # what the user says counts
