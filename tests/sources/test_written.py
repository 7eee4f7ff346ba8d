"""Money, percentages, decimal commas, yes and no in other spellings: one place for compare and match."""

import numpy as np
import polars as pl
import pytest

import twosample as ts
from twosample.sources import infer_kinds, open_table
from twosample.sources.values import as_truths, spelled, truths


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("102,15", 102.15), ("0,125", 0.125), ("-0,5", -0.5), ("1234,567", 1234.567), ("1.234,50", 1234.5),
        ("1 234,5", 1234.5), ("12\u00a0345,25", 12345.25), ("5,678,901", 5678901.0), ("1,234.50", 1234.5),
        ("USD 5", 5.0), ("7.5 eur", 7.5), ("12,5 %", 0.125), ("0,500 €", 0.5), ("1,250 €", 1250.0),
        ("1,234", 1234.0), ("00,5", None), ("10,20,30", None), ("1.2.3", None), ("12.05.2020", None), ("12:30", None),
        ("310/246-1501", None), ("212 555 123", None), ("1e5x", None), ("(5)", None), ("٣", None), ("5 usdx", None),
    ],
)  # fmt: skip
def test_numbers_that_people_write(text, number):
    assert spelled(pl.Series([text, "x"]))[0].to_list() == [number, None]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("9:05:00", 32700.0), ("0:15", 900.0), ("123:00:30", 442830.0), ("-1:30", -5400.0), ("00:00:01.25", 1.25),
        ("0 days 00:15:00", 900.0), ("1 day, 0:00:01", 86401.0), ("-1 days +23:45:00", -900.0), ("2 days", 172800.0),
        ("-1 day, 23:59:59.5", -0.5), ("1 days 02:00:00.000001", 93600.000001), ("PT15M", 900.0), ("P1DT2H", 93600.0),
        ("-PT1.5S", -1.5), ("PT-15M", -900.0), ("P2W", 1209600.0), ("P1M", None), ("P", None), ("PT", None),
        ("9:5", None), ("9:65", None), ("1:2:3:4", None), ("12:34:56:78", None), ("5 days ago", None), ("days", None),
        ("1970-01-02", 86400.0), ("1970-01-01T01:00:00+01:00", 0.0), ("1970-01-01 00:00:00-02", 7200.0),
        ("02.01.1970", 86400.0), ("2.1.1970 00:01", 86460.0), ("1970/01/02", 86400.0), ("1970/1/2 12:00 PM", 129600.0),
        ("1970-01-02 01:00:00 AM", 90000.0), ("31.02.1970", None), ("1.2.3", None), ("1/2/1970", None), ("1/2", None),
    ],
)  # fmt: skip
def test_times_that_people_write(text, seconds):
    assert spelled(pl.Series([text, "x", None]))[1].to_list() == [seconds, None, None]


def trips(more=0, n=2000, seed=0):
    return np.random.default_rng(seed).integers(0, 9000, n) + more


