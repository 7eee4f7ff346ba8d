"""Many rows: the same answer in single precision and in blocks, and nothing that grows with their square."""

from __future__ import annotations

import numpy as np
import pytest

import twosample as ts
from twosample.adaptive import base
from twosample.adaptive.front import views_of
from twosample.adaptive.pooled import pooled_numbers
from twosample.core.labellings import relabellings


def test_single_precision_changes_statistics_by_less_than_their_tolerance(monkeypatch):
    z = np.random.default_rng(0).standard_t(3, size=(3000, 3))
    pool = pooled_numbers(z, tuple("abc"), 1400)
    labels = relabellings(1400, 1600, 60, np.random.default_rng(1))
    every = [view for view in views_of(pool, np.random.default_rng(2)) if isinstance(view, base.ViewByFeatures)]
    expected = [view.statistic(labels)[0] for view in every]
    monkeypatch.setattr(base, "_SINGLE", 100)
    for view, values in zip(every, expected, strict=True):
        found, error = view.statistic(labels)
        assert np.abs(found - values).max() <= 3 * error


def test_a_hundred_thousand_rows_of_two_columns():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 50_000, 2))
    assert ts.two_sample_test(x, y, n=99, rng=0).pvalue > 0.01
    y[:, 1] *= 1.03
    r = ts.two_sample_test(x, y, n=199, rng=0)
    assert r.pvalue == pytest.approx(0.005)
    assert r.strongest.name in ("shape", "covariance", "radius")
