"""Null distributions: how a statistic becomes a p-value and a threshold."""

from __future__ import annotations

from collections.abc import Callable

from .asymptotic import Gamma, Normal, Pearson, Spectrum
from .base import Null
from .bounds import Hoeffding, McDiarmid
from .resampling import Bootstrap, Permutation

NULLS: dict[str, Callable[[], Null]] = {
    null.name: null for null in (Permutation, Bootstrap, Pearson, Spectrum, Gamma, Normal, McDiarmid, Hoeffding)
}
"""Aliases of the nulls."""

__all__ = [
    "NULLS", "Bootstrap", "Gamma", "Hoeffding", "McDiarmid", "Normal", "Null", "Pearson", "Permutation", "Spectrum",
]  # fmt: skip
