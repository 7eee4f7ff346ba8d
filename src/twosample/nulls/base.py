"""What a null is: a frozen option that asks an observed statistic for what its law under H0 is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.observed import Observed
from ..core.pvalue import Law, ReplicateLaw
from ..errors import InputError, OptionsByName


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
    if not all(_hashable(label) and not unnamed(label) for label in labels):
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


def unnamed(group: Hashable) -> bool:
    """Whether it is None or a NaN of any kind: unlike itself (a part of a tuple may be), or neither like nor unlike."""
    if isinstance(group, tuple):
        return any(part is not None and unnamed(part) for part in group)
    try:
        return group is None or bool(group != group)  # noqa: PLR0124 - NaN is not equal to itself
    except TypeError:  # pandas.NA
        return True
