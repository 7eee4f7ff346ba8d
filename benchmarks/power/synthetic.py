"""Pairs of samples that differ in one known way each: location, spread, dependence, shape, fine structure.

The sizes of the differences are such that the better tests find them more often than not and the worse ones rarely.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Sample = np.ndarray
Generator = np.random.Generator
Problem = Callable[[Generator], tuple[Sample, Sample]]
"""Draws a pair of samples, (m, d) and (n, d)."""


def mean_shift(d: int, distance: float, m: int = 100, n: int = 100, shifted: int | None = None) -> Problem:
    """Normal samples whose means are so far apart, in all columns alike or in the first few."""
    step = np.zeros(d)
    step[:shifted] = distance / np.sqrt(shifted or d)
    return lambda rng: (rng.normal(size=(m, d)), rng.normal(size=(n, d)) + step)


def other_spread(d: int, factor: float, m: int = 100, n: int = 100, columns: int | None = None) -> Problem:
    """Normal samples of which the second is wider by a factor, in all columns or in the first few."""
    scale = np.ones(d)
    scale[:columns] = factor
    return lambda rng: (rng.normal(size=(m, d)), rng.normal(size=(n, d)) * scale)


def correlated(d: int, rho: float, m: int = 100, n: int = 100) -> Problem:
    """The same margins; neighbouring columns of the second sample are correlated (autoregression of order one)."""
    root = np.linalg.cholesky(rho ** np.abs(np.subtract.outer(np.arange(d), np.arange(d))))
    return lambda rng: (rng.normal(size=(m, d)), rng.normal(size=(n, d)) @ root.T)


def one_pair(d: int, rho: float, rows: int) -> Problem:
    """Normal columns, two of which are correlated in the second sample."""

    def draw(rng: Generator) -> tuple[Sample, Sample]:
        x, y = rng.normal(size=(2, rows, d))
        y[:, 1] = rho * y[:, 0] + np.sqrt(1 - rho**2) * y[:, 1]
        return x, y

    return draw


def units(rng: Generator) -> tuple[Sample, Sample]:
    """The shift of the mean in ten columns that are measured in units from 1 to 10^9."""
    x, y = mean_shift(10, 0.49)(rng)
    return x * 10.0 ** np.arange(10), y * 10.0 ** np.arange(10)


def ring(rng: Generator) -> tuple[Sample, Sample]:
    """A normal disc against a ring of the same covariance."""
    angle = rng.uniform(0, 2 * np.pi, size=80)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * 1.36 + 0.35 * rng.normal(size=(80, 2))
    return rng.normal(size=(80, 2)), circle


def interaction(rng: Generator) -> tuple[Sample, Sample]:
    """Three columns, pairwise independent; in 95 % of the rows of the second sample their product is positive."""
    x, y = rng.normal(size=(2, 120, 3))
    flip = (y.prod(axis=1) < 0) & (rng.random(120) < 0.9)
    y[flip, 2] *= -1
    return x, y


def blob(rng: Generator) -> tuple[Sample, Sample]:
    """Nine well separated modes with 20 rows each, whose rows are correlated in the second sample."""
    centres = np.repeat([(10.0 * i, 10.0 * j) for i in range(3) for j in range(3)], 20, axis=0)
    noise = rng.normal(size=(180, 2)) @ np.linalg.cholesky([[1, 0.75], [0.75, 1]]).T
    return centres + rng.normal(size=(180, 2)), centres + noise


def mixture(sigma: float, rows: int) -> Problem:
    """Four normal modes at (±20, ±20), one of which has another spread in the second sample (MMD-FUSE)."""

    def draw(rng: Generator) -> tuple[Sample, Sample]:
        samples = []
        for spread in (1.0, sigma):
            mode = rng.integers(4, size=rows)
            centre = 20.0 * np.column_stack([2 * (mode // 2) - 1, 2 * (mode % 2) - 1])
            samples.append(centre + rng.normal(size=(rows, 2)) * np.where(mode == 0, spread, 1.0)[:, None])
        return samples[0], samples[1]

    return draw


def perturbed_uniform(d: int, amplitude: float, rows: int) -> Problem:
    """Uniform against uniform with two smooth perturbations per column of random sign (MMDAgg); 1 is the largest."""

    def bumps(t: Sample) -> Sample:
        values = np.zeros_like(t)
        for centre, sign in ((-3.0, 1.0), (-1.0, -1.0)):
            inside = np.abs(4 * t - centre) < 1
            values[inside] += sign * np.exp(-1 / (1 - (4 * t[inside] - centre) ** 2))
        return values

    def draw(rng: Generator) -> tuple[Sample, Sample]:
        signs = rng.choice([-1.0, 1.0], size=(2,) * d)
        kept: list[Sample] = []
        while len(kept) < rows:
            u = rng.random((4 * rows, d))
            density = np.ones(len(u))
            for cell in np.ndindex(*signs.shape):
                density += amplitude * np.e**d * signs[cell] * bumps(2 * u - np.array(cell) - 1).prod(axis=1)
            kept.extend(u[rng.random(len(u)) * (1 + amplitude) < density])
        return rng.random((rows, d)), np.array(kept[:rows])

    return draw


def bimodal(rng: Generator) -> tuple[Sample, Sample]:
    """Twenty columns of mean 0 and variance 1, three of which have two modes in the second sample."""
    x, y = rng.normal(size=(2, 150, 20))
    y[:, :3] = np.sqrt(0.2) * y[:, :3] + np.sqrt(0.8) * rng.choice([-1.0, 1.0], size=(150, 3))
    return x, y


def factors(rng: Generator) -> tuple[Sample, Sample]:
    """Far more columns than rows: ten factors with loadings of all sizes, and a shift of some of the columns."""
    fixed = np.random.default_rng(0)
    loadings = fixed.normal(size=(10, 3000)) * np.geomspace(1, 0.3, 10)[:, None]
    unit, step = np.exp(fixed.normal(size=3000)), fixed.normal(size=3000) * (fixed.random(3000) < 0.3)
    x, y = (rng.normal(size=(7, 10)) @ loadings + rng.normal(size=(7, 3000)) for _ in range(2))
    return x * unit, (y + 1.0 * step) * unit


SYNTHETIC: dict[str, Problem] = {
    "mean_d1": mean_shift(1, 0.42),
    "mean_d10": mean_shift(10, 0.49),
    "mean_d100": mean_shift(100, 0.77),
    "mean_d3_uneq": mean_shift(3, 0.77, 30, 150),
    "var_d1": other_spread(1, 1.55),
    "var_d10": other_spread(10, 1.13),
    "var_d100": other_spread(100, 1.05),
    "uneq_var_d2": other_spread(2, 1.6, 40, 200),
    "sparse_mean50": mean_shift(50, 0.6, shifted=2),
    "sparse_var50": other_spread(50, 1.7, columns=2),
    "corr_d2": correlated(2, 0.55),
    "corr_d10": correlated(10, 0.38),
    "units_d10": units,
    "ring": ring,
    "xor_d3": interaction,
    "blob": blob,
    "mix05_250": mixture(0.5, 250),
    "mix20_250": mixture(2.0, 250),
    "pu1_250": perturbed_uniform(1, 0.5, 250),
    "pu2_250": perturbed_uniform(2, 0.9, 250),
    "student_d10": lambda rng: (rng.normal(size=(150, 10)), rng.standard_t(5, size=(150, 10))),
    "laplace_d1": lambda rng: (rng.normal(size=(250, 1)), rng.laplace(size=(250, 1)) / np.sqrt(2)),
    "bimodal_d20": bimodal,
    "factors_d3000": factors,
    "t2_shift_d3": lambda rng: (rng.standard_t(2, size=(100, 3)), rng.standard_t(2, size=(100, 3)) + 0.35),
}

PAIRS: dict[str, Problem] = {
    "pair_d5": one_pair(5, 0.4, 100),
    "pair_d8": one_pair(8, 0.45, 120),
    "pair_d12": one_pair(12, 0.4, 200),
}
