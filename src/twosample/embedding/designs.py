r"""Designs: what rows are beside their values (a stratum, a weight, a group, a time), and what follows for a test.

A design says three things. Which resamples are as likely as the truth under H0: the null. What each row counts for in
its sample: masses, whose sum is the number of independent rows of weight 1 that would say as much, so that effects,
intervals and pictures of weighted points are those of the design. And how shares of rows are compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import Labellings, relabellings
from ..core.laws import ContinuousLaw
from ..core.mantel import StratifiedCount
from ..core.observed import Observed
from ..core.pvalue import Law
from ..core.resamples import stratified_relabellings
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls import Null, Permutation, Spectrum, StratifiedPermutation
from .alternative import Effect, effect
from .judge import Judged
from .pair import Embedded
from .rows import EmbeddedRows, StratifiedFeatures

CHEAP = 50_000_000
"""Rows times relabellings up to which strata are relabelled; beyond, large ones have a limit law."""

_LARGE = 20  # rows of either sample from which on a stratum is large
_SMALL_PART = 0.1  # of all sizes that small strata may have where the limit law is used

Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Shares:
    """Rows for which something holds, compared by a design.

    Parameters
    ----------
    shares
        Of either sample, as the design weighs rows.
    pvalue, least
        Its p-value, and the smallest that so many rows could have.
    """

    shares: tuple[float, float]
    pvalue: float
    least: float = 0.0


@dataclass(frozen=True, eq=False)
class Design(ABC):
    """What m rows of x and n rows of y are beside their values.

    Parameters
    ----------
    m, n
        Rows of either sample; those of x come first.
    """

    m: int
    n: int

    @abstractmethod
    def part(self, kept: Rows) -> Design:
        """The same for some of the pooled rows."""

    @property
    def comparable(self) -> bool:
        """Whether there is enough of both samples."""
        return min(self.m, self.n) >= 2

    @abstractmethod
    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        """MMD² of ``(N, D)`` centred features, its law under H0, and the null that it comes from."""

    @abstractmethod
    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """``(N,)`` what each row counts for, up to a factor for each sample, and how many rows each is worth."""

    @abstractmethod
    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """Shares of rows for which something holds, for every column of ``(N, V)`` zeros and ones."""

    def scores(self, features: Floats) -> Floats | None:
        """``(R, F)`` differences of the means of features in their standard deviations, in the labellings of `tested`.

        None where there are none, or they are not kept.
        """
        del features
        return None

    def masses(self, features: Floats) -> tuple[Floats, Floats]:
        """``(N,)`` of x and of y: what rows count for, which is 0 for those of the other sample."""
        w, sizes = self.worth(features)
        first = np.arange(len(w)) < self.m
        x, y = (np.where(own, w, 0.0) for own in (first, ~first))
        return x * (sizes[0] / x.sum()), y * (sizes[1] / y.sum())

    def pair(self, features: Floats) -> Embedded:
        """Rows as weighted points: what effects are measured on."""
        return Embedded.of(features.copy(), *self.masses(features))

    def judged(self, features: Floats, level: float, count: int, rng: np.random.Generator) -> Judged:
        """Test, and measure the effect with an interval at level 1 - 2 `level`."""
        features = features - features.mean(axis=0)
        statistic, law, null = self.tested(features, count, rng)
        return Judged(statistic, law.pvalue(statistic), self.effect(features, level), null, law, self.m, self.n)

    def effect(self, features: Floats, level: float) -> Effect:
        """The effect size with an interval at level 1 - 2 `level`."""
        return effect(self.pair(features), level)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Labellings that were drawn already, for several tests of the same rows.

    Parameters
    ----------
    labels
        All of them.
    null
        What they were drawn for.
    """

    labels: Labellings
    null: StratifiedPermutation | Permutation

    @property
    def name(self) -> str:
        """Its alias."""
        return self.null.name

    @property
    def resamples(self) -> int:
        """Beside the truth."""
        return self.labels.count - 1

    def batches(self, m: int, n: int, pairwise: bool, rng: np.random.Generator) -> Iterator[Labellings]:
        """All at once."""
        yield self.labels

    def floor(self, observed: Observed) -> float:
        """By the null."""
        return self.null.floor(observed)


