"""Pictures of results. matplotlib is imported here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from ._numbers import is_p, pvalue
from ._pictures import chance_band
from .core.laws import BoundLaw, ContinuousLaw
from .core.pvalue import Law, ReplicateLaw
from .core.types import Floats
from .errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .kernels import Kernel

X_COLOUR, Y_COLOUR, WITNESS_COLOUR, OBSERVED_COLOUR = "#0b6bb0", "#c8541d", "#2b2b2b", "#b3123f"
"""Told apart in print, in grey and by colour-blind readers; x is always blue and filled, y orange and outlined."""

FILL_COLOUR, BAND_COLOUR = "#9cc6e4", "#d9dad5"
_SOME = 2000  # rows that the band of chance is taken from


class Named(Protocol):
    """A null, by its name."""

    @property
    def name(self) -> str:
        """The alias."""
        ...


class Result(Protocol):
    """What a picture needs of the result of a test."""

    @property
    def law(self) -> Law:
        """The law of the statistic under H0."""
        ...

    @property
    def null(self) -> Named:
        """Where that comes from."""
        ...

    @property
    def statistic(self) -> float:
        """The observed value."""
        ...

    @property
    def threshold(self) -> float:
        """The value above which the test rejects."""
        ...

    @property
    def level(self) -> float:
        """The level of the test."""
        ...

    @property
    def pvalue(self) -> float:
        """The p-value."""
        ...

    @property
    def symbol(self) -> str:
        """The name of the statistic."""
        ...

    @property
    def verdict(self) -> str:
        """The decision in words."""
        ...


class DrawnWitness(Protocol):
    """What a picture needs of a witness function."""

    @property
    def x(self) -> Floats:
        """Sample x."""
        ...

    @property
    def y(self) -> Floats:
        """Sample y."""
        ...

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        ...

    @property
    def scale(self) -> float:
        """What the difference of means is multiplied by."""
        ...

    def __call__(self, at: Floats) -> Floats:
        """Values at points."""
        ...


def draw_null(result: Result, ax: Axes | None = None) -> Axes:
    """The law under H0, the threshold, and where the observed value fell."""
    ax = ax or _new_axes((6.0, 3.4))
    law = result.law
    if isinstance(law, ReplicateLaw):
        _replicate_histogram(ax, law.values[1:])
    elif isinstance(law, ContinuousLaw):
        _density_curve(ax, law, result)
    elif isinstance(law, BoundLaw):
        _bound_curve(ax, law, result)
    if np.isfinite(result.threshold):
        label = f"threshold at {result.level:g}"
        ax.axvline(result.threshold, color="#555555", linestyle="--", linewidth=1.2, label=label)
    ax.axvline(
        result.statistic,
        color=OBSERVED_COLOUR,
        linewidth=2.0,
        label=f"observed, {is_p(pvalue(result.pvalue))}",
    )
    ax.set_xlabel(result.symbol)
    ax.set_title(result.verdict[0].upper() + result.verdict[1:], loc="left")
    ax.locator_params(axis="x", nbins=6)
    ax.legend(framealpha=0.9, edgecolor="none", fontsize="small", loc="upper right")
    _plain(ax)
    return ax


def draw_views(result: Result, adjusted: dict[str, float], ax: Axes | None = None) -> Axes:
    """How surprising each view is once corrected for all of them; the level as a line."""
    ax = ax or _new_axes((6.0, 3.4))
    names, values = list(adjusted)[::-1], np.array(list(adjusted.values()))[::-1]
    colours = [OBSERVED_COLOUR if value <= result.level else "#8da7bd" for value in values]
    ax.barh(names, -np.log10(values), color=colours)
    ax.axvline(-np.log10(result.level), color="#555555", linestyle="--", linewidth=1.2, label=f"level {result.level:g}")
    ax.set_xlabel("-log10 of the adjusted p-value")
    ax.set_title(f"{result.verdict[0].upper()}{result.verdict[1:]} ({is_p(pvalue(result.pvalue))})", loc="left")
    ax.legend(framealpha=0.9, edgecolor="none", fontsize="small", loc="lower right")
    _plain(ax)
    return ax


def draw_witness(witness: DrawnWitness, ax: Axes | None = None) -> Axes:
    """Densities and witness in one dimension (the paper's Figure 1), contours in two."""
    columns = witness.x.shape[1]
    if witness.kernel.domain != "vectors" or columns > 2:
        raise InputError(f"A witness is drawn for samples of one or two columns, not {columns}. Use w.rows() instead.")
    ax = ax or _new_axes((6.0, 3.4) if columns == 1 else (5.2, 4.6))
    return _witness_line(witness, ax) if columns == 1 else _witness_contours(witness, ax)


def _witness_line(witness: DrawnWitness, ax: Axes) -> Axes:
    z = np.concatenate([witness.x, witness.y])[:, 0]
    low, high = _view(z)
    grid = np.linspace(low, high, 400)
    bins = np.linspace(low, high, int(np.clip(np.sqrt(len(z)), 10, 60)) + 1)
    tallest = 0.0
    for sample, colour, name in ((witness.x, X_COLOUR, "x"), (witness.y, Y_COLOUR, "y")):
        heights, _ = np.histogram(sample[:, 0], bins=bins)
        density = heights / (len(sample) * np.diff(bins))
        filled = {"fill": True, "facecolor": FILL_COLOUR, "edgecolor": colour} if name == "x" else {"color": colour}
        ax.stairs(density, bins, linewidth=1.5, label=f"{name} ({len(sample)} rows)", **filled)
        tallest = max(tallest, float(density.max()))
    values, band = witness(grid), _chance(witness, grid)
    top = max(float(np.abs(values).max()), 2.5 * float(band.max()))  # what chance alone gives does not look large
    if top > 0:
        factor = 0.9 * tallest / top
        ax.fill_between(grid, -factor * band, factor * band, color=BAND_COLOUR, alpha=0.7, linewidth=0, zorder=0.5,
                        label="chance alone, 95 %")  # fmt: skip
        ax.plot(grid, values * factor, color=WITNESS_COLOUR, linewidth=2.0, label=f"witness, times {factor:.3g}")
    ax.axhline(0, color="#999999", linewidth=0.8)
    ax.set_xlabel("value")
    ax.set_ylabel("density")
    ax.set_xlim(low, high)
    ax.set_title("Witness: up where x is denser, down where y is", loc="left")
    ax.legend(frameon=False, fontsize="small")
    _plain(ax)
    return ax


def _chance(witness: DrawnWitness, grid: Floats) -> Floats:
    """How far chance alone would carry the witness, from some of the rows."""
    z = np.concatenate([witness.x, witness.y])
    some = z[:: -(-len(z) // _SOME)]
    kernel = witness.kernel.block(grid[:, None], some)
    share = np.full(len(some), 1 / len(some))
    return np.asarray(abs(witness.scale) * chance_band(kernel, share, len(witness.x), len(witness.y)))


def _witness_contours(witness: DrawnWitness, ax: Axes) -> Axes:
    from matplotlib.colors import LinearSegmentedColormap

    z = np.concatenate([witness.x, witness.y])
    spans = [_view(z[:, i]) for i in (0, 1)]
    first, second = (np.linspace(low, high, 80) for low, high in spans)
    u, v = np.meshgrid(first, second)
    values = witness(np.column_stack([u.ravel(), v.ravel()])).reshape(u.shape)
    top = float(np.abs(values).max()) or 1.0
    colours = LinearSegmentedColormap.from_list("witness", [Y_COLOUR, "#ffffff", X_COLOUR])
    shades = ax.contourf(u, v, values, levels=np.linspace(-top, top, 22), cmap=colours, alpha=0.8)
    for sample, colour, marker, name in ((witness.x, X_COLOUR, "o", "x"), (witness.y, Y_COLOUR, "^", "y")):
        shown = sample[:: max(1, len(sample) // 400)]
        ax.scatter(
            shown[:, 0], shown[:, 1], s=14, color=colour, marker=marker, linewidths=0.4, edgecolors="white",
            label=f"{name} ({len(sample)} rows)",
        )  # fmt: skip
    ax.set(xlim=spans[0], ylim=spans[1], xlabel="first column", ylabel="second column")
    ax.set_title("Witness of the difference", loc="left")
    bar = ax.figure.colorbar(shades, ax=ax, shrink=0.9, format="%.2g")
    bar.set_label("← y denser     x denser →")
    ax.legend(frameon=True, framealpha=0.85, fontsize="small", loc="upper right")
    _plain(ax)
    return ax


def _replicate_histogram(ax: Axes, values: Floats) -> None:
    bins = int(np.clip(np.sqrt(len(values)), 10, 50))
    label = f"{len(values)} resamples"
    ax.hist(values, bins=bins, color="#8da7bd", edgecolor="white", linewidth=0.4, label=label)
    ax.set_ylabel("resamples")


def _density_curve(ax: Axes, law: ContinuousLaw, result: Result) -> None:
    low, high = law.threshold(0.999), law.threshold(0.001)
    if not low < high:
        return
    grid = np.linspace(low, max(high, result.statistic), 500)
    density = law.distribution.pdf(grid**2) * 2 * grid if law.root else law.distribution.pdf(grid)
    ax.fill_between(grid, density, color="#8da7bd", alpha=0.5, linewidth=0)
    ax.plot(grid, density, color="#41627d", linewidth=1.5, label=f"law under H0 ({result.null.name})")
    ax.set_ylim(bottom=0)
    ax.set_ylabel("density")


def _bound_curve(ax: Axes, law: BoundLaw, result: Result) -> None:
    high = 1.15 * max(law.threshold(0.001), result.statistic)
    grid = np.linspace(min(0.0, result.statistic), high, 400)
    heights = [law.pvalue(float(t)) for t in grid]
    ax.plot(grid, heights, color="#41627d", linewidth=1.5, label=f"bound ({result.null.name})")
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("P(at least this), at most")


def _view(values: Floats) -> tuple[float, float]:
    """The range to draw: all values, unless a few lie absurdly far out."""
    low, high = np.quantile(values, [0.005, 0.995])
    reach = 0.25 * (high - low) or 1.0
    return float(max(values.min(), low - reach) - 0.05 * reach), float(min(values.max(), high + reach) + 0.05 * reach)


def _new_axes(size: tuple[float, float]) -> Axes:
    from matplotlib import pyplot

    _, ax = pyplot.subplots(figsize=size, layout="constrained")
    return ax


def _plain(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
