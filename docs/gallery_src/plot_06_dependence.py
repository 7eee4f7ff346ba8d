"""
Dependent, though uncorrelated
==============================

A circle: no correlation, and yet one coordinate says much about the other.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, 400)
x, y = (np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (400, 2))).T
print(ts.hsic_test(x, y, rng=0).pvalue, np.corrcoef(x, y)[0, 1])
ts.dependence_witness(x, y).plot()
