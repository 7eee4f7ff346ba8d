"""The wild bootstrap: a null for time series, of the two-sample test and of the test of independence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.observed import Observed, OneCovariance, Series
from ..core.pvalue import Law
from ..core.types import Floats
from ..errors import OptionError, positive_number, real_number, whole_number
from .base import Null, Outcome
from .memory import Process, block_length, studentised

FEW = 15
"""Below so many independent rows the level was seen to fail."""

_ENTRIES = 30_000_000
"""Weights that are held in memory at a time."""


@dataclass(frozen=True)
class WildBootstrap(Null):
    r"""The wild bootstrap for time series (Chwialkowski, Sejdinovic and Gretton 2014).

    Rows of x, and rows of y, are in the order of time. In each resample every row gets a random weight, and neighbours
    get similar ones: :math:`w_t = e^{-1/b} w_{t-1} + \sqrt{1-e^{-2/b}}\,\epsilon_t`, centred over each sample. MMD²
    with these weights has the law of MMD² under H0 in the limit of long series with short memory. In the test of
    independence the rows are pairs, and their kernel is the product of the two centred kernels.

    Two corrections make it right for short series too. The weights are scaled so that the mean over resamples is that
    of an autoregression with the memory of the series, where it would be too small by the tail that the block cuts off
    and by the mean that is taken from the data. And the resamples are as wide as the law of F is beside that of
    chi-square, because the variance in them is an estimate.

    In the two-sample test the p-value is the larger one of two. A small sample may have hardly any of the rows that are
    seldom (amounts that are mostly 0), and its own variance is then far too small. So a second set of resamples has one
    covariance for both samples, :math:`(1/n_x + 1/n_y)C`, with C from all rows, each seen from the (weighted) mean of
    its sample, and the independent rows n that either is worth, by its memory and its weights: under H0 both
    distributions are one.

    Parameters
    ----------
    block
        b, in rows; some times the number of rows over which they depend on each other. None takes it from the
        memory, and lets it grow with the cube root of the number of rows.
    n
        Number of resamples.
    memory
        The correlation of neighbours, in [0, 1), in the autoregression that stands for the series. None takes it
        from the kernel at rows some steps apart, in the sample with the longer memory.

    Notes
    -----
    O(N² n) time. Approximate: the result has a note when the rows are worth fewer than 15 independent ones. Not for
    trends and seasons. In the two-sample test the two series must be independent of each other; if row t of both was
    taken at the same time, and they are linked, use :class:`PairFlips` only when there is no memory.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from scipy.signal import lfilter
    >>> x, y = lfilter([1], [1, -0.8], np.random.default_rng(0).normal(size=(2, 500)))
    >>> r = ts.mmd_test(x, y, null=ts.WildBootstrap(), rng=0)
    >>> r.rejected, r.null.block > 5
    (False, True)
    >>> ts.hsic_test(x, y, null=ts.WildBootstrap(), rng=0).rejected
    False
    """

    block: float | None = None
    n: int = 999
    memory: float | None = None
    name = "wild"
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased", "hsic"})
    asks: ClassVar[str] = "resamples"
    independent_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", whole_number("WildBootstrap: n", self.n))
        if self.block is not None:
            object.__setattr__(self, "block", positive_number("WildBootstrap: block", self.block))
        if self.memory is not None:
            object.__setattr__(self, "memory", real_number("WildBootstrap: memory", self.memory))
            if not 0 <= self.memory <= 0.999:
                raise OptionError(f"WildBootstrap: memory={self.memory:g} must be at least 0 and at most 0.999.")

    @property
    def resamples(self) -> int:
        return int(self.n)

    def judged(self, observed: Observed) -> Outcome:
        known = self
        if self.memory is None:
            known = replace(self, memory=observed.series(self.name).memory())
        return Null.judged(known.fitted(min(observed.m, observed.n)), observed)

    def fitted(self, rows: int) -> WildBootstrap:
        """With the block for so many rows, once the memory is known."""
        assert self.memory is not None
        if self.block is not None and self.block >= rows:
            raise OptionError(
                f"WildBootstrap: block={self.block:g} is not below the {rows} rows of the shorter series: all weights "
                "would move together. Leave it open, or give a much smaller one."
            )
        return replace(self, block=self.block or block_length(rows, self.memory))

    def law(self, observed: Observed) -> Law:
        if self.memory is None or self.block is None:
            return self.judged(observed).law
        series = observed.series(self.name)
        found = [self._resampled(series, observed.rng)]
        if series.one_covariance is not None:
            found.append(self._of_one_covariance(series, series.one_covariance, observed.rng))
        values = [np.append(series.value, others) for others in found]
        laws = [observed.replicates(own, False, 0.0) for own in values]
        largest = int(np.argmax([law.pvalue(float(law.values[0])) for law in laws]))
        return laws[0] if len(laws) == 1 else observed.replicates(values[largest], False, 0.0)

    def _resampled(self, series: Series, rng: np.random.Generator) -> Floats:
        """``(n,)`` values of the statistic under H0, each sample with its own variance."""
        assert self.memory is not None
        assert self.block is not None
        processes = [Process(size, self.block, self.memory) for size in series.sizes]
        values = []
        for count in batches(sum(series.sizes), self.n):
            W = np.concatenate([process.draw(count, rng) for process in processes])
            values.append(series.weighted(W))
        own = float(series.diagonal @ [process.own for process in processes])
        shares = series.shares
        degrees = shares.sum() ** 2 / float(shares**2 @ [1 / process.degrees for process in processes])
        return studentised(np.concatenate(values), own, degrees, rng) - series.left_out

    def _of_one_covariance(self, series: Series, form: OneCovariance, rng: np.random.Generator) -> Floats:
        """The same with one variance for both: a law of the squared distance, from which the statistic is as far."""
        assert self.memory is not None
        rows = sum(series.sizes)
        degrees = max(form.worth * (1 - self.memory) / (1 + self.memory) - 2, 1.0)
        off = [form.multiplied(rng.normal(size=(rows, count))) for count in batches(rows, self.n)]
        squares = studentised(np.concatenate(off) / degrees, form.diagonal / degrees, degrees, rng)
        return squares - (form.value - series.value)

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        """A word about series that are too short for their memory."""
        assert self.memory is not None
        rows = min(observed.m, observed.n)
        worth = rows * (1 - self.memory) / (1 + self.memory)
        if worth >= FEW:
            return ()
        return (
            f"The series are short for their memory: {rows} rows are worth about {worth:.2g} independent ones "
            f"(neighbours correlate by {self.memory:.2f}). With fewer than {FEW} the test may reject too often.",
        )


def batches(points: int, count: int) -> list[int]:
    """`count` sets of weights for so many points in parts that fit in memory."""
    step = max(1, _ENTRIES // points)
    return [min(step, count - start) for start in range(0, count, step)]
