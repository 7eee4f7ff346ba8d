"""A watch as a page: the evidence over time, a strip for each column, and what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log10

import numpy as np

from .. import _numbers as numbers
from .._shown import shown
from ..monitor import Look, Monitor, WatchedColumn
from ..monitor.columns import NEW, OTHERS
from ..monitor.words import headline
from ..results import PAPER
from .figures import LABEL_LENGTH, Bar, ShareFigure, effect_scale
from .page import Page, noted
from .signs import Sign

MOST_LOOKS = 400
MOST_STRIPS = 40
MOST_FIGURES = 8
MOST_BARS = 24
_SIGNS = {
    "alarm": Sign("different", "Alarm", "Changed", "!"),
    "quiet": Sign("same", "Quiet", "Quiet", "="),
    "learning": Sign("undecided", "Still learning", "Learning", "…"),
}


@dataclass(frozen=True)
class Mark:
    """A place on the axis of time."""

    at: float  # per cent of the way
    label: str  # what stands there


@dataclass(frozen=True)
class Chart:
    """Values over time in a box of 1000 by 100."""

    line: str  # the values; gaps where there are none
    band: str  # their intervals; empty for none
    limit: float | None  # where the level or the margin lies, per cent from the top; None if there is none
    alarms: tuple[tuple[float, float], ...]  # places and heights, per cent, of the looks that are alarms
    words: str  # the picture in words


@dataclass(frozen=True)
class Strip:
    """A column over time."""

    name: str  # the column, and whether it changed
    sign: Sign
    effect: str  # at the last look, as text
    interval: str
    adjusted: str
    where: tuple[str, ...]  # where it differs, in words
    chart: Chart | None  # the effect size over time
    figure: ShareFigure | None  # shares before and after the change; None without one


@dataclass(frozen=True, kw_only=True)
class WatchPage(Page):
    """All that the template reads."""

    meaning: str
    evidence: Chart | None  # the p-values over time; None without looks
    first: str  # marks on the axis of time: the first and last look, the change, and acceptances
    last: str
    change: Mark | None
    accepted: tuple[Mark, ...]
    top: str  # the end of the scale of effects, as text
    margin: str  # as text
    level: str
    strips: tuple[Strip, ...]  # the columns, and how many are not shown
    strips_left: int


def watch_page(monitor: Monitor) -> WatchPage:
    """The page of a watch."""
    looks = monitor.looks[-MOST_LOOKS:]
    state = "alarm" if monitor.alarm else "learning" if monitor.learning else "quiet"
    columns = monitor.columns
    table = np.array(monitor._history.numbers[-MOST_LOOKS:])
    top = effect_scale(float(np.nanmax(table[:, :, 3], initial=0.0)) if table.size else 0.0, monitor.margin)
    strips = tuple(
        _strip(monitor, column, looks, table, top, place < MOST_FIGURES)
        for place, column in enumerate(columns[:MOST_STRIPS])
    )
    return WatchPage(
        title=f"{_SIGNS[state].word}: {shown(looks[-1].batch if looks else 'watch', 60)}",
        sign=_SIGNS[state],
        lead=_sentence(shown(headline(monitor), 600)),
        meaning=monitor.guarantee,
        evidence=_evidence(looks, monitor.false_alarms) if looks else None,
        first=shown(looks[0].batch, 30) if looks else "",
        last=shown(looks[-1].batch, 30) if looks else "",
        change=_change(monitor, looks),
        accepted=_accepted(monitor, looks),
        top=f"{top:g}",
        margin=f"{monitor.margin:g}",
        level=_level(monitor.false_alarms),
        strips=strips,
        strips_left=len(columns) - len(strips),
        method=_method(monitor),
        notes=noted((*(looks[-1].notes if looks else ()), *monitor.notes), None),
        citation=PAPER,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _level(level: float) -> str:
    return f"1 in {1 / level:,.0f}"


def _across(place: int, count: int) -> float:
    return round(100 * (place + 0.5) / count, 2)


def _evidence(looks: Sequence[Look], level: float) -> Chart:
    values = [None if look.pvalue is None else -log10(max(look.pvalue, 1e-12)) for look in looks]
    top = max([-log10(level) * 1.25, *(value for value in values if value is not None)]) * 1.05
    heights = [None if value is None else 100 - 100 * value / top for value in values]
    alarms = tuple(
        (_across(i, len(looks)), round(heights[i] or 100.0, 1)) for i, look in enumerate(looks) if look.alarm
    )
    known = [look.pvalue for look in looks if look.pvalue is not None]
    words = f"{len(looks)} looks, {len(alarms)} alarms; the smallest p-value is {min(known, default=1.0):.2g}."
    return Chart(_line(heights), "", round(100 + 100 * log10(level) / top, 1), alarms, words)


def _line(heights: Sequence[float | None]) -> str:
    """A path through the heights, in a box of 1000 by 100; a lone value is a short dash."""
    path, pen = [], False
    for place, height in enumerate(heights):
        if height is None or not isfinite(height):
            pen = False
            continue
        x = 10 * _across(place, len(heights))
        path.append(f"{'L' if pen else 'M'}{x:.1f} {height:.1f}" + ("" if pen else "h.1"))
        pen = True
    return "".join(path)


def _strip(
    monitor: Monitor, column: WatchedColumn, looks: Sequence[Look], table: np.ndarray, top: float, drawn: bool
) -> Strip:
    history = monitor._history
    part = table[:, history.names.index(column.name), 1:4]
    changed = monitor.alarm and column.adjusted_pvalue <= monitor.false_alarms
    number = next((i for i, plan in enumerate(history.plan.columns) if plan.name == column.name), None)
    figure = None
    if changed and drawn and number is not None:
        figure = _figure(column.name, history.shares(number, column.batches))
    known = column.effect is not None and column.effect_low is not None and column.effect_high is not None
    return Strip(
        name=shown(column.name, 80) or "(no name)",
        sign=_SIGNS["alarm" if changed else "learning" if monitor.learning else "quiet"],
        effect=numbers.effect(column.effect or 0.0) if known else "–",
        interval=numbers.interval(column.effect_low or 0.0, column.effect_high or 0.0) if known else "",
        adjusted=numbers.page_pvalue(column.adjusted_pvalue),
        where=tuple(shown(said, 200) for said in column.where) if changed else (),
        chart=_effects(part, top, monitor.margin) if np.isfinite(part).any() else None,
        figure=figure,
    )


def _effects(part: np.ndarray, top: float, margin: float) -> Chart:
    """Effect and interval over time."""
    heights = 100 - 100 * np.clip(part, 0, top) / top
    value, low, high = (_optional(heights[:, i]) for i in range(3))
    band = []
    for place, (bottom, upper) in enumerate(zip(low, high, strict=True)):
        if bottom is not None and upper is not None:
            left, width = 1000 * place / len(low), 1000 / len(low)
            band.append(f"M{left:.1f} {bottom:.1f}h{width:.1f}V{upper:.1f}h{-width:.1f}Z")
    last = part[np.isfinite(part).all(axis=1)]
    words = f"Effect {last[-1][0]:.3f} ({last[-1][1]:.3f} to {last[-1][2]:.3f}) at the last look." if len(last) else ""
    return Chart(_line(value), "".join(band), round(100 - 100 * margin / top, 1) if margin else None, (), words)


def _optional(values: np.ndarray) -> list[float | None]:
    return [None if not isfinite(value) else float(value) for value in values.tolist()]


def _figure(name: str, cells: Sequence[tuple[str, float, float]]) -> ShareFigure | None:
    used = [cell for cell in cells if max(cell[1:]) > 0.0005]
    longest = max((max(cell[1:]) for cell in used), default=0.0)
    if longest <= 0:
        return None
    bars = tuple(
        Bar(shown(label, LABEL_LENGTH) or "(empty text)", a, b, round(100 * a / longest, 1), round(100 * b / longest,
        1),
            label in ("missing", OTHERS, NEW))
        for label, a, b in used[:MOST_BARS]
    )  # fmt: skip
    return ShareFigure(bars, f"Shares of {shown(name, LABEL_LENGTH)} before and after", len(used) - len(bars))


def _change(monitor: Monitor, looks: Sequence[Look]) -> Mark | None:
    since = monitor.since
    if since is None:
        return None
    place = next((i for i, look in enumerate(looks) if look.batch == since), 0)
    return Mark(round(100 * place / max(len(looks), 1), 2), shown(since, 30))


def _accepted(monitor: Monitor, looks: Sequence[Look]) -> tuple[Mark, ...]:
    marks = []
    for count, name in monitor._history.accepted:
        after = sum(look.number <= count for look in looks)
        if looks and looks[0].number <= count:
            marks.append(Mark(round(100 * after / len(looks), 2), shown(name, 30)))
    return tuple(marks)


def _method(monitor: Monitor) -> tuple[tuple[str, str], ...]:
    batches, history = monitor.batches, monitor._history
    roles = [batch.role for batch in batches]
    strata = sorted({batch.stratum for batch in batches if batch.stratum})
    return (
        ("Batches", f"{len(batches):,}: {roles.count('plan')} chose the features, {len(history.tested)} are compared"),
        ("Looks", f"{len(monitor.looks):,}, of which {sum(look.alarm for look in monitor.looks):,} alarms"),
        ("Rows of the last batch", numbers.count(batches[-1].rows)),
        ("Level", f"{_level(monitor.false_alarms)} batches"),
        ("Margin", f"{monitor.margin:g}" if monitor.margin else "none: every change is an alarm"),
        ("Strata", ", ".join(shown(name, 30) for name in strata[:12]) or "none"),
        ("Test", "the last 1, 2, 3, 5, ..., 55 batches against all before, by permuting batches within strata"),
    )
