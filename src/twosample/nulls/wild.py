"""The wild bootstrap: a null for time series, of the two-sample test and of the test of independence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..core.evidence import Evidence
from ..core.laws import Law, ReplicateLaw
from ..core.quadratic import QuadraticForm
from ..core.types import Floats
from ..errors import OptionError, positive_number, real_number, whole_number
from ..kernels import Kernel
from .base import Null, Products, Worlds, batches
from .memory import Process, block_length, kernel_memory, studentised

FEW = 15
"""Below so many independent rows the level was seen to fail."""


@dataclass(frozen=True)
class WildBootstrap(Null):
    r"""The wild bootstrap for time series (Chwialkowski, Sejdinovic and Gretton 2014).

    Rows of x, and rows of y, are in the order of time. In each world every row gets a random weight, and neighbours
    get similar ones: :math:`w_t = e^{-1/b} w_{t-1} + \sqrt{1-e^{-2/b}}\,\epsilon_t`, centred over each sample. MMD²
    with these weights has the law of MMD² under H0 in the limit of long series with short memory. In the test of
    independence the rows are pairs, and their kernel is the product of the two centred kernels.

    Two corrections make it right for short series too. The weights are scaled so that the mean over worlds is that
    of an autoregression with the memory of the series, where it would be too small by the tail that the block cuts off
    and by the mean that is taken from the data. And the worlds are as wide as the law of F is beside that of
    chi-square, because the variance in them is an estimate.

    Parameters
    ----------
    block
        b, in rows; some times the number of rows over which they depend on each other. None takes it from the
        memory, and lets it grow with the cube root of the number of rows.
    n
        Number of worlds.
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
    statistics: ClassVar[frozenset[str]] = frozenset({"biased", "unbiased"})

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

    def adapted(self, x: Floats, y: Floats, kernel: Kernel) -> Null:
        known = self
        if self.memory is None:
            known = replace(self, memory=max(kernel_memory(x, kernel), kernel_memory(y, kernel)))
        return known.fitted(min(len(x), len(y)))

    def fitted(self, rows: int) -> WildBootstrap:
        """With the block for so many rows, once the memory is known."""
        assert self.memory is not None
        if self.block is not None and self.block >= rows:
            raise OptionError(
                f"WildBootstrap: block={self.block:g} is not below the {rows} rows of the shorter series: all weights "
                "would move together. Leave it open, or give a much smaller one."
            )
        return replace(self, block=self.block or block_length(rows, self.memory))

    def process(self, size: int) -> Process:
        """The weights of so many rows, once block and memory are known."""
        assert self.block is not None
        assert self.memory is not None
        return Process(size, self.block, self.memory)

    def worlds(self, form: QuadraticForm, gram: Products, diagonal: Floats, rng: np.random.Generator) -> Worlds:
        m, n = form.m, form.n
        sample = np.zeros((m + n, 2))
        sample[:m, 0] = sample[m:, 1] = 1.0
        rows = gram.multiply(sample)
        means = np.concatenate([rows[:m, 0] / m, rows[m:, 1] / n])
        wholes = np.repeat([means[:m].mean(), means[m:].mean()], [m, n])
        centred = diagonal - 2 * means + wholes  # what a row is with itself, seen from the mean of its sample
        processes = self.process(m), self.process(n)
        values = []
        for count in batches(m + n, self.n):
            W = np.concatenate([process.draw(count, rng) for process in processes])
            Wx, Wy = W * sample[:, :1], W * sample[:, 1:]
            values.append(_off_diagonal(form, Wx, Wy, gram.multiply(Wx), gram.multiply(Wy), centred))
        parts = np.array([form.xx, form.yy])
        selves = np.array([centred[:m].sum(), centred[m:].sum()])
        own = float(parts @ (selves * [process.own for process in processes]))
        less = float((parts - [form.dx, form.dy]) @ selves)
        shares = np.array([1 / m, 1 / n])
        degrees = shares.sum() ** 2 / float(shares**2 @ [1 / process.degrees for process in processes])
        truth = _off_diagonal(form, sample[:, :1], sample[:, 1:], rows[:, :1], rows[:, 1:], diagonal)
        truth += form.dx * diagonal[:m].sum() + form.dy * diagonal[m:].sum()
        return Worlds(np.append(truth, studentised(np.concatenate(values), own, degrees, rng) - less))

    def law(self, evidence: Evidence) -> Law:
        return ReplicateLaw(evidence.values, evidence.tolerance)

    def notes(self, evidence: Evidence) -> tuple[str, ...]:
        return self.remarks(min(evidence.m, evidence.n))

    def remarks(self, rows: int) -> tuple[str, ...]:
        """A word about series that are too short for their memory."""
        assert self.memory is not None
        worth = rows * (1 - self.memory) / (1 + self.memory)
        if worth >= FEW:
            return ()
        return (
            f"The series are short for their memory: {rows} rows are worth about {worth:.2g} independent ones "
            f"(neighbours correlate by {self.memory:.2f}). With fewer than {FEW} the test may reject too often.",
        )


def _off_diagonal(form: QuadraticForm, Wx: Floats, Wy: Floats, KWx: Floats, KWy: Floats, diagonal: Floats) -> Floats:
    """``(c,)`` values of the form with weights instead of labels, without k(z, z)."""
    xx, xy, yy = (np.einsum("ir,ir->r", a, b) for a, b in ((Wx, KWx), (Wy, KWx), (Wy, KWy)))
    return np.asarray(
        form.xx * (xx - diagonal @ Wx**2) - 2 * form.xy * xy + form.yy * (yy - diagonal @ Wy**2), dtype=np.float64
    )
