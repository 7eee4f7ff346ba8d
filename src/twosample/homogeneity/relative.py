"""Which of two samples is closer to a third: the relative test of Bounliphone and others (2016)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from .. import _door as door
from .._numbers import is_p, pvalue
from ..core.laws import ContinuousLaw, Distribution
from ..core.types import Floats
from ..engines import Engine, Gram
from ..errors import InputError, options_by_name
from ..kernels import Kernel
from ..nulls import Stated
from ..results import TestResult, conclude
from .observed import ObservedForm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CITATION = (
    "Bounliphone, Belilovsky, Blaschko, Antonoglou and Gretton (2016): A Test of Relative Similarity for Model "
    "Selection in Generative Models, arXiv:1511.04581"
)


@dataclass(frozen=True, eq=False)
class RelativeResult(TestResult):
    """The outcome of a relative test: a :class:`TestResult` with both distances to the reference.

    Parameters
    ----------
    test, symbol, statistic, pvalue, threshold, level, m, n, columns, null, law, kernel, engine, reason, notes, citation
        As for :class:`TestResult`; the statistic is the difference of both MMD² in its standard deviations, and large
        absolute values speak against H0.
    rows
        Rows of the reference.
    mmd2_x, mmd2_y
        Unbiased estimates of MMD² between x and the reference, and between y and the reference.
    covariance
        ``(2, 2)`` their estimated covariance matrix, as tuples.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> r = ts.relative_test(rng.normal(0.5, size=300), rng.normal(1.5, size=300), rng.normal(size=300))
    >>> r.closer, r.mmd2_x < r.mmd2_y
    ('x', True)
    """

    verdicts: ClassVar[tuple[str, str]] = ("one is closer to the reference", "no difference found")

    rows: int = 0
    mmd2_x: float = 0.0
    mmd2_y: float = 0.0
    covariance: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))

    @property
    def closer(self) -> Literal["x", "y"] | None:
        """Which sample is closer to the reference, if that is shown at the level."""
        if not self.rejected:
            return None
        return "x" if self.statistic < 0 else "y"

    @property
    def verdict(self) -> str:
        """The decision in words."""
        return f"{self.closer} is closer to the reference" if self.rejected else self.verdicts[1]

    def to_dict(self) -> dict[str, Any]:
        """As for every result, and the distances."""
        return {
            **super().to_dict(),
            "rows": self.rows,
            "mmd2_x": self.mmd2_x,
            "mmd2_y": self.mmd2_y,
            "covariance": [list(row) for row in self.covariance],
            "closer": self.closer,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw Student's law with the observed value and the threshold; returns the matplotlib axes."""
        from .._figures import draw_null

        assert isinstance(self.law, TwoSided)
        return draw_null(replace(self, law=ContinuousLaw(self.law.widest(self.level), 0.0)), ax)

    def _lines(self) -> list[tuple[str, str]]:
        lines = super()._lines()
        place = [label for label, _ in lines].index("samples")
        deviations = [sqrt(max(self.covariance[i][i], 0.0)) for i in range(2)]
        found = [
            (f"{name} to reference", f"MMD² = {value:.4g} ± {deviation:.2g}")
            for name, value, deviation in zip("xy", (self.mmd2_x, self.mmd2_y), deviations, strict=True)
        ]
        lines[place] = ("samples", f"{lines[place][1]}, reference: {self.rows}")
        return [*lines[: place + 1], *found, *lines[place + 1 :]]


@dataclass(frozen=True)
class Student(Stated):
    """Student's law of a difference whose deviation is estimated from few rows."""

    name = "student"


@dataclass(frozen=True)
class StudentLaw(Distribution):
    """Student's law in another unit."""

    freedom: float
    unit: float = 1.0

    def sf(self, t: float) -> float:
        from scipy.special import stdtr

        return float(stdtr(self.freedom, -t / self.unit))

    def isf(self, level: float) -> float:
        from scipy.special import stdtrit

        return -self.unit * float(stdtrit(self.freedom, level))

    def pdf(self, t: Floats) -> Floats:
        from scipy.stats import t as student

        return np.asarray(student.pdf(t / self.unit, self.freedom) / self.unit, dtype=np.float64)


@dataclass(frozen=True)
class TwoSided:
    """Laws read on both sides; the larger p-value of all of them."""

    laws: tuple[StudentLaw, ...]
    least: float = 1e-300

    def pvalue(self, t: float) -> float:
        """P(|T| >= |t|)."""
        return max(self.least, *(2 * law.sf(abs(t)) for law in self.laws))

    def threshold(self, level: float) -> float:
        """The absolute value above which the test rejects."""
        return max(law.isf(level / 2) for law in self.laws)

    def widest(self, level: float) -> StudentLaw:
        """The law that sets the threshold."""
        return max(self.laws, key=lambda law: law.isf(level / 2))


