"""
A difference in two columns
===========================

A tenth of the rows of y sits where x has none; the map shows where.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
x, y = rng.normal(size=(400, 2)), rng.normal(size=(400, 2))
y[:60] = rng.normal([2.2, -2.0], 0.35, size=(60, 2))
ts.witness(x, y).plot()
