"""
Which columns depend on each other?
===================================

All pairs of columns of one table: the shade says how strongly they depend, the number is the adjusted p-value. The
square of x has hardly any correlation with x, and depends on it all the same.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
x = rng.normal(size=400)
table = {
    "x": x,
    "x squared": x**2 + rng.normal(0, 0.5, 400),
    "sign": np.where(x > 0, "plus", "minus"),
    "noise": rng.normal(size=400),
    "coin": rng.choice(["heads", "tails"], 400),
}
m = ts.independence_matrix(table)
m.plot()
print(m)
