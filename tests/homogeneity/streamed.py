"""Kernels and samples for the tests of streams."""

import numpy as np

import twosample as ts

KERNELS = [
    ts.Gaussian(1.5),
    ts.Laplace(2.0),
    ts.Laplace(2.0, norm=2),
    ts.Matern(1.0, 0.5),
    ts.Matern(1.0, 2.5),
    ts.RationalQuadratic(1.0, 0.5),
    ts.Energy(),
    ts.Linear(),
    ts.Polynomial(2, 1.0, 1.0),
    ts.Gaussian(1.0) + 0.5 * ts.Laplace(2.0),
    ts.FunctionKernel(lambda a, b: np.exp(-np.abs(a[:, :1] - b[:, :1].T)), upper=1.0),
]


def sample(m=401, n=377, d=3, seed=0, offset=0.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)) + offset, rng.laplace(size=(n, d)) + offset
