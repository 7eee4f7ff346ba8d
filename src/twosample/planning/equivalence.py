"""Is the difference small enough? The test that can say that two samples are alike."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt
from typing import ClassVar

import numpy as np

from .. import _door as door
from .._reported import Tabled
from ..core.laws import ContinuousLaw, Distribution, PointLaw
from ..core.types import Floats
from ..embedding.alternative import beyond, effect_of
from ..engines import Engine
from ..errors import OptionError, number_between, options_by_name, positive_number
from ..nulls import Stated
from ..results import TestResult, conclude
from ..statistics import smallest_pvalue
from .profile import Profile, estimate, profile


@dataclass(frozen=True)
class EffectMargin(Tabled):
    """A margin in units of the effect size r of :func:`effect_size`, which does not depend on the kernel's own scale.

    Parameters
    ----------
    value
        The effect size that is still called small, between 0 and 1. With the Gaussian kernel on one column 0.1 is a
        shift of about 0.3 standard deviations.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 2000))
    >>> ts.equivalence_test(x, y, margin=ts.EffectMargin(0.05), rng=0).rejected
    True
    """

    value: float

    def __post_init__(self) -> None:
        if not positive_number("EffectMargin: value", self.value) < 1:
            raise OptionError(f"EffectMargin: value={self.value!r} must lie between 0 and 1.")

    def squared(self, spread: float) -> float:
        """The MMD² with this effect size at this spread."""
        share = self.value**2
        return 4 * spread * share / (1 - share)

    @property
    def hidden(self) -> float:
        """The share of other rows that makes this effect size, in one of two samples that have none and do not vary."""
        return 2 * self.value**2 / (1 + self.value**2)


DEFAULT_MARGIN = EffectMargin(0.1)  # A small effect: what most users would not act upon


_APART = (
    "x and y do not vary, each for itself, and are not the same: an effect size is relative to their spread, so it is "
    "1 however near they are. Give the margin as a number, an MMD."
)
_SAME = (
    "Every row of x and y is the same: the p-value is the chance that {rows} rows show none of the others, {share:.2g} "
    "of all, that an effect size of r = {effect:g} would need."
)


@dataclass(frozen=True)
class AtMargin(Stated):
    """The law of MMD²_u when MMD equals the margin."""

    margin: float | EffectMargin  # as it was given
    name = "margin"


@dataclass(frozen=True)
class Hidden:
    """The law of margin² - MMD² where rows that may make up the rest of the margin were not seen."""

    border: float  # the margin, squared
    largest: float  # what MMD can be at most
    rows: int  # of the smaller sample

    def sf(self, t: float) -> float:
        """The probability of seeing none of them."""
        missing = sqrt(self.border) - sqrt(max(self.border - t, 0.0))
        return min(1.0, exp(-self.rows * missing / self.largest))

    def isf(self, level: float) -> float:
        """The statistic above which that is less likely than the level; at most the margin², which no one exceeds."""
        return self.border - max(sqrt(self.border) + log(level) * self.largest / self.rows, 0.0) ** 2

    def pdf(self, t: Floats) -> Floats:
        """There is none; zeros."""
        return np.zeros_like(t)


@dataclass(frozen=True)
class Careful:
    """Several laws: the largest p-value of all."""

    laws: tuple[Distribution, ...]

    def sf(self, t: float) -> float:
        """The largest of the probabilities beyond t."""
        return max(law.sf(t) for law in self.laws)

    def isf(self, level: float) -> float:
        """What is beyond the thresholds of all."""
        return max(law.isf(level) for law in self.laws)

    def pdf(self, t: Floats) -> Floats:
        """The density of the first."""
        return self.laws[0].pdf(t)


class EquivalenceResult(TestResult):
    """The outcome of a test whose rejection says that the samples are alike."""

    verdicts: ClassVar[tuple[str, str]] = ("alike up to the margin", "not shown to be alike")


@options_by_name
def equivalence_test(
    x: object,
    y: object,
    margin: float | EffectMargin = DEFAULT_MARGIN,
    *,
    level: float = 0.05,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples are alike up to a margin. H0: MMD ≥ margin. H1: MMD < margin.

    The reverse of :func:`mmd_test`: a small p-value says that the difference is surely smaller than the margin. With
    many rows every difference is significant, and this test still says which ones are too small to matter; with few
    rows it cannot reject, and neither test decides.

    The statistic is margin² - max(MMD²_u, 0). Its law at MMD = margin has the normal and the degenerate part of the law
    of MMD²_u; H0 is rejected when the upper end of the :func:`interval` of level 1 - 2 `level` is below the margin, as
    for any equivalence test by intervals. Estimates below 0 count as 0: chance alone is no evidence of likeness. For a
    margin in MMD the p-value is no less than the chance to see none of the rows that the margin leaves room for: a few
    rows that vary little know nothing of rare ones. That chance is the p-value of samples that do not vary at all; for
    an effect size only if they are the same, since two different constants have the largest effect size there is.

    Parameters
    ----------
    x, y
        Samples as for :func:`mmd_test`; at least 4 rows each.
    margin
        A number is an MMD of the kernel used, so give that kernel a fixed bandwidth. ``ts.EffectMargin(0.1)``, the
        default, is an effect size, for which kernel and bandwidth matter little.
    level
        The level: the largest probability of calling samples alike whose MMD is at or above the margin.
    kernel, bandwidth, engine, rng
        As for :func:`interval`.

    Returns
    -------
    TestResult
        ``rejected`` means alike up to the margin.

    Notes
    -----
    Time as for :func:`interval`. To conclude at margin r = 0.1 takes some 300 rows of one column when p = q. Not for
    rows that depend on each other.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 1000))
    >>> r = ts.equivalence_test(x, y, margin=0.2, kernel=ts.Gaussian(1.0))
    >>> r.rejected, r.verdict
    (True, 'alike up to the margin')
    >>> ts.equivalence_test(x, y + 1, margin=0.2, kernel=ts.Gaussian(1.0)).rejected
    False
    """
    level = door.check_level(level)
    if not isinstance(margin, EffectMargin):
        margin = number_between("margin", margin, 0, 1e150, example=0.1)
    random = door.generator(rng)
    measured = profile(estimate(x, y, kernel, bandwidth, engine, random), random)
    if isinstance(margin, EffectMargin):
        border = margin.squared(measured.spread)
        per_spread = border / measured.spread if measured.spread > 0 else 0.0
    else:
        border, per_spread = margin**2, 0.0
    rows, largest = min(measured.sizes), measured.largest
    law: Distribution
    if measured.spread > 0:
        law, notes = beyond(measured, per_spread).below(border), (_in_words(measured, border),)
        if not isinstance(margin, EffectMargin) and largest < float("inf"):
            law = Careful((law, Hidden(border, largest, rows)))
    elif not isinstance(margin, EffectMargin):
        law, notes = Hidden(border, largest, rows), (_in_words(measured, border),)
    elif measured.squared > measured.rounding:
        law, notes = PointLaw(1.0), (_APART,)
    else:
        border = margin.hidden**2  # in squares of the largest MMD that there can be, whatever that is
        law = Hidden(border, 1.0, rows)
        notes = (_SAME.format(rows=rows, share=margin.hidden, effect=margin.value),)
    null = AtMargin(ContinuousLaw(law, smallest_pvalue(*measured.sizes)), margin)
    return conclude(
        null.known,
        statistic=border - max(measured.squared, 0.0),
        level=level,
        m=measured.pool.m,
        n=measured.pool.n,
        test="MMD equivalence test",
        symbol="margin² - max(MMD²_u, 0)",
        columns=measured.pool.z.shape[1] if measured.kernel.domain == "vectors" else 0,
        kernel=measured.kernel,
        null=null,
        engine=measured.engine,
        reason=measured.reason,
        notes=(*notes, *measured.gram.notes(*measured.sizes)),
        kind=EquivalenceResult,
    )


def _in_words(measured: Profile, border: float) -> str:
    squared, spread = measured.squared, measured.spread
    return (
        f"Margin: MMD = {sqrt(border):.4g} (effect size r = {effect_of(border, spread):.3g}); "
        f"estimate: MMD = {sqrt(max(squared, 0.0)):.4g} (r = {effect_of(squared, spread):.3g})."
    )
