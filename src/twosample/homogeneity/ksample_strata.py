r"""The variation between several samples within strata, of rows with weights: `ksample_test` by a design.

With weights w (1 if there are none), sums :math:`W_{gs}` of the weights of sample g in stratum s, :math:`W_s` of the
stratum, and :math:`Z_{gs} = \sum_{i \in g,s} w_i(\varphi_i - \mu_s)`, :math:`h_g = \sum_s W_{gs}(W_s - W_{gs})/W_s`,

.. math:: T = \tfrac12 \sum_g \frac{1 - W_g/W}{h_g} \Big\|\sum_s Z_{gs}\Big\|^2
              + \frac{1}{2\sqrt S} \sum_s \sum_g \frac{\|Z_{gs}\|^2}{W_{gs}}

over the S strata that two samples or more have. Of one stratum it is :math:`\sum_g W_g\|\mu_g - \mu\|^2`; of two
samples it is the biased statistic of :class:`twosample.StratifiedPermutation` times :math:`\sum_s h_s`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from ..core.group_labels import Groups
from ..core.labellings import contrasts
from ..core.strata import row_labels
from ..core.types import Floats
from ..engines import Gram
from ..errors import InputError


@dataclass(frozen=True, eq=False)
class StratifiedGroups:
    """The statistic for any samples that pooled rows are put into."""

    samples: int  # how many there are
    strata: list[NDArray[np.intp]]  # the rows of each stratum that counts
    weights: Floats  # (N,) weights above 0
    gram: Gram  # the Gram matrix of all pooled rows
    part: Callable[[NDArray[np.intp]], Gram]  # makes the Gram matrix of some of them

    def values(self, groups: Groups) -> tuple[Floats, float]:
        """``(R,)`` values for ``(R, N)`` numbers of samples, and the relative rounding error of the sums."""
        R, N = groups.shape
        u = np.zeros((N, R * self.samples))
        each, resolution = np.zeros(R), 0.0
        totals, h = np.zeros((2, R, self.samples))
        for rows in self.strata:
            w, every = self.weights[rows], float(self.weights[rows].sum())
            member = groups[:, rows].T[:, :, None] == np.arange(self.samples, dtype=groups.dtype)  # (rows, R, samples)
            own = np.tensordot(w, member, axes=1)  # (R, samples)
            u[rows] = (w[:, None, None] * (member - own / every)).reshape(len(rows), -1)
            sums = self.part(rows).block_sums(contrasts(u[rows]), 0, len(rows))
            each += (sums.xx.reshape(R, -1) / np.where(own > 0, own, np.inf)).sum(axis=1)
            totals += own
            h += own * (every - own) / every
            resolution = max(resolution, sums.resolution)
        forms = self.gram.block_sums(contrasts(u), 0, N)
        scale = (1 - totals / totals.sum(axis=1, keepdims=True)) / np.where(h > 0, h, np.inf)
        shared = (scale * forms.xx.reshape(R, -1)).sum(axis=1)
        return 0.5 * (shared + each / sqrt(len(self.strata))), max(resolution, forms.resolution)


@dataclass(frozen=True, eq=False)
class KSampleDesign:
    """The sample, the stratum and the weight of every pooled row that counts."""

    names: tuple[str, ...]
    truth: Groups  # (N,) the sample
    by: tuple[Hashable, ...] | None
    of_row: NDArray[np.intp]  # (N,) the stratum
    weights: Floats
    strata: list[NDArray[np.intp]]  # the rows of each that two samples or more have

    @property
    def notes(self) -> tuple[str, ...]:
        """How many strata were compared, and how many could not be."""
        if self.by is None:
            return ()
        alone = len(np.unique(self.of_row)) - len(self.strata)
        more = f" {alone} more have rows of one sample only and cannot be compared." if alone else ""
        return (f"{len(self.strata)} strata were compared, each by itself and all together.{more}",)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each sample."""
        return tuple(np.bincount(self.truth, minlength=len(self.names)).tolist())


def designed(
    request: door.Request, groups: door.Groups, by: object, weights: object
) -> tuple[door.Request, KSampleDesign | None]:
    """What `by` and `weights` say of the pooled rows, without those of weight 0; None where that changes nothing."""
    sizes, rows = groups.sizes, len(request.pool.z)
    w = np.ones(rows)
    if weights is not None:
        parts = _for_each(weights, "weights", groups.names)
        w = np.concatenate(
            [door.checked_weights(p, f"weights[{k!r}]", m) for (k, p), m in zip(parts, sizes, strict=True)]
        )
    labels: list[Hashable] = [0] * rows
    if by is not None:
        labels = []
        for (key, part), size in zip(_for_each(by, "by", groups.names), sizes, strict=True):
            own = row_labels("ksample_test", f"by[{key!r}]", part, "stratum")
            if len(own) != size:
                raise InputError(f"by[{key!r}] has {len(own)} strata of rows, and the sample has {size} rows.")
            labels += own
    if not np.ptp(w) and len(set(labels)) == 1:
        return request, None
    kept = np.flatnonzero(w > 0)
    truth = np.repeat(np.arange(len(sizes), dtype=np.uint16), sizes)[kept]
    names = tuple(labels[i] for i in kept.tolist())
    code = {name: i for i, name in enumerate(dict.fromkeys(names))}
    of_row = np.array([code[name] for name in names], dtype=np.intp)
    strata = [np.flatnonzero(of_row == s) for s in range(len(code))]
    shared = [rows for rows in strata if len(np.unique(truth[rows])) > 1]
    if not shared:
        raise InputError(
            "by: no stratum has rows of two samples, so that nothing can be compared. Use fewer, wider ones."
        )
    first = int((truth == 0).sum())
    request = replace(request, pool=door.Pool(request.pool.z[kept], first, len(kept) - first))
    return request, KSampleDesign(
        groups.names, truth, None if by is None else names, of_row, w[kept] / w[kept].mean(), shared
    )


def _for_each(given: object, option: str, names: tuple[str, ...]) -> list[tuple[str, object]]:
    """What an option says of each sample, by name."""
    if isinstance(given, Mapping):
        given = {str(key): value for key, value in given.items()}
        if set(given) != set(names):
            raise InputError(
                f"{option} names {', '.join(map(repr, given))}; samples are {', '.join(map(repr, names))}."
            )
        return [(name, given[name]) for name in names]
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != len(names):
        raise InputError(f"{option} must be a list with one list for each of the {len(names)} samples.")
    return list(zip(names, given, strict=True))
