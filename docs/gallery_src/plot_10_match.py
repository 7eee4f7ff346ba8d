"""
Which column is which
=====================

Distances between all columns of two tables; the pairs that were chosen are outlined.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
a = {"age": rng.normal(40, 9, 800), "pay": rng.gamma(2, 900, 800), "score": rng.uniform(size=800)}
b = {"c1": rng.uniform(size=600), "c2": rng.normal(40, 9, 600), "c3": rng.gamma(2, 900, 600)}
m = ts.match(a, b)
distances = np.array([[ts.mmd(a[i], b[j], statistic="biased") for j in b] for i in a])
fig, ax = plt.subplots(figsize=(4.6, 3.6), layout="constrained")
shown = ax.imshow(distances, cmap="Greys")
ax.set_xticks(range(3), list(b))
ax.set_yticks(range(3), list(a))
for pair in m.pairs:
    place = (list(b).index(pair.target) - 0.5, list(a).index(pair.source) - 0.5)
    ax.add_patch(plt.Rectangle(place, 1, 1, fill=False, edgecolor="#c8541d", linewidth=3))
fig.colorbar(shown, label="MMD")
ax.set_title("Matched by content", loc="left")
