"""p-values of many tests made together: Holm for any error at all, Benjamini and Hochberg for the share of errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .types import Floats

__all__ = ["benjamini_hochberg", "holm"]


def holm(pvalues: ArrayLike) -> Floats:
    r"""Adjusted p-values that bound the chance of even one false rejection, whatever the dependence (Holm 1979).

    With the p-values in increasing order, :math:`\tilde p_{(i)} = \max_{j\le i}\min(1, (c-j+1)\,p_{(j)})` for c tests.
    Reject where the adjusted value is at most the level. Never less powerful than Bonferroni's. In the order given.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = _checked(pvalues)
    order = np.argsort(p, kind="stable")
    return _back(order, np.maximum.accumulate(np.arange(len(p), 0, -1) * p[order]))


def benjamini_hochberg(pvalues: ArrayLike) -> Floats:
    r"""Adjusted p-values that bound the expected share of false rejections among all (Benjamini and Hochberg 1995).

    With the p-values in increasing order, :math:`\tilde p_{(i)} = \min_{j\ge i}\min(1, c\,p_{(j)}/j)` for c tests. For
    tests that are independent or positively dependent. In the order given.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03])
    array([0.03, 0.04, 0.04])
    """
    p = _checked(pvalues)
    order = np.argsort(p, kind="stable")
    scaled = len(p) / np.arange(1, len(p) + 1) * p[order]
    return _back(order, np.minimum.accumulate(scaled[::-1])[::-1])


def _checked(pvalues: ArrayLike) -> Floats:
    p = np.asarray(pvalues, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"pvalues has shape {p.shape}; give one list of p-values.")
    wrong = ~((p >= 0) & (p <= 1))
    if wrong.any():
        raise InputError(f"pvalues has {int(wrong.sum())} value(s) outside 0 to 1, the first {p[wrong][0]!r}.")
    return p


def _back(order: np.ndarray[tuple[int], np.dtype[np.intp]], adjusted: Floats) -> Floats:
    """Adjusted p-values, at most 1, in the order in which the p-values came."""
    result = np.empty_like(adjusted)
    result[order] = np.minimum(adjusted, 1.0)
    return result
