"""Both samples as a metric sees them: pooled, and on the line as one distribution function less the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _door as door
from ..core.labellings import observed
from ..core.types import Floats
from ..engines import Auto, Tiled
from ..errors import InputError
from ..kernels import Kernel
from ..statistics import Biased


@dataclass(frozen=True, eq=False)
class StepFunctions:
    """Two samples of one column as step functions."""

    knots: Floats  # (K,) distinct pooled values in increasing order
    difference: Floats
    """``(K,)`` F_X - F_Y from each knot to the next, exactly 0 where both have seen the same share of their rows."""

    @property
    def gaps(self) -> Floats:
        """``(K - 1,)`` distances between neighbouring knots."""
        return np.diff(self.knots)


def pooled(x: object, y: object) -> door.Pool:
    """Both samples as they are, validated."""
    return door.rows(x, y, centred=False)


def spanned(pool: door.Pool) -> door.Pool:
    """Refuse points whose squared distances no number can hold; the pool itself otherwise."""
    span = float(np.abs(pool.z - pool.z[0]).max())
    if span and not 1e-140 < span < 1e140:
        raise InputError(
            f"Values that lie {span:.3g} apart have squares beyond the range of numbers; give x and y in another unit."
        )
    return pool


def line(pool: door.Pool) -> StepFunctions:
    """The difference of the two distribution functions, in O(N log N)."""
    knots, place = np.unique(pool.z[:, 0], return_inverse=True)
    x = np.bincount(place[: pool.m], minlength=len(knots)).cumsum()
    y = np.bincount(place[pool.m :], minlength=len(knots)).cumsum()
    return StepFunctions(knots, (x * pool.n - y * pool.m) / (pool.m * pool.n))


def one_column(pool: door.Pool, name: str) -> None:
    """Refuse samples that are not on a line."""
    if pool.z.shape[1] > 1:
        raise InputError(
            f"The {name} metric orders the points and needs one column; x and y have {pool.z.shape[1]}. "
            "Compare column by column, or use 'wasserstein', 'bounded_lipschitz' or 'energy_distance'."
        )


def squared_mmd(x: object, y: object, kernel: Kernel) -> float:
    """MMD_b² of Equation 'mmd-e-rkhs', never negative, by whatever exact engine is quickest."""
    pool = door.pool(x, y, kernel)
    plan = Auto().choose(kernel, pool.z, 1)
    engine = plan.engine if plan.exact else Tiled()
    sums = engine.gram(kernel, pool.z).block_sums(observed(pool.m, pool.n), pool.m, pool.n)
    return max(0.0, float(Biased().form(pool.m, pool.n).value(sums)[0]))
