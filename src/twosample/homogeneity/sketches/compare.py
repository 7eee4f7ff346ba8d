"""The MMD test of two sketches: the same statistic, laws and result as for two samples in memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ... import _door as door
from ...core.blas import single_threaded_blas
from ...core.line_distances import WeightedLine
from ...core.types import Floats
from ...errors import InputError, OptionError, warn
from ...kernels import BandwidthRule, Kernel
from ...nulls import Null
from ...results import TestResult, conclude
from ...statistics import ObservedSums, QuadraticStatistic, Statistic
from ...summaries import BinnedColumn, comparable
from .bins import Bins
from .groups import SketchSums
from .permuted_groups import ObservedSketches, embedded_groups
from .scales import compare_at_all_scales
from .sketch import Sketch, different_kinds
from .waves import BinnedPair, BinnedSample, WaveGrid

_CLIPPED = 0.1  # share of both samples beyond the bins that deserves a warning
_BINNED_NULLS, _GROUPED_NULLS = ("spectrum", "gamma", "pearson"), ("permutation",)


def compare_sketches(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike | None = None,
    statistic: Statistic | str = "unbiased",
    null: Null | str | None = None,
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    """Test whether two samples that are known by their sketches come from the same distribution.

    H0: p = q. H1: p ≠ q. What :func:`mmd_test` does when it is given sketches.

    Of one column the kernel and its bandwidth are chosen afterwards; 'adaptive' joins twenty kernels by relabelling the
    rows of the bins, as if all rows of a bin lay at its mean. Of several columns they were fixed when the sketches
    began: None stands for that, and others are refused. The null is 'spectrum' (None stands for it), 'gamma' or
    'pearson' for one column, where there are no rows to permute; for several 'permutation', of groups of rows.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.homogeneity.sketches import compare_sketches
    >>> rng = np.random.default_rng(0)
    >>> a = ts.Sketch.fit(rng.normal(size=(4000, 3)))
    >>> b = ts.Sketch.fit(rng.laplace(size=(4000, 3)), like=a)
    >>> compare_sketches(a, b, rng=0).rejected
    True
    """
    state_x, state_y = _states(x, y)
    alias, chosen = door.resolve_statistic(statistic)
    if not isinstance(chosen, QuadraticStatistic) or chosen.pairwise:
        raise OptionError(f"statistic={alias!r} needs the rows; with sketches use 'unbiased' or 'biased'.")
    level, random = door.check_level(level), door.generator(rng)
    observed: _ObservedBins | ObservedSketches
    if door.is_adaptive(kernel):
        return compare_at_all_scales(state_x, state_y, bandwidth, statistic, null, level, random)
    if isinstance(state_x, Bins) and isinstance(state_y, Bins):
        judge = _null(null, _BINNED_NULLS, "one column")
        formula = door.resolve_kernel("gaussian" if kernel is None else kernel)
        rule = door.resolve_bandwidth("median" if bandwidth is None else bandwidth, formula)
        observed = _binned(state_x, state_y, formula, rule, chosen)
    elif isinstance(state_x, SketchSums) and isinstance(state_y, SketchSums):
        judge = _null(null, _GROUPED_NULLS, "several columns")
        door.check_resamples(judge, level)
        _check_kernel(kernel, state_x.kernel)
        if bandwidth is not None:
            raise OptionError(f"bandwidth={bandwidth!r}: sketches of several columns have theirs, {state_x.kernel!r}.")
        observed = ObservedSketches(
            chosen, state_x.kernel, embedded_groups(state_x, state_y), len(state_x.weights), random
        )
    else:
        raise InputError(different_kinds(state_x.layout, state_y.layout))
    with single_threaded_blas():  # small matrices: waking other threads costs more than it saves
        outcome = judge.judged(observed)
    return conclude(
        outcome.law,
        statistic=outcome.value,
        level=level,
        m=observed.m,
        n=observed.n,
        test="MMD two-sample test on sketches",
        symbol=chosen.symbol,
        columns=state_x.columns,
        null=outcome.null,
        kernel=observed.kernel,
        notes=observed.notes() + outcome.notes,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class _ObservedBins(ObservedSums):
    """One column: everything from the characteristic functions."""

    kernel: Kernel
    pair: BinnedPair
    width: float
    constant: bool
    rows = False

    @property
    def value(self) -> float:
        """0 for samples that do not vary."""
        return 0.0 if self.constant else super().value

    def notes(self) -> tuple[str, ...]:
        """What the user should know about the bins."""
        return _binned_notes(self.pair, self.width, self.constant)


def _states(x: object, y: object) -> tuple[Bins | SketchSums, Bins | SketchSums]:
    state_x, state_y = _state(x, "x"), _state(y, "y")
    if state_x.columns != state_y.columns:
        raise InputError(
            f"x has {state_x.columns} column(s) and y has {state_y.columns}; both must have the same columns."
        )
    return state_x, state_y


def _state(sketch: object, name: str) -> Bins | SketchSums:
    if not isinstance(sketch, Sketch):
        raise InputError(f"{name} is {type(sketch).__name__} and the other a Sketch; make both of them sketches.")
    if sketch.state is None or sketch.rows < 2:
        raise InputError(f"{name} is a sketch of {sketch.rows} row(s); a sample needs at least 2.")
    return sketch.state


def _null(null: Null | str | None, allowed: tuple[str, ...], what: str) -> Null:
    resolved = door.resolve_null("auto" if null is None else null, allowed)
    if resolved.name not in (*allowed, "auto"):
        raise OptionError(
            f"null={resolved.name!r} needs the rows. With sketches of {what} use {' or '.join(map(repr, allowed))}."
        )
    return resolved


def _binned(
    state_x: Bins, state_y: Bins, kernel: Kernel, rule: BandwidthRule, statistic: QuadraticStatistic
) -> _ObservedBins:
    """Two columns in the same bins, with the kernel's bandwidth from both."""
    a, b = comparable(state_x.column, state_y.column, max(state_x.layout.bins, state_y.layout.bins))
    unit = 2.0**a.grid.unit
    pool = BinnedSample.of(a.merged(b))
    spread = WeightedLine(pool.place, pool.rows, 1.0 if pool.variance.any() else 0.0)

    def quantiles(levels: Floats) -> Floats:  # of the distances between pooled rows, in bins; none is below one bin
        return unit * np.array([max(spread.quantile(float(level)), 1.0) for level in levels])

    formula = door.fill_widths(kernel, lambda metric, rows: rule.widths(quantiles))
    if formula.bounds is not None:  # others are refused below
        door.check_values(formula, formula.bounds[1], 2, powers=True)
    grid = WaveGrid.of(formula, float(pool.place[-1] - pool.place[0]), unit)
    pair = BinnedPair(_sample(state_x.column, a), _sample(state_y.column, b), grid)
    constant = len(pool.place) == 1 and not pool.variance.any()
    return _ObservedBins(statistic, pair.sums(), pair.centred, kernel=formula, pair=pair, width=unit, constant=constant)


