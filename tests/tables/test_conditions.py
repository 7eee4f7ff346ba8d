"""compare(by=, weights=, groups=, time=): what counts, what is a finding, what is refused."""

import json
import re

import numpy as np
import polars as pl
import pytest
from scipy.signal import lfilter

import twosample as ts
from tests.tables.shops import finding, shop, two_shops
from twosample.errors import InputError, OptionError


@pytest.fixture(scope="module")
def tables():
    return two_shops()


def test_another_mix_is_a_finding_and_no_difference(tables):
    assert ts.compare(*tables, exclude=["weekend"]).verdict == "different"
    c = ts.compare(*tables, by="weekend")
    assert c.verdict == "no difference found"
    assert {column.name for column in c.columns} == {"sales", "kind", "rating"}
    (mix,) = finding(c, "mix")
    assert mix.column == "weekend"
    assert "the mix differs: p = 0.001" in mix.detail
    assert mix.pvalue == 0.001
    assert c.joint.null.name == "strata"


def test_a_difference_within_strata_is_found(tables):
    b = shop(np.random.default_rng(1), 700, 0.6, shift=0.5)
    c = ts.compare(tables[0], b, by="weekend")
    assert c.verdict == "different"
    assert c.columns[0].name == "sales"
    assert c.columns[0].verdict == "different"
    assert c["kind"].verdict != "different"


def test_pictures_and_places_have_the_same_mix(tables):
    c = ts.compare(*tables, by="weekend")
    picture = c["kind"].picture
    a = dict(zip(picture.labels, picture.shares_a, strict=True))
    plain = ts.compare(*tables, select=["kind"])["kind"].picture
    raw = dict(zip(plain.labels, plain.shares_a, strict=True))
    parts = tables[0].group_by("weekend").agg(pl.len(), share=(pl.col("kind") == "A").mean()).sort("weekend")
    other = tables[1].group_by("weekend").len().sort("weekend")["len"].to_numpy()
    own = parts["len"].to_numpy()
    h = own * other / (own + other)
    assert a["A"] == pytest.approx(float(parts["share"].to_numpy() @ h / h.sum()), abs=1e-4)
    assert abs(a["A"] - raw["A"]) > 0.02


def test_one_stratum_is_the_comparison_without(tables):
    a, b = (part.with_columns(one=pl.lit("x")) for part in tables)
    with_by, without = ts.compare(a, b, by="one"), ts.compare(a, b, exclude=["one"])
    assert [column.pvalue for column in with_by.columns] == [column.pvalue for column in without.columns]
    assert with_by.joint.pvalue == without.joint.pvalue
    assert with_by.headline == without.headline
    assert "one stratum" in finding(with_by, "strata")[0].detail


def test_strata_that_cannot_be_compared_are_named():
    rng = np.random.default_rng(3)
    a = {"site": ["north"] * 50 + ["west"] * 30, "v": rng.normal(size=80)}
    b = {"site": ["north"] * 60 + ["south"] * 3, "v": rng.normal(size=63)}
    c = ts.compare(a, b, by="site")
    texts = [found.detail for found in finding(c, "strata")]
    assert any("only in the first table, 30 rows" in text and "'west'" in text for text in texts)
    assert any("only in the second table, 3 rows" in text and "'south'" in text for text in texts)
    assert c.columns[0].rows_a == 80
    json.dumps(c.to_dict())


def test_numbers_with_many_values_are_cut_into_bins_and_others_are_not(tables):
    c = ts.compare(*tables, by="sales", select=["kind"])
    assert any("quantile bins" in note for note in c.notes)
    c = ts.compare(*tables, by="rating", select=["kind"])
    assert not any("quantile bins" in note for note in c.notes)
    (mix,) = finding(c, "mix")
    assert mix.column == "rating"  # missing is a stratum of its own


def test_groups():
    rng = np.random.default_rng(4)
    patients = np.repeat(np.arange(40), 20)
    z = rng.normal(size=40)[patients] + 0.3 * rng.normal(size=800)
    a, b = ({"patient": patients[part], "z": z[part]} for part in (slice(0, 400), slice(400, None)))
    assert ts.compare(a, b, exclude=["patient"]).verdict == "different"
    assert ts.compare(a, b, groups="patient").verdict == "no difference found"
    b["z"] = b["z"] + 3
    c = ts.compare(a, b, groups="patient")
    assert c.verdict == "different"
    assert c.joint.null.name == "group"


