"""Match lists of samples: tables of rows, of graphs, of strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _door as door
from ..core.adjust import holm
from ..core.types import Floats
from ..errors import InputError, options_by_name
from ..homogeneity import mmd, mmd_test
from ..kernels import Kernel, Median, Precomputed
from ..nulls import Permutation
from .costs import Costs
from .evidence import SOME_SHARED, best_pairs, by_content, confidence
from .judging import DRIFTED, gap, semi_metric
from .results import Matching, Pair, Unmatched

_RESAMPLES = 999


@options_by_name
def match_tables(
    a: object,
    b: object,
    *,
    kernel: door.KernelLike = "gaussian",
    level: float | None = 0.05,
    rng: door.Seed = 0,
) -> Matching:
    r"""Find out which sample of one list is which sample of another: the paper's table matching.

    As :func:`match`, with whole samples in the place of columns: :math:`C_{ij} = \mathrm{MMD}^2_u(A_i, B_j)`, and the
    pairs of least total cost.

    Parameters
    ----------
    a, b
        Lists of samples, or mappings from names to samples; each sample as for :func:`mmd_test`: rows of numbers, or
        a list of graphs, strings or other objects. With a :class:`Precomputed` kernel, lists of row numbers.
    kernel
        As for :func:`mmd_test`. A bandwidth that is left open is the median distance in the pool of the two tables, so
        that it does not matter which of them comes first (the paper takes the kernel of table i of the first list).
    level
        Tables whose best partner is rejected by a permutation test, adjusted by Holm for all pairs, stay alone; None:
        every table gets a partner while there are any.
    rng
        Seed or generator, for the tests.

    Returns
    -------
    Matching
        As :func:`match` gives, with tables in the place of columns.

    Notes
    -----
    ``m.distance`` is symmetric, never negative, and 0 between lists of the same samples in any order. With one kernel
    for all pairs (a given bandwidth, or objects) it obeys the triangle inequality too, as in the paper's theorem; a
    bandwidth of each pair gives that up.

    O(s t N²) kernel values for s and t tables of N rows; kernels on objects are evaluated once for all pairs. A pair of
    200 + 200 rows takes 4 ms: 60 by 60 tables take a quarter of a minute and 400 by 400 ten minutes. Tests,
    of 999 permutations, are made for the chosen pairs and, where a table stays alone, for its nearest one.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> spruce, pine = rng.normal(size=(80, 4)), rng.normal(size=(80, 4)) * [1, 1, 1, 3]
    >>> m = ts.match_tables([spruce[:40], pine[:40]], [pine[40:], spruce[40:]])
    >>> [(pair.source, pair.target) for pair in m.pairs]
    [('0', '1'), ('1', '0')]
    """
    level = None if level is None else door.check_level(level)
    sides = _Samples.of(a, b, door.resolve_kernel(kernel))
    random = door.generator(rng)
    shape = len(sides.left), len(sides.right)
    costs, roots = np.empty(shape), np.empty(shape)
    for i, j in np.ndindex(shape):
        x, y, pooled = sides.left[i], sides.right[j], sides.kernel_of(i, j)
        costs[i, j] = mmd(x, y, kernel=pooled)
        roots[i, j] = mmd(x, y, kernel=pooled, statistic="biased")
    return _judged(sides, costs, roots, level, random)


@dataclass(frozen=True, eq=False)
class _Samples:
    """Two lists of samples in the form that the kernel takes."""

    left: list[Any]
    right: list[Any]
    names: tuple[tuple[str, ...], tuple[str, ...]]
    kernel: Kernel

    @classmethod
    def of(cls, a: object, b: object, kernel: Kernel) -> _Samples:
        names, lists = zip(*(_listed(side, name) for side, name in ((a, "a"), (b, "b"))), strict=True)
        left, right = lists
        if kernel.domain == "objects":
            every = [door.objects(one, f"a table of {n}") for n, side in (("a", left), ("b", right)) for one in side]
            ends = np.cumsum([0, *(len(sample) for sample in every)])
            kernel = Precomputed.of(kernel, [one for sample in every for one in sample])
            rows = [np.arange(ends[k], ends[k + 1]) for k in range(len(every))]
            left, right = rows[: len(left)], rows[len(left) :]
        elif kernel.domain == "vectors":
            for sample in (*left, *right):
                door.check_names(door.column_names(left[0]), door.column_names(sample), "The samples")
            left, right = ([door.points(one, f"table {k} of {n}") for k, one in enumerate(side)] for n, side in
                           (("a", left), ("b", right)))  # fmt: skip
        return cls(list(left), list(right), (names[0], names[1]), kernel)

    def kernel_of(self, i: int, j: int) -> Kernel:
        """The kernel of a pair of tables: it depends on their pooled rows, whatever the order of these."""
        if not self.kernel.needs_bandwidth:
            return self.kernel
        z = door.pool(self.left[i], self.right[j], self.kernel).z
        return door.fill_bandwidth(self.kernel, Median(), z[np.lexsort(z.T)], np.random.default_rng(0))

    def pvalue(self, i: int, j: int, rng: np.random.Generator) -> tuple[float, float]:
        """MMD²_u of the test, and its p-value."""
        kernel = self.kernel_of(i, j)
        result = mmd_test(self.left[i], self.right[j], kernel=kernel, null=Permutation(n=_RESAMPLES), rng=rng)
        return result.statistic, result.pvalue


def _listed(side: object, name: str) -> tuple[tuple[str, ...], list[Any]]:
    if isinstance(side, str | bytes) or not isinstance(side, Iterable) or getattr(side, "ndim", 1) == 0:
        raise InputError(f"{name} is {type(side).__name__}; give a list of samples, or a mapping of names to samples.")
    named = side if isinstance(side, Mapping) else dict(enumerate(door.objects(side, name, 0)))
    if not named:
        raise InputError(f"{name} has no samples.")
    return tuple(map(str, named)), list(named.values())


def _judged(sides: _Samples, costs: Floats, roots: Floats, level: float | None, rng: np.random.Generator) -> Matching:
    pairs = best_pairs(-costs, force=True)
    sure = confidence(by_content(_as_columns(sides, costs), np.ones(costs.shape, dtype=bool)))
    tests = [sides.pvalue(i, j, rng) for i, j in pairs]
    adjusted = holm([p for _, p in tests])
    pvalues = np.full(costs.shape, np.nan)
    kept: list[Pair] = []
    taken: tuple[set[int], set[int]] = set(), set()
    for (i, j), (statistic, p), value in zip(pairs, tests, adjusted, strict=True):
        pvalues[i, j] = p
        if level is not None and value <= level:
            continue
        taken[0].add(i)
        taken[1].add(j)
        ahead = gap(roots, i, j)
        words = "nearest" if ahead >= 0 else "a nearer table has another partner"
        kept.append(
            Pair(
                source=sides.names[0][i], target=sides.names[1][j], kind="table", confidence=float(sure[i, j]),
                drifted=bool(value <= (level or DRIFTED)), mmd=float(roots[i, j]), pvalue=p,
                adjusted_pvalue=float(value), gap=ahead, cost=float(costs[i, j]), statistic=statistic, evidence=words,
            )
        )  # fmt: skip
    alone: tuple[list[Unmatched], list[Unmatched]] = [], []
    for side, table in enumerate((costs, costs.T)):
        for k in range(len(table)):
            if k not in taken[side]:
                nearest = int(np.argmin(table[k]))
                at = (nearest, k) if side else (k, nearest)
                if np.isnan(pvalues[at]):
                    pvalues[at] = sides.pvalue(*at, rng)[1]
                p, name = float(pvalues[at]), sides.names[1 - side][nearest]
                why = _why(name, p, nearest in taken[1 - side], level or DRIFTED)
                alone[side].append(Unmatched(sides.names[side][k], why, name, p))
    return Matching(
        pairs=tuple(kept), unmatched_source=tuple(alone[0]), unmatched_target=tuple(alone[1]), sources=sides.names[0],
        targets=sides.names[1], confidence=sure, costs=costs, mmd=roots, pvalues=pvalues,
        distance=semi_metric(roots), related=float("nan"), level=level, names=("a", "b"),
        rows=(sum(map(len, sides.left)), sum(map(len, sides.right))),
    )  # fmt: skip


def _as_columns(sides: _Samples, costs: Floats) -> Costs:
    """What the evidence is made of; nothing is known of values in common."""
    m, n = (np.array([len(one) for one in side]) for side in (sides.left, sides.right))
    return Costs(costs, costs, np.full(costs.shape, SOME_SHARED), 1 / m[:, None] + 1 / n)


def _why(name: str, p: float, taken: bool, level: float) -> str:
    """Why a table has no partner."""
    least = "has another distribution" if p <= level else "fits another one, all pairs considered"
    return f"the nearest, {name!r}, {'has another partner' if taken else least} (p = {p:.3g})"
