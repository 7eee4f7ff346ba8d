"""Pictures of a matching: all MMDs, and the two distributions of a pair."""

from __future__ import annotations

from collections import Counter
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from .. import _style
from .._column_figures import draw_shares
from .._column_figures import label as _name
from .._figures import draw_witness
from .._numbers import is_p, pvalue
from .._pictures import Picture, SharePicture, WeightedNumbers, number_picture, share_picture, step_of, word_picture
from ..core.types import Floats
from ..errors import InputError, OptionError, whole_number
from ..kernels import Median
from .columns import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .results import Matching, Pair

_LABELS = 60  # columns that are named


def draw_matching(m: Matching, ax: Axes | None = None) -> Axes:
    """A heat map of the MMDs; a frame around each pair, grey where columns cannot be compared."""
    s, t = m.mmd.shape
    ax = ax or _style.new_axes((min(3.0 + 0.3 * t, 14.0), min(2.0 + 0.3 * s, 14.0)))
    values = np.ma.masked_invalid(m.mmd)
    top = float(min(values.max(), 1.5)) if values.count() else 1.0
    image = ax.imshow(values, cmap=_style.strength().reversed(), vmin=0.0, vmax=top, aspect="auto")
    ax.set_facecolor(_style.CHANCE)
    rows, columns = ({name: k for k, name in enumerate(names)} for names in (m.sources, m.targets))
    for pair in m.pairs:
        ax.plot(columns[pair.target], rows[pair.source], "o", color="white", markeredgecolor=_style.INK, markersize=7)
    for names, place in ((m.sources, ax.set_yticks), (m.targets, ax.set_xticks)):
        few = len(names) <= _LABELS
        place(np.arange(len(names)) if few else [], [_name(name) for name in names] if few else [])
    ax.set(ylabel=f"source: {_name(m.names[0])}", xlabel=f"target: {_name(m.names[1])}")
    ax.tick_params(axis="x", labelrotation=90)
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, shrink=0.8, label="MMD (dark: alike)")
    return _style.finish(ax, "○ matched pairs", "")


def draw_pair(m: Matching, pair: int | str, ax: Axes | None = None) -> Axes:
    """Numbers with the witness between them; shares of categories; shares of words in text."""
    if m.sides is None:
        raise InputError("Pairs of whole tables have no picture; draw ts.witness of tables with one or two columns.")
    if not isinstance(pair, str) and not 0 <= whole_number("pair", pair, least=0) < len(m.pairs):
        raise OptionError(f"pair={pair} does not exist: there are {len(m.pairs)}, counted from 0.")
    chosen = m[pair] if isinstance(pair, str) else m.pairs[pair]
    one, two = _columns(m, chosen)
    if {one.family, two.family} & {"category", "text"}:
        drawn = pair_picture(m, chosen)
        assert isinstance(drawn, SharePicture)
        ax = draw_shares(drawn, ax or _style.new_axes((6.0, 3.6)), ("x", "y"))
    else:
        from ..homogeneity import witness

        a, b = chosen.map or (0.0, 1.0)
        ax = draw_witness(witness(a + b * one.values, two.values, rng=0), ax)
        ax.set_xlabel(_name(two.name))
    return _style.finish(ax, f"{_name(one.name)} (x) and {_name(two.name)} (y), {is_p(pvalue(chosen.pvalue))}")


def pair_picture(m: Matching, pair: Pair) -> Picture | None:
    """The distributions of a pair as data to be drawn, the first column in the units of the second.

    None if there is nothing to draw: whole tables that were matched, or columns without a finite value.
    """
    if m.sides is None:
        return None
    one, two = _columns(m, pair)
    if one.on_a_line and two.on_a_line:
        shift, factor = pair.map or (0.0, 1.0)
        return _numbers(shift + factor * one.values, two.values, family=two.family)
    missing = (one.missing / max(1, one.rows), two.missing / max(1, two.rows))
    if "text" in (one.family, two.family):
        return word_picture(one.texts, two.texts, missing)
    counts = [Counter(column.label_counts) for column in (one, two)]
    labels = sorted(counts[0] | counts[1], key=lambda label: (-counts[0][label] - counts[1][label], label))
    if not labels:
        return None
    a, b = (np.array([count[label] for label in labels], dtype=np.float64) for count in counts)
    return share_picture(labels, a, b, missing)


def _columns(m: Matching, pair: Pair) -> tuple[Column, Column]:
    """The samples of a pair."""
    assert m.sides is not None
    found = [
        next(column for column in side.columns if column.name == name)
        for side, name in zip(m.sides, (pair.source, pair.target), strict=True)
    ]
    return found[0], found[1]


def _numbers(a: Floats, b: Floats, *, family: str) -> Picture | None:
    """Two samples of numbers; None if one is empty, or numbers are beyond what can be drawn."""
    if not len(a) or not len(b) or not isfinite(np.ptp(np.concatenate([a, b]))):
        return None
    pooled = np.concatenate([a, b])[:, None]
    [bandwidth] = Median().bandwidths(pooled, "euclidean", np.random.default_rng(0))
    one, two = (WeightedNumbers.of_values(part) for part in (a, b))
    dates, spans = family in ("date", "time"), family == "duration"
    step = step_of(np.concatenate([a, b]), dates=dates or spans)
    return number_picture(one, two, float(bandwidth), dates=dates, step=step, spans=spans)
