"""Options of a comparison, checked: which columns, what difference is small, what rows are beside their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from .._hints import did_you_mean
from .._shown import shown
from ..errors import InputError, OptionError, checked_names, real_number
from ..sources import Kind, Table

MARGIN = 0.05
ALL = "*"  # the name of all columns that have no margin of their own

_KINDS = get_args(Kind)

_NOT_WITH = {
    "design_weights": ({"by"}, "weights of a design stay where they are and rows are not relabelled, nor are groups of "
    "rows. Give `weights` if they belong to the row."),
    "time": (set(), "rows of a series are not relabelled, and have no weights here. Give one of them, or compare one "
    "stratum at a time with `where`."),
}  # fmt: skip
"""Options that go with few other ones: with which, and why."""


@dataclass(frozen=True, eq=False)
class Wanted:
    """Which columns, and what the user says of them."""

    select: tuple[str, ...] | None  # names; None for all
    exclude: tuple[str, ...]
    kinds: Mapping[str, str]  # by name
    where: str | None = None  # the condition that rows met when the tables were opened

    def names(self, tables: Iterable[Table]) -> list[list[str]]:
        """The columns of each table that are wanted; refuses names that no table has."""
        known = [[info.name for info in table.columns] for table in tables]
        for option, names in (("select", self.select or ()), ("exclude", self.exclude), ("kinds", self.kinds)):
            for name in names:
                if not any(name in columns for columns in known):
                    listed = ", ".join(map(repr, known[0][:20]))
                    raise InputError(f"{option}: neither table has a column {name!r}. The first one has {listed}.")
        return [
            [name for name in columns if name not in self.exclude and (self.select is None or name in self.select)]
            for columns in known
        ]


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
