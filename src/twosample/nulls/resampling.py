"""Nulls that look at the statistic in other worlds: permutation and bootstrap."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..core.labellings import Labellings, relabellings
from ..core.observed import Observed
from ..core.pvalue import Law
from ..core.resamples import bootstraps, pair_swaps
from ..errors import whole_number
from .base import Null


@dataclass(frozen=True)
class Drawing(Null):
    """Labellings of the rows that are as likely as the truth under H0, drawn batch by batch."""

    asks: ClassVar[str] = "resamples"

    if TYPE_CHECKING:

        @property
        def n(self) -> int:
            """How many resamples beside the truth."""

    @property
    def resamples(self) -> int:
        return int(self.n)

    def batches(self, m: int, n: int, pairwise: bool, rng: np.random.Generator) -> Iterator[Labellings]:
        """Labellings of m + n rows in batches that fit in memory; the first column of the first is the truth."""
        first = self._draw(m, n, pairwise, min(self.n, self._batch(m + n)), rng)
        yield first
        left = 0 if first.exhaustive else self.n - (first.count - 1)
        while left > 0:
            count = min(left, self._batch(m + n))
            yield self._draw(m, n, pairwise, count, rng).without_truth()
            left -= count

    def _batch(self, points: int) -> int:
        """How many labellings of so many points are held in memory at a time (about 400 MB)."""
        return max(100, 400_000_000 // points)

    @abstractmethod
    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        """The truth and `count` other worlds."""

    def law(self, observed: Observed) -> Law:
        return observed.resampled(self)

    def floor(self, observed: Observed) -> float:
        """The smallest p-value that all its resamples together could give."""
        return observed.least


@dataclass(frozen=True)
class Resampling(Drawing):
    """The same with the number of resamples as the only parameter."""

    n: int = 999

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number(f"{type(self).__name__}: n", self.n))


@dataclass(frozen=True)
class Permutation(Resampling):
    """Relabel the pooled points at random: exact at every sample size, level and dimension, whatever the ties.

    The default. When there are no more than `n` labellings all of them are used. O(N² n) time with the exact
    engines, all labellings in one pass.

    Parameters
    ----------
    n
        Number of random relabellings beside the true one. The smallest p-value is 1/(n+1).

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd_test(range(8), range(20, 28), null=ts.Permutation(n=199), rng=0).pvalue
    0.005
    """

    name = "permutation"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "paired", "linear", "block", "hsic"})
    relabels: ClassVar[bool] = True

    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        return pair_swaps(m, count, rng) if pairwise else relabellings(m, n, count, rng)


@dataclass(frozen=True)
class Bootstrap(Resampling):
    """Draw both samples anew from the pool with replacement: the bootstrap on the aggregated data of Section 5.

    Right in the limit of large samples (Arcones and Giné 1992). At small samples in high dimension it is
    conservative, as the paper saw (Subtype: 99.1 % accepted instead of 95 %), because points drawn twice meet
    themselves. :class:`Permutation` costs half as much and is exact: prefer it. With ``statistic="paired"`` the i-th
    points drawn for x and y are a pair.

    Parameters
    ----------
    n
        Number of bootstrap worlds.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(1).normal(size=50)
    >>> ts.mmd_test(x, x + 2, null=ts.Bootstrap(n=99), rng=0).pvalue
    0.01
    """

    name = "bootstrap"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "paired"})

    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        return bootstraps(m, n, count, rng, keep_places=pairwise)

    def floor(self, observed: Observed) -> float:
        return 0.0
