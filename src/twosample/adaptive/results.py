"""The outcome of the adaptive test: one p-value, and what every view of the data has to say."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import atanh, hypot, sqrt, tanh
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._reported import Tabled, plain
from ..core.types import Floats
from ..errors import InputError, whole_number
from ..results import TestResult
from .base import PooledView

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FAR = 0.5  # an adjusted p-value from which on a view is not worth a word
_VISIBLE = 0.005  # an effect size that is not 0.00 in two digits
Mask = NDArray[np.bool_]

_LEAST_ROWS = 8  # of the smaller sample
_NORMAL = 1.96


class ViewEffect(NamedTuple):
    """An effect size r with its 95 % interval."""

    value: float
    low: float
    high: float


def effect_of(view: PooledView) -> ViewEffect | None:
    r"""The correlation between the label of a row and the witness of the view at it, for rows that it has not seen.

    The witness is computed from one half of the rows and evaluated at the other; of each,
    :math:`r = d/\sqrt{d^2+4}` for the standardised difference d of its means, as in :func:`effect_size` with a linear
    kernel. The mean over four halves, of two divisions that cross each other, estimates what the witness of half of so
    many rows is worth on average. That is 0 if there is no difference, and negative values are reported as 0. The
    interval is Fisher's for the rows of one half, about right for narrow kernels and wide for few features. None for
    fewer than eight rows a sample. Four projections: O(N F), or O(N²) for kernels.
    """
    m, n = view.pool.m, view.pool.n
    if min(m, n) < _LEAST_ROWS:
        return None
    labels = np.arange(m + n) < m
    rng = np.random.default_rng(0)  # the order of rows may have a period: sorted by time, or alternating
    quarter = np.concatenate([rng.permutation(m), rng.permutation(n)]) % 4
    halves = [half for one in (quarter < 2, quarter % 2 == 0) for half in (one, ~one)]
    found = float(np.mean([_across(view, labels, half) for half in halves]))
    rows = 4 * m * n / (m + n)  # as many if the samples were of equal size; both halves see the same inner product
    error = _NORMAL / sqrt(rows / 2 - 3)
    low, high = (max(0.0, tanh(atanh(min(max(found, -0.999), 0.999)) + sign * error)) for sign in (-1, 1))
    return ViewEffect(max(0.0, found), low, high)


def _across(view: PooledView, labels: Mask, half: Mask) -> float:
    """d/sqrt(d²+4) outside the half for the witness of the half; 1 if it tells the samples apart without spread."""
    x, y = labels & half, ~labels & half
    values: Floats = view.projection(x / x.sum() - y / y.sum())
    first, second = values[labels & ~half], values[~labels & ~half]
    spread = sqrt((first.var() + second.var()) / 2)
    difference = float(first.mean() - second.mean())
    return difference / hypot(difference, 2 * spread) if difference else 0.0


@dataclass(frozen=True, eq=False)
class ViewResult(Tabled):
    """What one view says.

    Parameters
    ----------
    name
        The view: 'mean', 'directions', 'covariance', ...
    statistic
        Its observed value, in standard deviations from its mean over all labellings.
    pvalue
        Its p-value alone.
    adjusted_pvalue
        Corrected for all views: at most the level for some view exactly if the test rejects, up to ties.
    view
        The view itself.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(60, 2))
    >>> r = ts.two_sample_test(x, x * [1, 5], rng=0)
    >>> [view.name for view in r.views if view.adjusted_pvalue <= 0.002]
    ['covariance', 'radius', 'shape', 'fine scale', 'middle scale']
    """

    name: str
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    view: PooledView = field(repr=False)

    @cached_property
    def sees(self) -> str:
        """Where the view sees the largest difference, in words; under H0 that is noise."""
        return self.view.sees()

    @cached_property
    def witness(self) -> Floats:
        """``(m + n,)`` at every row, x first: large where rows look like x, small where they look like y."""
        return self.view.witness()

    @cached_property
    def effect(self) -> ViewEffect | None:
        """The effect size r of the view, between 0 and 1, with its 95 % interval: ``effect.value, .low, .high``.

        The correlation of the label with the view's witness at rows that it has not seen, for a witness made of half of
        the rows: views of the same samples can be compared by it. Where the witness has much to learn, as at fine
        scales or in many columns, more rows make it larger. None for fewer than eight rows in a sample.
        """
        return effect_of(self.view)

    def __str__(self) -> str:
        return f"{self.name}: p = {self.pvalue:.3g}, adjusted {self.adjusted_pvalue:.3g}; {self.sees}"


@dataclass(frozen=True, eq=False)
class AdaptiveResult(TestResult):
    """The outcome of :func:`two_sample_test`: a :class:`TestResult` with views.

    Parameters
    ----------
    test, symbol, statistic, pvalue, threshold, level, m, n, columns, null, law, kernel, engine, reason, notes, citation
        As for :class:`TestResult`; the statistic is the log of the weighted mean of 1/p over the views.
    views
        What every view says, in a fixed order.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x, y = np.random.default_rng(0).normal(size=(2, 80, 3))
    >>> r = ts.two_sample_test(x, y + [0, 0, 1.0], rng=0)
    >>> r.rejected, r.strongest.name, r.strongest.sees
    (True, 'column', 'column 3: y is higher')
    """

    views: tuple[ViewResult, ...] = ()

    @property
    def strongest(self) -> ViewResult:
        """The view with the smallest adjusted p-value; of those with up to twice that, the one that names columns.

        Of two that are equal in all that, as where no relabelling comes near the truth, the one of the larger effect.
        """
        if not self.views:
            raise InputError(f"There is no strongest view: {self.notes[-1]}")
        least = min(view.adjusted_pvalue for view in self.views)
        near = [view for view in self.views if view.adjusted_pvalue <= 2.001 * least]
        first = min(map(_rank, near))
        equal = [view for view in near if _rank(view) == first]
        return equal[0] if len(equal) == 1 else max(equal, key=_effect)

    def explain(self, rows: int = 3) -> str:
        """What was found and where, in words.

        Parameters
        ----------
        rows
            How many rows of each sample to name that show it most.
        """
        whole_number("rows", rows, least=0)
        if not self.views:
            return self.notes[-1]
        if not self.rejected:
            said = (
                f"No difference found (p = {self.pvalue:.3g}): if the same rows are divided at random, the two parts "
                f"differ at least as much in about {_percent(self.pvalue)} of all cases."
            )
            nearest = self.strongest
            near = f" The nearest to a difference was '{nearest.name}' ({nearest.sees})."
            return said + near if nearest.adjusted_pvalue < _FAR else said
        first = self.strongest
        found = [view for view in self.views if view.adjusted_pvalue <= self.level and view is not first]
        found.sort(key=lambda view: (view.adjusted_pvalue, view.view.vague))
        found = [first, *found]
        lines = [f"The samples differ (p = {self.pvalue:.3g}). Seen by:"]
        lines += [
            f"  {view.name} (adjusted p = {view.adjusted_pvalue:.3g}{_size(view)}): {view.sees}" for view in found
        ]
        if not rows:
            return "\n".join(lines)
        witness = found[0].witness
        in_x = np.argsort(-witness[: self.m], kind="stable")[:rows]
        in_y = np.argsort(witness[self.m :], kind="stable")[:rows]
        lines.append(
            f"Rows that show it most, counted from 0: {', '.join(map(str, in_x))} of x and "
            f"{', '.join(map(str, in_y))} of y."
        )
        return "\n".join(lines)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the adjusted p-value of every view; returns the matplotlib axes."""
        from .._figures import draw_views

        return draw_views(self, {view.name: view.adjusted_pvalue for view in self.views}, ax)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values that JSON can hold."""
        views = [plain(view, "name", "statistic", "pvalue", "adjusted_pvalue", "sees") for view in self.views]
        return {**super().to_dict(), "views": views}

    def _lines(self) -> list[tuple[str, str]]:
        return super()._lines() + [("view", str(view)) for view in self.views]


def _rank(view: ViewResult) -> tuple[float, ...]:
    return view.view.vague, view.adjusted_pvalue, view.pvalue


def _effect(view: ViewResult) -> float:
    """In two digits: views that say the same keep their order, the location of a column before its shape."""
    return 0.0 if view.effect is None else round(view.effect.value, 2)


def _percent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.1 else 2}{'f' if share >= 0.1 else 'g'}} %"


def _size(view: ViewResult) -> str:
    """The effect size in words, where there is one."""
    if view.effect is None:
        return ""
    if view.effect.value < _VISIBLE:  # seen by all rows together, too small to be estimated from half of them
        return f", effect r at most {view.effect.high:.2f}"
    return f", effect r = {view.effect.value:.2f}, {view.effect.low:.2f} to {view.effect.high:.2f}"