@dataclass(frozen=True, eq=False)
class StrataDesign(Design):
    """Rows in strata: compared, and relabelled, within them.

    Parameters
    ----------
    strata
        The stratum of every row.
    """

    strata: Strata
    _drawn: dict[int, Labellings] = field(default_factory=dict)

    @classmethod
    def of(cls, strata: Strata) -> StrataDesign:
        """From the strata."""
        return cls(strata.m, len(strata.of_row) - strata.m, strata)

    def part(self, kept: Rows) -> StrataDesign:
        if kept.all():
            return self
        present, of_row = np.unique(self.strata.of_row[kept], return_inverse=True)
        names = tuple(self.strata.names[i] for i in present.tolist())
        return StrataDesign.of(Strata(of_row, int(kept[: self.m].sum()), names))

    @property
    def comparable(self) -> bool:
        """Whether a stratum has rows of both, and there are two of each in all."""
        both = self.strata.compared
        return len(both) > 0 and min(float(part[both].sum()) for part in (self.strata.x, self.strata.y)) >= 2

    @cached_property
    def large(self) -> bool:
        """Whether nearly all of the strata are large, so that the limit law is good."""
        small = np.minimum(self.strata.x, self.strata.y) < _LARGE
        return float(self.strata.sizes[small].sum()) <= _SMALL_PART * float(self.strata.sizes.sum())

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        rows = EmbeddedRows(features, self.m, rng)
        if len(features) * count > CHEAP and self.large:
            form = StratifiedFeatures(features, self.strata)
            truth = (np.arange(len(features)) < self.m).astype(np.uint8)[:, None]
            return float(form.values(truth)[0]), ContinuousLaw(form.limit(), self.strata.floor()), Spectrum()
        count = min(count, max(999, CHEAP // len(features)))
        null = StratifiedPermutation(*self._names(), n=count)
        null.__dict__["strata"] = self.strata  # known already
        if count not in self._drawn:
            self._drawn[count] = stratified_relabellings(self.strata.of_row, self.m, count, rng)
        law = rows.stratified(self.strata, Drawn(self._drawn[count], null))
        return float(law.values[0]), law, null

    def scores(self, features: Floats) -> Floats | None:
        """Sums over x less what is expected in each stratum."""
        if not self._drawn:
            return None
        strata, sizes = self.strata, np.maximum(self.strata.x + self.strata.y, 1.0)
        labels = next(reversed(self._drawn.values()))
        means = np.zeros((len(sizes), features.shape[1]))
        np.add.at(means, strata.of_row, features)
        inner = features - (means / sizes[:, None])[strata.of_row]
        share = (strata.sizes / np.maximum(sizes - 1, 1.0))[strata.of_row]
        deviation = np.sqrt(share @ inner**2)
        scale = np.where(deviation > 1e-9 * np.abs(features).max(initial=1e-300), deviation, np.inf)
        inner[strata.sizes[strata.of_row] == 0] = 0.0
        return labels.sums(slice(0, len(inner)), inner) / scale

    def _names(self) -> tuple[list[int], list[int]]:
        codes = self.strata.of_row.tolist()
        return codes[: self.m], codes[self.m :]

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Both samples with the same mix: stratum s has :math:`h_s` of either."""
        strata = self.strata
        x, y = (strata.sizes / np.maximum(part, 1.0) for part in (strata.x, strata.y))
        w = np.where(np.arange(len(strata.of_row)) < self.m, x[strata.of_row], y[strata.of_row])
        return w, (effective(w[: self.m]), effective(w[self.m :]))

    def pair(self, features: Floats) -> Embedded:
        r"""What is left of features when the mean of each stratum is taken away, and the difference that all share.

        With :math:`\bar\delta = \sum_s w_s\delta_s` and residuals e of the regression on strata and label, rows of x
        are at :math:`\bar\delta/2 + ce` and rows of y at :math:`-\bar\delta/2 + ce`: their difference is that of the
        strata, their spread that within strata. The constant c makes up for the means that were estimated.
        """
        strata, (x, y) = self.strata, self.masses(features)
        sizes = np.maximum(strata.x + strata.y, 1.0)
        means = np.zeros((len(sizes), features.shape[1]))
        np.add.at(means, strata.of_row, features)
        residuals = features - (means / sizes[:, None])[strata.of_row]
        delta = (x / x.sum() - y / y.sum()) @ features
        label = (np.arange(len(features)) < self.m) - strata.shares
        residuals -= label[:, None] * delta
        rows, both = float(sizes[strata.compared].sum()), len(strata.compared)
        residuals *= np.sqrt(rows / max(rows - both - 1, 1.0))
        residuals += np.where(np.arange(len(features)) < self.m, 0.5, -0.5)[:, None] * delta
        return Embedded.of(residuals, x, y)

    def effect(self, features: Floats, level: float) -> Effect:
        """Within strata, where they have rows enough; what all share is one bound of it, and else stands for it."""
        shared = effect(self.pair(features), level)
        own = StratifiedFeatures(features, self.strata).effect(level)
        if own is None or shared.high >= 1:
            return shared
        return replace(own, high=max(own.high, shared.high))

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """Mantel and Haenszel's test, exactly where that is cheap."""
        strata = self.strata
        rows = [part.astype(np.int64) for part in (strata.x, strata.y)]
        x, y = self.masses(holds)
        found = []
        for one in holds.T:
            own = [
                np.bincount(strata.of_row[part], one[part], minlength=len(strata.names)).round().astype(np.int64)
                for part in (slice(0, self.m), slice(self.m, None))
            ]
            law = StratifiedCount(own[0] + own[1], *rows)
            shares = float(x @ one) / float(x.sum()), float(y @ one) / float(y.sum())
            found.append(Shares(shares, law.pvalue(int(own[0].sum())), law.least))
        return found


@dataclass(frozen=True, eq=False)
class WeightedDesign(Design):
    """Rows with weights that belong to them, and move with them.

    Parameters
    ----------
    weights
        ``(N,)`` with a mean of 1 in each sample.
    """

    weights: Floats
    _drawn: dict[int, Labellings] = field(default_factory=dict)

    @classmethod
    def of(cls, weights: Floats, m: int) -> WeightedDesign:
        """From weights of any scale."""
        parts = weights[:m], weights[m:]
        scaled = np.concatenate([part / part.mean() if part.any() else part for part in parts])
        return cls(m, len(weights) - m, scaled)

    def part(self, kept: Rows) -> WeightedDesign:
        return self if kept.all() else WeightedDesign.of(self.weights[kept], int(kept[: self.m].sum()))

    @property
    def comparable(self) -> bool:
        """Whether two rows of each sample have a weight."""
        return min(int((part > 0).sum()) for part in (self.weights[: self.m], self.weights[self.m :])) >= 2

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        null = Permutation(self._count(count))
        law = EmbeddedRows(features, self.m, rng, self.weights).resampled(Drawn(self._labels(count, rng), null))
        return float(law.values[0]), law, null

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Kish's effective sizes."""
        return self.weights, (effective(self.weights[: self.m]), effective(self.weights[self.m :]))

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        w = self.weights[:, None]
        sums = self._labels(count, rng).sums(slice(0, self.m + self.n), np.concatenate([w * holds, w], axis=1))
        total = (w * holds).sum(axis=0)
        shares = sums[:, :-1] / sums[:, -1:], (total - sums[:, :-1]) / (w.sum() - sums[:, -1:])
        return by_deviations(*shares)

    def scores(self, features: Floats) -> Floats | None:
        """Differences of weighted means, in their deviations over the labellings."""
        if not self._drawn:
            return None
        w, labels = self.weights[:, None], next(reversed(self._drawn.values()))
        sums = labels.sums(slice(0, self.m + self.n), np.concatenate([w * features, w], axis=1))
        total = (w * features).sum(axis=0)
        apart = sums[:, :-1] / sums[:, -1:] - (total - sums[:, :-1]) / (w.sum() - sums[:, -1:])
        apart -= apart.mean(axis=0)
        deviation = apart.std(axis=0)
        return np.asarray(apart / np.where(deviation > 1e-12, deviation, np.inf))

    def _count(self, count: int) -> int:
        return min(count, max(999, CHEAP // (self.m + self.n)))

    def _labels(self, count: int, rng: np.random.Generator) -> Labellings:
        count = self._count(count)
        if count not in self._drawn:
            self._drawn[count] = self._comparable_ones(relabellings(self.m, self.n, count, rng))
        return self._drawn[count]

    def _comparable_ones(self, labels: Labellings) -> Labellings:
        """Those in which two rows of each sample have a weight: equally likely, given that the truth is one."""
        if (self.weights > 0).all():
            return labels
        counts = (self.weights > 0).astype(np.float64)
        x = labels.sums(slice(0, len(counts)), counts[:, None])[:, 0]
        which = np.minimum(x, counts.sum() - x) >= 2
        return labels.kept(which)


def by_deviations(x: Floats, y: Floats) -> list[Shares]:
    """From ``(R, V)`` shares in all labellings, the truth first: the difference in its standard deviations, normal."""
    from scipy.special import ndtr

    difference = x - y
    deviation = difference.std(axis=0)
    found = []
    for one, two, apart, mean, scale in zip(
        x[0].tolist(), y[0].tolist(), difference[0].tolist(), difference.mean(axis=0).tolist(), deviation, strict=True
    ):
        z = abs(apart - mean) / scale if scale > 1e-12 else 0.0
        found.append(Shares((one, two), max(2 * float(ndtr(-z)), 1e-300)))
    return found


def effective(weights: Floats) -> int:
    """Kish's effective sample size, rounded down."""
    return whole_rows(float(weights.sum()) ** 2 / max(float(weights @ weights), 1e-300), 1)


def whole_rows(rows: float, least: int) -> int:
    """A whole number of rows: points of :class:`Embedded` have those."""
    return max(int(rows + 1e-9), least)
