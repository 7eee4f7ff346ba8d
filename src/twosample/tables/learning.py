"""Rules learned from a reference table: kinds, ranges, allowed values, missing shares; with room for chance."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from math import ceil, floor, isfinite, log10, sqrt
from typing import TYPE_CHECKING

from ..errors import OptionError, checked_kinds, options_by_name, real_number
from ..sources import CategoryCounts, ColumnKind, ColumnProfile, Table, infer_kinds, open_table
from ..sources.kinds import TIMES
from ..sources.summarize import plan
from ..sources.values import column_of, finite, numbers
from .contract import KINDS, Bound, ColumnRules, Contract
from .reading import no_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

SLACK = 0.1
_SAMPLE = 20_000
_ALLOWED = 500  # values that are written down
_SIGMAS = 3.0


@options_by_name
def learn(
    reference: object,
    *,
    slack: float = SLACK,
    kinds: Mapping[str, str] | None = None,
    where: str | None = None,
    rng: int = 0,
) -> Contract:
    """What a reference table looks like, as rules that a new table can be checked by.

    Parameters
    ----------
    reference
        Whatever :func:`compare` takes.
    slack
        By how much of their width ranges are widened at both ends. 0 takes them as they are: every second table
        of the same source will have a larger value somewhere.
    kinds
        What columns mean, where the guess is wrong.
    where
        Keeps the rows for which a condition in SQL holds.
    rng
        Seed of the sample that kinds are guessed from.

    Returns
    -------
    Contract
        ``save(path)`` writes a TOML file that people can edit; ``compare(a, b, contract=...)`` checks it.

    Notes
    -----
    One pass, and another one over categories that the first rows did not show. Of a column with up to 500 categories
    all are allowed, and as many other rows as the categories seen only once suggest (the estimate of Good and Turing),
    three standard deviations up. Missing shares may grow by three standard deviations of chance; a column that has no
    missing value may have none. Ranges of dates are written as comments, as the next table will hold later ones. Rules
    of this sort say nothing about distributions: :func:`compare` does.

    Examples
    --------
    >>> import twosample as ts
    >>> print(ts.learn({"n": [1, 2, 3, 4, 41] * 20}).to_toml().partition("version = 1")[2].strip())
    [columns.n]
    kind = "integer"
    required = true
    missing = 0.0
    min = 0
    max = 45
    """
    if not 0 <= real_number("slack", slack) <= 10:
        raise OptionError(f"slack={slack!r} is a share of the range and must lie between 0 and 10.")
    said = checked_kinds(kinds)
    table = open_table(reference, where=where)
    survey = table.survey(_SAMPLE, rng, partial(plan, said=said))
    if not survey.rows:
        raise no_rows(table.name, where, "learn")
    found = infer_kinds(table, survey.profile, survey.sample, said)
    listed = [kind.name for kind in found if kind.base == "categorical"]
    counts = dict(survey.counts)
    asked = [name for name in listed if name not in counts]
    counts |= table.category_counts(asked) if asked else {}
    rules = {
        kind.name: _rules(table, kind, survey.profiles[kind.name], survey.sample, counts.get(kind.name), slack)
        for kind in found
    }
    dates = {name: (rule.min, rule.max) for name, rule in rules.items() if isinstance(rule.min, date)}
    return Contract(
        {name: replace(rule, min=None, max=None) if name in dates else rule for name, rule in rules.items()},
        table.name,
        dates,
    )


def _rules(
    table: Table,
    kind: ColumnKind,
    profile: ColumnProfile,
    sample: pl.DataFrame,
    counts: CategoryCounts | None,
    slack: float,
) -> ColumnRules:
    base = kind.base if kind.base in KINDS else None
    low, high = _range(table, kind, profile, sample, slack)
    values, other = (None, 0.0) if base != "categorical" or counts is None else _allowed(counts)
    alone = profile.distinct == profile.present and profile.exact
    return ColumnRules(
        base, True, _missing(profile), low, high, values, other, base == "identifier" and profile.present > 0 and alone
    )


def _missing(profile: ColumnProfile) -> float:
    """The share that may be missing: none if nothing is, else three standard deviations of chance more, rounded up."""
    share = profile.missing / profile.rows
    return _rounded_up(share + _SIGMAS * sqrt(2 * share * (1 - share) / profile.rows)) if profile.missing else 0.0


def _rounded_up(share: float) -> float:
    """To two digits."""
    step = 10.0 ** (floor(log10(share)) - 1) if 0 < share < 1 else 1.0
    return min(1.0, round(ceil(share / step) * step, 12))


def _allowed(counts: CategoryCounts) -> tuple[tuple[str, ...] | None, float]:
    """The categories, and the share of rows that may have others: what those seen once suggest."""
    if counts.rest or len(counts.values) > _ALLOWED or not counts.present:
        return None, 0.0
    once = sum(rows == 1 for _, rows in counts.values)
    other = _rounded_up((once + _SIGMAS * sqrt(once)) / counts.present) if once else 0.0
    return tuple(sorted(value for value, _ in counts.values)), other


def _range(
    table: Table, kind: ColumnKind, profile: ColumnProfile, sample: pl.DataFrame, slack: float
) -> tuple[Bound, Bound]:
    """The least and the largest value that are allowed; none where there are infinite values."""
    if kind.base not in ("numeric", "integer", "datetime") or profile.infinite:
        return None, None
    low, high = profile.min, profile.max
    if kind.from_text:  # the profile has the order of texts
        values = finite(numbers(column_of(sample, kind.name), kind.base in TIMES))
        whole = len(sample) == profile.rows and len(values)
        low, high = (float(values.min()), float(values.max())) if whole else (None, None)
    if not isinstance(low, float | int) or not isinstance(high, float | int):
        return None, None
    family = next(info.family for info in table.columns if info.name == kind.name)
    if kind.base == "datetime":
        return (_day(low), _day(high)) if family in ("date", "text", "category") else (None, None)
    return _widened(float(low), float(high), slack, kind.base == "integer")


def _widened(low: float, high: float, slack: float, whole: bool) -> tuple[Bound, Bound]:
    """A range with room at both ends, in few digits; what is never negative, or never positive, stays so."""
    wide = slack * (high - low)
    if not isfinite(wide) or not isfinite(high + wide) or not isfinite(low - wide):
        return low, high
    bottom = max(low - wide, 0.0) if low >= 0 else low - wide
    top = min(high + wide, 0.0) if high <= 0 else high + wide
    if whole:
        return ceil(bottom), floor(top)
    step = 10.0 ** (floor(log10(wide)) - 1) if wide > 0 else 0.0
    if not 1e-300 < step < 1e300 or max(abs(bottom), abs(top)) / step > 1e300:
        return bottom, top
    return _tidy(floor(bottom / step) * step), _tidy(ceil(top / step) * step)


def _tidy(value: float) -> float:
    return float(f"{value:.12g}")


def _day(seconds: float) -> date | None:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).date()
    except OverflowError:
        return None
