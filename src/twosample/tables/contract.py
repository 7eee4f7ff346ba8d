"""What a table must look like, written down: a TOML file that is learned from a reference, edited, and checked.

One table ``[columns.NAME]`` for each column, with the keys of :class:`ColumnRules`. Reading refuses what it does not
know and names the key; nothing is evaluated.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, datetime
from math import isnan
from typing import Any

from .._files import at_home, write_whole
from .._hints import did_you_mean
from .._reported import Tabled
from .._shown import shown
from ..errors import InputError, OptionError
from .toml_text import contract_text

KINDS = ("numeric", "integer", "boolean", "datetime", "duration", "categorical", "text", "identifier")
"""What values can be demanded to be."""

Bound = float | date | None  # an end of a range; a datetime is a date, too


@dataclass(frozen=True)
class ColumnRules:
    """What is demanded of one column; None demands nothing.

    Parameters
    ----------
    kind
        What every value must be readable as: "numeric", "integer" (no fractions), "boolean" (0 and 1, true and false),
        "datetime"; "duration", "categorical", "text" and "identifier" take any value.
    required
        Whether the column must be there.
    missing
        The largest share of rows without a value, from 0 to 1.
    min, max
        The range: numbers, or dates. A date as `max` includes that day.
    values
        The values that are allowed, as text.
    other_values
        The share of rows, from 0 to 1, that may have another value all the same.
    unique
        Whether no value may come twice.
    """

    kind: str | None = None
    required: bool = True
    missing: float | None = None
    min: Bound = None
    max: Bound = None
    values: tuple[str, ...] | None = None
    other_values: float = 0.0
    unique: bool = False


@dataclass(frozen=True)
class Contract(Tabled):
    """What a table must look like. Made by :func:`twosample.learn`, or read from a TOML file.

    Parameters
    ----------
    columns
        The rules of each column.
    name
        Where it comes from.
    dates
        Ranges of dates that were learned. They are comments in the text and no rules: the next table holds later dates.

    Examples
    --------
    >>> import twosample as ts
    >>> contract = ts.learn({"city": ["Oslo", "Rome"] * 50, "age": [20, 30, 41, 60] * 25})
    >>> contract.columns["city"].values, contract.columns["age"].max
    (('Oslo', 'Rome'), 64)
    >>> c = ts.compare({"city": ["Oslo"] * 99}, {"city": ["Oslo"] * 98 + ["oslo"]}, contract=contract)
    >>> print(c.violations[0].detail)
    1 row (1.0 %) has another value than 'Oslo', 'Rome', such as 'oslo' in row 98 (counted from 0)
    """

    columns: Mapping[str, ColumnRules]
    name: str = ""
    dates: Mapping[str, tuple[Bound, Bound]] = field(default_factory=dict)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Contract:
        """Read a TOML file.

        Parameters
        ----------
        path
            The file.
        """
        if not isinstance(path, str | os.PathLike):
            raise OptionError(f"contract must be the path of a TOML file or a Contract, not {type(path).__name__}.")
        name = shown(os.fspath(path), 300)
        try:
            text = at_home(os.fspath(path)).read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"The contract {name} cannot be read: {error.strerror}. Check the path.") from None
        except ValueError as error:
            raise InputError(f"The contract {name} is not text in UTF-8: {error}.") from None
        return Contract.from_toml(text, name)

    @staticmethod
    def from_toml(text: str, name: str = "contract") -> Contract:
        """Read the text of such a file.

        Parameters
        ----------
        text
            TOML.
        name
            What to call it in errors.
        """
        try:
            found = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InputError(f"The contract {name} is not TOML: {shown(str(error), 200)}.") from None
        _known(name, "", found, ("version", "columns"))
        if found.get("version", 1) != 1:
            raise InputError(f"The contract {name} has version {found['version']!r}; this program reads version 1.")
        columns = found.get("columns")
        if not isinstance(columns, dict):
            raise InputError(f"The contract {name} has no columns: each has a table such as [columns.price].")
        return Contract({key: _rules(name, key, rules) for key, rules in columns.items()}, name)

    def to_toml(self) -> str:
        """The contract as text, with comments that say how to edit it."""
        return contract_text(self.name, {name: _plain(rules) for name, rules in self.columns.items()}, self.dates)

    def __str__(self) -> str:
        return self.to_toml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a TOML file, whole or not at all.

        Parameters
        ----------
        path
            Where to.
        """
        write_whole(path, self.to_toml())


