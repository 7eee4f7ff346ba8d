"""Time series: windows of one long series as rows, and a kernel on many series of different lengths.

Relabelling is exact for observations that are independent of each other. Whole series from separate runs, patients or
machines are; neighbouring values, or overlapping windows, of one series are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.types import Floats
from ..errors import InputError, OptionError, options_by_name, positive_number, whole_number
from ..kernels import Kernel, ObjectKernel, Tabulated
from ..kernels.bandwidth import distance_quantiles
from ..kernels.radial import distances
from .levels import real_array

_CELLS, _DIAGONAL = 1 << 22, 1 << 13  # memory, and what stays in the cache


@options_by_name
def windows(series: object, length: int, step: int | None = None) -> Floats:
    """Windows of fixed length of one series, as rows for any test.

    Parameters
    ----------
    series
        ``(T,)`` numbers, or ``(T, d)`` for d numbers at each time.
    length
        Times in a window.
    step
        From the start of one window to the start of the next. None: `length`, so that no value is used twice. A larger
        step leaves a gap between windows.

    Returns
    -------
    numpy.ndarray
        ``(windows, length * d)`` numbers; what does not fill a window at the end is left out.

    Notes
    -----
    A permutation test takes rows as exchangeable. Windows of one series depend on each other: strongly if they overlap
    (`step` < `length`), and as far as the series remembers if they do not. Then p-values are too small. Leave gaps
    longer than the memory, or compare many independent series.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> ts.series.windows(np.arange(7), length=3)
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    length = whole_number("length", length)
    step = length if step is None else whole_number("step", step)
    values = _one_series(series, "The series")
    if len(values) < length:
        raise InputError(f"The series has {len(values)} time(s), fewer than one window of length={length}.")
    starts = np.arange(0, len(values) - length + 1, step)
    return np.asarray(values[starts[:, None] + np.arange(length)].reshape(len(starts), -1))


@dataclass(frozen=True)
class GlobalAlignment(ObjectKernel):
    r"""Series of different lengths by all their alignments (Cuturi et al. 2007, Cuturi 2011).

    .. math:: k(x,y) = \sum_{\pi}\prod_{(i,j)\in\pi} \kappa(x_i,y_j), \qquad
              \kappa = \frac{w_{ij} g}{2 - w_{ij} g}, \quad g = e^{-\|x_i-y_j\|^2/(2\sigma^2)}

    over all alignments :math:`\pi` (paths from the first pair to the last, each step advancing one series or both),
    where w = 1, or :math:`\max(0, 1-|i-j|/T)` for a triangle T. Positive definite because :math:`\kappa/(1+\kappa)` is.
    Values are divided by :math:`\sqrt{k(x,x)\,k(y,y)}`.

    Parameters
    ----------
    bandwidth
        sigma. None: the median distance between points of the pooled series, times the root of the median length.
    triangle
        T: points further apart in time are never aligned, and series whose lengths differ by T or more have the value
        0. 0 for no such limit.

    Notes
    -----
    A series is ``(T,)`` numbers or ``(T, d)``. Computed in logarithms. O(S T d) for series of S and T: some 5 s for 100
    series of length 100. With a small bandwidth, or long series, each series resembles only itself, and a test
    has no power. Lengths count: series of very different lengths have few alignments, so their value is small. The
    observations are whole series, independent of each other.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> x = [np.cumsum(rng.normal(size=rng.integers(10, 15))) for _ in range(15)]
    >>> y = [rng.normal(size=rng.integers(10, 15)) for _ in range(15)]
    >>> ts.mmd_test(x, y, kernel=ts.series.GlobalAlignment(), rng=0).rejected
    True
    """

    bandwidth: float | None = None
    triangle: int = 0
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        if self.bandwidth is not None:
            positive_number("bandwidth", self.bandwidth)
        object.__setattr__(self, "triangle", whole_number("triangle", self.triangle, least=0))

    def on(self, objects: Sequence[Any]) -> Kernel:
        series = [_one_series(value, f"Series {i} (counted from 0)") for i, value in enumerate(objects)]
        for position, one in enumerate(series):
            if one.shape[1] != series[0].shape[1]:
                raise InputError(
                    f"Series {position} (counted from 0) has {one.shape[1]} number(s) at each time, "
                    f"series 0 has {series[0].shape[1]}."
                )
        kernel = self if self.bandwidth is not None else replace(self, bandwidth=_typical_width(series))
        assert kernel.bandwidth is not None
        logs = log_alignments(series, kernel.bandwidth, self.triangle)
        own = 0.5 * np.diagonal(logs)
        if not np.isfinite(own).all():
            raise OptionError(f"{kernel!r}: a series has no alignment with itself; use a larger bandwidth.")
        return Tabulated(kernel, np.exp(logs - own - own[:, None]))


