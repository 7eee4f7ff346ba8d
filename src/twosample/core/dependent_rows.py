"""What a statistic of rows that depend on each other answers to a null: series in time, and groups of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .types import Floats


@dataclass(frozen=True, eq=False)
class Series:
    """A quadratic statistic of rows in the order of time, whose rows can be given weights instead of labels."""

    sizes: tuple[int, ...]  # rows of each series
    shares: Floats  # (len(sizes),) what the variance of each series is divided by, up to a factor
    value: float  # the observed value of the quadratic form
    weighted: Callable[[Floats], Floats]
    """Values of the form, without the diagonal, for ``(N, c)`` weights of the rows of all series."""
    diagonal: Floats  # (len(sizes),) what the diagonal would add for weights of 1
    left_out: float  # how much of that the statistic leaves out
    memory: Callable[[], float]  # gives the correlation of neighbours, seen through the kernel


@dataclass(frozen=True, eq=False)
class Grouped:
    """Sums of a Gram matrix over groups of rows, and whether the statistic counts its diagonal."""

    between: Floats  # (G, G) sums of kernel values
    diagonal: Floats  # (G,) sums of k(z, z)
    biased: bool  # whether the diagonal counts
