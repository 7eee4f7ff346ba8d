"""What a null is: a frozen option that asks an observed statistic for what its law under H0 is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.observed import Observed
from ..core.pvalue import Law, ReplicateLaw
from ..errors import OptionsByName


class Outcome(NamedTuple):
    """What a null says of a statistic: its value and law, which null it came to be, and what to tell about it.

    `observed` is the statistic that was asked in the end, of whose notes and engine the result tells.
    """

    observed: Observed
    value: float
    law: Law
    null: Null
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Null(OptionsByName, ABC):
    """A way to know the law of the statistic under H0."""

    name: ClassVar[str]
    """The alias."""

    statistics: ClassVar[frozenset[str]]
    """Aliases of the statistics that it knows the law of; 'hsic' for those of independence."""

    asks: ClassVar[str] = "nothing"
    """What it asks a statistic for: 'resamples', 'moments', 'eigenvalues', 'bound', 'error' or 'nothing'."""

    relabels: ClassVar[bool] = False
    """Whether it is exact because labels are exchangeable, so that kernels must not depend on them."""

    independent_rows: ClassVar[bool] = True
    """Whether it takes rows to be independent of each other."""

    needs: ClassVar[str] = ""
    """How to make one, where the alias alone does not say enough."""

    def kept(self, which: NDArray[np.bool_], m: int) -> Null:
        """The same for the pooled rows that are left, of which the first m were x; most nulls know of no rows."""
        del which, m
        return self

    @property
    def resamples(self) -> int:
        """How many resamples beside the truth it wants to see."""
        return 0

    def expected(self, rows: int, quick: bool) -> Null:
        """What it will come to be for so many pooled rows; `quick`: whether a limit law takes linear time."""
        del rows, quick
        return self

    @abstractmethod
    def law(self, observed: Observed) -> Law:
        """The law of the statistic under H0."""

    def notes(self, observed: Observed, law: Law) -> tuple[str, ...]:
        """What the user should know about this null here."""
        del observed, law
        return ()

    def judged(self, observed: Observed) -> Outcome:
        """Value, law and notes; most nulls stay as they are."""
        law = self.law(observed)
        value = float(law.values[0]) if isinstance(law, ReplicateLaw) else observed.value
        return Outcome(observed, value, law, self, self.notes(observed, law))


@dataclass(frozen=True)
class Stated(Null):
    """A law that theory states; the test that knows it puts it in."""

    known: Law = field(repr=False)
    statistics: ClassVar[frozenset[str]] = frozenset()

    def law(self, observed: Observed) -> Law:
        del observed
        return self.known
