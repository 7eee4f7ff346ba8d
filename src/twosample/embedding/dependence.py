"""Designs of rows that depend on each other: groups that are relabelled as a whole, and series in the order of time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core.labellings import relabellings
from ..core.pvalue import Law, smallest_pvalue
from ..core.strata import Strata
from ..core.types import Floats
from ..nulls import GroupPermutation, Null, WildBootstrap
from ..nulls.memory import Process
from .designs import ENOUGH, Design, Rows, Shares, by_units, by_worth, whole_rows
from .rows import EmbeddedRows, row_memory
from .sampled import one_covariance


@dataclass(frozen=True, eq=False)
class GroupDesign(Design):
    """Rows in groups (patients, sessions) of one sample each, which are relabelled as a whole."""

    groups: NDArray[np.intp]  # (N,) the group of every row, numbered from 0; no group has rows of both samples

    def part(self, kept: Rows) -> GroupDesign:
        if kept.all():
            return self
        m = int(kept[: self.m].sum())
        return GroupDesign(m, int(kept.sum()) - m, np.unique(self.groups[kept], return_inverse=True)[1])

    @cached_property
    def counts(self) -> tuple[int, int]:
        """Groups of either sample."""
        return len(np.unique(self.groups[: self.m])), len(np.unique(self.groups[self.m :]))

    @property
    def comparable(self) -> bool:
        """Whether each sample has two groups."""
        return min(self.counts) >= 2

    @property
    def least(self) -> float:
        """The smallest p-value that so many groups can have; with equally many, swapped samples are as far apart."""
        return smallest_pvalue(*self.counts) * (2 if self.counts[0] == self.counts[1] else 1)

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        codes = self.groups.tolist()
        null = GroupPermutation(codes[: self.m], codes[self.m :], n=count)
        outcome = null.judged(EmbeddedRows(features, self.m, rng))
        return outcome.value, outcome.law, null

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Rows over the design effect: the variance of the mean by groups, in that of independent rows."""
        sizes = []
        for part in (slice(0, self.m), slice(self.m, None)):
            phi = features[part] - features[part].mean(axis=0)
            groups = np.unique(self.groups[part], return_inverse=True)[1]
            sums = np.zeros((int(groups.max()) + 1, phi.shape[1]))
            np.add.at(sums, groups, phi)
            between = float((sums**2).sum()) * len(sums) / max(len(sums) - 1, 1)
            sizes.append(whole_rows(len(phi) * min(1.0, float((phi**2).sum()) / max(between, 1e-300)), 1))
        return np.ones(self.m + self.n), (sizes[0], sizes[1])

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        total = int(self.groups.max()) + 1
        sums = np.zeros((total, holds.shape[1] + 1))
        np.add.at(sums, self.groups, np.concatenate([holds, np.ones((len(holds), 1))], axis=1))
        order = np.argsort(np.bincount(self.groups[self.m :], minlength=total) > 0, kind="stable")  # those of x first
        labels = relabellings(*self.counts, count, rng).x.T.astype(np.float64)
        x = labels @ sums[order]
        y = sums.sum(axis=0) - x
        x, y = x[:, :-1] / x[:, -1:], y[:, :-1] / y[:, -1:]
        difference, rows = x - y, sums[order, -1]
        deviation = difference.std(axis=0)
        z = np.abs(difference[0] - difference.mean(axis=0)) / np.where(deviation > 1e-12, deviation, np.inf)
        found = by_units(z, sums[order, :-1] / rows[:, None], rows, Strata.one(*self.counts))
        least = self.least
        return [
            Shares((p, q), max(own, least), max(bound, least))
            for p, q, (own, bound) in zip(x[0].tolist(), y[0].tolist(), found, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class SeriesDesign(Design):
    """Rows of each sample in the order of time, of which neighbours are alike: the wild bootstrap."""

    def part(self, kept: Rows) -> SeriesDesign:
        m = int(kept[: self.m].sum())
        return SeriesDesign(m, int(kept.sum()) - m)

    @property
    def comparable(self) -> bool:
        """Whether there are rows enough for the wild bootstrap."""
        return min(self.m, self.n) >= ENOUGH

    def tested(self, features: Floats, count: int, rng: np.random.Generator) -> tuple[float, Law, Null]:
        """By the wild bootstrap; or by :func:`one_covariance`, if that has the larger p-value."""
        outcome = WildBootstrap(n=count).judged(EmbeddedRows(features, self.m, rng))
        samples = features[: self.m], features[self.m :]
        means = [part.mean(axis=0) for part in samples]
        left = [(np.full(len(part), 1 / len(part)), part - own) for part, own in zip(samples, means, strict=True)]
        trace, law = one_covariance(left, self.worth(features)[1])
        value = float(((means[0] - means[1]) ** 2).sum()) - trace
        if law.pvalue(value) > outcome.law.pvalue(outcome.value):
            return value, law, outcome.null
        return outcome.value, outcome.law, outcome.null

    def worth(self, features: Floats) -> tuple[Floats, tuple[int, int]]:
        """Rows of an autoregression with the memory that the longer one of both has."""
        phi = max(row_memory(features[: self.m]), row_memory(features[self.m :]))
        sizes = [whole_rows(rows * (1 - phi) / (1 + phi), 1) for rows in (self.m, self.n)]
        return np.ones(self.m + self.n), (sizes[0], sizes[1])

    def compared(self, holds: Floats, count: int, rng: np.random.Generator) -> list[Shares]:
        """By Student's law, with the long-run variance by weights of the wild bootstrap; one memory for all."""
        from scipy.special import stdtr

        deviations = holds.std(axis=0)
        scaled = (holds - holds.mean(axis=0)) / np.where(deviations > 0, deviations, 1.0)
        phi = max(row_memory(scaled[: self.m]), row_memory(scaled[self.m :]))
        block = WildBootstrap(memory=phi).fitted(min(self.m, self.n)).block
        assert block is not None
        parts = holds[: self.m], holds[self.m :]
        variance, degrees = np.zeros(holds.shape[1]), np.inf
        for part in parts:
            process = Process(len(part), block, phi)
            drawn = process.draw(count, rng).T @ (part - part.mean(axis=0)) / len(part)  # (count, V)
            variance += (drawn**2).mean(axis=0)
            degrees = min(degrees, process.degrees)
        a, b = (part.mean(axis=0) for part in parts)
        t = np.abs(a - b) / np.sqrt(np.maximum(variance, 1e-300))
        pvalues = np.clip(2 * stdtr(max(degrees, 1.0), -t), 1e-300, 1.0)
        sizes = [whole_rows(len(part) * (1 - phi) / (1 + phi), 1) for part in parts]
        return by_worth((a, b), pvalues, (sizes[0], sizes[1]))
