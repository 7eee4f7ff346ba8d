"""The cost of importing twosample, in fresh processes."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.fresh import python
from benchmarks.table import Row
from benchmarks.timing import taking_turns

CODE = "from time import perf_counter as t; a = t(); import {}; print(t() - a)"


def rows() -> Iterator[Row]:
    names = ("twosample._public", "scipy.stats", "numpy")  # a bare import loads nothing: the names are what counts
    ours, stats, numpy = taking_turns(lambda name: float(python("-c", CODE.format(name))), names, 10, patience=2)
    yield Row("import twosample / import scipy.stats", ours / stats, 0.6, detail=f"{ours:.3f} s / {stats:.3f} s")
    yield Row("import twosample / import numpy", ours / numpy, detail=f"{ours:.3f} s / {numpy:.3f} s")
