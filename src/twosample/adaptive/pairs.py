"""The view that looks at pairs of rows: several narrow kernels as one, in one pass over the Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ..core.centred import u_centred
from ..core.labellings import Labellings
from ..core.types import Floats
from ..engines import Auto
from ..kernels import Gaussian, Kernel, Laplace, OnRows, RadialKernel, Scaled, Sum
from ..kernels.bandwidth import distance_quantiles
from ..kernels.objects import row_numbers_of
from ..statistics import Unbiased
from .pooled import PooledSample
from .views import View

NORM_POINTS = 500
"""Rows of a larger pool, at random, that scales and norms are taken from: any constant that sees no label is exact."""

Part = tuple[RadialKernel, Floats, float]
"""A kernel, the rows that it applies to, and its share in the sum."""


class Fine(View):
    r"""Differences at small scales, of any kind: the sum of four narrow kernels, each over its standard deviation.

    Gaussian kernels on the ranks at half the 1 % quantile of distances and at somewhat more, Laplace kernels on the
    values, Euclidean and city-block, at half their 5 % quantile. O(N² (D + R)).
    """

    name = "fine scale"
    weight = 6.0

    def __init__(self, pool: PooledSample, rng: np.random.Generator) -> None:
        super().__init__(pool)
        size = pool.size
        part = np.arange(size) if size <= NORM_POINTS else rng.choice(size, NORM_POINTS, replace=False)
        self.__dict__["kernel"] = balanced(list(_narrow(pool, part)), part)

    kernel: Kernel | None

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        m, n = self.pool.m, self.pool.n
        if self.kernel is None:
            return np.zeros(labels.count), 0.0
        z = row_numbers_of(range(m + n))
        engine = Auto().choose(self.kernel, z, labels.count).engine
        sums = engine.gram(self.kernel, z).block_sums(labels, m, n)
        form = Unbiased().form(m, n)
        return form.value(sums), form.tolerance(sums)

    def sees(self) -> str:
        return f"rows within about {self.scale:.2g} sd of each other are more often from one sample"

    @property
    def scale(self) -> float:
        """The widest of the scales on values, for one column, in its standard deviations."""
        assert isinstance(self.kernel, Sum)
        widths = [part.kernel.origin.scale for part in self.kernel.parts if isinstance(part.kernel.origin, Laplace)]  # type: ignore[attr-defined]
        return float(max(widths, default=0.0) / np.sqrt(len(self.pool.columns)))

    def witness(self) -> Floats:
        m, n = self.pool.m, self.pool.n
        if self.kernel is None:
            return np.zeros(m + n)
        z = row_numbers_of(range(m + n))
        weights = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
        gram = Auto().choose(self.kernel, z, 1).engine.gram(self.kernel, z)
        own = self.kernel.diagonal(z) * weights  # a row says nothing about itself
        return np.asarray(gram.multiply(weights[:, None])[:, 0] - own)


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
