r"""What the law of MMD²_u depends on when p and q may differ, measured once from two samples.

Write :math:`\delta = \mu_p - \mu_q` and let :math:`C_p, C_q` be the covariance operators of the features. The
two-sample U-statistic is a linear part plus a degenerate one,

.. math:: \mathrm{MMD}^2_u - \mathrm{MMD}^2 \approx 2\langle\delta, G\rangle + |G|^2 - E|G|^2,
          \qquad G \sim N(0, C), \quad C = C_p/m + C_q/n.

The linear part is the normal law of Theorem 'hoeffdingNormal'; the other one is that of Theorem 'Asymptotic
distribution', and all that is left when p = q. Both together are right at p = q, far from it, and in between:

.. math:: \mathrm{Var} = 4\delta'C\delta + 2\,\mathrm{tr}\,C^2, \qquad
          \kappa_3 = 24\,\delta'C^2\delta + 8\,\mathrm{tr}\,C^3.

A plug-in of :math:`\delta'C\delta` is too large by :math:`\mathrm{tr}\,C^2` on average, because the estimated
:math:`\delta` has the noise G in it; that is taken off here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from .. import _door as door
from ..core.centred import u_centred
from ..core.labellings import observed
from ..core.sums import BlockSums
from ..core.types import Floats
from ..embedding import Line
from ..embedding.alternative import EmbeddedMoments
from ..engines import Auto, Engine, Gram, LowRank
from ..errors import InputError, number_between
from ..kernels import Gaussian, Kernel
from ..statistics import Biased, Unbiased

SECOND_ORDER_ROWS, SECOND_ORDER_PARTS = 700, 5
"""Off the line, traces of powers of C are means over so many random parts of so many rows: O(rows³) for each part."""

_PATIENCE = 6.0


@dataclass(frozen=True, eq=False)
class Estimates:
    """Options resolved, and the sums that every estimate is made of."""

    pool: door.Pool  # what was asked for, resolved
    kernel: Kernel
    engine: Engine
    reason: str
    gram: Gram  # the Gram matrix of the pool
    sums: BlockSums  # its block sums at the true labelling

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows of x and of y."""
        return self.pool.m, self.pool.n

    @property
    def squared(self) -> float:
        """MMD²_u, the unbiased estimate; may be negative."""
        return float(Unbiased().form(*self.sizes).value(self.sums)[0])

    @property
    def biased(self) -> float:
        """MMD_b², never negative."""
        return max(float(Biased().form(*self.sizes).value(self.sums)[0]), 0.0)

    @property
    def largest(self) -> float:
        """No MMD is larger than this; infinite if no bound of the kernel is known."""
        low, high = self.kernel.bounds or (0.0, float("inf"))
        return sqrt(2 * (high - low))

    @property
    def spreads(self) -> Floats:
        """``(2,)`` variance in feature space of each sample, E[k(z,z) - k(z,z')], unbiased."""
        sums = self.sums
        within = [
            d / size - (total - d) / (size * (size - 1))
            for total, d, size in ((sums.xx[0], sums.dx[0], sums.m), (sums.yy[0], sums.dy[0], sums.n))
        ]
        return np.asarray(np.maximum(within, 0.0))


@dataclass(frozen=True, eq=False)
class Profile(Estimates):
    """Two samples as the laws beyond H0 see them."""

    covariances: Floats
    """``(2, 2, 2)``: for each sample the covariance of the witness at its points and of their part in its spread."""
    squares: Floats  # (2, 2) traces of C_a C_b
    triangles: Floats  # (2, 2, 2) traces of C_a C_b C_c
    heaviest: Floats  # (2,) what the heaviest single point has in the traces of C_a

    @property
    def spread(self) -> float:
        """The mean of the two variances in feature space; 0 when it is rounding."""
        mean = float(self.spreads.mean())
        return mean if mean > self.rounding else 0.0

    @property
    def rounding(self) -> float:
        """Up to this a spread, or MMD², is none."""
        return 1e-13 * float(np.abs(self.kernel.diagonal(self.pool.z[:100])).mean())


def confidence(level: object) -> float:
    """The probability of an interval, strictly between 0 and 1."""
    return number_between("level", level, 0, 1, example=0.95)


def estimate(
    x: object,
    y: object,
    kernel: door.KernelLike,
    bandwidth: door.BandwidthLike,
    engine: Engine | str,
    rng: np.random.Generator,
) -> Estimates:
    """The sums over all rows: one pass of the engine."""
    request = door.request(x, y, kernel, bandwidth, engine=engine, rng=rng)
    pool, formula, way = request.pool, request.kernel, request.engine
    assert way is not None
    _check_size(formula, pool.z)
    reason = ""
    if isinstance(way, Auto):
        way, reason = _quick(way, formula, pool.z)
    gram = way.gram(formula, pool.z, rng)
    return Estimates(pool, formula, way, reason, gram, gram.block_sums(observed(pool.m, pool.n), pool.m, pool.n))


