"""Views that look at pairs of rows, by kernels: one pass over the Gram matrix each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property

import numpy as np

from ..core.centred import u_centred
from ..core.labellings import Labellings
from ..core.types import Floats
from ..engines import Dense, Gram, Tiled, weighted_sums
from ..engines.blocks import Rows, Singles, blocked_sums, centred_forms, divided
from ..engines.tiles import tile_function
from ..kernels import Kernel, OnRows, Polynomial, Sum
from ..kernels.objects import row_numbers_of
from ..statistics import Unbiased
from .base import PooledView
from .local import Local, widths
from .pooled import PooledSample
from .views import FEW_COLUMNS, is_small

NORM_POINTS = 500
"""Rows of a larger pool, at random, that scales and norms are taken from: any constant that sees no label is exact."""

PAIRS = 5 * 10**7  # kernels look at all pairs of rows up to so many; beyond, at so many within random blocks

_KEPT = 600  # rows up to which the matrix of kernel values is kept
_FLAT = 1e-6  # a kernel of smaller spread tells no rows apart, in the single precision of tiles
_HALVINGS = 9  # of a pool into groups of neighbours
_WITNESSES = 3000  # rows of a divided pool that a witness is made of
_ENGINE = Tiled(tile=256)  # small tiles leave out more of the lower triangle


class KernelView(PooledView):
    r"""A view by a kernel on row numbers: unbiased MMD². O(N² (D + R)), by the engines of the house.

    More than 7,000 rows are divided into random blocks, so many that 5·10⁷ pairs are left, and the statistic is
    :math:`\sum_b v_b'A_bv_b` for the U-centred Gram matrix A_b of each. The division is drawn without looking at the
    labels, so that relabelling is exact for it too. `rng` divides, and draws the rows that scales are taken from.
    """

    def __init__(self, pool: PooledSample, rng: np.random.Generator) -> None:
        super().__init__(pool)
        few = pool.size <= NORM_POINTS
        self.part: Rows = np.arange(pool.size) if few else rng.choice(pool.size, NORM_POINTS, replace=False)
        self.divided: list[Rows] = divided(pool.size, PAIRS, rng)

    @property
    @abstractmethod
    def kernel(self) -> Kernel | None:
        """The kernel; None if it would tell no two rows apart."""

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        if self.kernel is None:
            return np.zeros(labels.count), 0.0
        if self.divided:
            found = blocked_sums(labels, self.divided, self._form)[0]
            return found, 1e-5 * float(found.std())
        m, n = self.pool.m, self.pool.n
        sums = self._gram.block_sums(labels, m, n)
        form = Unbiased().form(m, n)
        return form.value(sums), form.tolerance(sums)

    def projection(self, weights: Floats) -> Floats:
        size = self.pool.size
        if self.kernel is None:
            return np.zeros(size)
        if self.divided:
            few = np.sort(np.concatenate(self.divided)[:_WITNESSES]).astype(np.float64)[:, None]
            near = weights[few[:, 0].astype(np.intp), None]
            return weighted_sums(self.kernel, row_numbers_of(range(size)), few, near, _ENGINE)[:, 0]
        own = self.kernel.diagonal(row_numbers_of(range(size))) * weights  # a row says nothing about itself
        return np.asarray(self._gram.multiply(weights[:, None])[:, 0] - own)

    def _form(self, rows: Rows, v: Singles) -> Floats:
        """V'Av in one block."""
        assert self.kernel is not None
        z = rows.astype(np.float64)[:, None]
        tile = tile_function(self.kernel, z, z, many=True)
        return centred_forms(lambda here, there: tile(here, there)[None], v)

    @cached_property
    def _gram(self) -> Gram:
        assert self.kernel is not None
        engine = Dense() if self.pool.size <= _KEPT else _ENGINE  # which works in single precision
        return engine.gram(self.kernel, row_numbers_of(range(self.pool.size)))


class ManyCovariances(KernelView):
    r"""The covariance view for more pairs of columns than rows, by the kernel :math:`(q'q')^2` of the scores."""

    name = "covariance"

    @property
    def weight(self) -> float:
        """Less where there are few rows."""
        return 0.3 if is_small(self.pool) else 1.0

    @cached_property
    def kernel(self) -> Kernel | None:
        unit = float(np.sqrt(self.pool.scores.shape[1]))
        return OnRows(Polynomial(degree=2, offset=0.0, bandwidth=unit), self.pool.scores)

    def sees(self) -> str:
        return "spread of columns, or correlation of pairs of them"


