"""The reference engine: the Gram matrix in memory."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.centred import Centred, CentredGram
from ..core.labellings import Labellings
from ..core.sums import BlockSums, sums_of_matrix
from ..core.threads import single_threaded_blas
from ..core.types import Floats
from ..kernels import Kernel
from .base import Gram

CENTRED_POINTS = 2000
"""Eigenvalues and third moments, O(N^3), are taken from a random part of this size when the pool is larger."""


@dataclass(frozen=True)
class Dense:
    """The Gram matrix in memory, by the definition. O(N² (d + R)) time, 8 N² bytes: right for small N.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd_test([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], level=0.2, engine=ts.Dense()).engine
    Dense()
    """

    name = "dense"

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> DenseGram:
        """The Gram matrix of z."""
        return DenseGram(kernel, z)


@dataclass(frozen=True, eq=False)
class DenseGram(Gram):
    """A Gram matrix in memory."""

    kernel: Kernel
    z: Floats

    @cached_property
    def matrix(self) -> Floats:
        """``(N, N)`` kernel values."""
        return self.kernel.block(self.z, self.z)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        small = labels.count * len(self.z) ** 2 < 2e8  # milliseconds: waking other threads costs more than it saves
        with single_threaded_blas() if small else nullcontext():
            return sums_of_matrix(self.matrix, labels, m, n)

    def centred(self, rng: np.random.Generator) -> Centred:
        whole = CentredGram.of(self.matrix)
        if len(self.z) <= CENTRED_POINTS:
            return whole
        part = rng.choice(len(self.z), CENTRED_POINTS, replace=False)
        return CentredGram.of(self.matrix[np.ix_(part, part)], whole.square, whole.spread)

    def multiply(self, W: Floats) -> Floats:
        return np.asarray(self.matrix @ W)
