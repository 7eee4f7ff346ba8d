"""
The limit law beside relabelling
================================

Two null distributions of one statistic: they agree, and the second needs no resamples.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(1)
x, y = rng.normal(size=200), rng.normal(0.1, size=200)
fig, axes = plt.subplots(1, 2, figsize=(10, 3.4), sharex=True)
for ax, null in zip(axes, ("permutation", "spectrum"), strict=True):
    ts.mmd_test(x, y, null=null, rng=0).plot(ax=ax)
