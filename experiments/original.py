"""The kernel tests as the paper's authors programmed them in 2007, as far as a public copy of that code shows.

The code is M. Rasch's ``kmd.m`` (its header: 2/10/2007, "Reference: NIPS 2006"), of which third parties keep copies;
that the tables of the paper were made with it is an inference. What differs from the library's defaults:

- σ² is half the median of the squared distances between x and y that are not 0 (``ts.CrossMedian(factor=0.5**0.5)``);
- MMD²_u is the one-sample U-statistic of the pairs (``statistic="paired"``);
- the bootstrap draws 150 times, with replacement and within each sample, then shuffles; the threshold lies between the
  seventh and the eighth largest value;
- the moments are those of h on the sample itself, which are larger than those of the centred pooled kernel when p ≠ q,
  and the Pearson curve has the kurtosis 2 (skew² + 1).
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np

import twosample as ts
from experiments.factored import LEVEL, bound, factor
from twosample.core.pearson import fit_pearson

DRAWS = 150


def cross_width(z: np.ndarray, m: int) -> float:
    """σ by the rule above."""
    return float(ts.CrossMedian(factor=sqrt(0.5), m=m).bandwidths(z, "euclidean", np.random.default_rng(0))[0])


@lru_cache(maxsize=4)
def draws(m: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """``(150, 2 m)`` which pooled points stand in x and then in y of each world; and how often in x, minus in y."""
    rng = np.random.default_rng([seed, m])
    own = rng.integers(m, size=(2, DRAWS, m)) + np.array([0, m])[:, None, None]
    places = rng.permuted(np.concatenate(list(own), axis=1), axis=1)
    signs = np.zeros((DRAWS, 2 * m))
    np.add.at(signs, (np.arange(DRAWS)[:, None], places), np.where(np.arange(2 * m) < m, 1.0, -1.0))
    return places, signs


def accepted(z: np.ndarray, m: int, seed: int) -> dict[str, bool]:
    """Whether each kernel test accepts H0 for the pooled points; the first half of them is x."""
    width = cross_width(z, m)
    phi = factor(z, width)
    pairs = phi[:m] - phi[m:]  # h(z_i, z_j) is an inner product of these
    value = paired_statistics(pairs.sum(axis=0)[None], np.array([float(np.vdot(pairs, pairs))]), m)[0]
    others = np.sort(bootstrapped(z, phi, width, *draws(m, seed)))[::-1]
    rank = int(DRAWS * LEVEL)
    return {
        "MMD_b": float(np.linalg.norm(pairs.mean(axis=0))) <= bound("biased", "mcdiarmid", m, m),
        "MMD²_u H": bool(value <= bound("unbiased", "hoeffding", m, m)),
        "MMD²_u B": bool(value <= (others[rank - 1] + others[rank]) / 2),
        "MMD²_u M": moment_pvalue(pairs, float(value)) > LEVEL,
    }


def bootstrapped(z: np.ndarray, phi: np.ndarray, width: float, places: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """``(150,)`` MMD²_u in the resampled worlds; |φ(x_i) - φ(y_i)|² is 2 - 2 k(x_i, y_i)."""
    m = places.shape[1] // 2
    square = np.zeros((len(places), m))
    for column in z.T:
        square += (column[places[:, :m]] - column[places[:, m:]]) ** 2
    own = 2 * (m - np.exp(square / (-2 * width**2)).sum(axis=1))
    return paired_statistics(signs @ phi, own, m)


def paired_statistics(sums: np.ndarray, own: np.ndarray, m: int) -> np.ndarray:
    """MMD²_u, the mean of h over different pairs, from the sums of φ(x_i) - φ(y_i) and of their squared lengths."""
    return (np.einsum("rj,rj->r", sums, sums) - own) / (m * (m - 1))


def moment_pvalue(pairs: np.ndarray, value: float) -> float:
    """By the Pearson curve through the second and third moment of h on the sample.

    With H the matrix of h without its diagonal d: the sum over H² and the trace of H³, from the smaller of the two
    products of the pairs.
    """
    m = len(pairs)
    d = np.einsum("ij,ij->i", pairs, pairs)
    C = pairs.T @ pairs if pairs.shape[1] < m else pairs @ pairs.T
    bent = np.einsum("ij,ij->i", pairs @ C, pairs) if pairs.shape[1] < m else (C * C).sum(axis=1)
    squares = float((C * C).sum() - d @ d)
    triangles = float(np.vdot(C @ C, C) - 3 * (d @ bent) + 2 * (d**3).sum())
    if squares <= 1e-12 * m:
        return 1.0
    variance = 2 / (m * (m - 1)) * squares / (m * (m - 1))
    third = 8 * (m - 2) / (m * (m - 1)) ** 2 * triangles / (m * (m - 1) * (m - 2))
    skewness = third / variance**1.5
    return fit_pearson(0.0, variance, skewness, 2 * (skewness**2 + 1)).sf(value)
