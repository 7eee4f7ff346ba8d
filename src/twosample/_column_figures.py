"""Pictures of compared columns: the same data and the same colours as on the page."""

from __future__ import annotations

from collections.abc import Sequence
from re import sub
from typing import TYPE_CHECKING

import numpy as np

from . import _style
from ._numbers import Measure, duration, round_durations, share
from ._pictures import NumberPicture, Picture, SharePicture
from ._shown import shown
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .core.types import Floats

_SIGNS = {
    "different": (_style.OBSERVED, "D", "full"),
    "small difference": ("#9a6b00", "s", "full"),
    "no difference found": (_style.MUTED, "o", "full"),
    "same": ("#15693e", "o", "none"),
}
"""Colour, marker and whether it is filled, for each verdict."""
_SECONDS_A_DAY = 86_400.0

Effect = tuple[str, float, float, float, str]
"""What is compared, its effect with the ends of the interval, and the verdict."""


def draw_picture(picture: Picture | None, name: str, subtitle: str, ax: Axes | None = None) -> Axes:
    """Two distributions; without axes of the user's, the witness of numbers below them."""
    if picture is None:
        raise InputError(f"Column {name!r} has no picture: one of the tables has fewer than two values.")
    if isinstance(picture, SharePicture):
        drawn = draw_shares(picture, ax or _style.new_axes((6.0, 1.2 + 0.32 * (len(picture.labels) + 2))))
    elif ax is not None:
        drawn = _draw_numbers(picture, ax)
    else:
        drawn, below = _two_axes()
        _draw_numbers(picture, drawn)
        drawn.tick_params(labelbottom=False)
        drawn.set_xlabel("")
        _draw_witness(picture, below)
        below.set_xlabel(label(name))
    if ax is not None and isinstance(picture, NumberPicture):
        drawn.set_xlabel(label(name))
    return _style.finish(drawn, f"{label(name)}: {label(subtitle, 60)}")


def draw_effects(effects: Sequence[Effect], margin: float, title: str, ax: Axes | None = None) -> Axes:
    """Effect sizes with their intervals, one line for each column, and the margin as a line."""
    ax = ax or _style.new_axes((6.4, 1.2 + 0.3 * max(len(effects), 2)))
    for place, (_, value, low, high, verdict) in enumerate(effects):
        colour, marker, fill = _SIGNS[verdict]
        ax.plot([low, high], [place, place], color=colour, linewidth=4, alpha=0.4, solid_capstyle="butt")
        new = verdict not in (other[-1] for other in effects[:place])
        ax.plot([value], [place], marker, color=colour, markersize=6, fillstyle=fill, linestyle="none",
                label=verdict if new else "_")  # fmt: skip
    ax.set_yticks(range(len(effects)), [label(name, 32) for name, *_ in effects])
    ax.invert_yaxis()
    ax.axvline(margin, label=f"margin {margin:g}", **_style.DASHED)
    ax.set_xlim(0, min(1.02, max(2 * margin, 1.08 * max((high for *_, high, _ in effects), default=1.0))))
    ax.set_xlabel("effect size r (0 to 1), with its interval")
    return _style.finish(ax, label(title, 60), "lower right")


def label(name: str, most: int = 40) -> str:
    """A name for a picture: no formula, and no sign that fonts lack."""
    return sub("[\u2400-\u2426\u27e8\u27e9]", "?", shown(name, most)).replace("$", r"\$")


def _draw_numbers(picture: NumberPicture, ax: Axes) -> Axes:
    """Histograms as shares of rows; what lies beyond the axis as bars at its ends."""
    edges = np.array(picture.edges)
    wide = float(edges[1] - edges[0])
    a, b = (np.array(density) * wide for density in (picture.density_a, picture.density_b))
    places = _places(edges, picture)
    ax.stairs(a, places, fill=True, facecolor=_style.X_FILL, edgecolor=_style.X, linewidth=1.0, label="A")
    ax.stairs(b, places, color=_style.Y, linewidth=1.6, label="B")
    _draw_tails(picture, ax)
    ax.set_ylabel("share of rows")
    ax.yaxis.set_major_formatter(_percent)
    _whole_ticks(picture, ax)
    return ax


