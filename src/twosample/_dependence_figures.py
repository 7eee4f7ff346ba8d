"""Pictures of dependence: the witness as a contour plot, and all pairs of columns as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from . import _style
from ._figures import _view
from .core.types import Floats
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class DrawnDependence(Protocol):
    """What the picture needs of a witness of dependence."""

    @property
    def x(self) -> Floats:
        """The first variable."""

    @property
    def y(self) -> Floats:
        """The second variable."""

    def on_grid(self, x: object, y: object) -> Floats:
        """Values at all pairs of points."""


def draw_dependence_witness(witness: DrawnDependence, ax: Axes | None = None) -> Axes:
    """Contours of the witness under the points, for one column each (the paper's figure on independence)."""
    if witness.x.shape[1] != 1 or witness.y.shape[1] != 1:
        raise InputError(
            f"A witness of dependence is drawn for one column each, not {witness.x.shape[1]} and {witness.y.shape[1]}. "
            "Use w.rows() instead."
        )
    ax = ax or _style.new_axes((5.6, 4.6))
    x, y = witness.x[:, 0], witness.y[:, 0]
    spans = _view(x), _view(y)
    first, second = (np.linspace(low, high, 120) for low, high in spans)
    values = witness.on_grid(first, second).T
    _style.signed(ax, (first, second), values, "← rarer     more frequent →\nthan under independence")
    step = max(1, len(x) // 1000)
    ax.scatter(x[::step], y[::step], s=9, color="black", linewidths=0.3, edgecolors="white", label=f"{len(x)} pairs")
    ax.set(xlim=spans[0], ylim=spans[1], xlabel="x", ylabel="y")
    return _style.finish(ax, "Witness of the dependence", "upper right")


def draw_independence_matrix(
    names: Sequence[str], strength: Floats, pvalues: Floats, level: float, ax: Axes | None = None
) -> Axes:
    """All pairs of columns: the strength of their dependence as colour, adjusted p-values where it is significant."""
    count = len(names)
    ax = ax or _style.new_axes((1.6 + 0.62 * count, 1.2 + 0.55 * count))
    lower = np.tril(np.ones((count, count), dtype=bool), -1)
    shown = np.ma.array(np.sqrt(np.clip(strength, 0.0, 1.0)), mask=~lower)[1:, :-1]
    image = ax.pcolormesh(shown, cmap=_style.strength(), vmin=0.0, vmax=1.0, edgecolors="white", linewidth=2)
    ax.set(aspect="equal", xlim=(0, count - 1), ylim=(count - 1, 0))
    for i in range(1, count):
        for j in range(i):
            found = pvalues[i, j] <= level
            text = _short(float(pvalues[i, j])) if found else "·"
            dark = strength[i, j] > 0.3
            size, colour = (8, "white" if dark else _style.INK) if found else (13, _style.RULE)
            ax.text(j + 0.5, i - 0.5, text, ha="center", va="center", fontsize=size, color=colour)
    places = np.arange(count - 1) + 0.5
    ax.set_xticks(places, names[:-1], rotation=35, ha="right", rotation_mode="anchor")
    ax.set_yticks(places, names[1:])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label("√ normalised HSIC")
    return _style.finish(ax, f"Pairs with adjusted p ≤ {level:g}", "")


def _short(p: float) -> str:
    return f"{p:.2f}"[1:] if p >= 0.01 else (f"{p:.3f}"[1:] if p >= 0.001 else "<.001")
