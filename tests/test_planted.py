"""The suite of planted bugs: every bug spoils the columns that it says and no other."""

import polars as pl
import pytest

from benchmarks.planted.answers import Answer
from benchmarks.planted.bugs import BUGS, Bug
from benchmarks.planted.command import Outcome, by_family, by_table, by_tool, halves, unchanged
from benchmarks.planted.drawn import FAMILIES, drawn_bugs
from benchmarks.planted.tables import TABLES
from experiments.data import directory

ROWS = 2000
WHOLE = ("duplicated rows", "selection", "schema", "vanished category")
"""Families that take other rows, or other columns."""

needs_data = pytest.mark.skipif(directory() is None, reason="needs the data beside the repository")


def names(bug):
    return f"{bug.table}: {bug.what}"


def test_every_family_has_three_bugs():
    families = [bug.family for bug in BUGS]
    assert len(BUGS) == len({names(bug) for bug in BUGS}) == 72
    assert {families.count(family) for family in families} == {3}


@needs_data
@pytest.mark.parametrize("bug", BUGS, ids=names)
def test_a_bug_spoils_its_columns_and_no_other(bug):
    before = halves(Bug(bug.family, bug.table, bug.what, lambda b, spare, rng: b), ROWS, 1)[1]
    a, after = halves(bug, ROWS, 1)
    assert len(a) == len(before) == len(after) == ROWS
    assert after.columns != before.columns or after.schema != before.schema or not after.equals(before)
    if bug.family not in WHOLE and bug.columns:
        others = [name for name in before.columns if name not in bug.columns]
        assert after.select(others).equals(before.select(others))


@needs_data
def test_drawn_bugs_are_as_many_as_asked_and_spoil_what_they_say():
    drawn = list(drawn_bugs(2, 5))
    assert [names(bug) for bug in drawn] == [names(bug) for bug in drawn_bugs(2, 5)]
    assert len(drawn) == 2 * len(FAMILIES)
    assert {bug.family for bug in drawn} == {bug.family for bug in BUGS}
    for bug in drawn[::5]:
        before = halves(Bug(bug.family, bug.table, bug.what, lambda b, spare, rng: b), ROWS, 1)[1]
        after = halves(bug, ROWS, 1)[1]
        if bug.family not in WHOLE and bug.columns:
            others = [name for name in before.columns if name not in bug.columns]
            assert after.select(others).equals(before.select(others))


@needs_data
def test_unchanged_pairs_have_no_row_in_common_and_differ_by_draw():
    first, second = (halves(bug, ROWS, 1) for bug in unchanged(2)[:2])
    assert not first[0].equals(second[0])
    table = TABLES["census"]()
    assert pl.concat(first).height == 2 * ROWS
    assert pl.concat(first).schema == table.schema


def test_tables_count_what_was_said():
    bug = Bug("shift", "t", "w", lambda b, spare, rng: b, ("x",))
    quiet = Bug("unchanged halves", "t", "d", lambda b, spare, rng: b)
    found = [
        Outcome.of("tool", bug, 5000, Answer(True, True, ("y", "x"))),
        Outcome.of("tool", bug, 5000, Answer(False, True, ())),
        Outcome.of("tool", quiet, 5000, Answer(False, True, ("z",))),
    ]
    assert list(by_tool(found))[1] == "| tool | 5,000 | 50 | 100 | 0 | 50 | 0 | 100 |"
    assert list(by_family(found))[1:] == ["| shift | 1 of 2 (2) |", "| unchanged halves | 0 of 1 (1) |"]


def test_halves_are_counted_by_table():
    bugs = unchanged(3, ["census", "forest"])
    alarm, quiet = Answer(True, True, ("age",)), Answer(False, False, ())
    found = [
        Outcome.of("compare", bug, rows, alarm if i == rows == 0 else quiet)
        for rows in (0, 9)
        for i, bug in enumerate(bugs)
    ]
    lines = list(by_table(found))
    assert lines[1:] == ["| census | 1 of 3 | 0 of 3 |", "| forest | 0 of 3 | 0 of 3 |", "| all | 1 of 6 | 0 of 6 |"]
