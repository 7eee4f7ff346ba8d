"""What others use, re-coded on one batch of relabellings for all of them, so that every test sees the same draws.

Each peer turns pooled rows and labellings into one value for each labelling, the truth in column 0, large values
speaking against H0; the p-value is the share of labellings with at least that of the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from scipy.special import gammaincc, gammaln

Array = np.ndarray


@dataclass(frozen=True)
class Draw:
    """One pair of samples and its relabellings: (N, d) rows, (N, R) labels whose column 0 is the truth, m rows of x."""

    z: Array
    V: Array
    m: int

    @classmethod
    def of(cls, x: Array, y: Array, resamples: int, rng: np.random.Generator) -> Draw:
        """With uniform relabellings."""
        z = np.concatenate([x, y])
        V = np.zeros((len(z), resamples + 1), np.float32)
        V[: len(x)] = 1
        V[:, 1:] = rng.permuted(V[:, 1:], axis=0)
        return cls(z, V, len(x))

    @cached_property
    def standardised(self) -> Array:
        """Columns over their pooled standard deviation, constant ones left out."""
        z = self.z[:, np.ptp(self.z, axis=0) > 0]
        return (z - z.mean(axis=0)) / z.std(axis=0) if z.size else np.zeros((len(self.z), 1))

    @cached_property
    def distances(self) -> dict[str, Array]:
        return {metric: cdist(self.z, self.z, metric) for metric in ("euclidean", "cityblock")}

    @cached_property
    def standardised_distances(self) -> dict[str, Array]:
        return {metric: cdist(self.standardised, self.standardised, metric) for metric in ("euclidean", "cityblock")}

    def form(self, K: Array) -> Array:
        """``(R,)`` v'Av for the U-centred kernel matrix A, which is MMD² (unbiased) up to a factor; over its norm."""
        N = len(K)
        K = K.copy()
        np.fill_diagonal(K, 0)
        rows = K.sum(axis=0)
        K -= (rows / (N - 2))[:, None] + (rows / (N - 2))[None, :] - rows.sum() / ((N - 1) * (N - 2))
        np.fill_diagonal(K, 0)
        norm = np.sqrt(np.vdot(K, K))
        A = (K / norm if norm > 1e-9 * N else K * 0).astype(np.float32)
        return np.einsum("ir,ir->r", self.V, A @ self.V, dtype=np.float64)


def pvalue(values: Array) -> float:
    """The share of labellings with at least the value of the truth, up to the rounding of single precision."""
    return float(np.mean(values >= values[0] - 1e-5 * values.std() - 1e-12))


def surprise(values: Array) -> Array:
    """-log tail probability by a shifted gamma law with the mean, deviation and skewness of the values."""
    values = values - values.mean()
    deviation = values.std()
    values = values / deviation if deviation > 0 else values
    shape = 4 / np.clip((values**3).mean(), 0.05, 4.0) ** 2
    at = np.maximum(shape + values * np.sqrt(shape), 1e-12)
    tail = gammaincc(shape, at)
    far = at - (shape - 1) * np.log(at) + gammaln(shape)
    return np.where(tail > 1e-250, -np.log(np.maximum(tail, 1e-300)), far)


def grid(D: Array, count: int = 10) -> Array:
    """Half the 5 % quantile to twice the 95 % quantile of the distances, in equal ratios (MMDAgg, MMD-FUSE)."""
    d = np.sort(D[np.triu_indices(len(D), 1)])
    d = d[d > 0]
    low, high = (d[int(len(d) * 0.05)] / 2, d[int(len(d) * 0.95)] * 2) if d.size else (1.0, 2.0)
    return np.geomspace(low, max(high, low), count)


def family(distances: dict[str, Array]) -> list[Array]:
    """Ten Gaussian and ten Laplace kernels."""
    E, L = distances["euclidean"], distances["cityblock"]
    return [np.exp(-0.5 * (E / h) ** 2) for h in grid(E)] + [np.exp(-L / h) for h in grid(L)]