def profile(known: Estimates, rng: np.random.Generator) -> Profile:
    """Measure what the laws need: one more pass over all rows, and matrix products of some hundred rows."""
    pool = known.pool
    if min(pool.m, pool.n) < 4:
        raise InputError(
            f"x has {pool.m} row(s) and y has {pool.n}: the spread of MMD cannot be estimated from fewer than 4 rows "
            "each. Collect more, or use ts.interval(..., method='bound'), which holds at any size."
        )
    indicators = np.zeros((len(pool.z), 2))
    indicators[: pool.m, 0] = indicators[pool.m :, 1] = 1.0
    diagonal = known.kernel.diagonal(pool.z)
    own, other = _row_means(known.gram.multiply(indicators), diagonal, pool.m, pool.n)
    squares, triangles, heaviest = _traces(known.kernel, pool, rng)
    return Profile(
        pool,
        known.kernel,
        known.engine,
        known.reason,
        known.gram,
        known.sums,
        covariances=_covariances(own, other, diagonal, pool.m),
        squares=squares,
        triangles=triangles,
        heaviest=heaviest,
    )


def _check_size(kernel: Kernel, z: Floats) -> None:
    """Refuse data on which an unbounded kernel leaves the range of doubles: laws take sixth powers of its values."""
    if kernel.bounds is not None:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        largest = float(np.abs(kernel.diagonal(z)).max())
    if largest != 0 and not 1e-40 < largest < 1e40:
        size = "small" if largest < 1 else "large"
        raise InputError(
            f"x and y hold values too {size} for {kernel!r}: its values reach {largest:g}, and powers of them leave "
            "the range of doubles. Rescale both samples."
        )


def _quick(auto: Auto, kernel: Kernel, z: Floats) -> tuple[Engine, str]:
    """The engine that 'auto' picks, or a low-rank one when that takes more than some seconds."""
    plan = auto.choose(kernel, z, 2)
    if plan.seconds <= _PATIENCE or kernel.domain != "vectors":
        return plan.engine, plan.reason
    reason = f"{len(z)} pooled points: an exact engine would take about {plan.seconds:.0f} s"
    return LowRank(progress=auto.progress), reason


def _row_means(row_sums: Floats, diagonal: Floats, m: int, n: int) -> tuple[Floats, Floats]:
    """For every point the mean kernel value with the rest of its own sample, and with the other sample."""
    own = np.concatenate([(row_sums[:m, 0] - diagonal[:m]) / (m - 1), (row_sums[m:, 1] - diagonal[m:]) / (n - 1)])
    other = np.concatenate([row_sums[:m, 1] / n, row_sums[m:, 0] / m])
    return own, other


def _covariances(own: Floats, other: Floats, diagonal: Floats, m: int) -> Floats:
    """Covariance of the witness and of k(z,z) - 2 E k(z,z') over the points of each sample."""
    values = np.stack([own - other, diagonal - 2 * own])
    return np.stack([np.cov(values[:, :m]), np.cov(values[:, m:])])


def _traces(kernel: Kernel, pool: door.Pool, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """``(2, 2)`` traces of products of two covariance operators, ``(2, 2, 2)`` of three, ``(2,)`` of single points.

    On a line from features of all rows, as :func:`compare` has them; else from kernel matrices of some parts.
    """
    if isinstance(kernel, Gaussian) and pool.z.shape[1] == 1:
        line = Line.of_many_values(pool.x[:, 0], pool.y[:, 0], kernel.scale)
        moments = EmbeddedMoments.of(line.embedded(kernel.scale))
        return moments.squares, moments.triangles, moments.heaviest
    parts = SECOND_ORDER_PARTS if max(pool.m, pool.n) > SECOND_ORDER_ROWS else 1
    every = [_traces_of(kernel, _some(pool.x, rng), _some(pool.y, rng)) for _ in range(parts)]
    squares, triangles, heaviest = (np.mean(found, axis=0) for found in zip(*every, strict=True))
    return squares, triangles, heaviest


def _traces_of(kernel: Kernel, x: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
    """Of few rows; without the diagonals, as in :mod:`twosample.core.centred` and for the same reason."""
    own = kernel.block(x, x), kernel.block(y, y)
    heaviest = np.array([_centred(K).diagonal().max() * (len(K) - 1) / len(K) for K in own])
    blocks = [
        [u_centred(own[0]) / sqrt(len(x) * (len(x) - 3)), _centred(kernel.block(x, y))],
        [np.empty(0), u_centred(own[1]) / sqrt(len(y) * (len(y) - 3))],
    ]
    blocks[1][0] = blocks[0][1].T
    squares = np.array([[float((block * block).sum()) for block in row] for row in blocks])
    triangles = np.empty((2, 2, 2))
    for a, b, c in ((0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)):
        trace = max(float(np.vdot(blocks[a][b] @ blocks[b][c], blocks[a][c])), 0.0)
        for i, j, k in {(a, b, c), (b, c, a), (c, a, b)}:
            triangles[i, j, k] = trace
    return squares, triangles, heaviest


def _some(points: Floats, rng: np.random.Generator) -> Floats:
    if len(points) <= SECOND_ORDER_ROWS:
        return points
    return points[rng.choice(len(points), SECOND_ORDER_ROWS, replace=False)]


def _centred(K: Floats) -> Floats:
    """The cross block, centred in both directions; its squares sum to the trace of C_p C_q."""
    K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
    return np.asarray(K / sqrt((len(K) - 1) * (K.shape[1] - 1)))
