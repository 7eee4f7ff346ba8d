"""Two samples and all options of a test, resolved or refused: what everything behind the door may trust."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeVar

import numpy as np

from ..core.types import Floats
from ..engines import ENGINES, Auto, Engine
from ..errors import InputError, OptionError, positive_number, unknown_option
from ..kernels import (
    BANDWIDTHS,
    KERNELS,
    BandwidthRule,
    CrossMedian,
    Fixed,
    FunctionKernel,
    Kernel,
    Scaled,
    Sum,
)
from ..kernels.base import BandwidthOf, Metric
from ..kernels.objects import row_numbers_of
from ..nulls import NULLS, Null
from ..statistics import STATISTICS, AverageStatistic, Statistic
from .lists import index_rows, objects
from .samples import Pool, rows

Option = TypeVar("Option")

KernelLike = Kernel | str | Callable[[Any, Any], Any]
BandwidthLike = BandwidthRule | str | float
Seed = Any  # anything that numpy.random.default_rng takes

ALL_ALIKE = "All rows of all samples are the same: there is nothing to compare, the statistic is 0 and p is 1."

_LABELS = (
    "The bandwidth comes from distances between x and y and depends on the labels: p is right for large samples only.",
)


@dataclass(frozen=True, eq=False)
class Request:
    """All options resolved: nothing is checked again behind this."""

    pool: Pool  # the pooled sample
    kernel: Kernel  # the kernel, without missing bandwidths
    statistic: Statistic
    engine: Engine | None  # what applies the Gram matrix, and why; None for a statistic that needs no such thing
    reason: str
    rng: np.random.Generator  # the source of all randomness
    notes: tuple[str, ...]  # what the user should know about the samples
    labelled: tuple[str, ...]  # a warning about a bandwidth that has seen the labels

    @property
    def columns(self) -> int:
        """Columns of the rows; 0 when the points are not vectors."""
        return self.pool.z.shape[1] if self.kernel.domain == "vectors" else 0

    def planned(self, labellings: int) -> Request:
        """With the engine for so many labellings, if that was left open."""
        if not isinstance(self.engine, Auto):
            return self
        plan = self.engine.choose(self.kernel, self.pool.z, labellings)
        return replace(self, engine=plan.engine, reason=plan.reason)


def request(
    x: object,
    y: object,
    kernel: KernelLike | None = None,
    bandwidth: BandwidthLike | None = None,
    *,
    statistic: Statistic | str | None = None,
    null: Null | None = None,
    engine: Engine | str | None = None,
    rng: Seed = None,
) -> Request:
    """Two samples and options, checked; an engine that was left open stays so until it is planned.

    None stands for 'gaussian', 'median', 'auto', and for 'unbiased' of a caller who has no null to go with it; the null
    must know the law of the statistic.
    """
    chosen = open_kernel(kernel, bandwidth)
    alias, formula = resolve_statistic("unbiased" if statistic is None else statistic)
    if null is not None and statistic is not None:
        check_pairing(null, alias)
    way: Engine | None = resolve_engine("auto" if engine is None else engine)
    random = generator(rng)
    both = pool(x, y, chosen.kernel)
    notes: tuple[str, ...] = ()
    if chosen.kernel.domain == "vectors" and not (both.z != both.z[0]).any():
        notes = (ALL_ALIKE,)
    rule = split_bandwidth(chosen.rule, chosen.kernel, both.m, null)
    labelled = _LABELS if isinstance(rule, CrossMedian) and chosen.kernel.needs_bandwidth else ()
    filled = fill_bandwidth(both.kernel, rule, both.z, random)
    way = None if isinstance(formula, AverageStatistic) else way
    return Request(both, filled, formula, way, "", random, notes, labelled)


@dataclass(frozen=True, eq=False)
class KernelPool(Pool):
    """The same with the kernel that applies to it: of objects, which the numbers count, the one restricted to them."""

    kernel: Kernel


def pool(x: object, y: object, kernel: Kernel) -> KernelPool:
    """Two samples of whatever the kernel takes as one array of doubles; of objects it holds row numbers."""
    if kernel.domain == "indices":
        a, b = index_rows(x, y, kernel)
        return KernelPool(np.concatenate([a, b]), len(a), len(b), kernel)
    if kernel.domain == "objects":
        first, second = objects(x, "x"), objects(y, "y")
        restricted = kernel.on([*first, *second])
        return KernelPool(row_numbers_of([*first, *second]), len(first), len(second), restricted)
    both = rows(x, y, kernel.translation_free)
    return KernelPool(both.z, both.m, both.n, kernel)


def resolve_kernel(value: KernelLike, name: str = "kernel") -> Kernel:
    """A kernel from an alias, a kernel, or a function; `name` is that of the option."""
    if isinstance(value, Kernel):
        return value
    if isinstance(value, str):
        return _alias(name, value, KERNELS)
    if callable(value) and not isinstance(value, type):
        return FunctionKernel(value)
    if isinstance(value, type):
        raise OptionError(f"{name}={value.__name__} is a class; give an object of it, such as {value.__name__}(...).")
    raise unknown_option(name, value, KERNELS)


def is_adaptive(kernel: object) -> bool:
    """Whether a family of kernels is asked for, of a test that knows it; refuses an alias that there is not."""
    if isinstance(kernel, str) and kernel not in (known := [*KERNELS, "adaptive"]):
        raise unknown_option("kernel", kernel, known)
    return isinstance(kernel, str) and kernel == "adaptive"


def resolve_bandwidth(value: BandwidthLike, kernel: Kernel) -> BandwidthRule:
    """A bandwidth rule from an alias, a rule, or a number."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        if not kernel.needs_bandwidth:
            raise OptionError(f"bandwidth={value!r} has no use: {kernel!r} leaves no bandwidth open.")
        return Fixed(positive_number("bandwidth", value))
    if isinstance(value, str):
        return _alias("bandwidth", value, BANDWIDTHS)
    if isinstance(value, BandwidthRule):
        return value
    raise unknown_option("bandwidth", value, [*BANDWIDTHS, "a positive number"])