def median(draw: Draw) -> Array:
    """MMD² with a Gaussian kernel at the median distance: the default of the paper."""
    E = draw.distances["euclidean"]
    positive = E[np.triu_indices(len(E), 1)]
    h = np.median(positive) or np.median(positive[positive > 0]) if positive.any() else 1.0
    return draw.form(np.exp(-0.5 * (E / h) ** 2))


def energy(draw: Draw) -> Array:
    """The energy distance."""
    return draw.form(-draw.distances["euclidean"] / (draw.distances["euclidean"].mean() or 1.0))


def _aggregated(draw: Draw, distances: dict[str, Array]) -> Array:
    return np.max([surprise(draw.form(K)) for K in family(distances)], axis=0)


def aggregated(draw: Draw) -> Array:
    """MMDAgg's twenty kernels on the columns as they are, joined by the smallest p of gamma laws."""
    return _aggregated(draw, draw.distances)


def aggregated_standardised(draw: Draw) -> Array:
    """The same on columns of unit variance."""
    return _aggregated(draw, draw.standardised_distances)


def fuse(draw: Draw) -> Array:
    """MMD-FUSE: the log of the mean over kernels of exp(λ MMD² / root mean square of the kernel)."""
    m, N = draw.m, len(draw.z)
    n = N - m
    factor = 1 / (m * (m - 1)) + 1 / (n * (n - 1)) + 2 / (m * n)
    size = min(m, n)
    values = []
    for K in family(draw.distances):
        A = K - np.diag(np.diagonal(K))
        rms = np.sqrt((A**2).sum() / (N * (N - 1)))
        centred = _u_centred_norm(A)
        values.append(np.sqrt(size * (size - 1)) * draw.form(K) * centred * factor / max(rms, 1e-300))
    return np.logaddexp.reduce(values, axis=0)


def _u_centred_norm(A: Array) -> float:
    N, rows = len(A), A.sum(axis=0)
    square = (A**2).sum() - 2 * (rows @ rows) / (N - 2) + rows.sum() ** 2 / ((N - 1) * (N - 2))
    return float(np.sqrt(max(square, 0.0)))


def hotelling(draw: Draw) -> Array:
    """Hotelling's T², by relabelling; with the pseudo-inverse where there are more columns than rows."""
    left, scale, _ = np.linalg.svd(draw.z - draw.z.mean(axis=0), full_matrices=False)
    left = left[:, scale > 1e-10 * scale[0]] if scale[0] > 0 else left[:, :1]
    return np.asarray(((left.T @ draw.V) ** 2).sum(axis=0))


def ridge_hotelling(draw: Draw) -> Array:
    """The mean shift of standardised columns by the inverse of their correlation matrix, shrunk by Ledoit and Wolf."""
    S = draw.standardised
    N, d = S.shape
    left, scale, _ = np.linalg.svd(S, full_matrices=False)
    spectrum = scale**2 / N
    spread = (spectrum**2).sum() - d  # of the correlation matrix from the identity
    noise = ((np.einsum("ij,ij->i", S, S) ** 2).mean() - (spectrum**2).sum()) / N
    shrink = float(np.clip(noise / spread, 0, 1)) if spread > 0 else 1.0
    weights = spectrum / ((1 - shrink) * spectrum + shrink + 1e-12)
    return weights @ (left.T @ draw.V) ** 2


def friedman_rafsky(draw: Draw) -> Array:
    """Minus the edges of the minimum spanning tree that join the two samples."""
    D = draw.distances["euclidean"]
    tree = minimum_spanning_tree(D + 1e-12 * (D.mean() or 1.0)).tocoo()
    return -np.abs(draw.V[tree.row] - draw.V[tree.col]).sum(axis=0).astype(float)


PEERS: dict[str, Callable[[Draw], Array]] = {
    "median": median,
    "energy": energy,
    "Agg": aggregated,
    "Agg std": aggregated_standardised,
    "FUSE": fuse,
    "Hotelling": hotelling,
    "ridge": ridge_hotelling,
    "FR": friedman_rafsky,
}

KERNEL_PEERS = ("median", "energy", "Agg", "FUSE")
"""Those that the lab calls kernel peers: MMD with raw columns."""

UNIT_FREE = ("Agg std", "Hotelling", "ridge")
"""Those that do not depend on the units of columns."""