def _draw_tails(picture: NumberPicture, ax: Axes) -> None:
    """Bars of what lies beyond the axis, with their shares."""
    span = picture.edges[-1] - picture.edges[0]
    measure = Measure(span, picture.step, picture.dates, picture.spans)
    for side, edge, sign in ((0, picture.edges[0], -1.0), (1, picture.edges[-1], 1.0)):
        a, b = picture.beyond_a[side], picture.beyond_b[side]
        if max(a, b) <= 0:
            continue
        ends = _places(np.sort(np.array([edge + sign * 0.05 * span, edge + sign * 0.10 * span])), picture)
        ax.stairs([a], ends, fill=True, facecolor=_style.X_FILL, edgecolor=_style.X, linewidth=1.0)
        ax.stairs([b], ends, color=_style.Y, linewidth=1.6)
        text = f"{'<' if side == 0 else '>'} {measure.text(measure.down(edge) if side else measure.up(edge))}"
        far = f", as far as {measure.text(picture.ends[side])}" if any(picture.ends) else ""
        ax.annotate(
            f"{text}{far}\n{share(a)}, {share(b)}", (float(np.mean(ends)), max(a, b)), xytext=(0, 3),
            textcoords="offset points", ha="right" if side else "left", va="bottom", fontsize="x-small",
            color=_style.MUTED,
        )  # fmt: skip


def _draw_witness(picture: NumberPicture, ax: Axes) -> None:
    """The witness on a fixed scale, with the band of chance."""
    grid, witness = _places(np.array(picture.grid), picture), np.array(picture.witness)
    band = np.array(picture.band) if picture.band else np.zeros(len(witness))
    largest = max(float(np.abs(witness).max(initial=0.0)), 0.8 * float(band.max(initial=0.0)))
    end = next((end for end in (0.1, 0.2, 0.5, 1.0) if end >= largest), 1.0)
    ax.fill_between(grid, -band, band, color=_style.CHANCE, linewidth=0, label="chance alone, 95 %")
    ax.fill_between(grid, witness, 0, where=witness > 0, color=_style.X_FILL, linewidth=0)
    ax.fill_between(grid, witness, 0, where=witness < 0, color=_style.Y_FILL, linewidth=0)
    ax.plot(grid, witness, color=_style.INK, linewidth=1.4)
    ax.axhline(0, color=_style.RULE, linewidth=0.8)
    ax.set_ylim(-end, end)
    ax.set_yticks([-end, 0, end], [f"−{end:g}\nmore of B", "0", f"more of A\n+{end:g}"])
    _whole_ticks(picture, ax)
    _style.finish(ax, legend="upper right")


def draw_shares(picture: SharePicture, ax: Axes, tables: tuple[str, str] = ("A", "B")) -> Axes:
    """Pairs of bars, those that differ most first; the first table is filled, the second hatched."""
    rows = list(zip(picture.labels, picture.shares_a, picture.shares_b, strict=True))
    ax.set_xlabel("share of rows")
    if picture.other_a and picture.other_b:  # no bar: it would leave no room for those that have a name
        rest = f"{share(picture.other_a)} of {tables[0]}, {share(picture.other_b)} of {tables[1]}"
        ax.set_xlabel(f"share of rows (all others: {rest})")
    if max(picture.missing_a, picture.missing_b) > 0:
        rows.append(("missing", picture.missing_a, picture.missing_b))
    place = np.arange(len(rows))
    a, b = ([row[side] for row in rows] for side in (1, 2))
    ax.barh(place - 0.2, a, height=0.36, color=_style.X_FILL, edgecolor=_style.X, label=tables[0])
    ax.barh(place + 0.2, b, height=0.36, color=_style.Y_FILL, edgecolor=_style.Y, hatch="///", label=tables[1])
    ax.set_yticks(place, [label(row[0] or "(empty text)", 30) for row in rows])
    ax.invert_yaxis()
    ax.xaxis.set_major_formatter(_percent)
    return _style.finish(ax)


