"""The law of MMD²_u beyond H0 by the bootstrap: each sample drawn anew from its own rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..core.labellings import Labellings
from ..core.types import Floats
from ..embedding.alternative import Laws
from ..statistics import Biased
from .profile import Profile

RESAMPLES = 999  # how often both samples are drawn anew


@dataclass(frozen=True, eq=False)
class BootstrapLaws:
    """Laws from resamples; the plain bootstrap of MMD² is wrong near p = q, so its two parts are kept apart."""

    linear: Floats  # (B,) linear parts, of unit variance
    degenerate: Floats  # (B,) degenerate parts, of mean 0
    quadratic: float  # as in AlternativeLaws
    slope: float

    def at(self, theta: float) -> _EmpiricalLaw:
        """The law of the unbiased estimate when MMD² is `theta`."""
        return _EmpiricalLaw(theta + float(np.sqrt(self.slope * theta)) * self.linear + self.degenerate)


@dataclass(frozen=True, eq=False)
class _EmpiricalLaw:
    """Values instead of a formula."""

    values: Floats

    def sf(self, t: float) -> float:
        """P(T >= t)."""
        return float(np.mean(self.values >= t))

    def isf(self, level: float) -> float:
        """The t with P(T >= t) = level."""
        return float(np.quantile(self.values, 1 - level))

    def pdf(self, t: Floats) -> Floats:
        """There is none; zeros."""
        return np.zeros_like(t)


def resampled(measured: Profile, moments: Laws, rng: np.random.Generator) -> BootstrapLaws:
    r"""Laws by the bootstrap: :math:`|\hat\delta + G^*|^2 = |\hat\delta|^2 + 2\langle\hat\delta,G^*\rangle + |G^*|^2`.

    The middle term is a sum of the witness over the rows drawn; the last one is what is left of the resampled MMD_b².
    """
    m, n = measured.sizes
    signs = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])
    witness = measured.gram.multiply(signs[:, None])[:, 0]
    form = Biased().form(m, n)
    linear, degenerate = [], []
    for labels in _drawn_again(m, n, rng):
        assert labels.y is not None
        drawn = (labels.x + labels.y).astype(np.float64) - 1
        part = 2 * ((signs * witness) @ drawn)
        linear.append(part)
        degenerate.append(form.value(measured.gram.block_sums(labels, m, n)) - measured.biased - part)
    along, rest = np.concatenate(linear), np.concatenate(degenerate)
    spread = float(along.std())
    return BootstrapLaws(along / spread if spread > 0 else along, rest - rest.mean(), moments.quadratic, moments.slope)


def _drawn_again(m: int, n: int, rng: np.random.Generator) -> Iterator[Labellings]:
    """Both samples drawn anew, each from its own rows with replacement, in batches that fit in memory."""
    step = max(1, 20_000_000 // (m + n))
    for start in range(0, RESAMPLES, step):
        x, y = np.zeros((2, m + n, min(step, RESAMPLES - start)), dtype=np.uint16)
        for r in range(x.shape[1]):
            x[:m, r] = np.bincount(rng.integers(m, size=m), minlength=m)
            y[m:, r] = np.bincount(rng.integers(n, size=n), minlength=n)
        yield Labellings(x, y)
