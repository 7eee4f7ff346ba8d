r"""The engine for many points in any dimension: a low-rank kernel close to the one that was asked for.

Randomly pivoted Cholesky (Chen, Epperly, Tropp and Webber 2025) draws landmarks l from the pool, each with probability
proportional to what the kernel of the landmarks before it leaves of k(z, z). The kernel that results,
:math:`k_r(z,z') = k(z,l)'\,k(l,l)^{-1}\,k(l,z')`, is positive definite and so is the residual :math:`E = K - K_r`.
Landmarks are drawn from the pool without a look at the labels, so that relabelling the pool is as valid for
:math:`k_r` as for k: the permutation test keeps its level exactly, whatever the rank. That answers the remark at the
end of Section 6 of the paper; what is lost is only the part of MMD² that E holds.

With the weights a = (1/m on x, -1/n on y), :math:`\mathrm{MMD}_b^2` changes by :math:`a'Ea`, which lies between 0 and
:math:`\lambda_{\max}(E)|a|^2 \le \mathrm{tr}(E)(1/m+1/n)`. For :math:`\mathrm{MMD}_u^2` write E by features,
:math:`E = \Psi\Psi'`, with means :math:`\mu_x, \mu_y` and sums :math:`s_x, s_y` of :math:`|\psi|^2` over each sample.
It changes by :math:`|\mu_x-\mu_y|^2 + \frac{|\mu_x|^2 - s_x/m}{m-1} + \frac{|\mu_y|^2 - s_y/n}{n-1}`. The fractions are
never positive, and at least :math:`-s_x/(m(m-1))` and :math:`-s_y/(n(n-1))`, so that tr(E)(1/m+1/n) bounds it in either
direction. Both bounds are for the worst labelling; over random ones the change of :math:`\mathrm{MMD}_b^2` is
about N times smaller, and that of :math:`\mathrm{MMD}_u^2` zero on average.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, reduce
from threading import Event
from typing import NamedTuple

import numpy as np

from ...core.blas import single_threaded_blas
from ...core.centred import Centred
from ...core.labellings import Labellings
from ...core.sums import BlockSums
from ...core.threads import Progress, available_cores, run
from ...core.types import Counts, Floats, Reals
from ...errors import OptionsByName, number_between, whole_number
from ...kernels import Kernel
from ..base import Gram, check_work, own_generator
from ..features.feature_gram import FeatureGram
from .landmarks import Certificate, LandmarkMap, row_pieces
from .pivoted_cholesky import choose_landmarks

MAX_RANK = 4000  # where the rank ends if nothing is said: the factor takes 128 MB then

_BLOCK_ENTRIES = 1 << 20


@dataclass(frozen=True)
class LowRank(OptionsByName):
    r"""A kernel of low rank r instead of the kernel, with a bound on what that changes. O(N r R + r³) time.

    Randomly pivoted Cholesky chooses r points of the pool and stops when the trace of the residual is small enough.
    Nothing of size N x r is kept. The test is valid at any rank, because the choice does not look at the labels; the
    notes of the result say how far MMD² can be from that of the full kernel. For pools of more than 10,000 rows and
    smooth kernels: rough kernels, and points with few neighbours within a bandwidth, need too high a rank.

    Parameters
    ----------
    tolerance
        Largest trace of the residual, relative to the trace of the Gram matrix; and ten times this relative to that of
        the centred one, so that a constant in the kernel, which MMD² does not see, cannot pass for accuracy.
    max_rank
        Largest rank, whatever the tolerance; None for 4000.
    seed
        Seed of the choice when :meth:`gram` is called without a generator. Tests pass one.
    threads
        Number of threads; None for all cores that the process may use. The answer does not depend on it.
    progress
        Called with (steps done, steps in all).

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(500, 3))
    >>> ts.mmd_test(x, x + 0.3, engine=ts.LowRank(), rng=1).rejected
    True
    """

    tolerance: float = 1e-3
    max_rank: int | None = None
    seed: int = 0
    threads: int | None = None
    progress: Progress | None = field(default=None, repr=False)
    name = "lowrank"

    def __post_init__(self) -> None:
        check_work("LowRank", self.threads, self.progress)
        number_between("LowRank: tolerance", self.tolerance, 0, 1)
        whole_number("LowRank: seed", self.seed, least=0)
        if self.max_rank is not None:
            whole_number("LowRank: max_rank", self.max_rank)

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> LowRankGram:
        """The low-rank Gram matrix of z; a child of `rng` draws the landmarks, and `rng` itself stays as it is."""
        random = own_generator(rng, self.seed)
        threads = int(self.threads or available_cores())
        most = int(self.max_rank or MAX_RANK)
        with single_threaded_blas():
            features, certificate = choose_landmarks(kernel, z, self.tolerance, most, random, threads)
        return LowRankGram(features, z, certificate, threads, self.progress)


@dataclass(frozen=True, eq=False)
class LowRankGram(Gram):
    """The Gram matrix of the low-rank kernel."""

    features: LandmarkMap  # the features Φ with K_r = Φ Φ'
    z: Floats  # (N, d) pooled points
    certificate: Certificate  # how much the rank leaves
    threads: int  # as in LowRank
    progress: Progress | None = field(default=None, repr=False)

    @property
    def rank(self) -> int:
        """The number of landmarks."""
        return self.features.width

    def bound(self, m: int, n: int) -> float:
        """MMD² of the full kernel, biased or unbiased, differs by no more than this."""
        known = self.certificate
        rounding = 1e-6 if self.features.dtype is np.float32 else 1e-12
        return (known.limit * (m + n) * (1 / m + 1 / n) + rounding) * known.trace / (m + n)

    def notes(self, m: int, n: int) -> tuple[str, ...]:
        """What the result should tell about the approximation."""
        known = self.certificate
        typical = known.share * known.trace / (m + n - 1) * (1 / m + 1 / n)
        return (
            f"Low-rank kernel of rank {self.rank}: {known}.",
            f"MMD² of the full kernel differs by at most {self.bound(m, n):.3g}, over relabellings by {typical:.3g} on "
            "average. The test is valid for the low-rank kernel as it is.",
            *known.warning(),
        )

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Block sums of the centred low-rank kernel, by one pass over the rows.

        The pass sums the kernel values with the landmarks; the factor turns the sums, not the rows, into features.
        """
        v, w, count = labels.x, labels.y, labels.count
        columns = v if w is None else np.concatenate([v, w], axis=1)
        sizes = np.full(columns.shape[1], m)
        sizes[count:] = n
        near = self.features.values(self.z[:: max(1, len(self.z) // 500)]).mean(axis=0, dtype=np.float64)
        near = near.astype(self.features.dtype)

        def work(rows: slice, stop: Event) -> _LowRankSums:
            return self._piece_sums(rows, columns, near, stop)

        parts = run(row_pieces(len(self.z)), work, self.threads, self.progress)
        all_rows = reduce(_LowRankSums.add, parts)
        rest = all_rows.total / len(self.z)  # the mean less what was taken off
        S = self.features.factor.T @ (all_rows.sums - rest[:, None] * sizes)  # (r, C)
        mean = self.features.factor.T @ (near + rest)
        own = np.einsum("jr,jr->r", S, S)
        diagonal = all_rows.lengths - 2 * (mean @ S) - sizes * (mean @ mean)
        if w is None:
            trace = float(self.certificate.lengths.sum()) - len(self.z) * float(mean @ mean)
            return BlockSums(own, -own, own, diagonal, trace - diagonal, m, n, self._resolution)
        cross = np.einsum("jr,jr->r", S[:, :count], S[:, count:])
        return BlockSums(own[:count], cross, own[count:], diagonal[:count], diagonal[count:], m, n, self._resolution)

    def centred(self, rng: np.random.Generator) -> Centred:
        """See :class:`FeatureGram`."""
        return self._by_features.centred(rng)

    def multiply(self, W: Floats) -> Floats:
        """See :class:`FeatureGram`."""
        return self._by_features.multiply(W)

    @property
    def _resolution(self) -> float:
        """Rounding error of the sums, relative to N² kernel values; centred sums are smaller by a factor of N."""
        return 1e-6 / len(self.z) if self.features.dtype is np.float32 else 1e-12

    @cached_property
    def _by_features(self) -> FeatureGram:
        return FeatureGram(self.features, self.z, self.threads, self.progress)

    def _piece_sums(self, rows: slice, columns: Counts, near: Reals, stop: Event) -> _LowRankSums:
        sums, total = np.zeros((self.rank, columns.shape[1])), np.zeros(self.rank)
        lengths = np.zeros(columns.shape[1])
        step = max(1, _BLOCK_ENTRIES // self.rank)
        for start in range(rows.start, rows.stop, step):
            if stop.is_set():
                break
            block = slice(start, min(start + step, rows.stop))
            C = self.features.values(self.z[block])
            C -= near
            v = columns[block].astype(C.dtype)
            sums += C.T @ v
            total += C.sum(axis=0, dtype=np.float64)
            lengths += self.certificate.lengths[block] @ v
        return _LowRankSums(sums, total, lengths)


class _LowRankSums(NamedTuple):
    """What some rows add: C'V and C'1, C the centred kernel values with the landmarks, and sums of k_r(z, z)."""

    sums: Floats
    total: Floats
    lengths: Floats

    def add(self, other: _LowRankSums) -> _LowRankSums:
        """The sums over both sets of rows; overwrites these."""
        for ours, theirs in zip(self, other, strict=True):
            np.add(ours, theirs, out=ours)
        return self
