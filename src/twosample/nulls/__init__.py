"""Null distributions: how a statistic becomes a p-value and a threshold."""

from __future__ import annotations

from collections.abc import Callable

from .asymptotic import Gamma, Normal, Pearson, Spectrum
from .base import Null
from .bounds import Hoeffding, McDiarmid
from .dependent import GroupPermutation, PairFlips
from .resampling import Bootstrap, Permutation
from .wild import WildBootstrap

NULLS: dict[str, Callable[[], Null]] = {
    null.name: null
    for null in (Permutation, Bootstrap, Pearson, Spectrum, Gamma, Normal, McDiarmid, Hoeffding, WildBootstrap)
}
"""Aliases of the nulls."""

__all__ = [
    "NULLS", "Bootstrap", "Gamma", "GroupPermutation", "Hoeffding", "McDiarmid", "Normal", "Null", "PairFlips",
    "Pearson", "Permutation", "Spectrum", "WildBootstrap",
]  # fmt: skip
