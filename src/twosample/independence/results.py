"""The result of a test of independence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from .._reported import Reported
from ..kernels import Kernel
from ..results import TestResult
from .explained import WEAK, Explained

CITATION = (
    "Gretton, Borgwardt, Rasch, Schölkopf and Smola (2008): A Kernel Method for the Two-Sample Problem, "
    "arXiv:0805.2368, Section 7.3; Gretton, Fukumizu, Teo, Song, Schölkopf and Smola (2008): A Kernel Statistical Test "
    "of Independence, NIPS 20"
)


@dataclass(frozen=True, eq=False)
class IndependenceResult(TestResult, Reported):
    """The outcome of a test of independence: a :class:`TestResult` with what belongs to y.

    Parameters
    ----------
    test, symbol, statistic, pvalue, threshold, level, m, n, columns, null, law, kernel, engine, reason, notes, citation
        As for :class:`TestResult`; m and n are both the number of pairs.
    kernel_y
        The kernel of y; `kernel` is that of x.
    columns_y
        Columns of y; `columns` is that of x.
    x, y
        Names of the columns of each side, when they are those of a table.
    source
        What that table is called.
    source_rows
        Its rows, of which m were looked at.
    explained
        How much each column of x and each of y explain of each other, the most first; of a table.
    details
        How it was computed, where that may matter; notes of a test of arrays hold this too.
    read
        The files that were read, which no report may replace.

    Examples
    --------
    >>> import numpy as np, twosample as ts
    >>> x = np.random.default_rng(0).normal(size=50)
    >>> r = ts.hsic_test(x, x**2, rng=0)
    >>> r.verdict
    'the variables are dependent'
    """

    verdicts: ClassVar[tuple[str, str]] = ("the variables are dependent", "no dependence found")

    kernel_y: Kernel | None = None
    columns_y: int = 0
    x: tuple[str, ...] = ()
    y: tuple[str, ...] = ()
    source: str = ""
    source_rows: int = 0
    explained: tuple[Explained, ...] = field(default=(), repr=False)
    details: tuple[str, ...] = field(default=(), repr=False)
    read: tuple[str, ...] = field(default=(), repr=False)

    @property
    def strength(self) -> str:
        """How strong the dependence is, in words: what the column that explains most explains; empty for arrays."""
        if not self.explained:
            return ""
        most = self.explained[0]
        if len(self.explained) > 1 and (most.share or 0.0) < WEAK:
            return "no column of one side explains the mean of one of the other"
        return f"{most.words} ({most.word})" if (most.share or 0.0) >= WEAK else most.words

    def to_dict(self) -> dict[str, Any]:
        """As for every result, and the kernel of y; of a table also how much its columns explain."""
        more: dict[str, Any] = {"kernel_y": repr(self.kernel_y), "columns_y": self.columns_y}
        if self.explained:
            more["strength"] = self.strength
            more["explained"] = [
                {"x": pair.x, "y": pair.y, "of_y": pair.of_y, "of_x": pair.of_x, "words": pair.words}
                for pair in self.explained
            ]
        return {**super().to_dict(), **more, "details": list(self.details)}

    def _lines(self) -> list[tuple[str, str]]:
        lines = [line for line in super()._lines() if line[0] not in ("samples", "kernel")]
        words = [f"{name} {_columns(count)}" for name, count in (("x", self.columns), ("y", self.columns_y)) if count]
        ours = [
            ("samples", ", ".join([f"{self.m} pairs", *words])),
            ("kernel x", repr(self.kernel)),
            ("kernel y", repr(self.kernel_y)),
        ]
        strength = [("strength", self.strength)] if self.explained else []
        return [*lines[:2], *strength, *ours, *lines[2:]]


def _columns(count: int) -> str:
    return f"{count} column{'s' if count != 1 else ''}"
