"""HSIC straight from the definitions, by loops over rows."""

from itertools import permutations

import numpy as np


def grams(x, y, k, m):
    """Plain Gram matrices, one value at a time."""
    return tuple(np.array([[kernel(a, b) for b in z] for a in z]) for kernel, z in ((k, x), (m, y)))


def hsic_biased(K, L):
    """Delta² of Section 7.3, as its three expectations: a double, a triple and a quadruple sum."""
    n = len(K)
    rows = range(n)
    first = sum(K[i][j] * L[i][j] for i in rows for j in rows) / n**2
    second = sum(K[i][j] * L[i][q] for i in rows for j in rows for q in rows) / n**3
    third = sum(K[i][j] * L[p][q] for i in rows for j in rows for p in rows for q in rows) / n**4
    return first - 2 * second + third


def hsic_unbiased(K, L):
    """The same with averages over distinct indices only."""
    n = len(K)
    rows = range(n)
    first = [K[i][j] * L[i][j] for i, j in permutations(rows, 2)]
    second = [K[i][j] * L[i][q] for i, j, q in permutations(rows, 3)]
    third = [K[i][j] * L[p][q] for i, j, p, q in permutations(rows, 4)]
    return np.mean(first) - 2 * np.mean(second) + np.mean(third)


def hsic_traces(K, L, unbiased):
    """The matrix formulas of Gretton et al. 2005 and Song et al. 2012."""
    n = len(K)
    if not unbiased:
        H = np.eye(n) - 1 / n
        return np.trace(K @ H @ L @ H) / n**2
    K, L = K - np.diag(np.diag(K)), L - np.diag(np.diag(L))
    one = np.ones(n)
    total = np.trace(K @ L) + (one @ K @ one) * (one @ L @ one) / ((n - 1) * (n - 2)) - 2 / (n - 2) * one @ K @ L @ one
    return total / (n * (n - 3))
