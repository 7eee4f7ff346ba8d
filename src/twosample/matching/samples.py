"""Columns of a table, or the samples of a list, as they are given to a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError


def samples_of(side: object, name: str) -> tuple[tuple[str, ...], list[Any]]:
    """Names and samples: of a list its items, of a table its columns of numbers without missing values."""
    if isinstance(side, list | tuple | Mapping) and not side:
        raise InputError(f"{name} has no samples.")
    if isinstance(side, list | tuple):
        return tuple(str(k) for k in range(len(side))), list(side)
    if isinstance(side, Mapping):
        return tuple(str(key) for key in side), [np.asarray(value) for value in side.values()]
    from .columns import open_side, read

    table = open_side(side, name, None)
    found = read(table, name, table.columns, max(table.row_count(), 2), 0, {})
    wrong = [column.name for column in found.columns if column.family in ("category", "text", "none")]
    if wrong:
        raise InputError(f"{name}: column {wrong[0]!r} does not hold numbers; leave it out, or use ts.match.")
    return found.names, [column.values for column in found.columns]
