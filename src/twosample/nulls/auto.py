"""Which null: relabelling while that is cheap, the limit law where rows abound and it is as good."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import ClassVar

import numpy as np

from ..core.centred import Centred
from ..core.observed import Observed
from ..core.types import Floats
from ..kernels import Kernel
from .asymptotic import Spectrum
from .base import Null, Outcome
from .resampling import Permutation

CHEAP = 10_000_000
"""Rows times relabellings up to which relabelling is quick, and nobody needs another law."""

ENOUGH = 200.0
"""How many rows of the smaller sample the limit law must rest on, see :func:`rows_that_count`."""


def is_cheap(rows: int, relabellings: int) -> bool:
    """Whether so many relabellings of so many pooled rows are quick. The one rule of all tests that choose."""
    return rows * relabellings <= CHEAP


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


def rows_that_count(centred: Centred, rows: int, kernel: Kernel, z: Floats) -> float:
    r"""On how many rows of the smaller sample the limit law rests, at least.

    That is :math:`\min(m,n)\sqrt{E\tilde k^2}/\max\tilde k` with the centred kernel :math:`\tilde k`. If all rows are
    alike but for a share p of them, it is half to all of the :math:`p\min(m,n)` that differ: the expected count
    in the old rule for chi-square tests. The limit law leaves out moments of single pairs of rows, such as
    :math:`E\tilde k^3 \le \max\tilde k\,E\tilde k^2`, which can add :math:`\sqrt2` over this number to the skewness of
    MMD²; and where MMD² moves in steps, p-values miss half a step, about one over the root of this number.
    The largest :math:`\tilde k(z,z) = k(z,z) - 2E_{z'}k(z,z') + E k` is bounded by what is known of the kernel. `rows`
    are those of the smaller sample.
    """
    if centred.degenerate:  # nothing varies: p is 1 by any law
        return inf
    low, high = kernel.bounds or (-inf, inf)
    diagonal = np.array([high]) if high < inf else kernel.diagonal(z)
    high = float(diagonal.max())
    mean = max(0.0, float(diagonal.mean()) - centred.spread)  # of k(z, z'), or more
    largest = high + mean + 2 * max(0.0, min(-low, sqrt(high * mean)))
    return rows * sqrt(max(centred.square, 0.0)) / largest
