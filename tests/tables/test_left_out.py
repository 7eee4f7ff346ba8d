"""What the user leaves out is not shown; a column without a name is a column."""

import numpy as np
import polars as pl

import twosample as ts


def tables(rng):
    for shift in (0.0, 2.0):
        yield pl.DataFrame({"": rng.normal(size=60), "x": rng.normal(shift, size=60), "secret": rng.normal(size=60)})


def test_excluded_columns_do_not_appear_in_rows():
    c = ts.compare(*tables(np.random.default_rng(0)), exclude=["secret"])
    assert c.rows(5)
    assert all("secret" not in row.values for row in c.speaking)
    assert "secret" not in c.to_json()


def test_selected_columns_only():
    c = ts.compare(*tables(np.random.default_rng(0)), select=["x"])
    assert all(set(row.values) == {"x"} for row in c.speaking)


def test_a_column_without_a_name():
    c = ts.compare(*tables(np.random.default_rng(0)))
    assert c[""].verdict in ("same", "no difference found")
    assert c["x"].verdict == "different"
