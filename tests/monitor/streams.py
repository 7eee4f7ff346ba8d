"""Streams of batches in which nothing changes, though days vary, rows depend on each other, and weekdays differ."""

import numpy as np
import polars as pl


def quiet(rng, batches, *, columns=3, vary=0.15, rows=50, memory=0.0, weekdays=0):
    """``(batches, 2 * columns)`` means and shares above 0 of rows; strata. Days vary by `vary` deviations."""
    centre = rng.normal(0, vary, (batches, 1, columns))
    strata = np.arange(batches) % max(weekdays, 1)
    if weekdays:
        centre += 2.0 * rng.normal(size=(weekdays, columns))[strata][:, None]
    noise = rng.normal(size=(batches, rows, columns))
    for t in range(1, rows if memory else 0):
        noise[:, t] = memory * noise[:, t - 1] + np.sqrt(1 - memory**2) * noise[:, t]
    values = centre + noise
    return np.concatenate([values.mean(axis=1), (values > 0).mean(axis=1)], axis=1), strata


KINDS = {
    "independent rows": {"vary": 0.0},
    "days vary": {"vary": 0.15},
    "rows depend": {"vary": 0.15, "memory": 0.9},
    "weekdays": {"vary": 0.15, "weekdays": 7},
}


def views(columns=3):
    """One view for each column, and one of everything."""
    return [np.array([j, columns + j]) for j in range(columns)] + [np.arange(2 * columns)]


def day(rng, shift=0.0, rows=150, vary=0.1, **more):
    """A batch as a frame of three columns and whatever else is given."""
    return pl.DataFrame(
        {
            "price": rng.normal(rng.normal(0, vary) + shift, 1, rows),
            "items": rng.poisson(3, rows),
            "city": rng.choice(["Oslo", "Rome", "Lima"], rows),
            **more,
        }
    )


def days(seed, count, **options):
    rng = np.random.default_rng(seed)
    return [day(rng, **options) for _ in range(count)]
