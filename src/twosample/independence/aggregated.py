"""``hsic_test(kernel="adaptive")``: Gaussian kernels at several scales of x and y, joined on the same permutations."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from .. import _door as door
from ..core.joining import joined, standing
from ..core.pvalue import ReplicateLaw
from ..engines import Auto, Dense, Engine, Tiled
from ..errors import OptionError
from ..kernels import Gaussian
from ..nulls import Null
from ..results import TestResult, conclude
from .factored import FactorPair
from .observed import smallest
from .pairings import permutations_of_y
from .pairs import MatrixPair, VariablePair
from .results import CITATION, IndependenceResult
from .sides import MEMORY_ROWS, STRIP_ROWS, Variable, low_rank, make_matrix, variables

SCALES = (0.25, 0.7, 2.0)  # bandwidths of each variable, in median distances: waves, bends, and nearly straight lines

_ORDER = 4.0  # nearly the smallest p-value; ties are broken by the next


def aggregated_hsic(
    x: object,
    y: object,
    null: Null,
    level: float,
    rng: np.random.Generator,
) -> TestResult:
    """The test of :func:`hsic_test` with all pairs of scales at once. Nine times the time of one."""
    a, b = variables(x, y, ("gaussian", None), "median", rng)
    sides = [[_scaled(side, scale) for scale in SCALES] for side in (a, b)]
    pairs, engine = _pairs(sides, rng)
    seed = int(rng.integers(1 << 62))  # the same permutations for all
    count = null.expected(rows=0, quick=False).resamples
    found = [permutations_of_y(pair, count, np.random.default_rng(seed)) for pair in pairs]
    values, tolerances = np.array([one.values for one in found]), np.array([pair.tolerance for pair in pairs])
    both = joined(values, tolerances, np.ones(len(pairs)), order=_ORDER)
    best = int(np.argmax(standing(values)))
    first, second = sides[0][best // len(SCALES)], sides[1][best % len(SCALES)]
    return conclude(
        ReplicateLaw(both.values, both.tolerance, found[0].exhaustive, smallest(len(a.z))),
        statistic=float(both.values[0]),
        level=level,
        m=len(a.z),
        n=len(a.z),
        kind=IndependenceResult,
        test="HSIC test of independence, adaptive",
        symbol="log mean 1/p",
        columns=a.columns,
        columns_y=b.columns,
        kernel=first.kernel,
        kernel_y=second.kernel,
        null=null,
        engine=engine,
        notes=(*a.notes, *b.notes, f"{len(pairs)} pairs of kernels were joined; the one shown saw most."),
        citation=CITATION,
    )


def _scaled(side: Variable, scale: float) -> Variable:
    assert isinstance(side.kernel, Gaussian)
    return replace(side, kernel=Gaussian(scale * side.kernel.scale))


def _pairs(sides: list[list[Variable]], rng: np.random.Generator) -> tuple[list[VariablePair], Engine]:
    """HSIC_u of every pair of scales, all of them in the same way, so that they see the same permutations."""
    size = len(sides[0][0].z)
    if size <= STRIP_ROWS:
        engine: Engine = Dense() if size <= MEMORY_ROWS else Tiled()
        first, second = ([make_matrix(side, engine, True) for side in both] for both in sides)
        return [MatrixPair(a, b, True) for a, b in product(first, second)], engine
    made = [[low_rank(side, int(10 * np.sqrt(size)), rng) for side in both] for both in sides]
    return [FactorPair(a, b, True) for (_, a), (_, b) in product(*made)], made[0][0][0]


def check_options(
    kernel_y: door.KernelLike | None,
    bandwidth: door.BandwidthLike,
    statistic: str,
    null: Null,
    engine: Engine | str,
) -> None:
    """Refuse what the family decides itself."""
    for name, value, usual in (
        ("kernel_y", kernel_y, (None, "adaptive")),
        ("bandwidth", bandwidth, ("median",)),
        ("statistic", statistic, ("unbiased",)),
    ):
        if not (value is None or isinstance(value, str)) or value not in usual:
            raise OptionError(f"{name}={value!r} has no use: kernel='adaptive' decides it. Leave it out.")
    if null.name != "permutation":
        raise OptionError(f"null={null!r} does not go with kernel='adaptive'; it permutes: use ts.Permutation(n=...).")
    if not isinstance(engine, Auto) and not (isinstance(engine, str) and engine == "auto"):
        raise OptionError(f"engine={engine!r} does not go with kernel='adaptive', which has its own; leave it out.")
