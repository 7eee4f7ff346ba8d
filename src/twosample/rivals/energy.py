"""The energy test of Székely and Rizzo: an MMD test without a bandwidth."""

from __future__ import annotations

import numpy as np

from .. import _door as door
from ..core.types import Floats
from ..engines import Engine
from ..errors import options_by_name
from ..homogeneity import mmd_test
from ..kernels import Energy
from ..nulls import Null
from ..results import TestResult
from ._restated import Name, squared

NAME = Name(
    "Energy test",
    "energy distance",
    "Székely and Rizzo (2004): Testing for equal distributions in high dimension",
)


@options_by_name
def energy_test(
    x: object,
    y: object,
    *,
    exponent: float = 1.0,
    null: Null | str = "permutation",
    level: float = 0.05,
    engine: Engine | str = "auto",
    rng: door.Seed = None,
) -> TestResult:
    r"""Test whether two samples come from the same distribution, by the energy distance.

    H0: p = q. H1: p ≠ q (for distributions with a finite moment of order `exponent`). The statistic is

    .. math:: \mathcal E = 2E\|x-y\|^\beta - E\|x-x'\|^\beta - E\|y-y'\|^\beta

    with all means over the samples (the V-statistic, never negative). It is twice MMD² with the distance-induced
    kernel :class:`twosample.Energy`, and that is how it is computed. R's ``energy::eqdist.etest`` and ``dcor``
    report :math:`\frac{mn}{m+n}\mathcal E`, the same test.

    Parameters
    ----------
    x, y
        Samples: arrays of m and n rows with the same columns; 1-d is one column. Never modified.
    exponent
        :math:`\beta`, strictly between 0 and 2. Smaller values are kinder to heavy tails.
    null
        'permutation', 'bootstrap', 'pearson', 'spectrum' or 'gamma', or one of these with its parameters.
    level
        The level of the test.
    engine
        As for :func:`twosample.mmd_test`.
    rng
        Seed or generator. The same seed gives the same answer.

    Returns
    -------
    TestResult
        With the energy distance as its statistic.

    Notes
    -----
    Time and memory of :func:`twosample.mmd_test`: all labellings in one pass over the distances. Nothing to tune, and
    the p-value does not depend on the unit of the data if all columns share it. Not for differences in fine structure
    (many narrow peaks): a kernel with a bandwidth sees those better.

    References
    ----------
    G. J. Székely and M. L. Rizzo (2004): Testing for equal distributions in high dimension. InterStat 5.

    Examples
    --------
    >>> import numpy as np
    >>> from twosample.rivals.energy import energy_test
    >>> rng = np.random.default_rng(0)
    >>> r = energy_test(rng.normal(size=(60, 3)), rng.normal(0.7, size=(50, 3)), rng=1)
    >>> r.rejected, r.pvalue
    (True, 0.001)
    """
    kernel, null = Energy(exponent), door.resolve_null(null)
    pool = door.pool(x, y, kernel)
    unit = _unit(pool.z)
    result = mmd_test(
        pool.x / unit, pool.y / unit, kernel=kernel, statistic="biased", null=null, level=level, engine=engine, rng=rng
    )
    return squared(result, 2 * unit**exponent, NAME)


def _unit(z: Floats) -> float:
    """A power of two near the largest value, so that dividing by it rounds nothing and no square overflows."""
    return float(np.ldexp(1.0, int(np.frexp(np.abs(z).max())[1])))
