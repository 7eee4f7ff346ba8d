"""Many kernels of one distance at once: the Gram matrices of a whole grid of bandwidths in one pass.

Kernels of neighbouring bandwidths are nearly linear combinations of each other. So the functions of the distance are
replaced by their projections on a few of their principal components, found from a random part of the pool, and only
those few are applied to the labellings: ten bandwidths cost about as much as four or five. The projections differ from
the kernels by less than a stated share of their spread; they see no labels, so tests by relabelling stay exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from threading import Event
from typing import Any

import numpy as np

from ..core.labellings import Labellings
from ..core.threads import available_cores, run
from ..core.types import Floats, Reals
from ..kernels import RadialKernel
from ..kernels.radial import quick_distances
from .blocks import Rows, Singles, blocked_sums, centred_forms

PART = 500  # rows of a larger pool that the components are found from
TOLERANCE = 1e-3  # how far a projected kernel may be from the kernel, in its standard deviations over pairs of rows

_TILE, _SINGLE_POINTS = 512, 1500


@dataclass(frozen=True, eq=False)
class KernelFamily:
    """Radial kernels of the same distance, projected on a few functions of it."""

    kernels: tuple[RadialKernel, ...]  # the kernels, with bandwidths
    components: Floats  # (B, K) the functions that are applied, as combinations of the kernels
    coefficients: Floats
    """``(K, B)`` the kernels as combinations of those, up to a constant, which no estimate of MMD² can see; each over
    its standard deviation over pairs of rows."""

    @classmethod
    def of(cls, kernels: Sequence[RadialKernel], z: Floats, rng: np.random.Generator) -> KernelFamily:
        """Find the components from the distances of a part of the pool."""
        part = z if len(z) <= PART else z[rng.choice(len(z), PART, replace=False)]
        pairs = np.triu_indices(len(part), 1)
        values = np.array([kernel.block(part, part)[pairs] for kernel in kernels])  # (K, P)
        values -= values.mean(axis=1, keepdims=True)
        deviation = values.std(axis=1, keepdims=True)
        scale = np.where(deviation > 1e-9, 1 / np.maximum(deviation, 1e-9), 0.0)
        left, sizes, _ = np.linalg.svd((values * scale) / np.sqrt(values.shape[1]), full_matrices=False)
        missing = np.cumsum((left * sizes)[:, ::-1] ** 2, axis=1)[:, ::-1]  # (K, K): of each kernel beyond B components
        count = max(1, int((missing.max(axis=0) > TOLERANCE**2).sum()))
        return cls(tuple(kernels), (left[:, :count] * scale).T, left[:, :count])

    def tile(self, a: Floats, b: Floats, dtype: np.dtype[Any]) -> Reals:
        """``(B, rows, columns)`` the functions of the distances between rows of a and of b."""
        D = quick_distances(a, b, self.kernels[0].metric).astype(dtype)
        values = np.empty((len(self.kernels), D.size), dtype)
        for kernel, row in zip(self.kernels, values, strict=True):
            power = 2 if kernel.metric == "sqeuclidean" else 1
            row[:] = kernel.of_distances(np.multiply(D, 1 / kernel.scale**power, dtype=dtype), a, b).ravel()
        products: Reals = self.components.astype(dtype) @ values
        return products.reshape(-1, len(a), len(b))


def blocked_family(
    families: Sequence[KernelFamily], z: Floats, labels: Labellings, blocks: list[Rows]
) -> tuple[Floats, float]:
    """The same within random blocks of rows, up to a factor: for many rows, in single precision."""
    single: np.dtype[Any] = np.dtype(np.float32)

    def form(rows: Rows, v: Singles) -> Floats:
        own = z[rows]
        return centred_forms(
            lambda a, b: np.concatenate([family.tile(own[a], own[b], single) for family in families]), v
        )

    values = joined_components(families, blocked_sums(labels, blocks, form))
    return values, 1e-5 * float(np.median(values.std(axis=1)))


def family_statistics(
    families: Sequence[KernelFamily], z: Floats, labels: Labellings, m: int, n: int
) -> tuple[Floats, float]:
    """``(K, R)`` MMD² (unbiased) of all kernels over their standard deviations, and the rounding error. O(N² B R).

    With off-diagonal sums only: ``xx = v'Kv`` and ``rows = v'K1`` give the three blocks.
    """
    size, count = m + n, labels.count
    dtype: np.dtype[Any] = np.dtype(np.float32 if size > _SINGLE_POINTS else np.float64)
    V = np.ones((size, count + 1), dtype)  # the last column gives row sums
    V[:, :count] = labels.x
    strips = [slice(i * _TILE, min((i + 1) * _TILE, size)) for i in range(ceil(size / _TILE))]

    def work(i: int, stop: Event) -> Floats:
        sums = np.zeros((sum(len(family.components) for family in families), 2, count + 1))
        for j in range(i, len(strips)):
            if stop.is_set():
                break
            here, there = strips[i], strips[j]
            tiles = np.concatenate([family.tile(z[here], z[there], dtype) for family in families])
            for tile, own in zip(tiles, sums, strict=True):
                if i == j:
                    np.fill_diagonal(tile, 0)
                KV = tile @ V[there]
                share = 1.0 if i == j else 2.0
                own[0] += share * np.einsum("ir,ir->r", V[here], KV, dtype=np.float64)  # v'Kv, and 1'K1
                own[1] += KV.sum(axis=0, dtype=np.float64)  # v'K1, by symmetry from the columns of the tile,
                if i != j:  # and from its rows
                    own[1] += KV[:, -1].astype(np.float64) @ V[here]
        return sums

    sums = np.sum(run(range(len(strips)), work, available_cores()), axis=0)  # (B, 2, R + 1)
    xx, total, rows = sums[:, 0, :-1], sums[:, 0, -1:], sums[:, 1, :-1]
    xy, yy = rows - xx, total - 2 * rows + xx
    values = xx / (m * (m - 1)) + yy / (n * (n - 1)) - 2 * xy / (m * n)  # (B, R)
    resolution = (2e-6 / np.sqrt(size)) if dtype == np.float32 else 1e-12
    return joined_components(families, values), 10 * resolution


def joined_components(families: Sequence[KernelFamily], values: Floats) -> Floats:
    """``(K, R)`` statistics of all kernels from ``(B, R)`` those of the components."""
    ends = np.cumsum([len(family.components) for family in families])
    parts = np.split(values, ends[:-1])
    return np.concatenate([family.coefficients @ part for family, part in zip(families, parts, strict=True)])
