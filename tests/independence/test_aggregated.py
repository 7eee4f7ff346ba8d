"""HSIC at several scales, joined: exact, and awake where one scale sleeps."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import twosample as ts
from twosample.core.joining import joined
from twosample.independence.aggregated import SCALES


def test_all_pairs_of_scales_by_definition():
    """Over all 120 permutations of five rows: HSIC_u by its own test, joined."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 5))
    found = ts.hsic_test(x, y, kernel="adaptive", null=ts.Permutation(120), rng=0)
    medians = [np.median(np.abs(np.subtract.outer(z, z))[np.triu_indices(5, 1)]) for z in (x, y)]
    values = []
    for a in SCALES:
        for b in SCALES:
            kernels = {"kernel": ts.Gaussian(a * medians[0]), "kernel_y": ts.Gaussian(b * medians[1])}
            values.append(
                [ts.hsic_test(x, y[list(p)], null="gamma", **kernels).statistic for p in permutations(range(5))]
            )
    both = joined(np.array(values), np.full(9, 1e-12), np.ones(9), order=4.0)
    assert found.pvalue == pytest.approx(both.pvalue)
    assert found.statistic == pytest.approx(both.values[0])
    assert len(found.law.values) == 120


def test_waves_are_seen_that_one_bandwidth_misses():
    found = {"gaussian": 0, "adaptive": 0}
    for i in range(10):
        rng = np.random.default_rng([1, i])
        x = rng.uniform(size=120)
        y = np.sin(8 * np.pi * x) + 0.3 * rng.normal(size=120)
        for kernel in found:
            found[kernel] += ts.hsic_test(x, y, kernel=kernel, null=ts.Permutation(99), rng=i).rejected
    assert found["adaptive"] >= 9
    assert found["gaussian"] <= 6


@pytest.mark.parametrize("rows", [20, 80])
def test_the_level_holds(rows):
    rejected = 0
    for i in range(100):
        x, y = np.random.default_rng([2, i]).poisson(1.0, size=(2, rows)).astype(float)
        rejected += ts.hsic_test(x, y, kernel="adaptive", null=ts.Permutation(39), level=0.1, rng=i).rejected
    assert rejected <= 22  # binomial, 0.9999


def test_many_rows():
    x, y = np.random.default_rng(3).normal(size=(2, 4500))
    r = ts.hsic_test(x, y + 0.1 * x, kernel="adaptive", null=ts.Permutation(99), rng=0)
    assert r.rejected
    assert r.engine.name == "lowrank"


def test_refusals():
    x, y = np.random.default_rng(4).normal(size=(2, 30))
    for options, words in (
        ({"kernel_y": "laplace"}, "kernel_y='laplace' has no use"),
        ({"bandwidth": 2.0}, "bandwidth=2.0 has no use"),
        ({"statistic": "biased"}, "statistic='biased' has no use"),
        ({"null": "gamma"}, "does not go with kernel='adaptive'"),
        ({"engine": "tiled"}, "engine='tiled' does not go"),
    ):
        with pytest.raises(ts.OptionError, match=words):
            ts.hsic_test(x, y, kernel="adaptive", **options)
