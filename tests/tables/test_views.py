"""Views of a column: what was planted is different and named, and random halves are left alone."""

import operator
import re

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.embedding import Line
from twosample.summaries import BinGrid, bin_values
from twosample.tables.number_views import Heap, end_views, values
from twosample.tables.sentences import Words

ROWS = 5000


def table(rng, rows=ROWS):
    return {
        "price": rng.lognormal(3, 0.6, rows),
        "age": rng.integers(18, 90, rows),
        "city": rng.choice(["a", "b", "c", "d"], rows),
    }


def planted(what, b):
    few = np.arange(ROWS)
    if what == "units":
        return {**b, "price": np.where(few < 100, 100 * b["price"], b["price"])}
    if what == "sentinel":
        return {**b, "age": np.where(few < 100, -999, b["age"])}
    if what == "stuck":
        return {**b, "age": np.where(few < 125, 47, b["age"])}
    if what == "category":
        return {**b, "city": np.where(few < 150, "new", b["city"])}
    if what == "cut":
        return {**b, "price": np.minimum(b["price"], np.quantile(b["price"], 0.95))}
    return {**b, "age": 5 * np.round(b["age"] / 5).astype(int)}


@pytest.mark.parametrize(
    ("what", "column", "words"),
    [
        ("units", "price", "at least "), ("sentinel", "age", " in none of A and in 2.0 % of B"),
        ("stuck", "age", "47 in 1.3 % of A and in 3.6 % of B"),
        ("category", "city", "'new' in none of A and in 3.0 % of B"), ("cut", "price", " 5."),
        ("rounding", "age", " of A and in all of B"),
    ],
)  # fmt: skip
def test_planted_differences_are_different_and_named(what, column, words):
    rng = np.random.default_rng(0)
    c = ts.compare(table(rng), planted(what, table(rng)))
    found = c.columns[0]
    assert (c.verdict, found.name, found.verdict) == ("different", column, "different")
    assert words in found.view
    assert found.where[0].text == found.view
    assert found.effect_low > 0.05


def test_a_rare_flag_that_became_four_times_as_frequent():
    rng = np.random.default_rng(3)
    c = ts.compare({"flag": rng.random(ROWS) < 0.001}, {"flag": rng.random(ROWS) < 0.004})
    assert c.verdict in ("different", "small difference")


