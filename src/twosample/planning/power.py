"""How many rows would I need? Power and sample size from a pilot."""

from __future__ import annotations

from math import ceil

from .. import _door as door
from ..errors import (
    InputError,
    OptionError,
    SmallSampleWarning,
    number_between,
    options_by_name,
    unknown_option,
    warn,
    whole_number,
)
from ..nulls import Null
from ..statistics import QuadraticStatistic, Statistic
from .pilots import AveragePilot, Pilot, QuadraticPilot
from .profile import estimate, profile
from .resampling import subsamples

TESTS = ("mmd", "adaptive")
_USUAL = {"statistic": "unbiased", "null": "permutation", "kernel": "gaussian", "bandwidth": "median"}

MOST_ROWS = 10**12  # A sample size beyond this is not named


@options_by_name
def power(  # noqa: PLR0913 - the options of mmd_test, and which test
    x: object,
    y: object,
    n: int | tuple[int, int],
    *,
    statistic: Statistic | str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    test: str = "mmd",
    rng: door.Seed = None,
) -> float:
    r"""The power that :func:`mmd_test` or :func:`two_sample_test` would have with other numbers of rows, from a pilot.

    The pilot stands for the populations: its MMD²_u is taken for their MMD². The law of the statistic has the linear
    and the degenerate part of MMD²_u at the new sizes; the threshold is that of the null there. The adaptive test has
    no such law: samples of up to half the pilot are drawn from it 100 times and tested; for larger ones the
    curve :math:`\alpha + (1-\alpha)\Phi(a + b\sqrt n)` through the powers at a half, a quarter, ... of the pilot is
    continued, by what parts of a pilot say of new samples.

    Parameters
    ----------
    x, y
        The pilot: samples as for :func:`mmd_test`, at least 4 rows each; some hundred give a useful answer.
    n
        Rows of each sample to come, or (rows of x, rows of y).
    statistic, null, level, kernel, bandwidth, rng
        Those of the test to come, as for :func:`mmd_test`. A bandwidth from a rule is that of the pilot.
    test
        'mmd', or 'adaptive' for :func:`two_sample_test`, which has a level only; its pilot may be tables.

    Returns
    -------
    float
        The probability of rejection.

    Warns
    -----
    SmallSampleWarning
        When the pilot itself is not significant: other pilots would give quite other numbers. With the p-value.

    Notes
    -----
    Time as for :func:`interval`; for ``test="adaptive"`` that of some hundred tests. Within 0.05 of simulated power
    when the pilot's estimate is right; a small pilot's is not, so look at :func:`interval` too. Where the estimate is
    0 or less the power is that of no difference: the level (less for the bounds). It is 0 where the rows are so few
    that no labelling of them has a p-value within the level. Resampling nulls are taken to have resamples without
    number. Where values are few (zeros and ones) p-values come in steps, and the power is up to 0.1 less.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=400), rng.normal(0.5, size=400)
    >>> ts.power(x, y, 20, rng=0) < 0.5 < 0.9 < ts.power(x, y, 200, rng=0)
    True
    """
    level = door.check_level(level)
    sizes = n if isinstance(n, tuple) else (n, n)
    if len(sizes) != 2:
        raise OptionError(f"n={n!r} must be a number of rows, or two: (rows of x, rows of y).")
    rows = [whole_number("n", size, least=2) for size in sizes]
    if _is_adaptive(test, statistic, null, kernel, bandwidth):
        drawn = subsamples(x, y, level, door.generator(rng))
        _warn_of(drawn.pvalue, level)
        return drawn.power(*rows) if drawn.allows(*rows) else drawn.curve().power(*rows)
    pilot = _pilot(x, y, statistic, null, level, kernel, bandwidth, rng)
    _warn_of(pilot.pvalue, level)
    return pilot.power(*rows)


