"""Roots of functions of one number. Loading scipy.optimize for this takes longer than many a test."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import copysign

UNDERFLOW = -760.0  # its exponential is zero

_STEPS = 1000  # a bound for safety; twenty is common


def brent(
    function: Callable[[float], float], low: float, high: float, xtol: float = 2e-12, rtol: float = 8.9e-16
) -> float:
    """Where a function is zero, between two places at which its signs differ: Brent's method (1973, chapter 4).

    Inverse quadratic interpolation and secants, halving where they do not help; step by step what
    ``scipy.optimize.brentq`` does. The root is within ``xtol + rtol * |root|``.
    """
    before, here, across = low, high, 0.0
    f_before, f_here, f_across = function(low), function(high), 0.0
    last = step = 0.0
    if f_before == 0.0:
        return float(low)
    if f_here != 0.0 and (f_before > 0) == (f_here > 0):
        raise ValueError(f"the function has the same sign at {low:g} and at {high:g}")
    for _ in range(_STEPS):
        if f_before != 0.0 and f_here != 0.0 and (f_before > 0) != (f_here > 0):
            across, f_across = before, f_before
            last = step = here - before
        if abs(f_across) < abs(f_here):
            before, here, across = here, across, here
            f_before, f_here, f_across = f_here, f_across, f_here
        near = (xtol + rtol * abs(here)) / 2
        half = (across - here) / 2
        if f_here == 0.0 or abs(half) < near:
            return float(here)
        trial = _interpolated((before, f_before), (here, f_here), (across, f_across))
        if abs(last) > near and abs(f_here) < abs(f_before) and 2 * abs(trial) < min(abs(last), 3 * abs(half) - near):
            last, step = step, trial
        else:
            last = step = half
        before, f_before = here, f_here
        here += step if abs(step) > near else copysign(near, half)
        f_here = function(here)
    return float(here)


Point = tuple[float, float]


def _interpolated(before: Point, here: Point, across: Point) -> float:
    """The step to where a secant, or the inverse parabola through three points, is zero."""
    (x, f), (y, g), (z, h) = before, here, across
    if x == y or f == g:
        return float("inf")
    if x == z:
        return -g * (y - x) / (g - f)
    slope, other = (f - g) / (x - y), (h - g) / (z - y)
    divisor = other * slope * (h - f)
    return -g * (h * other - f * slope) / divisor if divisor else float("inf")


def crossing(log_tail: Callable[[float], float], log_level: float) -> float:
    """The ``y >= 0`` where a decreasing log probability, at 0 not below ``log_level``, comes down to it.

    Doubling brackets it and Brent's method finds it, to 1e-13.
    """

    @cache
    def excess(y: float) -> float:
        return max(log_tail(y), UNDERFLOW) - log_level

    low, high = 0.0, 1.0
    while excess(high) > 0.0:
        low, high = high, 2.0 * high
    if low == 0.0 and excess(low) <= 0.0:
        return 0.0
    return brent(excess, low, high, xtol=1e-13, rtol=1e-13)
