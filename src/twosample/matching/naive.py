"""The naive approach: every pair of columns, or of tables, tested by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _door as door
from .. import rivals
from .._reported import Tabled
from ..core.adjust import benjamini_hochberg, holm
from ..core.types import Floats
from ..errors import InputError, OptionError, unknown_name, unknown_option
from ..homogeneity import mmd_test
from ..nulls import Permutation
from ..results import TestResult
from .reading import open_side, read

if TYPE_CHECKING:
    import polars as pl

Test = Callable[..., TestResult]

TESTS: dict[str, Test] = {
    "mmd-mcdiarmid": partial(mmd_test, statistic="biased", null="mcdiarmid"),
    "mmd-hoeffding": partial(mmd_test, null="hoeffding"),
    "mmd-permutation": partial(mmd_test, null=Permutation(n=199)),
    "mmd-bootstrap": partial(mmd_test, null="bootstrap"),
    "mmd-pearson": partial(mmd_test, null="pearson"),
    "mmd-spectrum": partial(mmd_test, null="spectrum"),
    "t": rivals.hotelling_test,
    "wolf": rivals.friedman_rafsky_runs_test,
    "smirnov": rivals.friedman_rafsky_ks_test,
    "hall": rivals.hall_tajvidi_test,
    "biau": rivals.biau_gyorfi_test,
    "ks": rivals.ks_test,
    "energy": rivals.energy_test,
}
"""The columns of the paper's Table 2 and some more, by name."""

ADJUSTMENTS: dict[str, Callable[[Floats], Floats]] = {"holm": holm, "bh": benjamini_hochberg}


