"""Several samples at once: one test for all of them, and their pairs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from math import ceil, comb
from typing import Any, ClassVar

import numpy as np

from .. import _door as door
from .._numbers import is_p, pvalue
from .._reported import Tabled
from ..core.adjust import holm
from ..core.group_labels import (
    Groups,
    group_relabellings,
    least_group_pvalue,
    least_stratified_pvalue,
    stratified_group_relabellings,
)
from ..core.labellings import contrasts
from ..core.laws import ContinuousLaw, Limit
from ..core.pvalue import Law, ReplicateLaw
from ..core.types import Floats
from ..engines import Engine
from ..errors import OptionError, options_by_name
from ..nulls import Null, Permutation, Spectrum, StratifiedPermutation, is_cheap
from ..nulls.asymptotic import rows_that_count
from ..nulls.permutation import ENOUGH, AutoNull
from ..results import TestResult, conclude
from .ksample_strata import KSampleDesign, StratifiedGroups, designed
from .observed import ObservedForm
from .observed_weights import ObservedWeighted

_ENTRIES = 20_000_000  # entries of contrasts that are held in memory at a time


@dataclass(frozen=True)
class SamplePair(Tabled):
    """Two of several samples.

    Parameters
    ----------
    a, b
        Their names.
    mmd
        The biased estimate of MMD between them.
    pvalue
        That of relabelling the rows of these two.
    adjusted_pvalue
        Holm's, over all pairs: at most the level where the two differ, with any error at all as rare as the level.

    Examples
    --------
    >>> import twosample as ts
    >>> r = ts.ksample_test({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.5, 2.5, 3.5], "c": [9.0, 10.0, 11.0]}, rng=0)
    >>> [(pair.a, pair.b) for pair in r.pairs]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    a: str
    b: str
    mmd: float
    pvalue: float
    adjusted_pvalue: float


