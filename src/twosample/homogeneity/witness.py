"""The witness function: where the two samples differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _door as door
from .._reported import Tabled
from ..core.types import Floats
from ..engines import Tiled, weighted_sums
from ..errors import InputError, options_by_name, whole_number, yes_or_no
from ..kernels import Kernel
from ..kernels.objects import row_numbers_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class WitnessRows(Tabled):
    """The rows that speak most for a difference.

    Parameters
    ----------
    x, y
        Row numbers in x (where x is denser than y) and in y (where y is denser), strongest first.
    x_values, y_values
        The witness there: positive for x, negative for y, if the samples differ at all.

    Examples
    --------
    >>> import twosample as ts
    >>> ts.witness([0.0, 9.0], [5.0, 6.0], kernel=ts.Gaussian(1.0)).rows(1).y
    array([0])
    """

    x: np.ndarray[tuple[int], np.dtype[np.intp]]
    x_values: Floats
    y: np.ndarray[tuple[int], np.dtype[np.intp]]
    y_values: Floats


@dataclass(frozen=True, eq=False)
class Witness(Tabled):
    r"""The function that shows the difference, :math:`\hat f(t) = \frac1m\sum_i k(x_i,t) - \frac1n\sum_i k(y_i,t)`.

    Made by :func:`witness`; call it with points to get its values there.

    Parameters
    ----------
    x, y
        The samples.
    kernel
        The kernel, with its bandwidth.
    scale
        What the values are multiplied by: 1, or 1/MMD_b for a function of unit norm.
    objects
        The objects of both samples, where x and y are their numbers.

    Examples
    --------
    >>> import twosample as ts
    >>> w = ts.witness([0.0, 1.0], [5.0, 6.0], kernel=ts.Gaussian(1.0))
    >>> bool(w([[0.5]])[0] > 0 > w([[5.5]])[0])
    True
    """

    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    kernel: Kernel
    scale: float = 1.0
    objects: tuple[Any, ...] = field(default=(), repr=False)

    def __call__(self, at: object) -> Floats:
        """Values at the given points, in tiles: O(points * (m + n)) time, no matrix of that size in memory."""
        if self.objects:
            return self._at_objects(door.objects(at, "points", least=1))
        if self.kernel.domain == "indices":
            return self._values(door.row_numbers(at, "points", self.kernel, least=1))
        where = door.points(at, "points", least=1)
        if self.x.shape[1] > 1 and where.shape[0] == self.x.shape[1] and where.shape[1] == 1:
            where = where.T  # one point given as a plain list
        if where.shape[1] != self.x.shape[1]:
            raise InputError(f"points have {where.shape[1]} column(s), the samples have {self.x.shape[1]}.")
        return self._values(where)

    def rows(self, count: int = 10) -> WitnessRows:
        """The `count` rows of each sample where the witness speaks most for that sample."""
        whole_number("count", count)
        at_x, at_y = self._values(self.x), self._values(self.y)
        first = np.argsort(-at_x, kind="stable")[:count]
        second = np.argsort(at_y, kind="stable")[:count]
        return WitnessRows(first, at_x[first], second, at_y[second])

    def plot(self, ax: Axes | None = None) -> Axes:
        """One dimension: both densities with the witness. Two: its contours over the points."""
        from .._figures import draw_witness

        return draw_witness(self, ax)

    def _at_objects(self, new: list[Any]) -> Floats:
        known = len(self.objects)
        whole = replace(self, kernel=self.kernel.source.on([*self.objects, *new]))
        return whole._values(row_numbers_of(new, known))

    def _values(self, where: Floats) -> Floats:
        m, n = len(self.x), len(self.y)
        z = np.concatenate([self.x, self.y])
        weights = np.concatenate([np.full(m, 1 / m), np.full(n, -1 / n)])[:, None]
        return self.scale * weighted_sums(self.kernel, where, z, weights, Tiled())[:, 0]


@options_by_name
def witness(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    bandwidth: door.BandwidthLike = "median",
    normalised: bool = False,
    rng: door.Seed = None,
) -> Witness:
    """The witness function of the difference between two samples (Section 2.3 of the paper).

    Large and positive where x is denser than y, negative where y is denser, as far as the smoothness of the kernel
    permits. Use it after a test has rejected: under H0 it shows noise.

    Parameters
    ----------
    x, y
        Samples as for :func:`mmd_test`.
    kernel, bandwidth
        As for :func:`mmd_test`.
    normalised
        Scale the function to unit norm in the RKHS, so that its mean difference over the samples is MMD_b.
    rng
        Seed; matters only for the bandwidth of large samples.

    Returns
    -------
    Witness
        ``w(points)``, ``w.rows(10)``, ``w.plot()``.

    Notes
    -----
    Evaluation at c points costs O(c (m+n) d) time, in tiles; normalising costs O((m+n)² d) once.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> w = ts.witness(rng.normal(size=300), rng.normal(2.0, size=300))
    >>> bool(w([-1.0])[0] > 0 > w([3.0])[0])
    True
    """
    formula = door.resolve_kernel(kernel)
    objects: tuple[Any, ...] = ()
    if formula.domain == "objects":
        x, y = door.objects(x, "x"), door.objects(y, "y")
        objects = (*x, *y)
    request = door.request(x, y, formula, bandwidth, rng=rng)
    pool, vectors, formula = request.pool, formula.domain == "vectors", request.kernel
    a, b = (door.points(x, "x"), door.points(y, "y")) if vectors else (pool.x, pool.y)
    plain = Witness(a, b, formula, objects=objects)
    if not yes_or_no("normalised", normalised):
        return plain
    norm = float(plain._values(a).mean() - plain._values(b).mean())  # MMD_b²
    noise = 1e-7 * float(np.abs(formula.diagonal(a)).max())
    return replace(plain, scale=1 / np.sqrt(norm)) if norm > noise else plain
