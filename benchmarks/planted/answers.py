"""What a tool says about two tables, in a form that all tools can give; ours, and classical tests by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

import twosample as ts

SILENT = ("left out", "constant")
"""Findings that say how a column was treated, and nothing about a difference."""


@dataclass(frozen=True)
class Answer:
    """What a tool says.

    `flagged`: an alarm. `noticed`: an alarm, or a remark that something is not the same. `columns`: those that the
    alarm or the remarks name, the first one first.
    """

    flagged: bool
    noticed: bool
    columns: tuple[str, ...]


def ours(a: Path, b: Path) -> Answer:
    """`ts.compare` with its defaults."""
    c = ts.compare(str(a), str(b))
    remarks = [finding for finding in c.findings if finding.what not in SILENT]
    named = [column.name for column in c.columns if column.verdict in ("different", "small difference")]
    for finding in remarks:
        together = getattr(finding, "columns", ()) or ((finding.column,) if finding.column is not None else ())
        named.extend(name for name in together if name not in named)
    noticed = c.verdict in ("different", "small difference") or bool(remarks)
    return Answer(c.verdict == "different", noticed, tuple(named))


def by_hand(a: Path, b: Path) -> Answer:
    """Kolmogorov-Smirnov and chi-square with Bonferroni at 0.05, missing shares, and the schema: a careful script."""
    from scipy.stats import fisher_exact

    one, two = pl.read_parquet(a), pl.read_parquet(b)
    odd = [name for name in {*one.columns, *two.columns} if one.schema.get(name) != two.schema.get(name)]
    odd = [name for name in odd if not _numbers(one, two, name)]
    pvalues: list[tuple[float, str]] = [(0.0, name) for name in sorted(odd)]
    for name in (name for name in one.columns if name in two.columns and name not in odd):
        x, y = one[name], two[name]
        gone = x.null_count(), y.null_count()
        if any(gone):
            table = [[gone[0], len(x) - gone[0]], [gone[1], len(y) - gone[1]]]
            pvalues.append((float(fisher_exact(table).pvalue), name))
        pvalues.append((_column(x.drop_nulls(), y.drop_nulls()), name))
    found = sorted((p, name) for p, name in pvalues if p * len(pvalues) <= 0.05)
    return Answer(bool(found), bool(found), tuple(dict.fromkeys(name for _, name in found)))


def _numbers(one: pl.DataFrame, two: pl.DataFrame, name: str) -> bool:
    return (
        name in one.columns and name in two.columns and one.schema[name].is_numeric() and two.schema[name].is_numeric()
    )


def _column(x: pl.Series, y: pl.Series) -> float:
    """Numbers, dates and lengths of texts by Kolmogorov-Smirnov; categories by chi-square."""
    from scipy.stats import chi2_contingency, ks_2samp

    if not len(x) or not len(y):
        return 1.0
    if x.dtype == pl.String:
        pooled = pl.concat([x, y])
        if pooled.n_unique() > 0.1 * len(pooled):
            x, y = x.str.len_chars(), y.str.len_chars()
        else:
            codes = pooled.rank("dense").to_numpy()
            size = int(codes.max()) + 1
            counts = np.array([np.bincount(part, minlength=size)[1:] for part in (codes[: len(x)], codes[len(x) :])])
            return 1.0 if size < 3 else float(chi2_contingency(counts).pvalue)
    return float(ks_2samp(x.to_physical().to_numpy(), y.to_physical().to_numpy(), method="asymp").pvalue)


TOOLS: dict[str, Callable[[Path, Path], Answer]] = {"compare": ours, "KS and chi-square by hand": by_hand}
"""Those that run in this interpreter."""
