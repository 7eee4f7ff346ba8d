"""The only validation. What passes this door is trusted by everything behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, TypeVar

import numpy as np

from ._shown import shown
from .core.types import Floats
from .engines import ENGINES, Engine
from .errors import InputError, OptionError, TwosampleError, number_between, positive_number, unknown_option
from .kernels import (
    BANDWIDTHS,
    KERNELS,
    BandwidthRule,
    CrossMedian,
    Fixed,
    FunctionKernel,
    IndexKernel,
    Kernel,
    Median,
    Precomputed,
    Product,
    QuantileGrid,
    Scaled,
    Sum,
)
from .kernels.base import BandwidthOf
from .kernels.distances import Metric
from .kernels.objects import row_numbers_of
from .nulls import NULLS, Null
from .statistics import STATISTICS, Statistic

Option = TypeVar("Option")

_CENTRE = 10_000  # rows that the centre of a pool is taken from

KernelLike = Kernel | str | Callable[[Any, Any], Any]
BandwidthLike = BandwidthRule | str | float
Seed = Any
"""Anything that numpy.random.default_rng takes."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The pooled sample: ``(N, d)`` numbers of which the first m rows are x, and the kernel that applies to them."""

    z: Floats
    m: int
    n: int
    kernel: Kernel

    @property
    def x(self) -> Floats:
        """Sample x."""
        return self.z[: self.m]

    @property
    def y(self) -> Floats:
        """Sample y."""
        return self.z[self.m :]


def pool(x: object, y: object, kernel: Kernel) -> Pool:
    """Both samples as one array of doubles; refuses whatever cannot be tested.

    Of objects the array holds row numbers, and the kernel of the pool is the one restricted to them.
    """
    if kernel.domain == "indices":
        return _index_pool(x, y, kernel)
    if kernel.domain == "objects":
        first, second = objects(x, "x"), objects(y, "y")
        restricted = kernel.on([*first, *second])
        return Pool(row_numbers_of([*first, *second]), len(first), len(second), restricted)
    check_names(column_names(x), column_names(y), "x and y")
    a, b = points(x, "x"), points(y, "y")
    if a.shape[1] != b.shape[1]:
        raise InputError(
            f"x has {a.shape[1]} column(s) and y has {b.shape[1]}; both samples must have the same columns. "
            "A single point with many numbers is one row: shape (1, d)."
        )
    z = np.concatenate([a, b])
    check_span(z, "x and y hold")
    if kernel.translation_free:
        z -= middle(z)
    return Pool(z, len(a), len(b), kernel)


def points(value: object, name: str, least: int = 2) -> Floats:
    """``(rows, columns)`` finite doubles; a 1-d input is rows of one number."""
    array = _real_array(value, name)
    if array.ndim == 0:
        raise InputError(f"{name} is a single number; a sample needs at least {least} rows.")
    if array.ndim > 2:
        raise InputError(
            f"{name} has shape {array.shape}; give one row per observation, "
            f"for example {name}.reshape(len({name}), -1)."
        )
    if array.ndim == 1:
        array = array[:, None]
    rows, columns = array.shape
    if rows < least:
        raise InputError(f"{name} has {rows} row(s); a sample needs at least {least}.")
    if columns == 0:
        raise InputError(f"{name} has no columns (shape {array.shape}).")
    _check_finite(array, name)
    return array


def check_span(z: Floats, who: str) -> None:
    """Refuse numbers whose differences no double can hold."""
    with np.errstate(over="ignore"):
        if not np.isfinite(np.ptp(z, axis=0)).all():
            raise InputError(f"{who} values so large that their differences overflow; rescale them.")


