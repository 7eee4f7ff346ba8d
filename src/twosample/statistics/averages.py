"""The statistics that look at each point a bounded number of times: averages of independent terms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

import numpy as np

from ..core.labellings import random_relabellings
from ..core.sums import sums_of_matrix
from ..core.types import Floats
from ..errors import OptionError, OptionsByName, whole_number
from ..kernels import Kernel
from .quadratic import Unbiased, smallest_pvalue

_ROWS = 1 << 16


@dataclass(frozen=True, eq=False)
class Terms:
    """Independent, identically distributed terms whose mean is the statistic."""

    observed: Floats  # (B,) terms of the true labelling
    values: Floats  # (R,) means in every labelling, the true one first
    unused: tuple[int, int]  # rows of x and of y that did not fit and were left out


@dataclass(frozen=True)
class AverageStatistic(OptionsByName, ABC):
    """An estimate of MMD² as a mean of independent terms."""

    symbol: ClassVar[str]

    @abstractmethod
    def terms(self, kernel: Kernel, x: Floats, y: Floats, count: int, rng: np.random.Generator) -> Terms:
        """The terms, and their means in `count` relabellings beside the truth."""

    @abstractmethod
    def term_count(self, m: int, n: int) -> int:
        """How many independent terms there are."""

    @abstractmethod
    def least_pvalue(self, m: int, n: int) -> float:
        """The smallest p-value that its relabellings can give."""


@dataclass(frozen=True)
class LinearTime(AverageStatistic):
    r"""MMD²_l of Section 6: the mean of :math:`h((x_{2i-1},y_{2i-1}),(x_{2i},y_{2i}))` over i.

    Linear time, constant memory, a normal law even under H0, and far less power per row than the quadratic forms. Uses
    the first min(m, n) rows of each sample, so rows must be in random order. Swapping :math:`x_{2i}` and
    :math:`y_{2i}` turns h into -h; the permutation null therefore flips signs, and is exact.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd([0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], kernel=ts.Linear(), statistic=ts.LinearTime())
    1.0
    """

    symbol = "MMD²_l"

    def term_count(self, m: int, n: int) -> int:
        return min(m, n) // 2

    def least_pvalue(self, m: int, n: int) -> float:
        return 2.0 ** -min(self.term_count(m, n), 1000)

    def terms(self, kernel: Kernel, x: Floats, y: Floats, count: int, rng: np.random.Generator) -> Terms:
        size = self.term_count(len(x), len(y))
        h = np.empty(size)
        for start in range(0, size, _ROWS):
            stop = min(start + _ROWS, size)
            rows = slice(2 * start, 2 * stop)
            h[start:stop] = h_terms(kernel, (x[rows][0::2], x[rows][1::2]), (y[rows][0::2], y[rows][1::2]))
        return Terms(h, _sign_flips(h, count, rng), (len(x) - 2 * size, len(y) - 2 * size))


@dataclass(frozen=True)
class BlockAverage(AverageStatistic):
    """The B-test of Zaremba, Gretton and Blaschko (2013): the mean of MMD²_u over blocks of rows.

    Between the linear and the quadratic statistic in cost, O(N s) for blocks of s rows, and in power; normal in the
    limit of many blocks. Both samples are cut into the same number of blocks, whatever m and n. The permutation null
    relabels within blocks and is exact.

    Parameters
    ----------
    size
        Rows of the smaller sample in each block, at least 2. None: the square root of that sample's size.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=400)
    >>> ts.mmd_test(x, x + 1, statistic=ts.BlockAverage(size=20), null="normal").rejected
    True
    """

    size: int | None = None
    symbol = "MMD²_B"

    def __post_init__(self) -> None:
        if self.size is not None:
            object.__setattr__(self, "size", whole_number("size", self.size, least=2))

    def term_count(self, m: int, n: int) -> int:
        smaller = min(m, n)
        return smaller // (self.size or max(2, isqrt(smaller)))

    def least_pvalue(self, m: int, n: int) -> float:
        blocks = max(1, self.term_count(m, n))
        single_block = smallest_pvalue(m // blocks, n // blocks) * (2 if m // blocks == n // blocks else 1)
        return float(max(single_block**blocks, 1e-300))

    def terms(self, kernel: Kernel, x: Floats, y: Floats, count: int, rng: np.random.Generator) -> Terms:
        blocks = self.term_count(len(x), len(y))
        if blocks < 2:
            raise OptionError(
                f"statistic={self!r} makes {blocks} block(s) of {len(x)} and {len(y)} rows; it needs at least 2. "
                "Use smaller blocks or statistic='unbiased'."
            )
        mx, ny = len(x) // blocks, len(y) // blocks
        form = Unbiased().form(mx, ny)
        values = np.empty((blocks, count + 1))
        for i in range(blocks):
            z = np.concatenate([x[i * mx : (i + 1) * mx], y[i * ny : (i + 1) * ny]])
            labels = random_relabellings(mx, ny, count, rng)
            values[i] = form.value(sums_of_matrix(kernel.block(z, z), labels, mx, ny))
        return Terms(values[:, 0].copy(), values.mean(axis=0), (len(x) - blocks * mx, len(y) - blocks * ny))


def h_terms(kernel: Kernel, x: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
    """H of the first and second rows of pairs: k(x1,x2) + k(y1,y2) - k(x1,y2) - k(x2,y1)."""
    (x1, x2), (y1, y2) = x, y
    return kernel.pairs(x1, x2) + kernel.pairs(y1, y2) - kernel.pairs(x1, y2) - kernel.pairs(x2, y1)


def _sign_flips(h: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Means of h under `count` random sign patterns, the true one first."""
    totals = np.zeros(count + 1)
    totals[0] = h.sum()
    if count:
        for start in range(0, len(h), 4096):
            part = h[start : start + 4096]
            flips = rng.integers(0, 2, size=(len(part), count), dtype=np.int8)
            totals[1:] += part.sum() - 2 * (part @ flips)
    return np.asarray(totals / len(h))
