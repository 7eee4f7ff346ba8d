"""The picture of a column, and the places where it differs most, in words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import inf, isinf, sqrt

import numpy as np

from .. import _numbers as numbers
from .._pictures import WeightedNumbers, number_picture, share_picture, word_picture
from .parts import NumberPicture, Picture, Place, SharePicture
from .sentences import told, values_of
from .subjects import Subject

_PLACES = 3
_SELDOM = "a value that occurs"


def picture(subject: Subject) -> Picture | None:
    """The two distributions of a column."""
    missing = _missing(subject)
    if subject.kind != "boolean" and subject.line is not None and subject.numbers is not None:
        dates, spans = subject.kind == "datetime", subject.kind == "duration"
        width = subject.bandwidth or 1.0
        return number_picture(*subject.numbers, width, dates=dates, step=subject.step, spans=spans)
    if subject.texts is not None:
        return word_picture(*subject.texts, missing) if subject.pair is not None else None
    return _shares(subject, missing)


def _shares(subject: Subject, missing: tuple[float, float]) -> SharePicture | None:
    """Of categories, and of yes and no; None of others."""
    line, levels = subject.line, subject.levels
    if subject.kind == "boolean" and line is not None:
        labels = [{0.0: "false", 1.0: "true"}.get(place, f"{place:g}") for place in line.values.tolist()]
        return share_picture(labels, line.x, line.y, missing)
    return None if levels is None else share_picture(levels.labels, levels.x, levels.y, missing)


def places(subject: Subject, shown: Picture | None) -> tuple[Place, ...]:
    """Where the tables differ most, among the rows with a value."""
    among = subject.among
    line, both = subject.line, subject.numbers
    if line is not None and both is not None and sum(part.total for part in both) < float(line.x.sum() + line.y.sum()):
        among = f"finite {among}"  # infinite ones are in no picture
    called = values_of(subject.tables, subject.missing, among)
    if isinstance(shown, NumberPicture) and subject.numbers is not None:
        return strongest(tuple(_ranges(subject.numbers, shown, called)))[:_PLACES]
    if isinstance(shown, SharePicture):
        what = "a text with the word " if shown.words else ""
        found = shown if shown.words else _shares(subject, (0.0, 0.0)) or shown
        return tuple(
            told(f"{what}'{label}'", a, b, called, label=label)
            for label, a, b in zip(found.labels, found.shares_a, found.shares_b, strict=True)
            if a != b
        )[:_PLACES]
    return ()


def strongest(found: tuple[Place, ...], view: str = "") -> tuple[Place, ...]:
    """Each place once: the one that `view` says, then by the roots of shares (0 and 1 % differ as 25 and 36 % do).

    How often values occur comes last: people look for a range, a value or a category first.
    """
    known = {place.label or place.text: place for place in reversed(found)}
    order = [place for place in found if known[place.label or place.text] is place]
    apart = [abs(sqrt(max(place.share_a, 0)) - sqrt(max(place.share_b, 0))) for place in order]
    ranked = sorted(
        zip(order, apart, strict=True),
        key=lambda pair: (pair[0].what.startswith(_SELDOM), pair[0].text != view, -pair[1]),
    )
    return tuple(place for place, _ in ranked)


def missing_place(subject: Subject) -> Place:
    """The missing share as a place."""
    a, b = _missing(subject)
    return told("missing", a, b, subject.tables)


def _missing(subject: Subject) -> tuple[float, float]:
    one, two = (gone / rows for gone, rows in zip(subject.missing, subject.rows, strict=True))
    return one, two


def _ranges(
    both: tuple[WeightedNumbers, WeightedNumbers], shown: NumberPicture, tables: tuple[str, str]
) -> Iterator[Place]:
    """Stretches over which the witness is above half of its peak; their ends are as they are written."""
    measure = numbers.Measure(shown.edges[-1] - shown.edges[0], shown.step, shown.dates, shown.spans)
    grid, witness = np.array(shown.grid), np.array(shown.witness)
    strong = np.abs(witness) >= 0.5 * np.abs(witness).max()
    sign = np.where(strong, np.sign(witness), 0.0)
    cuts = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(grid)]
    for start, stop in pairwise(cuts):
        if sign[start] == 0 or stop - start == len(grid):
            continue
        low = -inf if start == 0 else measure.up(float(grid[start]))
        high = inf if stop == len(grid) else measure.down(float(grid[stop - 1]))
        if low > high:  # no number that is written in full lies there
            continue
        half = shown.step / 2  # values of bins are rounded: a step has room for that
        ends = np.array([low - half, np.nextafter(high + half, inf)])
        a, b = (float(np.diff(part.below(ends))[0]) for part in both)
        if a != b:
            first, last = (None if isinf(end) else end for end in (low, high))
            yield told(_between(low, high, measure), a, b, tables, first, last)


def _between(low: float, high: float, measure: numbers.Measure) -> str:
    if isinf(low):
        return f"at most {measure.text(high)}"
    if isinf(high):
        return f"at least {measure.text(low)}"
    return measure.text(low) if low == high else f"{measure.text(low)} to {measure.text(high)}"
