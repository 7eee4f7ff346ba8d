"""
Several tables at once
======================

Six sites, every two of them compared; two of them differ from the others, and the order of a dendrogram puts those
that are alike side by side.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
means = {"Oslo": 0.0, "Rome": 0.8, "Lima": 0.0, "Kyiv": 0.0, "Cairo": 0.8, "Delhi": 0.0}
sites = {name: {"price": rng.gamma(2, 10 * np.exp(mean), 500)} for name, mean in means.items()}
m = ts.compare_many(sites)
names = [m.names[number] for number in m.order]
effects = m.matrix("effect")[np.ix_(m.order, m.order)]
fig, ax = plt.subplots(figsize=(5, 4))
image = ax.imshow(effects, cmap="Blues", vmin=0)
for i, j in np.ndindex(effects.shape):
    if i != j:
        ax.text(
            j, i, f"{effects[i, j]:.2f}", ha="center", va="center", color="white" if effects[i, j] > 0.3 else "black"
        )
ax.set_xticks(range(len(names)), names)
ax.set_yticks(range(len(names)), names)
ax.set_title("Effect sizes of all pairs")
fig.colorbar(image, label="effect size r")
print(m.headline)
