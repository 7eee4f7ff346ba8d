"""The cost of importing twosample, in fresh processes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.fresh import python
from benchmarks.table import Row
from benchmarks.timing import taking_turns

CODE = "from time import process_time as t; a = t(); import {}; {}; print(t() - a)"
LOADED = {
    "mmd_test": ("twosample", "twosample.mmd_test"),  # a bare import loads nothing: the names are what counts
    "compare": ("twosample", "twosample.compare"),
    "stats": ("scipy.stats", "0"),
    "numpy": ("numpy", "0"),
}


def rows() -> Iterator[Row]:
    found = taking_turns(lambda name: float(python("-c", CODE.format(*LOADED[name]))), tuple(LOADED), 10, patience=2)
    test, compare, stats, numpy = found
    for name, seconds in (("mmd_test", test), ("compare", compare)):
        detail = f"{seconds:.3f} s / {stats:.3f} s"
        yield Row(f"import twosample; twosample.{name} / import scipy.stats", seconds / stats, 0.6, detail=detail)
        yield Row("the same / import numpy", seconds / numpy, detail=f"{seconds:.3f} s / {numpy:.3f} s")
