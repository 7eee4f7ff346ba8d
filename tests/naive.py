"""The oracle: double loops straight from the definitions of the paper, and nothing clever.

Every function takes plain sequences of points and a kernel ``k(a, b) -> float`` on two points.
"""

from fractions import Fraction
from itertools import combinations, product
from math import sqrt

import numpy as np


def of(kernel):
    """A twosample kernel as a function of two points, one value at a time."""

    def k(a, b):
        return float(kernel.block(np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float)))[0, 0])

    return k


# --- Section 2: the statistics ------------------------------------------------------------------------------


def mmd_biased(x, y, k):
    """Equation mmd-e-rkhs."""
    m, n = len(x), len(y)
    xx = sum(k(x[i], x[j]) for i in range(m) for j in range(m))
    xy = sum(k(x[i], y[j]) for i in range(m) for j in range(n))
    yy = sum(k(y[i], y[j]) for i in range(n) for j in range(n))
    return sqrt(max(0.0, xx / m**2 - 2 * xy / (m * n) + yy / n**2))


def h(z1, z2, k):
    """The kernel of the one-sample U-statistic on pairs z = (x, y)."""
    (x1, y1), (x2, y2) = z1, z2
    return k(x1, x2) + k(y1, y2) - k(x1, y2) - k(x2, y1)


def mmd2_paired(x, y, k):
    """Equation mmd-e-rkhs-unbiased: the U-statistic of h over the pairs (x_i, y_i)."""
    m = len(x)
    assert m == len(y)
    z = list(zip(x, y, strict=True))
    return sum(h(z[i], z[j], k) for i in range(m) for j in range(m) if i != j) / (m * (m - 1))


def mmd2_unbiased(x, y, k):
    """The minimum variance estimate, which keeps the terms k(x_i, y_i)."""
    m, n = len(x), len(y)
    xx = sum(k(x[i], x[j]) for i in range(m) for j in range(m) if i != j)
    xy = sum(k(x[i], y[j]) for i in range(m) for j in range(n))
    yy = sum(k(y[i], y[j]) for i in range(n) for j in range(n) if i != j)
    return xx / (m * (m - 1)) - 2 * xy / (m * n) + yy / (n * (n - 1))


