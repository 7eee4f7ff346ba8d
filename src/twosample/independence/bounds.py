r"""A bound on HSIC_b that holds for every law and at every number of rows, by the steps of the paper's Appendix A.

:math:`T = \sqrt{\mathrm{HSIC}_b} = \|\hat C\|` with
:math:`\hat C = \frac1n\sum_i(\phi_i-\bar\phi)\otimes(\psi_i-\bar\psi)`. Let D and E be the widths of the ranges of k
and l, so that :math:`\|\phi-\phi'\|^2 \le 2D` for any two points.

*One pair.* With the other pairs fixed, :math:`\hat C` is a constant plus :math:`\frac{n-1}{n^2}u\otimes v`, where u and
v are the differences between :math:`\phi_i,\psi_i` and the means of the others. For two values of the pair
:math:`\|u\otimes v-u'\otimes v'\|^2 = ab + a'b' - \frac12(a+a'-p)(b+b'-q)` with the squared lengths a, a', b, b' of
u, u', v, v' and p, q of u - u', v - v'. That is linear in each of the six, all of which lie in [0, 2D] or [0, 2E]; so
its maximum over these is at a corner, and there it is 6DE. Hence T moves by at most
:math:`c = \frac{n-1}{n^2}\sqrt{6DE}`.

*The mean.* Under independence :math:`E\,\mathrm{HSIC}_b = \frac{n-1}{n^2}\,v w \le \frac{n-1}{n^2}DE` with the
variances :math:`v = E\,k(x,x) - E\,k(x,x')` and w of l, and :math:`E\,T` is at most its root.
"""

from __future__ import annotations

from math import sqrt

from ..core.laws import BoundLaw, SquaredBoundLaw
from ..errors import OptionError
from ..kernels import Kernel
from ..metrics.bounds import hsic_rate


def bound_law(size: int, kernels: tuple[Kernel, Kernel]) -> SquaredBoundLaw:
    """The bound on HSIC_b of this many pairs under independence."""
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
