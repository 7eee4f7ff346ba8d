"""Kinds of columns: each turns a column of values into coordinates whose squared distances have unit size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..core.signs import CODE_BITS, sign_codes
from ..core.types import Floats
from ..errors import InputError, OptionError, positive_number, real_number, whole_number
from ..kernels import ExplicitFeatures, Kernel, ObjectKernel
from ..kernels.bandwidth import distance_quantiles
from ._texts import CodePoints, hashed_counts
from .levels import Mask, Numbers, coded, floats, missing_mask

Values = Sequence[Any] | NDArray[Any]

_MOST_STEPS = 100


class Comparer(ABC):
    """How the values of one column are compared; immutable."""

    def fitted(self, values: Values, missing: Mask) -> Self:
        """The kind with everything filled in that it leaves to the (pooled) column."""
        del values, missing
        return self

    @abstractmethod
    def rows(self, values: Values, missing: Mask) -> Floats:
        """``(N, c)`` coordinates; the squared distance of two rows is the kind's squared distance of two values."""


def side_by_side(parts: Sequence[Floats]) -> Floats:
    """``(N, d)`` the coordinates of several columns, without those that are the same for all; one of each at least."""
    return np.concatenate([_varying(part) for part in parts], axis=1)


def _varying(rows: Floats) -> Floats:
    varies = (rows != rows[0]).any(axis=0)
    varies[0] |= not varies.any()
    return rows[:, varies]


@dataclass(frozen=True)
class Number(Comparer):
    r"""A column of numbers: squared distance :math:`(a-b)^2/s^2`.

    A missing value lies at the centre of the column, one unit away in a direction of its own: at squared distance
    :math:`1 + (a-c)^2/s^2` from the value a, and at 0 from another missing one.

    Parameters
    ----------
    scale
        s. None: the median of the pooled distances, of the nonzero ones if most are 0.
    centre
        c. None: the median of the pooled values.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Record({"age": ts.Number(scale=10.0)}, ts.Gaussian(1.0)).block([{"age": 30}], [{"age": 40}]).round(3)
    array([[0.607]])
    """

    scale: float | None = None
    centre: float | None = None

    def __post_init__(self) -> None:
        if self.scale is not None:
            positive_number("scale", self.scale)
        if self.centre is not None:
            real_number("centre", self.centre)

    def fitted(self, values: Values, missing: Mask) -> Self:
        if self.scale is not None and self.centre is not None:
            return self
        present = floats(values, missing)[~missing]
        scale, centre = self.scale, self.centre
        if scale is None:
            rng = np.random.default_rng(0)  # for the bandwidth rule of more than 100,000 values
            half = np.array([0.5])
            scale = float(distance_quantiles(present[:, None], "euclidean", half, rng)[0]) if present.size else 1.0
        if centre is None:
            centre = float(np.median(present)) if present.size else 0.0
        return replace(self, scale=scale, centre=centre)

    def rows(self, values: Values, missing: Mask) -> Floats:
        if self.scale is None or self.centre is None:
            return self.fitted(values, missing).rows(values, missing)
        numbers = floats(values, missing)
        numbers[missing] = self.centre
        return np.stack([(numbers - self.centre) / self.scale, missing.astype(np.float64)], axis=1)


@dataclass(frozen=True)
class Text(Comparer):
    r"""A column of strings by the letters they share: squared distance 1 - cos of their k-mer counts.

    The counts are hashed to `width` coordinates, which keeps the cosine up to an error of about 1/√width. A missing
    value is at squared distance 1 from every string.

    Parameters
    ----------
    k
        Letters of a k-mer; a shorter string has none and is at squared distance 1/2 from others.
    width
        The number of coordinates.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Record({"note": ts.Text()}, ts.Gaussian(1.0)).block([{"note": "abcd"}], [{"note": "wxyz"}]).round(1)
    array([[0.6]])
    """

    k: int = 3
    width: int = 128

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number("k", self.k))
        object.__setattr__(self, "width", whole_number("width", self.width))

    def rows(self, values: Values, missing: Mask) -> Floats:
        texts = ["" if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]
        counts = hashed_counts(CodePoints.of(texts, None), self.k, self.width)
        norms = np.sqrt(np.einsum("ij,ij->i", counts, counts))
        counts /= np.where(norms > 0, norms, 1.0)[:, None]
        return np.asarray(np.concatenate([counts, missing[:, None]], axis=1) * np.sqrt(0.5))


