"""The adaptive test beside one kernel, in processor time, and the family of twenty kernels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import twosample as ts
from benchmarks.table import Row
from benchmarks.timing import interleaved, processor_seconds, taking_turns


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 100, 10))
    (small,) = interleaved(lambda: ts.two_sample_test(x, y, n=999, rng=0))
    yield Row("two_sample_test, 100 + 100 rows, d = 10, 999 relabellings", 1000 * small, 20, "ms")
    for size, columns in ((500, 1), (500, 2), (500, 3), (500, 10), (2000, 1), (2000, 2), (2000, 3), (2000, 10)):
        x, y = rng.normal(size=(2, size, columns))
        ours, one = taking_turns(
            processor_seconds,
            (
                lambda x=x, y=y: ts.two_sample_test(x, y, n=999, rng=0),
                lambda x=x, y=y: ts.mmd_test(x, y, null="permutation", rng=0),
            ),
            rounds=3,
            patience=2,
        )
        what = f"two_sample_test / mmd_test, {size} + {size} rows, d = {columns}"
        yield Row(what, ours / one, 2.5, detail=f"{ours:.2g} s")
    sizes = [rng.normal(size=(2, half, 5)) for half in (14_000, 50_000)]
    below, above = taking_turns(
        processor_seconds,
        tuple(lambda pair=pair: ts.two_sample_test(*pair, n=999, rng=0) for pair in sizes),
        rounds=1,
        patience=1,
    )
    yield Row("two_sample_test, 28,000 rows / 100,000 rows, d = 5", below / above, 1, detail=f"{below:.2g} s")
    x, y = rng.normal(size=(2, 1000, 10))
    (family,) = interleaved(lambda: ts.mmd_test(x, y, kernel="adaptive", rng=0), rounds=3, patience=2)
    yield Row("mmd_test(kernel='adaptive'), 20 kernels, 1000 + 1000 rows, d = 10", family, 1, "s")
    line, one = taking_turns(
        processor_seconds,
        (
            lambda: ts.mmd_test(x[:, 0], y[:, 0], kernel="adaptive", null=ts.Permutation(999), rng=0),
            lambda: ts.mmd_test(x, y, kernel="adaptive", null=ts.Permutation(999), rng=0),
        ),
        rounds=3,
        patience=2,
    )
    yield Row("the same, one column / ten columns", line / one, 0.25, detail=f"{line:.2g} s")
    x, y = rng.normal(size=(2, 500_000))
    (many,) = interleaved(lambda: ts.mmd_test(x, y, kernel="adaptive", rng=0), rounds=2, patience=2)
    yield Row("mmd_test(kernel='adaptive'), a million rows of one column", many, 3, "s")
