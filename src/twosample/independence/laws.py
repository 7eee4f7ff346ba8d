"""What laws of HSIC under independence are made of: moments over all pairings, weights of chi-squares, a bound."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

import numpy as np

from ..core.types import Floats
from ..errors import InputError, OptionError
from ..kernels import Kernel
from ..metrics.bounds import hsic_rate
from ..nulls.bounds import BoundLaw, SquaredBoundLaw
from .matrices import PermutationMoments

_WEIGHTS, _EQUAL = 400, 20_000
"""Products of eigenvalues in the spectrum law, and how many equal ones may stand for all others."""

_LEADING = 200


def check_range(sides: Iterable[PermutationMoments]) -> None:
    """Refuse variables whose matrices have powers beyond the range of doubles."""
    if any(side.square != 0 and not 1e-110 < side.square < 1e50 for side in sides):
        raise InputError(
            "A variable holds values so large or so small that powers of its kernel leave the range of doubles, and "
            "the limit laws need those. Rescale it, or use null='permutation'."
        )


def moments_over_permutations(
    n: int, unit: float, x: PermutationMoments, y: PermutationMoments
) -> tuple[Floats, Floats]:
    """Mean and variance of HSIC over all pairings, from the moments of both matrices; or arrays for many pairs."""
    mean = unit * x.trace * y.trace / (n - 1)
    second = [(n - 1) * side.square - side.trace**2 for side in (x, y)]
    fourth = [
        n * (n + 1) * side.diagonal_square - (n - 1) * (side.trace**2 + 2 * side.square) for side in (x, y)
    ]  # fmt: skip
    variance = 2 * second[0] * second[1] / ((n + 1) * (n - 1) ** 2 * (n - 2))
    variance += fourth[0] * fourth[1] / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return np.asarray(mean), unit * unit * np.maximum(variance, 0.0)


def product_weights(x: Floats, y: Floats) -> Floats:
    """The products of all eigenvalues of x and y; those that are small as equal weights with the same two moments.

    Equal weights w, m of them, have the sums m w² and m w³ of squares and cubes, which gives w and m.
    """
    large = [side[np.argsort(-np.abs(side), kind="stable")[:_LEADING]] for side in (x, y)]
    products = np.multiply.outer(*large).ravel()
    kept = products[np.argsort(-np.abs(products), kind="stable")[:_WEIGHTS]]
    squares = float((x**2).sum() * (y**2).sum() - (kept**2).sum())
    cubes = float((x**3).sum() * (y**3).sum() - (kept**3).sum())
    if squares <= 1e-12 * float((kept**2).sum()):
        return kept
    count = int(np.clip(squares**3 / max(cubes**2, 1e-300), 1, _EQUAL))
    return np.concatenate([kept, np.full(count, np.copysign(np.sqrt(squares / count), cubes))])


def bound_law(size: int, kernels: tuple[Kernel, Kernel]) -> SquaredBoundLaw:
    r"""The bound on HSIC_b of so many pairs under independence, for every law, by the steps of Appendix A.

    :math:`T = \sqrt{\mathrm{HSIC}_b} = \|\hat C\|` with
    :math:`\hat C = \frac1n\sum_i(\phi_i-\bar\phi)\otimes(\psi_i-\bar\psi)`. Let D and E be the widths of the ranges of
    k and l, so that :math:`\|\phi-\phi'\|^2 \le 2D` for any two points.

    *One pair.* With the other pairs fixed, :math:`\hat C` is a constant plus :math:`\frac{n-1}{n^2}u\otimes v`, where u
    and v are the differences between :math:`\phi_i,\psi_i` and the means of the others. For two values of the pair
    :math:`\|u\otimes v-u'\otimes v'\|^2 = ab + a'b' - \frac12(a+a'-p)(b+b'-q)` with the squared lengths a, a', b, b' of
    u, u', v, v' and p, q of u - u', v - v'. That is linear in each of the six, all of which lie in [0, 2D] or [0, 2E];
    so its maximum over these is at a corner, and there it is 6DE. Hence T moves by at most
    :math:`c = \frac{n-1}{n^2}\sqrt{6DE}`.

    *The mean.* Under independence :math:`E\,\mathrm{HSIC}_b = \frac{n-1}{n^2}\,v w \le \frac{n-1}{n^2}DE` with the
    variances :math:`v = E\,k(x,x) - E\,k(x,x')` and w of l, and :math:`E\,T` is at most its root.
    """
    product = 1.0
    for name, kernel in zip(("kernel", "kernel_y"), kernels, strict=True):
        if kernel.bounds is None:
            raise OptionError(
                f"null='mcdiarmid' needs bounded kernels, and no bound is known for {name}={kernel!r}. Use one such as "
                "'gaussian', or null='permutation'."
            )
        product *= max(kernel.bounds[1] - kernel.bounds[0], 1e-150)  # a constant kernel: HSIC is 0, and so is the bound
    top = sqrt(product) * (size - 1) / size
    return SquaredBoundLaw(BoundLaw(bias=top / sqrt(size - 1), rate=hsic_rate(size, product), ceiling=top))
