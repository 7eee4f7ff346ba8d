"""The options by which rows are more than their values: columns of strata, weights, groups or times, not compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._shown import shown
from ..errors import InputError, OptionError, checked_names
from ..sources import Table

_NOT_WITH = {
    "design_weights": ({"by"}, "weights of a design stay where they are and rows are not relabelled, nor are groups of "
    "rows. Give `weights` if they belong to the row."),
    "time": (set(), "rows of a series are not relabelled, and have no weights here. Give one of them, or compare one "
    "stratum at a time with `where`."),
}  # fmt: skip
"""Options that go with few other ones: with which, and why."""


@dataclass(frozen=True)
class Conditions:
    """The options: any of `by`, `weights` and `groups`, or one of the others."""

    by: tuple[str, ...] = ()  # columns whose values are strata
    weights: str | None = None
    groups: str | None = None
    design_weights: str | None = None
    time: str | None = None
    """The column of weights that belong to the row, of groups of rows, of weights of a design, of times."""
    called: str = "groups"  # the option for groups of rows, where samples are called groups: "group"

    @classmethod
    def of(cls, by: object, called: str = "groups", **single: object) -> Conditions:
        """Check what was given; conditions that were checked before are as they are."""
        if isinstance(by, cls):
            return by
        names = (by,) if isinstance(by, str) else checked_names("by", by) or ()
        for option, name in single.items():
            if name is not None and not isinstance(name, str):
                said = called if option == "groups" else option
                raise OptionError(f"{said}={shown(repr(name), 60)} must be the name of a column.")
        found = cls(names, called=called, **single)  # type: ignore[arg-type]
        for option, (goes, reason) in _NOT_WITH.items():
            others = [name for name in found.given if name != option and name not in goes]
            if option in found.given and others:
                raise OptionError(f"{option}= and {others[0]}= together are not supported: {reason}")
        if len(set(found.names)) < len(found.names):
            twice = ", ".join(map(repr, found.names))
            raise OptionError(f"`by`, `weights` or `{called}` name a column twice: {twice}.")
        return found

    @property
    def given(self) -> dict[str, tuple[str, ...]]:
        """The options that were given, with their columns."""
        single = {
            "weights": self.weights, self.called: self.groups, "design_weights": self.design_weights, "time": self.time,
        }  # fmt: skip
        found: dict[str, tuple[str, ...]] = {"by": self.by} if self.by else {}
        return found | {option: (name,) for option, name in single.items() if name is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, which are not compared."""
        return tuple(name for names in self.given.values() for name in names)

    def check(self, tables: Sequence[Table], select: Sequence[str] | None) -> None:
        """Refuse columns that a table does not have, or that are to be compared."""
        for option, names in self.given.items():
            for name in names:
                for table in tables:
                    if name not in {info.name for info in table.columns}:
                        known = ", ".join(repr(info.name) for info in table.columns[:20])
                        raise InputError(f"{option}: {table.name} has no column {name!r}. It has {known}.")
                if select is not None and name in select:
                    raise OptionError(f"select: column {name!r} cannot be compared and stand in `{option}` as well.")
