"""Power of a test that has no formula: draw smaller samples from the pilot, test them, and count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import ceil, sqrt

import numpy as np

from .. import _door as door
from ..adaptive import two_sample_test
from ..adaptive.tables import is_table
from ..errors import InputError
from ..sources.table import open_table
from ..statistics import smallest_pvalue

DRAWS = 100  # pairs of samples that are drawn for one size

_LEAST_ROWS = 8  # of the smaller of two samples that are drawn
_RELABELLINGS = 199
_BELOW, _SCATTER = 0.6, 0.3  # how far a is below the normal quantile of the level, and its deviation: docs/planning.md
_NOTHING = 0.2  # p of a pilot from which on nothing is seen in it, if nothing is seen in its parts

Take = Callable[[np.ndarray], object]  # the rows of these numbers, from one sample of the pilot


@dataclass(frozen=True)
class Curve:
    r"""The power by size: :math:`\alpha + (1-\alpha)\Phi(a + b\sqrt e)`, e = 2mn/(m+n): the rows of two equal samples.

    Nearly exact, with a the normal quantile of the level :math:`\alpha`, for a shift of known direction and normal
    rows; a is smaller for tests that look at several things. Fitted to the powers at the sizes that a pilot allows; no
    lower beyond the largest of them than there.
    """

    a: float
    b: float
    level: float = 0.0
    largest: float = np.inf  # of the sizes that a pilot allows
    known: float = 0.0  # the power there

    def power(self, m: int, n: int) -> float:
        """The power at these sizes."""
        from scipy.special import ndtr

        size = 2 * m * n / (m + n)
        seen = float(ndtr(self.a + self.b * sqrt(size))) if self.b > 0 else 0.0
        return max(self.level + (1 - self.level) * seen, self.known if size >= self.largest else 0.0)

    def rows(self, power: float) -> float:
        """The rows of each sample for a power; infinite if no size has it."""
        from scipy.special import ndtri

        if power <= self.level:
            return 0.0
        score = float(ndtri((power - self.level) / (1 - self.level)))
        return max(0.0, (score - self.a) / self.b) ** 2 if self.b > 0 else np.inf


@dataclass(frozen=True, eq=False)
class Subsamples:
    """A pilot from which smaller samples are drawn, without replacement.

    With replacement, rows would be drawn twice, and a test of fine scales would see that: no difference of the
    populations, but the rejection of nearly every pair.
    """

    x: Take
    y: Take
    m: int
    n: int
    level: float
    rng: np.random.Generator

    @cached_property
    def pvalue(self) -> float:
        """Of the pilot itself, in the adaptive test."""
        return two_sample_test(self.x(np.arange(self.m)), self.y(np.arange(self.n)), rng=0).pvalue

    def allows(self, m: int, n: int) -> bool:
        """Whether so many rows are no more than half of the pilot."""
        return 2 * m <= self.m and 2 * n <= self.n

    def power(self, m: int, n: int) -> float:
        """The share of rejections. The standard error is at most 0.05."""
        if smallest_pvalue(m, n) > self.level:
            return 0.0
        relabellings = max(_RELABELLINGS, ceil(1 / self.level) - 1)
        rejections = 0
        for _ in range(DRAWS):
            x, y = (take(self.rng.choice(size, k, replace=False)) for take, size, k in self._sides(m, n))
            rejections += two_sample_test(x, y, level=self.level, n=relabellings, rng=self.rng).rejected
        return rejections / DRAWS

    def curve(self) -> Curve:
        """The power at half of the pilot, a quarter, and so on until it is small; and the curve through them."""
        sizes: list[float] = []
        powers: list[float] = []
        share = 2
        while min(self.m, self.n) // share >= _LEAST_ROWS or not sizes:
            m, n = max(2, self.m // share), max(2, self.n // share)
            sizes.append(2 * m * n / (m + n))
            powers.append(self.power(m, n))
            if powers[-1] <= max(2 * self.level, 0.2) and len(sizes) > 1:
                break
            share *= 2
        by_chance = self.level + 1.645 * sqrt(self.level * (1 - self.level) / DRAWS)
        if max(powers) <= by_chance and self.pvalue > _NOTHING:
            return Curve(0.0, 0.0, self.level)
        return fitted(np.array(sizes), np.array(powers), 0.5 ** np.arange(1, len(sizes) + 1), self.level)

    def _sides(self, m: int, n: int) -> tuple[tuple[Take, int, int], ...]:
        return (self.x, self.m, m), (self.y, self.n, n)


def fitted(sizes: np.ndarray, powers: np.ndarray, shares: np.ndarray, level: float) -> Curve:
    """The curve through the powers at parts of a pilot, by least squares on the normal scale; a is known about.

    Without that, a small power at half of the pilot would leave the slope to chance. Parts that are a share f of the
    pilot, drawn without replacement, vary less about it than new samples do about the truth, by 1 - f in variance: of a
    pilot that happens to show too little they reject hardly ever. So scores are taken times the root of that.
    """
    from scipy.special import ndtri

    counted = np.clip(powers, 0.5 / DRAWS, 1 - 0.5 / DRAWS)
    share = np.clip((powers - level) / (1 - level), 0.5 / DRAWS, 1 - 0.5 / DRAWS)
    score, spread, design = ndtri(share), np.sqrt(1 - shares), np.column_stack([np.ones(len(sizes)), np.sqrt(sizes)])
    density = (1 - level) * np.exp(-(score**2) / 2) / sqrt(2 * np.pi)
    weight = DRAWS * (density / spread) ** 2 / (counted * (1 - counted))  # one over the variance of a score
    known, least = np.array([_SCATTER**-2, 0.0]), float(ndtri(level))
    normal = design.T @ (weight[:, None] * design) + np.diag(known)
    a, b = np.linalg.solve(normal, design.T @ (weight * spread * score) + known * (least - _BELOW)).tolist()
    return Curve(min(a, least), max(b, 0.0), level, float(sizes[0]), float(powers[0]))


def subsamples(x: object, y: object, level: float, rng: np.random.Generator) -> Subsamples:
    """The pilot: arrays, frames or tables as for :func:`two_sample_test`."""
    if is_table(x) or is_table(y):
        a, b = (open_table(side).collect() for side in (x, y))
        pilot = Subsamples(lambda i: a[i.tolist()], lambda i: b[i.tolist()], len(a), len(b), level, rng)
    else:
        pool = door.rows(x, y, centred=True)
        pilot = Subsamples(lambda i: pool.x[i], lambda i: pool.y[i], pool.m, pool.n, level, rng)
    if min(pilot.m, pilot.n) < 2 * _LEAST_ROWS:
        raise InputError(
            f"The pilot has {pilot.m} and {pilot.n} rows; half of it is drawn again and again, so that each sample "
            f"needs at least {2 * _LEAST_ROWS} rows. Take a larger pilot."
        )
    return pilot
