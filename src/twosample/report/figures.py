"""Pictures as geometry: paths in a box of 1000 by 100, places in per cent, and the same in words. The template draws.

Two distributions share one box; the witness has a box below with the same x axis. The first table is always the filled
shape and the second one the outlined shape, so that they can be told apart without colour. Rows beyond the ends of the
axis are a bar of their own. The witness has one of four fixed scales, and the band that chance alone would fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, isfinite

from .. import _numbers as numbers
from .._pictures import NumberPicture, Picture, SharePicture
from .._shown import shown
from .ticks import Tick, date_text, ticks

MOST_LABELS = 12
LABEL_LENGTH = 48
_MOST_POINTS = 200
_TOP = 4.0  # per cent of the box left free above the highest place
_ROOM, _BAR = 80.0, 42.0  # thousandths of the width for what lies beyond an end, and for its bar
_SCALES = (0.1, 0.2, 0.5, 1.0)
_OTHERS = "all others"
_SPARKS = 8  # categories in a small picture


@dataclass(frozen=True)
class Tail:
    """Rows beyond an end of the axis."""

    bar_a: str  # outlines of the two bars
    bar_b: str
    at: float  # where their middle is, per cent
    label: str  # what is beyond, for the axis: "> 170"
    words: str  # the same with its shares


@dataclass(frozen=True)
class NumberFigure:
    """Two densities and the witness."""

    density_a: str  # outlines of the two densities, from the ground to the ground; the first is closed
    density_b: str
    above: str | None  # the witness: its part above zero, its part below, the curve; None without a witness
    below: str | None
    curve: str | None
    band: str | None  # what chance alone would fill; None if not known
    scale: str  # the end of the scale of the witness, as text
    zero: float  # where zero lies in the box of the witness, per cent from the top
    tails: tuple[Tail, ...]  # rows beyond the axis
    ticks: tuple[Tick, ...]  # the x axis
    title: str  # the picture in a line, and in sentences with numbers
    words: str


@dataclass(frozen=True)
class Bar:
    """A category in both tables."""

    label: str  # its name; a description if `special`
    share_a: float  # shares
    share_b: float
    width_a: float  # lengths of the bars, per cent
    width_b: float
    special: bool = False  # whether it stands for missing values or all other categories


@dataclass(frozen=True)
class ShareFigure:
    """Pairs of bars: a table with a picture in it, which needs no other words."""

    bars: tuple[Bar, ...]  # the categories
    title: str  # the picture in a line
    left_out: int  # how many categories or words the comparison lists that are not drawn
    spark_a: str = ""  # the same in little: a bar upwards for each of the first categories
    spark_b: str = ""


@dataclass(frozen=True)
class EffectBar:
    """An effect size with its interval on a common scale, per cent of the width."""

    low: float  # interval and estimate
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
    wide = (edges[-1] - edges[0]) / (len(edges) - 1)
    peak = max(*a, *b, *(_finite(share) / wide for share in (*picture.beyond_a, *picture.beyond_b)), 0.0)
    if peak <= 0:
        return None
    box = _Box.of(picture)
    across = [round(box(edge)) for edge in edges]
    witness = _witness(picture, box)
    return NumberFigure(
        density_a=_steps(across, a, peak),
        density_b=_steps(across, b, peak).removesuffix("Z"),
        above=witness and witness[0],
        below=witness and witness[1],
        curve=witness and witness[2],
        band=witness and witness[3],
        scale=f"{_scale(picture):g}",
        zero=50.0,
        tails=_tails(picture, peak * wide),
        ticks=box.ticks(_ticks(picture)),
        title=f"Distributions of {shown(name, LABEL_LENGTH)} in both tables",
        words=_words(picture, a, b),
    )


def _ticks(picture: NumberPicture) -> tuple[Tick, ...]:
    most = 3 if picture.dates or picture.spans else 5
    return ticks(picture.edges[0], picture.edges[-1], most, picture.dates, picture.step, picture.spans)


@dataclass(frozen=True)
class _Box:
    """From numbers to places in a box of 1000; bars of what lies beyond have room at its ends."""

    low: float
    span: float
    left: float
    right: float

    @classmethod
    def of(cls, picture: NumberPicture) -> _Box:
        below, above = (max(pair) > 0 for pair in zip(picture.beyond_a, picture.beyond_b, strict=True))
        left, right = _ROOM if below else 0.0, 1000.0 - (_ROOM if above else 0.0)
        return cls(picture.edges[0], picture.edges[-1] - picture.edges[0], left, right)

    def __call__(self, value: float) -> float:
        return self.left + (self.right - self.left) * (value - self.low) / self.span

    def ticks(self, found: tuple[Tick, ...]) -> tuple[Tick, ...]:
        inner = (self.right - self.left) / 1000
        return tuple(Tick(round(self.left / 10 + inner * tick.at, 2), tick.label) for tick in found)


def _tails(picture: NumberPicture, peak: float) -> tuple[Tail, ...]:
    """Bars of what lies beyond the axis; `peak`: the share of the highest bar."""
    step = picture.step if picture.step >= 1 else 0.0
    measure = numbers.Measure(picture.edges[-1] - picture.edges[0], step, picture.dates, picture.spans)
    found = []
    sides = ((0, 0.0, picture.edges[0], "<", "below"), (1, 1000.0 - _BAR, picture.edges[-1], ">", "above"))
    for side, left, edge, sign, word in sides:
        a, b = (_finite(pair[side]) for pair in (picture.beyond_a, picture.beyond_b))
        if max(a, b) <= 0:
            continue
        end = edge
        if step and not picture.dates and not picture.spans:  # the first or the last value that is drawn
            end = ceil(edge / step - 1e-9) if side == 0 else ceil(edge / step - 1e-9) - 1
            end *= step
        bar_a, bar_b = (
            f"M{left:g} 100V{_short(100 - (100 - _TOP) * share / peak)}H{left + _BAR:g}V100" for share in (a, b)
        )
        first, second = numbers.shares(a, b)
        text = measure.text(end)
        far = f", as far as {measure.text(picture.ends[side])}" if any(picture.ends) else ""
        words = f"{word} {text}{far}: {first} of A, {second} of B"
        found.append(Tail(bar_a, bar_b, (left + _BAR / 2) / 10, f"{sign} {text}", words))
    return tuple(found)


def _steps(across: Sequence[int], density: Sequence[float], peak: float) -> str:
    path, last = [f"M{across[0]} 100"], None
    for right, height in zip(across[1:], density, strict=True):
        down = _short(100 - (100 - _TOP) * height / peak)
        path.append(f"H{right}" if down == last else f"V{down}H{right}")
        last = down
    return "".join(path) + "V100Z"


def _scale(picture: NumberPicture) -> float:
    """The end of the scale of the witness: the first of four that holds the curve and most of its band."""
    highest = max((abs(value) for value in picture.witness if isfinite(value)), default=0.0)
    chance = 0.8 * max((value for value in picture.band if isfinite(value)), default=0.0)
    return next((end for end in _SCALES if end >= max(highest, chance)), max(_SCALES[-1], highest))


def _witness(picture: NumberPicture, box: _Box) -> tuple[str, str, str, str | None] | None:
    stride = max(1, len(picture.grid) // _MOST_POINTS)
    noise = picture.band if len(picture.band) == len(picture.grid) else (0.0,) * len(picture.grid)
    triples = list(zip(picture.grid, picture.witness, noise, strict=True))[::stride]
    inside = [triple for triple in triples if all(map(isfinite, triple))]
    points = [(box(at), value, chance) for at, value, chance in inside]
    points = [point for point in points if box.left - 1e-6 <= point[0] <= box.right + 1e-6]
    if not points or not any(value or chance for _, value, chance in points):
        return None
    end = _scale(picture)

    def trace(part: Sequence[float], backwards: bool = False) -> str:
        down = [50 - (50 - _TOP) * min(max(value / end, -1.0), 1.0) for value in part]
        places = [f"{point[0]:.0f} {_short(y)}" for point, y in zip(points, down, strict=True)]
        return "L".join(reversed(places) if backwards else places)

    left, right = f"M{points[0][0]:.0f} 50L", f"L{points[-1][0]:.0f} 50Z"
    values, chances = [point[1] for point in points], [point[2] for point in points]
    above = left + trace([max(value, 0.0) for value in values]) + right
    below = left + trace([min(value, 0.0) for value in values]) + right
    band = f"M{trace(chances)}L{trace([-chance for chance in chances], True)}Z" if any(chances) else None
    return above, below, "M" + trace(values), band


def _words(picture: NumberPicture, a: Sequence[float], b: Sequence[float]) -> str:
    span = picture.edges[-1] - picture.edges[0]

    def text(at: float) -> str:
        if picture.spans:
            return numbers.Measure(span, spans=True).text(at)
        return date_text(at, span) if picture.dates else numbers.value(at, 3)

    words = []
    for table, density in (("A", a), ("B", b)):
        quarters = [_quantile(picture.edges, density, share) for share in (0.25, 0.5, 0.75)]
        if any(quarters):
            low, middle, high = map(text, quarters)
            words.append(f"Half of {table} lies between about {low} and {high}, with {middle} in the middle.")
    noise = picture.band if len(picture.band) == len(picture.grid) else (0.0,) * len(picture.grid)
    known = [(v, at, c) for at, v, c in zip(picture.grid, picture.witness, noise, strict=True) if isfinite(v + at + c)]
    outside = [(value, at) for value, at, chance in known if abs(value) > chance]
    if outside and max(outside)[0] > 0:
        words.append(f"A has most more than B around {text(max(outside)[1])}.")
    if outside and min(outside)[0] < 0:
        words.append(f"B has most more than A around {text(min(outside)[1])}.")
    if known and not outside:
        words.append("The witness stays within what chance alone would give.")
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
            rows.append((_OTHERS, other[0], other[1], True))
    if max(picture.missing_a, picture.missing_b) > 0:
        rows.append(("missing", picture.missing_a, picture.missing_b, True))
    named = [max(_finite(a), _finite(b)) for label, a, b, _ in rows if label != _OTHERS]
    longest = max(named, default=0.0) or max((max(_finite(a), _finite(b)) for _, a, b, _ in rows), default=0.0)
    if longest <= 0:
        return None
    bars = tuple(Bar(label, a, b, *_widths(a, b, longest), special) for label, a, b, special in rows)
    what = "Words" if picture.words else "Categories"
    first = [(bar.width_a, bar.width_b) for bar in bars if not bar.special][:_SPARKS]
    tallest = max((max(pair) for pair in first), default=0.0) or 1.0
    small = [(100 * a / tallest, 100 * b / tallest) for a, b in first]
    sparks = ["".join(_spark(place, pair[side], side) for place, pair in enumerate(small)) for side in (0, 1)]
    return ShareFigure(bars, f"{what} of {shown(name, LABEL_LENGTH)} in both tables", len(rest), *sparks)


def _widths(a: float, b: float, longest: float) -> tuple[float, float]:
    """Lengths of two bars, per cent; none for what is longer than all that has a name: its numbers say it."""
    one, two = (round(100 * _finite(part) / longest, 1) for part in (a, b))
    return (one, two) if max(one, two) <= 100 else (0.0, 0.0)


def _spark(place: int, height: float, side: int) -> str:
    """A bar upwards: two for each category, side by side."""
    wide = 1000 / _SPARKS
    left = round(place * wide + side * 0.42 * wide)
    return f"M{left} 100V{_short(100 - (100 - _TOP) * height / 100)}H{round(left + 0.42 * wide)}V100"


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _finite(number: float) -> float:
    return number if isfinite(number) else 0.0
