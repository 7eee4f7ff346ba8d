"""Which pairings of x and y a permutation test looks at.

All n! when they are few; uniform ones for few rows; else whole cyclic groups, because HSIC comes for all members of one
at the cost of a few. A random order of the rows makes their circular shifts a random cyclic group of permutations, and
a test over a group (or a random part of one) is exact. When there are many more rows than resamples, the rows are cut
into stretches that are shifted together: a smaller cyclic group, and a cheaper one.

Several groups need more care, since their union is not a group. They are taken around a hub: a pairing from which truth
and resamples are reached in the same way (Besag and Clifford 1989). Of the 1 + k(n-1) pairings, the hub and the
proper shifts of it in k random orders, truth is one chosen at random: so every pairing is as likely to be the truth
under H0, which is all that an exact test needs. The hub is found by going back from the truth.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import NamedTuple

import numpy as np

from ..core.types import Floats
from .factored import FactorPair
from .matrices import Order
from .pairs import VariablePair

FEW_ROWS = 64  # up to this many rows permutations are drawn one by one


class PermutedValues(NamedTuple):
    """Values of HSIC, the true one first, and whether they are those of all permutations."""

    values: Floats
    exhaustive: bool


def permutations_of_y(pair: VariablePair, count: int, rng: np.random.Generator) -> PermutedValues:
    """The truth and `count` permutations of y, or all of them."""
    n = pair.size
    if n <= 12 and factorial(n) <= count:
        return PermutedValues(pair.permuted(np.array(list(permutations(range(n))), dtype=np.intp)), True)
    if n <= FEW_ROWS:
        orders = rng.permuted(np.tile(np.arange(n), (count + 1, 1)), axis=1)
        orders[0] = np.arange(n)
        return PermutedValues(pair.permuted(orders), False)
    if isinstance(pair, FactorPair) and n >= 2 * (count + 1):
        return PermutedValues(_short_cycles(pair, count, rng), False)
    return PermutedValues(_cyclic_groups(pair, count, rng), False)


def _cyclic_groups(pair: VariablePair, count: int, rng: np.random.Generator) -> Floats:
    n = pair.size
    groups = -(-count // (n - 1))
    orders = [rng.permutation(n) for _ in range(groups)]
    truth = int(rng.integers(groups * (n - 1) + 1))  # 0: the hub itself; all other places are alike, so take group 0
    step = 1 + truth % (n - 1) if truth else 0
    hub = np.empty(n, dtype=np.intp)
    hub[orders[0]] = np.roll(orders[0], step)  # row i of x meets row hub[i] of y; `step` shifts in group 0 undo it
    parts = [pair.shifts(order, hub[order]) for order in orders]
    others = np.concatenate([np.delete(parts[0], step), *(part[1:] for part in parts[1:])])
    return np.concatenate([[parts[0][step]], others[_some(len(others), count, rng)]])


def _short_cycles(pair: FactorPair, count: int, rng: np.random.Generator) -> Floats:
    """The powers of a random permutation whose cycles are little longer than the number of resamples."""
    least = max(count + 1, FEW_ROWS)
    lengths = np.arange(least, min(2 * least, pair.size) + 1)
    cycle = int(lengths[np.argmin(pair.size % lengths)])  # rows that no cycle has room for keep their partners
    order = rng.permutation(pair.size)
    values = pair.turns(order, order, cycle)
    return np.concatenate([values[:1], values[1:][_some(cycle - 1, count, rng)]])


def shifts_of_y(pair: VariablePair, count: int | None, margin: int, rng: np.random.Generator) -> PermutedValues:
    """The truth and the circular shifts of y by at least `margin` rows either way, `count` of them at most."""
    order = np.arange(pair.size)
    values = pair.shifts(order, order)
    others = values[margin : pair.size - margin + 1]
    if count is not None:
        others = others[_some(len(others), count, rng)]
    return PermutedValues(np.concatenate([values[:1], others]), False)


def _some(size: int, count: int, rng: np.random.Generator) -> Order:
    """So many places of all, in order."""
    return np.sort(rng.choice(size, min(size, count), replace=False))
