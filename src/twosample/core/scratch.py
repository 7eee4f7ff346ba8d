"""Memory for what is made on the way: the same each time, since fresh memory costs more than simple work in it."""

from __future__ import annotations

from threading import local

import numpy as np

from .types import Floats

CHUNK = 171 << 8
"""Numbers that are worked on together, a third of a long batch: with what is made of them they stay in the cache."""

_kept = local()


def scratch() -> Floats:
    """``(3, CHUNK)`` doubles of any value, for this thread to use until whoever asked for them returns."""
    if not hasattr(_kept, "rows"):
        _kept.rows = np.empty((3, CHUNK))
    rows: Floats = _kept.rows
    return rows