def split_bandwidth(rule: BandwidthRule, kernel: Kernel, m: int, null: Null | None) -> BandwidthRule:
    """The rule, told that the first m rows are x if it wants to know; refuses that where a null promises exactness."""
    if not isinstance(rule, CrossMedian) or not kernel.needs_bandwidth:
        return rule
    if kernel.domain != "vectors":
        raise OptionError(f"bandwidth={rule!r} is for rows of numbers. Use bandwidth='median' with {kernel!r}.")
    if null is not None and null.relabels:
        raise OptionError(
            f"bandwidth={rule!r} depends on which rows are x, and null={null!r} is exact only if the kernel does not. "
            "Use bandwidth='median', which measures all pooled rows, or a null for large samples, such as 'bootstrap' "
            "or 'pearson'."
        )
    return replace(rule, m=m)


def resolve_statistic(value: Statistic | str) -> tuple[str, Statistic]:
    """The alias and the statistic from either."""
    if isinstance(value, str):
        return value, _alias("statistic", value, STATISTICS)
    for name, kind in STATISTICS.items():
        if isinstance(kind, type) and isinstance(value, kind):
            return name, value
    raise unknown_option("statistic", value, STATISTICS)


def resolve_null(value: Null | str, names: Iterable[str] = NULLS) -> Null:
    """A null from an alias or a null; `names` are those that an error offers."""
    if isinstance(value, Null):
        return value
    kind = NULLS.get(value) if isinstance(value, str) else None
    if kind is None:
        raise unknown_option("null", value, names)
    if kind.needs:
        raise OptionError(f"null={value!r} alone does not say enough; give null={kind.needs}.")
    return kind()


def resolve_engine(value: Engine | str) -> Engine:
    """An engine from an alias or an engine."""
    if isinstance(value, str):
        return _alias("engine", value, ENGINES)
    if isinstance(value, type):
        raise OptionError(f"engine={value.__name__} is a class; give an object of it: {value.__name__}().")
    if hasattr(value, "gram"):
        return value
    raise unknown_option("engine", value, ENGINES)


def check_pairing(null: Null, statistic: str) -> None:
    """Refuse a null that does not know the law of the statistic."""
    if statistic in null.statistics:
        return
    own = sorted(null.statistics & set(STATISTICS))
    if not own:
        raise OptionError(f"null={null.name!r} is a null of hsic_test, not of a two-sample test.")
    nulls = sorted(name for name, kind in NULLS.items() if statistic in kind.statistics)
    raise OptionError(
        f"null={null.name!r} does not know the law of statistic={statistic!r}. "
        f"With that statistic use one of {', '.join(map(repr, nulls))}; "
        f"with that null one of {', '.join(map(repr, own))}."
    )


