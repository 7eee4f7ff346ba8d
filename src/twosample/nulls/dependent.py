"""Nulls for groups and pairs of rows that depend on each other. Relabelling single rows is not valid there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from math import comb
from typing import ClassVar

import numpy as np

from ..core.evidence import Evidence
from ..core.labellings import Labellings, pair_swaps, relabellings
from ..core.laws import Law, ReplicateLaw
from ..core.quadratic import QuadraticForm
from ..core.types import Floats
from ..errors import InputError, whole_number
from ..kernels import Kernel
from .base import Null, Products, Worlds, batches
from .resampling import _Resampling


@dataclass(frozen=True)
class GroupPermutation(Null):
    """Relabel whole groups of rows: patients, sessions, batches. Exact when the groups are exchangeable under H0.

    Rows of one group move together, however they depend on each other. Groups may have any sizes: each labelling
    has its own m and n, and the statistic uses those. As many groups are x as in truth.

    Parameters
    ----------
    x_groups, y_groups
        The group of every row of x and of y; a group belongs to one sample.
    n
        Number of random relabellings of the groups; all of them when there are no more.

    Notes
    -----
    One product of the Gram matrix with the groups, then O(G² n) for G groups. What counts is the number of groups: with
    3 and 3 no p-value is below 0.05.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> patients = np.repeat(np.arange(20), 10)  # ten rows of each of twenty patients, ten in either sample
    >>> z = rng.normal(size=20)[patients] + 0.1 * rng.normal(size=200)
    >>> null = ts.GroupPermutation(patients[:100], patients[100:])
    >>> ts.mmd_test(z[:100], z[100:], null=null, rng=0).rejected
    False
    """

    x_groups: Iterable[Hashable] = field(repr=False)
    y_groups: Iterable[Hashable] = field(repr=False)
    n: int = 999
    name = "group"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("GroupPermutation: n", self.n))
        for name in ("x_groups", "y_groups"):
            given = getattr(self, name)
            if not isinstance(given, Iterable):
                raise InputError(f"GroupPermutation: {name}={given!r} must be a list with the group of every row.")
            groups = tuple(given.tolist() if isinstance(given, np.ndarray) else given)
            if not all(isinstance(group, Hashable) and not _unnamed(group) for group in groups):
                raise InputError(
                    f"GroupPermutation: {name} must name the group of every row; None, NaN and lists do not."
                )
            object.__setattr__(self, name, groups)
        both = sorted(map(str, set(self._groups[0]) & set(self._groups[1])))
        if both:
            raise InputError(
                f"GroupPermutation: group(s) {', '.join(both[:3])} occur in x and in y. Rows of a group move together, "
                "so a group belongs to one sample. Give different groups different names; for units measured in both "
                "samples use ts.PairFlips()."
            )

    @property
    def _groups(self) -> tuple[list[Hashable], list[Hashable]]:
        """The distinct groups of each sample, in order of appearance."""
        return list(Counter(self.x_groups)), list(Counter(self.y_groups))

    @property
    def resamples(self) -> int:
        return int(self.n)

    def adapted(self, x: Floats, y: Floats, kernel: Kernel) -> Null:
        given = [len(tuple(groups)) for groups in (self.x_groups, self.y_groups)]
        if given != [len(x), len(y)]:
            raise InputError(
                f"GroupPermutation has groups for {given[0]} and {given[1]} rows; x has {len(x)} and y has {len(y)}."
            )
        return self

    def worlds(self, form: QuadraticForm, gram: Products, diagonal: Floats, rng: np.random.Generator) -> Worlds:
        names = [group for groups in self._groups for group in groups]
        code = {group: i for i, group in enumerate(names)}
        of_row = np.array([code[group] for group in (*self.x_groups, *self.y_groups)])
        K, d, sizes = _group_sums(gram, diagonal, of_row, len(names))
        labels = relabellings(len(self._groups[0]), len(self._groups[1]), self.n, rng)
        V = labels.x.astype(np.float64)  # (G, R)
        xx, all_rows = np.einsum("gr,gr->r", V, K @ V), K.sum(axis=1) @ V
        m = sizes @ V
        n, dx = sizes.sum() - m, d @ V
        xy, yy, dy = all_rows - xx, K.sum() - 2 * all_rows + xx, d.sum() - dx
        if form.dx:  # biased
            values = xx / m**2 - 2 * xy / (m * n) + yy / n**2
        else:
            if min(m.min(), n.min()) < 2:
                raise InputError(
                    "GroupPermutation: in some labelling a sample is a single row, of which MMD²_u is not defined. "
                    "Use statistic='biased'."
                )
            values = (xx - dx) / (m * (m - 1)) - 2 * xy / (m * n) + (yy - dy) / (n * (n - 1))
        return Worlds(values, labels.exhaustive)

    def law(self, evidence: Evidence) -> Law:
        a, b = map(len, self._groups)
        return ReplicateLaw(evidence.values, evidence.tolerance, evidence.exhaustive, 1 / comb(a + b, a))


@dataclass(frozen=True)
class PairFlips(_Resampling):
    """Swap x_i and y_i by a fair coin: the exact null for pairs (before and after, left and right), any statistic.

    Under H0 a pair is as likely in either order, however strongly its two rows depend on each other. The pairs must
    be independent. ``statistic="paired"`` leaves k(x_i, y_i) out and swaps by itself; this null serves the others.

    Parameters
    ----------
    n
        Number of random swaps; all 2^m when there are no more.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> before = 3 * rng.normal(size=60)
    >>> after = before + 0.5 + 0.2 * rng.normal(size=60)
    >>> ts.mmd_test(before, after, rng=0).rejected, ts.mmd_test(before, after, null=ts.PairFlips(), rng=0).rejected
    (False, True)
    """

    name = "flips"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "paired"})

    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        if m != n:
            raise InputError(f"null=PairFlips() needs pairs: as many rows in x ({m}) as in y ({n}).")
        return pair_swaps(m, count, rng)

    def _floor(self, evidence: Evidence) -> float:
        return 2.0 ** max(1 - evidence.m, -1000)


def _unnamed(group: Hashable) -> bool:
    """Whether it is None or a NaN of any kind: unlike itself (a part of a tuple may be), or neither like nor unlike."""
    if isinstance(group, tuple):
        return any(part is not None and _unnamed(part) for part in group)
    try:
        return group is None or bool(group != group)  # noqa: PLR0124 - NaN is not equal to itself
    except TypeError:  # pandas.NA
        return True


def _group_sums(gram: Products, diagonal: Floats, of_row: np.ndarray, groups: int) -> tuple[Floats, Floats, Floats]:
    """``(G, G)`` sums of the Gram matrix over groups of rows, ``(G,)`` sums of its diagonal and numbers of rows."""
    K = np.empty((groups, groups))
    start = 0
    for count in batches(len(of_row), groups):
        members = (of_row[:, None] == np.arange(start, start + count)).astype(np.float64)
        products = gram.multiply(members)
        for column in range(count):
            K[:, start + column] = np.bincount(of_row, weights=products[:, column], minlength=groups)
        start += count
    sizes = np.bincount(of_row, minlength=groups).astype(np.float64)
    return (K + K.T) / 2, np.bincount(of_row, weights=diagonal, minlength=groups).astype(np.float64), sizes