@dataclass(frozen=True)
class Categories(ObjectKernel, Comparer):
    r"""The delta kernel on categories: 1 if two values are equal and 0 if not; missing is a category of its own.

    MMD² with it is :math:`\sum_c (p_c - q_c)^2` over the categories, so every difference of two distributions over
    categories shows. As a column of a :class:`Record` two different values are at squared distance 1.

    Notes
    -----
    Values may be anything hashable; equal is what Python calls equal, so 1, 1.0 and True are one category. None
    and NaN are missing. Linear cost, by explicit features. As a column of a record up to 64 categories are exact;
    beyond, each is a hash of 64 signs, and the squared distance of two different ones is 1 ± 0.125.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Categories().block(["red", None], ["red", "blue", None])
    array([[1., 0., 0.],
           [0., 0., 1.]])
    """

    bounds = (0.0, 1.0)

    def on(self, objects: Sequence[Any]) -> Kernel:
        codes, levels = coded(objects, missing_mask(objects))
        return ExplicitFeatures(self, _one_hot(np.where(codes < 0, len(levels), codes), len(levels) + 1))

    def rows(self, values: Values, missing: Mask) -> Floats:
        codes, levels = coded(values, missing)
        levels = [*levels, None] if missing.any() else levels
        codes = np.where(codes < 0, len(levels) - 1, codes)
        if len(levels) <= CODE_BITS:
            table = np.eye(len(levels)) * np.sqrt(0.5)
        else:
            table = sign_codes(levels) / np.sqrt(2 * CODE_BITS)
        return np.asarray(table[codes])


@dataclass(frozen=True)
class Ordinal(ObjectKernel, Comparer):
    r"""Ordered categories: :math:`k(a,b) = 1 - |r_a - r_b| / (L-1)` for ranks r = 0, ..., L-1.

    Positive definite: an inner product of one coordinate for each step between neighbours, which says on which side of
    the step a value lies. MMD² with it is proportional to :math:`\sum_r (F_r - G_r)^2` for the distribution functions
    F and G, the Cramér distance, so every difference shows, and those that move much mass far show most. As a
    column of a :class:`Record` the squared distance is :math:`|r_a - r_b| / (L-1)`.

    Parameters
    ----------
    order
        The levels from lowest to highest. None: the numbers that occur, in their order.

    Notes
    -----
    Missing (None, NaN) is a level of its own: 1 with itself, 0 with all others; in a record it is one unit away from
    the middle level. At most 100 levels. Linear cost, by explicit features. If the distances between the levels mean
    something, use numbers.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.Ordinal(["low", "middle", "high"]).block(["low"], ["low", "middle", "high"]).round(3)
    array([[1. , 0.5, 0. ]])
    """

    order: Sequence[Hashable] | None = None
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        if self.order is None:
            return
        if isinstance(self.order, str) or not isinstance(self.order, Sequence):
            raise OptionError(f"order={self.order!r} must be a list of the levels, from lowest to highest.")
        if not all(isinstance(level, Hashable) for level in self.order):
            raise OptionError(f"order={self.order!r} must list levels that are hashable, such as strings or numbers.")
        if len(set(self.order)) < len(self.order) or not 0 < len(self.order) <= _MOST_STEPS:
            raise OptionError(f"order must list 1 to {_MOST_STEPS} different levels; it lists {len(self.order)}.")
        object.__setattr__(self, "order", tuple(self.order))

    def fitted(self, values: Values, missing: Mask) -> Self:
        if self.order is not None:
            return self
        levels = np.unique(floats(values, missing)[~missing])
        if len(levels) > _MOST_STEPS:
            raise InputError(f"Ordinal: {len(levels)} different values; beyond {_MOST_STEPS} treat them as numbers.")
        return replace(self, order=tuple(levels.tolist()) or (0.0,))

    def on(self, objects: Sequence[Any]) -> Kernel:
        from scipy.sparse import csr_array

        missing = missing_mask(objects)
        kind = self.fitted(objects, missing)
        steps = kind._steps(objects, missing) - 0.5  # (N, L-1): -1/2 or 1/2 for each step
        present = ~missing[:, None]
        width = max(steps.shape[1], 1)
        constant = np.sqrt(0.5 if steps.shape[1] else 1.0)
        parts = [steps * present * np.sqrt(2 / width), constant * present, missing[:, None]]
        return ExplicitFeatures(kind, csr_array(np.concatenate(parts, axis=1)))

    def rows(self, values: Values, missing: Mask) -> Floats:
        kind = self.fitted(values, missing)
        steps = kind._steps(values, missing)
        return np.concatenate([steps / np.sqrt(max(steps.shape[1], 1)), missing[:, None]], axis=1)

    def _steps(self, values: Values, missing: Mask) -> Floats:
        """``(N, L-1)``: 1 for each step between levels that lies below the value; missing is the middle level."""
        assert self.order is not None
        ranks = self._ranks(values, missing)
        return (ranks[:, None] > np.arange(len(self.order) - 1)).astype(np.float64)

    def _ranks(self, values: Values, missing: Mask) -> Numbers:
        assert self.order is not None
        codes, levels = coded(values, missing)
        ranks = {level: rank for rank, level in enumerate(self.order)}
        unknown = [code for code, level in enumerate(levels) if level not in ranks]
        if unknown:
            first = int(np.argmax(codes == unknown[0]))
            raise InputError(f"Value {first} (counted from 0) is {levels[unknown[0]]!r}, which is not in the order.")
        table = np.array([*(ranks[level] for level in levels), (len(self.order) - 1) // 2], dtype=np.intp)
        return np.asarray(table[codes])  # -1, missing, is the last entry


def _one_hot(codes: Numbers, width: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((np.ones(len(codes)), codes, np.arange(len(codes) + 1)), shape=(len(codes), width))
