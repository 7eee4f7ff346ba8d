"""Null distributions: how a statistic becomes a p-value and a threshold."""

from __future__ import annotations

from collections.abc import Callable

from .asymptotic import Gamma, Normal, Pearson, Spectrum
from .auto import AutoNull, Choice, is_cheap
from .base import Null
from .bounds import Hoeffding, McDiarmid
from .dependent import GroupPermutation, PairFlips
from .resampling import Bootstrap, Permutation
from .wild import WildBootstrap

_KINDS = AutoNull, Permutation, Bootstrap, Pearson, Spectrum, Gamma, Normal, McDiarmid, Hoeffding, WildBootstrap

NULLS: dict[str, Callable[[], Null]] = {null.name: null for null in _KINDS}
"""Aliases of the nulls."""

__all__ = [
    "NULLS", "AutoNull", "Bootstrap", "Choice", "Gamma", "GroupPermutation", "Hoeffding", "McDiarmid", "Normal", "Null",
    "PairFlips", "Pearson", "Permutation", "Spectrum", "WildBootstrap", "is_cheap",
]  # fmt: skip
