"""``mmd_test(sketch, sketch, kernel="adaptive")``."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts


def test_a_sketch_says_what_the_rows_say():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=3000), np.sign(rng.normal(size=3000)) * 0.8 + 0.6 * rng.normal(size=3000)
    rows = ts.mmd_test(x, y, kernel="adaptive", rng=0)
    r = ts.mmd_test(ts.Sketch.fit(x), ts.Sketch.fit(y), kernel="adaptive", rng=0)
    assert r.pvalue == rows.pvalue == 0.001
    assert r.kernel.bandwidth == pytest.approx(rows.kernel.bandwidth, rel=0.01)
    assert r.statistic == pytest.approx(rows.statistic, rel=0.1)
    assert (r.m, r.n) == (3000, 3000)


def test_rows_beyond_the_bins_count():
    rng = np.random.default_rng(1)
    layout = ts.BinnedMoments(span=(-3.0, 3.0))
    x, y = rng.normal(size=(2, 800))
    a, b = ts.Sketch.fit(x, layout), ts.Sketch.fit(np.append(y, np.full(40, 9.0)), layout)
    assert ts.mmd_test(a, b, kernel="adaptive", rng=0).pvalue <= 0.01


def test_its_level():
    rng = np.random.default_rng(2)
    p = [
        ts.mmd_test(*(ts.Sketch.fit(rng.poisson(2, size=60)) for _ in "xy"), kernel="adaptive", rng=i).pvalue
        for i in range(60)
    ]
    assert np.mean(np.array(p) <= 0.2) <= 0.4  # 12 of 60 are expected; more than 24 in 3 of 10,000


def test_what_it_cannot_do():
    wide = [ts.Sketch.fit(np.random.default_rng(i).normal(size=(300, 2))) for i in range(2)]
    with pytest.raises(ts.OptionError, match="every scale"):
        ts.mmd_test(*wide, kernel="adaptive")
    one = ts.Sketch.fit([1.0, 2.0, 4.0])
    with pytest.raises(ts.OptionError, match="null"):
        ts.mmd_test(one, one, kernel="adaptive", null="spectrum")
    with pytest.raises(ts.OptionError, match="bandwidth"):
        ts.mmd_test(one, one, kernel="adaptive", bandwidth=1.0)
