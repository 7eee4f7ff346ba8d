"""The planted bugs: three in every family, of different strength. None was chosen by its result."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from benchmarks.planted import changes as c
from benchmarks.planted.changes import Change


@dataclass(frozen=True)
class Bug:
    """One thing that went wrong.

    `columns` are those that an answer should name; empty if no column is more to blame than others.
    """

    family: str
    table: str
    what: str
    change: Change
    columns: tuple[str, ...] = ()


def _bugs(family: str, *found: tuple[str, str, Change, str]) -> list[Bug]:
    return [Bug(family, table, what, change, tuple(columns.split())) for table, what, change, columns in found]


def _capitals(names: pl.Expr) -> pl.Expr:
    return names.str.to_uppercase()


_late, _old, _women = pl.col("dep_delay") > 60, pl.col("age") >= 65, pl.col("sex") == "Female"
_third_area, _model = pl.col("Wilderness_Area") == "wilderness 3", pl.col("modelno").is_not_null()
_names = "familyNameLabel", "givenNameLabel"
_rates = ["nswprice", "nswdemand", "vicprice", "vicdemand"]

BUGS: list[Bug] = [
    *_bugs(
        "units",
        ("flights", "distance in km", c.times("distance", 1.609), "distance"),
        ("products", "2 % of the prices in cents", c.times("price", 100, 0.02), "price"),
        ("forest", "1 % of the elevations in feet", c.times("Elevation", 3.281, 0.01), "Elevation"),
    ),
    *_bugs(
        "sentinels",
        ("census", "2 % of the ages are -999", c.sentinel("age", -999, 0.02), "age"),
        ("electricity", "1 % of nswprice is 0", c.sentinel("nswprice", 0.0, 0.01), "nswprice"),
        ("flights", "0.5 % of the delays are 9999", c.sentinel("arr_delay", 9999, 0.005), "arr_delay"),
    ),
    *_bugs(
        "cut-offs",
        ("forest", "Elevation cut at its 95 % quantile", c.cut("Elevation", high=0.95), "Elevation"),
        ("electricity", "nswdemand cut at its 98 % quantile", c.cut("nswdemand", high=0.98), "nswdemand"),
        ("flights", "delays cut at both 3 % quantiles", c.cut("dep_delay", 0.03, 0.97), "dep_delay"),
    ),
    *_bugs(
        "rounding",
        ("census", "ages in steps of 5 years", c.rounded("age", 5), "age"),
        ("products", "prices in whole dollars", c.rounded("price", 1), "price"),
        ("forest", "Elevation in steps of 10 m", c.rounded("Elevation", 10), "Elevation"),
    ),
    *_bugs(
        "shift",
        ("forest", "Aspect by 0.1 sd", c.moved("Aspect", 0.1), "Aspect"),
        ("electricity", "vicdemand by 0.2 sd", c.moved("vicdemand", 0.2), "vicdemand"),
        ("census", "weeks_worked_in_year by 0.3 sd", c.moved("weeks_worked_in_year", 0.3), "weeks_worked_in_year"),
    ),
    *_bugs(
        "scale",
        ("flights", "air_time 10 % wider", c.stretched("air_time", 1.1), "air_time"),
        ("forest", "Slope 30 % wider", c.stretched("Slope", 1.3), "Slope"),
        ("electricity", "nswdemand 20 % narrower", c.stretched("nswdemand", 0.8), "nswdemand"),
    ),
    *_bugs(
        "new category",
        ("census", "education unknown in 1 %", c.category("education", "unknown", 0.01), "education"),
        ("flights", "origin 'XXX' in 3 %", c.category("origin", "XXX", 0.03), "origin"),
        ("products", "brand 'n/a' in 0.5 %", c.category("brand", "n/a", 0.005), "brand"),
    ),
    *_bugs(
        "vanished category",
        ("flights", "no carrier WN", c.selected(pl.col("carrier") != "WN", 0.0), "carrier"),
        ("census", "no widows", c.relabelled("marital_stat", "Widowed", "Never married"), "marital_stat"),
        ("forest", "no soil 12", c.selected(pl.col("Soil_Type") != "soil 12", 0.0), "Soil_Type"),
    ),
    *_bugs(
        "case of categories",
        ("flights", "B6 in lower case in 10 % of its rows", c.relabelled("carrier", "B6", "b6", 0.1), "carrier"),
        ("census", "race in capitals", c.replaced("race", _capitals), "race"),
        ("musicians", "2 % of the cities in capitals", c.replaced("cityLabel", _capitals, 0.02), "cityLabel"),
    ),
    *_bugs(
        "swapped categories",
        ("census", "Male and Female", c.exchanged("sex", "Male", "Female"), "sex"),
        ("flights", "carriers AA and MQ", c.exchanged("carrier", "AA", "MQ"), "carrier"),
        ("forest", "areas 1 and 3", c.exchanged("Wilderness_Area", "wilderness 1", "wilderness 3"), "Wilderness_Area"),
    ),
    *_bugs(
        "missing at random",
        ("electricity", "1 % of transfer", c.lost_values("transfer", 0.01), "transfer"),
        ("census", "3 % of education", c.lost_values("education", 0.03), "education"),
        ("musicians", "5 % of givenNameLabel", c.lost_values("givenNameLabel", 0.05), "givenNameLabel"),
    ),
    *_bugs(
        "missing not at random",
        ("census", "half of the largest tenth of age", c.lost_values("age", 0.5, 0.9), "age"),
        ("products", "a fifth of the largest tenth of price", c.lost_values("price", 0.2, 0.9), "price"),
        ("flights", "a third of the largest arr_delay", c.lost_values("arr_delay", 0.33, 0.95), "arr_delay"),
    ),
    *_bugs(
        "duplicated rows",
        ("electricity", "5 % twice", c.repeated(0.05), ""),
        ("census", "20 % twice", c.repeated(0.2), ""),
        ("forest", "2 % are copies of a few rows", c.repeated(0.02, 20), ""),
    ),
    *_bugs(
        "broken dependence",
        ("forest", "Hillshade_3pm shuffled", c.shuffled(["Hillshade_3pm"]), "Hillshade_3pm"),
        ("census", "weeks_worked_in_year shuffled", c.shuffled(["weeks_worked_in_year"]), "weeks_worked_in_year"),
        ("flights", "a third of dest shuffled", c.shuffled(["dest"], 0.33), "dest"),
    ),
    *_bugs(
        "swapped columns",
        ("flights", "departure and arrival delay", c.crossed("dep_delay", "arr_delay"), "dep_delay arr_delay"),
        ("electricity", "demands in 10 % of the rows", c.crossed("nswdemand", "vicdemand", 0.1), "nswdemand vicdemand"),
        ("musicians", "5 % of the names", c.crossed(*_names, 0.05), " ".join(_names)),
    ),
    *_bugs(
        "shifted clocks",
        ("flights", "time_hour by 5 hours", c.later("time_hour", 5), "time_hour"),
        ("electricity", "timestamp by 1 hour", c.later("timestamp", 1), "timestamp"),
        ("flights", "time_hour by 1 hour in half of the rows", c.later("time_hour", 1, 0.5), "time_hour"),
    ),
    *_bugs(
        "dates of another year",
        ("flights", "2 % a year early", c.other_year("time_hour", -1, 0.02), "time_hour"),
        ("electricity", "10 % a year late", c.other_year("timestamp", 1, 0.1), "timestamp"),
        ("musicians", "1 % born a century late", c.other_year("birthDate", 100, 0.01), "birthDate"),
    ),
    *_bugs(
        "truncated text",
        ("products", "titles of 30 letters", c.shortened("title", 30), "title"),
        ("musicians", "cities of 10 letters", c.shortened("cityLabel", 10), "cityLabel"),
        ("musicians", "a tenth of the names to 5 letters", c.shortened("musicianLabel", 5, 0.1), "musicianLabel"),
    ),
    *_bugs(
        "encoding damage",
        ("musicians", "UTF-8 names read as latin-1", c.damaged("musicianLabel"), "musicianLabel"),
        ("musicians", "question marks in cities", c.question_marks("cityLabel"), "cityLabel"),
        ("musicians", "UTF-8 family names read as latin-1", c.damaged("familyNameLabel"), "familyNameLabel"),
    ),
    *_bugs(
        "stale data",
        ("electricity", "the last fifth again", c.block_again(0.2), ""),
        ("forest", "Elevation stuck for 5 %", c.stuck(["Elevation"], 0.05), "Elevation"),
        ("electricity", "four columns stuck for 2 %", c.stuck(_rates, 0.02), " ".join(_rates)),
    ),
    *_bugs(
        "selection",
        ("census", "a third of the old left out", c.selected(~_old, 0.67), "age"),
        ("flights", "half of the late flights left out", c.selected(~_late, 0.5), "dep_delay arr_delay"),
        ("products", "no product without a model number", c.selected(_model, 0.0), "modelno"),
    ),
    *_bugs(
        "schema",
        ("electricity", "vicprice lost", c.without("vicprice"), "vicprice"),
        ("census", "age called Age", c.renamed("age", "Age"), "age Age"),
        ("flights", "time_hour as text", c.as_text("time_hour"), "time_hour"),
    ),
    *_bugs(
        "label noise",
        ("census", "10 % of income", c.noisy_labels("income", 0.1), "income"),
        ("forest", "20 % of Cover_Type", c.noisy_labels("Cover_Type", 0.2), "Cover_Type"),
        ("electricity", "30 % of up", c.noisy_labels("up", 0.3), "up"),
    ),
    *_bugs(
        "drift of a subgroup",
        ("flights", "delays of DL by 0.5 sd", c.moved("arr_delay", 0.5, pl.col("carrier") == "DL"), "arr_delay"),
        ("forest", "Slope of area 3 by 0.3 sd", c.moved("Slope", 0.3, _third_area), "Slope"),
        ("census", "weights of women by 0.3 sd", c.moved("instance_weight", 0.3, _women), "instance_weight"),
    ),
]  # fmt: skip
"""Bugs by family."""

ASIDE: list[Bug] = [
    *_bugs(
        "sign", ("forest", "1 % of Hillshade_9am", c.negated("Hillshade_9am", 0.01), "Hillshade_9am"),
        ("electricity", "2 % of transfer", c.negated("transfer", 0.02), "transfer"),
        ("proteins", "20 % of f05", c.negated("f05", 0.2), "f05"),
    ),
    *_bugs(
        "gaps filled", ("flights", "arr_delay", c.filled("arr_delay"), "arr_delay"),
        ("products", "price", c.filled("price"), "price"),
        ("musicians", "birthDate", c.filled("birthDate"), "birthDate"),
    ),
    *_bugs(
        "overflow", ("forest", "Elevation beyond 3,276", c.wrapped("Elevation", 3276), "Elevation"),
        ("flights", "distance beyond 2,047", c.wrapped("distance", 2048), "distance"),
        ("census", "age beyond 64", c.wrapped("age", 64), "age"),
    ),
    *_bugs(
        "noise", ("forest", "Slope by 0.1 sd", c.noisy("Slope", 0.1), "Slope"),
        ("proteins", "f12 by 0.5 sd", c.noisy("f12", 0.5), "f12"),
        ("electricity", "5 % of nswdemand by 2 sd", c.noisy("nswdemand", 2.0, 0.05), "nswdemand"),
    ),
    *_bugs(
        "blanks", ("census", "1 % of education", c.padded("education", 0.01), "education"),
        ("products", "3 % of brand", c.padded("brand", 0.03), "brand"),
        ("musicians", "2 % of genreLabel", c.padded("genreLabel", 0.02), "genreLabel"),
    ),
    *_bugs(
        "dates", ("flights", "1 % on the first day of 1970", c.first_date("time_hour", 0.01), "time_hour"),
        ("electricity", "days and months", c.days_and_months("timestamp"), "timestamp"),
        ("musicians", "days and months", c.days_and_months("birthDate"), "birthDate"),
    ),
    *_bugs(
        "misspelling", ("flights", "2 % of dest", c.misspelled("dest", 0.02), "dest"),
        ("musicians", "5 % of givenNameLabel", c.misspelled("givenNameLabel", 0.05), "givenNameLabel"),
        ("products", "5 % of brand", c.misspelled("brand", 0.05), "brand"),
    ),
    *_bugs(
        "proteins", ("proteins", "f03 shuffled", c.shuffled(["f03"]), "f03"),
        ("proteins", "f20 cut at its 99 % quantile", c.cut("f20", high=0.99), "f20"),
        ("proteins", "1 % of f31 is -999", c.sentinel("f31", -999.0, 0.01), "f31"),
    ),
]  # fmt: skip
"""Bugs in families and in a table that nothing was chosen by: written after the views, and run once."""
