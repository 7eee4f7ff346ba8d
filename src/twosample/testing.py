"""For test suites: assertions about data."""

from __future__ import annotations

from typing import Any

from .tables import Comparison, compare

__all__ = ["assert_same_distribution"]


def assert_same_distribution(a: object, b: object, *, strict: bool = False, **options: Any) -> Comparison:
    """Raise AssertionError if two tables are found to come from different distributions.

    Parameters
    ----------
    a, b
        Tables as for :func:`twosample.compare`.
    strict
        Whether only tables pass that are shown to be the same: "small difference" and "no difference found" fail too.
    **options
        Options of :func:`twosample.compare`: `level`, `margin`, `select`, `exclude`, `kinds`, `where`, `sample`,
        `schema`, `columns_may_be_lost`, `rng`.

    Returns
    -------
    Comparison
        What was found, for further assertions.

    Notes
    -----
    Without `strict` a suite with data from one source fails with probability `level` at most, for each call and each
    new pair of data sets; the same data always give the same answer.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(2, 4000, 2))
    >>> ts.testing.assert_same_distribution(x[0], x[1], strict=True).verdict
    'same'
    >>> ts.testing.assert_same_distribution(x[0], x[1] + 1)
    Traceback (most recent call last):
    AssertionError: Different: 2 of 2 columns; most: ...
    """
    __tracebackhide__ = True  # pytest shows the line that called this
    found = compare(a, b, **options)
    if found.verdict == "different" or (strict and found.verdict != "same"):
        raise AssertionError(found.summary())
    return found
