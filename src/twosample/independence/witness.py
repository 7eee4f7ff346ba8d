"""The witness of dependence: where the joint law differs from the product of its margins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .. import _door as door
from .._reported import Tabled
from ..core.types import Floats
from ..errors import InputError, options_by_name, whole_number
from ..kernels import Kernel
from .sides import checked_points, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BLOCK_ENTRIES = 1 << 22


@dataclass(frozen=True, eq=False)
class DependenceWitness(Tabled):
    r"""The function that shows the dependence between x and y. Made by :func:`dependence_witness`.

    .. math:: \hat f(s,t) = \frac1n\sum_i k(x_i,s)\,l(y_i,t) - \Big(\frac1n\sum_i k(x_i,s)\Big)
        \Big(\frac1n\sum_i l(y_i,t)\Big)

    Parameters
    ----------
    x, y
        The variables.
    kernel, kernel_y
        Their kernels, with bandwidths.

    Examples
    --------
    >>> import twosample as ts
    >>> w = ts.dependence_witness([0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], kernel=ts.Gaussian(0.5))
    >>> bool(w([0.0], [0.0])[0] > 0 > w([0.0], [1.0])[0])
    True
    """

    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    kernel: Kernel
    kernel_y: Kernel

    def __call__(self, x: object, y: object) -> Floats:
        """Values at the points (x_i, y_i), taken side by side: positive where pairs are more frequent than expected."""
        s, t = self._points(x, y)
        if len(s) != len(t):
            raise InputError(f"x has {len(s)} points and y has {len(t)}; the witness is taken at pairs of them.")
        step = max(1, _BLOCK_ENTRIES // len(self.x))
        parts = [self._values(s[i : i + step], t[i : i + step]) for i in range(0, len(s), step)]
        return np.concatenate(parts)

    def on_grid(self, x: object, y: object) -> Floats:
        """``(len(x), len(y))`` values at all pairs of the given points: one product of matrices."""
        K, L = self._centred(*self._points(x, y))
        return np.asarray(K @ L.T / len(self.x))

    def rows(self, count: int = 10) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The rows that speak most for the dependence, strongest first."""
        return np.argsort(-self(self.x, self.y), kind="stable")[: whole_number("count", count)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Contours over the points (the paper's figure on independence), for one column each; returns the axes."""
        from .._figures import draw_dependence_witness

        return draw_dependence_witness(self, ax)

    def _points(self, x: object, y: object) -> tuple[Floats, Floats]:
        s, t = checked_points(x, "x", self.kernel, 1), checked_points(y, "y", self.kernel_y, 1)
        for at, sample, name in ((s, self.x, "x"), (t, self.y, "y")):
            if at.shape[1] != sample.shape[1]:
                raise InputError(
                    f"The points of {name} have {at.shape[1]} column(s), the sample has {sample.shape[1]}."
                )
        return s, t

    def _centred(self, s: Floats, t: Floats) -> tuple[Floats, Floats]:
        with np.errstate(over="ignore"):  # a point so far off that its distance overflows has the kernel value 0
            K, L = self.kernel.block(s, self.x), self.kernel_y.block(t, self.y)
        K -= K.mean(axis=1, keepdims=True)
        return K, L

    def _values(self, s: Floats, t: Floats) -> Floats:
        K, L = self._centred(s, t)
        return np.asarray(np.einsum("pi,pi->p", K, L) / len(self.x))


@options_by_name
def dependence_witness(
    x: object,
    y: object,
    *,
    kernel: door.KernelLike = "gaussian",
    kernel_y: door.KernelLike | None = None,
    bandwidth: door.BandwidthLike = "median",
    rng: door.Seed = None,
) -> DependenceWitness:
    """The witness function of the dependence between two variables (Section 7.3 of the paper).

    Positive where pairs (x, y) are more frequent than they would be under independence, negative where they are less
    so, as far as the smoothness of the kernels permits. Its mean over the pairs, less that over all combinations of
    rows, is HSIC_b. Use it after a test has rejected: under H0 it shows noise.

    Parameters
    ----------
    x, y, kernel, kernel_y, bandwidth
        As for :func:`hsic_test`. A bandwidth below the median shows finer structure.
    rng
        Seed; matters only for the bandwidth of large samples.

    Returns
    -------
    DependenceWitness
        ``w(x, y)``, ``w.on_grid(x, y)``, ``w.rows(10)``, ``w.plot()``.

    Notes
    -----
    Evaluation at c points costs O(c n d) time, in blocks of them.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> w = ts.dependence_witness(x, x**2)
    >>> bool(w([0.0], [0.0])[0] > 0 > w([0.0], [4.0])[0])
    True
    """
    a, b = variables(x, y, (kernel, kernel_y), bandwidth, door.generator(rng), as_given=True)
    return DependenceWitness(a.z, b.z, a.kernel, b.kernel)