def contract_of(given: object) -> Contract:
    """From the option `contract` of :func:`compare`."""
    return given if isinstance(given, Contract) else Contract.load(given)  # type: ignore[arg-type]


def _plain(rules: ColumnRules) -> dict[str, Any]:
    """What differs from no rule at all."""
    blank = ColumnRules()
    found = {part.name: getattr(rules, part.name) for part in fields(ColumnRules)}
    return {key: value for key, value in found.items() if value != getattr(blank, key) or key == "required"}


def _known(name: str, where: str, found: Mapping[str, object], keys: tuple[str, ...]) -> None:
    for key in found:
        if key not in keys:
            hint = did_you_mean(key, keys)
            said = f"{where}{shown(key, 60)}"
            raise InputError(f"The contract {name}: there is no key {said!r}.{hint} Keys are {', '.join(keys)}.")


def _rules(name: str, column: str, found: object) -> ColumnRules:
    where = f"columns.{shown(column, 60)}."
    if not isinstance(found, dict):
        raise InputError(f"The contract {name}: {where[:-1]} must be a table of rules, not {_short(found)}.")
    _known(name, where, found, tuple(part.name for part in fields(ColumnRules)))
    checked = {key: _CHECKS[key](f"The contract {name}: {where}{key}", value) for key, value in found.items()}
    rules = ColumnRules(**checked)
    if rules.min is not None and rules.max is not None and rules.kind not in ("categorical", "text"):
        if isinstance(rules.min, date) != isinstance(rules.max, date):
            raise InputError(f"The contract {name}: {where}min and max must both be numbers, or both dates.")
        if seconds(rules.min) > seconds(rules.max):
            raise InputError(f"The contract {name}: {where}min is larger than max.")
    return rules


def seconds(bound: float | date) -> float:
    """The number that a value is compared with: seconds since 1970 of a date; without a time zone it is UTC."""
    if not isinstance(bound, date):
        return float(bound)
    from datetime import UTC

    moment = bound if isinstance(bound, datetime) else datetime(bound.year, bound.month, bound.day)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _short(value: object) -> str:
    return shown(repr(value), 60)


def _kind(where: str, value: object) -> str:
    if isinstance(value, str) and value in KINDS:
        return value
    raise InputError(f"{where} is {_short(value)}; choose one of {', '.join(KINDS)}.{did_you_mean(value, KINDS)}")


def _flag(where: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise InputError(f"{where} must be true or false, not {_short(value)}.")


def _share(where: str, value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    raise InputError(f"{where} must be a share from 0 to 1, not {_short(value)}.")


def _bound(where: str, value: object) -> Bound:
    if isinstance(value, date):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and not isnan(value):
        return value
    raise InputError(f"{where} must be a number or a date, such as 2024-01-31 without quotes, not {_short(value)}.")


def _values(where: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(part, str | int | float | date) for part in value):
        return tuple(map(_text, value))
    raise InputError(f"{where} must be a list of values, such as ['Oslo', 'Rome'], not {_short(value)}.")


def _text(value: str | float | date) -> str:
    """A value as categories are written: 1 and 1.0 are one."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0**53:
        return str(int(value))
    return value if isinstance(value, str) else str(value)


_CHECKS: dict[str, Any] = {
    "kind": _kind, "required": _flag, "missing": _share, "min": _bound, "max": _bound, "values": _values,
    "other_values": _share, "unique": _flag,
}  # fmt: skip