@dataclass(frozen=True, eq=False)
class KSampleResult(TestResult):
    """The outcome of a test of several samples: a :class:`TestResult` with their names, sizes and pairs.

    Parameters
    ----------
    test, symbol, statistic, pvalue, threshold, level, m, n, columns, null, law, kernel, engine, reason, notes, citation
        As for :class:`TestResult`; m counts the rows of the first sample, n those of all others.
    names, sizes
        What the samples are called, and their rows.
    pairs
        Every two of them; empty if that was not asked for.

    Examples
    --------
    >>> import twosample as ts
    >>> r = ts.ksample_test([[1.0, 2.0, 3.0, 4.0], [1.5, 2.5, 3.5], [9.0, 10.0, 11.0]], rng=0)
    >>> r.rejected, r.sizes
    (True, (4, 3, 3))
    """

    verdicts: ClassVar[tuple[str, str]] = ("the samples are not all alike", "no difference found")

    names: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    pairs: tuple[SamplePair, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As for every result, and the samples and their pairs."""
        samples = [{"name": name, "rows": rows} for name, rows in zip(self.names, self.sizes, strict=True)]
        pairs = [
            {"a": p.a, "b": p.b, "mmd": p.mmd, "pvalue": p.pvalue, "adjusted_pvalue": p.adjusted_pvalue}
            for p in self.pairs
        ]
        return {**super().to_dict(), "samples": samples, "pairs": pairs}

    def _lines(self) -> list[tuple[str, str]]:
        lines = super()._lines()
        place = [label for label, _ in lines].index("samples")
        columns = f"; {self.columns} column{'s' if self.columns != 1 else ''}" if self.columns else ""
        rows = ", ".join(f"{name}: {size}" for name, size in zip(self.names, self.sizes, strict=True))
        lines[place] = ("samples", f"{rows} rows{columns}")
        pairs = [
            (
                "pair",
                f"{p.a} and {p.b}: MMD = {p.mmd:.4g}, adjusted {is_p(pvalue(p.adjusted_pvalue))}"
                + (", different" if p.adjusted_pvalue <= self.level else ""),
            )
            for p in self.pairs
        ]
        return [*lines[: place + 1], *pairs, *lines[place + 1 :]]


@options_by_name
def ksample_test(  # noqa: PLR0913 - the options of mmd_test
    samples: object,
    *,
    kernel: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike | None = None,
    by: object = None,
    weights: object = None,
    n: int | None = None,
    level: float = 0.05,
    pairs: bool = True,
    engine: Engine | str | None = None,
    rng: door.Seed = None,
) -> KSampleResult:
    r"""Test whether several samples come from the same distribution, all at once; and say which pairs differ.

    H0: all G distributions are the same. With the mean embedding :math:`\mu_g` of each sample, :math:`n_g` its rows,
    and :math:`\mu` that of all N rows, the statistic is the variation between samples in feature space,

    .. math:: T = \sum_g n_g \|\mu_g - \mu\|^2 = \frac1N \sum_{g<h} n_g n_h \mathrm{MMD}_b^2(g, h),

    and its law comes from relabelling all rows: exact at every sample size, whatever the ties. With
    ``kernel="linear"`` it is the sum of squares between groups of the analysis of variance, with ``"energy"`` that of
    DISCO (Rizzo and Székely 2010), and with two samples it is :math:`\frac{mn}{m+n} \mathrm{MMD}_b^2`, with the p-value
    of ``mmd_test(x, y, statistic="biased", null="permutation")`` at the same seed.

    Each pair is then tested by relabelling its own rows only, with the kernel of all, and Holm's adjustment over pairs:
    the chance of calling even one pair different that is not stays below the level, whatever the other samples are.
    (The largest of all pairs over relabellings of all rows would not promise that: those assume that all are the same.)

    Parameters
    ----------
    samples
        A list of samples, or a mapping from names to samples: each as for :func:`mmd_test`, with at least two rows.
    kernel, bandwidth, engine
        As for :func:`mmd_test`; the bandwidth is that of all rows together.
    by
        For every sample, in the same form as `samples`, the stratum of each of its rows: rows are compared and
        relabelled within strata, so that another mix is no difference. The statistic is in docs/fair.md.
    weights
        For every sample, the weights of its rows, which move with them as they stand; 0 leaves a row out.
    n
        How many relabellings; all of them when there are no more. None: 999, or for very many rows of one column the
        limit law, where it rests on enough of them, as in :func:`mmd_test`.
    level
        The level of the test, and of all pairs together.
    pairs
        Whether pairs are tested, too.
    rng
        Seed or generator. The same seed gives the same answer.

    Returns
    -------
    KSampleResult
        A :class:`TestResult` with ``names``, ``sizes`` and ``pairs``: each has ``a``, ``b``, ``mmd``, ``pvalue`` and
        ``adjusted_pvalue``.

    Notes
    -----
    Time O(N² (d + G n)), one application of the kernel matrix to G n contrasts; pairs of samples of the same size cost
    O(N² n) together. Not for rows that depend on each other, and not for samples in an order (doses, times): a test for
    a trend has more power there. Small samples that differ drown among large ones that do not: T counts rows.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> sites = {"north": rng.normal(size=80), "south": rng.normal(size=60), "east": rng.normal(1, size=70)}
    >>> r = ts.ksample_test(sites, rng=1)
    >>> r.pvalue, [(pair.a, pair.b) for pair in r.pairs if pair.adjusted_pvalue <= r.level]
    (0.001, [('north', 'east'), ('south', 'east')])
    """
    many, n = n is None, 999 if n is None else n
    null, level = Permutation(n), door.check_level(level)
    door.check_resamples(null, level)
    if not isinstance(pairs, bool):
        raise OptionError(f"pairs={pairs!r} must be True or False.")
    chosen = door.open_kernel(kernel, bandwidth)
    groups = door.groups(samples, chosen.kernel)
    x, y = groups.halves
    request = door.request(x, y, chosen.kernel, chosen.rule, statistic="biased", null=null, engine=engine, rng=rng)
    design = None
    if by is not None or weights is not None:
        request, design = designed(request, groups, by, weights)
    sizes = groups.sizes if design is None else design.sizes
    observed = ObservedGroups(request, len(sizes) * (1 + n), sizes)
    quick = None
    if many and design is None and not is_cheap(len(request.pool.z), n):
        quick = observed.in_the_limit()
    law = observed.law(n, design) if quick is None else quick[1]
    value = float(law.values[0]) if isinstance(law, ReplicateLaw) else quick[0]  # type: ignore[index]
    chosen_null = null if quick is None else Spectrum()
    result = conclude(
        law,
        statistic=value,
        level=level,
        m=request.pool.m,
        n=request.pool.n,
        kind=KSampleResult,
        test="MMD test of several samples",
        symbol="Σ n_g ‖μ_g − μ‖²",
        columns=request.columns,
        kernel=request.kernel.source,
        null=chosen_null,
        engine=observed.engine,
        reason=observed.reason,
        notes=observed.notes(law) if quick is None else (_MANY.format(len(request.pool.z)),),
        names=groups.names,
        sizes=sizes,
    )
    assert isinstance(result, KSampleResult)
    if not pairs:
        return result
    if design is None:
        found = _pairs(request, groups, null if quick is None else AutoNull(n), law)
    else:
        found, result = _designed_pairs(request, design, null), replace(result, notes=design.notes + result.notes)
    return replace(result, pairs=found, notes=result.notes + (() if quick else _too_few(groups, n, level)))


def _designed_pairs(request: door.Request, design: KSampleDesign, null: Permutation) -> tuple[SamplePair, ...]:
    """Every two samples by the same design; those without a stratum in common have a p-value of 1."""
    found: list[tuple[str, str, float, float]] = []
    for g, h in combinations(range(len(design.names)), 2):
        rows = np.concatenate([np.flatnonzero(design.truth == side) for side in (g, h)])
        m, own = int((design.truth == g).sum()), design.weights[rows]
        part = replace(request, pool=door.Pool(request.pool.z[rows], m, len(rows) - m))
        weights = door.Weights(own, m, np.ones(len(rows), dtype=bool))
        of_pair: Null = null
        if design.by is not None:
            names = [design.by[i] for i in rows.tolist()]
            if not {*names[:m]} & {*names[m:]}:
                found.append((design.names[g], design.names[h], float("nan"), 1.0))
                continue
            of_pair = StratifiedPermutation(names[:m], names[m:], n=null.n)
        observed = ObservedForm(part, 1 + null.n) if weights.equal else ObservedWeighted(part, 1 + null.n, weights)
        outcome = of_pair.judged(observed)
        found.append((design.names[g], design.names[h], outcome.value, outcome.law.pvalue(outcome.value)))
    adjusted = holm([p for *_, p in found])
    return tuple(SamplePair(*pair, float(p)) for pair, p in zip(found, adjusted, strict=True))


_MANY = "{} rows are many, and the limit law is as good as relabelling them; n=999 relabels them all the same."


@dataclass(frozen=True, eq=False)
class ObservedGroups(ObservedForm):
    """The variation between several groups of pooled rows."""

    sizes: tuple[int, ...]  # rows of each group, in the order of the pool

    def law(self, count: int, design: KSampleDesign | None = None) -> ReplicateLaw:
        """The statistic in the truth and in `count` relabellings, within strata and with weights if there are any."""
        if design is not None:
            return self._designed_law(design, count)
        self._check_size()
        kernel, z = self.request.kernel, self.request.pool.z
        step = max(1, _ENTRIES // (len(self.sizes) * len(z)))
        parts, exhaustive = [], False
        for drawn, exhaustive in group_relabellings(self.sizes, count, self.rng, step):  # noqa: B007 - the same for all
            parts.append(self._values(drawn))
        values, resolution = np.concatenate([values for values, _ in parts]), parts[0][1]
        rows = np.array(self.sizes)
        weight = 2 * float((rows * (1 - rows / len(z))).sum())
        tolerance = resolution * weight * float(np.abs(kernel.diagonal(z)).mean())
        self._ranges.append((tolerance, float(np.ptp(values))))
        return ReplicateLaw(values, tolerance, exhaustive, least_group_pvalue(self.sizes))

    def _designed_law(self, design: KSampleDesign, count: int) -> ReplicateLaw:
        """The statistic within strata, with weights, in the truth and in `count` relabellings."""
        self._check_size()
        kernel, z, way = self.request.kernel, self.request.pool.z, self.request.engine
        assert way is not None
        samples = len(self.sizes)
        form = StratifiedGroups(
            samples, design.strata, design.weights, self._gram, lambda rows: way.gram(kernel, z[rows], self.rng)
        )
        step, parts, exhaustive = max(1, _ENTRIES // (samples * len(z))), [], False
        for drawn, exhaustive in stratified_group_relabellings(design.truth, design.of_row, count, self.rng, step):  # noqa: B007
            parts.append(form.values(drawn))
        values, resolution = np.concatenate([values for values, _ in parts]), parts[0][1]
        tolerance = 2 * samples * resolution * float(design.weights.sum()) * float(np.abs(kernel.diagonal(z)).mean())
        self._ranges.append((tolerance, float(np.ptp(values))))
        return ReplicateLaw(values, tolerance, exhaustive, least_stratified_pvalue(design.truth, design.of_row))

    def in_the_limit(self) -> tuple[float, Law] | None:
        r"""The statistic and its limit law for many rows of one column; None where that would rest on few of them.

        Under H0 :math:`T \to \sum_l \lambda_l \chi^2_{G-1, l}` with the eigenvalues of the centred kernel.
        """
        quick = self.in_linear_time()
        if not isinstance(quick, ObservedForm):
            return None
        centred, smallest = quick._centred, min(self.sizes)
        if rows_that_count(centred, smallest, self.request.kernel, self.request.pool.z) < ENOUGH or centred.degenerate:
            return None
        value = float(self._values(np.repeat(np.arange(len(self.sizes), dtype=np.uint16), self.sizes)[None])[0][0])
        free, values = len(self.sizes) - 1, centred.eigenvalues()
        law = Limit(
            mean=free * centred.spread,
            variance=2 * free * centred.square,
            biased_mean=free * centred.spread,
            weights=lambda: np.repeat(values, free),
            third_moment=lambda: 8 * free * float((values**3).sum()),
        )
        return value, ContinuousLaw(law.distribution(), least_group_pvalue(self.sizes))

    def _values(self, groups: Groups) -> tuple[Floats, float]:
        """``(R,)`` values for ``(R, N)`` groups, and the relative rounding error of the sums."""
        rows = np.array(self.sizes)
        member = groups.T[:, :, None] == np.arange(len(rows), dtype=groups.dtype)
        u = (member - rows / len(member)).reshape(len(member), -1)
        sums = self._gram.block_sums(contrasts(u), 0, len(u))
        return sums.xx.reshape(-1, len(rows)) @ (1 / rows), sums.resolution


def _too_few(groups: door.Groups, n: int, level: float) -> tuple[str, ...]:
    """What to say if no adjusted p-value of a pair can reach the level."""
    pairs = comb(len(groups.sizes), 2)
    if pairs / (n + 1) <= level * (1 + 1e-9):
        return ()
    return (
        f"{pairs} pairs: with n={n} relabellings no adjusted p-value is below {min(1.0, pairs / (n + 1)):.3g}, so that "
        f"no pair can be called different at level {level:g}. Use at least n={ceil(pairs / level - 1e-9) - 1}.",
    )


def _pairs(request: door.Request, groups: door.Groups, null: Permutation, law: Law) -> tuple[SamplePair, ...]:
    """Every two samples, each pair relabelled by itself; two samples alone have been already."""
    z, stops = request.pool.z, np.cumsum(groups.sizes)
    rows = [z[stop - size : stop] for stop, size in zip(stops, groups.sizes, strict=True)]
    found: list[tuple[str, str, float, float]] = []
    for g, h in combinations(range(len(rows)), 2):
        pool = door.Pool(np.concatenate([rows[g], rows[h]]), len(rows[g]), len(rows[h]))
        observed = ObservedForm(replace(request, pool=pool), 1 + null.n)
        if len(rows) == 2 and isinstance(law, ReplicateLaw):
            found.append((groups.names[g], groups.names[h], observed.value, law.pvalue(float(law.values[0]))))
            continue
        outcome = null.judged(observed)
        found.append((groups.names[g], groups.names[h], outcome.value, outcome.law.pvalue(outcome.value)))
    adjusted = holm([p for *_, p in found])
    return tuple(SamplePair(*pair, float(p)) for pair, p in zip(found, adjusted, strict=True))
