"""Pooled samples that the tests of the low-rank engine share, and what is measured of them."""

import numpy as np

import twosample as ts
from twosample.statistics import STATISTICS

M, N = 90, 70


def points(columns=3, size=M + N, seed=0):
    return np.random.default_rng(seed).normal(size=(size, columns))


def width(z):
    return float(ts.Median().bandwidths(z, "euclidean", np.random.default_rng(0))[0])


def forms(m=M, n=N):
    return [STATISTICS[name]().form(m, n) for name in ("unbiased", "biased")]
