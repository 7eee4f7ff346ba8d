"""Comparisons made by hand: every field can be as hostile as a file can make it."""

from dataclasses import replace
from functools import cache

import numpy as np

import twosample as ts
from twosample.tables.parts import (
    ColumnComparison,
    ColumnFacts,
    Finding,
    MissingComparison,
    NumberPicture,
    Place,
    SharePicture,
    SpeakingRow,
    TableFacts,
)
from twosample.tables.results import Comparison
from twosample.tables.sentences import told

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=http://evil.example/x.png onerror=alert(1)>",
    "\"onmouseover=alert(1) x='",
    "a\nb\r\nc\td",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnp.exe",
    "=cmd|' /C calc'!A0",
    "x" * 10_000,
    "",
    "  spaces  ",
    "{{ 7 * 7 }}{% raw %}",
    "]]><x>&amp;&#60;",
    "| pipe `tick` *star* _line_ [a](http://evil.example) @someone #1",
    "\x00\x0b\x7f\x85\ud800\ufffe\uffff\u2028",
    "שלום عالم",
    "名前🙂👩\u200d👧",
    "</style></svg></title><b>",
    "javascript:alert(1)",
    "'; DROP TABLE students; --",
]


FACTS = ColumnFacts(
    1000, 0, 40.5, 9.0, 40.0, {0.01: 20.0, 0.05: 25.0, 0.25: 34.0, 0.75: 46.0, 0.95: 55.0, 0.99: 61.0}, 1.5, 99.25, 321
)


@cache
def joint():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    return ts.mmd_test(x, y, rng=0), ts.effect_size(x, y)


def numbers(dates=False, bins=40):
    edges = np.linspace(0, 86_400 * 400.0, bins + 1) + 1.7e9 if dates else np.linspace(-3, 3, bins + 1)
    middle = np.linspace(-3, 3, bins)
    a, b = np.exp(-(middle**2) / 2), np.exp(-((middle - 1) ** 2) / 2)
    grid = np.linspace(edges[0], edges[-1], 100)
    w = np.exp(-(np.linspace(-3, 3, 100) ** 2)) - np.exp(-((np.linspace(-3, 3, 100) - 1) ** 2))
    return NumberPicture(*(tuple(map(float, v)) for v in (edges, a, b, grid, w)), dates=dates)


def shares(labels=("Oslo", "Rome"), words=False):
    n = len(labels)
    a, b = [0.5 / max(n, 1)] * n, [0.6 / max(n, 1)] * n
    other = (None, None) if words else (0.4, 0.2)
    return SharePicture(tuple(labels), tuple(a), tuple(b), *other, 0.1, 0.2, words=words)


def missing(verdict="different"):
    return MissingComparison(10, 20, 0.1, 0.2, 1e-7, 3e-7, 2e-7, 0.12, 0.08, 0.16, verdict)


def column(name="age", verdict="different", picture=None, gaps=None, kind="numeric", **changes):
    size = {"different": (0.2, 0.15, 0.25), "same": (0.01, 0.0, 0.03)}.get(verdict, (0.05, 0.0, 0.12))
    fields = {
        "name": name, "kind": kind, "statistic": 0.01, "pvalue": 0.001, "adjusted_pvalue": 0.004, "fdr_pvalue": 0.002,
        "effect": size[0], "effect_low": size[1], "effect_high": size[2], "verdict": verdict, "rows_a": 1000,
        "rows_b": 900, "missing": gaps, "method": "Gaussian kernel, bandwidth 1; all rows; permutation",
        "picture": picture, "where": (told("1 to 2", 0.03, 0.09, ("A", "B"), 1.0, 2.0),),
        "a": FACTS, "b": replace(FACTS, mean=41.25, missing=90, distinct=None), "wasserstein": 1.25,
    }  # fmt: skip
    fields |= changes
    return ColumnComparison(**{"values_verdict": fields["verdict"], **fields})


def comparison(columns=None, verdict="different", **changes):
    result, effect = joint()
    if columns is None:
        columns = (
            column("age", picture=numbers()),
            column("day", picture=numbers(dates=True), kind="datetime"),
            column("city", picture=shares(), gaps=missing(), kind="categorical"),
            column("note", "same", picture=shares(("late", "good"), words=True), kind="text"),
            column("rare", "no difference found"),
        )
    fields = {
        "verdict": verdict, "headline": "Different: 3 of 5 columns; most: age.", "joint": result,
        "joint_effect": effect, "joint_verdict": verdict, "columns": tuple(columns),
        "findings": (Finding("lost", "height", "only in the first table"), Finding("small", None, "tiny")),
        "a": TableFacts("january.csv", 1000, 6, 1000, "polars"),
        "b": TableFacts("february.parquet", 900, 5, 500, "duckdb"),
        "level": 0.05, "margin": 0.1, "joint_margin": 0.05, "seed": 7,
        "speaking": (
            SpeakingRow("b", -1.0, 0, 17, {"age": 71.25, "city": "Rome", "note": None, "height": True}),
            SpeakingRow("a", 0.5, 1, None, {"age": 20.0, "city": "Oslo", "note": "a long note about parcels"}),
        ),
        "versions": (("twosample", "0.1.0"), ("numpy", "2.4.6")), "notes": ("a note",),
    }  # fmt: skip
    return Comparison(**{**fields, **changes})


def hostile(most=None):
    """A comparison where every text is hostile."""
    texts = HOSTILE if most is None else (HOSTILE * most)[:most]
    columns = [
        column(
            text, ("different", "same", "no difference found")[index % 3],
            picture=(numbers(), shares(tuple(HOSTILE)), shares(tuple(HOSTILE), words=True))[index % 3],
            gaps=missing("no difference found") if index % 2 else None, method=text,
            where=(Place(text, 0.1, 0.2, 1.0, 2.0),),
        )
        for index, text in enumerate(texts)
    ]  # fmt: skip
    values = {text: text for text in texts}
    everything = "".join(HOSTILE[:7] + HOSTILE[8:])
    kinds = ("lost", "added", "changed", "retyped", "left out", "constant", "small")
    return comparison(
        columns,
        headline=f"Different: {everything}",
        findings=tuple(Finding(kinds[index % 7], text, text) for index, text in enumerate(texts)),
        a=TableFacts(everything, 10, 19, 10, everything),
        b=TableFacts(HOSTILE[7], 10, 19, 10, "polars"),
        speaking=tuple(SpeakingRow("ab"[index % 2], 0.5, index, index, values) for index in range(30)),
        versions=tuple((text, text) for text in HOSTILE),
        notes=tuple(texts),
        citation=everything,
    )
