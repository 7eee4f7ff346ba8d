"""An MMD test under another name: the same evidence, with the statistic in the units of the other literature."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np

from ..core.laws import ContinuousLaw, Distribution
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Floats
from ..errors import InputError
from ..nulls.bounds import BoundLaw
from ..results import TestResult


@dataclass(frozen=True)
class ScaledDistribution(Distribution):
    """The law of a multiple of something whose law is known."""

    inner: Distribution
    factor: float

    def sf(self, t: float) -> float:
        return self.inner.sf(t / self.factor)

    def isf(self, level: float) -> float:
        return self.factor * self.inner.isf(level)

    def pdf(self, t: Floats) -> Floats:
        return self.inner.pdf(t / self.factor) / self.factor


@dataclass(frozen=True)
class Name:
    """What the other literature calls the test and its statistic, and where it comes from."""

    test: str
    symbol: str
    citation: str


def multiplied(result: TestResult, factor: float, name: Name) -> TestResult:
    """The result of a test of MMD_b with the statistic ``factor * MMD_b``."""
    law: Law = result.law
    if not isinstance(law, ReplicateLaw) and not 1e-150 < factor < 1e150:
        raise InputError(
            f"x and y are in a unit in which {name.symbol} is {factor:.3g} times MMD_b, and the square of that is "
            "beyond the range of numbers. Rescale both samples, or use null='permutation'."
        )
    if isinstance(law, ReplicateLaw):
        law = replace(law, values=factor * law.values, tolerance=factor * law.tolerance)
    elif isinstance(law, ContinuousLaw):
        law = replace(law, distribution=ScaledDistribution(law.distribution, factor**2))
    elif isinstance(law, BoundLaw):
        law = BoundLaw(factor * law.bias, law.rate / factor**2, factor * law.ceiling)
    statistic, threshold = factor * result.statistic, factor * result.threshold
    return replace(result, **asdict(name), statistic=statistic, threshold=threshold, law=law)


def squared(result: TestResult, factor: float, name: Name) -> TestResult:
    """The result of a test of MMD_b with the statistic ``factor * MMD_b²``."""
    law: Law = result.law
    if isinstance(law, ReplicateLaw):
        below = max(0.0, float(law.values[0]) - law.tolerance)
        tolerance = factor * (float(law.values[0]) ** 2 - below**2)
        law = replace(law, values=factor * np.square(law.values), tolerance=tolerance)
    elif isinstance(law, ContinuousLaw):
        law = replace(law, distribution=ScaledDistribution(law.distribution, factor), root=False)
    statistic = factor * result.statistic**2
    return replace(result, **asdict(name), statistic=statistic, threshold=law.threshold(result.level), law=law)


def noted(result: TestResult, note: str) -> TestResult:
    """The result with one more note, before the others."""
    return replace(result, notes=(note, *result.notes))
