"""Numbers, dates and durations as people write them: each value of a text is read by itself, so that batches add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

PADDED = r"^\s*[+-]?0\d"  # text with a leading zero, as in 00123: a code, not a number
_FORMS = (
    "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%d %H:%M",
    "%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p",
)  # fmt: skip
_DATE = r"^\d{4}-\d{2}-\d{2}"
_BEGUN = r"^\d{1,4}[./]\d{1,2}[./]\d"  # other dates
_YEAR = r"(1[6-9]\d\d|2[01]\d\d|9999|0001)"  # 8.1.1080 is the number of a section; the last two stand for "never"
_POINTS = rf"^(\d{{1,2}})\.(\d{{1,2}})\.{_YEAR}\b"  # 15.03.2024: the day comes first wherever dates have points
_EITHER_FIRST, _MOSTLY = r"^\d{1,2}[/-]\d{1,2}[/-](?:\d{4}|\d{2})(?:\b|T)", 0.95  # 03/04/2024
_YEAR_FIRST = rf"^{_YEAR}[/.](\d{{1,2}})[/.](\d{{1,2}})\b"  # 2024/03/15
_ZONED = ("%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%d %H:%M:%S%.f%#z")  # with the distance from UTC
_CODE = "usd|eur|gbp|jpy|chf|cad|aud|inr|cny|sek|nok|dkk"
_MARKED = (
    rf"(?i)^[+-]?\s*(?:[$€£¥₹]|(?:{_CODE})\b)\s*[+-]?[0-9][0-9.,' \u00a0]*$"
    rf"|^[+-]?[0-9][0-9.,' \u00a0]*(?:[$€£¥₹%]|\b(?:{_CODE}))$"
)
_BARE = (  # numbers with a decimal comma or groups of three; 1,234 may be either, and is taken for thousands
    r"^[+-]?(?:(?:0|[1-9][0-9]*),(?:[0-9]{1,2}|[0-9]{4,})|0,[0-9]+|[1-9][0-9]{3,},[0-9]+"
    r"|[1-9][0-9]{0,2}(?:[.' \u00a0][0-9]{3})+,[0-9]+"
    r"|[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?)$"
)
_DECIMAL_POINT = r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]+)?$"  # 1,234.50
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+|[0-9]{1,3}(?:\.[0-9]{3})+),[0-9]+$"  # 1.234,50
_EITHER = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
_GROUP = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+$"  # 1,250: these are thousands
_CLOCK = (  # 9:05:00, 0 days 00:15:00, -1 day, 23:59:00: a sign before days is theirs alone, as in pandas and Python
    r"^(?:([+-]?)([0-9]+) days?,?(?:\s+|$))?(?:([+-]?)([0-9]+):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]+)?))?)?$"
)
_PART = r"([+-]?[0-9]+(?:[.,][0-9]+)?)"
_ISO = rf"^([+-]?)P(?:{_PART}W)?(?:{_PART}D)?(?:T(?:{_PART}H)?(?:{_PART}M)?(?:{_PART}S)?)?$"  # PT15M, P1DT2H
_SPAN = r"^[+-]?(?:[0-9]+(?: day|:[0-5])|P(?:T?[+-]?[0-9]))"  # how they begin
_TWO_PARTS, _THREE_PARTS = r"(?:^|\s)[+-]?[0-9]+:[0-5][0-9]$", r":[0-5][0-9]:[0-5][0-9](?:[.,][0-9]+)?$"


def amounts(text: pl.Series) -> pl.Series:
    """Numbers that people write: of money or percent, with a decimal comma, in groups; each value is read by itself."""
    import polars as pl

    written = (text.str.contains(_MARKED) | text.str.contains(_BARE)).fill_null(False)
    if not written.any():
        return pl.Series("v", [None], dtype=pl.Float64).new_from_index(0, len(text))
    bare = pl.col("v").str.replace_all(rf"(?i){_CODE}|[$€£¥₹%'\s\u00a0]", "")
    comma = bare.str.contains(_DECIMAL_COMMA) & ~bare.str.contains(_GROUP)
    plain_ = (
        pl.when(comma).then(bare.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True))
        .when(bare.str.contains(_DECIMAL_POINT)).then(bare.str.replace_all(",", "", literal=True))
    )  # fmt: skip
    number = plain_.cast(pl.Float64, strict=False) / pl.when(pl.col("v").str.ends_with("%")).then(100.0).otherwise(1.0)
    return text.to_frame().select(pl.when(written).then(number).alias("v")).to_series()


def currencies(text: pl.Series) -> dict[str, float]:
    """The share of the values with each sign or code of a currency, the most frequent first; codes are capitals.

    >>> import polars as pl
    >>> currencies(pl.Series(["$5", "$ 1.50", "7 €", "8"])), currencies(pl.Series(["5 eur", "6 EUR"]))
    ({'$': 0.5, '€': 0.25}, {'EUR': 1.0})
    """
    signs = text.str.extract(rf"(?i)([$€£¥₹]|\b(?:{_CODE})\b)").str.to_uppercase().drop_nulls()
    found = sorted(signs.value_counts(name="rows").rows(), key=lambda one: (-one[1], one[0]))
    return {sign: rows / len(text) for sign, rows in found}


def mixed_commas(text: pl.Series) -> bool:
    """Whether some commas are decimal ones and others may be: then nobody knows what the others are.

    Where all may be either, they are read as thousands, and :func:`grouped` lets the kind of the column say so.

    >>> import polars as pl
    >>> mixed_commas(pl.Series(["0,5", "1,234"])), mixed_commas(pl.Series(["999", "1,234"]))
    (True, False)
    """
    comma, group = (text.str.contains(form) for form in (_DECIMAL_COMMA, _GROUP))
    return bool((comma & ~group).any()) and bool((comma & group).any())


def grouped(text: pl.Series) -> bool:
    """Whether a comma before three digits is read as one of thousands somewhere, where it may be a decimal one.

    >>> import polars as pl
    >>> grouped(pl.Series(["2", "1,125"])), grouped(pl.Series(["2", "1,125,000"])), grouped(pl.Series(["$1.5", "2"]))
    (True, False, False)
    """
    return bool(text.str.contains(_EITHER).any())


def durations(text: pl.Series) -> pl.Series:
    """Durations and times of day that are stored as text, in seconds; null where there is none.

    >>> import polars as pl
    >>> durations(pl.Series(["9:05:00", "0:15", "-1 days +23:45:00", "1 day, 0:00:01.5", "PT15M", "7"])).to_list()
    [32700.0, 900.0, -900.0, 86401.5, 900.0, None]
    """
    import polars as pl

    begun = text.alias("v").str.contains(_SPAN).fill_null(False)
    if not begun.any():
        return pl.Series("v", [None], dtype=pl.Float64).new_from_index(0, len(text))
    rest = pl.select(v=pl.when(begun).then(text)).to_series()
    clock, iso = (rest.str.extract_groups(form).struct.unnest() for form in (_CLOCK, _ISO))

    def part(name: str) -> pl.Expr:
        return pl.col(name).str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).fill_null(0.0)

    def signed(name: str) -> pl.Expr:
        return pl.when(pl.col(name) == "-").then(-1.0).otherwise(1.0)

    own = signed("1") * part("2") * 86400.0 + signed("3") * (part("4") * 3600.0 + part("5") * 60.0 + part("6"))
    written = signed("1") * (
        part("2") * 604800.0 + part("3") * 86400.0 + part("4") * 3600.0 + part("5") * 60.0 + part("6")
    )
    first = clock.select(pl.when(pl.col("2").is_not_null() | pl.col("4").is_not_null()).then(own).alias("v"))
    given = pl.any_horizontal(pl.col("2", "3", "4", "5", "6").is_not_null())
    second = iso.select(pl.when(given).then(written).alias("v"))
    seconds = first.to_series().fill_null(second.to_series())
    return (seconds * 1e6).round() / 1e6  # the doubles that whole microseconds give, as where durations are stored


def unclear_clock(text: pl.Series) -> bool:
    """Whether 1:30 stands beside 1:30:00: then nobody knows whether the former are hours or minutes.

    >>> import polars as pl
    >>> unclear_clock(pl.Series(["59:30", "1:02:30"])), unclear_clock(pl.Series(["59:30", "1:02"]))
    (True, False)
    """
    return short_clock(text) and bool(text.str.contains(_THREE_PARTS).any())


def short_clock(text: pl.Series) -> bool:
    """Whether hours and minutes stand somewhere without seconds, which may be minutes and seconds."""
    return bool(text.str.contains(_TWO_PARTS).any())


def unclear_dates(text: pl.Series) -> bool:
    """Whether nearly all values are dates of which the day or the month may come first.

    >>> import polars as pl
    >>> unclear_dates(pl.Series(["03/15/2024", "3/4/24 9:30"])), unclear_dates(pl.Series(["2024/03/15", "1/2"]))
    (True, False)
    """
    return bool(text.str.contains(_EITHER_FIRST).mean() >= _MOSTLY)  # type: ignore[operator]


def moments_in_time(text: pl.Series) -> pl.Series:
    """Dates and times that are stored as text, in seconds since 1970; null where there is none.

    ISO dates, and others that can be read in one way only, of the years 1600 to 2199 (and 9999 and 0001).

    >>> import polars as pl
    >>> moments_in_time(pl.Series(["1970-01-02", "02.01.1970 00:00:30", "1970/1/2 12:00 PM", "1/2/1970"])).to_list()
    [86400.0, 86430.0, 129600.0, None]
    >>> moments_in_time(pl.Series(["8.1.1080", "1224/1/5"])).null_count()
    2
    """
    import polars as pl

    rest = _iso(text)
    parsed = pl.Series("v", [None], dtype=pl.Datetime("us")).new_from_index(0, len(text))
    for form in (*_FORMS, *_ZONED):
        if rest.null_count() == len(rest):
            break
        found = rest.str.to_datetime(form, strict=False, time_unit="us")
        parsed = parsed.fill_null(found.dt.replace_time_zone(None) if form in _ZONED else found)
        rest = pl.select(v=pl.when(parsed.is_null()).then(rest)).to_series()
    return parsed.to_physical().cast(pl.Float64) / 1e6


def _iso(text: pl.Series) -> pl.Series:
    """Dates with the year first, then month and day of two digits each; null where there is none."""
    import polars as pl

    found = pl.select(v=pl.when(text.str.contains(_DATE)).then(text)).to_series()
    if found.count() == text.count() or not text.str.contains(_BEGUN).any():
        return found
    for form, order in ((_POINTS, "${3}-0${2}-0${1}"), (_YEAR_FIRST, "${1}-0${2}-0${3}")):
        other = text.str.contains(form).fill_null(False)
        if other.any():
            padded = text.str.replace(form, order).str.replace(r"-0?(\d{2})-0?(\d{2})\b", "-${1}-${2}")
            found = pl.select(v=pl.when(other).then(padded).otherwise(found)).to_series()
    return found
