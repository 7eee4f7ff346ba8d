"""Pairs of samples of any number of rows that differ in one known way each: what planning is tried on.

None of them was looked at when the curve of `twosample.planning.resampling` was chosen.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

Generator = np.random.Generator
Sample = np.ndarray | pl.DataFrame
Draw = Callable[[Generator, int, int], tuple[Sample, Sample]]
"""Samples of m and n rows."""


def shift(d: int, distance: float, shifted: int | None = None) -> Draw:
    """Normal samples whose means are so far apart, in all columns alike or in the first few."""
    step = np.zeros(d)
    step[:shifted] = distance / np.sqrt(shifted or d)
    return lambda rng, m, n: (rng.normal(size=(m, d)), rng.normal(size=(n, d)) + step)


def spread(factor: float) -> Draw:
    """One normal column that is wider in the second sample."""
    return lambda rng, m, n: (rng.normal(size=(m, 1)), rng.normal(size=(n, 1)) * factor)


def correlation(d: int, rho: float) -> Draw:
    """Normal columns, two of which are correlated in the second sample."""

    def draw(rng: Generator, m: int, n: int) -> tuple[Sample, Sample]:
        x, y = rng.normal(size=(m, d)), rng.normal(size=(n, d))
        y[:, 1] = rho * y[:, 0] + np.sqrt(1 - rho**2) * y[:, 1]
        return x, y

    return draw


def ring(thickness: float) -> Draw:
    """A normal disc against a ring of the same covariance."""

    def draw(rng: Generator, m: int, n: int) -> tuple[Sample, Sample]:
        angle = rng.uniform(0, 2 * np.pi, n)
        circle = np.column_stack([np.cos(angle), np.sin(angle)]) * np.sqrt(2 - 2 * thickness**2)
        return rng.normal(size=(m, 2)), circle + thickness * rng.normal(size=(n, 2))

    return draw


def clusters(width: float) -> Draw:
    """Four clusters, one of which is narrower in the second sample."""

    def one(rng: Generator, rows: int, width: float) -> np.ndarray:
        mode = rng.integers(4, size=rows)
        centre = 10.0 * np.column_stack([2 * (mode // 2) - 1, 2 * (mode % 2) - 1])
        return np.asarray(centre + rng.normal(size=(rows, 2)) * np.where(mode == 0, width, 1.0)[:, None])

    return lambda rng, m, n: (one(rng, m, 1.0), one(rng, n, width))


def bimodal(share: float) -> Draw:
    """One column of mean 0 and variance 1 that has two modes in the second sample."""

    def draw(rng: Generator, m: int, n: int) -> tuple[Sample, Sample]:
        y = np.sqrt(1 - share) * rng.normal(size=n) + np.sqrt(share) * rng.choice([-1.0, 1.0], n)
        return rng.normal(size=(m, 1)), y[:, None]

    return draw


def spike(share: float) -> Draw:
    """One column; so many rows of the second sample lie within 0.02 of one value."""

    def draw(rng: Generator, m: int, n: int) -> tuple[Sample, Sample]:
        y = np.where(rng.random(n) < share, 0.5 + 0.02 * rng.normal(size=n), rng.normal(size=n))
        return rng.normal(size=(m, 1)), y[:, None]

    return draw


def heavy_tails(distance: float) -> Draw:
    """Two columns of Student's t with two degrees of freedom, both moved."""
    return lambda rng, m, n: (rng.standard_t(2, size=(m, 2)), rng.standard_t(2, size=(n, 2)) + distance)


def counts(first: float, second: float) -> Draw:
    """Two columns of Poisson counts."""
    return lambda rng, m, n: (
        rng.poisson(first, size=(m, 2)).astype(float),
        rng.poisson(second, size=(n, 2)).astype(float),
    )


def interaction(share: float) -> Draw:
    """Three columns, pairwise independent; of the second sample's rows with a negative product so many are turned."""

    def draw(rng: Generator, m: int, n: int) -> tuple[Sample, Sample]:
        x, y = rng.normal(size=(m, 3)), rng.normal(size=(n, 3))
        y[(y.prod(axis=1) < 0) & (rng.random(n) < share), 2] *= -1
        return x, y

    return draw


def categories(moved: float) -> Draw:
    """Two columns of categories; in the second sample a share of the first level of one has gone to the others."""
    shares = np.array([0.4, 0.3, 0.2, 0.1])

    def one(rng: Generator, rows: int, p: np.ndarray) -> pl.DataFrame:
        return pl.DataFrame({"a": rng.choice(list("abcd"), rows, p=p), "b": rng.choice(list("uvw"), rows)})

    other = shares + moved * np.array([-1, 0.2, 0.3, 0.5])
    return lambda rng, m, n: (one(rng, m, shares), one(rng, n, other))


def table(distance: float) -> Draw:
    """Two columns of categories and two of numbers, one of which goes up with one level and down with the other."""

    def one(rng: Generator, rows: int, distance: float) -> pl.DataFrame:
        level = rng.choice(list("ab"), rows)
        moved = rng.normal(size=rows) + np.where(level == "a", distance, -distance)
        return pl.DataFrame({"c": level, "v": moved, "w": rng.normal(size=rows), "k": rng.choice(list("xyz"), rows)})

    return lambda rng, m, n: (one(rng, m, 0.0), one(rng, n, distance))


def fewer(draw: Draw) -> Draw:
    """The second sample has a third of the rows."""
    return lambda rng, m, n: draw(rng, m, n // 3)


PROBLEMS: dict[str, Draw] = {
    "shift, 3 columns": shift(3, 0.34),
    "shift in one of 12": shift(12, 0.42, 1),
    "shift, a third of the rows in y": fewer(shift(2, 0.45)),
    "shift of heavy tails": heavy_tails(0.32),
    "counts": counts(3, 3.4),
    "spread": spread(1.28),
    "two modes": bimodal(0.68),
    "a spike": spike(0.13),
    "ring": ring(0.5),
    "clusters": clusters(0.55),
    "one pair of 6 correlated": correlation(6, 0.42),
    "interaction of three": interaction(0.6),
    "categories": categories(0.13),
    "table": table(0.42),
}
NOTHING: dict[str, Draw] = {"no difference, 1 column": shift(1, 0.0), "no difference, 5 columns": shift(5, 0.0)}
