r"""Views of all columns together that are sums of features: columns, ties of each column, pairs, twins, middle.

Every view is made of scores :math:`z_f(v)`, differences of the means of a feature in their standard deviations over all
labellings v of groups of rows (:mod:`twosample.core.groups`). Features are joined by the mean of 1/p over them, p from
the chi-square law: near the largest score, and not diluted by the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.groups import RowGroups
from ..core.ranks import midranks
from ..core.types import Floats, Reals
from .features import PooledColumn

_HIGHEST = 80.0  # of an exponent in single precision
_CHUNK = 4096  # features at a time
_WAVES = 4

_LEVELS, _WORK = 20, 60_000  # levels of a column that are predicted, and features times levels of all of these
_LEAST = 1e-3  # the smallest share

PAIRED = 320  # features up to which all pairs of columns are looked at

Index = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class FeatureView:
    """One view: scores of items in every labelling, and the effect of every feature."""

    name: str  # what it looks at
    items: Reals  # (R, I) log of the mean of 1/p over the features of an item (a column, a pair), the truth first
    item: Index  # (F,) the item of each feature
    effects: Floats  # (F,) difference of the means of a feature, x less y, in its standard deviations

    @property
    def strengths(self) -> Floats:
        """``(I,)`` the largest effect of the features of each item."""
        starts = np.flatnonzero(np.diff(self.item, prepend=-1))
        return np.asarray(np.maximum.reduceat(np.abs(self.effects), starts))

    @property
    def statistic(self) -> Floats:
        """``(R,)`` log of the mean of 1/p over the items."""
        return np.asarray(np.logaddexp.reduce(self.items.astype(np.float64), axis=1) - np.log(self.items.shape[1]))


def views_of(columns: Sequence[PooledColumn], twins: Floats, groups: RowGroups) -> list[FeatureView]:
    """All views of the pooled features; pairs only where there is more than one column. O(N K²) for K features."""
    if not columns:
        return []
    phi = np.concatenate([column.values for column in columns], axis=1)
    owner = np.repeat(np.arange(len(columns)), [column.values.shape[1] for column in columns])
    found = [_of_features("columns", [phi], owner, groups)]
    if len(columns) > 1:
        fitted, left = fits(phi, owner)
        each = np.arange(len(columns))
        products = phi * fitted
        whole = products @ (owner[:, None] == each).astype(np.float64)
        likely, labelled = label_scores(columns, phi, owner)
        parts = [products, np.abs(left, out=left), whole, likely]
        found.append(_of_features("ties", parts, np.concatenate([owner, owner, each, labelled]), groups))
        if len(owner) <= PAIRED:
            found.append(pairs_view(phi, owner, groups))
        far = midranks(np.einsum("ij,ij->i", phi, phi)[:, None])
        waves = np.cos(np.pi * far * np.arange(1, _WAVES + 1))
        found.append(_of_features("middle", [waves], np.zeros(_WAVES, dtype=np.intp), groups))
    if np.ptp(twins) > 0:
        found.append(_of_features("twins", [twins[:, None]], np.zeros(1, dtype=np.intp), groups))
    return found


def fits(phi: Floats, owner: Index) -> tuple[Floats, Floats]:
    r"""``(N, K)`` each feature as all other columns predict it (ridge regression in the pool), and what is left.

    With the inverse :math:`\Omega` of the covariance matrix, the residuals of the features J of a column given all
    others are :math:`\Phi\Omega_{\cdot J}\Omega_{JJ}^{-1}`.
    """
    left = phi @ residual_weights(phi.T @ phi / len(phi), owner, len(phi))
    return phi - left, left


def label_scores(columns: Sequence[PooledColumn], phi: Floats, owner: Index) -> tuple[Floats, Index]:
    r"""``(N, C)`` how likely each row's level is, given all other columns, for the columns of categories; and which.

    The log of the share that ridge regression of indicators gives the level, in the pool: a few labels that are wrong
    have next to no chance, which the mean of the logs sees and products of features do not. O(N K L) for each column
    and L levels, the rarest of which are one; so many that all columns take :math:`6\cdot10^4 N` in all.
    """
    known = [i for i, column in enumerate(columns) if column.levels is not None]
    most = min(_LEVELS, _WORK // max(len(known) * len(owner), 1))
    if most < 2:
        known = []
    covariance = phi.T @ phi / len(phi) + max(0.01, len(owner) / len(phi)) * np.eye(len(owner))
    scores = [_log_shares(columns[i].levels, phi, covariance, owner != i, most) for i in known]
    return np.column_stack(scores) if scores else np.empty((len(phi), 0)), np.array(known, dtype=np.intp)


def _log_shares(levels: Index | None, phi: Floats, covariance: Floats, others: NDArray[np.bool_], most: int) -> Floats:
    """``(N,)`` the log of the share that each row's level has by ridge regression on the features of other columns."""
    assert levels is not None
    codes = np.minimum(levels, most - 1)
    hits = np.eye(int(codes.max()) + 1)[codes]
    mean, rest = hits.mean(axis=0), phi[:, others]
    slopes = np.linalg.solve(covariance[np.ix_(others, others)], rest.T @ (hits - mean) / len(phi))
    shares = np.maximum(rest @ slopes + mean, _LEAST)
    return np.asarray(np.log(np.take_along_axis(shares, codes[:, None], axis=1)[:, 0] / shares.sum(axis=1)))


