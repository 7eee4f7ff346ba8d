"""
A change in daily batches
=========================

The p-value after each day; prices move on day 12, and the watch says so.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)


def day(shift=0.0):
    return {"price": rng.normal(rng.normal(0, 0.1) + shift, 1, 200)}


m = ts.Monitor([day() for _ in range(40)])
pvalues = [m.update(day(0.5 if number >= 12 else 0.0)).pvalue for number in range(20)]
fig, ax = plt.subplots()
ax.semilogy(range(20), pvalues, "o-", label="after each day")
ax.axhline(1 / 1000, color="#b3123f", linestyle="--", label="one false alarm in 1,000")
ax.axvline(12, color="grey", linestyle=":", label="prices move")
ax.set(xlabel="day since the reference", ylabel="p-value", title="Watching a column")
ax.legend()