def draw_pair(
    columns: tuple[str, str], pieces: Sequence[Sequence[str]], tables: Sequence[Floats], ax: Axes | None = None
) -> Axes:
    """Two columns together: the grid of the first table, and beside it that of the second, in per cent of its rows.

    `pieces` are what either column is cut into; `tables` are ``(second, first)`` shares of the rows of either table.
    """
    across, upwards = pieces
    wide = len(across)
    ax = ax or _style.new_axes((2.0 + 1.1 * wide, 1.6 + 0.4 * len(upwards)))
    gap = np.full((len(upwards), 1), np.nan)
    cells = 100 * np.concatenate([tables[0], gap, tables[1]], axis=1)
    peak = float(np.nanmax(cells))
    ax.pcolormesh(np.sqrt(cells / peak), cmap=_style.strength(), vmin=0.0, vmax=1.0, edgecolors="white", linewidth=2)
    for (row, place), value in np.ndenumerate(cells):
        if np.isfinite(value):
            dark = value > 0.3 * peak
            ax.text(place + 0.5, row + 0.5, f"{value:.1f}", ha="center", va="center", fontsize="small",
                    color="white" if dark else _style.INK)  # fmt: skip
    for middle, letter in ((wide / 2, "A"), (1.5 * wide + 1, "B")):
        ax.text(middle, -0.25, letter, ha="center", va="bottom", fontweight="bold")
    places = [*range(wide), *range(wide + 1, 2 * wide + 1)]
    ax.set_xticks([place + 0.5 for place in places], [label(piece, 20) for piece in (*across, *across)], rotation=40,
                  ha="right", rotation_mode="anchor")  # fmt: skip
    ax.set_yticks([place + 0.5 for place in range(len(upwards))], [label(piece, 26) for piece in upwards])
    ax.tick_params(length=0)
    ax.set_ylim(len(upwards), -0.8)
    ax.grid(visible=False)
    ax.set_xlabel(label(columns[0]))
    ax.set_ylabel(label(columns[1]))
    return _style.finish(
        ax, f"{label(columns[0])} with {label(columns[1])}: per cent of the rows of A and of B", legend=""
    )


def _percent(value: float, _: float = 0.0) -> str:
    return f"{100 * value:g} %" if value else "0"


def _places(values: Floats, picture: NumberPicture) -> Floats:
    """Numbers as matplotlib takes them: dates in days."""
    return values / _SECONDS_A_DAY if picture.dates else values


def _whole_ticks(picture: NumberPicture, ax: Axes) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
    from matplotlib.ticker import MaxNLocator

    if picture.dates:
        clock = picture.edges[0] >= 0 and picture.edges[-1] <= _SECONDS_A_DAY  # times of day, and no date
        locator = AutoDateLocator(maxticks=7)  # type: ignore[no-untyped-call]
        ax.xaxis.set_major_locator(locator)
        ax.xaxis.set_major_formatter(ConciseDateFormatter(locator, show_offset=not clock))  # type: ignore[no-untyped-call]
    elif picture.spans:
        places = round_durations(picture.edges[0], picture.edges[-1], 5)
        ax.set_xticks(places, [duration(at) for at in places])
    elif picture.step >= 1:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))


def _two_axes() -> tuple[Axes, Axes]:
    from matplotlib import pyplot

    _, (above, below) = pyplot.subplots(
        2, 1, figsize=(6.0, 4.2), sharex=True, height_ratios=(3, 2), layout="constrained"
    )
    return above, below
