"""Strata: rows of both samples that are alike in something that is not to be compared, such as the day of the week."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .types import Floats

_ALONE = 1e-9  # of the square of a weight: what pairs have at least if there are any


@dataclass(frozen=True, eq=False)
class Strata:
    """The stratum of every pooled row."""

    of_row: NDArray[np.intp]  # (N,) number of the stratum; the first m rows are x
    m: int  # rows of x
    names: tuple[Hashable, ...]  # what each stratum is called, by its number

    @classmethod
    def of(cls, x: Sequence[Hashable], y: Sequence[Hashable]) -> Strata:
        """From the stratum of every row of x and of y, in order of appearance."""
        number: dict[Hashable, int] = {}
        of_row = np.array([number.setdefault(name, len(number)) for name in (*x, *y)], dtype=np.intp)
        return cls(of_row, len(x), tuple(number))

    @classmethod
    def one(cls, m: int, n: int) -> Strata:
        """All rows in one stratum."""
        return cls(np.zeros(m + n, dtype=np.intp), m, ("",))

    def part(self, kept: NDArray[np.bool_] | NDArray[np.intp]) -> Strata:
        """The strata of some rows, by a mask or by ascending numbers."""
        rows = np.flatnonzero(kept) if kept.dtype == bool else kept
        present, of_row = np.unique(self.of_row[rows], return_inverse=True)
        names = tuple(self.names[i] for i in present.tolist())
        return Strata(of_row.astype(np.intp), int(np.searchsorted(rows, self.m)), names)

    @cached_property
    def x(self) -> Floats:
        """``(S,)`` rows of x in each stratum."""
        return np.bincount(self.of_row[: self.m], minlength=len(self.names)).astype(np.float64)

    @cached_property
    def y(self) -> Floats:
        """``(S,)`` rows of y in each stratum."""
        return np.bincount(self.of_row[self.m :], minlength=len(self.names)).astype(np.float64)

    @cached_property
    def compared(self) -> NDArray[np.intp]:
        """Numbers of the strata that have rows of both samples."""
        return np.flatnonzero((self.x > 0) & (self.y > 0))

    @cached_property
    def sizes(self) -> Floats:
        r"""``(S,)`` :math:`h_s = m_s n_s / (m_s + n_s)`, the size of a stratum in both; 0 where only one has rows."""
        return self.x * self.y / (self.x + self.y)

    @cached_property
    def shares(self) -> Floats:
        """``(N,)`` the share of x in the stratum of each row: the mean of its label over relabellings."""
        return np.asarray((self.x / (self.x + self.y))[self.of_row])

    @cached_property
    def rows(self) -> list[NDArray[np.intp]]:
        """The rows of each stratum, those of x first."""
        order = np.argsort(self.of_row, kind="stable")
        return np.split(order, np.cumsum((self.x + self.y).astype(int))[:-1])

    def floor(self) -> float:
        """One over the number of labellings, twice that if all of x and y may change places."""
        sizes = zip(self.x.tolist(), self.y.tolist(), strict=True)
        logarithm = sum(lgamma(x + 1) + lgamma(y + 1) - lgamma(x + y + 1) for x, y in sizes)
        balanced = bool((self.x == self.y)[self.compared].all())
        return exp(max(logarithm, -690.0)) * (2 if balanced else 1)


def own_square(q: Floats, dx: Floats, trace: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats) -> Floats:
    r"""Estimates of MMD² in a stratum, from the kernel seen from the (weighted) mean of its rows.

    There :math:`q = \sum_{x,x'} ww'k = \sum_{y,y'} ww'k = -\sum_{x,y} ww'k`, `dx` is the diagonal of x and `trace` that
    of all rows, each times the square of its weight; `x` and `y` are sums of weights, `xx` and `yy` those of their
    squares. A sample of one row has no pairs: those of the pool stand for them. 0 where a sample has no weight.
    """
    every = (x + y) ** 2 - xx - yy
    alone = -trace / np.where(every > _ALONE * (x + y) ** 2, every, np.inf)
    parts = []
    for total, squares, own in ((x, xx, dx), (y, yy, trace - dx)):
        pairs = total**2 - squares
        known = pairs > _ALONE * total**2
        parts.append(np.where(known, (q - own) / np.where(known, pairs, 1.0), alone))
    both = x * y > 0
    return np.where(both, parts[0] + 2 * q / np.where(both, x * y, 1.0) + parts[1], 0.0)


def row_labels(owner: str, option: str, given: object, what: str) -> tuple[Hashable, ...]:
    """The stratum or group of every row; rows of a matrix are tuples."""
    labels: tuple[Hashable, ...]
    try:
        if hasattr(given, "to_numpy"):
            given = given.to_numpy()
        if isinstance(given, np.ndarray):
            given = [tuple(row) if isinstance(row, list) else row for row in given.tolist()] if given.ndim else None
        labels = () if isinstance(given, str | bytes) else tuple(given)  # type: ignore[arg-type]
    except Exception:  # noqa: BLE001 - whatever a foreign object says when it is asked for its items
        labels = ()
    if not labels:
        raise InputError(f"{owner}: {option} must be a list with the {what} of every row.")
    if not all(_hashable(label) and not _unnamed(label) for label in labels):
        raise InputError(
            f"{owner}: {option} must name the {what} of every row; None, NaN and lists do not. If missing is a {what}, "
            "give it a name, such as '(missing)'."
        )
    return labels


def _hashable(label: object) -> bool:
    """A tuple may hold a list, and is not then."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def kept_labels(labels: Iterable[Hashable], which: NDArray[np.bool_]) -> tuple[Hashable, ...]:
    """Those of the rows that are left."""
    return tuple(label for label, left in zip(labels, which.tolist(), strict=True) if left)


def _unnamed(group: Hashable) -> bool:
    """Whether it is None or a NaN of any kind: unlike itself (a part of a tuple may be), or neither like nor unlike."""
    if isinstance(group, tuple):
        return any(part is not None and _unnamed(part) for part in group)
    try:
        return group is None or bool(group != group)  # noqa: PLR0124 - NaN is not equal to itself
    except TypeError:  # pandas.NA
        return True