@dataclass(frozen=True, eq=False)
class NaiveMatching(Tabled):
    """All pairs tested, each by itself. Made by :func:`naive`.

    Parameters
    ----------
    sources, targets
        Names of the columns or tables: the rows and columns of the matrices.
    statistics, pvalues
        ``(s, t)`` of each test.
    adjusted
        ``(s, t)`` p-values adjusted for all tests; the p-values themselves if nothing was asked for.
    level
        Pairs with an adjusted p-value above it are accepted.
    test
        The name of the test.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=(80, 2)) * [1, 9]
    >>> ts.matching.naive(x[:40], x[40:], test="ks").accepted
    array([[ True, False],
           [False,  True]])
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    statistics: Floats = field(repr=False)
    pvalues: Floats = field(repr=False)
    adjusted: Floats = field(repr=False)
    level: float
    test: str

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """``(s, t)`` pairs that were not rejected."""
        return self.adjusted > self.level

    @property
    def pairs(self) -> tuple[tuple[str, str, float], ...]:
        """Source, target and adjusted p-value of the accepted pairs, the largest p-value first."""
        found = [(self.sources[i], self.targets[j], float(self.adjusted[i, j])) for i, j in np.argwhere(self.accepted)]
        return tuple(sorted(found, key=lambda pair: -pair[2]))

    def to_frame(self) -> pl.DataFrame:
        """One row for each pair, as a polars frame."""
        import polars as pl

        i, j = (index.ravel() for index in np.indices(self.pvalues.shape))
        return pl.DataFrame(
            {
                "source": [self.sources[k] for k in i],
                "target": [self.targets[k] for k in j],
                "statistic": self.statistics.ravel(),
                "pvalue": self.pvalues.ravel(),
                "adjusted_pvalue": self.adjusted.ravel(),
                "accepted": self.accepted.ravel(),
            }
        )


def naive(
    a: object,
    b: object,
    *,
    test: str | Test = "mmd-permutation",
    level: float = 0.05,
    adjust: str | None = None,
    rng: door.Seed = 0,
    **options: Any,
) -> NaiveMatching:
    """Test every column (or table) of one side against every one of the other, and list the pairs that are accepted.

    The naive approach of Section 8.4 of the paper (Table 2). A pair is accepted if the test does not reject that both
    have one distribution; a column may have several partners or none. :func:`match` gives each at most one.

    Parameters
    ----------
    a, b
        Tables of numbers, of which columns are tested: arrays, frames, paths, dictionaries of columns. Or lists of
        samples: columns, or whole tables as for :func:`match_tables`.
    test
        'mmd-mcdiarmid' (MMD_b in the paper's table), 'mmd-hoeffding' (MMD²_u H), 'mmd-permutation' or 'mmd-bootstrap'
        (MMD²_u B), 'mmd-pearson' (MMD²_u M), 't', 'wolf', 'smirnov', 'hall', 'biau'; 'mmd-spectrum', 'ks', 'energy'; or
        any function of two samples that gives a :class:`TestResult`.
    level
        The level of each test, or of all together if they are adjusted.
    adjust
        None, 'holm' or 'bh' (Benjamini and Hochberg).
    rng
        Seed or generator, for tests that draw random numbers.
    **options
        Passed on to the test, such as ``kernel=ts.Gaussian(1.0)``.

    Returns
    -------
    NaiveMatching
        ``accepted, pairs, pvalues, adjusted, statistics``.

    Notes
    -----
    As many tests as there are pairs, each at its full cost on all rows: for tables of some dozen columns and some
    hundred rows.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> a = {"age": rng.normal(40, 9, 60), "score": rng.uniform(size=60)}
    >>> b = {"points": rng.uniform(size=50), "years": rng.normal(40, 9, 50)}
    >>> [pair[:2] for pair in ts.matching.naive(a, b, test="t").pairs]
    [('age', 'years'), ('score', 'points')]
    """
    level = door.check_level(level)
    call, title = _resolved(test)
    if adjust is not None and (not isinstance(adjust, str) or adjust not in ADJUSTMENTS):
        raise unknown_option("adjust", adjust, ADJUSTMENTS, objects=False)
    (sources, left), (targets, right) = _samples(a, "a"), _samples(b, "b")
    random = door.generator(rng)
    values = np.empty((2, len(left), len(right)))
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            result = _tested(call, x, y, level, random, options)
            values[:, i, j] = result.statistic, result.pvalue
    pvalues = values[1]
    adjusted = pvalues if adjust is None else ADJUSTMENTS[adjust](pvalues.ravel()).reshape(pvalues.shape)
    return NaiveMatching(sources, targets, values[0], pvalues, adjusted, level, title)


def _samples(side: object, name: str) -> tuple[tuple[str, ...], list[Any]]:
    """Names and samples: of a list its items, of a table its columns of numbers without missing values."""
    if isinstance(side, list | tuple | Mapping) and not side:
        raise InputError(f"{name} has no samples.")
    if isinstance(side, list | tuple):
        return tuple(str(k) for k in range(len(side))), list(side)
    if isinstance(side, Mapping):
        return tuple(str(key) for key in side), [np.asarray(value) for value in side.values()]
    table = open_side(side, name, None)
    found = read(table, name, table.columns, max(table.row_count(), 2), 0, {})
    wrong = [column.name for column in found.columns if not column.on_a_line]
    if wrong:
        raise InputError(f"{name}: column {wrong[0]!r} does not hold numbers; leave it out, or use ts.match.")
    return found.names, [column.values for column in found.columns]


def _resolved(test: str | Test) -> tuple[Test, str]:
    if isinstance(test, str):
        if test not in TESTS:
            raise unknown_option("test", test, TESTS)
        return TESTS[test], test
    if not callable(test) or isinstance(test, type):
        raise OptionError(f"test={test!r} must be a name or a function of two samples.")
    return test, getattr(test, "__name__", repr(test))


def _tested(call: Test, x: Any, y: Any, level: float, rng: np.random.Generator, options: dict[str, Any]) -> TestResult:
    """One test; the seed goes only to tests that take one."""
    from inspect import signature

    taken = signature(call).parameters
    anything = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())
    strange = [name for name in options if name not in taken and not anything]
    if strange:
        raise unknown_name("naive with this test", strange[0], {"test", "level", "adjust", "rng", *taken})
    known = {name: value for name, value in (("rng", rng), ("level", level)) if name in taken}
    return call(x, y, **known, **options)
