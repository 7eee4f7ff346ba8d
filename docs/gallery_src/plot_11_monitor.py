"""
A change in daily batches
=========================

The p-value after each day. Prices move with batch 53: the watch raises an alarm, and the shade says since when.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)


def day(shift=0.0):
    return {"price": rng.normal(rng.normal(0, 0.1) + shift, 1, 200)}


m = ts.Monitor([day() for _ in range(40)])
for number in range(20):
    m.update(day(0.5 if number >= 12 else 0.0))
print(m)
m.plot()