def linear_terms(x, y, k):
    """h over consecutive pairs: the terms of the linear-time statistic of Section 6."""
    return [h((x[2 * i], y[2 * i]), (x[2 * i + 1], y[2 * i + 1]), k) for i in range(min(len(x), len(y)) // 2)]


def mmd2_linear(x, y, k):
    """MMD_l^2 of Section 6."""
    terms = linear_terms(x, y, k)
    return sum(terms) / len(terms)


def mmd2_blocks(x, y, k, size):
    """The mean of MMD_u^2 over blocks; `size` rows of the smaller sample each."""
    blocks = min(len(x), len(y)) // size
    a, b = len(x) // blocks, len(y) // blocks
    parts = [mmd2_unbiased(x[i * a : (i + 1) * a], y[i * b : (i + 1) * b], k) for i in range(blocks)]
    return sum(parts) / blocks


def witness(at, x, y, k):
    """The empirical witness function of Section 2.3."""
    return [sum(k(a, t) for a in x) / len(x) - sum(k(b, t) for b in y) / len(y) for t in at]


def sigma_u_squared(x, y, k):
    """The plug-in of 4 (E_z[(E_z' h)^2] - (E h)^2) of Theorem hoeffdingNormal, with the ddof that a sample needs."""
    m = len(x)
    z = list(zip(x, y, strict=True))
    means = [sum(h(z[i], z[j], k) for j in range(m) if j != i) / (m - 1) for i in range(m)]
    return 4 * float(np.var(means, ddof=1))


# --- Resampling by enumeration ------------------------------------------------------------------------------


def permutation_values(x, y, statistic):
    """The statistic of every split of the pool into samples of sizes m and n; the true one first."""
    z = list(x) + list(y)
    for chosen in combinations(range(len(z)), len(x)):
        inside = set(chosen)
        yield statistic([z[i] for i in chosen], [z[i] for i in range(len(z)) if i not in inside])


def permutation_pvalue(x, y, statistic, tolerance=1e-10):
    """The exact permutation p-value, as a fraction."""
    values = list(permutation_values(x, y, statistic))
    return Fraction(sum(value >= values[0] - tolerance for value in values), len(values))


def swap_pvalue(x, y, statistic, tolerance=1e-10):
    """The exact p-value over all swaps of x_i and y_i."""
    values = []
    for swaps in product((False, True), repeat=len(x)):
        a = [y[i] if swap else x[i] for i, swap in enumerate(swaps)]
        b = [x[i] if swap else y[i] for i, swap in enumerate(swaps)]
        values.append(statistic(a, b))
    return Fraction(sum(value >= values[0] - tolerance for value in values), len(values))


# --- Population values for distributions on a few points ----------------------------------------------------


class Population:
    """A distribution on finitely many points: expectations are sums over all of them."""

    def __init__(self, points, probabilities, k):
        self.points = [tuple(np.atleast_1d(point)) for point in points]
        self.p = [float(probability) for probability in probabilities]
        self.size = len(self.points)
        self.K = [[k(a, b) for b in self.points] for a in self.points]

    def mean(self, f, arity):
        """E f(i_1, ..., i_arity) over independent draws of the index."""
        total = 0.0
        for draw in product(range(self.size), repeat=arity):
            weight = 1.0
            for i in draw:
                weight *= self.p[i]
            total += weight * f(*draw)
        return total

    def k(self, i, j):
        """The kernel between points number i and j."""
        return self.K[i][j]

    def centred(self, i, j):
        """The centred kernel of Theorem 'Asymptotic distribution', by population means."""
        return (
            self.K[i][j]
            - self.mean(lambda a: self.K[i][a], 1)
            - self.mean(lambda a: self.K[a][j], 1)
            + self.mean(lambda a, b: self.K[a][b], 2)
        )

    def square(self):
        """E k~(1,2)^2."""
        return self.mean(lambda a, b: self.centred(a, b) ** 2, 2)

    def triangle(self):
        """E k~(1,2) k~(2,3) k~(3,1)."""
        table = [[self.centred(a, b) for b in range(self.size)] for a in range(self.size)]
        return self.mean(lambda a, b, c: table[a][b] * table[b][c] * table[c][a], 3)

    def cube(self):
        """E k~(1,2)^3."""
        return self.mean(lambda a, b: self.centred(a, b) ** 3, 2)

    def spread(self):
        """E[k(z,z) - k(z,z')]."""
        return self.mean(lambda a: self.K[a][a], 1) - self.mean(lambda a, b: self.K[a][b], 2)

    def moments_under_h0(self, statistic, m, n):
        """E T, E T^2 and E T^3 over all samples of m and n points, both from this population."""
        first = second = third = 0.0
        for draw in product(range(self.size), repeat=m + n):
            weight = float(np.prod([self.p[i] for i in draw]))
            t = statistic(draw[:m], draw[m:], self.k)
            first, second, third = first + weight * t, second + weight * t**2, third + weight * t**3
        return first, second, third


class CentredStub:
    """Stands in for CentredGram with exact population values."""

    def __init__(self, population):
        self.square = population.square()
        self.spread = population.spread()
        self._triangle, self._cube = population.triangle(), population.cube()

    def triangle(self):
        return self._triangle

    def cube(self):
        return self._cube


# --- Strata -------------------------------------------------------------------------------------------------


def stratified(x, y, by_x, by_y, k, biased=False):
    """The statistic of ts.StratifiedPermutation by its definition: shared differences, and those of each stratum."""
    strata = sorted(set(by_x) & set(by_y))
    cut = {s: ([a for a, b in zip(x, by_x, strict=True) if b == s], [a for a, b in zip(y, by_y, strict=True) if b == s])
           for s in strata}  # fmt: skip
    sizes = {s: len(a) * len(b) / (len(a) + len(b)) for s, (a, b) in cut.items()}
    total = sum(sizes.values())

    def inner(s, t):
        """The product of the differences of mean embeddings in two strata."""
        (a, b), (c, d) = cut[s], cut[t]
        mean = lambda p, q: sum(k(u, v) for u in p for v in q) / (len(p) * len(q))  # noqa: E731
        return mean(a, c) - mean(a, d) - mean(b, c) + mean(b, d)

    def square(s):
        a, b = cut[s]
        return inner(s, s) if biased else mmd2_unbiased(a, b, k)

    shared = sum(sizes[s] * sizes[t] * (square(s) if s == t else inner(s, t)) for s in strata for t in strata)
    each = sum(sizes[s] * square(s) for s in strata)
    return 0.5 * (shared / total**2 + each / (total * sqrt(len(strata))))
