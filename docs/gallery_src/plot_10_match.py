"""
Which column is which
=====================

Distances between all columns of two tables; dots are the pairs that were chosen. Names play no part.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
a = {"age": rng.normal(40, 9, 800), "pay": rng.gamma(2, 900, 800), "score": rng.uniform(size=800)}
b = {"c1": rng.uniform(size=600), "c2": rng.normal(40, 9, 600), "c3": rng.gamma(2, 900, 600)}
m = ts.match(a, b)
m.plot()

# %%
# One of the pairs.
m.plot_pair("age")
