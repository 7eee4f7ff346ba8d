"""Several tables: pairs are those of compare, the level is that of all of them, clusters and groups."""

import json

import numpy as np
import polars as pl
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

import twosample as ts
from twosample.errors import InputError, OptionError
from twosample.tables.many import clustered


@pytest.fixture(scope="module")
def sites():
    rng = np.random.default_rng(0)
    means = {"north": 0.0, "south": 0.0, "east": 0.8, "west": 0.8}
    return {
        name: pl.DataFrame({"v": rng.normal(mean, size=300), "c": rng.choice(["x", "y"], 300)})
        for name, mean in means.items()
    }


@pytest.fixture(scope="module")
def many(sites):
    return ts.compare_many(sites)


def test_every_pair_is_that_of_compare(many, sites):
    c = ts.compare(sites["north"], sites["east"], level=0.05 / 6)
    assert many["north", "east"].headline == c.headline
    assert many["east", "north"].columns[0].pvalue == c.columns[0].pvalue
    pair = next(pair for pair in many.pairs if (pair.a, pair.b) == ("north", "east"))
    assert pair.verdict == c.verdict == "different"
    assert pair.most == ("v",)
    assert pair.effect == max(c.joint_effect.value, *(column.effect for column in c.columns))
    assert pair.pvalue == min(1, 6 * min(3 * c.joint.pvalue, *(column.adjusted_pvalue for column in c.columns)))


def test_groups_and_matrix(many):
    assert many.verdict == "different"
    assert many.headline == "Different: 4 of 6 pairs; 2 groups of tables that are not different among themselves."
    assert many.alike == (("north", "south"), ("east", "west"))
    E, P = many.matrix(), many.matrix("pvalue")
    assert (E == E.T).all()
    assert not E.diagonal().any()
    assert (P.diagonal() == 1).all()
    assert {frozenset(many.order[:2]), frozenset(many.order[2:])} == {frozenset({0, 1}), frozenset({2, 3})}
    assert [step[2] for step in many.tree] == pytest.approx(linkage(squareform(E), "average")[:, 2])
    with pytest.raises(OptionError, match="what="):
        many.matrix("verdict")
    with pytest.raises(OptionError, match="is no pair"):
        many["north", "moon"]


def test_one_apart(sites):
    m = ts.compare_many([sites["north"], sites["south"], sites["east"]])
    assert m.names == ("table 1", "table 2", "table 3")
    assert m.apart == ("table 3",)
    assert "  table 3  " in m.summary().splitlines()[2]  # names above the columns, as long as they fit
    assert "table 3 differs from most others" in m.headline


def test_files_that_are_given_again_are_numbered(sites, tmp_path):
    jan, feb = str(tmp_path / "jan.csv"), str(tmp_path / "feb.csv")
    sites["north"].write_csv(jan)
    sites["east"].write_csv(feb)
    m = ts.compare_many([jan, jan, feb])
    assert m.names == (jan, f"{jan} #2", feb)
    assert m.apart == (feb,)
    lines = m.summary().splitlines()
    assert lines[2].split() == [line.split()[0] for line in lines[3:6]] == ["ABC"[i] for i in m.order]
    assert lines[2].split()[0] == "C"  # letters as given, whatever the order of rows


def test_all_tables_differ_and_words_say_in_which_column():
    rng = np.random.default_rng(3)
    tables = {str(i): {"v": rng.normal(2 * i, size=200), "u": rng.normal(size=200)} for i in (1, 2, 3)}
    m = ts.compare_many(tables)
    assert m.headline == "Different: all 3 tables differ from each other; most: v."
    lines = m.summary().splitlines()
    assert lines[2].split() == [line.split()[0] for line in lines[3:6]] == [m.names[i] for i in m.order]
    assert lines[lines.index("Columns that differ most") + 1] == "  1, 3: v"
    assert "Not different among themselves" not in m.summary()
    two = ts.compare_many({"x": tables["1"], "y": tables["2"]})
    assert two.headline == "Different: both tables differ; most: v."


