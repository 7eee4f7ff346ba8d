"""Views that look at pairs of rows, by kernels: one pass over the Gram matrix each."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..core.centred import u_centred
from ..core.labellings import Labellings, PackedBits
from ..core.threads import available_cores, run
from ..core.types import Counts, Floats
from ..engines import Dense, Gram, Tiled, weighted_sums
from ..engines.tiles import tile_function
from ..kernels import Blocks, Kernel, OnRows, Polynomial, Sum
from ..kernels.objects import row_numbers_of
from ..statistics import Unbiased
from .local import Local, widths
from .pooled import PooledSample
from .views import FEW_COLUMNS, View

NORM_POINTS = 500
"""Rows of a larger pool, at random, that scales and norms are taken from: any constant that sees no label is exact."""

PAIRS, BLOCK = 5 * 10**7, 128
"""Kernels look at all pairs of rows up to so many; beyond, at those within random blocks of at least so many rows."""

Rows = np.ndarray[tuple[int], np.dtype[np.intp]]
Singles = NDArray[np.float32]

_STRIP, _FEW = 1024, 512  # rows of a block at a time; blocks from which on several are one piece of work
_KEPT = 600  # rows up to which the matrix of kernel values is kept
_FLAT = 1e-9  # a kernel of smaller spread tells no rows apart
_WITNESSES = 3000  # rows of a divided pool that a witness is made of
_LABEL_BYTES = 400_000_000


class KernelView(View):
    r"""A view by a kernel on row numbers: unbiased MMD². O(N² (D + R)), by the engines of the house.

    More than 7,000 rows are divided into random blocks, so many that 5·10⁷ pairs are left, and the statistic is
    :math:`\sum_b v_b'A_bv_b` for the U-centred Gram matrix A_b of each. The division is drawn without looking at the
    labels, so that relabelling is exact for it too.

    Parameters
    ----------
    pool
        The pooled sample.
    rng
        For the division, and for the part of the pool that scales are taken from.
    """

    def __init__(self, pool: PooledSample, rng: np.random.Generator) -> None:
        super().__init__(pool)
        few = pool.size <= NORM_POINTS
        self.__dict__["part"] = np.arange(pool.size) if few else rng.choice(pool.size, NORM_POINTS, replace=False)
        count = block_count(pool.size)
        self.__dict__["divided"] = np.array_split(rng.permutation(pool.size), count) if count > 1 else []

    part: Rows
    divided: list[Rows]

    @property
    @abstractmethod
    def kernel(self) -> Kernel | None:
        """The kernel; None if it would tell no two rows apart."""

    def statistic(self, labels: Labellings) -> tuple[Floats, float]:
        if self.kernel is None:
            return np.zeros(labels.count), 0.0
        if self.divided:
            return blocked_statistic(self.kernel, labels, self.divided)
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
            return weighted_sums(self.kernel, row_numbers_of(range(size)), few, near, Tiled())[:, 0]
        own = self.kernel.diagonal(row_numbers_of(range(size))) * weights  # a row says nothing about itself
        return np.asarray(self._gram.multiply(weights[:, None])[:, 0] - own)

    @cached_property
    def _gram(self) -> Gram:
        assert self.kernel is not None
        engine = Dense() if self.pool.size <= _KEPT else Tiled()  # which works in single precision
        return engine.gram(self.kernel, row_numbers_of(range(self.pool.size)))


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
    r"""Differences at small scales, of any kind: three kernels, each over its standard deviation.

    Gaussian kernels on the ranks and on the values and a Laplace kernel on the values, :class:`Local`: the width at a
    row is its distance to its third neighbour, among at most 500 rows of the pool.
    """

    name = "fine scale"
    vague = 4
    neighbour = 3

    @property
    def weight(self) -> float:
        """More in two and three columns, less in one, where so narrow a kernel sees little."""
        columns = len(self.pool.columns)
        return 2.0 if columns == 1 else 8.0 if columns <= FEW_COLUMNS else 6.0

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
    """The same at a wider scale, for up to three columns: the 40th neighbour in one column, the 20th in more."""

    name = "middle scale"
    weight = 8.0

    @property
    def neighbour(self) -> int:  # type: ignore[override]
        """More of them on a line, where they lie in two directions only."""
        return 40 if len(self.pool.columns) == 1 else 20

    @cached_property
    def kernel(self) -> Kernel | None:
        return balanced([self._local(self.pool.ranks), self._local(self.pool.values)], self.part)


def balanced(members: list[Local], part: Rows) -> Kernel | None:
    """The sum of the kernels, each over its standard deviation under relabelling.

    A kernel that tells no two rows of the part apart adds nothing; None if none does. Those of the same rows become
    one, so that their distances are found once.
    """
    z = part.astype(np.float64)[:, None]
    kept: list[Local] = []
    for kernel in members:
        A = u_centred(kernel.block(z, z))
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


def block_count(size: int) -> int:
    """How many blocks so many rows are divided into."""
    return max(1, min(-(-size * size // PAIRS), size // BLOCK))


def blocked_statistic(kernel: Kernel, labels: Labellings, blocks: list[Rows]) -> tuple[Floats, float]:
    """``(R,)`` the sum of v'Av over blocks of rows, for U-centred A; and its rounding error."""
    stored = labels.stored
    assert isinstance(stored, PackedBits)  # all labellings of so many rows are more than anybody can list
    size = stored.points
    groups = [blocks[i : i + 64] for i in range(0, len(blocks), 64)] if len(blocks) > _FEW else [[b] for b in blocks]
    step = max(16, _LABEL_BYTES // size)  # labellings at a time, a byte for each row
    values = []
    for start in range(0, labels.count, step):
        V = PackedBits(stored.bits[start : start + step], size).block(slice(0, size))  # (step, N)

        def work(group: list[Rows], stop: Event, V: Counts = V) -> Floats:
            total = np.zeros(len(V))
            for rows in group:
                if stop.is_set():
                    break
                z = rows.astype(np.float64)[:, None]
                total += centred_form(tile_function(kernel, z, z, many=True), V[:, rows].T.astype(np.float32))
            return total

        values.append(np.sum(run(groups, work, available_cores()), axis=0))
    result = np.concatenate(values)
    return result, 1e-5 * float(result.std())


def centred_form(tile: Blocks, v: Singles) -> Floats:
    r"""``(R,)`` v'Av for the U-centred Gram matrix A of b rows whose tiles these are, and ``(b, R)`` labels v.

    With k = v'1 and the sums r of K without its diagonal it is
    :math:`v'Kv - 2\frac{k-1}{b-2}v'r + \frac{k(k-1)}{(b-1)(b-2)}1'r`. O(b² R), in strips.
    """
    size, count = v.shape
    right = np.concatenate([v, np.ones((size, 1), np.float32)], axis=1)
    strips = [slice(i, min(i + _STRIP, size)) for i in range(0, size, _STRIP)]
    inner, rows, total = np.zeros(count), np.zeros(count), 0.0
    for i, here in enumerate(strips):
        half = np.zeros((here.stop - here.start, count + 1))  # each entry stands for its mirror image, too
        for there in strips[i:]:
            K = tile(here, there)
            if there == here:
                K = K * 0.5
                np.fill_diagonal(K, 0)
            half += K.astype(np.float32, copy=False) @ right[there]
        inner += 2 * np.einsum("ir,ir->r", v[here], half[:, :count])
        rows += half[:, count] @ v[here] + half[:, :count].sum(axis=0)
        total += 2 * float(half[:, count].sum())
    k = v.sum(axis=0, dtype=np.float64)
    return np.asarray(inner - 2 * (k - 1) / (size - 2) * rows + k * (k - 1) / ((size - 1.0) * (size - 2)) * total)