def test_series_in_any_order_of_rows():
    rng = np.random.default_rng(5)
    x, y = lfilter([1], [1, -0.9], rng.normal(size=(2, 600)))
    a, b = ({"t": np.arange(600), "v": part} for part in (x, y))
    assert ts.compare(a, b, exclude=["t"]).verdict == "different"
    c = ts.compare(a, b, time="t")
    assert c.verdict == "no difference found"
    mixed = rng.permutation(600)
    again = ts.compare({"t": mixed, "v": x[mixed]}, b, time="t")
    assert again.columns[0].pvalue == c.columns[0].pvalue
    b["v"] = b["v"] + 4
    assert ts.compare(a, b, time="t").verdict == "different"


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"by": "no"}, InputError, "by: dict has no column 'no'"),
        ({"by": 3}, OptionError, "by=3 must be a list of names"),
        ({"by": ["g", "g"]}, OptionError, "name a column twice"),
        ({"by": "g", "time": "w"}, OptionError, "time= and by= together are not supported"),
        ({"groups": "g", "design_weights": "w"}, OptionError, "design_weights= and groups= together are not supported"),
        ({"weights": "w", "design_weights": "w"}, OptionError, "design_weights= and weights= together"),
        ({"by": "g", "weights": "g"}, OptionError, "name a column twice"),
        ({"design_weights": "bad"}, InputError, "design_weights: column 'bad'"),
        ({"design_weights": "zero"}, InputError, "design_weights: all weights of dict"),
        ({"by": "g", "select": ["g"]}, OptionError, "select: column 'g'"),
        ({"weights": "g"}, InputError, "weights: column 'g'"),
        ({"weights": "bad"}, InputError, "1 negative weight"),
        ({"weights": "gap"}, InputError, "2 missing weight"),
        ({"weights": "inf"}, InputError, "1 infinite weight"),
        ({"weights": "zero"}, InputError, "all weights of dict in column 'zero' are 0"),
        ({"groups": "g"}, InputError, "occur in both tables"),
        ({"groups": "gap"}, InputError, "missing values"),
        ({"time": "gap"}, InputError, "time: column 'gap'"),
        ({"weights": ["w"]}, OptionError, "must be the name of a column"),
    ],
)
def test_what_is_refused(options, error, said):
    rows = np.arange(20)
    bad = np.where(rows == 3, -1.0, 1.0)
    table = {
        "v": rows * 1.0, "g": list("ab") * 10, "w": rows + 1.0, "bad": bad, "gap": np.where(rows < 2, np.nan, 1.0),
        "inf": np.where(rows == 0, np.inf, 1.0), "zero": rows * 0,
    }  # fmt: skip
    with pytest.raises(error, match=said.replace("(", r"\(")):
        ts.compare(table, table, **options)


def test_no_stratum_in_common():
    with pytest.raises(InputError, match="by: no value of g has rows of both"):
        ts.compare({"v": [1.0, 2.0] * 5, "g": ["a"] * 10}, {"v": [1.0, 2.0] * 5, "g": ["b"] * 10}, by="g")


def test_large_strata_have_a_limit_law():
    rng = np.random.default_rng(6)
    a, b = shop(rng, 30_000, 0.2), shop(rng, 30_000, 0.6)
    c = ts.compare(a, b, by="weekend", sample=30_000)
    assert c["sales"].method.endswith("spectrum")
    assert c.verdict in {"same", "no difference found"}
    c = ts.compare(a, shop(rng, 30_000, 0.6, shift=0.3), by="weekend", sample=30_000)
    assert c["sales"].kernel_pvalue < 1e-6


def test_rows_that_look_like_a_series_are_warned_of():
    rng = np.random.default_rng(7)
    x, y = lfilter([1], [1, -0.9], rng.normal(size=(2, 600)))
    c = ts.compare({"v": x}, {"v": y + 2})
    (warning,) = finding(c, "series")
    assert "autocorrelation of 0." in warning.detail
    assert "time=" in warning.detail
    mixed = ts.compare({"v": rng.permutation(x)}, {"v": rng.permutation(y + 2)})
    assert mixed.verdict == "different"
    assert not finding(mixed, "series")
    assert not finding(ts.compare({"t": range(600), "v": x}, {"t": range(600), "v": y + 9}, time="t"), "series")


