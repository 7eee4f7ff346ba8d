"""Landmarks: points of the pool whose kernel functions come close to all others, and the features they give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import log
from threading import Event

import numpy as np

from ...core.roots import brent
from ...core.threads import run
from ...core.types import Floats, Reals
from ...errors import OptionError
from ...kernels import Kernel
from ...kernels.radial import LONG
from ..features.feature_gram import PIECES
from ..tiles import tile_function

Precision = type[np.float32 | np.float64]

_DOUBT = 5e-5  # one in a thousand, shared by the twenty or so times that a sample is looked at

_BLOCK_ENTRIES, _BLOCK = 1 << 20, 4096  # numbers, and rows


class LandmarkMap:
    """The features k(z, l) L^-T of the ``(r, d)`` landmarks l with k(l, l) = L L'; `dtype` is the precision of rows."""

    def __init__(self, kernel: Kernel, landmarks: Floats, dtype: Precision) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        self.dtype: Precision = dtype
        between = kernel.block(landmarks, landmarks) if len(landmarks) else np.empty((0, 0))
        self.factor = _inverse_root(between, kernel)  # (r, r) L^-T, upper triangular

    @property
    def width(self) -> int:
        """The rank."""
        return len(self.landmarks)

    def values(self, points: Floats) -> Reals:
        """``(len(points), r)`` kernel values."""
        return kernel_values(self.kernel, points, self.landmarks, self.dtype)

    def __call__(self, points: Floats) -> Reals:
        """``(len(points), r)`` features."""
        C = self.values(points)
        phi = np.empty_like(C)
        factor = self.factor.astype(self.dtype, copy=False)
        step = max(64, -(-self.width // 8))
        for start in range(0, self.width, step):  # below the diagonal there is nothing to multiply with
            stop = min(start + step, self.width)
            np.matmul(C[:, :stop], factor[:stop, start:stop], out=phi[:, start:stop])
        return phi

    def rows(self, z: Floats, threads: int) -> Floats:
        """``(N, r)`` features of all points, in double precision. O(N r²)."""
        found = np.empty((len(z), self.width))

        def work(start: int, stop: Event) -> None:
            if not stop.is_set():
                found[start : start + _BLOCK] = self(z[start : start + _BLOCK])

        run(range(0, len(z), _BLOCK), work, threads)
        return found

    def lengths(self, z: Floats, threads: int) -> tuple[Floats, Floats]:
        """``(N,)`` squared lengths k_r(z, z) of the features, and their ``(r,)`` mean. O(N r²)."""
        step = max(1, _BLOCK_ENTRIES // self.width)

        def work(rows: slice, stop: Event) -> tuple[Floats, Floats]:
            squares, total = np.empty(rows.stop - rows.start), np.zeros(self.width)
            for start in range(0, len(squares), step):
                if stop.is_set():
                    break
                phi = self(z[rows][start : start + step])
                squares[start : start + step] = np.einsum("ij,ij->i", phi, phi)
                total += phi.sum(axis=0, dtype=np.float64)
            return squares, total

        parts = run(row_pieces(len(z)), work, threads)
        return np.concatenate([squares for squares, _ in parts]), np.sum([t for _, t in parts], axis=0) / len(z)


@dataclass(frozen=True, eq=False)
class Certificate:
    """How much of the kernel the landmarks leave."""

    share: float  # tr(K - K_r) / tr(K)
    limit: float  # the same, or an upper confidence limit of it (probability 0.999) where it was measured on a sample
    centred_share: float
    """tr(K - K_r) relative to the trace of the centred K_r: no less than the share of the centred kernel that is
    left."""
    trace: float  # tr(K)
    lengths: Floats  # (N,) values k_r(z, z), or k(z, z) in proportion where they were not computed
    measured: int  # the number of sampled rows, 0 for all rows
    tolerance: float  # what was asked for

    @property
    def met(self) -> bool:
        """Whether the tolerance was reached."""
        return enough(self.share, self.centred_share, self.tolerance)

    def warning(self) -> tuple[str, ...]:
        """A note when it was not."""
        if self.met:
            return ()
        return (
            f"The largest rank did not reach the tolerance {self.tolerance:g}: the kernel is rough, or its bandwidth "
            "small for these points. Power may be lost; allow a higher max_rank or use engine='tiled'.",
        )

    def __str__(self) -> str:
        text = f"it leaves {self.share:.3g} of the trace of the kernel, {self.centred_share:.3g} of the centred one"
        if not self.measured:
            return text
        return f"{text} (measured on {self.measured} random rows; at most {self.limit:.3g} with probability 0.999)"


def enough(share: float, centred_share: float, tolerance: float) -> bool:
    """The rule by which the rank is chosen."""
    return share <= tolerance and centred_share <= 10 * tolerance


def confidence_limit(mean: float, count: int) -> float:
    """The largest expectation that a mean of `count` numbers in [0, 1] allows: Hoeffding's bound solved for it."""
    from scipy.special import rel_entr

    allowed = -log(_DOUBT) / count

    def excess(p: float) -> float:
        return float(rel_entr(mean, p) + rel_entr(1 - mean, 1 - p)) - allowed

    return 1.0 if mean >= 1 or excess(1 - 1e-12) < 0 else brent(excess, mean, 1 - 1e-12)


def indefinite(kernel: Kernel) -> OptionError:
    """The error for a function that is not a kernel."""
    return OptionError(
        f"engine='lowrank' needs a positive definite kernel, and {kernel!r} is not one on these points. "
        "A distance D becomes one as -D/2 after double centring; see also ts.Energy."
    )


def kernel_values(kernel: Kernel, a: Floats, b: Floats, dtype: Precision) -> Reals:
    """``(len(a), len(b))`` kernel values, in single precision and of long rows by the fast way of the tiles."""
    if dtype is np.float64 and a.shape[1] < LONG:
        return kernel.block(a, b)
    everything = slice(None)
    return tile_function(kernel, a, b, many=dtype is np.float32)(everything, everything).astype(dtype, copy=False)


def row_pieces(size: int) -> list[slice]:
    """The rows in pieces for threads, whatever their number: a thousand rows at least, unless there are fewer."""
    edges = np.linspace(0, size, min(PIECES, max(1, size // 1000)) + 1).astype(int)
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _inverse_root(K: Floats, kernel: Kernel) -> Floats:
    """L^-T for K = L L'; if need be the diagonal is raised by the smallest power of ten that helps. Overwrites K."""
    from scipy.linalg.lapack import dtrtri

    size = float(np.abs(np.diagonal(K)).max(initial=0.0))
    if size == 0:
        return np.zeros_like(K)
    for jitter in (0.0, *10.0 ** np.arange(-15, -5)):
        np.einsum("ii->i", K)[:] += jitter * size
        try:
            L = np.linalg.cholesky(K)
        except np.linalg.LinAlgError:
            continue
        # L' in C order is L in Fortran order, and the other way round
        inverse: Floats = dtrtri(L.T, lower=0)[0]
        return np.ascontiguousarray(inverse)
    raise indefinite(kernel)