class Fine(KernelView):
    r"""Differences at small scales, of any kind: three kernels, each over its standard deviation.

    Gaussian kernels on the ranks and on the values and a Laplace kernel on the values, :class:`Local`: the width at a
    row is its distance to its third neighbour, among at most 500 rows of the pool.
    """

    name = "fine scale"
    local = True
    vague = 4
    neighbour = 3

    @property
    def weight(self) -> float:
        """More in two and three columns, less where so narrow a kernel sees little: in more columns than rows."""
        columns = len(self.pool.columns)
        if is_small(self.pool) and columns >= self.pool.size:
            return 1.5
        return 8.0 if columns <= FEW_COLUMNS else 6.0

    @cached_property
    def kernel(self) -> Kernel | None:
        on_ranks, on_values = self._local(self.pool.ranks), self._local(self.pool.values)
        return balanced([on_ranks, on_values, replace(on_values, smooth_factor=0.0, kinked_factor=1.0)], self.part)

    def _local(self, rows: Floats) -> Local:
        return Local(rows, widths(rows, self.part, self.neighbour))

    def sees(self) -> str:
        return f"rows within about {self.scale:.2g} sd of each other are more often from one sample"

    @property
    def scale(self) -> float:
        """The typical width on values, for one column, in its standard deviations."""
        found = widths(self.pool.values[self.part], np.arange(len(self.part)), self.neighbour)
        return float(np.median(found) / np.sqrt(len(self.pool.columns)))


class Middle(Fine):
    """The same at a wider scale, for two and three columns: the 20th neighbour.

    So wide a kernel cannot tell close neighbours apart: more than 600 rows are put into 512 groups of neighbours, and
    one row stands for each of them.
    """

    name = "middle scale"
    weight = 8.0
    neighbour = 20

    def __init__(self, pool: PooledSample, rng: np.random.Generator) -> None:
        super().__init__(pool, rng)
        grouped = pool.size > _KEPT and not self.divided
        self.groups = neighbour_groups(pool.ranks, rng.permutation(pool.size)) if grouped else None

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        if self.groups is None or self.kernel is None:
            return super().statistic(labels)
        (order, starts), m, n = self.groups, self.pool.m, self.pool.n
        sizes = np.diff(starts, append=len(order))
        x = np.add.reduceat(labels.of(order), starts, axis=0, dtype=np.uint8)
        y = (sizes[:, None] - x).astype(np.uint8)
        gram = _ENGINE.gram(self.kernel, order[starts + sizes // 2].astype(np.float64)[:, None])
        sums, form = gram.block_sums(Labellings(x, y), m, n), Unbiased().form(m, n)
        return form.value(sums), form.tolerance(sums)

    @cached_property
    def kernel(self) -> Kernel | None:
        return balanced([self._local(self.pool.ranks), self._local(self.pool.values)], self.part)


def neighbour_groups(rows: Floats, order: Rows) -> tuple[Rows, Rows]:
    """The rows in an order in which 512 groups of neighbours follow each other, and where each begins.

    Halves of halves, by one column after the other; equal rows are told apart by the order that is given, at random.
    """
    size, columns = rows.shape
    place = np.arange(size)
    for level in range(_HALVINGS):
        order = order[np.lexsort((rows[order, level % columns], (place << level) // size))]
    return order, np.flatnonzero(np.diff((place << _HALVINGS) // size, prepend=-1))


def balanced(members: list[Local], part: Rows) -> Kernel | None:
    """The sum of the kernels, each over its standard deviation under relabelling.

    A kernel that tells no two rows of the part apart adds nothing; None if none does. Those of the same rows become
    one, so that their distances are found once.
    """
    z, every = part.astype(np.float64)[:, None], slice(0, len(part))
    kept: list[Local] = []
    for kernel in members:
        tile = kernel.block(z, z) if kernel.size <= _KEPT else tile_function(kernel, z, z)(every, every)
        A = u_centred(tile.astype(np.float64))
        norm = float(np.sqrt((A * A).mean()))
        if norm <= _FLAT:
            continue
        scaled = replace(kernel, smooth_factor=kernel.smooth_factor / norm, kinked_factor=kernel.kinked_factor / norm)
        if kept and kept[-1].rows is kernel.rows:
            scaled = replace(
                scaled,
                smooth_factor=scaled.smooth_factor + kept[-1].smooth_factor,
                kinked_factor=scaled.kinked_factor + kept[-1].kinked_factor,
            )
            kept.pop()
        kept.append(scaled)
    return Sum(tuple(kept)) if kept else None
