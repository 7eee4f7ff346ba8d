"""One style for all pictures: colours, type and axes. x, or the first table, is blue and filled; y orange and outlined.

Nothing is said by colour alone, so that pictures can be read in grey and by colour-blind readers: shapes are filled or
outlined, lines are solid or dashed, markers differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .core.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.contour import ContourSet

Place = Literal["best", "upper right", "upper center", "lower right", ""]
X, Y = "#0b6bb0", "#c8541d"
X_FILL, Y_FILL = "#9cc6e4", "#fbe6d8"
INK, MUTED, RULE = "#222222", "#575c63", "#8a8f96"
OBSERVED, NULL, NULL_LINE, CHANCE, PALE = "#b3123f", "#8da7bd", "#41627d", "#d9dad5", "#f4f6f8"
DASHED: dict[str, Any] = {"color": MUTED, "linestyle": "--", "linewidth": 1.2}
"""A line to compare with: a threshold, a level, a margin."""
WIDE = (6.0, 3.4)
"""Inches of a picture that has no reason for another size."""
_TITLE, _LABEL, _TICK = 11.0, 9.5, 9.0  # points


def new_axes(size: tuple[float, float] = WIDE) -> Axes:
    """Axes of a new figure."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=size, layout="constrained")
    return ax


def finish(ax: Axes, title: str = "", legend: Place = "best") -> Axes:
    """Give axes their title, type, spines and legend; ``legend`` is its place, "" for none."""
    if title:
        ax.set_title(title, loc="left", fontsize=_TITLE, color=INK)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set(fontsize=_LABEL, color=INK)
    ax.tick_params(labelsize=_TICK, color=RULE, labelcolor=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set_color(RULE)
    if legend:
        ax.legend(fontsize=_TICK, loc=legend, frameon=True, facecolor="white", edgecolor="none", framealpha=0.85)
    return ax


def signed(ax: Axes, at: tuple[Floats, Floats], values: Floats, meaning: str) -> ContourSet:
    """Shades of a function of two columns: blue and solid lines above zero, orange and dashed lines below."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.ticker import MaxNLocator

    top = float(np.abs(values).max()) or 1.0
    levels = np.linspace(-top, top, 20)
    colours = LinearSegmentedColormap.from_list("signed", [Y, "#ffffff", X])
    shades = ax.contourf(*at, values, levels=levels, cmap=colours)
    ax.contour(*at, values, levels=levels[1::2], colors=INK, linewidths=0.7, alpha=0.55)
    bar = ax.figure.colorbar(shades, ax=ax, shrink=0.9, format="%.2g", ticks=MaxNLocator(6, symmetric=True))
    bar.set_label(meaning, fontsize=_LABEL, color=INK)
    bar.ax.tick_params(labelsize=_TICK, color=RULE, labelcolor=INK)
    return shades


def strength() -> Colormap:
    """From nothing, nearly white, to dark blue."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("strength", [PALE, X])
