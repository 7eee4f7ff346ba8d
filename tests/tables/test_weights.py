"""compare(weights=, design_weights=): what rows are worth changes what is found, and what is said of it."""

import numpy as np
import polars as pl
import pytest
from scipy.signal import lfilter

import twosample as ts
from tests.tables.shops import finding, shop, two_shops


@pytest.fixture(scope="module")
def tables():
    return two_shops()


def test_equal_weights_change_nothing(tables):
    a, b = (part.with_columns(w=pl.lit(2.5)) for part in tables)
    weighted, plain = ts.compare(a, b, weights="w"), ts.compare(a, b, exclude=["w"])
    assert [(c.pvalue, c.effect_high) for c in weighted.columns] == [(c.pvalue, c.effect_high) for c in plain.columns]
    assert weighted.joint.pvalue == plain.joint.pvalue


def test_weights_undo_a_selection():
    rng = np.random.default_rng(2)
    z = rng.normal(size=6000)
    kept = rng.random(6000) < np.where(z > 0, 0.5, 0.1)
    a = {"z": z[kept], "w": np.where(z[kept] > 0, 1.0, 5.0)}
    b = {"z": rng.normal(size=2000), "w": np.ones(2000)}
    assert ts.compare(a, b, exclude=["w"]).columns[0].effect > 0.1
    c = ts.compare(a, b, weights="w")
    assert c.columns[0].effect < 0.05
    assert "are worth" in finding(c, "weights")[0].detail


@pytest.mark.parametrize("option", ["by", "weights", "time"])
def test_sampled_rows_are_rows_and_not_what_they_are_worth(option):
    rng = np.random.default_rng(11)
    sides = [
        {"by": rng.choice(["x", "y"], 600), "weights": rng.exponential(size=600), "time": np.arange(600), "v": v}
        for v in lfilter([1], [1, -0.9], rng.normal(size=(2, 600)))
    ]
    c = ts.compare(*sides, select=["v"], **{option: option})
    assert (c.a.sampled, c.b.sampled) == (c.joint.m, c.joint.n) == (600, 600)
    assert any("600 and 600 rows, worth " in note for note in c.notes)


@pytest.mark.parametrize("rows", [1, 2, 300])
def test_weights_by_which_one_row_is_all_leave_nothing_to_test(rows):
    rng = np.random.default_rng(12)
    heavy = {"w": [1e6] + [1e-6] * (rows - 1), "v": rng.normal(size=rows)}
    c = ts.compare(heavy, {"w": rng.uniform(1, 2, 300), "v": rng.normal(size=300) + 9}, weights="w")
    assert c.verdict == "no difference found"
    assert any("fewer than two rows of equal weight: no column was tested" in f.detail for f in finding(c, "weights"))


def test_two_rows_of_unequal_weight_are_tested():
    rng = np.random.default_rng(12)
    two = {"w": [1.0, 2.0], "v": [9.0, 9.5]}
    c = ts.compare(two, {"w": rng.uniform(1, 2, 300), "v": rng.normal(size=300)}, weights="w")
    assert c["v"].pvalue <= 0.05
    a, b = ({"w": [1.0], "v": rng.normal(size=300)} for _ in range(2))
    b["w"] = a["w"] = [1.0, 1.0] + [0.001] * 298  # worth 2.6
    assert ts.compare(a, b, weights="w").verdict != "different"


def test_weights_of_a_design_undo_a_selection_that_relabelling_cannot():
    rng = np.random.default_rng(5)
    z = rng.normal(size=4000)
    kept = rng.random(4000) < np.where(z > 0, 0.5, 0.05)
    a = {"z": z[kept], "c": np.where(z[kept] > 0, "up", "down"), "w": np.where(z[kept] > 0, 1.0, 10.0)}
    y = rng.normal(size=3000)
    b = {"z": y, "c": np.where(y > 0, "up", "down"), "w": np.ones(3000)}
    assert ts.compare(a, b, exclude=["w"]).verdict == "different"
    c = ts.compare(a, b, design_weights="w")
    assert c.verdict == "no difference found"
    assert c.joint.null.name == "wild"
    assert "wild bootstrap" in " ".join(c.notes)
    assert "the variance of each table or by one for both" in " ".join(c.notes)
    assert "are worth" in finding(c, "weights")[0].detail
    picture = c["c"].picture
    assert dict(zip(picture.labels, picture.shares_a, strict=True))["up"] == pytest.approx(0.5, abs=0.05)
    b["z"] = y + 0.5
    assert ts.compare(a, b, design_weights="w").verdict == "different"


