"""What a comparison of several tables is: frozen, complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .._forks import check_threads
from .._reported import Reported, Tabled
from ..core.types import Floats
from ..errors import OptionError
from ..homogeneity import KSampleResult
from ..results import PAPER
from .parts import Finding, Verdict
from .results import Comparison

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class TablePair(Tabled):
    """Two of several tables.

    Parameters
    ----------
    a, b
        Their names.
    verdict, headline
        As :func:`compare` says, at the level that is left for one of all pairs.
    pvalue
        The smallest adjusted p-value of columns and of the joint test, times the number of pairs, at most 1.
    effect, effect_low, effect_high
        The largest effect size of a column or of all columns together, with its interval; intervals of all pairs hold
        at once.
    most
        The columns that differ, the most different first.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> m = ts.compare_many({"a": {"v": rng.normal(size=300)}, "b": {"v": rng.normal(1, size=300)}})
    >>> m.pairs[0].verdict, m.pairs[0].most
    ('different', ('v',))
    """

    a: str
    b: str
    verdict: Verdict
    headline: str
    pvalue: float
    effect: float
    effect_low: float
    effect_high: float
    most: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ManyComparison(Reported):
    """Several tables compared, every two of them. Made by :func:`compare_many`.

    Parameters
    ----------
    verdict
        The gravest of all pairs: "different" if two tables are.
    headline
        In one sentence.
    names, rows
        The tables and their rows.
    pairs
        Every two of them.
    alike
        Names of tables in groups: two tables are in one group if a chain of pairs that are not different connects them.
    apart
        Tables that differ from more than half of the others.
    tree
        The dendrogram by average linkage of effects, as scipy has it: for each step the two clusters that are joined
        (tables first, then the results of earlier steps), the effect at which, and the number of tables.
    order
        The tables in the order of the dendrogram, by number.
    level, margin, seed
        Of all pairs together; the margin; the seed.
    findings
        Groups that are too small, and the like.
    notes
        How it was done.
    comparisons
        The comparisons themselves: ``m["north", "south"]``.
    together
        One test of all tables at once (:func:`ksample_test`), on up to 5,000 rows of all; no part of the verdict. None
        by `group`, `time` and `design_weights`.
    citation
        The paper behind it.
    read
        The real paths of the files that were compared.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> rng = np.random.default_rng(0)
    >>> sites = {name: {"v": rng.normal(mean, size=400)} for name, mean in (("north", 0), ("south", 0), ("east", 1))}
    >>> m = ts.compare_many(sites)
    >>> m.apart, m.alike
    (('east',), (('north', 'south'), ('east',)))
    """

    verdict: Verdict
    headline: str
    names: tuple[str, ...]
    rows: tuple[int, ...]
    pairs: tuple[TablePair, ...] = field(repr=False)
    alike: tuple[tuple[str, ...], ...]
    apart: tuple[str, ...]
    tree: tuple[tuple[int, int, float, int], ...] = field(repr=False)
    order: tuple[int, ...] = field(repr=False)
    level: float
    margin: float | Mapping[str, float]
    seed: int
    findings: tuple[Finding, ...] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    comparisons: Mapping[tuple[str, str], Comparison] = field(repr=False)
    together: KSampleResult | None = field(default=None, repr=False)
    citation: str = field(default=PAPER, repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    def __getitem__(self, names: tuple[str, str]) -> Comparison:
        for pair in (names, names[::-1]):
            if pair in self.comparisons:
                return self.comparisons[pair]
        raise OptionError(f"{names!r} is no pair of two of the tables {list(self.names)[:20]}.")

    def matrix(self, what: str = "effect") -> Floats:
        """``(G, G)`` values of all pairs, symmetric.

        Parameters
        ----------
        what
            "effect" (0 on the diagonal) or "pvalue" (1 on the diagonal).
        """
        if what not in ("effect", "pvalue"):
            raise OptionError(f"what={what!r} must be 'effect' or 'pvalue'.")
        number = {name: i for i, name in enumerate(self.names)}
        found = np.zeros((len(number), len(number))) if what == "effect" else np.ones((len(number), len(number)))
        for pair in self.pairs:
            i, j = number[pair.a], number[pair.b]
            found[i, j] = found[j, i] = getattr(pair, what)
        return found

    def summary(self) -> str:
        """The comparison as text for a terminal: headline, the matrix of effects, groups."""
        from .many_words import summary

        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain values that JSON can hold, with ``"schema": 1``."""
        from .many_words import as_dict

        return as_dict(self)

    def to_frame(self) -> pl.DataFrame:
        """The pairs as a polars frame, one row for each."""
        from .many_words import as_frame

        check_threads()
        return as_frame(self)