def test_tables_without_a_column_in_common_are_named():
    tables = {"spring": {"v": [1.0, 2.0, 3.0]}, "autumn": {"w": [1.0, 2.0, 3.0]}}
    with pytest.raises(InputError, match="spring and autumn have no column that can be compared"):
        ts.compare_many(tables)


def test_groups_of_one_table_are_tables(many, sites):
    whole = pl.concat([part.with_columns(site=pl.lit(name)) for name, part in sites.items()])
    m = ts.compare_many(whole, groups="site")
    assert m.names == ("east", "north", "south", "west")
    assert m["north", "east"].columns[0].effect == pytest.approx(many["north", "east"].columns[0].effect)
    assert "site" not in {column.name for column in m["north", "east"].columns}


def test_groups_of_rows_and_times_are_those_of_compare():
    rng = np.random.default_rng(4)
    tables = {}
    for i, name in enumerate("abc"):
        unit = np.repeat(np.arange(12), 8)
        v = rng.normal(size=12)[unit] + 0.3 * rng.normal(size=96)
        tables[name] = {"p": [f"{name}{u}" for u in unit], "t": np.arange(96), "v": v + 3 * (i == 2)}
    m = ts.compare_many(tables, group="p", exclude=["t"])
    assert m.apart == ("c",)
    alone = ts.compare(tables["a"], tables["b"], groups="p", exclude=["t"], level=0.05 / 3)
    assert m["a", "b"].columns[0].pvalue == alone.columns[0].pvalue
    parts = pl.concat([pl.DataFrame(part).with_columns(site=pl.lit(name)) for name, part in tables.items()])
    assert ts.compare_many(parts, groups="site", group="p", exclude=["t"]).apart == ("c",)
    timed = ts.compare_many(tables, time="t", exclude=["p"])["a", "b"]
    assert (
        timed.columns[0].pvalue
        == ts.compare(tables["a"], tables["b"], time="t", exclude=["p"], level=0.05 / 3).columns[0].pvalue
    )


def test_the_warning_about_series_names_the_option_that_there_is():
    series = {"v": np.repeat(np.random.default_rng(0).normal(size=60), 20)}
    other = {"v": np.random.default_rng(1).normal(5, size=600)}
    for found, option in ((ts.compare_many([series, other])["table 1", "table 2"], "group"),
                          (ts.compare(series, other), "groups")):  # fmt: skip
        assert any(f"give time= or {option}=" in part.detail for part in found.findings)


def test_missing_groups_and_groups_of_one_row():
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"g": ["a"] * 30 + [None] * 30 + ["z"], "v": rng.normal(size=61)})
    m = ts.compare_many(table, groups="g")
    assert m.names == ("(missing)", "a")
    assert m.findings[0].detail == "z: one row only"


def test_what_comes_out(many):
    found = json.loads(many.to_json())
    assert found["schema"] == 1
    assert len(found["pairs"]) == 6
    assert found["apart"] == list(many.apart)
    assert many.to_frame().shape[0] == 6
    assert "≠" in many.summary()
    assert str(many).startswith("Different: 4 of 6 pairs")


def test_the_page(many, tmp_path):
    from tests.report.test_page import ALLOWED, Page

    many.report(tmp_path / "many.html")
    page = Page((tmp_path / "many.html").read_text(encoding="utf-8"))
    assert {tag for tag, _ in page.elements} <= ALLOWED
    assert "Different" in page.text
    assert page.text.count("≠") >= 8
    assert len(page.all("line")) == 3 * 3  # three for every step


def test_hostile_names_are_escaped():
    rng = np.random.default_rng(2)
    name = "<script>alert(1)</script>"
    m = ts.compare_many({name: {"v": rng.normal(size=30)}, "b\x1b[31m": {"v": rng.normal(size=30)}})
    from twosample.report import html

    text = html(m)
    assert "<script" not in text
    assert "\x1b" not in text + m.summary()


