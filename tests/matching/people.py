"""A table with a column of every kind, for the tests of matching."""

from datetime import date, timedelta

import numpy as np
import polars as pl


def people(n, seed, names=("age", "pay", "score", "children", "city", "note", "since", "happy")):
    rng = np.random.default_rng(seed)
    values = (
        rng.normal(40, 9, n),
        rng.gamma(2, 900, n),
        rng.uniform(size=n),
        rng.poisson(1.5, n),
        rng.choice(["Oslo", "Rome", "Bonn"], n, p=[0.5, 0.3, 0.2]),
        [f"call {a} about {b}" for a, b in zip(rng.choice(["Ann", "Bob"], n), rng.integers(0, 900, n), strict=True)],
        [date(2020, 1, 1) + timedelta(days=int(k)) for k in rng.integers(0, 700, n)],
        rng.random(n) < 0.3,
    )
    return pl.DataFrame(dict(zip(names, values, strict=True)))
