"""How the tests look in the figures: one colour and one line for one test, everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOK = {
    "MMD²_u M": ("#1f4e9c", "-", "o"),
    "MMD²_u B": ("#1f4e9c", "--", "s"),
    "MMD_b": ("#58a4e0", "-", "^"),
    "MMD²_u H": ("#58a4e0", "--", "v"),
    "MMD²_l": ("#17868a", "-.", "D"),
    "t-test": ("#d62728", "-", "o"),
    "t-test, ridge": ("#d62728", ":", "x"),
    "Wolf": ("#e58a00", "-", "s"),
    "Smir, ours": ("#e58a00", "--", "^"),
    "KS": ("#e58a00", ":", "v"),
    "Hall": ("#7d4f96", "-", "D"),
    "fourier": ("#2ca02c", "-", "P"),
    "lowrank": ("#2ca02c", "--", "X"),
    "sketch": ("#2ca02c", ":", "*"),
}
"""Colour, line and marker: kernel tests blue, the classical ones warm, our engines green."""


def draw(axes: Axes, at: Sequence[float], values: Sequence[float], test: str) -> None:
    """The curve of one test."""
    colour, line, marker = LOOK[test]
    axes.plot(at, values, line, color=colour, marker=marker, markersize=4, linewidth=1.4, label=test)


def legend(figure: Figure, tests: Iterable[str]) -> None:
    """One legend for all panels, beside them, where it hides nothing."""
    from matplotlib.lines import Line2D

    shown = [test for test in LOOK if test in set(tests)]
    handles = [
        Line2D([], [], color=LOOK[test][0], linestyle=LOOK[test][1], marker=LOOK[test][2], markersize=5, label=test)
        for test in shown
    ]
    figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9, handlelength=3.2)