def middle(z: Floats) -> Floats:
    """``(d,)`` where to take rows from if differences are all that matters: it keeps digits at huge offsets.

    A median of some of them, which no outlier moves.
    """
    part = z[:: max(1, len(z) // _CENTRE)]
    return np.asarray(np.partition(part, len(part) // 2, axis=0)[len(part) // 2])


def column_names(value: object) -> tuple[str, ...]:
    """The names of the columns of a data frame; none of anything else."""
    if not hasattr(value, "shape"):  # a lazy frame, which is refused, among others
        return ()
    names = getattr(value, "column_names", None)  # of an Arrow table, whose columns are their values
    return tuple(map(str, names if isinstance(names, list) else getattr(value, "columns", ())))


def check_names(a: tuple[str, ...], b: tuple[str, ...], whose: str) -> None:
    """Refuse columns of different names, or of the same names in a different order: they would be taken for each other.

    A single column can be taken for no other, and numbers that a library gave for want of names are none.
    """
    if a == b or not a or not b or len(a) == len(b) == 1:
        return
    if sorted(a) == sorted(b):
        raise InputError(f"{whose} have the same columns in a different order; select them in one order first.")
    if not (_numbered(a) or _numbered(b)):
        first, second = (_few([name for name in one if name not in other]) for one, other in ((a, b), (b, a)))
        raise InputError(
            f"{whose} have different columns: {first} in the first, {second} in the second. Select the same columns of "
            "both, or rename them; if names do not matter, give arrays, such as x.to_numpy()."
        )


def _numbered(names: tuple[str, ...]) -> bool:
    return any(names == tuple(f"{prefix}{i}" for i in range(len(names))) for prefix in ("", "column_"))


def _few(names: list[str]) -> str:
    """Some names in quotes, and how many more there are; `no other` for none."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(shown(repr(name), 60) for name in names[:3]) + more or "no other"


def batch_columns(batch: object, rows: Floats) -> int:
    """How many columns a batch has that became these rows; 0 for an empty list, which goes with any number."""
    return int(rows.shape[1]) if len(rows) or np.ndim(batch) > 1 else 0  # type: ignore[arg-type]


def objects(value: object, name: str, least: int = 2) -> list[Any]:
    """A list of objects; what each of them may be is for the kernel to say."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise InputError(f"{name} is a {type(value).__name__}; with this kernel give a list of objects.")
    try:
        listed = list(value)
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its items
        raise InputError(f"{name} cannot be read as a list of objects: {shown(str(error), 200)}") from None
    if len(listed) < least:
        raise InputError(f"{name} has {len(listed)} object(s); a sample needs at least {least}.")
    return listed


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


def resolve_bandwidth(value: BandwidthLike, kernel: Kernel) -> BandwidthRule:
    """A bandwidth rule from an alias, a rule, or a number."""
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        if not kernel.needs_bandwidth:
            raise OptionError(f"bandwidth={value!r} has no use: {kernel!r} leaves no bandwidth open.")
        return Fixed(positive_number("bandwidth", value))
    if isinstance(value, str):
        return _alias("bandwidth", value, BANDWIDTHS)
    if isinstance(value, Median | QuantileGrid | Fixed | CrossMedian):
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


def check_level(level: object) -> float:
    """A level strictly between 0 and 1."""
    return number_between("level", level, 0, 1, example=0.05)


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


def fill_bandwidth(kernel: Kernel, rule: BandwidthRule, z: Floats, rng: np.random.Generator) -> Kernel:
    """The kernel with its missing bandwidths from the rule; the mean over kernels when the rule gives several."""
    if not kernel.needs_bandwidth:
        return kernel
    known: dict[tuple[Metric, int], Floats] = {}

    def at(i: int) -> BandwidthOf:
        def bandwidth_of(metric: Metric, rows: Floats | None = None) -> float:
            key = metric, id(rows)
            if key not in known:
                known[key] = rule.bandwidths(z if rows is None else rows, metric, rng)
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


def row_numbers(value: object, name: str, kernel: Kernel, least: int = 2) -> Floats:
    """``(rows, 1)`` row numbers of a precomputed matrix."""
    if np.asarray(value).dtype == np.bool_:
        raise InputError(f"{name} is a mask; with a Precomputed kernel give row numbers: np.flatnonzero({name}).")
    size = _listed(kernel).size
    rows = points(value, name, least)
    if rows.shape[1] != 1 or (rows != np.floor(rows)).any() or rows.min() < 0 or rows.max() >= size:
        raise InputError(
            f"{name}: with a Precomputed kernel, or one restricted to a list, the points are row numbers, "
            f"whole numbers from 0 to {size - 1}."
        )
    return rows


def _index_pool(x: object, y: object, kernel: Kernel) -> Pool:
    """Row numbers of a precomputed matrix; all of it, cut at its m, when x and y are None."""
    given = _listed(kernel)
    if x is None and y is None:
        if not isinstance(given, Precomputed) or given.m is None:
            raise InputError(
                "With a Precomputed kernel give x and y as row numbers of the matrix, or say how many rows are x: "
                "ts.Precomputed(K, m=...)."
            )
        x, y = np.arange(given.m), np.arange(given.m, given.size)
    a, b = row_numbers(x, "x", kernel), row_numbers(y, "y", kernel)
    return Pool(np.concatenate([a, b]), len(a), len(b), kernel)


def _listed(kernel: Kernel) -> Precomputed | IndexKernel:
    """The first kernel inside a combination that knows how many points there are."""
    while not isinstance(kernel, Precomputed | IndexKernel):
        assert isinstance(kernel, Scaled | Sum | Product)
        kernel = kernel.kernel if isinstance(kernel, Scaled) else kernel.parts[0]
    return kernel


def _real_array(value: object, name: str) -> Floats:
    """A new array of doubles from anything array-like."""
    if value is None:
        raise InputError(f"{name} is None; give an array of numbers, one row per observation.")
    if np.ma.isMaskedArray(value) and np.ma.getmaskarray(value).any():
        raise InputError(f"{name} has {int(np.ma.getmaskarray(value).sum())} masked value(s); drop or fill them first.")
    if type(value).__module__.startswith("pyspark."):
        raise InputError(
            f"{name} is a frame of Spark, whose rows are not collected. ts.Sketch.fit(frame.select('x')) sketches "
            "all rows of a column, ts.compare tests tables; or take rows: "
            "twosample.sources.open_table(frame).sample(10_000)."
        )
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        raise InputError(f"{name} is a sparse matrix; pass {name}.toarray().")
    if isinstance(value, list | tuple) and value and hasattr(value[0], "is_multigraph"):
        raise InputError(f"{name} holds graphs; give a kernel for them, such as kernel=ts.graphs.WeisfeilerLehman().")
    array = _to_numpy(value, name)
    if array.dtype.kind == "O" and not array.ndim:
        raise InputError(f"{name} is a {type(value).__name__}, not an array of numbers with one row per observation.")
    if array.dtype.kind == "c":
        raise InputError(f"{name} holds complex numbers; give real and imaginary parts as two columns.")
    if array.dtype.kind not in "fiub":
        raise InputError(
            f"{name} has values of type {array.dtype}, not numbers. Encode text, categories and dates as numbers first."
        )
    return np.array(array, dtype=np.float64)


def _to_numpy(value: Any, name: str) -> np.ndarray[Any, Any]:
    if hasattr(value, "detach"):  # a torch tensor, perhaps with gradients or on a device
        value = value.detach().cpu()
    try:
        if not hasattr(value, "__array__") and hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        array = np.asarray(value)
        plain = (int, float, np.integer, np.floating, np.bool_)
        if array.dtype.kind == "O" and array.size and all(isinstance(v, plain) for v in array.flat):
            return array.astype(np.float64)
    except TwosampleError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        raise InputError(f"{name} cannot be read as an array of numbers: {shown(str(error), 200)}") from None
    return array


def _check_finite(array: Floats, name: str) -> None:
    bad = ~np.isfinite(array)
    count = int(np.count_nonzero(bad))
    if count:
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"{name} has {count} value(s) that are NaN or infinite, the first in row {row}, column {column}. "
            "Drop or fill them first: a missing value is not evidence of a difference."
        )