def test_independent_rows_are_seldom_called_a_series():
    rng = np.random.default_rng(8)
    found = [ts.compare({"v": rng.normal(size=300)}, {"v": rng.normal(1, size=300)}, rng=i) for i in range(30)]
    assert all(c.verdict == "different" for c in found)
    assert not any(finding(c, "series") for c in found)


def test_opposite_differences_in_two_strata_are_different():
    rng = np.random.default_rng(9)
    a, b = ({"site": np.repeat(["n", "s"], 300), "v": rng.normal(size=600)} for _ in range(2))
    b["v"][:300] += 0.7
    b["v"][300:] -= 0.7
    c = ts.compare(a, b, by="site")
    assert c.verdict == "different"
    assert c.columns[0].effect > 0.15


@pytest.mark.parametrize(
    ("groups", "least"), [((3, 3), 0.1), ((3, 4), 1 / 35), ((4, 4), 2 / 70), ((5, 5), None), ((4, 5), None)]
)
def test_too_few_groups_to_show_anything_are_named(groups, least):
    rng = np.random.default_rng(10)
    sides = []
    for first, count, shift in ((0, groups[0], 0), (100, groups[1], 9)):
        v = np.where(rng.random(count * 20) < (0.8 if shift else 0.1), np.nan, rng.normal(size=count * 20) + shift)
        sides.append({"p": first + np.repeat(np.arange(count), 20), "v": v})
    c = ts.compare(*sides, groups="p")
    found = finding(c, "groups")
    if least is None:
        assert not found
        assert c.verdict == "different"
        return
    assert found[0].detail.startswith(f"{groups[0]} and {groups[1]} groups can be relabelled in ")
    assert f"the smallest possible p-value is {least:.2g} " in found[0].detail
    assert c.verdict == "no difference found"
    assert c.joint.pvalue == pytest.approx(least)  # as far apart as can be
    assert min(c["v"].pvalue, c["v"].missing.pvalue) >= least * (1 - 1e-9)


def test_strata_of_one_table_have_shares_in_per_cent():
    rng = np.random.default_rng(13)
    a = {"site": ["north"] * 59 + ["west"], "v": rng.normal(size=60)}
    b = {"site": ["north"] * 40 + ["south"] * 20, "v": rng.normal(size=60)}
    texts = [found.detail for found in finding(ts.compare(a, b, by="site"), "strata")]
    assert any("first table, 1 row (1.7 % of the table), not compared" in text for text in texts)
    assert any("second table, 20 rows (33 % of the table), not compared" in text for text in texts)


def test_groups_within_strata():
    rng = np.random.default_rng(10)

    def sites(first, count, shift):
        site = np.repeat(np.arange(count), 12)
        own = rng.normal(size=count)[site]
        region = np.where(site % 2 == 0, "east", "west")
        v = own + 3 * (region == "east") + rng.normal(size=len(site)) + shift
        return {"site": [f"s{first + i}" for i in site], "region": region, "v": v}

    a, b = sites(0, 20, 0.0), sites(100, 24, 0.0)
    assert ts.compare(a, b, by="region", groups="site").verdict != "different"
    assert ts.compare(a, sites(100, 24, 2.0), by="region", groups="site").verdict == "different"
    a["region"] = np.where(np.arange(240) % 2 == 0, "east", "west")
    with pytest.raises(InputError, match="20 group\\(s\\) of 'site' have rows in several strata of region"):
        ts.compare(a, b, by="region", groups="site")


def test_the_stratum_that_differs_most_is_a_finding():
    rng = np.random.default_rng(11)
    day = np.tile(["mon", "tue", "sat"], 200)
    a, b = ({"day": day, "v": rng.normal(size=600) + shift * (day == "sat")} for shift in (0.0, 1.0))
    c = ts.compare(a, b, by="day")
    (found,) = finding(c, "stratum")
    assert found.column == "v"
    assert found.detail.startswith("differs most in stratum 'sat': effect 0.")
    assert "200 and 200 rows; p = 0.001, adjusted for all strata" in found.detail
    assert found.pvalue == 0.001
    assert not finding(ts.compare(a, {**b, "v": rng.normal(size=600)}, by="day"), "stratum")


