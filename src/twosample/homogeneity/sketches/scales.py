"""Two sketches of one column compared by kernels at all scales."""

from __future__ import annotations

import numpy as np

from ... import _door as door
from ...core.line_distances import WeightedLine
from ...core.types import Floats
from ...engines.line_family import MOST_ROWS
from ...errors import OptionError
from ...nulls import Null
from ...results import TestResult
from ...statistics import Statistic
from ...summaries import BinnedColumn, comparable
from ..family import QUANTILES, OnLine, check_options, joined_test
from .bins import Bins
from .groups import SketchSums
from .waves import BinnedSample


def compare_at_all_scales(
    x: Bins | SketchSums,
    y: Bins | SketchSums,
    bandwidth: door.BandwidthLike | None,
    statistic: Statistic | str,
    null: Null | str | None,
    level: float,
    rng: np.random.Generator,
) -> TestResult:
    """Kernels at all scales: rows in bins know all of them, features of one kernel do not."""
    if not (isinstance(x, Bins) and isinstance(y, Bins)):
        raise OptionError(
            "kernel='adaptive' needs every scale, and a sketch of several columns keeps the features of one kernel; "
            "leave kernel out, or make a sketch of each column."
        )
    chosen = door.resolve_null("auto" if null is None else null)
    door.check_resamples(chosen, level)
    check_options(bandwidth, statistic, chosen, None)
    a, b = comparable(x.column, y.column, max(x.layout.bins, y.layout.bins))
    rows = a.rows + b.rows
    if rows >= MOST_ROWS:
        raise OptionError(
            f"kernel='adaptive' relabels fewer than {MOST_ROWS:,} rows, here are {rows:,}; give a kernel."
        )
    pool = BinnedSample.of(a.merged(b))
    spread = WeightedLine(pool.place, pool.rows, 1.0 if pool.variance.any() else 0.0)
    low, high = (max(spread.quantile(float(share)), 1.0) for share in QUANTILES)  # none is below one bin
    family = OnLine.of(pool.place, _rows_at(a, b), pool.rows, low, high)
    return joined_test(
        family,
        chosen,
        level,
        rng,
        columns=1,
        unit=a.grid.unit,
        test="MMD two-sample test on sketches",
        constant=len(pool.place) == 1 and not pool.variance.any(),
        notes=(f"From bins of width {2.0**a.grid.unit:.4g}, as if all rows of a bin lay at its mean.",),
    )


def _rows_at(column: BinnedColumn, other: BinnedColumn) -> Floats:
    """``(K,)`` rows of a column in the bins, and beyond them, where it or the other has any; places ascending."""
    both = column.merged(other)
    rows = column.counts[np.flatnonzero(both.counts)].astype(np.float64)
    before = [float(column.below)] if both.below else []
    return np.concatenate([before, rows, [float(column.above)] if both.above else []])
