"""
What the adaptive test saw
==========================

One exact p-value from several views of the data; the bars say which of them saw something.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)
x, y = rng.normal(size=(200, 4)), rng.normal(size=(200, 4))
y[:, 1] = 0.6 * y[:, 0] + 0.8 * y[:, 1]  # correlated in y only
r = ts.two_sample_test(x, y, rng=0)
print(r.explain())
r.plot()
