"""The centred Gram matrix of one variable as a product of few features in their principal axes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.types import Floats
from ..engines import Engine
from ..engines.featured import FeatureGram, FeatureMap
from ..engines.grid import GridGram
from ..engines.lowrank import LowRankGram
from ..errors import OptionError
from ..kernels import Kernel

_NEGLIGIBLE = 2e-6
"""Axes are dropped while the root of their squared eigenvalues stays below this share of that of all."""

_BLOCK_ENTRIES, _KEPT_ENTRIES = 1 << 21, 1 << 23


@dataclass(frozen=True, eq=False)
class Factor:
    """HKH = A'A with orthogonal rows.

    Parameters
    ----------
    A
        ``(r, n)`` features: rows sum to 0, are orthogonal, and come in decreasing length.
    values
        ``(r,)`` their squared lengths, the eigenvalues.
    notes
        What the engine has to say about the features.
    """

    A: Floats
    values: Floats
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of rows n of the data."""
        return int(self.A.shape[1])

    @cached_property
    def diagonal(self) -> Floats:
        """``(n,)`` diagonal of A'A."""
        return np.asarray(np.einsum("ai,ai->i", self.A, self.A))


def factor_of(kernel: Kernel, z: Floats, engine: Engine, rng: np.random.Generator, name: str) -> Factor:
    """The features that the engine has for a kernel on points z, in their principal axes.

    O(n w²) for w features; those of many rows are made twice rather than kept.
    """
    gram = engine.gram(kernel, z, rng)
    features, points, notes = _features(gram, engine, name)
    rough = features(points[:: max(1, len(points) // 500)]).mean(axis=0, dtype=np.float64)
    total, outer = np.zeros(features.width), np.zeros((features.width, features.width))
    kept: list[Floats] = []
    for rows in _blocks(len(points), features.width):
        phi = _centred(features, points[rows], rough)
        total += phi.sum(axis=0)
        outer += phi.T @ phi
        if len(points) * features.width <= _KEPT_ENTRIES:
            kept.append(phi)
    mean = total / len(points)
    values, axes = np.linalg.eigh(outer - len(points) * np.outer(mean, mean))
    values, axes = np.maximum(values[::-1], 0.0), axes[:, ::-1]
    tail = np.sqrt(np.cumsum(values[::-1] ** 2)[::-1])
    rank = max(1, int(np.count_nonzero(tail > _NEGLIGIBLE * tail[0])))
    A, turn = np.empty((rank, len(points))), axes[:, :rank].T
    for i, rows in enumerate(_blocks(len(points), features.width)):
        A[:, rows] = turn @ (kept[i] if kept else _centred(features, points[rows], rough)).T
    A -= (turn @ mean)[:, None]
    return Factor(A, values[:rank], notes)


def _features(gram: object, engine: Engine, name: str) -> tuple[FeatureMap, Floats, tuple[str, ...]]:
    if isinstance(gram, GridGram):
        return gram.features, gram.z, gram.remarks
    if isinstance(gram, LowRankGram):
        return gram.features, gram.z, (f"Low-rank kernel of {name}, rank {gram.rank}: {gram.certificate}.",)
    if isinstance(gram, FeatureGram):
        return gram.features, gram.z, gram.remarks
    raise OptionError(
        f"engine={engine!r} has no features for the kernel of {name}, and HSIC needs them. "
        "Use engine='auto' or 'lowrank'."
    )


def _centred(features: FeatureMap, points: Floats, rough: Floats) -> Floats:
    phi = np.asarray(features(points), dtype=np.float64)
    phi -= rough
    return phi


def _blocks(rows: int, width: int) -> Iterator[slice]:
    step = max(1, _BLOCK_ENTRIES // width)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
