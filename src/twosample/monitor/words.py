"""A watch in words and plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._numbers import is_p, pvalue
from .._shown import shown
from .batches import to_text
from .learning import LEAST
from .results import WatchedColumn

if TYPE_CHECKING:
    from .batches import StrataRule
    from .standing import Standing


def guarantee(level: float, strata: StrataRule) -> str:
    """What is promised, and on which condition."""
    often, first = f"{1 / level:,.0f}", f"{0.5 / level:,.0f}"
    kind = "batches" if strata is None else "batches of one stratum"
    return (
        f"If {kind} are exchangeable (no seasons, no trend), there is at most one false alarm in {often} batches, and "
        f"the first comes after {first} batches or more, on average. Rows inside a batch may depend on each other."
    )


def headline(monitor: Standing) -> str:
    """The state in a sentence."""
    history = monitor._history
    if not history.looks:
        waiting = "still learning" if monitor.learning else "ready"
        return f"{waiting}: {len(history.batches)} batches in the reference, none after it"
    last = history.looks[-1]
    if monitor.alarm:
        return f"alarm at {shown(last.batch, 80)}: " + "; ".join(shown(reason, 300) for reason in last.reasons)
    if history.accepted and last.number <= history.accepted[-1][0]:
        return f"the change was accepted: the reference begins with {shown(history.accepted[-1][1], 80)}"
    if last.status == "learning":
        return f"still learning: {len(history.tested)} batches to compare with, of {LEAST + 1} that are needed"
    return f"quiet at {shown(last.batch, 80)}" + _alarms_before(monitor)


def _alarms_before(monitor: Standing) -> str:
    """The alarms that nobody has accepted and that the last look does not repeat: they must not go unread."""
    accepted = monitor._history.accepted
    settled = accepted[-1][0] if accepted else 0
    alarms = [look for look in monitor.looks if look.alarm and look.number > settled]
    if not alarms:
        return ""
    count = f"{len(alarms):,} alarm{'s' if len(alarms) > 1 else ''}"
    reasons = "; ".join(shown(reason, 300) for reason in alarms[-1].reasons)
    return f", after {count}, the last at {shown(alarms[-1].batch, 80)}: {reasons}"


def column_text(column: WatchedColumn) -> str:
    """A column in a line."""
    size = ""
    if column.effect is not None:
        size = f", effect {column.effect:.3f} ({column.effect_low:.3f} to {column.effect_high:.3f})"
    said = f"; {column.where[0]}" if column.where else ""
    return f"{shown(column.name, 40)}: adjusted {is_p(pvalue(column.adjusted_pvalue))}{size}{shown(said, 200)}"


def summary(monitor: Standing) -> str:
    """Headline, the columns that differ most, notes, and what is promised."""
    lines = [headline(monitor)]
    lines += [f"  {column_text(column)}" for column in monitor.columns[:8]]
    if monitor.looks:
        lines += [f"  note: {shown(note, 300)}" for note in monitor.looks[-1].notes]
    lines += [f"  note: {shown(note, 300)}" for note in monitor.notes]
    return "\n".join([*lines, monitor.guarantee])


def as_dict(monitor: Standing) -> dict[str, Any]:
    """The state and all looks as plain values."""
    history = monitor._history
    return {
        "schema": 1,
        "alarm": monitor.alarm,
        "learning": monitor.learning,
        "pvalue": monitor.pvalue,
        "since": monitor.since,
        "headline": headline(monitor),
        "false_alarms": history.settings.level,
        "margin": history.settings.margin,
        "guarantee": monitor.guarantee,
        "notes": list(monitor.notes),
        "columns": [column.to_dict() for column in monitor.columns],
        "batches": [
            {"name": b.name, "time": to_text(b.time), "stratum": b.stratum, "rows": b.rows, "role": b.role}
            for b in history.batches
        ],
        "accepted": [{"batches": count, "since": name} for count, name in history.accepted],
        "looks": [_look_dict(monitor, place) for place in range(len(history.looks))],
    }


def _look_dict(monitor: Standing, place: int) -> dict[str, Any]:
    history = monitor._history
    values = history.looks[place].to_dict()
    values["columns"] = [column.to_dict() for column in history.columns(place)]
    for column in values["columns"]:
        del column["where"]  # only of the last look, which stands above
    return values
