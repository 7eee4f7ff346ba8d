"""Results: frozen, complete, not iterable. Reports and the command line only read them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from ._numbers import is_p, pvalue
from ._reported import Printed, plain
from ._version import __version__
from .core.pvalue import Law
from .errors import SmallSampleWarning, warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .engines import Engine
    from .kernels import Kernel
    from .nulls import Null

PAPER = (
    "Gretton, Borgwardt, Rasch, Schölkopf and Smola (2008): A Kernel Method for the Two-Sample Problem, arXiv:0805.2368"
)
NOTHING = "All rows of both samples are the same: there is nothing to compare."


@dataclass(frozen=True, eq=False)
class TestResult(Printed):
    """The outcome of a test, with everything that was chosen on the way.

    Parameters
    ----------
    test
        What was tested, in words.
    symbol
        The name of the statistic.
    statistic
        Its observed value.
    pvalue
        Probability under H0 of a value at least as large; never 0.
    threshold
        The value above which the test rejects at `level`.
    level
        The level of the test.
    m, n
        Rows of x and of y.
    columns
        Columns of the data (0 when the points are not vectors).
    kernel, null, engine
        What was resolved from the options.
    law
        The law of the statistic under H0: ``law.pvalue(t)`` and ``law.threshold(level)`` at any level.
    reason
        Why this engine.
    notes
        What the user should know.
    citation
        The paper behind the test.

    Examples
    --------
    >>> import twosample as ts
    >>> r = ts.mmd_test([1.0, 2.0, 3.0, 4.0], [11.0, 12.0, 13.0, 14.0], kernel=ts.Gaussian(2.0), rng=0)
    >>> r.rejected, round(r.pvalue, 4)
    (True, 0.0286)
    """

    __test__ = False  # not a pytest class
    verdicts: ClassVar[tuple[str, str]] = ("the samples differ", "no difference found")

    test: str
    symbol: str
    statistic: float
    pvalue: float
    threshold: float
    level: float
    m: int
    n: int
    columns: int
    null: Null
    law: Law = field(repr=False)
    kernel: Kernel | None = None
    engine: Engine | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    citation: str = field(default=PAPER, repr=False)

    @property
    def rejected(self) -> bool:
        """Whether H0 (p = q) is rejected at the level."""
        return self.pvalue <= self.level

    @property
    def verdict(self) -> str:
        """The decision in words."""
        return self.verdicts[0 if self.rejected else 1]

    def summary(self) -> str:
        """The result as text."""
        width = max(len(label) for label, _ in self._lines())
        head = f"{self.test}: {self.verdict} ({is_p(pvalue(self.pvalue))}, level {self.level:g})"
        return "\n".join([head, *(f"  {label:<{width}}  {text}" for label, text in self._lines())])

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values that JSON can hold; infinite thresholds become None."""
        return {
            "schema": 1,
            **plain(self, "test", "symbol", "statistic", "pvalue"),
            "threshold": self.threshold if isfinite(self.threshold) else None,
            **plain(self, "level", "rejected", "m", "n", "columns"),
            "kernel": None if self.kernel is None else repr(self.kernel),
            "null": repr(self.null),
            "engine": None if self.engine is None else repr(self.engine),
            **plain(self, "reason", "notes"),
            "version": __version__,
            "citation": self.citation,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the null distribution with the observed value and the threshold; returns the matplotlib axes."""
        from ._figures import draw_null

        return draw_null(self, ax)

    def _lines(self) -> list[tuple[str, str]]:
        columns = f", {self.columns} column{'s' if self.columns != 1 else ''}" if self.columns else ""
        lines = [
            ("statistic", f"{self.symbol} = {self.statistic:.6g}"),
            ("threshold", f"{self.threshold:.6g}"),
            ("samples", f"m = {self.m}, n = {self.n}{columns}"),
        ]
        if self.kernel is not None:
            lines.append(("kernel", repr(self.kernel)))
        lines.append(("null", repr(self.null)))
        if self.engine is not None:
            lines.append(("engine", f"{self.engine!r}: {self.reason}" if self.reason else repr(self.engine)))
        return lines + [("note", note) for note in self.notes]

    def _repr_html_(self) -> str:
        from ._reported import badge, box, table

        rows = [("p-value", f"{pvalue(self.pvalue)} (level {self.level:g})"), *self._lines()]
        return box(f"{badge(self.verdict, 'different' if self.rejected else 'open')} {escape(self.test)}", table(rows))


def conclude(
    law: Law,
    *,
    statistic: float,
    level: float,
    m: int,
    n: int,
    kind: type[TestResult] = TestResult,
    **facts: Any,
) -> TestResult:
    """The result of a test: p-value and threshold from the law, and a warning when no p-value could reach the level.

    `facts` are the other fields of the `kind` of result.
    """
    notes = tuple(facts.pop("notes", ()))
    if law.least > level * (1 + 1e-9):
        text = (
            f"With m={m} and n={n} there is no p-value below {law.least:.3g}: this test can never reject at level "
            f"{level:g}. " + ("Collect more rows." if law.least < 1 else "There are too few rows, or nothing varies.")
        )
        warn(text, SmallSampleWarning)
        notes += (text,)
    return kind(
        statistic=statistic,
        pvalue=law.pvalue(statistic),
        threshold=law.threshold(level),
        level=level,
        m=m,
        n=n,
        law=law,
        notes=notes,
        **facts,
    )
