"""Identifiers: their values are not compared, how they are written is."""

import numpy as np
import pytest

import twosample as ts


def table(seed, write, rows=400):
    rng = np.random.default_rng(seed)
    return {"id": [write(int(k)) for k in rng.choice(10**7, rows, replace=False)], "x": rng.normal(size=rows)}


def code(k):
    return f"AB-{k:07d}"


def mixed(k):
    return f"{k * 2654435761 % 2**40:010x}"


def said(a, b, **options):
    c = ts.compare(a, b, **options)
    return c, [(part.what, part.detail) for part in c.findings if part.what in ("changed", "wording")]


@pytest.mark.parametrize("write", [code, mixed, lambda k: f"{k % 97}{code(k)}"])
def test_identifiers_of_one_form_are_left_alone(write):
    _, found = said(table(0, write), table(1, write))
    assert not found


@pytest.mark.slow
def test_false_words_about_identifiers_are_rare():
    wrong = sum(bool(said(table(2 * i, mixed, 60), table(2 * i + 1, mixed, 80))[1]) for i in range(300))
    assert wrong <= 3


def test_another_form_is_a_change_of_the_schema():
    c, found = said(table(0, code), table(1, lambda k: f"ab{k}"))
    assert c.verdict == "different"
    assert "'id' was written as in 'AB-" in c.headline
    assert found[0][0] == "changed"
    assert not said(table(0, code), table(1, lambda k: f"ab{k}"), schema="ignore")[1]
    numbers = {"id": np.arange(400), "x": np.zeros(400)}
    assert "was identifier (Int64), is identifier (String)" in ts.compare(numbers, table(1, code)).headline


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[:8], "identifiers are 8 letters long in none of A and in 10 % of B"),
        (str.lower, "identifiers are written in capitals in all of A and in 90 % of B"),
        (lambda text: f"{text} ", "written with blanks at an end in none of A and in 10 % of B"),
    ],
)
def test_damage_to_some_identifiers_is_a_finding(damage, words):
    a, b = table(0, code), table(1, code)
    b["id"][:40] = [damage(text) for text in b["id"][:40]]
    c, found = said(a, b)
    assert c.verdict != "different"
    assert [what for what, _ in found] == ["wording"]
    assert words in found[0][1]


def test_numbers_that_go_on_are_no_finding():
    a, b = {"id": np.arange(900), "x": np.arange(900) % 7}, {"id": np.arange(900, 1800), "x": np.arange(900) % 7}
    assert not said(a, b)[1]


@pytest.mark.parametrize(("share", "words"), [(0.2, "6 letters long in none of A and in "), (1.0, "and in all of B")])
def test_identifiers_that_are_cut_short_are_no_longer_unique_and_are_looked_at(share, words):
    a, b = table(0, code, 2000), table(1, code, 2000)
    cut = np.random.default_rng(2).random(2000) < share
    b["id"] = [word[:6] if short else word for word, short in zip(b["id"], cut, strict=True)]
    c, found = said(a, b)
    assert "id" not in [column.name for column in c.columns]
    assert [what for what, _ in found] == ["wording"]
    assert words in found[0][1]
    again, found = said(b, a)
    assert [what for what, _ in found] == ["wording"]
    assert not again.schema.changed


def test_words_in_the_place_of_identifiers_are_a_change():
    a = table(0, code)
    _, found = said(a, a | {"id": ["red", "green"] * 200})
    assert [what for what, _ in found] == ["changed"]