def test_steps_are_told(sites):
    seen = []
    ts.compare_many([*sites.values()][:3], progress=lambda *step: seen.append(step))
    assert [done for done, _, _ in seen] == [0, 1, 2, 3]
    assert {count for _, count, _ in seen} == {3}


def test_all_tables_at_once_is_one_test(sites):
    """That of arrays, for one column of numbers; the same rows of all tables, and no part of the verdict."""
    tables = {name: part.select("v") for name, part in sites.items()}
    m = ts.compare_many(tables)
    r = ts.ksample_test({name: part["v"].to_numpy() for name, part in tables.items()}, pairs=False, rng=0)
    assert m.together.statistic == pytest.approx(r.statistic, rel=1e-3)  # a low-rank kernel
    assert m.together.pvalue == pytest.approx(r.pvalue, abs=0.01)
    assert m.together.rejected
    assert "All tables at once: p = 0.001, not all alike" in m.summary()
    assert json.loads(m.to_json())["together"]["pvalue"] == m.together.pvalue
    assert any(note.startswith("All tables at once: ") for note in m.notes)


def test_all_at_once_goes_with_strata_and_weights_and_says_where_there_is_none():
    rng = np.random.default_rng(6)
    tables = {}
    for name, share in zip("abc", (0.2, 0.5, 0.8), strict=True):
        weekend = rng.random(200) < share
        tables[name] = {
            "by": weekend.astype(str), "w": rng.uniform(0.5, 2, 200), "p": [f"{name}{i // 4}" for i in range(200)],
            "v": rng.normal(size=200) + 2 * weekend,
        }  # fmt: skip
    assert ts.compare_many(tables, select=["v"]).together.rejected
    for options in ({"by": "by"}, {"by": "by", "weights": "w"}):
        assert not ts.compare_many(tables, select=["v"], **options).together.rejected
    m = ts.compare_many(tables, select=["v"], group="p")
    assert m.together is None
    assert "There is no test of all tables at once with group=." in m.notes
    tables["c"] = {"by": tables["c"]["by"], "u": tables["c"]["v"], "c": ["x", "y"] * 100}
    tables["a"]["c"] = tables["b"]["u"] = [1.0, 2.0] * 100
    lost = ts.compare_many(tables, schema="ignore", exclude=["by", "w", "p"])
    assert lost.together is None
    assert any("were not tested" in note and "no column in common" in note for note in lost.notes)


PARTS = {"v": [1.0, None], "g": ["a", "b"]}


@pytest.mark.parametrize(
    ("tables", "options", "error", "said"),
    [
        (3, {}, Exception, "tables is a int"),
        ([{"v": [1.0, 2.0]}], {}, InputError, "tables holds 1 table"),
        ([{"v": [1.0, 2.0]}] * 41, {}, InputError, "at most 40"),
        ({"v": [1.0, 2.0], "g": ["a", "a"]}, {"groups": "h"}, InputError, "groups: .* has no column 'h'"),
        ({"v": [1.0, 2.0], "g": ["a", "a"]}, {"groups": "g"}, InputError, "groups: column 'g' makes 1"),
        ({"v": [1.0, 2.0]}, {"groups": 3}, OptionError, "groups=3"),
        ([PARTS] * 2, {"group": 3}, OptionError, "^group=3"),
        ([PARTS] * 2, {"group": "h"}, InputError, "^group: .* has no column 'h'"),
        ([PARTS] * 2, {"group": "g"}, InputError, r"^group: 2 group\(s\) of 'g' occur in both"),
        ([PARTS] * 2, {"group": "v"}, InputError, "^group: column 'v' has missing"),
        ([PARTS] * 2, {"group": "g", "time": "v"}, OptionError, "^time= and group= together"),
        ([PARTS] * 2, {"group": "g", "by": "g"}, OptionError, "`by`, `weights` or `group` name a column twice"),
        ([PARTS] * 2, {"group": "g", "select": ["g"]}, OptionError, "stand in `group` as well"),
    ],
)
def test_what_is_refused(tables, options, error, said):
    with pytest.raises(error, match=said):
        ts.compare_many(tables, **options)