@pytest.mark.parametrize("option", ["weights", "design_weights"])
def test_weights_of_1_change_nothing_also_beside_strata(tables, option):
    a, b = (part.with_columns(w=pl.lit(1.0), one=pl.lit("x")) for part in tables)
    plain = ts.compare(a, b, exclude=["w", "one"])
    found = [ts.compare(a, b, exclude=["one"], **{option: "w"})]
    if option == "weights":
        found.append(ts.compare(a, b, weights="w", by="one"))
    for c in found:
        assert [column.pvalue for column in c.columns] == [column.pvalue for column in plain.columns]
        assert c.joint.pvalue == plain.joint.pvalue
    if option == "weights":
        one = ts.compare(a, b, by="weekend", weights="w", exclude=["one"])
        two = ts.compare(a, b, by="weekend", exclude=["one", "w"])
        assert [column.pvalue for column in one.columns] == [column.pvalue for column in two.columns]


def test_one_stratum_with_weights_is_the_comparison_by_weights(tables):
    rng = np.random.default_rng(8)
    a, b = (part.with_columns(w=pl.Series(rng.random(len(part)) + 0.2), one=pl.lit("x")) for part in tables)
    one, two = ts.compare(a, b, by="one", weights="w"), ts.compare(a, b, weights="w", exclude=["one"])
    assert [column.pvalue for column in one.columns] == [column.pvalue for column in two.columns]
    assert one.joint.pvalue == two.joint.pvalue
    assert one.headline == two.headline


def test_strata_with_weights(tables):
    """Another mix, and rows that were taken twice as often if they are large: both undone."""
    rng = np.random.default_rng(9)
    a, b = (shop(rng, 3000, mix) for mix in (0.2, 0.6))
    chance = np.where(a["sales"].to_numpy() > 1, 1.0, 0.5)
    kept = pl.Series(rng.random(3000) < chance)
    a = a.with_columns(w=pl.Series(1 / chance)).filter(kept)
    b = b.with_columns(w=pl.lit(1.0))
    assert ts.compare(a, b, by="weekend", exclude=["w"])["sales"].effect > 0.05
    c = ts.compare(a, b, by="weekend", weights="w")
    assert c["sales"].effect < 0.05
    assert {found.what for found in c.findings} >= {"mix", "weights"}


@pytest.mark.parametrize("option", ["weights", "design_weights"])
def test_a_weight_of_two_is_the_row_twice_in_pictures_and_shares(option):
    rng = np.random.default_rng(14)
    a = pl.DataFrame({"v": rng.normal(size=300), "c": rng.choice(["x", "y"], 300), "w": np.repeat([2.0, 1.0], 150)})
    b = pl.DataFrame({"v": rng.normal(size=200), "c": rng.choice(["x", "y"], 200), "w": np.ones(200)})
    weighted = ts.compare(a, b, **{option: "w"})
    twice = ts.compare(pl.concat([a, a.head(150)]), b, exclude=["w"])
    one, two = (c["c"].picture for c in (weighted, twice))
    for shares in ("shares_a", "shares_b"):
        mine, theirs = (dict(zip(part.labels, getattr(part, shares), strict=True)) for part in (one, two))
        assert mine == pytest.approx(theirs, abs=1e-3)


def design_in_strata(rng, shift=0.0):
    """Rows of the first table were taken by their values, and its strata have another mix."""
    found = []
    for slope, mix in ((1.0, [0.7, 0.2, 0.1]), (0.0, [0.2, 0.3, 0.5])):
        by, base = rng.choice(3, size=1600, p=mix), rng.normal(size=1600)
        chance = np.maximum(1 / (1 + np.exp(-slope * base)), 0.1)
        kept = np.flatnonzero(rng.random(1600) < chance)[:400]
        found.append({"by": by[kept].astype(str), "w": 1 / chance[kept], "v": base[kept] + 3 * by[kept]})
    found[1]["v"] += shift
    return found


def test_strata_with_weights_of_a_design_are_given_one_mix():
    a, b = design_in_strata(np.random.default_rng(0))
    assert ts.compare(a, b, select=["v"], design_weights="w").verdict == "different"  # the mix
    assert ts.compare(a, b, by="by", exclude=["w"]).verdict == "different"  # the selection
    c = ts.compare(a, b, by="by", design_weights="w")
    assert c.verdict == "no difference found"
    assert any(found.what == "mix" and "the mix differs" in found.detail for found in c.findings)
    assert any(note.startswith("3 strata of by: weights were changed") for note in c.notes)
    assert (
        ts.compare(*design_in_strata(np.random.default_rng(0), 0.7), by="by", design_weights="w").verdict == "different"
    )


def test_one_stratum_with_weights_of_a_design_changes_nothing():
    a, b = design_in_strata(np.random.default_rng(1))
    for side in (a, b):
        side["one"] = np.zeros(400)
    plain = ts.compare(a, b, select=["v"], design_weights="w")
    one = ts.compare(a, b, select=["v"], by="one", design_weights="w")
    assert [column.pvalue for column in one.columns] == [column.pvalue for column in plain.columns]
    assert one.joint.pvalue == plain.joint.pvalue
