"""What a statistic of rows that depend on each other answers to a null: series in time, and groups of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .types import Floats


@dataclass(frozen=True, eq=False)
class Series:
    """A quadratic statistic of rows in the order of time, whose rows can be given weights instead of labels.

    Parameters
    ----------
    sizes
        Rows of each series.
    shares
        ``(len(sizes),)`` what the variance of each series is divided by, up to a factor.
    value
        The observed value of the quadratic form.
    weighted
        Values of the form, without the diagonal, for ``(N, c)`` weights of the rows of all series.
    diagonal
        ``(len(sizes),)`` what the diagonal would add for weights of 1.
    left_out
        How much of that the statistic leaves out.
    memory
        Gives the correlation of neighbours, seen through the kernel.
    """

    sizes: tuple[int, ...]
    shares: Floats
    value: float
    weighted: Callable[[Floats], Floats]
    diagonal: Floats
    left_out: float
    memory: Callable[[], float]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Sums of a Gram matrix over groups of rows, and whether the statistic counts its diagonal.

    Parameters
    ----------
    between
        ``(G, G)`` sums of kernel values.
    diagonal
        ``(G,)`` sums of k(z, z).
    biased
        Whether the diagonal counts.
    """

    between: Floats
    diagonal: Floats
    biased: bool
