"""Tables of graphs matched by the Hungarian method, and tests between them, from one Gram matrix."""

import numpy as np
from scipy.optimize import linear_sum_assignment

import twosample as ts


def halves(classes, size, rng):
    """Row numbers of two disjoint random samples of each class."""
    mixed = [rng.permutation(np.flatnonzero(classes == value)) for value in np.unique(classes)]
    return [rows[:size] for rows in mixed], [rows[size : 2 * size] for rows in mixed]


def share_matched(kernel, classes, size, rng):
    """The share of tables of A that the assignment of least total squared MMD gives their own class in B."""
    A, B = halves(classes, size, rng)
    cost = np.array([[ts.mmd(a, b, kernel=kernel, statistic="unbiased") for b in B] for a in A])
    return float((linear_sum_assignment(cost)[1] == np.arange(len(A))).mean())


def rejections_between(kernel, classes, size, rng, repetitions, resamples=99):
    """The share of rejections for each pair of different classes, mean over pairs."""
    values = np.unique(classes)
    found = []
    for _ in range(repetitions):
        A, _ = halves(classes, size, rng)
        for i in range(len(values)):
            for j in range(i):
                found.append(ts.mmd_test(A[i], A[j], kernel=kernel, null=ts.Permutation(n=resamples), rng=rng).rejected)
    return float(np.mean(found))


def rejections_within(kernel, classes, size, rng, repetitions, resamples=99):
    """How often two samples of the same class are told apart, and out of how many."""
    found = []
    for _ in range(repetitions):
        for a, b in zip(*halves(classes, size, rng), strict=True):
            found.append(ts.mmd_test(a, b, kernel=kernel, null=ts.Permutation(n=resamples), rng=rng).rejected)
    return int(np.sum(found)), len(found)
