"""
Two tables, column by column
============================

Effect sizes with their intervals against the margin, from one comparison.
"""

from matplotlib import pyplot as plt

import twosample as ts
from twosample.demo import tables

c = ts.compare(*tables(), exclude=["ordered_at"])
columns = sorted(c.columns, key=lambda column: column.effect)
fig, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for place, column in enumerate(columns):
    marker = "D" if column.verdict == "different" else "o"
    ax.plot([column.effect_low, column.effect_high], [place, place], color="#41627d", linewidth=2)
    ax.plot(column.effect, place, marker, color="#b3123f" if marker == "D" else "#0b6bb0")
ax.axvline(0.05, color="#555555", linestyle="--", linewidth=1.2, label="margin 0.05")
ax.set_yticks(range(len(columns)), [f"{column.name}: {column.verdict}" for column in columns])
ax.set(xlabel="effect size r of the values", title="January and February")
ax.legend(frameon=False)
