"""Margins: the effect size that still counts as small, for all columns, for a kind, or for one column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from .._hints import did_you_mean
from ..errors import InputError, OptionError, real_number
from ..sources import Kind

MARGIN = 0.05
ALL = "*"  # the name of all columns that have no margin of their own

_KINDS = get_args(Kind)


@dataclass(frozen=True)
class Margins:
    """Which effect size counts as small where."""

    default: float = MARGIN  # for all columns without a margin of their own
    own: Mapping[str, float] = field(default_factory=dict)  # by name of a column, or by kind; the name comes first

    @classmethod
    def of(cls, margin: object) -> Margins:
        """From the option: a number, or numbers by name of a column or kind.

        >>> Margins.of({"price": 0.02, "*": 0.1}).at("size", "integer")
        0.1
        """
        if not isinstance(margin, Mapping):
            return cls(_checked("margin", margin))
        if not all(isinstance(name, str) for name in margin):
            raise OptionError(f"margin={margin!r} must have names of columns or kinds, such as {{'price': 0.02}}.")
        own = {name: _checked(f"margin[{name!r}]", value) for name, value in margin.items()}
        return cls(own.pop(ALL, MARGIN), own)

    def at(self, name: str, kind: str) -> float:
        """The margin of a column."""
        return self.own.get(name, self.own.get(kind, self.default))

    def check(self, columns: Iterable[str]) -> None:
        """Refuse names that are neither columns nor kinds."""
        known = {*columns, *_KINDS}
        for name in self.own:
            if name not in known:
                hint = did_you_mean(name, known)
                raise InputError(f"margin: neither table has a column {name!r}, and it is no kind.{hint}")


def _checked(name: str, value: object) -> float:
    number = real_number(name, value)
    if not 0 <= number < 1:
        raise OptionError(f"{name}={number!r} is an effect size and must be at least 0 and below 1.")
    return number
