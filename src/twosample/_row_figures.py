"""Pictures of p-values in a row: of the batches of a watch over time, and of the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _style
from ._column_figures import label
from ._numbers import counted
from .core.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

_MOST_DRAWN = 5000  # rows that fit; of more, every so-manieth
_MOST_NAMED = 5  # outliers with a name beside them, at most
_NAMES = 6  # batches with a name on the axis


@dataclass(frozen=True)
class DrawnLooks:
    """What the picture of a watch needs: a value for each look, in the order in which they came."""

    names: Sequence[str]
    pvalues: Floats  # NaN without a test
    alarms: NDArray[np.bool_]
    level: float
    change: int | None  # the look with which the change began
    accepted: Sequence[int]  # the first looks after an acceptance


def draw_looks(looks: DrawnLooks, title: str, ax: Axes | None = None) -> Axes:
    """The p-value after each batch, small ones above; the level as a line, alarms as diamonds."""
    ax = ax or _style.new_axes()
    places = np.arange(len(looks.names))
    pvalues, alarms = looks.pvalues, looks.alarms
    tested = np.isfinite(pvalues)
    ax.axhline(looks.level, label=f"level, 1 in {1 / looks.level:,.0f}", **_style.DASHED)
    if looks.change is not None:
        ax.axvspan(looks.change - 0.5, places[-1] + 0.5, color=_style.CHANCE, alpha=0.6, linewidth=0, zorder=0.5,
                   label=f"since {label(looks.names[looks.change], 24)}")  # fmt: skip
    for place, first in enumerate(looks.accepted):
        ax.axvline(first - 0.5, color=_style.INK, linestyle=":", linewidth=1.2, label="_" if place else "accepted")
    ax.plot(places, pvalues, color=_style.NULL_LINE, linewidth=1.4, marker="o", markersize=3.5, label="p-value")
    _diamonds(ax, places[alarms & tested], pvalues[alarms & tested], "alarm")
    untested = places[alarms & ~tested]
    _diamonds(ax, untested, np.ones(len(untested)), "alarm without a test", "white")
    named = np.unique(np.linspace(0, len(places) - 1, min(len(places), _NAMES)).round().astype(int))
    ax.set_xticks(named, [label(looks.names[place], 14) for place in named])
    ax.set_xlim(-0.5, len(places) - 0.5)
    ax.set_xlabel("batch")
    least = float(np.nanmin(pvalues)) if tested.any() else 1.0
    return _upwards(ax, min(least, looks.level), "p-value (higher: clearer)", title)


def draw_scores(
    numbers: NDArray[np.int64], scores: Floats, threshold: float, reasons: Sequence[str], title: str,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """The score of each row of a table, odd ones above; outliers as diamonds, the first of them with their reasons."""
    ax = ax or _style.new_axes()
    odd = scores < threshold
    fit = np.flatnonzero(~odd)
    step = -(-len(fit) // _MOST_DRAWN) or 1
    some = "" if step == 1 else f", one in {step} drawn"
    ax.plot(numbers[fit[::step]], scores[fit[::step]], ".", color=_style.NULL, markersize=4, linestyle="none",
            label=f"{counted(len(fit), 'row')} that fit{some}")  # fmt: skip
    if threshold > 0:
        ax.axhline(threshold, label=f"threshold {threshold:.3g}", **_style.DASHED)
    _diamonds(ax, numbers[odd], scores[odd], counted(int(odd.sum()), "outlier"))
    _name_some(ax, numbers[odd], scores[odd], reasons)
    ax.set_xlabel("row of the table")
    least = float(scores.min(initial=1.0))
    return _upwards(ax, min(least, threshold or 1.0), "score: p-value, ties parted by distance (higher: odder)", title)


def _name_some(ax: Axes, numbers: NDArray[np.int64], scores: Floats, reasons: Sequence[str]) -> None:
    """Row and reason beside the oddest rows, unless another name is there already."""
    low, high = ax.get_xlim()
    named: list[tuple[float, float]] = []
    for row, reason in zip(scores.argsort(kind="stable"), reasons, strict=False):
        across, up = (numbers[row] - low) / (high - low), np.log10(scores[row])
        if len(named) == _MOST_NAMED or any(abs(across - x) < 0.5 and abs(up - y) < 0.25 for x, y in named):
            continue
        named.append((across, up))
        left = across > 0.5
        ax.annotate(
            f"row {numbers[row]:,}{': ' if reason else ''}{label(reason, 24)}", (numbers[row], scores[row]),
            xytext=(-7 if left else 7, 0), textcoords="offset points", ha="right" if left else "left", va="center",
            fontsize="x-small", color=_style.MUTED,
        )  # fmt: skip


def _diamonds(ax: Axes, places: Floats | NDArray[np.int64], heights: Floats, name: str, fill: str = "") -> None:
    if len(places):
        ax.plot(places, heights, "D", color=_style.OBSERVED, markerfacecolor=fill or _style.OBSERVED, markersize=6,
                linestyle="none", label=name, zorder=3, clip_on=False)  # fmt: skip


def _upwards(ax: Axes, least: float, meaning: str, title: str) -> Axes:
    """Probabilities on a logarithmic axis, 1 at the bottom; the legend above the curves."""
    ax.set_yscale("log")
    ax.set_ylim(1.0, least**1.4 / 2)
    ax.set_ylabel(meaning)
    ax.minorticks_off()
    _style.finish(ax, label(title, 90), "")
    ax.legend(ncols=2, fontsize=8.5, loc="upper left", frameon=False)
    return ax
