"""What the classical tests share: options through the door, the pool, relabellings, laws, the result.

Every statistic here is turned so that large values are evidence, because that is what a p-value, a threshold and a
picture of a :class:`~twosample.TestResult` mean; where the literature counts something that is small under H1 (runs,
cross-matches) the statistic is its standardised shortfall and the count is in the notes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .. import _door as door
from ..core.labellings import observed
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Counts, Floats
from ..errors import unknown_option
from ..nulls import Null, Permutation, Stated
from ..results import NOTHING, TestResult, conclude
from ..statistics import smallest_pvalue


@dataclass(frozen=True)
class Exact(Stated):
    """The law at this sample size."""

    name = "exact"


@dataclass(frozen=True)
class Asymptotic(Stated):
    """The limit law of large samples."""

    name = "asymptotic"


@dataclass(frozen=True)
class FisherF(Stated):
    """The F law of Hotelling's T² for normal samples with one covariance."""

    name = "f"


@dataclass(frozen=True)
class ChiSquare(Stated):
    """The chi-square law of Hotelling's T² for large samples."""

    name = "chi2"


@dataclass(frozen=True)
class SmirnovLimit(Stated):
    """Smirnov's limit law of the Kolmogorov-Smirnov statistic."""

    name = "limit"


@dataclass(frozen=True)
class ApproximatelyNormal(Stated):
    """A normal law with the moments of the statistic."""

    name = "normal"


@dataclass(frozen=True)
class LargeDeviation(Stated):
    """A bound that holds at every sample size."""

    name = "bound"


@dataclass(frozen=True, eq=False)
class DiscreteLaw:
    """An exact law on finitely many values."""

    values: Floats = field(repr=False)  # (K,) the support, ascending
    tails: Floats = field(repr=False)  # (K,) probabilities of at least that value; all positive

    @property
    def least(self) -> float:
        """The smallest p-value there is."""
        return float(self.tails[-1])

    def pvalue(self, t: float) -> float:
        """Probability under H0 of at least t."""
        at = int(np.searchsorted(self.values, t - 1e-9 * (1 + abs(t))))
        return float(self.tails[min(at, len(self.tails) - 1)])

    def threshold(self, level: float) -> float:
        """The largest value that is not rejected at this level."""
        return float(self.values[np.flatnonzero(self.tails > level)[-1]])


@dataclass(frozen=True, eq=False)
class ResolvedTest:
    """A test with its options resolved; nothing is checked again behind this."""

    z: Floats  # (N, d) pooled points, the first m of which are x, moved and scaled to lie within (-1, 1)
    m: int  # sample sizes
    n: int
    null: Permutation | str  # the permutation null, or the name of another one
    level: float  # the level of the test
    rng: np.random.Generator  # the source of all randomness

    @property
    def permutation(self) -> Permutation:
        """The null of a test that has no other."""
        assert not isinstance(self.null, str)
        return self.null

    @property
    def total(self) -> int:
        """N = m + n."""
        return self.m + self.n

    @property
    def least(self) -> float:
        """The smallest p-value of a statistic that does not change when x and y change places."""
        return (1 + (self.m == self.n)) * smallest_pvalue(self.m, self.n)


def prepare(
    x: object, y: object, null: Null | str, choices: tuple[str, ...], level: float, rng: door.Seed
) -> ResolvedTest:
    """Both samples and all options through the door."""
    chosen = _resolve(null, choices)
    level = door.check_level(level)
    if not isinstance(chosen, str):
        door.check_resamples(chosen, level)
    generator = door.generator(rng)
    pool = door.rows(x, y, centred=True)
    return ResolvedTest(_unit_scale(pool.z), pool.m, pool.n, chosen, level, generator)


def replicate(
    task: ResolvedTest, null: Permutation, statistic: Callable[[Counts], Floats], noise: float = 0.0
) -> ReplicateLaw:
    """The statistic in every relabelling, the true one first.

    `statistic` maps ``(N, R)`` labels to R values; `noise` is the rounding error of a value that should be 0.
    """
    exhaustive, parts = False, []
    for labels in null.batches(task.m, task.n, False, task.rng):
        exhaustive |= labels.exhaustive
        parts.append(statistic(labels.x))
    values = np.concatenate(parts)
    return ReplicateLaw(values, 1e-10 * float(np.abs(values[0])) + noise, exhaustive, task.least)


def judge(
    task: ResolvedTest, statistic: Callable[[Counts], Floats], stated: Callable[[], Stated], noise: float = 0.0
) -> tuple[Null, Law, float]:
    """The null, its law and the observed value: by relabelling if that was asked for, else as theory states it."""
    if not isinstance(task.null, str):
        law = replicate(task, task.null, statistic, noise)
        return task.null, law, float(law.values[0])
    null = stated()
    return null, null.known, float(statistic(observed(task.m, task.n).x)[0])


def finish(
    task: ResolvedTest,
    null: Null,
    law: Law,
    *,
    test: str,
    symbol: str,
    value: float,
    citation: str,
    notes: tuple[str, ...] = (),
) -> TestResult:
    """The result, with a warning when no p-value could reach the level."""
    return conclude(
        law,
        statistic=value,
        level=task.level,
        m=task.m,
        n=task.n,
        test=test,
        symbol=symbol,
        columns=task.z.shape[1],
        null=null,
        notes=notes + _constant_pool(task),
        citation=citation,
    )


def columns_at_once(rows: int, budget: int = 4_000_000) -> int:
    """How many labellings to treat together so that an array with these rows stays small."""
    return max(1, budget // max(rows, 1))


def _resolve(null: Null | str, choices: tuple[str, ...]) -> Permutation | str:
    if isinstance(null, Permutation) and "permutation" in choices:
        return null
    if isinstance(null, str) and null in choices:
        return Permutation() if null == "permutation" else null
    raise unknown_option("null", null, choices)


def _unit_scale(z: Floats) -> Floats:
    """Divide by a power of two, which rounds nothing, so that no square over- or underflows."""
    exponent = int(np.frexp(np.abs(z).max())[1])
    return np.asarray(np.ldexp(np.ldexp(z, -(exponent // 2)), -(exponent - exponent // 2)))


def _constant_pool(task: ResolvedTest) -> tuple[str, ...]:
    if (task.z != task.z[0]).any():
        return ()
    return (NOTHING,)
