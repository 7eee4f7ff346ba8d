"""Designs in which labels move: within strata, with the weight of their row, by whole groups, or any of these at once.

What is relabelled is a unit: a row, or a group of rows with their weighted mean and the sum of their weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import Labellings, relabellings
from ..core.laws import ContinuousLaw
from ..core.pvalue import Law, ReplicateLaw
from ..core.resamples import stratified_relabellings
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls import GroupPermutation, Null, Permutation, Spectrum, StratifiedPermutation
from .alternative import Effect, effect
from .designs import TWO, Design, Rows, Shares, by_units, counts, effective, kish, whole_rows
from .pair import Embedded
from .rows import EmbeddedRows
from .stratified import StratifiedFeatures

CHEAP = 50_000_000  # rows times relabellings up to which these are drawn; beyond, large strata have a limit law

_LARGE = 20  # rows of either sample from which on a stratum is large
_SMALL_PART = 0.1  # of all sizes that small strata may have where the limit law is used
_DRAWN = 299  # relabellings that say in which stratum a column differs most, at least

Index = NDArray[np.intp]


@dataclass(frozen=True)
class MostIn:
    """The stratum in which something differs most.

    Parameters
    ----------
    stratum
        Its name.
    effect
        The effect size there, in units of the spread there.
    rows
        Its rows of either sample.
    pvalue
        Of the largest over all strata (Westfall and Young 1993): relabellings of strata are independent of each other,
        so that it is adjusted for all of them, whatever the others do. None where nothing was relabelled.
    """

    stratum: str
    effect: float
    rows: tuple[int, int]
    pvalue: float | None


@dataclass(frozen=True, eq=False)
class RelabelledDesign(Design):
    """Rows in strata, with weights, in groups: compared and relabelled within strata, as whole groups, with weights."""

    strata: Strata  # that of every row; one if there are none
    weights: Floats | None = None  # (N,) with a mean of 1 over both samples; they move with their rows
    groups: Index | None = None  # (N,) that of every row, each of one sample and one stratum; None: rows move alone
    _drawn: dict[int, Labellings] = field(default_factory=dict)

    @classmethod
    def of(cls, strata: Strata, weights: Floats | None = None, groups: Index | None = None) -> RelabelledDesign:
        """From weights of any scale, which is the same for both samples: they may move with their rows."""
        m = strata.m
        if weights is not None and weights.any():
            weights = weights / weights.mean()
        return cls(m, len(strata.of_row) - m, strata, weights, groups)

    def part(self, kept: Rows) -> RelabelledDesign:
        if kept.all():
            return self
        weights = None if self.weights is None else self.weights[kept]
        groups = None if self.groups is None else self.groups[kept]
        return RelabelledDesign.of(self.strata.part(kept), weights, groups)

    # -- units

    @property
    def plain(self) -> bool:
        """Whether units are rows of weight 1."""
        return self.weights is None and self.groups is None

    @cached_property
    def _live(self) -> Index:
        """Rows with a weight: others are not relabelled, which is as exact, and something is always compared."""
        return np.arange(self.m + self.n) if self.weights is None else np.flatnonzero(self.weights > 0)

    @cached_property
    def _unit(self) -> Index:
        """The unit of each row with a weight, numbered in the order of rows."""
        if self.groups is None:
            return np.arange(len(self._live))
        _, first, code = np.unique(self.groups[self._live], return_index=True, return_inverse=True)
        return np.asarray(np.argsort(np.argsort(first))[code], dtype=np.intp)

    @cached_property
    def units(self) -> Strata:
        """The strata of units, those of x first."""
        if self.groups is None:
            return self.strata if len(self._live) == self.m + self.n else self.strata.part(self._live)
        return self.strata.part(self._live[np.unique(self._unit, return_index=True)[1]])

    @cached_property
    def _masses(self) -> Floats:
        """``(U,)`` the weight of each unit."""
        w = np.ones(len(self._live)) if self.weights is None else self.weights[self._live]
        return w if self.groups is None else np.bincount(self._unit, w).astype(np.float64)

    def form(self, features: Floats) -> StratifiedFeatures:
        """The statistic, from features of rows."""
        phi = features[self._live] if len(self._live) < len(features) else features
        if self.groups is not None:
            w = np.ones(len(phi)) if self.weights is None else self.weights[self._live]
            sums = np.zeros((len(self._masses), phi.shape[1]))
            np.add.at(sums, self._unit, w[:, None] * phi)
            phi = sums / self._masses[:, None]
        return StratifiedFeatures(phi, self.units, None if self.plain else self._masses)

    @property
    def comparable(self) -> bool:
        """Whether a stratum has units of both, and there are two of each in all, which weights leave."""
        units, both = self.units, self.units.compared
        if not len(both) or min(float(part[both].sum()) for part in (units.x, units.y)) < 2:
            return False
        return self.weights is None or min(kish(part) for part in np.split(self.weights, [self.m])) >= TWO

    @property
    def mix(self) -> tuple[Floats, Floats]:
        """``(S,)`` of either sample: rows of each stratum; what they are worth by their weights; groups, if any."""
        units, count = self.units, len(self.strata.names)
        places = np.array([self.strata.names.index(name) for name in units.names])[units.of_row]
        w = self._masses if self.groups is None else np.ones(len(places))
        parts = slice(0, units.m), slice(units.m, None)
        x, y = (np.bincount(places[p], w[p], minlength=count) * (effective(w[p]) / w[p].sum()) for p in parts)
        return x, y

    # -- tests

    @cached_property
    def large(self) -> bool:
        """Whether nearly all of the strata are large, so that the limit law is good."""
        x, y = self.form(np.empty((self.m + self.n, 0))).worth
        sizes = x * y / np.maximum(x + y, 1e-300)
        return float(sizes[np.minimum(x, y) < _LARGE].sum()) <= _SMALL_PART * float(sizes.sum())

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        form = self.form(features)
        if len(form.features) * count > CHEAP and self.large:
            truth = (np.arange(len(form.features)) < self.units.m).astype(np.uint8)[:, None]
            return float(form.values(truth)[0]), ContinuousLaw(form.limit(), self.units.floor()), Spectrum()
        labels = self._labels(count, rng)
        tolerance = EmbeddedRows(form.features, self.units.m, rng).tolerance
        law = ReplicateLaw(form.values(labels.x), tolerance, labels.exhaustive, self.units.floor())
        return float(law.values[0]), law, self._null

    @cached_property
    def _null(self) -> Null:
        """What the relabellings are called."""
        count = max(self._drawn)
        if len(self.strata.names) > 1:
            codes = self.strata.of_row.tolist()
            return StratifiedPermutation(codes[: self.m], codes[self.m :], n=count)
        if self.groups is None:
            return Permutation(count)
        codes = self.groups.tolist()
        return GroupPermutation(codes[: self.m], codes[self.m :], n=count)

    def _labels(self, count: int, rng: np.random.Generator) -> Labellings:
        units = self.units
        count = min(count, max(999, CHEAP // len(units.of_row)))
        if count not in self._drawn:
            sizes = units.m, len(units.of_row) - units.m
            alone = len(units.names) == 1
            self._drawn[count] = (
                relabellings(*sizes, count, rng)
                if alone
                else stratified_relabellings(units.of_row, units.m, count, rng)
            )
        return self._drawn[count]

    def scores(self, features: Floats) -> Floats | None:
        """Sums over x less what is expected in each stratum."""
        if not self._drawn:
            return None
        inner, scale = self._contrast(features)
        labels = next(reversed(self._drawn.values()))
        return labels.sums(slice(0, len(inner)), inner) / scale

    def _contrast(self, features: Floats) -> tuple[Floats, Floats]:
        """``(U, F)`` what a unit adds to the sum over x, and ``(F,)`` the deviation of that over relabellings."""
        form, units = self.form(features), self.units
        w, sizes = self._masses[:, None], np.maximum(units.x + units.y, 1.0)
        inner = w * (form.features - _means(units, form.features, w)[units.of_row])
        share = (units.sizes / np.maximum(sizes - 1, 1.0))[units.of_row]
        deviation = np.sqrt(share @ inner**2)
        scale = np.where(deviation > 1e-9 * np.abs(features).max(initial=1e-300), deviation, np.inf)
        inner[units.sizes[units.of_row] == 0] = 0.0
        return inner, scale

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """Mantel and Haenszel's test, exactly where that is cheap; of weights and groups, :func:`by_units`."""
        x, y = self.masses(holds)
        shares = list(zip((x @ holds / x.sum()).tolist(), (y @ holds / y.sum()).tolist(), strict=True))
        if self.plain:
            laws = [counts(one, self.strata) for one in holds.T]
            return [Shares(both, law.pvalue(own), law.least) for both, (law, own) in zip(shares, laws, strict=True)]
        inner, scale = self._contrast(holds)
        least = self.units.floor() if self.groups is not None else 0.0
        z = np.abs(inner[: self.units.m].sum(axis=0)) / scale
        found = by_units(z, self.form(holds).features, self._masses, self.units)
        return [Shares(both, max(p, least), max(own, least)) for both, (p, own) in zip(shares, found, strict=True)]

    # -- effects

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Both samples with the same mix, stratum s has :math:`h_s` of either; Kish's sizes over the design effect."""
        strata, m = self.strata, self.m
        w = np.ones(m + self.n) if self.weights is None else self.weights
        parts, totals = (slice(0, m), slice(m, None)), []
        for part in parts:
            totals.append(np.bincount(strata.of_row[part], w[part], minlength=len(strata.names)))
        h = totals[0] * totals[1] / np.maximum(totals[0] + totals[1], 1e-300)
        factors = [
            (h / np.maximum(total, 1e-300))[strata.of_row[part]] for total, part in zip(totals, parts, strict=True)
        ]
        w = w * np.concatenate(factors)
        sizes = [effective(w[part]) for part in parts]
        if self.groups is not None:
            sizes = [self._by_groups(features, w, part, own) for part, own in zip(parts, sizes, strict=True)]
        return w, (sizes[0], sizes[1])

    def _by_groups(self, features: Floats, w: Floats, part: slice, size: int) -> int:
        """Rows over the design effect: the variance of the mean by groups, in that of independent rows."""
        assert self.groups is not None
        phi = w[part, None] * (features[part] - w[part] @ features[part] / w[part].sum())
        code = np.unique(self.groups[part], return_inverse=True)[1]
        sums = np.zeros((int(code.max()) + 1, phi.shape[1]))
        np.add.at(sums, code, phi)
        between = float((sums**2).sum()) * len(sums) / max(len(sums) - 1, 1)
        return whole_rows(size * min(1.0, float((phi**2).sum()) / max(between, 1e-300)), 1)

    def pair(self, features: Floats) -> Embedded:
        r"""What is left of features when the mean of each stratum is taken away, and the difference that all share.

        With :math:`\bar\delta = \sum_s w_s\delta_s` and residuals e of the regression on strata and label, rows of x
        are at :math:`\bar\delta/2 + ce` and rows of y at :math:`-\bar\delta/2 + ce`: their difference is that of the
        strata, their spread that within strata. The constant c makes up for the means that were estimated.
        """
        strata, (x, y) = self.strata, self.masses(features)
        if len(strata.names) == 1:
            return Embedded.of(features.copy(), x, y)
        w = np.ones(len(features)) if self.weights is None else self.weights
        residuals = features - _means(strata, features, w[:, None])[strata.of_row]
        delta = (x / x.sum() - y / y.sum()) @ features
        first = np.arange(len(features)) < self.m
        shares = np.bincount(strata.of_row, w * first) / np.maximum(np.bincount(strata.of_row, w), 1e-300)
        residuals -= (first - shares[strata.of_row])[:, None] * delta
        rows, both = float((strata.x + strata.y)[strata.compared].sum()), len(strata.compared)
        residuals *= np.sqrt(rows / max(rows - both - 1, 1.0))
        residuals += np.where(first, 0.5, -0.5)[:, None] * delta
        return Embedded.of(residuals, x, y)

    def effect(self, features: Floats, level: float) -> Effect:
        """Within strata, where they have rows enough; what all share is one bound of it, and else stands for it."""
        shared = effect(self.pair(features), level)
        if len(self.strata.names) == 1 and not self.plain:
            return shared
        own = self.form(features).effect(level, None if self.groups is None else shared.spread)
        if own is None or shared.high >= 1:
            return shared
        return replace(own, high=max(own.high, shared.high))

    def most_in(self, features: Floats) -> MostIn | None:
        """The stratum that stands out most, by its MMD² in deviations over relabellings; None of one stratum."""
        form, units, labels = self.form(features), self.units, next(reversed(self._drawn.values()), None)
        both = units.compared
        if len(both) < 2:
            return None
        if labels is None or labels.exhaustive or labels.count <= _DRAWN:
            x, y = form.worth
            effects = [form.stratum_effect(s) if min(x[s], y[s]) >= 2 else 0.0 for s in both.tolist()]
            place, pvalue = int(np.argmax(effects)), None
        else:
            values = form.squares(labels.x)
            values -= values.mean(axis=1, keepdims=True)
            deviation = values.std(axis=1, keepdims=True)
            values /= np.where(deviation > 1e-12 * np.abs(values).max(initial=1e-300), deviation, np.inf)
            place = int(np.argmax(values[:, 0]))
            pvalue = ReplicateLaw(values.max(axis=0), 1e-9).pvalue(float(values[place, 0]))
        s = int(both[place])
        name = units.names[s]
        number = self.strata.names.index(name)
        rows = int(self.strata.x[number]), int(self.strata.y[number])
        known = min(float(part[s]) for part in form.worth) >= 2
        return MostIn(str(name), form.stratum_effect(s) if known else 0.0, rows, pvalue)


def _means(strata: Strata, features: Floats, w: Floats) -> Floats:
    """``(S, F)`` weighted means of each stratum."""
    sums, total = np.zeros((len(strata.names), features.shape[1])), np.zeros((len(strata.names), 1))
    np.add.at(sums, strata.of_row, w * features)
    np.add.at(total, strata.of_row, np.broadcast_to(w, (len(features), 1)))
    return np.asarray(sums / np.maximum(total, 1e-300))