@options_by_name
def relative_test(
    x: object,
    y: object,
    reference: object,
    *,
    kernel: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike | None = None,
    level: float = 0.05,
    engine: Engine | str | None = None,
    rng: door.Seed = None,
) -> RelativeResult:
    r"""Test which of two samples is closer to a reference: two generators, two simulators, two years.

    H0: :math:`\mathrm{MMD}(P_x, R) = \mathrm{MMD}(P_y, R)`. Neither sample need be right; the question is which is less
    wrong. Both unbiased estimates are nearly normal together, and depend on each other through the reference. With the
    row means :math:`\bar k_{xr}(z)` of the kernel over each sample, their difference has the variance

    .. math::

        \sigma^2 = 4\Big(\frac{\mathrm{Var}_x(\bar k_{xx} - \bar k_{xr})}{m} +
        \frac{\mathrm{Var}_y(\bar k_{yy} - \bar k_{yr})}{n} + \frac{\mathrm{Var}_r(\bar k_{rx} - \bar k_{ry})}{q}\Big)

    for m, n and q rows. The statistic is
    :math:`(\widehat{\mathrm{MMD}}^2_{xr} - \widehat{\mathrm{MMD}}^2_{yr})/\sigma`, compared with Student's law on both
    sides, whose degrees of freedom are those of Welch and Satterthwaite: the normal law of large samples would reject
    too often with ten rows. A few rows may also lack rare values, so the variance is the larger one of two: that of
    each sample, and that of the same row means over the rows of all three, each from the mean of its sample. And rows
    that happen to lie near the reference have small row means, as if their distance were sure. So the p-value is the
    larger one for the difference of squared distances and for that of distances, MMD rather than MMD²: it has the first
    two parts of the variance as if both samples were at the mean of their distances. For "x is closer than y" alone,
    halve the p-value.

    Parameters
    ----------
    x, y
        The two samples, as for :func:`mmd_test`, of at least two rows; sizes may differ.
    reference
        The sample that they are compared with; independent of both.
    kernel, bandwidth, engine
        As for :func:`mmd_test`; the bandwidth is that of all three samples together.
    level
        The level of the test.
    rng
        Seed or generator, for what is random in bandwidth rules and engines.

    Returns
    -------
    RelativeResult
        A :class:`TestResult` with ``closer``, ``mmd2_x``, ``mmd2_y``, ``covariance``.

    Notes
    -----
    One product of the kernel matrix with three columns: O(N² d) time for N rows in all, O(N) memory with most engines.
    The law is for samples that both differ from the reference, or of which one does. If all three distributions
    are the same, the estimates are not normal: the variance above is about twice the true one, and the test rejects
    less often than the level says. If no sample varies, the p-value is twice the chance that so many rows show none of
    those that would make both distances the same: 1 for a kernel without a known bound. Not for the question whether
    x and y differ: they may be equally far from the reference in different directions.

    References
    ----------
    Bounliphone, Belilovsky, Blaschko, Antonoglou and Gretton (2016), arXiv:1511.04581.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> reference, good, bad = rng.normal(size=400), rng.normal(0.3, size=400), rng.normal(0.8, size=400)
    >>> ts.relative_test(good, bad, reference).closer
    'x'
    """
    level = door.check_level(level)
    chosen = door.open_kernel(kernel, bandwidth)
    samples = door.groups({"x": x, "y": y, "reference": reference}, chosen.kernel, "{}")
    for name, size in zip(samples.names, samples.sizes, strict=True):
        if size < 3:
            raise InputError(f"{name} has {size} row(s); the variance of a sample needs at least 3.")
    halves = samples.halves
    request = door.request(*halves, chosen.kernel, chosen.rule, statistic="unbiased", engine=engine, rng=rng)
    observed = ObservedForm(request, 3)
    observed._check_size()
    found = distances(observed._gram, request.kernel, request.pool.z, samples.sizes)
    m, n, rows = samples.sizes
    law = TwoSided(found.laws)
    return conclude(  # type: ignore[return-value]
        law,
        statistic=found.score,
        level=level,
        m=m,
        n=n,
        kind=RelativeResult,
        test="Relative test of similarity",
        symbol="(MMD²(x, reference) - MMD²(y, reference)) / σ",
        columns=request.columns,
        kernel=request.kernel.source,
        null=Student(law),
        engine=observed.engine,
        reason=observed.reason,
        citation=CITATION,
        rows=rows,
        mmd2_x=found.squares[0],
        mmd2_y=found.squares[1],
        covariance=found.covariance,
        notes=_alike(found, law),
    )