def _sample(column: BinnedColumn, placed: BinnedColumn) -> BinnedSample:
    """A column as it was placed, and the share of the rows that either has beyond."""
    sample = BinnedSample.of(placed)
    return replace(sample, beyond=max(sample.beyond, (column.below + column.above) / column.rows))


def _binned_notes(pair: BinnedPair, width: float, constant: bool) -> tuple[str, ...]:
    if constant:
        return (door.ALL_ALIKE,)
    notes = [f"From bins of width {width:.4g}: MMD² of the rows themselves is within {pair.bound():.2g} of that."]
    if pair.grid.tail > 0.01 * float(pair.grid.kernel.diagonal(np.zeros((1, 1)))[0]):
        notes.append("The kernel is too narrow for these bins: what was tested is a smoother one.")
    x, y = pair.x.beyond, pair.y.beyond
    beyond = f"{x:.3g} of x and {y:.3g} of y lie beyond the bins and count as if they lay at the edge."
    if x or y:
        notes.append(beyond)
    if min(x, y) > _CLIPPED:
        how = "Differences there are not seen. Fit the sketches with a range that holds them: BinnedMoments(span=...)."
        warn(f"{beyond} {how}")
    return tuple(notes)


def _check_kernel(asked: door.KernelLike | None, known: Kernel) -> None:
    if asked is None:
        return
    kernel = door.resolve_kernel(asked)
    if kernel != known and kernel.fill(lambda metric, rows=None: getattr(known, "bandwidth", None) or 1.0) != known:
        raise OptionError(f"kernel={kernel!r}: sketches of several columns have their kernel, here {known!r}.")