def residual_weights(covariance: Floats, owner: Index, size: int) -> Floats:
    """``(K, K)`` the matrix that takes features to what all other columns do not predict of them, from `size` rows."""
    width = len(covariance)
    omega = np.linalg.inv(covariance + max(0.01, width / size) * np.eye(width))
    for column in range(int(owner[-1]) + 1):
        own = np.flatnonzero(owner == column)
        omega[:, own] = omega[:, own] @ np.linalg.inv(omega[np.ix_(own, own)])
    return np.asarray(omega)


def pairs_view(phi: Floats, owner: Index, groups: RowGroups) -> FeatureView:
    """Products of a feature of one column and a feature of another: for numbers, their correlation."""
    first, second, item = pairs_of(owner)
    products = groups.products(phi)[:, first, second]
    squares = (phi * phi).T @ (phi * phi)
    items = items_of(item, lambda part: groups.scores(products[:, part]))
    return FeatureView("pairs", items, item, _effects(products, squares[first, second], groups))


def pairs_of(owner: Index) -> tuple[Index, Index, Index]:
    """Every two features of different columns, and the number of the pair of columns, which they are sorted by."""
    first, second = np.triu_indices(len(owner))
    apart = owner[first] != owner[second]
    first, second = first[apart], second[apart]
    code = owner[first] * (int(owner[-1]) + 1) + owner[second]
    order = np.argsort(code, kind="stable")
    return first[order], second[order], np.unique(code[order], return_inverse=True)[1]


def pair_of(item: int, columns: int) -> tuple[int, int]:
    """The columns of a pair by its number."""
    first, second = np.triu_indices(columns, 1)
    return int(first[item]), int(second[item])


def _of_features(name: str, parts: Sequence[Floats], item: Index, groups: RowGroups) -> FeatureView:
    """A view of features that come in parts; the item of each."""
    order = np.argsort(item, kind="stable")
    item = item[order]
    sums = np.concatenate([groups.sums(part) for part in parts], axis=1)[:, order]
    squares = np.concatenate([np.einsum("ij,ij->j", part, part) for part in parts])[order]
    items = items_of(item, lambda part: groups.scores(sums[:, part]))
    return FeatureView(name, items, item, _effects(sums, squares, groups))


def items_of(item: Index, scores: Callable[[slice], Reals]) -> Reals:
    """``(R, I)`` log of the mean of 1/p over the features of each item; features sorted by item, a slice at a time."""
    starts = np.flatnonzero(np.diff(item, prepend=-1))
    cuts = [0, *(int(starts[i]) for i in np.flatnonzero(np.diff(starts // _CHUNK)) + 1), len(item)]
    found = []
    for start, stop in pairwise(cuts):
        half = np.minimum(0.5 * scores(slice(start, stop)) ** 2, np.float32(_HIGHEST))
        inverse = np.exp(half) * (1 + np.float32(2.5066) * np.sqrt(half / 2))  # about 1/p
        own = starts[(starts >= start) & (starts < stop)]
        counts = np.diff(own, append=stop)
        found.append(np.log(np.add.reduceat(inverse, own - start, axis=1) / counts))
    return np.concatenate(found, axis=1)


def _effects(sums: Reals, squares: Floats, groups: RowGroups) -> Floats:
    """``(F,)`` standardised differences of means, from sums in groups and sums of squares of all rows."""
    m, n = groups.rows
    total = sums.sum(axis=0, dtype=np.float64)
    first = sums[: groups.m].sum(axis=0, dtype=np.float64)
    variance = squares / (m + n) - (total / (m + n)) ** 2
    scale = np.sqrt(np.where(variance > 1e-9 * squares / (m + n), variance, np.inf))
    return np.asarray((first / m - (total - first) / n) / scale)
