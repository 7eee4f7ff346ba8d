"""
Rows that do not belong
=======================

Width and height go together; two new rows break the rule though each value is usual. They are outliers at level 0.05,
and not at the default of 0.01: one row in forty of the reference is as far from the others.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
width = rng.normal(30, 5, 1500)
reference = {"width": width, "height": 2 * width + rng.normal(0, 3, 1500)}
new = {"width": np.array([31.0, 40.0, 22.0, 28.0]), "height": np.array([61.0, 48.0, 76.0, 57.0])}
found = ts.outliers(reference, new, level=0.05)
print(found)
fig, ax = plt.subplots()
ax.scatter(reference["width"], reference["height"], s=6, color="#8da7bd", label="reference")
odd = found.flagged
ax.scatter(new["width"][~odd], new["height"][~odd], s=60, color="#0b6bb0", label="new rows that fit")
ax.scatter(new["width"][odd], new["height"][odd], s=60, marker="D", color="#b3123f", label="outliers")
ax.set(xlabel="width in cm", ylabel="height in cm", title="Usual values, unusual together")
ax.legend()