@dataclass(frozen=True)
class Distances:
    """Both estimates of MMD² to the reference, their covariance, and the variance of their difference."""

    squares: tuple[float, float]
    covariance: tuple[tuple[float, float], tuple[float, float]]
    own: Floats  # (3,) parts of the variance of the difference: by the rows of x, of y and of the reference
    shared: Floats  # (3,) the same parts by the rows of all three
    lengths: Floats  # (2,) the distances themselves, MMD_b, and no less than half of what noise alone would make them
    sizes: tuple[int, ...]
    largest: float  # no distance is larger; infinite if no bound of the kernel is known

    @property
    def apart(self) -> float:
        """The difference; 0 if it is rounding."""
        apart = self.squares[0] - self.squares[1]
        return apart if abs(apart) > self._rounding else 0.0

    @property
    def deviation(self) -> float:
        """Its standard deviation, of the samples themselves unless nothing varies in them; 0 if nothing does."""
        return next((found for found in map(self._deviation, (self.own, self.shared)) if found), 0.0)

    @property
    def score(self) -> float:
        """The difference in its standard deviations; if nothing varies, by the chance that all that does was missed.

        A share h of other rows in x or y moves its distance to the reference by at most h times the largest that there
        can be, in the reference both distances. H0 needs shares that make up for the difference.
        """
        if self.deviation or not self.apart:
            return self.apart / (self.deviation or 1.0)
        first, second = np.sqrt(np.maximum(self.squares, 0.0)).tolist()
        m, n, rows = self.sizes
        missed = exp(-abs(first - second) / self.largest * min(m, n, rows / 2))
        return float(np.copysign(max(self.laws[0].isf(max(missed, 1e-300)), 0.0), self.apart))

    @property
    def laws(self) -> tuple[StudentLaw, ...]:
        """The laws of the score: of squared distances and of distances, by variances of each sample and of all rows.

        The rows of a sample move its squared distance by as much as the sample is far. What moves the difference of two
        distances moves that of their squares as if both were at the mean of the two.
        """
        spare = np.array(self.sizes) - 1
        even = np.append((self.lengths.mean() / self.lengths) ** 2, 1.0)
        known = []
        for scale in (1.0, even):
            own, shared = scale * self.own, scale * self.shared
            freedom = float(own.sum() ** 2 / max(float((own**2 / spare).sum()), 1e-300))
            known += [(freedom, self._deviation(own)), (float(spare.sum()), self._deviation(shared))]
        return tuple(StudentLaw(f, v / self.deviation) for f, v in known if v) or (StudentLaw(float(spare.sum())),)

    @property
    def _rounding(self) -> float:
        return 1e-9 * max(map(abs, self.squares))

    def _deviation(self, parts: Floats) -> float:
        found = sqrt(float(parts.sum()))
        return found if found > self._rounding else 0.0


def distances(gram: Gram, kernel: Kernel, z: Floats, sizes: tuple[int, ...]) -> Distances:
    """From row means of the kernel over x, y and the reference, rows of the pool in this order."""
    stops = np.cumsum(sizes)
    parts = [slice(int(stop - size), int(stop)) for stop, size in zip(stops, sizes, strict=True)]
    member = np.zeros((len(z), 3))
    for i, part in enumerate(parts):
        member[part, i] = 1.0
    sums, own = gram.multiply(member), kernel.diagonal(z)
    low, high = kernel.bounds or (0.0, np.inf)
    means = sums / sizes
    inside = np.array([[means[part, i].mean() for i in range(3)] for part in parts])
    squared = inside.diagonal()[:2] - 2 * inside[:2, 2] + inside[2, 2]
    for i, part in enumerate(parts):  # of other rows in the same sample
        means[part, i] = (sums[part, i] - own[part]) / (sizes[i] - 1)
    x, y, r = (means[part] for part in parts)
    squares = tuple(float(own[:, i].mean() - 2 * own[:, 2].mean() + r[:, 2].mean()) for i, own in ((0, x), (1, y)))
    noise = [float((own[part].mean() - means[part, i].mean()) / sizes[i]) for i, part in enumerate(parts)]
    least = np.maximum((np.array(noise[:2]) + noise[2]) / 4, 1e-12 * float(np.abs(own).mean()) + 1e-300)
    # how far each row is from one sample rather than from another; x and y go with the reference, it with both
    influence = np.stack([means[:, 0] - means[:, 2], means[:, 1] - means[:, 2], means[:, 0] - means[:, 1]])
    spreads = np.array([[influence[i, part].var(ddof=1) for part in parts] for i in range(3)])  # of which, over which
    spare, scale = np.array(sizes) - 1, 4 / np.array(sizes)
    common = scale[2] * np.cov(r[:, 2] - r[:, 0], r[:, 2] - r[:, 1])
    covariance = common + np.diag(scale[:2] * spreads.diagonal()[:2])
    return Distances(
        squares,  # type: ignore[arg-type]
        tuple(tuple(row) for row in covariance.tolist()),  # type: ignore[arg-type]
        own=scale * spreads.diagonal(),
        shared=scale * (spreads @ spare) / spare.sum(),
        lengths=np.sqrt(np.maximum(squared, least)),
        sizes=sizes,
        largest=float(np.sqrt(2 * (high - low))),
    )


def _alike(found: Distances, law: TwoSided) -> tuple[str, ...]:
    """What to say if neither sample can be told from the reference."""
    scores = [square / max(sqrt(found.covariance[i][i]), 1e-300) for i, square in enumerate(found.squares)]
    if max(scores) > 2:
        return ()
    return (
        f"Neither sample is far from the reference (MMD² in its deviations: {scores[0]:.2g} and {scores[1]:.2g}): the "
        f"law is conservative there, {is_p(pvalue(law.pvalue(found.score)))} may be too large.",
    )