def test_views_of_spelling_and_clocks_by_a_design():
    rng = np.random.default_rng(12)

    def table(capitals, early):
        hours = np.where(rng.random(600) < early, 3, rng.integers(9, 18, 600))
        days = rng.integers(0, 300, 600)
        names = rng.choice(["ab", "cd", "ef", "gh"], 600)
        return pl.DataFrame({
            "s": np.tile(["x", "y"], 300),
            "at": (np.datetime64("2024-01-01T00:00") + days.astype("m8[D]") + hours.astype("m8[h]")).astype("M8[us]"),
            "note": [
                " ".join([n.upper() if u < capitals else n, *map(str, rng.integers(0, 99, 4))])
                for n, u in zip(names, rng.random(600), strict=True)
            ],
        })  # fmt: skip

    a, b = table(0.02, 0.0), table(0.3, 0.1)
    for options in ({"by": "s"}, {"weights": "w"}):
        one, two = (part.with_columns(w=pl.Series(rng.random(600) + 0.5)) for part in (a, b))
        c = ts.compare(one, two, exclude=["w"] if "by" in options else ["s"], **options)
        assert c["at"].verdict == c["note"].verdict == "different"
        assert "between 3:00 and 3:59" in c["at"].view or "between 3:00 and 3:59" in str(c["at"].where)
        assert "capitals" in c["note"].view


def test_columns_behind_a_joint_difference_are_named_by_a_design():
    rng = np.random.default_rng(13)
    by = np.tile(["x", "y"], 400)
    z = rng.normal(size=(800, 2))
    a = {"by": by, "u": z[:, 0], "v": z[:, 0] + 0.3 * z[:, 1], "w": rng.normal(size=800)}
    b = {"by": by, "u": rng.normal(size=800), "v": 1.044 * rng.normal(size=800), "w": rng.normal(size=800)}
    c = ts.compare(a, b, by="by")
    assert c.joint.pvalue == 0.001
    assert {name for found in finding(c, "together") for name in found.columns} <= {"u", "v"}
    assert finding(c, "together")


def test_what_is_needed_is_counted_in_groups():
    """Ten rows of each group, all alike: what ten times as many rows of these groups hold is no more."""
    values, counts = np.random.default_rng(4).normal(size=(2, 60)), []
    for copies in (1, 10):
        a, b = (
            {"g": np.repeat([f"{side}{i}" for i in range(60)], copies), "v": np.repeat(values[k], copies)}
            for k, side in enumerate("ab")
        )
        found = ts.compare(a, b, groups="g", kinds={"v": "numeric"}, rng=0)
        assert found.verdict == "no difference found"
        needed = re.search(r"about ([\d,]+) groups in each table would show it", found.headline)
        assert needed, found.headline
        assert "rows in each table" not in found.headline
        counts.append(int(needed[1].replace(",", "")))
    assert counts[0] > 60
    assert counts[1] == pytest.approx(counts[0], rel=0.5)


@pytest.mark.parametrize("option", ["weights", "groups", "design_weights", "time"])
def test_a_small_random_part_of_a_table_is_seldom_different(option):
    rng, found = np.random.default_rng(4), []
    for rows in (3, 5, 10) * 2:
        z = {
            "extra": np.arange(300 + rows) if option == "groups" else rng.uniform(0.8, 1.25, 300 + rows),
            "value": rng.gamma(5, 15, 300 + rows).round(1),
            "other": rng.normal(size=300 + rows),
            "day": np.datetime64("2024-01-01") + rng.integers(0, 365, 300 + rows),
        }
        a, b = ({name: v[part] for name, v in z.items()} for part in (slice(0, 300), slice(300, None)))
        found.append(ts.compare(a, b, **{option: "extra"}))
    assert sum(c.verdict == "different" for c in found) <= 1
    untested = [any("no column was tested" in f.detail for f in c.findings) for c in found]
    assert untested[:2] == [option in ("design_weights", "time")] * 2


def test_one_row_within_strata_is_answered_as_without():
    a = {"by": ["a", "b"] * 20, "v": [0.37 * i * i for i in range(40)]}
    b = {"by": ["a"], "v": [3.3]}
    assert ts.compare(a, b, by="by").verdict == ts.compare(a, b, exclude=["by"]).verdict == "no difference found"
