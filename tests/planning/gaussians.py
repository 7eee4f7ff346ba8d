"""Normal distributions under a Gaussian kernel, where every expectation has a closed form."""

from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

import twosample as ts


@dataclass(frozen=True)
class Problem:
    """N(0, I) against N(shift e_1, scale² I) in d columns, with m and n rows."""

    m: int
    n: int
    shift: float = 0.0
    scale: float = 1.0
    columns: int = 1
    bandwidth: float = 1.0

    @property
    def kernel(self):
        return ts.Gaussian(self.bandwidth)

    @property
    def mmd2(self):
        return self._mean(0, 1, 1) - 2 * self._mean(self.shift, 1, self.scale) + self._mean(0, self.scale, self.scale)

    @property
    def spread(self):
        return 1 - (self._mean(0, 1, 1) + self._mean(0, self.scale, self.scale)) / 2

    @property
    def effect(self):
        return sqrt(self.mmd2 / 4 / (self.spread + self.mmd2 / 4))

    def draw(self, rng, m=None, n=None):
        x = rng.normal(size=(m or self.m, self.columns))
        y = self.scale * rng.normal(size=(n or self.n, self.columns))
        y[:, 0] += self.shift
        return x, y

    def _mean(self, shift, a, b):
        """E k(x, y) of N(0, a²) and N(shift e_1, b²)."""
        width = self.bandwidth**2 + a * a + b * b
        return (self.bandwidth / sqrt(width)) ** self.columns * exp(-(shift**2) / (2 * width))


def within(count, runs, probability, deviations=4.0):
    """Whether a binomial count is as expected, up to so many standard deviations."""
    error = sqrt(runs * probability * (1 - probability))
    return abs(count - runs * probability) <= deviations * error + 1


def at_most(count, runs, probability, deviations=4.0):
    return count <= runs * probability + deviations * np.sqrt(runs * probability * (1 - probability)) + 1