def _typical_width(series: Sequence[Floats]) -> float:
    rng = np.random.default_rng(0)  # for the bandwidth rule of many points
    middle = distance_quantiles(np.concatenate(series), "euclidean", np.array([0.5]), rng)
    return float(middle[0] * np.sqrt(np.median([len(one) for one in series])))


def _one_series(value: Any, name: str) -> Floats:
    values = real_array(value)
    if values is None:
        raise InputError(f"{name} is {type(value).__name__} and not an array of numbers.")
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.size == 0:
        raise InputError(f"{name} has shape {values.shape}; give (times,) or (times, columns), not empty.")
    if not np.isfinite(values).all():
        raise InputError(f"{name} holds NaN or infinite values; drop or fill them first.")
    return values


__all__ = ["GlobalAlignment", "windows"]


def log_alignments(series: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """``(N, N)`` logarithms of the global alignment kernel; -inf where no alignment stays inside the triangle."""
    order = np.argsort([len(one) for one in series], kind="stable")
    K = np.full((len(series), len(series)), -np.inf)
    for place, i in enumerate(order):
        start = 0
        while start <= place:
            widest = len(series[order[min(start + 64, place)]])
            count = max(1, min(_DIAGONAL // len(series[i]), _CELLS // (len(series[i]) * widest)))
            batch = order[start : min(place + 1, start + count)]
            values = _against_many(series[i], [series[j] for j in batch], bandwidth, triangle)
            K[i, batch] = values
            K[batch, i] = values
            start += len(batch)
    return K


def _against_many(x: Floats, others: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """One series against many that are no longer.

    M[i, j] = κ(x_i, y_j) (M[i-1, j] + M[i, j-1] + M[i-1, j-1]), along antidiagonals i + j = s, in which no cell
    depends on another. Row 0 and column 0 of M stand for the outside: nothing but the corner.
    """
    rows, lengths = len(x), np.array([len(y) for y in others])
    local = _log_local(x, others, bandwidth, triangle)  # (|x|, longest |y|, pairs)
    before = np.full((rows + 1, len(others)), -np.inf)  # antidiagonal s - 2, by i
    last = before.copy()
    before[0] = 0.0  # the corner M[0, 0] = 1
    result = np.full(len(others), -np.inf)
    reach = triangle or rows + local.shape[1]  # |i - j| < reach
    for s in range(2, rows + local.shape[1] + 1):
        first = max(1, s - local.shape[1], (s - reach) // 2 + 1)
        end = min(rows, s - 1, (s + reach - 1) // 2) + 1
        here, above = slice(first, end), slice(first - 1, end - 1)
        i = np.arange(first, end)
        new = np.full_like(last, -np.inf)
        new[here] = local[i - 1, s - i - 1] + _log_sum(last[above], last[here], before[above])
        before, last = last, new
        done = np.flatnonzero(lengths == s - rows)
        result[done] = last[rows, done]
    return result


def _log_local(x: Floats, others: Sequence[Floats], bandwidth: float, triangle: int) -> Floats:
    """Logs of κ = w k / (2 - w k), k the Gaussian and w the triangle: κ / (1 + κ) = w k / 2 is positive definite."""
    widest = max(len(y) for y in others)
    points = np.zeros((widest, len(others), x.shape[1]))
    for column, y in enumerate(others):
        points[: len(y), column] = y
    with np.errstate(over="ignore"):  # infinitely far is far
        squares = distances(x / bandwidth, points.reshape(-1, x.shape[1]) / bandwidth, "sqeuclidean")
    logs = -0.5 * squares.reshape(len(x), widest, len(others))
    if triangle:
        apart = np.abs(np.arange(len(x))[:, None] - np.arange(widest))
        with np.errstate(divide="ignore"):
            logs = logs + np.log(np.maximum(1 - apart / triangle, 0.0))[:, :, None]
    return np.asarray(logs - np.log(2 - np.exp(logs)))


def _log_sum(a: Floats, b: Floats, c: Floats) -> Floats:
    """log(exp(a) + exp(b) + exp(c)); -inf where all are."""
    top = np.maximum(np.maximum(a, b), c)
    np.maximum(top, -1e300, out=top)  # so that -inf - top is -inf and not NaN
    total = np.exp(a - top)
    total += np.exp(b - top)
    total += np.exp(c - top)
    with np.errstate(divide="ignore"):
        np.log(total, out=total)
    total += top
    return total
