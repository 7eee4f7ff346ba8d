"""
Rows that do not belong
=======================

Width and height go together; two new rows break the rule though each value is usual.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
width = rng.normal(30, 5, 1500)
reference = {"width": width, "height": 2 * width + rng.normal(0, 3, 1500)}
new = {"width": np.array([31.0, 40.0, 22.0, 28.0]), "height": np.array([61.0, 48.0, 76.0, 57.0])}
found = ts.outliers(reference, new)
print(found)
fig, ax = plt.subplots(figsize=(5.4, 3.8), layout="constrained")
ax.scatter(reference["width"], reference["height"], s=6, color="#8da7bd", label="reference")
ax.scatter(new["width"], new["height"], s=70, marker="D", color="#b3123f", label="new rows")
ax.set(xlabel="width in cm", ylabel="height in cm")
ax.legend(frameon=False)
