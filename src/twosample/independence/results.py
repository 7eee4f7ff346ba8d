"""The result of a test of independence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..kernels import Kernel
from ..results import TestResult

CITATION = (
    "Gretton, Borgwardt, Rasch, Schölkopf and Smola (2008): A Kernel Method for the Two-Sample Problem, "
    "arXiv:0805.2368, Section 7.3; Gretton, Fukumizu, Teo, Song, Schölkopf and Smola (2008): A Kernel Statistical Test "
    "of Independence, NIPS 20"
)


@dataclass(frozen=True, eq=False)
class IndependenceResult(TestResult):
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

    def to_dict(self) -> dict[str, Any]:
        """As for every result, and the kernel of y."""
        return {**super().to_dict(), "kernel_y": repr(self.kernel_y), "columns_y": self.columns_y}

    def _lines(self) -> list[tuple[str, str]]:
        lines = [line for line in super()._lines() if line[0] not in ("samples", "kernel")]
        words = [f"{name} {_columns(count)}" for name, count in (("x", self.columns), ("y", self.columns_y)) if count]
        ours = [
            ("samples", ", ".join([f"{self.m} pairs", *words])),
            ("kernel x", repr(self.kernel)),
            ("kernel y", repr(self.kernel_y)),
        ]
        return [*lines[:2], *ours, *lines[2:]]


def _columns(count: int) -> str:
    return f"{count} column{'s' if count != 1 else ''}"
