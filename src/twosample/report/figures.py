"""Pictures as geometry: paths in a box of 1000 by 100, places in per cent, and the same in words. The template draws.

Two distributions share one box; the witness has a box below with the same x axis. The first table is always the filled
shape and the second one the outlined shape, so that they can be told apart without colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isfinite

from .. import _numbers as numbers
from .._pictures import NumberPicture, Picture, SharePicture
from .._shown import shown
from .ticks import Tick, date_text, ticks

MOST_LABELS = 12
LABEL_LENGTH = 48
_MOST_POINTS = 200
_TOP = 4.0  # per cent of the box left free above the highest place


@dataclass(frozen=True)
class NumberFigure:
    """Two densities and the witness.

    Parameters
    ----------
    density_a, density_b
        Outlines of the two densities, from the ground to the ground; the first is closed.
    above, below, curve
        The witness: its part above zero, its part below, the curve; None without a witness.
    zero
        Where zero lies in the box of the witness, per cent from the top.
    ticks
        The x axis.
    title, words
        The picture in a line, and in sentences with numbers.
    """

    density_a: str
    density_b: str
    above: str | None
    below: str | None
    curve: str | None
    zero: float
    ticks: tuple[Tick, ...]
    title: str
    words: str


@dataclass(frozen=True)
class Bar:
    """A category in both tables.

    Parameters
    ----------
    label
        Its name; a description if `special`.
    share_a, share_b
        Shares.
    width_a, width_b
        Lengths of the bars, per cent.
    special
        Whether it stands for missing values or all other categories.
    """

    label: str
    share_a: float
    share_b: float
    width_a: float
    width_b: float
    special: bool = False


@dataclass(frozen=True)
class ShareFigure:
    """Pairs of bars: a table with a picture in it, which needs no other words.

    Parameters
    ----------
    bars
        The categories.
    title
        The picture in a line.
    left_out
        How many categories or words the comparison lists that are not drawn.
    """

    bars: tuple[Bar, ...]
    title: str
    left_out: int


@dataclass(frozen=True)
class EffectBar:
    """An effect size with its interval on a common scale, per cent of the width.

    Parameters
    ----------
    low, high, at
        Interval and estimate.
    """

    low: float
    high: float
    at: float


def draw(name: str, picture: Picture | None) -> NumberFigure | ShareFigure | None:
    """The picture of a column; None if there is nothing to draw."""
    if isinstance(picture, NumberPicture):
        return _numbers(name, picture)
    if isinstance(picture, SharePicture):
        return _shares(name, picture)
    return None


def effect_bar(low: float, high: float, at: float, top: float) -> EffectBar:
    """An interval on a scale from 0 to `top`."""
    low, high, at = (round(min(100.0, max(0.0, 100 * _finite(v) / top)), 1) for v in (low, high, at))
    return EffectBar(low, high, at)


def effect_scale(largest: float, margin: float) -> float:
    """The end of the common scale of effect sizes: round, at least twice the margin, at most 1."""
    needed = min(1.0, max(_finite(largest), 2 * margin))
    return next((top for top in (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8) if top >= needed), 1.0)


def _numbers(name: str, picture: NumberPicture) -> NumberFigure | None:
    edges = picture.edges
    if len(edges) < 2 or not all(map(isfinite, edges)) or not edges[-1] > edges[0]:
        return None
    a, b = (tuple(map(_finite, density)) for density in (picture.density_a, picture.density_b))
    peak = max(*a, *b, 0.0)
    if peak <= 0:
        return None
    low, span = edges[0], edges[-1] - edges[0]
    across = [round(1000 * (edge - low) / span) for edge in edges]
    witness = _witness(picture, low, span)
    return NumberFigure(
        density_a=_steps(across, a, peak),
        density_b=_steps(across, b, peak).removesuffix("Z"),
        above=witness and witness[0],
        below=witness and witness[1],
        curve=witness and witness[2],
        zero=witness[3] if witness else 0.0,
        ticks=ticks(low, edges[-1], most=3 if picture.dates else 5, dates=picture.dates),
        title=f"Distributions of {shown(name, LABEL_LENGTH)} in both tables",
        words=_words(picture, a, b),
    )


def _steps(across: Sequence[int], density: Sequence[float], peak: float) -> str:
    path, last = [f"M{across[0]} 100"], None
    for right, height in zip(across[1:], density, strict=True):
        down = _short(100 - (100 - _TOP) * height / peak)
        path.append(f"H{right}" if down == last else f"V{down}H{right}")
        last = down
    return "".join(path) + "V100Z"


def _witness(picture: NumberPicture, low: float, span: float) -> tuple[str, str, str, float] | None:
    stride = max(1, len(picture.grid) // _MOST_POINTS)
    pairs = list(zip(picture.grid, picture.witness, strict=True))[::stride]
    points = [((at - low) / span, value) for at, value in pairs if isfinite(at) and isfinite(value)]
    points = [(1000 * at, value) for at, value in points if -1e-9 <= at <= 1 + 1e-9]
    top, bottom = (edge(value for _, value in points) if points else 0.0 for edge in (max, min))
    top, bottom = max(top, 0.0), min(bottom, 0.0)
    if top == bottom:
        return None

    def trace(part: Sequence[float]) -> str:
        middle = (_TOP + (100 - 2 * _TOP) * (top - value) / (top - bottom) for value in part)
        return "L".join(f"{at:.0f} {_short(y)}" for (at, _), y in zip(points, middle, strict=True))

    zero = round(_TOP + (100 - 2 * _TOP) * top / (top - bottom), 1)
    left, right = f"M{points[0][0]:.0f} {_short(zero)}L", f"L{points[-1][0]:.0f} {_short(zero)}Z"
    values = [value for _, value in points]
    above = left + trace([max(value, 0.0) for value in values]) + right
    below = left + trace([min(value, 0.0) for value in values]) + right
    return above, below, "M" + trace(values), zero


def _words(picture: NumberPicture, a: Sequence[float], b: Sequence[float]) -> str:
    span = picture.edges[-1] - picture.edges[0]

    def text(at: float) -> str:
        return date_text(at, span) if picture.dates else numbers.value(at, 3)

    words = []
    for table, density in (("A", a), ("B", b)):
        quarters = [_quantile(picture.edges, density, share) for share in (0.25, 0.5, 0.75)]
        if any(quarters):
            low, middle, high = map(text, quarters)
            words.append(f"Half of {table} lies between about {low} and {high}, with {middle} in the middle.")
    inside = [(v, at) for at, v in zip(picture.grid, picture.witness, strict=True) if isfinite(v) and isfinite(at)]
    if inside and max(inside)[0] > 0:
        words.append(f"A has most more than B around {text(max(inside)[1])}.")
    if inside and min(inside)[0] < 0:
        words.append(f"B has most more than A around {text(min(inside)[1])}.")
    return " ".join(words)


def _quantile(edges: Sequence[float], density: Sequence[float], share: float) -> float:
    mass = [d * (right - left) for d, left, right in zip(density, edges, edges[1:], strict=False)]
    total = sum(mass)
    if total <= 0:
        return 0.0
    for index, reached in enumerate(accumulate(mass)):
        if reached >= share * total and mass[index] > 0:
            back = (reached - share * total) / mass[index]
            return edges[index + 1] - back * (edges[index + 1] - edges[index])
    return edges[-1]


def _shares(name: str, picture: SharePicture) -> ShareFigure | None:
    shares = list(zip(picture.labels, picture.shares_a, picture.shares_b, strict=True))
    kept, rest = shares[:MOST_LABELS], shares[MOST_LABELS:]
    rows = [(shown(label, LABEL_LENGTH) or "(empty text)", a, b, not label) for label, a, b in kept]
    if picture.other_a is not None and picture.other_b is not None:
        other = [picture.other_a + sum(a for _, a, _ in rest), picture.other_b + sum(b for _, _, b in rest)]
        if max(other) > 1e-12:
            rows.append(("all others", other[0], other[1], True))
    if max(picture.missing_a, picture.missing_b) > 0:
        rows.append(("missing", picture.missing_a, picture.missing_b, True))
    longest = max((max(_finite(a), _finite(b)) for _, a, b, _ in rows), default=0.0)
    if longest <= 0:
        return None
    bars = tuple(
        Bar(label, a, b, round(100 * _finite(a) / longest, 1), round(100 * _finite(b) / longest, 1), special)
        for label, a, b, special in rows
    )
    what = "Words" if picture.words else "Categories"
    return ShareFigure(bars, f"{what} of {shown(name, LABEL_LENGTH)} in both tables", len(rest))


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _finite(number: float) -> float:
    return number if isfinite(number) else 0.0
