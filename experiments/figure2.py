"""Figure 2: the distribution of the empirical MMD under H0 and H1."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

import twosample as ts
from experiments import page
from experiments.runner import Options, repeat

REPETITIONS = 2000
CURVES = {"spectrum": "-", "pearson": "--", "gamma": ":"}


def samples(case: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As the caption says."""
    if case == "H0":
        return rng.normal(size=50), rng.normal(size=50)
    return rng.laplace(scale=sqrt(0.5), size=100), rng.laplace(scale=3, size=100)


def work(settings: dict[str, Any], number: int) -> dict[str, float]:
    """One instance of MMD²_u in each case."""
    rng = np.random.default_rng([settings["seed"], 2, number])
    return {case: ts.mmd(*samples(case, rng), statistic="unbiased") for case in ("H0", "H1")}


def run(options: Options) -> None:
    """Draw both histograms, with our laws under H0 over the first and a normal law over the second."""
    import matplotlib.pyplot as plt

    count = options.count(REPETITIONS, 200)
    done = repeat("figure2", work, {}, range(count), options)
    values = {case: np.array([outcome[case] for outcome in done.outcomes]) for case in ("H0", "H1")}
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.hist(values["H0"], bins=50, density=True, color="0.8", edgecolor="0.6")
    t = np.linspace(*np.quantile(values["H0"], [0.0, 1.0]), 200)
    x, y = samples("H0", np.random.default_rng([options.seed, 2, 10**6]))
    quantiles = []
    for name, style in CURVES.items():
        law = ts.mmd_test(x, y, null=name).law
        tail = np.array([law.distribution.sf(v) for v in t])
        left.plot((t[1:] + t[:-1]) / 2, -np.diff(tail) / np.diff(t), style, label=name)
        exceeded = 100 * float((values["H0"] > law.threshold(0.05)).mean())
        quantiles.append([name, f"{law.threshold(0.05):.5f}", f"{exceeded:.1f}"])
    top = 1.3 * float(np.histogram(values["H0"], bins=50, density=True)[0].max())
    left.set(title="under H0", xlabel="MMD²_u", ylabel="density", ylim=(0, top))
    left.legend(frameon=False)
    right.hist(values["H1"], bins=50, density=True, color="0.8", edgecolor="0.6")
    mean, spread = values["H1"].mean(), values["H1"].std()
    t = np.linspace(values["H1"].min(), values["H1"].max(), 200)
    right.plot(t, np.exp(-(((t - mean) / spread) ** 2) / 2) / (spread * sqrt(2 * np.pi)), label="normal")
    right.set(title="under H1", xlabel="MMD²_u")
    right.legend(frameon=False)
    page.write(options.out, "figure2", "Figure 2: the empirical MMD under H0 and H1", [
        page.save(figure, options.out, "figure2"),
        f"{count} instances each (2000 in the paper). Left: normal samples, 50 + 50. Right: Laplace samples with "
        "standard deviations 1 and 3√2, 100 + 100. Gaussian kernel, median bandwidth of each instance. The curves on "
        "the left are our laws under H0 from one pair of samples; on the right a normal law of the same mean and "
        "spread.",
        "The 95 % quantile of each law, and how often the instances exceed it (5 % if the law were that of all "
        "instances; each law belongs to its one pair of samples):",
        page.table(["law", "95 % quantile", "exceeded, %"], quantiles),
        f"Seed {options.seed}; {done.cost} of processor time.",
    ])  # fmt: skip
