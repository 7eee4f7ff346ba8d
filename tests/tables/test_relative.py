"""compare_relative: the test of arrays on the coordinates of mixed columns; what is left out, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest

import twosample as ts
from tests.level.measure import limits


def shop(rng, mean=0.0, share=0.5, rows=300):
    return pl.DataFrame({
        "number": 10**6 + rng.permutation(rows), "price": rng.normal(mean, size=rows),
        "kind": np.where(rng.random(rows) < share, "A", "B"),
        "seen": np.where(rng.random(rows) < 0.1, None, rng.poisson(3, rows)).tolist(),
        "note": ["".join(rng.choice(list("abcd  "), 30)) for _ in range(rows)],
    })  # fmt: skip


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    return shop(rng, 0.1), shop(rng, 0.9, 0.7), shop(rng)


def test_which_is_closer_and_by_which_columns(three):
    c = ts.compare_relative(*three)
    assert (c.closer, c.columns[0].name, c.columns[0].closer) == ("a", "price", "a")
    assert c.headline == "A is closer to the reference than B."  # frames have no names
    assert {column.name for column in c.columns} == {"price", "kind", "seen", "note"}
    assert "number left out: identifier" in c.notes
    turned = ts.compare_relative(three[1], three[0], three[2])
    assert turned.closer == "b"
    assert turned.pvalue == pytest.approx(c.pvalue)


def test_numbers_in_their_own_units_give_the_test_of_arrays(three):
    """One column of numbers: units do not matter at the median distance, so that both doors say the same."""
    columns = [frame.select("price") for frame in three]
    c = ts.compare_relative(*columns)
    r = ts.relative_test(*(frame["price"].to_numpy() for frame in columns))
    assert c.pvalue == pytest.approx(r.pvalue, rel=1e-9)
    assert c.columns[0].mmd2_b == pytest.approx(r.mmd2_y, rel=1e-9)
    scaled = [frame * 1000 for frame in columns]
    assert ts.compare_relative(*scaled).pvalue == pytest.approx(r.pvalue, rel=1e-6)


def test_categories_are_one_unit_apart(three):
    """Of two categories, by the definition of the kernel on them."""
    kinds = [frame.select("kind") for frame in three]
    c = ts.compare_relative(*kinds)
    p, _, q = (float((frame["kind"] == "A").mean()) for frame in kinds)
    biased = 2 * (p - q) ** 2 * (1 - np.exp(-0.5))  # a Gaussian kernel at the median distance, 1 apart
    assert c.columns[0].mmd2_a == pytest.approx(biased - 2 * 0.25 * 2 * (1 - np.exp(-0.5)) / 299, abs=2e-4)


def test_columns_that_cannot_be_compared_are_named(three):
    a, b, reference = three
    c = ts.compare_relative(a.drop("seen"), b, reference.with_columns(price=pl.lit(np.inf)))
    assert {"seen left out: not in every table", "price left out: infinite values"} < set(c.notes)
    c = ts.compare_relative(a, b, reference.with_columns(price=pl.lit(-1e305)))
    assert "price left out: numbers beyond 1e+300" in c.notes
    c = ts.compare_relative(*three, select=["price"], kinds={"price": "numeric"})
    assert [column.name for column in c.columns] == ["price"]


def test_numbers_against_text_are_told(three):
    a, b, reference = three
    c = ts.compare_relative(a, b, reference.with_columns(price=reference["kind"]))
    assert any(note.startswith("price holds numbers in some tables and others not: compared as ") for note in c.notes)
    assert not any("holds numbers" in note for note in ts.compare_relative(*three).notes)


def test_numbers_that_tell_rows_apart_are_numbers(three):
    """So are those of one value; a column without any is neither."""
    rows = len(three[0])
    held = [pl.Series(range(rows)), pl.Series([1.0] * rows), pl.Series([0.5, *range(1, rows)])]
    assert not any("holds" in part for part in ts.compare_relative(*_with(three, held)).notes)
    held[0] = pl.Series([None] * rows, dtype=pl.String)
    assert not any("holds" in part for part in ts.compare_relative(*_with(three, held)).notes)
    held[0], held[1] = pl.Series(range(rows)), pl.Series(["none"] * rows)
    assert any(part.startswith("k holds numbers in") for part in ts.compare_relative(*_with(three, held)).notes)


def _with(tables, columns):
    return [one.with_columns(column.alias("k")) for one, column in zip(tables, columns, strict=True)]


def test_rows_of_the_reference_in_a_table_are_told(three):
    a, b, reference = three
    c = ts.compare_relative(pl.concat([a, reference[:150]]), b, reference)
    assert any(note.startswith("33% of the rows of A are in the reference too") for note in c.notes)


def test_samples_and_what_was_looked_at(three):
    c = ts.compare_relative(*three, sample=100, rng=1)
    assert (c.rows, c.looked_at) == ((300, 300, 300), (100, 100, 100))
    assert c.pvalue == ts.compare_relative(*three, sample=100, rng=1).pvalue
    assert c.pvalue != ts.compare_relative(*three, sample=100, rng=2).pvalue
    assert ts.compare_relative(*three, sample=None).looked_at == (300, 300, 300)


def test_words_and_plain_values(three):
    c = ts.compare_relative(*three)
    text = str(c)
    assert text.startswith("A is closer to the reference than B.")
    assert "B to reference MMD² = " in text
    assert "price" in text
    known = json.loads(c.to_json())
    assert (known["schema"], known["closer"], known["a"]["rows"]) == (1, "a", 300)
    assert known["columns"][0]["name"] == "price"
    assert "<b>" in c._repr_html_()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"select": ["nothing"]}, "select: no table has a column 'nothing'"),
        ({"kinds": {"nothing": "numeric"}}, "kinds: no table has a column 'nothing'"),
        ({"select": ["number"]}, "No column can be compared: number left out: identifier"),
        ({"where": "price > 100"}, "a: .* has 0 rows"),
        ({"sample": 2}, "sample=2 must be a whole number of at least 3"),
        ({"level": 2}, "level=2"),
    ],
)
def test_what_is_refused(three, options, said):
    with pytest.raises((ts.InputError, ts.OptionError), match=said):
        ts.compare_relative(*three, **options)


def test_no_column_in_common(three):
    with pytest.raises(ts.InputError, match="no column in common"):
        ts.compare_relative({"x": [1.0, 2.0, 3.0]}, three[1], three[2])


def far(rng, rows=80):
    """Both tables equally far from the reference, in opposite directions."""
    return [
        {"v": rng.normal(s, size=rows), "w": rng.normal(size=rows), "c": rng.choice(list("AB"), rows)}
        for s in (-1, 1, 0)
    ]


@pytest.mark.parametrize("runs", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_level(runs):
    found = [ts.compare_relative(*far(np.random.default_rng([3, i])), rng=i) for i in range(runs)]
    assert np.mean([c.closer is not None for c in found]) <= limits(0.05, runs, 0.999)[1]
    assert np.mean([any(one.closer for one in c.columns) for c in found]) <= limits(0.05, runs, 0.999)[1]
