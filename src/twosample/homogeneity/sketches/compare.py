"""The MMD test of two sketches: the same statistic, laws and result as for two samples in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import _door as door
from ...core.evidence import Evidence
from ...core.sums import BlockSums
from ...core.threads import single_threaded_blas
from ...errors import InputError, OptionError, warn
from ...kernels import BandwidthRule, Kernel
from ...nulls import Null, Permutation, Spectrum
from ...results import TestResult, conclude
from ...statistics import QuadraticStatistic, Statistic
from ...summaries import BinnedColumn, comparable
from .bins import Bins
from .groups import Groups
from .median import filled
from .sketch import Sketch, different_kinds
from .waves import Atoms, BinnedPair, WaveGrid
from .worlds import GroupedPair

_CLIPPED = 0.1  # share of both samples beyond the bins that deserves a warning
_BINNED_NULLS = ("spectrum", "gamma", "pearson")
_NO_ROWS = "Sketches of one column have no rows to permute: the p-value is that of null='spectrum'."


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

    Parameters
    ----------
    x, y
        The sketches.
    kernel, bandwidth
        For one column: as in :func:`mmd_test`, chosen afterwards. For several columns they were fixed when the sketches
        began: None stands for that, and others are refused.
    statistic
        'unbiased' or 'biased'.
    null
        For one column 'spectrum' (None stands for it), 'gamma' or 'pearson': there are no rows to permute. For several
        'permutation' (None stands for it), of groups of rows.
    level
        The level of the test.
    rng
        Seed of the permutations.

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
    one, two = _states(x, y)
    alias, chosen = door.resolve_statistic(statistic)
    if not isinstance(chosen, QuadraticStatistic) or chosen.pairwise:
        raise OptionError(f"statistic={alias!r} needs the rows; with sketches use 'unbiased' or 'biased'.")
    level, random = door.check_level(level), door.generator(rng)
    if isinstance(one, Bins) and isinstance(two, Bins):
        chosen_here = () if null is not None else (_NO_ROWS,)
        null = Spectrum() if null is None else _null(null, _BINNED_NULLS, "one column")
        formula = door.resolve_kernel("gaussian" if kernel is None else kernel)
        rule = door.resolve_bandwidth("median" if bandwidth is None else bandwidth, formula)
        evidence, formula, notes = _binned(one, two, formula, rule, chosen)
        notes += chosen_here
    elif isinstance(one, Groups) and isinstance(two, Groups):
        null = Permutation() if null is None else _null(null, ("permutation",), "several columns")
        door.check_resamples(null, level)
        _check_kernel(kernel, one.kernel)
        if bandwidth is not None:
            raise OptionError(f"bandwidth={bandwidth!r}: sketches of several columns have theirs, {one.kernel!r}.")
        evidence, notes = _grouped(one, two, chosen, null.resamples, random)
        formula = one.kernel
    else:
        raise InputError(different_kinds(one.layout, two.layout))
    with single_threaded_blas():  # small matrices: waking other threads costs more than it saves
        law = null.law(evidence)
    return conclude(
        law,
        statistic=float(evidence.values[0]),
        level=level,
        m=evidence.m,
        n=evidence.n,
        test="MMD two-sample test on sketches",
        symbol=chosen.symbol,
        columns=one.columns,
        null=null,
        kernel=formula,
        notes=notes + null.notes(evidence),
    )


def _states(x: object, y: object) -> tuple[Bins | Groups, Bins | Groups]:
    one, two = _state(x, "x"), _state(y, "y")
    if one.columns != two.columns:
        raise InputError(f"x has {one.columns} column(s) and y has {two.columns}; both must have the same columns.")
    return one, two


def _state(sketch: object, name: str) -> Bins | Groups:
    if not isinstance(sketch, Sketch):
        raise InputError(f"{name} is {type(sketch).__name__} and the other a Sketch; make both of them sketches.")
    if sketch.state is None or sketch.rows < 2:
        raise InputError(f"{name} is a sketch of {sketch.rows} row(s); a sample needs at least 2.")
    return sketch.state


def _null(null: Null | str, allowed: tuple[str, ...], what: str) -> Null:
    resolved = door.resolve_null(null, allowed)
    if resolved.name not in allowed:
        raise OptionError(
            f"null={resolved.name!r} needs the rows. With sketches of {what} use {' or '.join(map(repr, allowed))}."
        )
    return resolved


def _binned(
    one: Bins, two: Bins, kernel: Kernel, rule: BandwidthRule, statistic: QuadraticStatistic
) -> tuple[Evidence, Kernel, tuple[str, ...]]:
    """One column: everything from the characteristic functions."""
    a, b = comparable(one.column, two.column, max(one.layout.bins, two.layout.bins))
    unit = 2.0**a.grid.unit
    pool = Atoms.of(a.merged(b))
    formula = filled(kernel, rule, pool, unit)
    if formula.bounds is not None:  # others are refused below
        door.check_values(formula, formula.bounds[1], 2, powers=True)
    grid = WaveGrid.of(formula, float(pool.place[-1] - pool.place[0]), unit)
    pair = BinnedPair(_atoms(one.column, a), _atoms(two.column, b), grid)
    evidence = _evidence(statistic, pair.sums(), formula)
    constant = len(pool.place) == 1 and not pool.variance.any()
    evidence = replace(evidence, centred=pair.centred, values=np.zeros(1) if constant else evidence.values)
    return evidence, formula, _binned_notes(pair, unit, constant)


def _evidence(statistic: QuadraticStatistic, sums: BlockSums, kernel: Kernel) -> Evidence:
    """What the nulls may look at."""
    form = statistic.form(sums.m, sums.n)
    squares, tolerance = form.value(sums), form.tolerance(sums)
    if statistic.root:  # a tie in the square is a tie in the root
        tolerance = float(np.sqrt(max(squares[0], 0.0)) - np.sqrt(max(squares[0] - tolerance, 0.0)))
    return Evidence(
        values=statistic.of_form(squares),
        tolerance=tolerance,
        exhaustive=False,
        m=sums.m,
        n=sums.n,
        kernel=repr(kernel),
        bounds=kernel.bounds,
        term_count=min(sums.m, sums.n) // 2,
        form=form,
        root=statistic.root,
        spread=sums.spread,
        least=statistic.least_pvalue(sums.m, sums.n),
    )


def _atoms(column: BinnedColumn, placed: BinnedColumn) -> Atoms:
    """The atoms of a column as it was placed, and the share of the rows that either has beyond."""
    atoms = Atoms.of(placed)
    return replace(atoms, beyond=max(atoms.beyond, (column.below + column.above) / column.rows))


def _binned_notes(pair: BinnedPair, width: float, constant: bool) -> tuple[str, ...]:
    if constant:
        return ("All rows of both samples are the same: there is nothing to compare, the statistic is 0 and p is 1.",)
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


def _grouped(
    one: Groups, two: Groups, statistic: QuadraticStatistic, count: int, rng: np.random.Generator
) -> tuple[Evidence, tuple[str, ...]]:
    """Several columns: the statistic in worlds with other groups."""
    pair = GroupedPair(one, two)
    evidence = _evidence(statistic, pair.sums(count, rng), one.kernel)
    groups = f"{int((one.sizes > 0).sum())} and {int((two.sizes > 0).sum())} groups of rows"
    how = (
        f"{groups} of equal sizes were permuted: exact."
        if pair.exchangeable
        else f"{groups} of different sizes were rotated among each other: right for groups of many rows."
    )
    return evidence, (how, f"The kernel is that of {len(one.weights)} random frequencies.")


def _check_kernel(asked: door.KernelLike | None, known: Kernel) -> None:
    if asked is None:
        return
    kernel = door.resolve_kernel(asked)
    if kernel != known and kernel.fill(lambda metric, rows=None: getattr(known, "bandwidth", None) or 1.0) != known:
        raise OptionError(f"kernel={kernel!r}: sketches of several columns have their kernel, here {known!r}.")
