"""What every engine offers, a Gram matrix that can be applied, and the engine that does it by the definition."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..core.blas import single_threaded_blas
from ..core.centred import Centred, CentredGram
from ..core.labellings import Labellings
from ..core.sums import BlockSums, sums_of_matrix
from ..core.types import Floats
from ..errors import OptionError, whole_number
from ..kernels import Kernel

CENTRED_POINTS = 2000
"""Eigenvalues and third moments, O(N^3), are taken from a random part of this size when the pool is larger."""


def check_work(engine: str, threads: object, progress: object) -> None:
    """Refuse a number of threads that is none, and a progress that cannot be called."""
    if threads is not None:
        whole_number(f"{engine}: threads", threads)
    if progress is not None and not callable(progress):
        raise OptionError(
            f"{engine}: progress={progress!r} must be a function of (steps done, steps in all), such as "
            "ts.ProgressBar(), or None."
        )


def own_generator(rng: np.random.Generator | None, seed: int) -> np.random.Generator:
    """A generator for the engine alone, so that labellings are the same with every engine.

    The stream of `rng`, the generator of the test, is not touched; without one it starts from the seed.
    """
    if rng is None:
        return np.random.default_rng(int(seed))
    try:
        return rng.spawn(1)[0]
    except TypeError:  # it was made from a bare state, which has no children
        return np.random.default_rng(rng.integers(2**63))


class Gram(Protocol):
    """The Gram matrix K of the pooled points, never necessarily formed."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the user should know about how K was applied, whatever the samples; nothing of exact engines."""
        return ()

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        """Sums of K over the blocks of every labelling: the one expensive line of a test."""

    def centred(self, rng: np.random.Generator) -> Centred:
        """What the laws under H0 need: the centred matrix, of a random part of a large pool."""

    def multiply(self, W: Floats) -> Floats:
        """``K @ W`` for an ``(N, c)`` matrix of weights."""

    def notes(self, m: int, n: int) -> tuple[str, ...]:
        """The same, beside what it means for samples of m and n rows."""
        del m, n
        return self.remarks


class Engine(Protocol):
    """A way to apply the Gram matrix."""

    @property
    def name(self) -> str:
        """The alias of the engine."""

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> Gram:
        """The Gram matrix of the pooled points z under a kernel without missing bandwidths.

        `rng` is for engines that make random choices; those must not look at which points are x.
        """


@dataclass(frozen=True)
class Dense:
    """The Gram matrix in memory, by the definition. O(N² (d + R)) time, 8 N² bytes: right for small N.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.mmd_test([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], level=0.2, engine=ts.Dense()).engine
    Dense()
    """

    name = "dense"

    def gram(self, kernel: Kernel, z: Floats, rng: np.random.Generator | None = None) -> DenseGram:
        """The Gram matrix of z."""
        return DenseGram(kernel, z)


@dataclass(frozen=True, eq=False)
class DenseGram(Gram):
    """A Gram matrix in memory."""

    kernel: Kernel
    z: Floats

    @cached_property
    def matrix(self) -> Floats:
        """``(N, N)`` kernel values."""
        return self.kernel.block(self.z, self.z)

    def block_sums(self, labels: Labellings, m: int, n: int) -> BlockSums:
        small = labels.count * len(self.z) ** 2 < 2e8  # milliseconds: waking other threads costs more than it saves
        with single_threaded_blas() if small else nullcontext():
            return sums_of_matrix(self.matrix, labels, m, n)

    def centred(self, rng: np.random.Generator) -> Centred:
        whole = CentredGram.of(self.matrix)
        if len(self.z) <= CENTRED_POINTS:
            return whole
        part = rng.choice(len(self.z), CENTRED_POINTS, replace=False)
        return CentredGram.of(self.matrix[np.ix_(part, part)], whole.square, whole.spread)

    def multiply(self, W: Floats) -> Floats:
        return np.asarray(self.matrix @ W)
