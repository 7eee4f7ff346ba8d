"""
Significant is not large
========================

The same small shift with more and more rows: p falls, the effect stays, its interval narrows.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(3)
rows = [100, 300, 1000, 3000, 10_000]
found = [ts.effect_size(rng.normal(size=n), rng.normal(0.15, size=n)) for n in rows]
middle = np.array([e.value for e in found])
ends = np.array([[e.value - e.low for e in found], [e.high - e.value for e in found]])
fig, ax = plt.subplots()
ax.errorbar(rows, middle, yerr=ends, fmt="o", capsize=4, label="effect with 95 % interval")
ax.axhline(0.05, color="grey", linestyle="--", label="margin 0.05")
ax.set(xscale="log", xlabel="rows of each sample", ylabel="effect size r", ylim=(0, None))
ax.set_title("A shift of 0.15 standard deviations")
ax.legend()
