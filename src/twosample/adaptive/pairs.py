"""Views that look at pairs of rows, by kernels: one pass over the Gram matrix each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..core.centred import u_centred
from ..core.labellings import Labellings
from ..core.types import Floats
from ..engines import Auto, Gram
from ..kernels import Gaussian, Kernel, Laplace, OnRows, Polynomial, RadialKernel, Scaled, Sum
from ..kernels.bandwidth import distance_quantiles
from ..kernels.objects import row_numbers_of
from ..statistics import Unbiased
from .pooled import PooledSample
from .views import View

NORM_POINTS = 500
"""Rows of a larger pool, at random, that scales and norms are taken from: any constant that sees no label is exact."""

Part = tuple[RadialKernel, Floats, float]
"""A kernel, the rows that it applies to, and its share in the sum."""


class KernelView(View):
    """A view by a kernel on row numbers: unbiased MMD². O(N² (D + R)), by the engines of the house."""

    @property
    @abstractmethod
    def kernel(self) -> Kernel | None:
        """The kernel; None if it would tell no two rows apart."""

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        if self.kernel is None:
            return np.zeros(labels.count), 0.0
        m, n = self.pool.m, self.pool.n
        sums = self._gram(labels.count).block_sums(labels, m, n)
        form = Unbiased().form(m, n)
        return form.value(sums), form.tolerance(sums)

    def witness(self) -> Floats:
        m, n = self.pool.m, self.pool.n
        if self.kernel is None:
            return np.zeros(m + n)
        weights = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
        own = self.kernel.diagonal(row_numbers_of(range(m + n))) * weights  # a row says nothing about itself
        return np.asarray(self._gram(1).multiply(weights[:, None])[:, 0] - own)

    def _gram(self, labellings: int) -> Gram:
        assert self.kernel is not None
        z = row_numbers_of(range(self.pool.size))
        return Auto().choose(self.kernel, z, labellings).engine.gram(self.kernel, z, np.random.default_rng(0))


class ManyCovariances(KernelView):
    r"""The covariance view for more pairs of columns than rows, by the kernel :math:`(q'q')^2` of the scores."""

    name = "covariance"
    weight = 1.0

    @cached_property
    def kernel(self) -> Kernel | None:
        unit = float(np.sqrt(self.pool.scores.shape[1]))
        return OnRows(Polynomial(degree=2, offset=0.0, bandwidth=unit), self.pool.scores)

    def sees(self) -> str:
        return "spread of columns, or correlation of pairs of them"


class Fine(KernelView):
    r"""Differences at small scales, of any kind: the sum of four narrow kernels, each over its standard deviation.

    Gaussian kernels on the ranks at half the 1 % quantile of distances and at somewhat more, Laplace kernels on the
    values, Euclidean and city-block, at half their 5 % quantile.
    """

    name = "fine scale"
    weight = 6.0

    def __init__(self, pool: PooledSample, rng: np.random.Generator) -> None:
        super().__init__(pool)
        part = np.arange(pool.size) if pool.size <= NORM_POINTS else rng.choice(pool.size, NORM_POINTS, replace=False)
        self.__dict__["_part"] = part

    @cached_property
    def kernel(self) -> Kernel | None:
        part: np.ndarray[tuple[int], np.dtype[np.intp]] = self.__dict__["_part"]
        return balanced(list(_narrow(self.pool, part)), part)

    def sees(self) -> str:
        return f"rows within about {self.scale:.2g} sd of each other are more often from one sample"

    @property
    def scale(self) -> float:
        """The widest of the scales on values, for one column, in its standard deviations."""
        parts = list(_narrow(self.pool, self.__dict__["_part"]))
        return float(max(kernel.scale for kernel, _, _ in parts[2:3]) / np.sqrt(len(self.pool.columns)))


def _narrow(pool: PooledSample, part: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Iterator[Part]:
    """The four kernels."""
    rng = np.random.default_rng(0)  # not used: the part is small
    low, high = distance_quantiles(pool.ranks[part], "euclidean", np.array([0.01, 0.95]), rng)
    narrow = max(low / 2, 1e-6 * high)
    yield Gaussian(narrow), pool.ranks, 0.5
    yield Gaussian(narrow * (2 * high / narrow) ** 0.2), pool.ranks, 1.0
    for kernel in (Laplace(norm=2), Laplace(norm=1)):
        width = float(distance_quantiles(pool.values[part], kernel.metric, np.array([0.05]), rng)[0]) / 2
        yield replace(kernel, bandwidth=width), pool.values, 1.0


def balanced(members: list[Part], part: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Kernel | None:
    """The sum of the kernels, each over its standard deviation under relabelling, times its share.

    A kernel that tells no two rows of the part apart adds nothing; None if none does.
    """
    parts: list[Kernel] = []
    for kernel, rows, share in members:
        A = u_centred(kernel.block(rows[part], rows[part]))
        norm = float(np.sqrt((A * A).mean()))
        if norm > 1e-9:
            parts.append(Scaled(OnRows(kernel, rows), share / norm))
    return Sum(tuple(parts)) if parts else None
