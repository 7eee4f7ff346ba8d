"""Which pooled points belong to which of several groups: the truth first, random or all relabellings after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from .labellings import relabellings
from .resamples import stratified_relabellings

Groups = NDArray[np.uint16]  # (R, N) the group of every pooled point in every labelling


def group_relabellings(
    sizes: Sequence[int], count: int, rng: np.random.Generator, step: int
) -> Iterator[tuple[Groups, bool]]:
    """The truth and `count` uniform relabellings of the groups, or every one once when there are no more than `count`.

    Two groups are drawn as :func:`relabellings` draws them, so that the same seed gives the same ones.

    Yields
    ------
    tuple
        ``(R, N)`` groups, about `step` at a time, and whether these are all labellings.
    """
    truth = np.repeat(np.arange(len(sizes), dtype=np.uint16), sizes)
    if len(sizes) == 2:
        labels = relabellings(sizes[0], sizes[1], count, rng)
        for start in range(0, labels.count, step):
            yield np.ascontiguousarray(1 - labels.x[:, start : start + step].T, dtype=np.uint16), labels.exhaustive
        return
    if _log_labellings(sizes) <= log(count) + 1e-9:
        yield np.array(list(_every(truth * 0, sizes, np.arange(len(truth))))), True
        return
    yield truth[None], False
    for start in range(0, count, step):
        drawn = np.tile(truth, (min(step, count - start), 1))
        rng.permuted(drawn, axis=1, out=drawn)
        yield drawn, False


def stratified_group_relabellings(
    truth: Groups, of_row: NDArray[np.intp], count: int, rng: np.random.Generator, step: int
) -> Iterator[tuple[Groups, bool]]:
    """The same within strata: `truth` is the group of every point, `of_row` its stratum; groups are in order."""
    strata = [np.flatnonzero(of_row == s) for s in range(int(of_row.max()) + 1)]
    sizes = [np.bincount(truth[rows], minlength=int(truth.max()) + 1).tolist() for rows in strata]
    if sum(map(_log_labellings, sizes)) <= log(count) + 1e-9:
        every = truth[None]
        for rows, own in zip(strata, sizes, strict=True):
            parts = np.array(list(_every(truth[rows] * 0, own, np.arange(len(rows)))))
            every = np.repeat(every, len(parts), axis=0)
            every[:, rows] = np.tile(parts, (len(every) // len(parts), 1))
        yield every, True
        return
    if truth.max() == 1:
        labels = stratified_relabellings(of_row, int((truth == 0).sum()), count, rng)
        for start in range(0, labels.count, step):
            yield np.ascontiguousarray(1 - labels.x[:, start : start + step].T, dtype=np.uint16), False
        return
    yield truth[None], False
    for start in range(0, count, step):
        drawn = np.tile(truth, (min(step, count - start), 1))
        for rows in strata:
            drawn[:, rows] = rng.permuted(drawn[:, rows], axis=1)
        yield drawn, False


def least_stratified_pvalue(truth: Groups, of_row: NDArray[np.intp]) -> float:
    """The smallest p-value within strata; groups that have the same sizes everywhere may change places."""
    sizes = np.zeros((int(of_row.max()) + 1, int(truth.max()) + 1), dtype=int)
    np.add.at(sizes, (of_row, truth), 1)
    symmetries = sum(lgamma(same + 1) for same in Counter(map(tuple, sizes.T.tolist())).values())
    labellings = sum(_log_labellings(row) for row in sizes.tolist())
    return exp(min(max(symmetries - labellings, log(1e-300)), 0.0))


def least_group_pvalue(sizes: Sequence[int]) -> float:
    """The smallest p-value of relabelling groups: exchanging whole groups of the same size leaves the statistic."""
    symmetries = sum(lgamma(same + 1) for same in Counter(sizes).values())
    return exp(max(symmetries - _log_labellings(sizes), log(1e-300)))


def _log_labellings(sizes: Sequence[int]) -> float:
    """The logarithm of the multinomial coefficient N! / (n_1! ... n_G!)."""
    return lgamma(sum(sizes) + 1) - sum(lgamma(size + 1) for size in sizes)


def _every(groups: Groups, sizes: Sequence[int], free: NDArray[np.intp], group: int = 0) -> Iterator[Groups]:
    """All ways to give the free points to this group and those after it; the truth comes first."""
    if group == len(sizes) - 1:
        whole = groups.copy()
        whole[free] = group
        yield whole
        return
    for members in combinations(free.tolist(), sizes[group]):
        groups[list(members)] = group
        yield from _every(groups, sizes, np.setdiff1d(free, members), group + 1)
