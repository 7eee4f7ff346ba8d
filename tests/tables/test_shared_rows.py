"""Tables that have rows in common: a part of a table is not called different because it repeats its rows."""

import numpy as np
import polars as pl

import twosample as ts
from twosample.tables.joint import shared_rows


def test_a_part_of_a_table_is_not_different():
    said = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        full = pl.DataFrame({"x": rng.normal(size=600), "y": rng.normal(size=600), "k": rng.choice(list("abc"), 600)})
        c = ts.compare(full, full[rng.permutation(600)[:150]])
        assert any("rows in common: 25% of A" in note for note in c.notes)
        said.append(c.verdict == "different")
    assert sum(said) <= 1


def test_repeated_rows_of_one_table_are_still_found():
    rng = np.random.default_rng(0)
    a, b = (pl.DataFrame(rng.normal(size=(800, 3)), schema=list("xyz")) for _ in range(2))
    c = ts.compare(a, b[:600].vstack(b[:200]))
    assert c.verdict == "different"
    assert "occur more than once" in c.headline
    assert not any("in common" in note for note in c.notes)


def test_rows_that_repeat_everywhere_are_shared_by_chance():
    rng = np.random.default_rng(1)
    found = [shared_rows(pl.DataFrame({"x": rng.integers(0, 400, 500)}), 200) for _ in range(200)]
    assert sum(part is not None for part in found) <= 2
