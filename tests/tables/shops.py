"""Two tables of shops whose weekends differ in number, and what a comparison found in them."""

import numpy as np
import polars as pl


def shop(rng, rows, weekends, shift=0.0):
    weekend = rng.random(rows) < weekends
    return pl.DataFrame({
        "weekend": np.where(weekend, "yes", "no"),
        "sales": rng.normal(size=rows) + 2 * weekend + shift,
        "kind": np.where(rng.random(rows) < 0.3 + 0.3 * weekend, "A", np.where(rng.random(rows) < 0.5, "B", "C")),
        "rating": pl.Series(np.where(rng.random(rows) < 0.1, np.nan, rng.poisson(2.0 + weekend))).fill_nan(None),
    })  # fmt: skip


def two_shops():
    rng = np.random.default_rng(0)
    return shop(rng, 800, 0.2), shop(rng, 700, 0.6)


def finding(c, what):
    return [found for found in c.findings if found.what == what]
