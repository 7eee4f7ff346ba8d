"""Relabelling, the default: exact, and where rows abound and the limit law is as good, that instead."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..core.labellings import Labellings, relabellings
from ..core.observed import Observed
from ..core.pvalue import Law
from ..core.resamples import pair_swaps
from ..errors import whole_number
from .asymptotic import Spectrum
from .base import Null, Outcome

CHEAP = 10_000_000  # rows times relabellings up to which relabelling is quick, and nobody needs another law
ENOUGH = 200.0  # how many rows of the smaller sample the limit law must rest on, see `rows_that_count`


def is_cheap(rows: int, relabellings: int) -> bool:
    """Whether so many relabellings of so many pooled rows are quick. The one rule of all tests that choose."""
    return rows * relabellings <= CHEAP


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
        """The truth and `count` resamples."""

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


@dataclass(frozen=True, repr=False)
class AutoNull(Permutation):
    """Relabelling, or the limit law (:class:`Spectrum`) where that is much quicker and as good: the default.

    As good means that the difference between the two is small beside the Monte Carlo error of 999 relabellings:
    docs/levels.md has the figures. With explicit options the test does what it is told.

    Parameters
    ----------
    n
        Number of relabellings, where rows are relabelled.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=20_000)
    >>> ts.mmd_test(x[:100], x[100:200], rng=0).null, ts.mmd_test(x[:10_000], x[10_000:], rng=0).null
    (Permutation(n=999), Spectrum())
    """

    name = "auto"
    statistics: ClassVar[frozenset[str]] = Permutation.statistics - {"hsic"}

    def __repr__(self) -> str:
        return repr(self.relabelling)  # for messages: how to ask for what was refused

    @property
    def relabelling(self) -> Permutation:
        """The null that it is unless the limit law is as good."""
        return Permutation(self.n)

    def expected(self, rows: int, quick: bool) -> Null:
        """The limit law, if it is quick and relabelling is not; the test may find that too few rows matter."""
        return Spectrum() if quick and not is_cheap(rows, self.n) else self.relabelling

    def judged(self, observed: Observed) -> Outcome:
        """By relabelling if that is cheap; by the limit law if it rests on enough rows, or there are no rows."""
        if not observed.rows:
            reason = "There are no rows to permute: the p-value is that of null='spectrum'."
            return _noted(Spectrum().judged(observed), reason)
        quick = None if is_cheap(observed.m + observed.n, self.n) else observed.in_linear_time()
        if quick is None:
            return self.relabelling.judged(observed)
        rows = quick.limit_rows()
        if rows >= ENOUGH:
            size = observed.m + observed.n
            reason = f"{size} rows are many, and the limit law is as good as relabelling them: null='auto' took it."
            return _noted(Spectrum().judged(quick), reason)
        return _noted(
            self.relabelling.judged(observed),
            f"The limit law would rest on about {rows:.2g} rows of the smaller sample, where it should be "
            f"{ENOUGH:.0f} or more: null='auto' relabelled the rows.",
        )


def _noted(judged: Outcome, reason: str) -> Outcome:
    return judged._replace(notes=(reason, *judged.notes))
