"""The columns behind a difference that all columns show together are named, and only those."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.tables.pair_pictures import pair_picture


def tables(seed, rows=800):
    """Four dependent columns, four that go with nothing, in two halves."""
    rng = np.random.default_rng(seed)
    base = rng.normal(size=2 * rows)
    columns = {
        "area": base, "rent": base + 0.5 * rng.normal(size=2 * rows), "rooms": np.round(3 + base).clip(1),
        "garden": np.where(base + rng.normal(size=2 * rows) > 0.5, "yes", "no"),
    }  # fmt: skip
    columns |= {f"x{i}": rng.normal(size=2 * rows) for i in range(4)}
    halves = [{name: values[part] for name, values in columns.items()} for part in (slice(0, rows), slice(rows, None))]
    return halves[0], halves[1], rng


@pytest.mark.parametrize("name", ["area", "rent", "garden"])
def test_a_shuffled_column_is_named_first(name):
    a, b, rng = tables(3)
    b[name] = rng.permutation(b[name])
    c = ts.compare(a, b)
    found = [finding for finding in c.findings if finding.what == "together"]
    assert (c.verdict, found[0].column, found[0].columns[0]) == ("different", name, name)
    assert set(found[0].columns) <= {"area", "rent", "rooms", "garden"}
    assert "go otherwise with" in found[0].detail
    assert c.columns[0].name == name
    assert f"most: {name} with " in c.headline
    assert c.to_dict()["findings"][0]["columns"] == list(found[0].columns)


def test_a_pair_has_a_picture_of_both_tables():
    a, b, rng = tables(3)
    b["rent"] = rng.permutation(b["rent"])
    c = ts.compare(a, b)
    found = next(finding for finding in c.findings if finding.what == "together")
    picture = found.picture
    assert picture.columns == found.columns[:2]
    assert picture.columns[0] == "rent"
    assert len(picture.pieces[0]) == 6
    one, two = (np.array(shares) for shares in (picture.shares_a, picture.shares_b))
    assert one.shape == two.shape == tuple(len(pieces) for pieces in picture.pieces[::-1])
    assert one.sum() == pytest.approx(1, abs=1e-4)
    apart = [np.abs(part - np.outer(part.sum(axis=1), part.sum(axis=0))).sum() for part in (one, two)]
    assert apart[0] > 0.5 > 3 * apart[1]  # in B they go with each other no more
    assert c.to_dict()["findings"][0]["picture"]["columns"] == list(picture.columns)


def test_pieces_of_a_picture_are_values_ranges_and_gaps():
    rng = np.random.default_rng(0)
    frames = tuple(
        pl.DataFrame(
            {
                "n": rng.integers(0, 4, 50), "x": rng.normal(size=50), "t": ["word " * i for i in range(50)],
                "c": [None, *(f"level {i}" for i in rng.integers(0, 9, 49))],
            }
        )
        for _ in "ab"
    )  # fmt: skip
    kinds = {"n": "integer", "x": "numeric", "t": "text", "c": "categorical"}
    first = pair_picture(frames, kinds, ("n", "c"))
    assert first.pieces[0] == ("0", "1", "2", "3")
    assert first.pieces[1][-2:] == ("all others", "missing")
    assert sum(first.shares_b[-1]) == pytest.approx(1 / 50)
    second = pair_picture(frames, kinds, ("t", "x"))
    assert second.pieces[0][0].endswith("letters")
    assert second.pieces[1][-1].startswith("above ")
    assert np.sum(second.shares_a) == pytest.approx(1, abs=1e-4)


def test_a_pair_that_was_independent_is_named():
    a, b, _ = tables(4)
    b["x1"] = 0.6 * b["x2"] + 0.8 * b["x1"]
    found = [finding for finding in ts.compare(a, b).findings if finding.what == "together"]
    assert [set(finding.columns) for finding in found] == [{"x1", "x2"}]


def test_a_column_that_differs_by_itself_is_not_named_again():
    a, b, _ = tables(5)
    c = ts.compare(a, b | {"rent": 3 * b["rent"]})
    assert c["rent"].verdict == "different"
    assert not [finding for finding in c.findings if "rent" in finding.columns]


def test_a_pair_is_in_the_headline_beside_a_column_that_differs_by_itself():
    a, b, rng = tables(7)
    b |= {"x0": b["x0"] + 1, "rent": rng.permutation(b["rent"])}
    assert ts.compare(a, b).headline.startswith("Different: 1 of 8 columns; most: x0. Together: rent with ")


def test_repeated_rows_are_said_in_words():
    a, b, _ = tables(6)
    again = {name: np.concatenate([values[:720], values[:80]]) for name, values in b.items()}
    c = ts.compare(a, again)
    assert [finding.detail for finding in c.findings if finding.what == "repeated"] == [
        "none of the rows of A and 20 % of the rows of B occur more than once"
    ]
    assert "occur more than once" in c.headline


def test_alike_tables_name_nothing():
    named = 0
    for seed in range(20):
        a, b, _ = tables(100 + seed, 120)
        named += any(finding.what in ("together", "repeated") for finding in ts.compare(a, b).findings)
    assert named <= 3  # 2.5 % of 20 is a half: more than 3 has a chance of 0.2 %


def test_repeated_rows_do_not_hide_what_else_changed():
    a, b, rng = tables(7)
    b["rent"] = rng.permutation(b["rent"])
    again = {name: np.concatenate([values[:760], values[:40]]) for name, values in b.items()}
    c = ts.compare(a, again)
    assert not any(column.verdict == "different" for column in c.columns)
    assert [(finding.what, finding.column) for finding in c.findings] == [("repeated", None), ("together", "rent")]


def test_the_pair_is_drawn_as_it_is_in_both_tables():
    a, b, rng = tables(11)
    c = ts.compare(a, {**b, "area": rng.permutation(b["area"])})
    picture = next(part.picture for part in c.findings if part.picture is not None)
    ax = c.plot_pair()
    cells = ax.collections[0].get_array().reshape(len(picture.pieces[1]), -1)
    a_and_b = zip(picture.shares_a, picture.shares_b, strict=True)
    shown = np.array([np.concatenate([one, [np.nan], two]) for one, two in a_and_b])
    assert np.ma.filled(cells, np.nan) == pytest.approx(np.sqrt(shown / np.nanmax(shown)), nan_ok=True)
    assert f"{100 * picture.shares_a[0][0]:.1f}" in [text.get_text() for text in ax.texts]
    assert c.plot_pair(0, ax) is ax
    with pytest.raises(ts.OptionError, match="pair=7: the comparison found"):
        c.plot_pair(7)
