"""
Five tests, one ring
====================

Share of rejections when y is a ring of the same mean: tests of means are blind to it.
"""

import numpy as np
from matplotlib import pyplot as plt

import twosample as ts

rng = np.random.default_rng(0)
tests = {
    "two_sample_test": lambda x, y: ts.two_sample_test(x, y, n=99, rng=0),
    "mmd_test": lambda x, y: ts.mmd_test(x, y, null=ts.Permutation(99), rng=0),
    "energy": lambda x, y: ts.rivals.energy_test(x, y, rng=0),
    "Friedman-Rafsky": ts.rivals.friedman_rafsky_runs_test,
    "Hotelling": ts.rivals.hotelling_test,
}
rates = dict.fromkeys(tests, 0)
for _ in range(25):
    x = rng.normal(size=(80, 2))
    angle, radius = rng.uniform(0, 2 * np.pi, 80), rng.normal(1.25, 0.35, 80)
    y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    for name, test in tests.items():
        rates[name] += test(x, y).rejected / 25
fig, ax = plt.subplots(figsize=(6, 2.6))
ax.barh(list(rates)[::-1], list(rates.values())[::-1])
ax.axvline(0.05, color="grey", linestyle="--", label="level 0.05")
ax.set(xlabel="share of 25 rings that were found", xlim=(0, 1), title="A ring instead of a bell")
ax.legend()
