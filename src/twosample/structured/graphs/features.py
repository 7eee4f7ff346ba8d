"""Graph kernels with explicit features: counts of patterns."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kernels.objects import ExplicitFeatures, ObjectKernel
from .graph import Whole
from .pool import GraphPool

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class CountKernel(ObjectKernel):
    """The inner product of counts of patterns in two graphs."""

    normalised: bool = field(default=True, kw_only=True)  # divide k(G, H) by the square root of k(G, G) k(H, H)

    @abstractmethod
    def counts(self, pool: GraphPool) -> sparse.csr_array:
        """``(N, D)`` how often each pattern stands in each graph."""

    def on(self, objects: Sequence[Any]) -> ExplicitFeatures:
        counts = self.counts(GraphPool.of(objects))
        return ExplicitFeatures(origin=self, matrix=_unit_rows(counts) if self.normalised else counts)

    @property
    def bounds(self) -> tuple[float, float] | None:
        return (0.0, 1.0) if self.normalised else None


def count(rows: Whole, patterns: Whole, shape: tuple[int, int]) -> sparse.csr_array:
    """The matrix of how often each (row, pattern) occurs."""
    from scipy import sparse

    return sparse.coo_array((np.ones(len(rows)), (rows, patterns)), shape=shape).tocsr()


def _unit_rows(counts: sparse.csr_array) -> sparse.csr_array:
    """Rows of length 1; rows without any pattern share one of their own, so that they are like each other only."""
    from scipy import sparse

    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).reshape(-1))
    bare = (norms == 0).astype(np.float64)
    scaled = sparse.diags_array(1 / (norms + bare)) @ counts
    return sparse.csr_array(sparse.hstack([scaled, sparse.csr_array(bare[:, None])], format="csr"))
