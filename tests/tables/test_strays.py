"""Words among numbers that are stored as text: both parts are seen, and one p-value is for both."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import twosample as ts


def prices(rng, rows, shift=0.0, share=0.1, words=("unknown",)):
    """Text of which a tenth are words."""
    found = np.round(rng.normal(50 + 10 * shift, 10, rows), 1).astype(str).astype(object)
    gone = rng.random(rows) < share
    found[gone] = rng.choice(words, int(gone.sum()))
    return {"price": found.tolist()}


def test_a_shift_of_the_numbers_is_seen():
    rng = np.random.default_rng(0)
    c = ts.compare(prices(rng, 2000), prices(rng, 2000, 0.2))
    column = c["price"]
    assert (column.kind, column.verdict, column.missing) == ("numeric", "different", None)
    assert column.pvalue < 0.01
    assert "of the numbers of A and in" in column.where[0].text
    assert any("with words among them" in note for note in c.notes)
    assert not c.schema.changed


@pytest.mark.parametrize("stored", ["text", "numbers"])
def test_the_words_are_named(stored, tmp_path):
    rng = np.random.default_rng(1)
    a, b = prices(rng, 2000, share=0.1 if stored == "text" else 0), prices(rng, 2000, words=["n.a.", "none", "zero"])
    if stored == "numbers":
        a = {"price": [float(value) for value in a["price"]]}
    c = ts.compare(a, b)
    said = [place.text for place in c["price"].where]
    assert c["price"].missing is None
    assert any(text.startswith(("'unknown' in 1", "a word in none of A and in 10 % of B")) for text in said)
    assert c["price"].adjusted_pvalue < 1e-20
    c.report(tmp_path / "page.html")


def test_few_strays_are_named_too():
    rng = np.random.default_rng(2)
    a = {"qty": rng.integers(0, 500, 4000)}
    b = {"qty": [str(value) for value in rng.integers(0, 500, 4000)]}
    b["qty"][::160] = ["unknown"] * 25
    assert ts.compare(a, b)["qty"].where[0].text == "'unknown' in none of A and in 0.62 % of B"


def test_missing_values_are_missing_and_words_are_not():
    rng = np.random.default_rng(3)
    a, b = prices(rng, 1500), prices(rng, 1500)
    b["price"][:300] = [None] * 300
    column = ts.compare(a, b)["price"]
    assert (column.missing.missing_a, column.missing.missing_b) == (0, 300)
    assert (column.a.missing, column.b.missing) == (0, 300)
    assert column.values_verdict != "different"


def test_files_and_tables_beyond_the_sample_give_the_same(tmp_path):
    rng = np.random.default_rng(4)
    a, b = (pl.DataFrame(prices(rng, 3000, shift)) for shift in (0, 0.2))
    for frame, name in ((a, "a"), (b, "b")):
        frame.write_csv(tmp_path / f"{name}.csv")
    whole, files = ts.compare(a, b), ts.compare(tmp_path / "a.csv", tmp_path / "b.csv")
    assert whole["price"].pvalue == files["price"].pvalue
    sampled = ts.compare(a, b, sample=1000)
    assert sampled["price"].verdict == "different"
    assert sampled["price"].missing is None


def test_summaries_have_the_numbers_among_words():
    rng = np.random.default_rng(6)
    a, b = (pl.DataFrame(prices(rng, 3000, shift)) for shift in (0, 0.2))
    reference = ts.summarize(a, rows=1000)
    for today in (b, ts.summarize(b, rows=1000), ts.summarize(b, like=reference)):
        c = ts.compare(reference, today)
        assert (c["price"].kind, c["price"].verdict) == ("numeric", "different")
        assert c["price"].effect == pytest.approx(ts.compare(a, b)["price"].effect, rel=0.02)
    assert ts.compare(reference, a)["price"].verdict != "different"


def test_summaries_without_these_numbers_are_compared_as_text():
    """Those that were made before bins had them."""
    rng = np.random.default_rng(7)
    a, b = (pl.DataFrame(prices(rng, 3000, 0.0)) for _ in range(2))
    made = ts.summarize(a, rows=1000)
    gone = dict.fromkeys(("bins", "dates", "singles", "date_singles", "totals"))
    columns = tuple(replace(column, **gone) if column.info.name == "price" else column for column in made.columns)
    old = ts.TableSummary.from_bytes(replace(made, columns=columns, sums=None).to_bytes())
    c = ts.compare(old, b)
    assert (c["price"].kind, c.verdict == "different") == ("text", False)


def test_few_numbers_with_words_stay_categories():
    rng = np.random.default_rng(5)
    a, b = ({"size": rng.choice(["36", "38", "40", "S", "M"], 500).tolist()} for _ in range(2))
    assert ts.compare(a, b)["size"].kind == "categorical"


def test_what_the_user_says_counts():
    rng = np.random.default_rng(6)
    assert ts.compare(prices(rng, 500), prices(rng, 500), kinds={"price": "text"})["price"].kind == "text"


def test_the_level_holds():
    """Rows are exchangeable, whatever is word or number: at level 0.05, 22 of 200 has a chance of 0.0004."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a, b = (prices(rng, rows, words=["unknown", "n/a ", "?"]) for rows in (120, 60))
        found += ts.compare(a, b).verdict == "different"
    assert found < 22