def check_resamples(null: Null, level: float) -> None:
    """Too few resamples for the level is a mistake in the options, and easily mended."""
    if null.resamples and (null.resamples + 1) * level < 1 - 1e-9:
        raise OptionError(
            f"null={null!r} can never give a p-value below {1 / (null.resamples + 1):.3g}, and level={level:g} was "
            f"asked for. Use at least n={ceil(1 / level - 1e-9) - 1}."
        )


def check_values(kernel: Kernel, largest: float, rows: int, powers: bool) -> None:
    """Refuse kernel values whose sums over all pairs of rows leave the range of doubles, or their powers if a law asks.

    A multiple of a kernel has the same p-values, so whoever is refused here can mend it.
    """
    if values_fit(largest, rows, powers):
        return
    low, _ = _range(rows, powers)
    size = "small" if largest <= low else "large"
    fate = "sums overflow" if size == "large" else "powers vanish" if powers else "digits vanish"
    if kernel.bounds is None:
        raise InputError(f"x and y hold values too {size} for {kernel!r}: its {fate}. Rescale both samples.")
    raise OptionError(
        f"kernel={kernel!r} has values of up to {largest:.3g}, too {size} for doubles: its {fate}. "
        "Multiply it by a constant that makes them about 1: no p-value depends on that."
    )


def values_fit(largest: float, rows: int, powers: bool) -> bool:
    """Whether sums of kernel values over all pairs of rows, or their powers, stay within the range of doubles."""
    low, high = _range(rows, powers)
    return largest == 0 or low < largest < high


def _range(rows: int, powers: bool) -> tuple[float, float]:
    return (1e-90, 1e90) if powers else (1e-305, 1e290 / rows**2)


def generator(rng: Seed) -> np.random.Generator:
    """A random generator from anything that numpy.random.default_rng takes."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"rng={rng!r} is not a seed: {error}. Give None, a whole number or a numpy Generator."
        ) from None


@dataclass(frozen=True)
class OpenKernel:
    """A kernel, and the rule for the bandwidths that it leaves open."""

    kernel: Kernel  # the kernel as it was asked for
    rule: BandwidthRule

    def filled(self, z: Floats, rng: np.random.Generator) -> Kernel:
        """The kernel with its bandwidths from these rows."""
        return fill_bandwidth(self.kernel, self.rule, z, rng)


def open_kernel(kernel: KernelLike | None = None, bandwidth: BandwidthLike | None = None) -> OpenKernel:
    """Kernel and bandwidth rule, resolved; None stands for 'gaussian' and 'median'."""
    formula = resolve_kernel("gaussian" if kernel is None else kernel)
    return OpenKernel(formula, resolve_bandwidth("median" if bandwidth is None else bandwidth, formula))


def fill_bandwidth(kernel: Kernel, rule: BandwidthRule, z: Floats, rng: np.random.Generator) -> Kernel:
    """The kernel with its missing bandwidths from the rule; the mean over kernels when the rule gives several."""
    return fill_widths(kernel, lambda metric, rows: rule.bandwidths(z if rows is None else rows, metric, rng))


def fill_widths(kernel: Kernel, widths: Callable[[Metric, Floats | None], Floats]) -> Kernel:
    """The same for bandwidths, one or several, that belong to a distance and to some rows; to the pool if None."""
    if not kernel.needs_bandwidth:
        return kernel
    known: dict[tuple[Metric, int], Floats] = {}

    def at(i: int) -> BandwidthOf:
        def bandwidth_of(metric: Metric, rows: Floats | None = None) -> float:
            key = metric, id(rows)
            if key not in known:
                known[key] = widths(metric, rows)
            found = float(known[key][i])
            if found < 1e-305:
                raise InputError(
                    f"x and y differ by no more than about {found:.1g}, too little for doubles. Rescale both samples."
                )
            return found

        return bandwidth_of

    first = kernel.fill(at(0))
    count = len(next(iter(known.values())))
    if count == 1:
        return first
    return Scaled(Sum((first, *(kernel.fill(at(i)) for i in range(1, count)))), 1 / count)


def _alias(name: str, value: str, registry: Mapping[str, Callable[[], Option]]) -> Option:
    try:
        return registry[value]()
    except KeyError:
        raise unknown_option(name, value, registry) from None
