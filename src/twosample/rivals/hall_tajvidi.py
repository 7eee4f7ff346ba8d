"""The nearest-neighbour test of Hall and Tajvidi."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event

import numpy as np

from .. import _door as door
from ..core.threads import available_cores, run
from ..core.types import Counts, Floats
from ..errors import OptionError, options_by_name, positive_number
from ..kernels.radial import distances
from ..nulls import Null
from ..results import TestResult
from ._common import columns_at_once, finish, prepare, replicate
from ._tree import Indices

CITATION = "Hall and Tajvidi (2002): Permutation tests for equality of distributions in high-dimensional settings"

WIDTH = 64
"""Labellings that are treated together; a constant, so that the answer does not depend on the number of threads."""

STRIDE = 57
"""Steps outwards after which sums of squared counts could no longer be held by 16 bits: 1² + ... + 57² < 2^16."""

Weights = Sequence[float] | Floats


@options_by_name
def hall_tajvidi_test(
    x: object,
    y: object,
    *,
    gamma: float = 2.0,
    weights: Weights | tuple[Weights, Weights] | None = None,
    null: Null | str = "permutation",
    level: float = 0.05,
    rng: door.Seed = None,
) -> TestResult:
    r"""Count the points of the other sample among the nearest neighbours of each point (Hall and Tajvidi 2002).

    H0: p = q. H1: p ≠ q. Let :math:`M_i(j)` be the number of y among the j points of the pool nearest to :math:`x_i`,
    and :math:`N_i(j)` the number of x among the j nearest to :math:`y_i`. With their expectations under H0,

    .. math:: T = \frac1m \sum_{i=1}^m \sum_j w_1(j) \Big|M_i(j) - \frac{jn}{N-1}\Big|^\gamma
              + \frac1n \sum_{i=1}^n \sum_j w_2(j) \Big|N_i(j) - \frac{jm}{N-1}\Big|^\gamma.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    gamma
        The exponent, positive.
    weights
        Weights w(1), w(2), ... of the neighbours from the nearest on, at most N - 1 of them, not negative; beyond them
        the weight is 0, so ``np.ones(10)`` looks at ten neighbours and is fast. A pair of such sequences gives
        :math:`w_1` and :math:`w_2` apart. None: 1 for j ≤ n in the first sum and j ≤ m in the second.
    null
        'permutation' (exact), or ``ts.Permutation(n=...)``.
    level
        The level of the test.
    rng
        Seed or generator, for relabelling and for breaking ties between distances.

    Returns
    -------
    TestResult
        With T as its statistic.

    Notes
    -----
    O(N² (d + log N)) time and O(NJ) memory for the neighbours, J being the number of weights, and O(NJ) for each of R
    labellings: a thousand points take seconds, ten thousand far too long unless the weights are few. Equal distances
    are ordered at random, without a look at the labels.

    References
    ----------
    P. Hall and N. Tajvidi (2002): Permutation tests for equality of distributions in high-dimensional settings.
    Biometrika 89, 359-374.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> from twosample.rivals import hall_tajvidi_test
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(40, 20)), rng.normal(scale=1.5, size=(40, 20))
    >>> hall_tajvidi_test(x, y, rng=1).rejected
    True
    """
    task = prepare(x, y, null, ("permutation",), level, rng)
    exponent = positive_number("gamma", gamma)
    of_x, of_y = _weights(weights, task.m, task.n)
    order = neighbours(task.z, len(of_x), task.rng)
    counter = Counter(order, of_x, of_y, exponent, task.m, task.n)
    law = replicate(task, task.permutation, counter.statistic)
    return finish(
        task, task.permutation, law, test="Hall-Tajvidi test", citation=CITATION, symbol="T", value=float(law.values[0])
    )


@dataclass(frozen=True, eq=False)
class Counter:
    """The statistic for all labellings."""

    order: Indices  # (N, J) the J nearest neighbours of every point
    of_x: Floats  # (J,) weights around points of x and of y
    of_y: Floats
    gamma: float  # the exponent
    m: int  # sample sizes
    n: int

    def statistic(self, labels: Counts) -> Floats:
        """``(R,)`` T."""
        blocks = [np.ascontiguousarray(labels[:, i : i + WIDTH]) for i in range(0, labels.shape[1], WIDTH)]
        work = self._squares if self.gamma == 2 and 8 * len(self._strides()) <= self.order.shape[1] + 8 else self._block
        values: Floats = np.concatenate(run(blocks, work, min(len(blocks), available_cores())))
        return values

    def _block(self, labels: Counts, stop: Event) -> Floats:
        """The sums over all points, for any exponent and any weights.

        With c(j) the number of x among the j nearest, |N_i(j) - jm/(N-1)| is |c - jm/(N-1)| around a point of y, and
        |M_i(j) - jn/(N-1)| is |c - j(m-1)/(N-1)| around a point of x. All points take one step outwards together.
        """
        inside = labels.astype(np.float64)  # (N, R)
        step, mean = (self.m + self.n - 1) * inside, self.m - inside
        off, total, now = np.zeros_like(inside), np.zeros_like(inside), np.empty_like(inside)
        for ring, w_x, w_y in zip(self.order.T, self.of_x.tolist(), self.of_y.tolist(), strict=True):
            if stop.is_set():
                break
            off += np.take(step, ring, axis=0, out=now, mode="clip")
            off -= mean
            self._power(off, now)
            if w_x != w_y:
                now *= w_y + (w_x - w_y) * inside
            elif w_x != 1:
                now *= w_x
            total += now
        total *= 1 / self.n + (1 / self.m - 1 / self.n) * inside
        sums: Floats = total.sum(axis=0) / float(self.m + self.n - 1) ** self.gamma
        return sums

    def _strides(self) -> list[slice]:
        """Runs of neighbours with the same weights, none longer than STRIDE."""
        reach = self.order.shape[1]
        changes = np.flatnonzero((np.diff(self.of_x) != 0) | (np.diff(self.of_y) != 0)) + 1
        runs = itertools.pairwise([0, *changes.tolist(), reach])
        return [slice(i, min(i + STRIDE, end)) for start, end in runs for i in range(start, end, STRIDE)]

    def _squares(self, labels: Counts, stop: Event) -> Floats:
        """The same for gamma = 2 and weights that seldom change, in numbers of 16 bits.

        Within a stride let u(t) be the x among its first t points. With b the deviation before it,

            Σ_t (b + u(t) - μt)² = kb² + 2b Σ (u - μt) + Σ u² - 2μ Σ tu + μ² Σ t²,

        and Σ_t tu(t) = (k+1) Σ_t u(t) - Σ_t Σ_{s<=t} u(s): only additions of whole numbers and one square.
        """
        inside = labels.astype(np.uint16)  # (N, R)
        now, u, once, twice, square = (np.empty_like(inside) for _ in range(5))
        of_x = labels.astype(np.float64)
        share = (self.m - of_x) / (self.m + self.n - 1)  # μ
        before, total = np.zeros_like(share), np.zeros_like(share)
        for stride in self._strides():
            for sums in (u, once, twice, square):
                sums[:] = 0
            for ring in self.order.T[stride]:
                u += np.take(inside, ring, axis=0, out=now, mode="clip")
                once += u
                twice += once
                square += np.multiply(u, u, out=now)
            if stop.is_set():
                break
            k = float(stride.stop - stride.start)
            w_x, w_y = self.of_x[stride.start] / self.m, self.of_y[stride.start] / self.n
            cross = before * (once - share * (k * (k + 1) / 2)) - share * ((k + 1) * once - twice)
            squares = square + share**2 * (k * (k + 1) * (2 * k + 1) / 6)
            total += (w_y + (w_x - w_y) * of_x) * (k * before**2 + 2 * cross + squares)
            before += u - k * share
        result: Floats = total.sum(axis=0)
        return result

    def _power(self, off: Floats, out: Floats) -> None:
        if self.gamma == 2:
            np.multiply(off, off, out=out)
            return
        np.abs(off, out=out)
        if self.gamma != 1:
            np.power(out, self.gamma, out=out)


def neighbours(z: Floats, count: int, rng: np.random.Generator) -> Indices:
    """``(N, count)`` the nearest other points of every point, ties in random order.

    The last bits of a squared distance give way to the place of the point in a random order. The keys are then all
    different, plain sorting is enough, and distances that agree but for rounding are ties.
    """
    total = len(z)
    shuffle = rng.permutation(total)
    shuffled = z[shuffle]
    bits = total.bit_length()
    order = np.empty((total, count), dtype=np.intp, order="F")
    step = columns_at_once(total, 2_000_000)
    for start in range(0, total, step):
        D = distances(z[start : start + step], shuffled, "sqeuclidean")
        D[shuffle[None, :] == np.arange(start, start + len(D))[:, None]] = np.inf  # not its own neighbour
        keys = D.view(np.int64)  # the same order, because no distance is negative
        keys >>= bits
        keys <<= bits
        keys |= np.arange(total)
        keys.sort(axis=1)
        order[start : start + len(D)] = shuffle[keys[:, :count] & ((1 << bits) - 1)]
    return order


def _weights(weights: Weights | tuple[Weights, Weights] | None, m: int, n: int) -> tuple[Floats, Floats]:
    """Weights around points of x and of y, filled up with zeros to the same length."""
    if weights is None:
        of_x, of_y = np.ones(n), np.ones(m)
    else:
        pair = isinstance(weights, tuple) and len(weights) == 2 and all(np.ndim(part) == 1 for part in weights)
        of_x, of_y = (_checked(part, m + n - 1) for part in (weights if pair else (weights, weights)))
    length = max(len(of_x), len(of_y))
    return np.pad(of_x, (0, length - len(of_x))), np.pad(of_y, (0, length - len(of_y)))


def _checked(weights: object, most: int) -> Floats:
    try:
        given = np.asarray(weights)
        array = given.astype(np.float64) if given.dtype.kind in "biufO" else np.empty(0)
    except Exception:  # noqa: BLE001 - whatever a foreign object says when it is asked for its numbers
        array = np.empty(0)
    if array.ndim != 1 or not 1 <= len(array) <= most or not np.isfinite(array).all() or (array < 0).any():
        raise OptionError(
            f"weights must be one sequence of 1 to {most} numbers that are not negative, or a pair of such sequences."
        )
    return array
