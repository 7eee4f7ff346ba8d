"""Pictures of tests, and of witnesses of a difference or of a dependence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from . import _style
from ._numbers import is_p, pvalue
from ._pictures import chance_band
from .core.laws import ContinuousLaw
from .core.pvalue import Law, ReplicateLaw
from .core.types import Floats
from .errors import InputError
from .nulls.bounds import BoundLaw

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .kernels import Kernel

_SOME = 2000  # rows that the band of chance is taken from


class Named(Protocol):
    """A null, by its name."""

    @property
    def name(self) -> str:
        """The alias."""


class Result(Protocol):
    """What a picture needs of the result of a test."""

    @property
    def law(self) -> Law:
        """The law of the statistic under H0."""

    @property
    def null(self) -> Named:
        """Where that comes from."""

    @property
    def statistic(self) -> float:
        """The observed value."""

    @property
    def threshold(self) -> float:
        """The value above which the test rejects."""

    @property
    def level(self) -> float:
        """The level of the test."""

    @property
    def pvalue(self) -> float:
        """The p-value."""

    @property
    def symbol(self) -> str:
        """The name of the statistic."""

    @property
    def verdict(self) -> str:
        """The decision in words."""


class DrawnWitness(Protocol):
    """What a picture needs of a witness function."""

    @property
    def x(self) -> Floats:
        """Sample x."""

    @property
    def y(self) -> Floats:
        """Sample y."""

    @property
    def kernel(self) -> Kernel:
        """The kernel."""

    @property
    def scale(self) -> float:
        """What the difference of means is multiplied by."""

    def __call__(self, at: Floats) -> Floats:
        """Values at points."""


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


def draw_null(result: Result, ax: Axes | None = None) -> Axes:
    """The law under H0, the threshold, and where the observed value fell."""
    ax = ax or _style.new_axes()
    law = result.law
    if isinstance(law, ReplicateLaw):
        _replicate_histogram(ax, law.values[1:])
    elif isinstance(law, ContinuousLaw):
        _density_curve(ax, law, result)
    elif isinstance(law, BoundLaw):
        _bound_curve(ax, law, result)
    if np.isfinite(result.threshold):
        ax.axvline(result.threshold, label=f"threshold at level {result.level:g}", **_style.DASHED)
    said = f"observed, {is_p(pvalue(result.pvalue))}"
    ax.axvline(result.statistic, color=_style.OBSERVED, linewidth=2.0, label=said)
    ax.set_xlabel(result.symbol)
    ax.locator_params(axis="x", nbins=6)
    low, high = ax.get_xlim()
    aside = result.statistic > low + 0.65 * (high - low)  # the line of the observed value would cross the legend
    return _style.finish(ax, _sentence(result.verdict), "upper center" if aside else "upper right")


def draw_views(result: Result, adjusted: dict[str, float], ax: Axes | None = None) -> Axes:
    """The p-value of each view once corrected for all of them, small ones to the right; the level as a line."""
    ax = ax or _style.new_axes()
    names, values = list(adjusted)[::-1], np.array(list(adjusted.values()))[::-1]
    colours = [_style.OBSERVED if value <= result.level else _style.NULL for value in values]
    ax.barh(names, -np.log10(values), color=colours)
    ax.axvline(-np.log10(result.level), label=f"level {result.level:g}", **_style.DASHED)
    ends = np.arange(0, max(3, int(np.ceil(-np.log10(values).min(initial=1.0))) + 1))
    ax.set_xticks(ends, [f"{10.0**-end:g}" for end in ends])
    ax.set_xlabel("adjusted p-value (longer bars: clearer)")
    return _style.finish(ax, f"{_sentence(result.verdict)} ({is_p(pvalue(result.pvalue))})", "lower right")


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def draw_witness(witness: DrawnWitness, ax: Axes | None = None) -> Axes:
    """Densities and witness in one dimension (the paper's Figure 1), contours in two."""
    columns = witness.x.shape[1]
    if witness.kernel.domain != "vectors" or columns > 2:
        raise InputError(f"A witness is drawn for samples of one or two columns, not {columns}. Use w.rows() instead.")
    ax = ax or _style.new_axes(_style.WIDE if columns == 1 else (5.6, 4.6))
    return _witness_line(witness, ax) if columns == 1 else _witness_contours(witness, ax)


def _witness_line(witness: DrawnWitness, ax: Axes) -> Axes:
    z = np.concatenate([witness.x, witness.y])[:, 0]
    low, high = _view(z)
    grid = np.linspace(low, high, 400)
    bins = np.linspace(low, high, int(np.clip(np.sqrt(len(z)), 10, 60)) + 1)
    tallest = 0.0
    for sample, colour, name in ((witness.x, _style.X, "x"), (witness.y, _style.Y, "y")):
        heights, _ = np.histogram(sample[:, 0], bins=bins)
        density = heights / (len(sample) * np.diff(bins))
        filled = {"fill": True, "facecolor": _style.X_FILL, "edgecolor": colour} if name == "x" else {"color": colour}
        ax.stairs(density, bins, linewidth=1.5, label=f"{name} ({len(sample)} rows)", **filled)
        tallest = max(tallest, float(density.max()))
    values, band = witness(grid), _chance(witness, grid)
    top = max(float(np.abs(values).max()), 2.5 * float(band.max()))  # what chance alone gives does not look large
    if top > 0:
        factor = 0.9 * tallest / top
        ax.fill_between(grid, -factor * band, factor * band, color=_style.CHANCE, alpha=0.7, linewidth=0, zorder=0.5,
                        label="chance alone, 95 %")  # fmt: skip
        ax.plot(grid, values * factor, color=_style.INK, linewidth=2.0, label=f"witness, times {factor:.3g}")
    ax.axhline(0, color=_style.RULE, linewidth=0.8)
    ax.set(xlabel="value", ylabel="density (share of rows in each unit)", xlim=(low, high))
    ax.set_ylim(top=1.35 * tallest)  # room for the legend
    return _style.finish(ax, "Witness: up where x is denser, down where y is")


def _chance(witness: DrawnWitness, grid: Floats) -> Floats:
    """How far chance alone would carry the witness, from some of the rows."""
    z = np.concatenate([witness.x, witness.y])
    some = z[:: -(-len(z) // _SOME)]
    kernel = witness.kernel.block(grid[:, None], some)
    share = np.full(len(some), 1 / len(some))
    return np.asarray(abs(witness.scale) * chance_band(kernel, share, len(witness.x), len(witness.y)))


def _witness_contours(witness: DrawnWitness, ax: Axes) -> Axes:
    z = np.concatenate([witness.x, witness.y])
    spans = [_view(z[:, i]) for i in (0, 1)]
    u, v = np.meshgrid(*(np.linspace(low, high, 80) for low, high in spans))
    values = witness(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    _style.signed(ax, (u, v), values, "← y denser     x denser →")
    for sample, colour, marker, name in ((witness.x, _style.X, "o", "x"), (witness.y, _style.Y, "^", "y")):
        shown = sample[:: max(1, len(sample) // 400)]
        ax.scatter(
            shown[:, 0], shown[:, 1], s=16, color=colour, marker=marker, linewidths=0.5, edgecolors="white",
            label=f"{name} ({len(sample)} rows)",
        )  # fmt: skip
    ax.set(xlim=spans[0], ylim=spans[1], xlabel="first column", ylabel="second column")
    return _style.finish(ax, "Witness of the difference", "upper right")


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


def _replicate_histogram(ax: Axes, values: Floats) -> None:
    bins = int(np.clip(np.sqrt(len(values)), 10, 50))
    ax.hist(values, bins=bins, color=_style.NULL, edgecolor="white", linewidth=0.4, label=f"{len(values)} resamples")
    ax.set_ylabel("number of resamples")


def _density_curve(ax: Axes, law: ContinuousLaw, result: Result) -> None:
    low, high = law.threshold(0.999), law.threshold(0.001)
    if not low < high:
        return
    grid = np.linspace(low, max(high, result.statistic), 500)
    density = law.distribution.pdf(grid**2) * 2 * grid if law.root else law.distribution.pdf(grid)
    ax.fill_between(grid, density, color=_style.NULL, alpha=0.5, linewidth=0)
    ax.plot(grid, density, color=_style.NULL_LINE, linewidth=1.5, label=f"law under H0 ({result.null.name})")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("density")


def _bound_curve(ax: Axes, law: BoundLaw, result: Result) -> None:
    high = 1.15 * max(law.threshold(0.001), result.statistic)
    grid = np.linspace(min(0.0, result.statistic), high, 400)
    heights = [law.pvalue(float(t)) for t in grid]
    ax.plot(grid, heights, color=_style.NULL_LINE, linewidth=1.5, label=f"bound ({result.null.name})")
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("P(at least this), at most")


def _view(values: Floats) -> tuple[float, float]:
    """The range to draw: all values, unless a few lie absurdly far out."""
    low, high = np.quantile(values, [0.005, 0.995])
    reach = 0.25 * (high - low) or 1.0
    return float(max(values.min(), low - reach) - 0.05 * reach), float(min(values.max(), high + reach) + 0.05 * reach)