def many_kinds(rng, rows):
    """Ties, gaps, rare levels, dates, texts: columns in which views are discrete."""
    words = np.array(["Öl", "oil", "OIL", "n/a", "salt", "Brot 2", "bread", "a long text with blanks"])
    when = np.datetime64("2024-01-01", "ms") + (rng.integers(0, 400, rows) * 86_400_000).astype("timedelta64[ms]")
    return pl.DataFrame({
        "price": np.round(rng.lognormal(size=rows), 1), "rare": rng.random(rows) < 0.01,
        "kind": rng.choice([f"k{i}" for i in range(40)], rows), "age": rng.integers(0, 9, rows),
        "when": when + (rng.integers(7, 19, rows) * 3_600_000).astype("timedelta64[ms]"),
        "word": [" ".join(rng.choice(words, 3)) for _ in range(rows)],
        "gaps": pl.Series(np.where(rng.random(rows) < 0.03, np.nan, rng.standard_t(2, rows))).fill_nan(None),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("sizes", "draws", "most"),
    [((80, 80), 25, 5), ((40, 600), 20, 4), ((400, 400), 15, 4)]
    + [pytest.param(sizes, 400, 30, marks=pytest.mark.slow) for sizes in ((50, 50), (300, 300), (1500, 200))],
)
def test_alike_tables_of_many_kinds_are_not_different(sizes, draws, most):
    """At a level of 5 %, each of these numbers is exceeded with a chance of at most 1 %."""
    rng = np.random.default_rng([sum(sizes), draws])
    pairs = ([many_kinds(rng, rows) for rows in sizes] for _ in range(draws))
    found = [ts.compare(*pair, rng=i).verdict == "different" for i, pair in enumerate(pairs)]
    assert sum(found) <= most


def test_shares_at_the_margin_are_seldom_called_the_same():
    """From 10 to 13.24 % the effect is 0.05: "same" is wrong, at most in 5 % of the tables."""
    rng, same = np.random.default_rng(8), 0
    for _ in range(60):
        a, b = (np.where(rng.random(1500) < share, "yes", "no") for share in (0.1, 0.1324))
        same += ts.compare({"x": a}, {"x": b}).verdict == "same"
    assert same <= 8  # 1 in 500 at 5 %


def test_a_rare_flag_is_said_in_words():
    rng = np.random.default_rng(3)
    a, b = ({"flag": rng.random(20_000) < share, "x": rng.normal(size=20_000)} for share in (0.001, 0.004))
    c = ts.compare(a, b)
    assert c.verdict == "small difference"  # an effect of 0.03, surely below 0.05
    assert ts.compare(a, b, margin={"flag": 0.02}).verdict == "different"
    assert c["flag"].adjusted_pvalue < 1e-6
    assert c["flag"].where[0].text == "true in 0.095 % of A and in 0.41 % of B"


NUMBERS = {
    "prices": lambda rng, rows: np.round(rng.gamma(2, 10, rows), 2),
    "long decimals": lambda rng, rows: rng.normal(size=rows) * 123_456.789,
    "small": lambda rng, rows: rng.gamma(2, 1e-5, rows).astype(np.float32).astype(np.float64),
    "heavy": lambda rng, rows: rng.standard_cauchy(rows),
    "halves": lambda rng, rows: rng.integers(-40, 400, rows) / 2,
}


@pytest.mark.parametrize("rows", [300, 8000])
@pytest.mark.parametrize("name", NUMBERS)
def test_ends_are_where_the_words_say(name, rows):
    """'at least 27.4 in 1.3 % of A' holds for the number as it is written, not only for one that was rounded to it."""
    rng = np.random.default_rng(0)
    x, y = NUMBERS[name](rng, rows), 1.3 * NUMBERS[name](rng, rows)
    found = list(values(x, y, Words(float(np.ptp(x)), "numeric")))
    ends = [view for view in found if view.family in ("tail", "far", "range")]
    assert len(ends) >= 6
    for view in ends:
        assert (view.a, view.b) == (said(view.text, x).sum(), said(view.text, y).sum()), view.text


def said(text, numbers):
    """For which numbers the words hold: "at least 3 and below 5"."""
    holds = np.ones(len(numbers), dtype=bool)
    for part in text.split(",")[0].split(" and "):
        if " " not in part:  # a single value
            return np.isclose(numbers, float(part), rtol=1e-5)
        word, number = part.rsplit(" ", 1)
        compare = {"at most": np.less_equal, "at least": np.greater_equal, "below": np.less}[word]
        holds &= compare(numbers, float(number))
    return holds


def test_single_values_have_as_many_digits_as_tell_them_apart():
    x = np.repeat([2017.041, 2017.043, 2017.1, 2018.0], [50, 40, 30, 20])
    y = np.repeat([2017.041, 2017.043, 2017.1, 2018.0], [20, 60, 30, 20])
    found = [view.text for view in values(x, y, Words(1.0, "numeric")) if view.family == "value"]
    assert found == ["2017.041", "2017.043", "2017.1", "2018"]


def test_ends_of_bins_are_where_the_words_say():
    """Bins end between values of tables that are read through; "below 18.5" leaves out those that are 18.5."""
    rng = np.random.default_rng(0)
    x, y = (rng.integers(0, 4000, 5000) / 8 for _ in range(2))
    binned = [bin_values(part, BinGrid(-1, 0, 1000)) for part in (x, y)]
    for view in end_views(Heap.of_bins(Line.of_bins(*binned)), Words(500.0, "numeric")):
        here = said(view.text, x).sum(), said(view.text, y).sum()
        assert not view.a + view.b or (view.a, view.b) == here, view.text


def test_shares_are_of_the_rows_with_a_value_and_say_so():
    a = pl.DataFrame({"v": ["yes"] * 300 + ["no"] * 100 + [None] * 400})
    b = pl.DataFrame({"v": ["yes"] * 200 + ["no"] * 300 + [None] * 20})
    first = ts.compare(a, b)["v"].where[0]
    assert first.text in (
        "'no' in 25 % of the values of A and in 60 % of those of B",
        "missing in 50 % of A and in 3.8 % of B",
    )
    place = next(place for place in ts.compare(a, b)["v"].where if place.label == "no")
    assert (place.share_a, place.share_b) == (0.25, 0.6)
    assert place.text == "'no' in 25 % of the values of A and in 60 % of those of B"


def test_times_within_seconds_are_said_to_the_millisecond():
    rng = np.random.default_rng(0)
    start = np.datetime64("2024-05-01T10:20:30", "us")
    x, y = (start + (1e6 * rng.gamma(2, size, 400)).astype("m8[us]") for size in (0.5, 0.8))
    place = next(place for place in ts.compare({"t": x}, {"t": y})["t"].where if place.what.startswith("at"))
    word, moment = place.what[:8], np.datetime64(place.what[-23:].replace(" ", "T"))
    holds = np.greater_equal if word == "at least" else np.less_equal
    assert (place.share_a, place.share_b) == pytest.approx(
        (holds(x, moment).mean(), holds(y, moment).mean()), abs=0.003
    )


def test_ranges_of_many_rows_hold_the_values_at_their_ends():
    """Ratings with one decimal, in bins that round them: those that are 7.4 are "at least 7.4"."""
    rng = np.random.default_rng(0)
    x, y = (np.round(np.clip(rng.normal(mean, 1.5, 25_000), 1, 10), 1) for mean in (6.0, 6.6))
    found = [place for place in ts.compare({"v": x}, {"v": y})["v"].where if {place.low, place.high} != {None}]
    assert found
    for place in found:
        low, high = place.low or -np.inf, place.high or np.inf
        shares = [float(np.mean((part >= low - 1e-9) & (part <= high + 1e-9))) for part in (x, y)]
        assert (place.share_a, place.share_b) == pytest.approx(shares, abs=1e-9), place.text


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (lambda u: 1e6 + 1e-4 * u, float),
        (lambda u: np.floor(2.0**53 + 1e18 * u).astype(np.int64), float),
        (lambda u: np.datetime64("2024-05-05") + np.floor(3.6e6 * u).astype("m8[ms]"), np.datetime64),
        (lambda u: np.datetime64("2024-05-05") + np.floor(3e4 * u).astype("m8[us]"), np.datetime64),
    ],
    ids=["decimals", "beyond 2^53", "milliseconds", "microseconds"],
)
def test_ranges_among_dense_values_have_the_digits_that_tell_their_rows_apart(values, read):
    rng = np.random.default_rng(3)
    x, u = rng.random((2, 2000))
    a, b = (values(part) for part in (x, u[(u < 0.4031) | (u > 0.4533)]))
    found = ts.compare({"t": a}, {"t": b}).columns[0]
    low, word, high = re.match(r"at least (.+) and (at most|below) (.+) in .* in none of B", found.view).groups()
    below = operator.le if word == "at most" else operator.lt
    shares = [float(((part >= read(low)) & below(part, read(high))).mean()) for part in (a, b)]
    assert shares == [found.where[0].share_a, 0.0]
    assert shares[0] > 0.04


def test_shares_of_ranges_are_those_of_finite_values_and_say_so():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=1000), rng.normal(0.5, 1, 900)
    c = ts.compare({"v": x}, {"v": np.append(y, [np.inf] * 100)})
    place = next(place for place in c.columns[0].where if place.low is not None and place.high is not None)
    assert "of the finite values of A and in" in place.text
    assert place.share_b == pytest.approx(float(((y >= place.low) & (y <= place.high)).mean()))


def test_the_largest_doubles_are_multiples_of_any_step():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 400)) * 1e307
    assert "multiple" not in ts.compare({"v": x}, {"v": 1.5 * y}).columns[0].view


def test_ends_of_bins_are_told_by_round_numbers():
    """The last double before an edge is no number that people write."""
    words = Words(100.0, "numeric")
    assert words.most(32.0 - 2.0**-48, 32.0) == "below 32"
    assert words.most(31.2, 32.0) == "at most 31.2"
    assert words.least(32.0, 32.0 - 2.0**-48) == "at least 32"
    assert words.most(2.0**60, 2.0**60 + 256) == "below 1.1529215046068472e+18"