def test_clusters_of_two():
    tree, order = clustered(np.array([[0.0, 0.3], [0.3, 0.0]]))
    assert tree == ((0, 1, 0.3, 2),)
    assert sorted(order) == [0, 1]


@pytest.mark.slow
def test_level_of_all_pairs():
    wrong = 0
    for i in range(100):
        rng = np.random.default_rng([24, i])
        tables = [{"v": rng.normal(size=60), "k": rng.poisson(2, 60)} for _ in range(4)]
        wrong += ts.compare_many(tables, rng=i).verdict == "different"
    assert wrong <= 13  # 1 in 1000 at a level of 0.05


def test_documents_of_several_tables(many, sites):
    from xml.etree import ElementTree as ET

    from twosample.report import junit, markdown

    text = markdown(many)
    assert text.startswith("### ")
    assert text.count("\n| ") == 1 + len(many.pairs)
    assert "`north` and `east`" in text
    assert "\n\nAll tables at once: p = 0.001, not all alike.\n" in text
    suites = ET.fromstring(junit(many))
    assert suites.get("tests") == "6"
    assert int(suites.get("failures")) == sum(pair.verdict == "different" for pair in many.pairs) == 4
    hostile = ts.compare_many({"<b>|x": sites["north"], "`y`": sites["south"], "@z": sites["east"]})
    assert "<b>" not in markdown(hostile)
    assert ET.fromstring(junit(hostile)).get("tests") == "3"


def test_all_tables_but_the_first_keep_the_contract(sites):
    rules = ts.learn(sites["north"])
    wild = sites["south"].with_columns(v=pl.lit(1e9))
    m = ts.compare_many({"north": sites["north"], "south": sites["south"], "wild": wild}, contract=rules)
    assert m["north", "wild"].violations
    assert not m["south", "wild"].violations  # said once
    with pytest.raises(OptionError, match="contract= and groups="):
        ts.compare_many(sites["north"], groups="c", contract=rules)


def test_the_joint_test_can_tell_among_many_pairs():
    """Ten tables of which one has another correlation and nothing else: 45 pairs, and no column differs."""
    rng = np.random.default_rng(5)
    tables = {}
    for i in range(10):
        z = rng.normal(size=(300, 2))
        tables[f"t{i}"] = {"u": z[:, 0], "v": z[:, 1] if i else 0.9 * z[:, 0] + np.sqrt(1 - 0.81) * z[:, 1]}
    m = ts.compare_many(tables)
    assert m.apart == ("t0",)
    assert {pair.verdict == "different" for pair in m.pairs if "t0" in (pair.a, pair.b)} == {True}
    assert sum(pair.verdict == "different" for pair in m.pairs) == 9
    assert "cannot call it" not in " ".join(m.notes)


def test_more_rows_than_are_held_become_a_summary(monkeypatch, sites):
    import twosample.tables.many as module

    whole = ts.compare_many(sites)
    monkeypatch.setattr(module, "HELD", 200)
    m = ts.compare_many(sites)
    assert m.rows == (300,) * 4
    assert [pair.verdict for pair in m.pairs] == [pair.verdict for pair in whole.pairs]
    assert "a summary of all rows" in m.notes[0]


def test_weights_of_several_tables(sites):
    tables = {name: table.with_columns(w=pl.lit(1.0)) for name, table in sites.items()}
    plain, weighted = ts.compare_many(sites), ts.compare_many(tables, weights="w")
    assert [pair.pvalue for pair in plain.pairs] == [pair.pvalue for pair in weighted.pairs]
