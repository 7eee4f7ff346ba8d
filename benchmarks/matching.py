"""Matching columns: against sorting them once, and how it grows."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import interleaved


def rows() -> Iterator[Row]:
    a, b = table(50, 5000, 1), table(50, 5000, 2)
    columns = [np.ascontiguousarray(column) for column in (*a.T, *b.T)]
    mine, quick, stable = interleaved(
        lambda: ts.match(a, b),
        lambda: [np.sort(column) for column in columns],
        lambda: [np.sort(column, kind="stable") for column in columns],
    )
    case = "50 x 50 columns, 5,000 rows"
    yield Row(f"match / np.sort of all columns, {case}", mine / quick, 20, detail=f"{mine:.3f} s / {quick:.4f} s")
    yield Row(f"match / a stable np.sort of them, {case}", mine / stable, detail=f"{mine:.3f} s / {stable:.4f} s")
    a, b = table(500, 10_000, 1), table(500, 10_000, 2)
    start = perf_counter()
    found = ts.match(a, b)
    yield Row("match, 500 x 500 columns, 10,000 rows", perf_counter() - start, 60, "s", f"{len(found.pairs)} pairs")


def table(columns: int, size: int, seed: int) -> np.ndarray:
    """Columns of five shapes on scales from 0.001 to 1000; the same laws whatever the seed."""
    rng, laws = np.random.default_rng(seed), np.random.default_rng(5)
    found = []
    for k in range(columns):
        scale, shape = 10 ** laws.uniform(-3, 3), laws.uniform(0.5, 5)
        place = 3 * scale * laws.normal()
        match k % 5:
            case 0:
                found.append(place + scale * rng.normal(size=size))
            case 1:
                found.append(scale * rng.gamma(shape, size=size))
            case 2:
                found.append(rng.poisson(1 + 5 * shape, size=size).astype(float))
            case 3:
                found.append(place + scale * rng.standard_t(2 + shape, size=size))
            case _:
                found.append(scale * rng.uniform(size=size) ** shape)
    return np.column_stack(found)
