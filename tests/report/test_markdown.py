"""Markdown for pull requests, and JUnit for machines."""

import re
from html import unescape
from xml.etree import ElementTree as ET

from tests.report.synthetic import HOSTILE, column, comparison, hostile, missing
from twosample._shown import shown
from twosample.report import junit, markdown
from twosample.report._markdown import code, plain


def test_markdown():
    text = markdown(comparison())
    lines = text.splitlines()
    assert lines[0] == "### ≠ Different: 3 of 5 columns; most: age."
    assert lines[2] == "A is `january.csv` (1,000 rows); B is `february.parquet` (900 rows)."
    assert "| `age` | ≠ different | 0.200 (0.150 to 0.250) | 0.004 | 1 to 2 in 3.0 % of A and in 9.0 % of B |" in lines
    assert (
        "| `city`, missing values | ≠ different | 0.120 (0.080 to 0.160) | 3×10⁻⁷ | in 10 % of A and in 20 % of B |"
        in lines
    )
    assert "| `rare` | ? not found | 0.050 (0.000 to 0.120) | 0.004 |  |" in lines
    row = "| `age` | A | 1,000 | 0 (0.0 %) | 40.50 | 9.00 | 1.5 | 20.0 | 25.0 | 34.0 | 40.0 |"
    assert any(line.startswith(row) and line.endswith(" | 321 | 1.25 |") for line in lines)
    assert "- lost `height`: only in the first table" in lines
    assert "seed 7" in text


def test_markdown_stays_short():
    text = markdown(hostile(3000))
    assert len(text) < 65_536  # what GitHub takes as a comment
    assert "and 2,985 more columns" in text


def test_hostile_markdown_is_only_text():
    text = markdown(hostile())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {6, 18}
    bare = re.sub(r"</?(code|sub|details|summary)>", "", text)
    assert "<" not in bare
    assert ">" not in bare
    assert "://" not in text
    assert "@" not in text
    assert "](" not in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_code_and_plain_keep_the_text():
    for raw in HOSTILE:
        inside = re.sub(r"^(<code>|`)|(</code>|`)$", "", code(raw, 10**6))
        assert unescape(inside) == (shown(raw) or "(no name)")
        assert unescape(plain(raw).removeprefix("<code>").removesuffix("</code>")) == shown(raw)


def test_junit():
    suites = ET.fromstring(junit(comparison()))
    suite = suites.find("testsuite")
    assert suite.get("name") == "january.csv against february.parquet"
    counts = {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": 6, "failures": 4, "errors": 0, "skipped": 0}
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert list(cases) == ["all columns together", "age", "day", "city", "note", "rare"]
    assert cases["age"].find("failure").get("type") == "different"
    assert "missing values" in cases["city"].find("failure").get("message")
    assert len(cases["note"]) == 0
    assert cases["rare"].find("system-out").text.startswith("no difference found: effect")
    assert "height" in suite.find("system-out").text
    assert all(case.get("classname").startswith("twosample.compare") for case in cases.values())


def test_junit_without_a_joint_test_and_with_twins():
    result = comparison([column("a"), column("a", "same", gaps=missing("same"))], joint=None, joint_effect=None)
    cases = ET.fromstring(junit(result)).findall(".//testcase")
    assert [case.get("name") for case in cases] == ["a", "a (2)"]


def test_hostile_junit_is_well_formed():
    suites = ET.fromstring(junit(hostile()).encode("utf-8"))
    names = [case.get("name") for case in suites.iter("testcase")]
    assert len(names) == len(HOSTILE) + 1
    assert names[1:4] == HOSTILE[:3]
    assert names[4] == "a␊b␍␊c␉d"
    assert {element.tag for element in suites.iter()} == {
        "testsuites", "testsuite", "testcase", "failure", "system-out"
    }  # fmt: skip
