"""Pictures of a matching: all MMDs, and the two distributions of a pair."""

from __future__ import annotations

from collections import Counter
from re import sub
from typing import TYPE_CHECKING

import numpy as np

from .._figures import X_COLOUR, Y_COLOUR, draw_witness
from .._shown import shown
from ..errors import InputError, OptionError, whole_number
from .columns import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .results import Matching

_SHOWN = 12  # categories
_LABELS = 60  # columns that are named


def draw_matching(m: Matching, ax: Axes | None = None) -> Axes:
    """A heat map of the MMDs; a frame around each pair, grey where columns cannot be compared."""
    s, t = m.mmd.shape
    ax = ax or _axes((min(3.0 + 0.3 * t, 14.0), min(2.0 + 0.3 * s, 14.0)))
    values = np.ma.masked_invalid(m.mmd)
    image = ax.imshow(values, cmap="viridis_r", vmin=0.0, vmax=float(min(values.max(), 1.5)) if values.count() else 1.0,
                      aspect="auto")  # fmt: skip
    ax.set_facecolor("#dddddd")
    rows, columns = ({name: k for k, name in enumerate(names)} for names in (m.sources, m.targets))
    from matplotlib.patches import Rectangle

    for pair in m.pairs:
        corner = (columns[pair.target] - 0.5, rows[pair.source] - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=Y_COLOUR, linewidth=2.0))
    for names, place, label in ((m.sources, ax.set_yticks, m.names[0]), (m.targets, ax.set_xticks, m.names[1])):
        few = len(names) <= _LABELS
        place(np.arange(len(names)) if few else [], [_label(name) for name in names] if few else [])
        (ax.set_ylabel if names is m.sources else ax.set_xlabel)(_label(label))
    ax.tick_params(axis="x", labelrotation=90)
    ax.set_title("MMD of all pairs; matched ones are framed", loc="left")
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, shrink=0.8, label="MMD, kernel of the row")
    return ax


def draw_pair(m: Matching, pair: int | str, ax: Axes | None = None) -> Axes:
    """Numbers with the witness between them; shares of categories; shares of words in text."""
    if m.sides is None:
        raise InputError("Pairs of whole tables have no picture; draw ts.witness of tables with one or two columns.")
    if not isinstance(pair, str) and not 0 <= whole_number("pair", pair, least=0) < len(m.pairs):
        raise OptionError(f"pair={pair} does not exist: there are {len(m.pairs)}, counted from 0.")
    chosen = m[pair] if isinstance(pair, str) else m.pairs[pair]
    one = m.sides[0].columns[m.sources.index(chosen.source)]
    two = m.sides[1].columns[m.targets.index(chosen.target)]
    if {one.family, two.family} & {"category", "text"}:
        ax = _shares(one, two, ax or _axes((6.0, 3.6)))
    else:
        from ..homogeneity import witness

        a, b = chosen.map or (0.0, 1.0)
        ax = draw_witness(witness(a + b * one.values, two.values, rng=0), ax)
    ax.set_title(f"{_label(one.name)} (x) and {_label(two.name)} (y), p = {chosen.pvalue:.3g}", loc="left")
    return ax


def _shares(one: Column, two: Column, ax: Axes) -> Axes:
    """The most frequent values side by side."""
    counts = [_counted(column) for column in (one, two)]
    totals = [max(sum(count.values()), 1) for count in counts]
    both = Counter({
        name: counts[0][name] / totals[0] + counts[1][name] / totals[1] for name in counts[0].keys() | counts[1].keys()
    })  # fmt: skip
    names = [name for name, _ in sorted(both.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]]
    place = np.arange(len(names))
    for count, total, shift, colour, label in zip(
        counts, totals, (-0.2, 0.2), (X_COLOUR, Y_COLOUR), ("x", "y"), strict=True
    ):
        ax.barh(place + shift, [count[name] / total for name in names], height=0.38, color=colour, label=label)
    ax.set_yticks(place, [_label(name) for name in names])
    ax.invert_yaxis()
    ax.set_xlabel("share")
    ax.legend(frameon=False, fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _counted(column: Column) -> Counter[str]:
    """How often values occur; of text, words."""
    if column.family == "text":
        return Counter(word for text in column.words for word in text.casefold().split())
    return Counter(column.levels())


def _label(name: str) -> str:
    """A name for a picture: no formula, and no sign that fonts lack."""
    return sub("[\u2400-\u2426\u27e8\u27e9]", "?", shown(name, 30)).replace("$", r"\$")


def _axes(size: tuple[float, float]) -> Axes:
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=size, layout="constrained")
    return ax
