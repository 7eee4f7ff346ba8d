"""A table checked against a contract: which rules are broken, in how many rows, and an example."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from .._numbers import counted, share
from .._shown import few, quoted
from ..sources.values import column_of, columns_of, numbers, strings
from .contract import ColumnRules, Contract, seconds

if TYPE_CHECKING:
    import polars as pl

    from ..sources import Survey

_DAY = 86_400.0
_LISTED = 5  # allowed values that a message names
_FLAGS = ("true", "false", "1", "0")
_NAMED = 3  # violations in a headline


@dataclass(frozen=True)
class Violation:
    """A rule that a table breaks.

    Parameters
    ----------
    column
        The column.
    rule
        The key of the rule: "kind", "required", "missing", "min", "max", "values" or "unique".
    rows
        Rows that break it.
    share
        Their share of all rows that were looked at.
    example
        A value that does, as text; None where there is none. As hostile as the data.
    row
        The number of its row, from 0; None where it is not known.
    detail
        All of it in words.
    """

    column: str
    rule: str
    rows: int
    share: float
    example: str | None
    row: int | None
    detail: str


@dataclass
class _Breaches:
    """Rows that break one rule of one column."""

    column: str
    rule: str
    words: str
    broken: Callable[[pl.Series], pl.Series]
    allowed: float = 0.0
    rows: int = 0
    seen: int = 0
    example: str | None = None
    row: int | None = None

    def add(self, values: pl.Series) -> None:
        """Look at a batch."""
        mask = self.broken(values).fill_null(False)
        found = int(mask.sum())
        if found and self.example is None:
            place = int(mask.arg_max() or 0)
            self.example, self.row = str(strings(values[place : place + 1])[0]), self.seen + place
        self.rows += found
        self.seen += len(values)

    def violation(self, note: str, known: bool) -> Violation | None:
        """What to say, if there is anything."""
        part = self.rows / max(self.seen, 1)
        if not self.rows or part <= self.allowed:
            return None
        row = self.row if known else None
        place = "" if row is None else f" in row {row:,} (counted from 0)"
        such = f", such as {quoted(self.example or '')}{place}"
        said = f"{self.rows:,} row{'s' if self.rows > 1 else ''} ({share(part)}{note})"
        verb = self.words if self.rows > 1 else _singular(self.words)
        limit = f"; {share(self.allowed)} may" if self.allowed else ""
        return Violation(self.column, self.rule, self.rows, part, self.example, row, f"{said} {verb}{such}{limit}")


def _singular(words: str) -> str:
    first, _, rest = words.partition(" ")
    return f"{ {'have': 'has', 'are': 'is', 'cannot': 'cannot'}[first] } {rest}"


def violations(contract: Contract, side: Survey, wanted: Collection[str], numbered: bool) -> tuple[Violation, ...]:
    """The rules of wanted columns that a table breaks, in the order of the contract.

    Rows are `numbered` if they have the numbers that they have in the source: not if a condition has left some out.
    """
    there = {info.name for info in side.table.columns}
    rules = {name: part for name, part in contract.columns.items() if name in wanted or name not in there}
    tallies = {name: _tallies(name, part) for name, part in rules.items() if name in there}
    exact = _count(side, tallies)
    note = "" if exact else " of a sample"
    found: list[Violation] = []
    for name, part in rules.items():
        if name not in there:
            found += [Violation(name, "required", 0, 0.0, None, None, "is not there")] if part.required else []
            continue
        said = [tally.violation(note, exact and numbered) for tally in tallies[name]]
        found += [one for one in said if one is not None]
        found += _of_profile(side, name, part, {one.rule for one in found if one.column == name})
    return tuple(found)


def _count(side: Survey, tallies: Mapping[str, Sequence[_Breaches]]) -> bool:
    """Go through all rows, or through the sample where they cannot be read in order; whether it was all."""
    names = [name for name, part in tallies.items() if part]
    batches: Iterator[pl.DataFrame] | None = iter([side.sample]) if side.whole else side.table.batches(names)
    for batch in iter([side.sample]) if batches is None else batches:
        rows = columns_of(batch, names)
        for name in names:
            values = column_of(rows, name)
            values = values.fill_nan(None) if values.dtype.is_float() else values  # NaN is missing
            for tally in tallies[name]:
                tally.add(values)
    return batches is not None


def _of_profile(side: Survey, name: str, rules: ColumnRules, known: Collection[str]) -> Iterable[Violation]:
    """What the profile of all rows says: missing shares, values that come twice, ranges that a sample did not show."""
    facts = side.profiles[name]
    part = facts.missing / max(facts.rows, 1)
    if rules.missing is not None and part > rules.missing:
        said = f"{facts.missing:,} rows have no value: {share(part)}, and {share(rules.missing)} may"
        yield Violation(name, "missing", facts.missing, part, None, None, said)
    if rules.unique and facts.exact and facts.distinct is not None and facts.distinct < facts.present:
        again = facts.present - facts.distinct
        said = f"{again:,} rows have a value that comes before"
        yield Violation(name, "unique", again, again / facts.rows, None, None, said)
    ends = (("min", rules.min, facts.min, -1), ("max", rules.max, facts.max, 1))
    for rule, bound, end, sign in ends:
        if bound is None or not isinstance(end, float | int) or rule in known:
            continue
        if sign * end > sign * _limit(bound, rule):
            said = f"at least one row is {'below' if sign < 0 else 'above'} {_written(bound)}"
            yield Violation(name, rule, 1, 1 / facts.rows, None, None, said)


def _tallies(name: str, rules: ColumnRules) -> list[_Breaches]:
    """One for each rule that is about single values."""
    dates = rules.kind == "datetime" or isinstance(rules.min, date) or isinstance(rules.max, date)
    result = []
    if rules.kind in _KINDS:
        words, broken = _KINDS[rules.kind]
        result.append(_Breaches(name, "kind", words, broken))
    for rule, bound in (("min", rules.min), ("max", rules.max)):
        if bound is not None:
            what = "below" if rule == "min" else "above"
            broken = _Beyond(_limit(bound, rule), rule == "min", dates)
            result.append(_Breaches(name, rule, f"are {what} {_written(bound)}", broken))
    if rules.values is not None:
        listed = few(rules.values, _LISTED, quoted)
        words = f"have another value than {listed}" if listed else "have a value"
        result.append(_Breaches(name, "values", words, _Other(rules.values), rules.other_values))
    return result


def _limit(bound: float | date, rule: str) -> float:
    """The number that values may not pass; a day as the largest date is allowed to its end."""
    whole_day = rule == "max" and isinstance(bound, date) and not isinstance(bound, datetime)
    return seconds(bound) + (_DAY - 1e-6 if whole_day else 0.0)


def violation_words(found: Sequence[Violation]) -> str:
    """The first violations in a sentence, for a headline; empty if there are none."""
    return few(found, _NAMED, lambda one: f"{quoted(one.column)} {_brief(one)}")


def _brief(one: Violation) -> str:
    return "is not there" if one.rule == "required" else f"breaks {one.rule} in {counted(one.rows, 'row')}"


def _written(bound: float | date) -> str:
    if isinstance(bound, date):
        return bound.isoformat()
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:,.12g}"


@dataclass(frozen=True)
class _Beyond:
    """Whether numbers or dates lie beyond an end."""

    limit: float
    below: bool
    dates: bool

    def __call__(self, values: pl.Series) -> pl.Series:
        found = numbers(values, self.dates)
        return found < self.limit if self.below else found > self.limit


@dataclass(frozen=True)
class _Other:
    """Whether values are none of the allowed ones."""

    allowed: tuple[str, ...]

    def __call__(self, values: pl.Series) -> pl.Series:
        text = strings(values)
        return ~text.is_in(list(self.allowed)) & text.is_not_null()


def _no_number(values: pl.Series) -> pl.Series:
    if values.dtype.is_temporal():
        return values.is_not_null()
    return _there(values) & numbers(values).is_null()


def _no_date(values: pl.Series) -> pl.Series:
    if values.dtype.is_numeric():
        return _there(values)
    return _there(values) & numbers(values, True).is_null()


def _no_whole_number(values: pl.Series) -> pl.Series:
    found = numbers(values)
    return _no_number(values) | (found != found.floor())


def _no_boolean(values: pl.Series) -> pl.Series:
    return _there(values) & ~strings(values).str.to_lowercase().is_in(list(_FLAGS))


def _there(values: pl.Series) -> pl.Series:
    """Whether there is a value; NaN is none."""
    return values.is_not_null() & values.is_not_nan() if values.dtype.is_float() else values.is_not_null()


_KINDS: dict[str | None, tuple[str, Callable[[pl.Series], pl.Series]]] = {
    "numeric": ("have something that is no number", _no_number),
    "integer": ("have something that is no whole number", _no_whole_number),
    "boolean": ("have something else than true or false", _no_boolean),
    "datetime": ("have something that is no date", _no_date),
}
