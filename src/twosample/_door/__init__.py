"""The door of the library: what comes in is resolved and checked here, once."""

from __future__ import annotations

from ..errors import check_level
from .groups import Groups, groups
from .lists import objects, row_numbers
from .request import (
    ALL_ALIKE,
    BandwidthLike,
    KernelLike,
    KernelPool,
    OpenKernel,
    Request,
    Seed,
    check_pairing,
    check_resamples,
    check_values,
    fill_bandwidth,
    fill_widths,
    generator,
    is_adaptive,
    open_kernel,
    pool,
    request,
    resolve_bandwidth,
    resolve_engine,
    resolve_kernel,
    resolve_null,
    resolve_statistic,
    split_bandwidth,
    values_fit,
)
from .samples import (
    Pool,
    batch_columns,
    check_frame,
    check_names,
    check_span,
    column_names,
    is_elsewhere,
    middle,
    points,
    rows,
)
from .weights import Weights, check_weightable, checked_weights, effective_size, scale_notes, weighted

__all__ = [
    "ALL_ALIKE", "BandwidthLike", "Groups", "KernelLike", "KernelPool", "OpenKernel", "Pool", "Request", "Seed",
    "Weights", "batch_columns", "check_frame", "check_level", "check_names", "check_pairing", "check_resamples",
    "check_span", "check_values", "check_weightable", "checked_weights", "column_names", "effective_size",
    "fill_bandwidth", "fill_widths", "generator", "groups", "is_adaptive", "is_elsewhere", "middle", "objects",
    "open_kernel", "points", "pool", "request", "resolve_bandwidth", "resolve_engine", "resolve_kernel",
    "resolve_null", "resolve_statistic", "row_numbers", "rows", "scale_notes", "split_bandwidth", "values_fit",
    "weighted",
]  # fmt: skip