@options_by_name
def sample_size(  # noqa: PLR0913 - the options of mmd_test, and which test
    x: object,
    y: object,
    power: float = 0.8,
    *,
    statistic: Statistic | str = "unbiased",
    null: Null | str = "permutation",
    level: float = 0.05,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    test: str = "mmd",
    rng: door.Seed = None,
) -> int:
    """The rows of each sample that :func:`mmd_test` or :func:`two_sample_test` needs for a given power, from a pilot.

    Parameters
    ----------
    x, y
        The pilot, as for :func:`power`.
    power
        The probability of rejection to reach.
    statistic, null, level, kernel, bandwidth, test, rng
        As for :func:`power`.

    Returns
    -------
    int
        Rows of each of the two samples.

    Raises
    ------
    InputError
        When the pilot's estimate of MMD² is 0 or less, or the adaptive test does not reject more often for more rows:
        then no number of rows can be named.

    Warns
    -----
    SmallSampleWarning
        When the pilot itself is not significant: other pilots would give quite other numbers. With the p-value.

    Notes
    -----
    Time as for :func:`interval`. The answer is about inversely proportional to MMD², so its relative error is that of
    MMD² in the pilot: with ``i = ts.interval(x, y)`` it lies between ``(i.estimate / i.high)**2`` and
    ``(i.estimate / i.low)**2`` times the number.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=400), rng.normal(0.5, size=400)
    >>> n = ts.sample_size(x, y, power=0.8, rng=0)
    >>> ts.power(x, y, n, rng=0) >= 0.8 > ts.power(x, y, n - 1, rng=0)
    True
    """
    level, target = door.check_level(level), number_between("power", power, 0, 1, example=0.8)
    if _is_adaptive(test, statistic, null, kernel, bandwidth):
        return _adaptive_size(x, y, target, level, rng)
    pilot = _pilot(x, y, statistic, null, level, kernel, bandwidth, rng)
    if pilot.squared == 0:
        raise InputError(
            f"The pilot shows no difference: its unbiased estimate of MMD² is {pilot.measured.squared:.3g}. No number "
            "of rows can be named from it. Take a larger pilot; ts.interval(x, y) says how large MMD may be."
        )
    _warn_of(pilot.pvalue, level)
    low, high = 4, 8
    while pilot.power(high, high) < target:
        low, high = high, 2 * high
        if high > MOST_ROWS:
            raise InputError(f"No sample size up to {MOST_ROWS:.0e} rows reaches power {target:g}.")
    if pilot.power(low, low) >= target:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if pilot.power(middle, middle) >= target else (middle, high)
    return high


def _is_adaptive(
    test: str, statistic: Statistic | str, null: Null | str, kernel: door.KernelLike, bandwidth: door.BandwidthLike
) -> bool:
    """Whether the adaptive test is meant; it has none of the options."""
    if not isinstance(test, str) or test not in TESTS:
        raise unknown_option("test", test, TESTS, objects=False)
    if test == "mmd":
        return False
    given = {"statistic": statistic, "null": null, "kernel": kernel, "bandwidth": bandwidth}
    for name, usual in _USUAL.items():
        if not isinstance(given[name], str) or given[name] != usual:
            raise OptionError(f"{name}={given[name]!r} has no use with test='adaptive', which has a level only.")
    return True


def _adaptive_size(x: object, y: object, target: float, level: float, rng: door.Seed) -> int:
    pilot = subsamples(x, y, level, door.generator(rng))
    rows = pilot.curve().rows(target)
    if rows > MOST_ROWS:
        raise InputError(
            "The pilot shows no difference that the adaptive test would find more often with more rows. No number of "
            "rows can be named from it. Take a larger pilot."
        )
    _warn_of(pilot.pvalue, level)
    return max(4, ceil(rows))


def _warn_of(pvalue: float, level: float) -> None:
    """Say so if the pilot itself shows no difference: then what is planned from it is mostly chance."""
    if pvalue > level:
        warn(
            f"The pilot itself shows no difference (p = {pvalue:.3g}, level {level:g}): what is planned from it is "
            "mostly chance. Take a larger pilot; ts.interval(x, y) says how large MMD may be.",
            SmallSampleWarning,
        )


def _pilot(
    x: object,
    y: object,
    statistic: Statistic | str,
    null: Null | str,
    level: float,
    kernel: door.KernelLike,
    bandwidth: door.BandwidthLike,
    rng: door.Seed,
) -> Pilot:
    law = door.resolve_null(null)
    door.check_resamples(law, level)
    if not law.independent_rows:
        raise OptionError(
            f"null={law!r} is for rows that depend on each other, and power is planned for independent ones only."
        )
    alias, chosen = door.resolve_statistic(statistic)
    door.check_pairing(law, alias)
    random = door.generator(rng)
    measured = profile(estimate(x, y, kernel, bandwidth, "auto", random), random)
    if isinstance(chosen, QuadraticStatistic):
        return QuadraticPilot(measured, law, level, chosen)
    terms = chosen.terms(measured.kernel, measured.pool.x, measured.pool.y, 0, random).observed
    return AveragePilot(measured, law, level, chosen, terms)
