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
_ALONG, _ABOVE = (0.07, 0.14, 0.21, 0.28), 0.22  # room of a name: in parts of the width, in powers of ten
_MANY = 40  # diamonds that are smaller than few are
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
    return _upwards(ax, min(least, threshold or 1.0), "p-value, ties parted (higher: odder)", title)


def _name_some(ax: Axes, numbers: NDArray[np.int64], scores: Floats, reasons: Sequence[str]) -> None:
    """Row and reason beside the oddest rows, on a side where neither a name nor another outlier is."""
    low, high = ax.get_xlim()
    across, up = (numbers - low) / (high - low), np.log10(scores)
    taken = np.stack([across, up], axis=1)
    named = 0
    for row, reason in zip(scores.argsort(kind="stable"), reasons, strict=False):
        side = next((side for side in (1, -1) if _free(taken, across[row], up[row], side)), None)
        if named == _MOST_NAMED or side is None:
            continue
        named += 1
        taken = np.concatenate([taken, [[across[row] + side * part, up[row]] for part in _ALONG]])
        ax.annotate(
            f"row {numbers[row]:,}{': ' if reason else ''}{label(reason, 24)}", (numbers[row], scores[row]),
            xytext=(7 * side, 0), textcoords="offset points", ha="left" if side > 0 else "right", va="center",
            fontsize="x-small", color=_style.MUTED,
        )  # fmt: skip


def _free(taken: Floats, across: float, up: float, side: int) -> bool:
    """Whether there is room for a name on one side of a place, in parts of the width and powers of ten."""
    along, above = side * (taken[:, 0] - across), np.abs(taken[:, 1] - up)
    inside = 0 <= across + side * _ALONG[-1] <= 1
    return inside and not bool(((along > 0) & (along < _ALONG[-1]) & (above < _ABOVE)).any())


def _diamonds(ax: Axes, places: Floats | NDArray[np.int64], heights: Floats, name: str, fill: str = "") -> None:
    """Diamonds; where there are many, smaller ones that let others shine through."""
    many = len(places) > _MANY
    if len(places):
        ax.plot(places, heights, "D", color=_style.OBSERVED, markerfacecolor=fill or _style.OBSERVED,
                markersize=4.5 if many else 6, alpha=0.45 if many else 1.0, markeredgewidth=0.0 if many else 1.0,
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
