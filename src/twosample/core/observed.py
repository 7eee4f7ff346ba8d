"""What a null distribution may ask of an observed statistic: the null asks, the statistic answers.

Every test hands an :class:`Observed` to its null: MMD of rows, of sketches and of streams, HSIC, a pilot. A statistic
answers the questions that it has an answer to; the others refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from .labellings import Labellings
from .laws import Limit
from .pvalue import Law, ReplicateLaw
from .strata import Strata
from .types import Floats


@dataclass(frozen=True, eq=False)
class OneCovariance:
    """The squared distance of two (weighted) means, as a form in independent normal multipliers of all rows.

    Both samples are taken to have one covariance C: the form has that of the difference of means,
    (1/n_x + 1/n_y) C with effective sizes n, times `worth` without the degrees of freedom that means take.
    """

    value: float  # the squared distance, with its diagonal
    multiplied: Callable[[Floats], Floats]
    """Values of the form, without the diagonal, for ``(N, c)`` standard normal multipliers."""
    diagonal: float  # the mean of what is left out there
    worth: float  # effective rows of both samples together


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
    one_covariance: OneCovariance | None = None  # of two samples whose distributions are one under H0


@dataclass(frozen=True, eq=False)
class Grouped:
    """Sums of a Gram matrix over groups of rows, and whether the statistic counts its diagonal."""

    between: Floats  # (G, G) sums of kernel values
    diagonal: Floats  # (G,) sums of k(z, z)
    biased: bool  # whether the diagonal counts


class Resampler(Protocol):
    """A null distribution that looks at resamples."""

    @property
    def name(self) -> str:
        """Its alias."""

    @property
    def resamples(self) -> int:
        """How many resamples beside the truth it wants to see."""

    def batches(self, m: int, n: int, pairwise: bool, rng: np.random.Generator) -> Iterator[Labellings]:
        """Labellings of m + n rows in batches that fit in memory; the first column of the first is the truth."""

    def floor(self, observed: Observed) -> float:
        """The smallest p-value that all its resamples together could give."""


class Observed:
    """A statistic that was observed, and what it can say about itself under H0."""

    if TYPE_CHECKING:  # attributes or properties, as it suits the statistic

        @property
        def m(self) -> int:
            """Rows of x."""

        @property
        def n(self) -> int:
            """Rows of y."""

        @property
        def value(self) -> float:
            """The statistic."""

        @property
        def tolerance(self) -> float:
            """Absolute rounding error of the value."""

        @property
        def rng(self) -> np.random.Generator:
            """The source of randomness of the test."""

        @property
        def least(self) -> float:
            """The smallest p-value that all relabellings together can give."""

        @property
        def rows(self) -> bool:
            """Whether the rows are at hand, so that they can be relabelled."""

        @property
        def weighted(self) -> bool:
            """Whether rows have weights that move with them."""

        @property
        def terms(self) -> int:
            """Of an average: how many independent terms it has."""

        @property
        def error(self) -> float | None:
            """Of an average: its standard error, if it has two terms or more."""

        @property
        def spread(self) -> float | None:
            """Of MMD: E[k(z,z) - k(z,z')]."""

    else:
        least, rows, weighted, terms, error, spread = 1e-300, True, False, 0, None, None

    def resampled(self, null: Resampler) -> Law:
        """Its law over the resamples of a null."""
        raise self.refused(null.name)

    def replicates(self, squares: Floats, exhaustive: bool, floor: float) -> ReplicateLaw:
        """The law from values of the quadratic form, the truth first, that a null has computed."""
        return ReplicateLaw(squares, self.tolerance, exhaustive, floor)

    def limit(self, null: str) -> Limit:
        """Its limit law."""
        raise self.refused(null)

    def limit_rows(self) -> float:
        """On how many rows of the smaller sample the limit law rests, at least."""
        raise self.refused("auto")

    def in_linear_time(self) -> Observed | None:
        """The same statistic with a limit law that takes linear time, where there is one."""
        return None

    def bound(self, null: str) -> Law:
        """Its large-deviation bound."""
        raise self.refused(null)

    def series(self, null: str) -> Series:
        """Its rows as time series."""
        raise self.refused(null)

    def lag(self, null: str) -> int:
        """The lag at which its series have forgotten themselves."""
        raise self.refused(null)

    def shifted(self, count: int | None, margin: int) -> Floats:
        """Its values for circular shifts of y against x by at least `margin` rows, the truth first."""
        raise self.refused("circular-shift")

    def grouped(self, groups: NDArray[np.intp], count: int) -> Grouped:
        """Sums over `count` groups of rows, of which `groups` are the numbers for every pooled row."""
        raise self.refused("group")

    def stratified(self, strata: Strata, null: Resampler, groups: NDArray[np.intp] | None = None) -> Law:
        """The law of its stratified form over the resamples of a null that relabels within strata.

        With `groups`, the number of the group of every pooled row, `strata` are those of the groups: they are
        relabelled as points with the weighted mean and the weight of their rows.
        """
        raise self.refused(null.name)

    def refused(self, null: str) -> OptionError:
        """The error for a null that asks what this statistic cannot answer."""
        return OptionError(f"null={null!r} asks what is not known of this statistic; use another null.")