def clock(seconds):
    return [f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" for s in seconds.tolist()]


SPANS = {
    "clock": clock,
    "pandas": lambda seconds: [f"0 days 0{text}" for text in clock(seconds)],
    "iso": lambda seconds: [f"PT{s // 60}M{s % 60}S" for s in seconds.tolist()],
}


@pytest.mark.parametrize("form", SPANS)
def test_durations_that_are_text_are_durations(form):
    a, b = trips(), trips(600, seed=1)
    plain = ts.compare(*({"d": (part * 1_000_000).astype("timedelta64[us]")} for part in (a, b)))["d"]
    for sides in [(SPANS[form](a), SPANS[form](b)), (SPANS[form](a), clock(b))]:
        for kinds in (None, {"d": "duration"}):
            found = ts.compare(*({"d": side} for side in sides), kinds=kinds)
            assert (found["d"].kind, found["d"].pvalue) == ("duration", pytest.approx(plain.pvalue, rel=1e-9))
            assert found["d"].where[0].text == plain.where[0].text
            assert found.schema.changed == {}


def test_summaries_of_them_are_merged_in_any_order():
    a, b = pl.DataFrame({"d": clock(trips())}), pl.DataFrame({"d": clock(trips(600, seed=1))})
    parts = [ts.summarize(a[at : at + 500]) for at in range(0, 2000, 500)]
    merged = [order[0].merge(*order[1:]) for order in (parts, parts[::-1])]
    plain = ts.compare(a, b)["d"]
    for one in merged:
        found = ts.compare(one, b)["d"]
        assert (found.kind, found.pvalue) == ("duration", pytest.approx(plain.pvalue, rel=1e-6))


def test_summaries_made_before_durations_were_read_are_compared_as_text(monkeypatch):
    from twosample.sources import values

    a, b = {"d": clock(trips())}, {"d": clock(trips(seed=1))}
    with monkeypatch.context() as before:
        before.setattr(values, "durations", lambda text: pl.Series("v", [None] * len(text), dtype=pl.Float64))
        old = ts.summarize(a, rows=500)
    found = ts.compare(old, b)
    assert found["d"].kind in ("text", "categorical")
    assert found.schema.changed == {}


def test_times_that_were_written_otherwise_are_not_left_out_in_silence():
    seconds = trips()
    numbers = [str(s) for s in seconds.tolist()]
    sides = ({"d": side, "n": numbers} for side in (clock(seconds), numbers))
    assert "text that spells durations" in ts.compare(*sides).schema.changed["d"]
    minutes = [text.removeprefix("0:") for text in clock(trips(seed=1))]  # 59:30 beside 1:02:30
    found = ts.compare({"d": clock(seconds)}, {"d": minutes})
    assert (found["d"].kind, found.verdict) == ("text", "different")
    days = [f"2024-{1 + s % 12:02d}-{1 + s % 28:02d}" for s in seconds.tolist()]
    never = [["never" if at % every == 0 else day for at, day in enumerate(days)] for every in (25, 14)]
    assert ts.compare(*({"d": side} for side in never))["d"].view.startswith("'never'")


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%d/%m/%Y %H:%M", "%d-%m-%y"])
def test_a_note_says_what_to_do_where_day_or_month_may_come_first(form):
    days = pl.Series(trips()).cast(pl.Int32).cast(pl.Date).cast(pl.Datetime).dt.strftime(form)
    found = ts.compare({"d": days}, {"d": days.reverse()})
    assert found["d"].kind in ("text", "categorical")
    assert any("'d' spells dates such as 03/04/2024" in note and "Write 2024-03-04" in note for note in found.notes)
    assert not any("03/04" in note for note in ts.compare({"d": ["1/2", "3/4"]}, {"d": ["1/2", "3/4"]}).notes)


def test_dates_beside_durations_have_changed():
    dates = [f"2024-03-{1 + s % 28:02d}" for s in trips().tolist()]
    found = ts.compare({"d": dates}, {"d": clock(trips())})
    assert "text that spells durations" in found.schema.changed["d"]


def test_another_currency_has_changed():
    amounts = trips().tolist()
    dollars, euros, codes, bare = ([form.format(v) for v in amounts] for form in ("${}", "{} €", "USD {}", "{}"))
    found = ts.compare({"price": dollars, "n": bare}, {"price": euros, "n": bare})
    assert found.schema.changed == {"price": "was amounts in $, is amounts in €"}
    assert [part.detail for part in found.findings if part.what == "changed"] == ["was amounts in $, is amounts in €"]
    assert found.verdict == "different"
    for other in (dollars[::-1], codes, bare):
        assert ts.compare({"price": dollars}, {"price": other}).schema.changed == {}


def test_a_column_in_two_currencies_has_not_changed():
    rng = np.random.default_rng(0)
    for rows in (5, 25, 301):
        amounts = rng.gamma(2, 9, rows)
        a, b = ({"price": [f"{v:.2f} {'$€'[(at + first) % 2]}" for at, v in enumerate(amounts)]} for first in (0, 1))
        assert ts.compare(a, b).schema.changed == {}
    some, euros = [f"{v % 50} {'$' if v % 5 else '€'}" for v in range(300)], [f"{v % 50} €" for v in range(300)]
    assert "price" in ts.compare({"price": some}, {"price": euros}).schema.changed


def test_blanks_around_text_change_no_kind():
    for words, kind in ((clock(trips()), "duration"), ([text[:-3] for text in clock(trips())], "duration")):
        padded = [f" {text} " for text in words]
        found, plain = ts.compare({"d": padded}, {"d": padded[::-1]}), ts.compare({"d": words}, {"d": words[::-1]})
        assert (found["d"].kind, found["d"].pvalue) == (kind, plain["d"].pvalue)
        assert [note for note in found.notes if "spells" in note] == [note for note in plain.notes if "spells" in note]


def test_dates_among_durations_are_text():
    spans = clock(trips())
    mixed = ["2024-03-05" if at % 3 else text for at, text in enumerate(spans)]
    assert ts.compare({"d": mixed}, {"d": mixed[::-1]})["d"].kind in ("text", "categorical")


def test_no_note_says_how_text_is_read_that_is_compared_as_text():
    short = [text[:-3] for text in clock(trips())]
    for other in (["never", *short[::-1]], [f"{text} or so" for text in short]):
        found = ts.compare({"d": short}, {"d": other})
        read = found["d"].kind == "duration"
        assert any("read as hours" in note for note in found.notes) == read
    assert not read


def test_a_clock_of_two_parts_is_said_to_be_hours_and_minutes():
    short = [text[:-3] for text in clock(trips())]
    found = ts.compare({"d": short}, {"d": short[::-1]})
    assert found["d"].kind == "duration"
    assert any("'d' spells durations whose two parts are read as hours" in note for note in found.notes)
    mixed = short[:1000] + clock(trips())[1000:]  # minutes and seconds beside hours?
    assert ts.compare({"d": mixed}, {"d": mixed[::-1]})["d"].kind in ("text", "categorical")


def test_yes_and_no():
    assert truths(["Yes", "no", " YES "])
    assert truths(["no"])
    assert truths(["f", "t"])
    assert truths(["1", "0", "yes"])
    assert not truths(["f"])  # a code
    assert not truths(["yes", "maybe"])
    assert not truths([])
    assert as_truths(pl.Series(["Yes", "0", None, " y"])).to_list() == ["true", "false", None, "true"]


@pytest.mark.parametrize("spelling", [("Yes", "no"), ("T", "F"), ("true", "FALSE")])
@pytest.mark.parametrize("stored", [np.int64, np.float64, np.bool_])
def test_compare_takes_yes_and_no_for_one_and_zero(spelling, stored):
    rng = np.random.default_rng(0)
    one, two = rng.random(400) < 0.3, rng.random(300) < 0.45
    a, b = {"member": one.astype(stored)}, {"member": np.where(two, *spelling)}
    c, plain = ts.compare(a, b), ts.compare({"member": np.where(one, *spelling)}, b)
    assert c["member"].pvalue == pytest.approx(plain["member"].pvalue)
    assert c["member"].effect == pytest.approx(plain["member"].effect)
    assert c.schema.changed  # another spelling is a finding, though the values are the same
    assert "is text that spells yes and no (String)" in c.headline
    detail = next(finding.detail for finding in c.findings if finding.column == "member")
    assert "text that spells yes and no (String) in the second" in detail


@pytest.mark.parametrize(("one", "two"), [(("yes", "no"), ("true", "false")), (("Y", "N"), ("Yes", "No"))])
def test_compare_takes_other_words_for_yes_and_no(one, two):
    rng = np.random.default_rng(0)
    x, y, z = (rng.random(400) < share for share in (0.3, 0.3, 0.6))
    a, b, moved = ({"member": np.where(part, *words)} for part, words in ((x, one), (y, two), (z, two)))
    c = ts.compare(a, b)
    assert c["member"].pvalue == pytest.approx(ts.compare(a, {"member": np.where(y, *one)})["member"].pvalue)
    assert c.verdict == "no difference found"
    assert [(part.what, part.column) for part in c.findings] == [("retyped", "member")]
    said = f"'{one[1]}' and '{one[0]}' in the first table, '{two[1]}' and '{two[0]}' in the second"
    assert c.findings[0].detail == f"{said}; compared as yes and no"
    assert ts.compare(a, moved).verdict == "different"
    assert not ts.compare(a, b, schema="ignore").findings


def test_another_case_is_another_category():
    one, two = np.random.default_rng(0).random((2, 400)) < 0.3
    c = ts.compare({"member": np.where(one, "yes", "no")}, {"member": np.where(two, "YES", "NO")})
    assert c.verdict == "different"


def test_thousands_are_numbers_unless_some_commas_are_decimal():
    rng = np.random.default_rng(2)
    x, y = (rng.integers(500, 90_000, size) for size in (500, 400))
    a, b = ({"v": [f"{value:,}" for value in part]} for part in (x, y))
    c = ts.compare(a, b)
    assert (c["v"].kind, c.verdict, c["v"].b.max) == ("integer", "no difference found", int(y.max()))
    assert c["v"].pvalue == pytest.approx(ts.compare({"v": x}, {"v": y})["v"].pvalue)
    mixed = open_table({"v": [*a["v"], "0,5"]})
    assert not infer_kinds(mixed, mixed.profile(), mixed.sample(1000))[0].from_text


def test_other_words_stay_categories():
    a = {"member": np.arange(300) % 2}
    b = {"member": np.where(np.arange(300) == 17, "unknown", np.where(np.arange(300) % 2, "yes", "no"))}
    assert ts.compare(a, b)["member"].verdict == "different"


def test_compare_reads_decimal_commas_and_says_that_the_spelling_changed():
    rng = np.random.default_rng(1)
    x, y = rng.gamma(3, 20, 500).round(2), rng.gamma(3, 20, 400).round(2)
    c = ts.compare({"v": x}, {"v": [f"{value:.2f}".replace(".", ",") for value in y]})
    assert c["v"].pvalue == pytest.approx(ts.compare({"v": x}, {"v": y})["v"].pvalue)
    assert "is text that spells numbers (String)" in c.headline
    assert any("text that spells numbers (String) in the second" in finding.detail for finding in c.findings)
    assert c["v"].b.mean == pytest.approx(y.mean())


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
        "preis": [f"{v:.2f}".replace(".", ",") for v in amount],
    }
    m = ts.match(a, b)
    expected = {"price": "preis", "share": "anteil", "member": "mitglied", "old": "alt"}
    assert {p.source: p.target for p in m.pairs} == expected
    assert not any(p.drifted for p in m.pairs)
    assert ts.match(a, b, kinds={"price": "text"}).candidates("price") == ()  # what the user says counts


def test_a_note_says_that_commas_are_read_as_those_of_thousands():
    either, sure = ["2", "17", "1,125", "1,250"] * 30, ["2", "17", "1,125,000", "$1,250.00"] * 30
    assert any(
        "'v' spells numbers whose commas are read" in note for note in ts.compare({"v": either}, {"v": either}).notes
    )
    assert not any("commas" in note for note in ts.compare({"v": sure}, {"v": sure}).notes)
