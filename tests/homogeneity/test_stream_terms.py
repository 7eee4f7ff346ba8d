"""Long streams, which go over to compiled code: the answers of short ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import twosample as ts
from tests import naive
from tests.homogeneity.streamed import KERNELS, sample
from twosample.core.compiled import compiled
from twosample.homogeneity import stream_terms
from twosample.homogeneity.stream import LinearTimeMMD
from twosample.kernels import RadialKernel


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("d", [1, 3, 10])
def test_a_long_stream_goes_over_to_compiled_code(kernel, d, monkeypatch):
    """Where llvmlite is missing it stays with NumPy; both are the definition."""
    x, y = np.random.default_rng(d).normal(size=(2, 301, d))
    terms = naive.linear_terms(x, y, naive.of(kernel))
    used = []
    monkeypatch.setattr(stream_terms, "compiled", lambda: used.append(True) or compiled())
    monkeypatch.setattr(stream_terms, "_LONG", 4 * d * 100)
    s = LinearTimeMMD(kernel)
    for start in range(0, 301, 100):
        s.update(x[start : start + 100], y[start : start + 100])
    assert s.statistic == pytest.approx(np.mean(terms), rel=1e-12, abs=1e-16)
    assert used == [True] * 3 * isinstance(kernel, RadialKernel)  # from the second batch on


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize(
    "layout",
    [np.asfortranarray, read_only, np.float32, lambda x: x[::-1], lambda x: x.tolist(), pl.DataFrame, pd.DataFrame],
    ids=["fortran", "read-only", "single", "reversed", "lists", "polars", "pandas"],
)
@pytest.mark.parametrize("d", [1, 4])
def test_long_streams_take_what_short_ones_take(layout, d, monkeypatch):
    x, y = np.random.default_rng(d).normal(size=(2, 50, d))
    short = LinearTimeMMD(ts.Gaussian(1.0)).update(layout(x), layout(y))
    monkeypatch.setattr(stream_terms, "_LONG", 0)
    long = LinearTimeMMD(ts.Gaussian(1.0)).update(layout(x), layout(y))
    assert long.statistic == pytest.approx(short.statistic, rel=1e-12)


def test_merging_does_not_wait_for_a_compiler(monkeypatch):
    """What other streams have seen does not make this one long."""
    monkeypatch.setattr(stream_terms, "_LONG", 2 * 61 * 3 + 4)
    monkeypatch.setattr(stream_terms, "compiled", lambda: pytest.fail("compiled"))
    x, y = sample(61, 61)
    one, two = (LinearTimeMMD(ts.Gaussian(1.0)).update(x, y) for _ in range(2))
    assert one.merge(two).terms == 61
    one.merge(two).update(x[:1], y[:0])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_long_stream_refuses_what_a_short_one_does(bad, monkeypatch):
    monkeypatch.setattr(stream_terms, "_LONG", 0)
    x, y = sample()
    y[17, 0] = bad
    s = LinearTimeMMD(ts.Gaussian(1.0))
    with pytest.raises(ts.InputError, match="y"):
        s.update(x, y)
    assert s.terms == 0
