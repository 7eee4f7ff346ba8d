"""
Which rows are odd
==================

The score of every new row. About ten of a thousand rows lie above the line by chance alone. A sensor that was stuck for
a while stands out, with the column that gives it away.
"""

import numpy as np

import twosample as ts

rng = np.random.default_rng(0)


def readings(rows):
    heat = rng.normal(20, 3, rows)
    return {"heat": heat, "damp": 80 - heat + rng.normal(0, 2, rows)}


reference, new = readings(3000), readings(1000)
new["damp"][400:412] = 20.0  # stuck
found = ts.outliers(reference, new)
print(found)
found.plot()
