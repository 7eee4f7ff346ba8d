"""Nulls for groups and pairs of rows that depend on each other. Relabelling single rows is not valid there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import Labellings, relabellings
from ..core.observed import Observed
from ..core.pvalue import Law, ReplicateLaw
from ..core.resamples import pair_swaps
from ..core.strata import kept_labels, row_labels
from ..errors import InputError, whole_number
from .base import Null
from .permutation import Resampling
from .strata import StratifiedPermutation


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
    by_x, by_y
        The stratum of every row, for groups that are relabelled within strata (sites that were randomised within
        regions); a group belongs to one stratum. The statistic is that of :class:`StratifiedPermutation`, in which a
        group is one point with the mean of its rows and their number (or the sum of their weights) for its weight.

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
    by_x: Iterable[Hashable] | None = field(default=None, repr=False)
    by_y: Iterable[Hashable] | None = field(default=None, repr=False)
    name = "group"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased"})
    asks: ClassVar[str] = "resamples"
    relabels: ClassVar[bool] = True
    independent_rows: ClassVar[bool] = False
    needs: ClassVar[str] = "ts.GroupPermutation(x_groups, y_groups)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("GroupPermutation: n", self.n))
        for name, what in (("x_groups", "group"), ("y_groups", "group"), ("by_x", "stratum"), ("by_y", "stratum")):
            if getattr(self, name) is not None or what == "group":
                labels = row_labels("GroupPermutation", name, getattr(self, name), what)
                object.__setattr__(self, name, labels)
        if (self.by_x is None) != (self.by_y is None):
            raise InputError("GroupPermutation: give by_x and by_y together, the stratum of every row of x and of y.")
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

    def kept(self, which: NDArray[np.bool_], m: int) -> Null:
        self._check_rows(m, len(which) - m)
        x, y = (kept_labels(groups, part) for groups, part in ((self.x_groups, which[:m]), (self.y_groups, which[m:])))
        if self.by_x is None or self.by_y is None:
            return replace(self, x_groups=x, y_groups=y)
        by_x, by_y = kept_labels(self.by_x, which[:m]), kept_labels(self.by_y, which[m:])
        return replace(self, x_groups=x, y_groups=y, by_x=by_x, by_y=by_y)

    def _check_rows(self, m: int, n: int) -> None:
        for what, parts in (("groups", (self.x_groups, self.y_groups)), ("strata", (self.by_x, self.by_y))):
            given = [rows if part is None else len(tuple(part)) for part, rows in zip(parts, (m, n), strict=True)]
            if given != [m, n]:
                raise InputError(
                    f"GroupPermutation has {what} for {given[0]} and {given[1]} rows; x has {m} and y has {n}."
                )

    @property
    def strata(self) -> StratifiedPermutation | None:
        """The relabelling of groups within strata; None if there are none."""
        if self.by_x is None or self.by_y is None:
            return None
        parts = []
        for groups, by in ((self.x_groups, self.by_x), (self.y_groups, self.by_y)):
            stratum: dict[Hashable, Hashable] = {}
            for group, own in zip(groups, by, strict=True):
                if stratum.setdefault(group, own) != own:
                    raise InputError(
                        f"GroupPermutation: group {group!r} has rows in several strata, such as {stratum[group]!r} and "
                        f"{own!r}. Groups are relabelled as a whole within strata, so a group belongs to one stratum."
                    )
            parts.append(list(stratum.values()))
        return StratifiedPermutation(parts[0], parts[1], n=self.n)

    def law(self, observed: Observed) -> Law:
        self._check_rows(observed.m, observed.n)
        x, y = self._groups
        code = {group: i for i, group in enumerate((*x, *y))}
        of_row = np.array([code[group] for group in (*self.x_groups, *self.y_groups)])
        strata = self.strata
        if observed.weighted or (strata is not None and len(strata.strata.names) > 1):
            strata = strata or StratifiedPermutation([0] * len(x), [0] * len(y), n=self.n)
            strata.check_compared()
            return observed.stratified(strata.strata, strata, of_row)
        grouped, sizes = observed.grouped(of_row, len(code)), np.bincount(of_row).astype(np.float64)
        K, d = grouped.between, grouped.diagonal
        labels = relabellings(len(x), len(y), self.n, observed.rng)
        V = labels.x.astype(np.float64)  # (G, R)
        xx, all_rows = np.einsum("gr,gr->r", V, K @ V), K.sum(axis=1) @ V
        m = sizes @ V
        n, dx = sizes.sum() - m, d @ V
        xy, yy, dy = all_rows - xx, K.sum() - 2 * all_rows + xx, d.sum() - dx
        if grouped.biased:
            values = xx / m**2 - 2 * xy / (m * n) + yy / n**2
        else:
            if min(m.min(), n.min()) < 2:
                raise InputError(
                    "GroupPermutation: in some labelling a sample is a single row, of which MMD²_u is not defined. "
                    "Use statistic='biased'."
                )
            values = (xx - dx) / (m * (m - 1)) - 2 * xy / (m * n) + (yy - dy) / (n * (n - 1))
        return observed.replicates(values, labels.exhaustive, 1 / comb(len(code), len(x)))

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        """What is to be known of strata."""
        if self.by_x is None or self.by_y is None:
            return ()
        return StratifiedPermutation(self.by_x, self.by_y).notes(observed, law)


@dataclass(frozen=True)
class PairFlips(Resampling):
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
    relabels: ClassVar[bool] = True
    independent_rows: ClassVar[bool] = False

    def kept(self, which: NDArray[np.bool_], m: int) -> Null:
        if not which.all():
            raise InputError(
                "null=PairFlips(): a weight of 0 leaves a row out and its pair would be broken: drop both."
            )
        return self

    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        if m != n:
            raise InputError(f"null=PairFlips() needs pairs: as many rows in x ({m}) as in y ({n}).")
        return pair_swaps(m, count, rng)

    def floor(self, observed: Observed) -> float:
        return 2.0 ** max(1 - observed.m, -1000)


@dataclass(frozen=True)
class CircularShift(Null):
    r"""Shift y against x in time: the null of :func:`hsic_test` for time series (Chwialkowski and Gretton 2014).

    Rows of a series depend on their neighbours, so permuting them destroys more than the link between x and y, and the
    plain permutation test rejects far too often. A circular shift keeps both series as they are but for one seam. Under
    H0 (two stationary series, independent of each other, with short memory) all shifts are alike for large n. All n
    shifts come by one fast Fourier transform, so that more of them cost nothing.

    Parameters
    ----------
    n
        Number of shifts that are used, at random; None for all.
    margin
        Shifts of fewer rows than this, either way, are left out: there y may still be linked with x. None takes the
        larger of the lags at which the kernel autocorrelation of x and of y has died away.

    Notes
    -----
    The level is right in the limit of long series; neighbouring shifts are alike, so that the smallest p-values are
    coarse. Not for trends or seasons, which are not stationary: remove them first.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from scipy.signal import lfilter
    >>> e = np.random.default_rng(0).normal(size=(2, 500))
    >>> x, y = lfilter([1], [1, -0.8], e)  # two series that know nothing of each other
    >>> ts.hsic_test(x, y, null=ts.CircularShift(), rng=0).rejected
    False
    """

    n: int | None = None
    margin: int | None = None
    name = "circular-shift"
    statistics: ClassVar[frozenset[str]] = frozenset({"hsic"})
    asks: ClassVar[str] = "resamples"
    independent_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("n", "margin"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole_number(f"CircularShift: {name}", getattr(self, name)))

    @property
    def resamples(self) -> int:
        return self.n or 0

    def law(self, observed: Observed) -> ReplicateLaw:
        margin = self._margin(observed)
        if 2 * margin > observed.n:
            raise InputError(
                f"x and y have {observed.n} rows, and shifts of fewer than {margin} rows either way are left out: none "
                "is left. The series are too short for their memory; give more rows or a smaller "
                "ts.CircularShift(margin=...)."
            )
        return ReplicateLaw(observed.shifted(self.n, margin), observed.tolerance)

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        count = len(law.values) - 1 if isinstance(law, ReplicateLaw) else 0
        return (f"Shifts of y by {self._margin(observed)} rows or more either way: {count} of them.",)

    def _margin(self, observed: Observed) -> int:
        return observed.lag(self.name) if self.margin is None else self.margin
