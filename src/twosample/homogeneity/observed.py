"""MMD of two samples as an observed statistic: it answers what null distributions ask. Steps 3 to 5 of the path."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.centred import Centred
from ..core.labellings import Labellings, observed
from ..core.laws import ContinuousLaw, Limit, PointLaw
from ..core.observed import Grouped, Observed, Resampler, Series
from ..core.pvalue import Law, ReplicateLaw
from ..core.strata import Strata
from ..core.sums import BlockSums, QuadraticForm
from ..core.types import Floats
from ..engines import Engine, Fourier, Gram
from ..kernels import Kernel
from ..nulls.asymptotic import rows_that_count
from ..nulls.bounds import hoeffding_bound, kernel_limits, mcdiarmid_bound
from ..statistics import QuadraticStatistic
from .stratified import stratified_form
from .weighted import group_sums, time_series

_MANY = 50_000  # points on a line from which on neighbours are worth counting together


@dataclass(frozen=True, eq=False)
class ObservedMMD(Observed):
    """An estimate of MMD from rows."""

    request: door.Request  # what was asked for
    labellings: int  # how many labellings will be looked at, for the choice of the engine

    @cached_property
    def m(self) -> int:
        """Rows of x."""
        return self.request.pool.m

    @cached_property
    def n(self) -> int:
        """Rows of y."""
        return self.request.pool.n

    @cached_property
    def rng(self) -> np.random.Generator:
        """That of the request."""
        return self.request.rng

    @cached_property
    def least(self) -> float:
        """By the statistic."""
        return self.request.statistic.least_pvalue(self.m, self.n)

    @property
    def engine(self) -> Engine | None:
        """What applies the Gram matrix, if there is one."""
        return None

    @property
    def reason(self) -> str:
        """Why this engine."""
        return ""

    def notes(self, law: Law) -> tuple[str, ...]:
        """What the user should know about the samples, the rounding and the engine."""
        if self.request.notes:
            return self.request.notes
        if isinstance(law, ReplicateLaw):
            tolerance, spread = self._rounded(law)  # values that are exactly the same are no matter of rounding
            return _rounding(self.request.kernel, tolerance, spread) if spread > 0 else ()
        if isinstance(law, ContinuousLaw) and isinstance(law.distribution, PointLaw) and self._may_vary:
            return _rounding(self.request.kernel, self.tolerance, self.error or 0.0)
        return ()

    def _rounded(self, law: ReplicateLaw) -> tuple[float, float]:
        """The rounding error of the resampled values of MMD², and their range."""
        return law.tolerance, float(np.ptp(law.values))

    @property
    def _may_vary(self) -> bool:
        """Whether a law that is a point is one because of rounding: not of terms that are all the same, or only one."""
        return bool(self.error)

    def _check_size(self, powers: bool = False) -> None:
        """Refuse data or multiples for which a kernel overflows; no kernel value exceeds the largest k(z, z).

        Resampling takes sums of kernel values only; laws take powers of them, which may vanish too.
        """
        kernel, z = self.request.kernel, self.request.pool.z
        door.check_values(kernel, _largest(kernel, z), len(z), powers=powers)


@dataclass(frozen=True, eq=False)
class ObservedForm(ObservedMMD):
    """An estimate from all pairs of rows: labellings, block sums, one formula."""

    form: QuadraticForm = field(init=False)  # the statistic, or its square
    _ranges: list[tuple[float, float]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", self._form())

    def _form(self) -> QuadraticForm:
        return self.statistic.form(self.m, self.n)

    @property
    def statistic(self) -> QuadraticStatistic:
        """That of the request."""
        assert isinstance(self.request.statistic, QuadraticStatistic)
        return self.request.statistic

    @cached_property
    def _planned(self) -> door.Request:
        return self.request.planned(self.labellings)

    @property
    def engine(self) -> Engine | None:
        return self._planned.engine

    @property
    def reason(self) -> str:
        return self._planned.reason

    @cached_property
    def _gram(self) -> Gram:
        assert self._planned.engine is not None
        return self._planned.engine.gram(self.request.kernel, self.request.pool.z, self.rng)

    @cached_property
    def _truth(self) -> tuple[BlockSums, float]:
        """Block sums of the true labelling, and the value of the form."""
        self._check_size()
        sums, squares = self._sums(observed(self.m, self.n))
        return sums, float(squares[0])

    def _sums(self, labels: Labellings) -> tuple[BlockSums, Floats]:
        sums = self._gram.block_sums(labels, self.m, self.n)
        return sums, self.form.value(sums, self._paired(labels, sums) if self.form.skips_pairs else 0.0)

    @property
    def value(self) -> float:
        sums, square = self._truth
        return float(self._law(np.array([square]), self.form.tolerance(sums), False, 0.0).values[0])

    @cached_property
    def tolerance(self) -> float:
        """Of the value."""
        sums, square = self._truth
        return self._law(np.array([square]), self.form.tolerance(sums), False, 0.0).tolerance

    @cached_property
    def spread(self) -> float:
        """Over the pool."""
        return self._truth[0].spread

    def notes(self, law: Law) -> tuple[str, ...]:
        return super().notes(law) + self._gram.notes(self.m, self.n)

    def _rounded(self, law: ReplicateLaw) -> tuple[float, float]:
        return self._ranges[-1]  # of the squares, not of their roots

    @property
    def _may_vary(self) -> bool:
        return True

    def resampled(self, null: Resampler) -> Law:
        self._check_size()
        exhaustive, order = False, self._order
        parts: list[BlockSums] = []
        values: list[Floats] = []
        for drawn in null.batches(self.m, self.n, self.statistic.pairwise, self.rng):
            labels = drawn if order is None else drawn.along(order, None if parts else self.m)
            exhaustive |= labels.exhaustive
            sums, squares = self._sums(labels)
            parts.append(sums)
            values.append(squares)
        tolerance, squares = self.form.tolerance(BlockSums.concatenate(parts)), np.concatenate(values)
        if order is not None:  # the engine may have moved points a little: the value is that of the points themselves,
            moved, squares[0] = squares[0], self._truth[1]
            tolerance = max(tolerance, abs(float(squares[0] - moved)))  # and its rank is not better than when moved
        return self._law(squares, tolerance, exhaustive, null.floor(self))

    @property
    def _order(self) -> NDArray[np.intp] | None:
        """The order of very many points on a line, in which relabellings are written whatever the engine."""
        z = self.request.pool.z
        return np.argsort(z[:, 0]) if z.shape[1] == 1 and len(z) >= _MANY else None

    def stratified(self, strata: Strata, null: Resampler, groups: NDArray[np.intp] | None = None) -> Law:
        self._check_size()
        form = stratified_form(self.request, self.statistic.root, self._gram, strata, groups, self._weights)
        exhaustive, values, resolution = False, [], 0.0
        for labels in null.batches(strata.m, len(strata.of_row) - strata.m, False, self.rng):
            found, resolution = form.values(labels.x)
            exhaustive |= labels.exhaustive
            values.append(found)
        tolerance = 4 * resolution * float(np.abs(form.diagonal).mean())
        return self._law(np.concatenate(values), tolerance, exhaustive, null.floor(self))

    @property
    def _weights(self) -> Floats:
        """``(N,)`` weights of the rows."""
        return np.ones(self.m + self.n)

    def replicates(self, squares: Floats, exhaustive: bool, floor: float) -> ReplicateLaw:
        return self._law(squares, self.form.tolerance(self._truth[0]), exhaustive, floor)

    def _law(self, squares: Floats, tolerance: float, exhaustive: bool, floor: float) -> ReplicateLaw:
        """The law over values of the form; their rounding error and range are kept for the notes."""
        self._ranges.append((tolerance, float(np.ptp(squares))))
        return self.statistic.law(squares, tolerance, exhaustive, floor)

    def limit(self, null: str) -> Limit:
        self._check_size(powers=True)
        sums, square = self._truth
        return self.form.limit(self._centred, square, self.form.tolerance(sums), self.statistic.root)

    @cached_property
    def _centred(self) -> Centred:
        return self._gram.centred(self.rng)

    def limit_rows(self) -> float:
        return rows_that_count(self._centred, min(self.m, self.n), self.request.kernel, self.request.pool.z)

    def in_linear_time(self) -> Observed | None:
        """Many rows of one column by the Fourier engine; with its own copy of the generator."""
        pool, kernel = self.request.pool, self.request.kernel
        if kernel.domain != "vectors" or pool.z.shape[1] != 1:
            return None
        quick = ObservedForm(replace(self.request, rng=deepcopy(self.rng)), 1)
        fits = door.values_fit(_largest(kernel, pool.z), len(pool.z), powers=True)
        return quick if fits and isinstance(quick.engine, Fourier) else None

    def bound(self, null: str) -> Law:
        limits = kernel_limits(self.request.kernel, null)
        self._check_size(powers=True)
        if self.statistic.root:
            return mcdiarmid_bound(self.m, self.n, limits)
        return hoeffding_bound(min(self.m, self.n) // 2, limits)

    def series(self, null: str) -> Series:
        return self._series

    @cached_property
    def _series(self) -> Series:
        self._check_size()
        return time_series(self.form, self._gram, self.request.kernel, self.request.pool)

    def grouped(self, groups: NDArray[np.intp], count: int) -> Grouped:
        self._check_size()
        diagonal = self.request.kernel.diagonal(self.request.pool.z)
        return group_sums(self._gram, diagonal, groups, count, bool(self.form.dx), self._weights)

    def _paired(self, labels: Labellings, sums: BlockSums) -> Floats | float:
        """The sum of k(x_i, y_i) in every resample, or in all of them if they have the same pairs.

        An engine may have summed k(x, y) + f(x) + f(y): that adds here half of what it adds to the diagonal.
        """
        pool, kernel = self.request.pool, self.request.kernel
        diagonal = kernel.diagonal(pool.z)
        if labels.places is None or labels.y is None:
            lift = (sums.dx[0] + sums.dy[0] - diagonal.sum()) / 2
            return float(kernel.pairs(pool.x, pool.y).sum() + lift)
        drawn = labels.places
        paired = [kernel.pairs(pool.z[row[: pool.m]], pool.z[row[pool.m :]]).sum() for row in drawn]
        own: Floats = diagonal[drawn].sum(axis=1)
        return np.array(paired) + (sums.dx + sums.dy - own) / 2


def _rounding(kernel: Kernel, tolerance: float, spread: float) -> tuple[str, ...]:
    """What to say if rounding is not small beside the differences between resamples, so that values count as ties."""
    if tolerance <= 0.05 * spread:
        return ()
    if kernel.bounds is None and kernel.domain == "vectors":
        cause = "Kernel values are large where there are outliers, or an offset that both samples share: remove those."
    else:
        cause = "The kernel hardly tells rows apart, as with far too wide or narrow a bandwidth: choose another one."
    return (
        f"Rounding of MMD², up to {tolerance:.2g}, is not small beside the differences between resamples, "
        f"{spread:.2g}: values so close count as ties, and p may be too large. {cause}",
    )


def _largest(kernel: Kernel, z: Floats) -> float:
    """The largest absolute kernel value."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = kernel.diagonal(z) if kernel.bounds is None else np.array(kernel.bounds)
        return float(np.abs(values).max())
