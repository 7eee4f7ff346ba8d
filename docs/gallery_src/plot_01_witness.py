"""
The witness of a difference
===========================

A normal and a Laplace distribution with the same mean and variance: Figure 1 of the paper.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
x = rng.normal(size=3000)
y = rng.laplace(scale=1 / np.sqrt(2), size=3000)
ts.witness(x, y).plot()
