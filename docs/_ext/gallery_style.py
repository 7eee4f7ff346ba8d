"""The style of the gallery: examples that draw with matplotlib look like the pictures of the library."""

from __future__ import annotations

from typing import Any

from twosample import _style


def reset(gallery_conf: dict[str, Any], name: str) -> None:
    """Before each example."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            "axes.prop_cycle": mpl.cycler(color=[_style.X, _style.Y, _style.NULL_LINE, _style.OBSERVED]),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": _style.RULE,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.labelsize": 9.5,
            "xtick.labelsize": 9,
            "ytick.labelsize": 9,
            "xtick.color": _style.RULE,
            "ytick.color": _style.RULE,
            "xtick.labelcolor": _style.INK,
            "ytick.labelcolor": _style.INK,
            "text.color": _style.INK,
            "axes.labelcolor": _style.INK,
            "legend.frameon": False,
            "legend.fontsize": 9,
            "figure.figsize": _style.WIDE,
            "figure.constrained_layout.use": True,
        }
    )
