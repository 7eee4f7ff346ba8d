"""Relabelling within strata: what differs beyond the mix of some covariate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .._shown import few, shown
from ..core.labellings import Labellings
from ..core.observed import Observed
from ..core.pvalue import Law
from ..core.resamples import stratified_relabellings
from ..core.strata import Strata, kept_labels, row_labels
from ..errors import InputError, whole_number
from .base import Null
from .permutation import Drawing, Permutation


@dataclass(frozen=True)
class StratifiedPermutation(Drawing):
    r"""Relabel rows within strata only: exact for H0 "within each stratum both samples have the same distribution".

    Two samples can differ only because their mix differs: more weekends, more prompts of one kind. Rows of x and of y
    are compared within strata (weekdays, prompts, sites), so that a difference of the mix alone is none. With the
    difference :math:`\delta_s` of the mean embeddings in stratum s, :math:`h_s = m_s n_s / (m_s + n_s)`, the size of
    the stratum in both samples, and :math:`w_s = h_s / \sum_t h_t`, the statistic is

    .. math:: T = \tfrac12 \Big\|\sum_s w_s \delta_s\Big\|^2 + \frac{1}{2\sqrt S} \sum_s w_s \|\delta_s\|^2

    over the S strata that both samples have. The first term sees what all strata share, from strata of two rows on;
    the second sees each stratum by itself, also where they differ in opposite directions. Under H0 both have about the
    same spread. ``statistic="unbiased"`` takes each :math:`\|\delta_s\|^2` without its bias. Of one stratum it is MMD²
    itself, and the test is that of :class:`Permutation`.

    Parameters
    ----------
    by_x, by_y
        The stratum of every row of x and of y: text, numbers, dates or tuples. Cut continuous covariates into bins
        first: that is an approximation, since H0 is then about the bins.
    n
        Number of random relabellings; all of them when there are no more.

    Notes
    -----
    O(N² n) for the first term, less for the second; all engines. Weights (``weights_x``) move with their rows, and
    :math:`m_s`, :math:`n_s` are then sums of weights; whole groups move within strata by
    ``ts.GroupPermutation(x_groups, y_groups, by_x=..., by_y=...)``. Strata that only one sample has cannot be compared
    and do not count: the notes name them. Not for a continuous covariate with a stratum for each value, and not for
    covariates that come after the difference (what was measured at the same time and may differ for the same reason).

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> day_x, day_y = rng.random(200) < 0.3, rng.random(200) < 0.6  # another mix of weekends
    >>> x, y = rng.normal(size=200) + 2 * day_x, rng.normal(size=200) + 2 * day_y  # and nothing else
    >>> ts.mmd_test(x, y, rng=0).rejected
    True
    >>> ts.mmd_test(x, y, null=ts.StratifiedPermutation(day_x, day_y), rng=0).rejected
    False
    """

    by_x: Iterable[Hashable] = field(repr=False)
    by_y: Iterable[Hashable] = field(repr=False)
    n: int = 999
    name = "strata"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased"})
    relabels: ClassVar[bool] = True
    needs: ClassVar[str] = "ts.StratifiedPermutation(by_x, by_y)"

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("StratifiedPermutation: n", self.n))
        for name in ("by_x", "by_y"):
            labels = row_labels("StratifiedPermutation", name, getattr(self, name), "stratum")
            object.__setattr__(self, name, labels)

    @cached_property
    def strata(self) -> Strata:
        """The strata of the pooled rows."""
        return Strata.of(tuple(self.by_x), tuple(self.by_y))

    def kept(self, which: NDArray[np.bool_], m: int) -> Null:
        self._check_rows(m, len(which) - m)
        x, y = (kept_labels(by, part) for by, part in ((self.by_x, which[:m]), (self.by_y, which[m:])))
        return replace(self, by_x=x, by_y=y)

    def _check_rows(self, m: int, n: int) -> None:
        given = [len(tuple(by)) for by in (self.by_x, self.by_y)]
        if given != [m, n]:
            raise InputError(
                f"StratifiedPermutation: by_x has {given[0]} and by_y {given[1]} strata of rows; x has {m} rows and y "
                f"has {n}. Give one for every row."
            )

    def law(self, observed: Observed) -> Law:
        self._check_rows(observed.m, observed.n)
        if len(self.strata.names) == 1:
            return Permutation(self.n).law(observed)
        self.check_compared()
        return observed.stratified(self.strata, self)

    def check_compared(self) -> None:
        """Refuse strata of which none has rows of both."""
        if not len(self.strata.compared):
            raise InputError(
                "StratifiedPermutation: no stratum has rows of both x and y, so that nothing can be compared. "
                f"by_x has {_few(list(dict.fromkeys(self.by_x)))}, by_y has {_few(list(dict.fromkeys(self.by_y)))}. "
                "Cut a continuous covariate into bins."
            )

    def _draw(self, m: int, n: int, pairwise: bool, count: int, rng: np.random.Generator) -> Labellings:
        return stratified_relabellings(self.strata.of_row, m, count, rng)

    def _batch(self, points: int) -> int:
        """Fewer than others: contrasts are numbers, not bits."""
        return super()._batch(9 * points)

    def floor(self, observed: Observed) -> float:
        return self.strata.floor()

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        """How many strata were compared, and which could not be."""
        strata, both = self.strata, self.strata.compared
        if len(strata.names) == 1:
            return ()
        notes = [f"{len(both)} strata were compared, each by itself and all together."]
        alone = np.setdiff1d(np.arange(len(strata.names)), both)
        if len(alone):
            rows = int((strata.x + strata.y)[alone].sum())
            notes.append(
                f"{len(alone)} more have rows of one sample only ({rows} in all) and cannot be compared: "
                f"{_few([strata.names[i] for i in alone])}."
            )
        single = int(((strata.x == 1) & (strata.y == 1)).sum())
        if single:
            notes.append(f"{single} have one row of each sample: they count in what all strata share only.")
        return tuple(notes)


def _few(names: list[Hashable]) -> str:
    return few(names, write=lambda name: shown(repr(name), 40))
